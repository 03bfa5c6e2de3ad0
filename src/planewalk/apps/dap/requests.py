"""What each request takes: the names and types of its arguments, checked before it is served.

A request of this shape is served, and whatever goes wrong then is no mistake of the editor. Names
that are not declared are dropped: editors send more than is of use here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.errors import OptionError
from ..fields import (
    JSON_WHOLE,
    Fields,
    Message,
    Needed,
    anything,
    flag,
    integer,
    named,
    of,
    one_of,
    select,
    several,
    text,
    whole,
)

MOST_OPTIONS = 100
MOST_BREAKPOINTS = 10_000

number = whole(-JSON_WHOLE, JSON_WHOLE)
WALKED: Fields = {
    "program": Needed(text),
    "language": text,
    "input": text,
    "inputFile": text,
    "seed": integer,
    "options": named(anything, MOST_OPTIONS),
    "stopOnEntry": flag,
}
BREAKPOINT: Fields = {
    "line": Needed(number),
    "column": number,
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
BARE = """
    configurationDone disconnect terminate setExceptionBreakpoints exceptionInfo continue pause
    stepIn next stepOut stepBack reverseContinue threads planewalkFrame
"""
"""Requests without arguments; the last one is an addition to the protocol."""
REQUESTS: Mapping[str, Fields] = {
    "initialize": {
        "linesStartAt1": flag,
        "columnsStartAt1": flag,
        "supportsProgressReporting": flag,
    },
    "launch": WALKED,
    "attach": WALKED,
    "restart": {"arguments": of(WALKED)},
    "cancel": {"requestId": integer, "progressId": text},
    "setBreakpoints": {
        "source": of({"path": text}),
        "breakpoints": several(of(BREAKPOINT), MOST_BREAKPOINTS),
    },
    "dataBreakpointInfo": {"name": Needed(text)},
    "setDataBreakpoints": {"breakpoints": Needed(several(of(DATA_BREAKPOINT), MOST_BREAKPOINTS))},
    "gotoTargets": {"line": Needed(number), "column": number},
    "goto": {"targetId": Needed(number)},
    "stackTrace": {"threadId": Needed(number)},
    "scopes": {"frameId": Needed(number)},
    "variables": {"variablesReference": Needed(number)},
    "setVariable": {
        "variablesReference": Needed(number),
        "name": Needed(text),
        "value": Needed(text),
    },
    "evaluate": {"expression": Needed(text), "context": text},
    "completions": {"text": Needed(text), "column": Needed(number)},
    **{name: {} for name in BARE.split()},
}
"""All requests that are served."""


def checked(command: str, arguments: Any) -> Message:
    """The arguments of a request, checked; null counts as absent."""
    fields = REQUESTS.get(command)
    if fields is None:
        raise OptionError(f"{command[:60]!r} is not supported")
    return select(fields, {} if arguments is None else arguments)
