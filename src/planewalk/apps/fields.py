"""What messages of editors and pages take: the names and kinds of their fields, declared in tables.

A message is checked against its table before anything is done with it, so that whatever goes wrong
afterwards is no mistake of its sender. Fields that are not declared are dropped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ..core.errors import OptionError, PlanewalkError

Message = dict[str, Any]
Check = Callable[[Any], Any]
"""Returns the value to use, or raises `WrongKind`."""
SHOWN = 40
"""Characters of an invalid value that an error repeats."""


class WrongKind(Exception):
    """A value of the wrong kind; says where it is, and what was expected."""

    def __init__(self, problem: str, where: str = "") -> None:
        super().__init__(where + problem)
        self.problem, self.where = problem, where


def expected(what: str, value: Any) -> WrongKind:
    return WrongKind(f"expected {what}, not {_short(value)}")


class Needed(NamedTuple):
    check: Check


Fields = Mapping[str, Check | Needed]


JSON_WHOLE = 1 << 53
"""The largest whole number that every JSON parser keeps exact."""


def text(value: Any) -> str:
    """Text that can be encoded; bytes that are not UTF-8 stand in it as surrogate escapes."""
    if not isinstance(value, str):
        raise expected("a text", value)
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise expected("a text of whole characters", value) from None
    return value


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise expected("true or false", value)
    return value


def integer(value: Any) -> int:
    """A whole number of any size; in JSON, 1.0 counts as one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int:
        raise expected("a whole number", value)
    return value


def whole(least: int, most: int) -> Check:
    """A whole number between two others."""

    def check(value: Any) -> int:
        found = integer(value)
        if not least <= found <= most:
            raise expected(f"a whole number from {least:,} to {most:,}", value)
        return found

    return check


def number(least: float = -math.inf, most: float = math.inf) -> Check:
    """A number between two others, which is neither infinite nor NaN."""

    def check(value: Any) -> float:
        if type(value) not in (int, float) or not -math.inf < value < math.inf:
            raise expected("a finite number", value)
        if not least <= value <= most:
            raise expected(f"a number from {least:,g} to {most:,g}", value)
        try:
            return float(value)
        except OverflowError:
            raise expected("a finite number", value) from None

    return check


def one_of(*words: str) -> Check:
    def check(value: Any) -> str:
        if value not in words:
            raise expected(" or ".join(map(repr, words)), value)
        return str(value)

    return check


def either(what: str, first: Check, second: Check) -> Check:
    """A value of either kind; `what` describes both."""

    def check(value: Any) -> Any:
        for each in (first, second):
            with suppress(WrongKind):
                return each(value)
        raise expected(what, value)

    return check


def anything(value: Any) -> Any:
    return value


def listed(*checks: Check) -> Check:
    """A list with one value for each check."""

    def check(value: Any) -> list[Any]:
        if not isinstance(value, list) or len(value) != len(checks):
            raise expected(f"a list of {len(checks)}", value)
        return [
            _part(each, entry, at)
            for at, (each, entry) in enumerate(zip(checks, value, strict=True), 1)
        ]

    return check


def several(check_one: Check, most: int) -> Check:
    def check(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise expected("a list", value)
        if len(value) > most:
            raise expected(f"at most {most:,} entries", value)
        return [_part(check_one, entry, at) for at, entry in enumerate(value, 1)]

    return check


def named(check_one: Check, most: int) -> Check:
    """An object with any names, and values of one kind."""

    def check(value: Any) -> Message:
        if not isinstance(value, dict) or len(value) > most:
            raise expected(f"an object of at most {most:,} names", value)
        return {name: _part(check_one, entry, repr(name)) for name, entry in value.items()}

    return check


def of(fields: Fields) -> Check:
    return lambda value: _select(fields, value)


def select(fields: Fields, given: Any) -> Message:
    """The fields of a message that are declared; an `OptionError` says what is wrong with them."""
    try:
        return _select(fields, given)
    except WrongKind as kind:
        raise OptionError(str(kind)) from None


def _select(fields: Fields, given: Any) -> Message:
    """The declared fields of an object; null counts as absent."""
    if not isinstance(given, dict):
        raise expected("an object", given)
    found = {}
    for name, field in fields.items():
        value = given.get(name)
        if value is not None:
            check = field.check if isinstance(field, Needed) else field
            found[name] = _part(check, value, repr(name))
        elif isinstance(field, Needed):
            raise WrongKind(f"it needs {name!r}")
    return found


def _part(check: Check, value: Any, at: int | str) -> Any:
    """Check a part of a value; errors say where it is."""
    try:
        return check(value)
    except WrongKind as kind:
        where = f"entry {at}" if isinstance(at, int) else at
        raise WrongKind(kind.problem, f"{where}: {kind.where}") from None


def _short(value: Any) -> str:
    """A short form of a value, which does not format all of it."""
    if isinstance(value, (list, dict)):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value):,}"
    if type(value) is int and value.bit_length() > 64:
        return "one that is much larger" if value > 0 else "one that is much smaller"
    shown = repr(value[:SHOWN] if isinstance(value, str) else value)
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 3]}..."


_LIMIT = re.compile(r" \(max_[a-z]+=\.\.\.\)")


def refusal(error: PlanewalkError) -> str:
    """What an error says in answer to a message: without the names of arguments that set a limit,
    since no message sets any."""
    return _LIMIT.sub("", str(error))
