"""Columns: a number of every pixel of a picture, noted as the operation that would give it.

Instructions act on columns as if they were numbers. What is the same for all pixels stays a plain
number, so it is computed once, by simply running.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from .column_slots import CHOOSE, TRUTHS

MOST_WHOLE = 1 << 24
"""Whole numbers that are floats of 32 bits, and all below them."""
SHORT = frozenset({"x", "y", "round"})
"""Operations that give floats of 32 bits."""
EXACT = frozenset({"abs", "absolute", "floor", "least", "most", "defined"})
"""Those that give such if they are given such."""


class NotForColumns(BaseException):
    """This program needs more than columns. It is no `Exception`, so that no instruction that
    catches such ever catches it."""


class TruthAsked(BaseException):
    """Python asked a column for its truth: ways part here."""

    def __init__(self, column: Column) -> None:
        self.column = column


class Column:
    """A number, or a truth, of every pixel."""

    __slots__ = ("args", "is_short", "op", "sheet")

    def __init__(self, sheet: Sheet, op: str, args: tuple[Any, ...]) -> None:
        self.sheet, self.op, self.args = sheet, op, args
        exact = args[1:] if op == CHOOSE else args if op in EXACT else ()
        self.is_short = op in SHORT or (exact != () and all(map(_is_short, exact)))
        """Whether floats of 32 bits hold its numbers without rounding."""

    def __bool__(self) -> bool:
        truth = self if self.op in TRUTHS else self.sheet.make("!=", self, 0.0)
        known = self.sheet.facts.get(id(truth))
        if known is None:
            raise TruthAsked(truth)
        return known

    def __neg__(self) -> Column:
        return self.sheet.make("-", -0.0, self)

    def __pos__(self) -> Column:
        return self

    def __abs__(self) -> Column:
        return self.sheet.make("abs", self)

    def _unusable(self, *_: object) -> Any:
        raise NotForColumns

    __hash__ = __repr__ = __str__ = __format__ = __getattr__ = _unusable


def _operator(symbol: str, turned: bool = False) -> Callable[[Column, Any], Column]:
    def note(self: Column, other: Any) -> Column:
        return self.sheet.make(symbol, *((other, self) if turned else (self, other)))

    return note


for _name, _symbol in (("add", "+"), ("sub", "-"), ("mul", "*")):
    setattr(Column, f"__{_name}__", _operator(_symbol))
    setattr(Column, f"__r{_name}__", _operator(_symbol, turned=True))
for _name, _symbol in zip(("lt", "le", "gt", "ge", "eq", "ne"), TRUTHS, strict=True):
    setattr(Column, f"__{_name}__", _operator(_symbol))


class Sheet:
    """Where columns are made: the same operation on the same operands is the same column."""

    def __init__(self) -> None:
        self.columns: list[Column] = []
        """All of them, each behind those that it is made from."""
        self.facts: dict[int, bool] = {}
        """Truths that hold for all pixels that are on the way now."""
        self._known: dict[tuple[Any, ...], Column] = {}
        self.x, self.y = self._new("x", ()), self._new("y", ())

    def make(self, op: str, *args: Any) -> Column:
        """The column of an operation on numbers."""
        return self._noted(op, tuple(map(number, args)))

    def _noted(self, op: str, args: tuple[Any, ...]) -> Column:
        key = op, *[id(arg) if type(arg) is Column else arg.hex() for arg in args]
        if key not in self._known:
            self._known[key] = self._new(op, args)
        return self._known[key]

    def _new(self, op: str, args: tuple[Any, ...]) -> Column:
        column = Column(self, op, args)
        self.columns.append(column)
        return column

    def rounded(self, value: Any) -> Any:
        """As an array of 32-bit floats keeps it."""
        if type(value) is not Column:
            return array("f", (value,))[0]
        return value if value.is_short else self.make("round", value)

    def chosen(self, truth: Column, one: Any, other: Any) -> Any:
        """One value where something is true, the other where it is not."""
        one, other = number(one), number(other)
        if one is other or (type(one) is type(other) is float and one.hex() == other.hex()):
            return one
        return self._noted(CHOOSE, (truth, one, other))


def number(value: Any) -> Any:
    """A value that can be computed with: a column of numbers, or a float. Truths are numbers to
    Python, but whole ones, which have no -0."""
    if type(value) is Column:
        if value.op not in TRUTHS:
            return value
    elif type(value) is float or (isinstance(value, int) and abs(value) <= MOST_WHOLE):
        return float(value)
    raise NotForColumns


def _is_short(value: Any) -> bool:
    if type(value) is Column:
        return value.is_short
    return bool(value != value or array("f", (value,))[0] == value)
