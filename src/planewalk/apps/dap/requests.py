"""What each request takes: the names and types of its arguments, checked before it is served.

A request of this shape is served, and whatever goes wrong then is no mistake of the editor. Names
that are not declared are dropped: editors send more than is of use here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...core.errors import OptionError

Message = dict[str, Any]
Check = Callable[[Any], Any]
MOST_NUMBER = 1 << 53
"""Up to here all programs of the world agree what a number in JSON is."""
SHOWN = 40
"""Characters of a wrong value that are repeated."""


class WrongKind(Exception):
    """A value is of another kind; says which one is expected."""


class Needed(NamedTuple):
    """A check of an argument that a request cannot do without."""

    check: Check


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise WrongKind("a text")
    return value


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise WrongKind("true or false")
    return value


def whole(value: Any) -> int:
    """A whole number; to JSON, 1.0 is one as well."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or abs(value) > MOST_NUMBER:
        raise WrongKind("a whole number up to 2^53")
    return value


def integer(value: Any) -> int:
    """A whole number of any size."""
    if type(value) is not int:
        raise WrongKind("a whole number")
    return value


def anything(value: Any) -> Any:
    return value


def named(value: Any) -> Message:
    """An object with names of its own."""
    if not isinstance(value, dict):
        raise WrongKind("an object")
    return value


def one_of(*words: str) -> Check:
    def check(value: Any) -> str:
        if value not in words:
            raise WrongKind(" or ".join(map(repr, words)))
        return str(value)

    return check


def each(what: str, fields: Fields) -> Check:
    """A list of objects with these fields, and what one of them is called."""

    def check(value: Any) -> list[Message]:
        if not isinstance(value, list):
            raise WrongKind("a list")
        return [select(fields, entry, f"{what} {at}: ") for at, entry in enumerate(value, 1)]

    return check


Fields = Mapping[str, Check | Needed]

WALKED: Fields = {
    "program": Needed(text),
    "language": text,
    "input": text,
    "inputFile": text,
    "seed": integer,
    "options": named,
    "stopOnEntry": flag,
}
BREAKPOINT: Fields = {
    "line": Needed(whole),
    "column": whole,
    "condition": text,
    "hitCondition": text,
    "logMessage": text,
}
DATA_BREAKPOINT: Fields = {
    "dataId": Needed(text),
    "accessType": one_of("read", "write", "readWrite"),
    "condition": text,
    "hitCondition": text,
}
REQUESTS: Mapping[str, Fields] = {
    "initialize": {
        "linesStartAt1": flag,
        "columnsStartAt1": flag,
        "supportsProgressReporting": flag,
    },
    "launch": WALKED,
    "attach": WALKED,
    "configurationDone": {},
    "restart": {"arguments": lambda value: select(WALKED, value)},
    "disconnect": {},
    "terminate": {},
    "cancel": {"requestId": integer, "progressId": text},
    "setBreakpoints": {"breakpoints": each("breakpoint", BREAKPOINT)},
    "dataBreakpointInfo": {"name": Needed(text)},
    "setDataBreakpoints": {"breakpoints": Needed(each("breakpoint", DATA_BREAKPOINT))},
    "setExceptionBreakpoints": {},
    "exceptionInfo": {},
    "continue": {},
    "pause": {},
    "stepIn": {},
    "next": {},
    "stepOut": {},
    "stepBack": {},
    "reverseContinue": {},
    "gotoTargets": {"line": Needed(whole), "column": whole},
    "goto": {"targetId": Needed(whole)},
    "threads": {},
    "stackTrace": {"threadId": Needed(whole)},
    "scopes": {"frameId": Needed(whole)},
    "variables": {"variablesReference": Needed(whole)},
    "setVariable": {
        "variablesReference": Needed(whole),
        "name": Needed(text),
        "value": Needed(text),
    },
    "evaluate": {"expression": Needed(text), "context": text},
    "completions": {"text": Needed(text), "column": Needed(whole)},
    "planewalkFrame": {},
}
"""All requests that are served; the last one is an addition to the protocol."""


def checked(command: str, arguments: Any) -> Message:
    """The arguments of a request as they are declared; what is null is as good as left out."""
    fields = REQUESTS.get(command)
    if fields is None:
        raise OptionError(f"{command[:60]!r} is not supported")
    return select(fields, {} if arguments is None else arguments)


def select(fields: Fields, given: Any, where: str = "") -> Message:
    """The fields of an object that are declared."""
    if not isinstance(given, dict):
        raise OptionError(f"{where}expected an object, not {_short(given)}")
    found = {}
    for name, field in fields.items():
        value = given.get(name)
        if value is None:
            if isinstance(field, Needed):
                raise OptionError(f"{where}it needs the argument {name!r}")
            continue
        check = field.check if isinstance(field, Needed) else field
        try:
            found[name] = check(value)
        except WrongKind as kind:
            raise OptionError(f"{where}{name!r}: expected {kind}, not {_short(value)}") from None
    return found


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 3]}..."
