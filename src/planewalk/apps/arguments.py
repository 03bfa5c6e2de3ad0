"""What the functions of the library take: each argument is checked before anything happens.

A check gives the value in the form that the function wants. It raises TypeError or ValueError with
the words for what it expects, and the user hears of it in one line that names the argument.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from math import isnan
from operator import index
from typing import TYPE_CHECKING, Any, TypeVar

from ..core.errors import OptionError, WrongType
from ..core.language import Language
from ..core.limits import Limits
from ..core.meta.blame import blaming
from ..core.program import Program
from ..core.state import State
from ..languages import foreign

if TYPE_CHECKING:
    from fractions import Fraction

END = "end"

Check = Callable[[Any], Any]
Function = TypeVar("Function", bound=Callable[..., Any])

SHOWN = 60
"""Characters of an invalid value that an error repeats."""


def checked(**own: Check) -> Callable[[Function], Function]:
    """A function whose arguments are checked by their names: each as in `USUAL`, if the function
    does not say otherwise. Where None is the default, it is allowed.

    What the code of other packages' languages raises meanwhile is a `LanguageError`; if it has not
    come back when `max_time` is over, that is `LimitReached`, in the main thread.
    """

    def decorate(function: Function) -> Function:
        code, defaults = function.__code__, function.__kwdefaults__ or {}
        first, *others = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        known = {**USUAL, **own}
        checks = {first: optional(known[first])}
        for name in others:
            may_be_none = name in defaults and defaults[name] is None
            checks[name] = optional(known[name]) if may_be_none else known[name]

        @wraps(function)
        def call(*values: Any, **keywords: Any) -> Any:
            if values:
                values = (_check(first, checks[first], values[0]), *values[1:])
            for name in keywords.keys() & checks.keys():
                keywords[name] = _check(name, checks[name], keywords[name])
            with _in_time(values, keywords), blaming(others=foreign.loaded):
                return function(*values, **keywords)

        return call  # type: ignore[return-value]

    return decorate


def _in_time(values: tuple[Any, ...], keywords: dict[str, Any]) -> AbstractContextManager[None]:
    """Abort code of a language when the time of a call is over, if it has a limit."""
    seconds = keywords.get("max_time")
    if seconds is None:
        return nullcontext()
    from time import monotonic

    from .overdue import breaking_off

    given = (keywords.get("language"), *(getattr(value, "language", None) for value in values[:1]))
    limits = Limits(seconds=seconds).begun(monotonic)
    return breaking_off(limits, *(each for each in given if isinstance(each, Language)))


def _check(name: str, check: Check, value: Any) -> Any:
    try:
        return check(value)
    except TypeError as error:
        raise WrongType(f"{name}: expected {error}, not {_short(value)}") from None
    except ValueError as error:
        raise OptionError(f"{name}: expected {error}, not {_short(value)}") from None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def optional(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def one_of(*kinds: type, words: str) -> Check:
    def check(value: Any) -> Any:
        if isinstance(value, kinds):
            return value
        raise TypeError(words)

    return check


text = one_of(str, words="a string")
flag = one_of(bool, words="True or False")
path = one_of(str, os.PathLike, words="the path of a file")
program = one_of(str, os.PathLike, Program, words="the path of a file, or a program from load")
runnable = one_of(
    str, os.PathLike, Program, State,
    words="the path of a file, a program from load, or the state of a run",
)  # fmt: skip
state = one_of(State, words="the state of a run")
language = one_of(str, Language, words="the name of a language")


def file_name(value: Any) -> str:
    """The name of a file to write, as a string."""
    name = os.fspath(_check("path", path, value))
    return name if isinstance(name, str) else os.fsdecode(name)


def data(value: Any) -> bytes:
    """Bytes, or text as UTF-8."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise TypeError("bytes or a string")


def pieces(value: Any) -> bytes | Iterable[bytes]:
    """Bytes or text, whole or in pieces."""
    if isinstance(value, (str, bytes, bytearray, memoryview)):
        return data(value)
    if isinstance(value, Iterable):
        return (_check("input", data, piece) for piece in value)
    raise TypeError("bytes, a string, or an iterable of those")


def whole(value: Any, words: str = "a whole number") -> int:
    if isinstance(value, bool):
        raise TypeError(words)
    try:
        return index(value)
    except TypeError:
        raise TypeError(words) from None


def at_least(least: int) -> Callable[[Any], int]:
    words = f"a whole number, {least} or more"

    def check(value: Any) -> int:
        number = whole(value, words)
        if number < least:
            raise ValueError(words)
        return number

    return check


count, positive = at_least(0), at_least(1)


def moment(value: Any) -> int | str:
    """A step of a run, or `end`."""
    try:
        return END if value == END else count(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{error}, or {END!r}") from None


def seconds(value: Any) -> float:
    words = "seconds, 0 or more"
    if isinstance(value, (bool, str)):
        raise TypeError(words)
    try:
        number = float(value)
    except TypeError:
        raise TypeError(words) from None
    if isnan(number) or number < 0:
        raise ValueError(words)
    return number


def rate(value: Any) -> Fraction:
    """Frames a second."""
    from fractions import Fraction

    from .writers.base import read_rate

    words = "frames a second, from 1/1000 to 1000"
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction, str)):
        raise TypeError(words)
    try:
        return read_rate(value)
    except OptionError:
        raise ValueError(words) from None


def stretch(value: Any) -> tuple[int, int | None]:
    """The first step and the last, which may be None."""
    words = "the first and the last step, as (0, 100) or (0, None)"
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(words)
    return whole(value[0], words), None if value[1] is None else whole(value[1], words)


def box(value: Any) -> tuple[int, int, int, int]:
    words = "four whole numbers, (left, top, width, height)"
    if not isinstance(value, (tuple, list)) or len(value) != 4:
        raise TypeError(words)
    left, top, width, height = (whole(number, words) for number in value)
    return left, top, width, height


CHECKS: dict[Check, str] = {
    program: "path",
    data: "source input",
    language: "language",
    state: "state",
    whole: "seed",
    text: "engine kind to theme device",
    flag: "eager open_input heat panels coordinates grid force fast",
    count: "max_steps max_output history_memory trail",
    positive: "every frames scale supersample threads",
    seconds: "max_time duration",
    optional(count): "max_memory",
    moment: "at",
    stretch: "steps",
    rate: "fps",
    box: "crop",
}
USUAL = {name: check for check, names in CHECKS.items() for name in names.split()}
"""The check of each argument, by its name in every function."""
