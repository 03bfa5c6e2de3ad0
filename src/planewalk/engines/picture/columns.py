"""Columns: a number of every pixel of a picture, noted as the operation that would give it.

Instructions act on columns as if they were numbers. What is the same for all pixels stays a plain
number, so it is computed once, by simply running.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any, TypeVar

from ...core import chance
from .column_slots import CHOOSE, FLOAT, TRUTHS

Made = TypeVar("Made")

MOST_WHOLE = 1 << 24
"""Whole numbers that are floats of 32 bits, and all below them."""
EXACT_BITS = 53
"""Of whole numbers that floats hold without rounding."""
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


class AnyColumn:
    """Something of every pixel, noted as an operation on other columns and plain numbers."""

    __slots__ = ("args", "op", "sheet")

    def __init__(self, sheet: Sheet, op: str, args: tuple[Any, ...]) -> None:
        self.sheet, self.op, self.args = sheet, op, args


def _unusable(self: AnyColumn, *_: object) -> Any:
    """Whatever is not noted must not go unnoticed either."""
    raise NotForColumns


for _name in (
    "hash", "repr", "str", "format", "getattr", "bool", "eq", "ne", "lt", "le", "gt", "ge",
):  # fmt: skip
    setattr(AnyColumn, f"__{_name}__", _unusable)


class Column(AnyColumn):
    """A float, or a truth, of every pixel."""

    __slots__ = ("is_short",)

    def __init__(self, sheet: Sheet, op: str, args: tuple[Any, ...]) -> None:
        super().__init__(sheet, op, args)
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


def _operator(symbol: str, turned: bool = False) -> Callable[[Column, Any], Column]:
    def note(self: Column, other: Any) -> Column:
        return self.sheet.make(symbol, *((other, self) if turned else (self, other)))

    return note


for _name, _symbol in (("add", "+"), ("sub", "-"), ("mul", "*")):
    setattr(Column, f"__{_name}__", _operator(_symbol))
    setattr(Column, f"__r{_name}__", _operator(_symbol, turned=True))
for _name, _symbol in zip(("lt", "le", "gt", "ge", "eq", "ne"), TRUTHS, strict=True):
    setattr(Column, f"__{_name}__", _operator(_symbol))


class WholeColumn(AnyColumn):
    """A whole number of every pixel, not below 0 and of so many bits: what chance gives. What can
    be done with it makes it shorter, until it is a float."""

    __slots__ = ("bits",)

    def __init__(self, sheet: Sheet, op: str, args: tuple[Any, ...], bits: int = 64) -> None:
        super().__init__(sheet, op, args)
        self.bits = bits

    def __rshift__(self, places: Any) -> WholeColumn:
        if type(places) is not int or not 0 <= places < 64:
            raise NotForColumns
        return self.sheet.whole(">>", self, places, bits=max(self.bits - places, 0))

    def __and__(self, mask: Any) -> WholeColumn:
        if type(mask) is not int or not 0 <= mask <= chance.MASK:
            raise NotForColumns
        return self.sheet.whole("&", self, mask, bits=min(self.bits, mask.bit_length()))

    __rand__ = __and__

    def __truediv__(self, divisor: Any) -> Column:
        if self.bits > EXACT_BITS or type(divisor) is not int or divisor == 0:
            raise NotForColumns
        return self.sheet.make("divide", self.sheet.as_float(self), divisor)


class Sheet:
    """Where columns are made: the same operation on the same operands is the same column."""

    def __init__(self) -> None:
        self.columns: list[AnyColumn] = []
        """All of them, each behind those that it is made from."""
        self.facts: dict[int, bool] = {}
        """Truths that hold for all pixels that are on the way now."""
        self._known: dict[tuple[Any, ...], Any] = {}
        self.x, self.y = (self._noted(Column, name, ()) for name in "xy")

    def make(self, op: str, *args: Any) -> Column:
        """The column of an operation on numbers."""
        return self._noted(Column, op, tuple(map(number, args)))

    def whole(self, op: str, *args: Any, bits: int = 64) -> WholeColumn:
        """That of an operation on whole numbers."""
        return self._noted(WholeColumn, op, args, bits)

    def as_float(self, whole: WholeColumn) -> Column:
        """Whole numbers as floats, which must hold them."""
        return self._noted(Column, FLOAT, (whole,))

    def mixed(self, seed: Any, counter: Any) -> Any:
        """See `chance.mix`."""
        if isinstance(seed, int) and isinstance(counter, int):
            return chance.mix(seed, counter)
        return self.whole("mix", *map(self._as_whole, (seed, counter)))

    def _as_whole(self, value: Any) -> Any:
        if isinstance(value, int):
            return value & chance.MASK
        if value is self.x or value is self.y:
            return self.whole("whole", value)
        if type(value) is WholeColumn:
            return value
        raise NotForColumns

    def _noted(self, kind: Callable[..., Made], op: str, args: tuple[Any, ...], *more: Any) -> Made:
        """A column, the same as before if there is one; plain numbers are told apart by their
        bits."""
        key = op, *[arg.hex() if type(arg) is float else arg if type(arg) is int else id(arg)
                    for arg in args]  # fmt: skip
        if key not in self._known:
            self._known[key] = kind(self, op, args, *more)
            self.columns.append(self._known[key])
        made: Made = self._known[key]
        return made

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
        return self._noted(Column, CHOOSE, (truth, one, other))


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
