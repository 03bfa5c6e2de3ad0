"""Values made of functions leave a process as the way to find them again: functions cannot leave.

What hands such a value out says here how it was found. Any other is looked for by its name in a
module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NoReturn, TypeVar, cast

Way = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function that can be found by its name, and what it is to be called with."""


class Findable:
    """A language: something with a name and tables of rows, each of which can act."""

    name: str

    @property
    def tables(self) -> tuple[Any, ...]:
        """Mappings from codes to rows."""
        return ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process has it as its own registry does."""
        return way_to(self)

    def __copy__(self) -> Any:
        return self  # it cannot be changed

    def __deepcopy__(self, memo: object) -> Any:
        return self


AnyFindable = TypeVar("AnyFindable", bound=Findable)
Row = TypeVar("Row")

_known: dict[int, tuple[Findable, Way]] = {}
"""By identity: equal ones need not be found in the same way."""
_MADE = "made_by"  # the attribute of what a row that was made performs: how to make the row


def found_by(found: AnyFindable, find: Callable[..., AnyFindable], *words: str) -> AnyFindable:
    """The same, of which it is known from now on that `find(*words)` gives it."""
    _known.setdefault(id(found), (found, (find, words)))
    return found


def made_by(row: Row, make: Callable[..., Row], *words: Any) -> Row:
    """The same for a row that stands in no table."""
    setattr(row.act, _MADE, (make, words))  # type: ignore[attr-defined]
    return row


def way_to(wanted: Findable) -> Way:
    """How another process finds it; a `PicklingError` if it cannot."""
    if id(wanted) not in _known:
        for found, module, name in _named_in_modules():
            if found is wanted:
                found_by(found, named, module, name)
                break
        else:
            _refuse(wanted)
    return _known[id(wanted)][1]


def way_to_row(row: Any) -> Way:
    """How another process finds a row: in its table, or made anew."""
    if made := getattr(row.act, _MADE, None):
        return cast(Way, made)
    place = _place_in((found for found, _ in list(_known.values())), row)
    place = place or _place_in((found for found, _, _ in _named_in_modules()), row)
    return (type(row), tuple(row)) if place is None else (row_of, place)


def row_of(whose: Findable, table: int, code: int) -> Any:
    """A row of one of its tables."""
    return whose.tables[table][code]


def named(module: str, name: str) -> Any:
    """What has that name in a module."""
    return getattr(import_module(module), name)


def _place_in(several: Iterator[Findable], row: Any) -> tuple[Findable, int, int] | None:
    """Whose row it is, the number of the table, and the code by which it is found there."""
    for whose in several:
        for number, table in enumerate(whose.tables):
            if table.get(row.code) == row:
                return whose, number, row.code
    return None


def _named_in_modules() -> Iterator[tuple[Findable, str, str]]:
    """All that a module has a name for, with the module and the name."""
    for module_name, module in list(sys.modules.items()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if issubclass(type(value), Findable):
                yield value, module_name, name


def _refuse(wanted: Findable) -> NoReturn:
    from pickle import PicklingError  # only the name of the error; nothing is read with it

    raise PicklingError(
        f"the language {wanted.name!r} cannot be found again by another process; give it a name "
        "at the top of a module (LANGUAGE = Language(...)), which is imported there"
    )
