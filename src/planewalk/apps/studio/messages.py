"""What each message of a page takes: the names, kinds and ranges of its fields, in one table.

`conversation.py` has a method for each, or `inquiry.py` a function, which is given nothing that
does not fit here.
"""

from __future__ import annotations

from typing import Any

from ...core.errors import OptionError
from ...core.state import thaw
from ..fields import (
    JSON_WHOLE,
    Check,
    Fields,
    Message,
    Needed,
    anything,
    either,
    expected,
    flag,
    integer,
    listed,
    named,
    number,
    of,
    one_of,
    select,
    several,
    text,
    whole,
)
from .circuits import MOST_CELLS as MOST_WATCHED
from .encoding import from_base64

MOST_TICK = 1 << 62
MOST_SPEED = 1e9
MOST_SECONDS = 3600.0
MOST_FPS = 60
MOST_PUT = 1 << 18
"""Cells that one message may list."""
MOST_BRANCHES = 64
MOST_ARRIVALS = 100_000
MOST_EDITS = 10_000
MOST_OPTIONS = 100

here = whole(-JSON_WHOLE, JSON_WHOLE)
tick = whole(0, MOST_TICK)
count = whole(0, JSON_WHOLE)
cell = listed(here, here)
box = listed(here, here, here, here)
time = number(-1e9, 1e9)


def base64(value: Any) -> bytes:
    """Bytes in base64."""
    try:
        return from_base64(text(value))
    except ValueError:
        raise expected("base64", value) from None


def frozen(value: Any) -> Any:
    """A frozen value of a state, as in links; see `core.state.freeze`."""
    try:
        thaw(value)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise expected("a value of a state", value) from None
    return value


CHOICES: dict[type, Check] = {
    str: text,
    int: integer,
    float: number(),
    bool: flag,
    list: listed(here, here),
}


def choice(value: Any) -> Any:
    """An option: a word, a number or two numbers, so that its value stays small."""
    if type(value) not in CHOICES:
        raise expected("an option: a word, a number, or two of them", value)
    return CHOICES[type(value)](value)


BLOCK: Fields = {
    "lines": listed(one_of("row", "column"), here, here),
    "box": box,
    "turn": text,
    "carry": cell,
    "copy": flag,
}
CHANGE: Fields = {
    "block": of(BLOCK),
    "stack": count,
    "register": either("a text or a whole number", text, integer),
    "walker": count,
}
EDIT: Fields = {
    **CHANGE,
    "cells": several(listed(here, here, text), MOST_PUT),
    "input": base64,
    "value": either("a text or a number", text, either("", integer, number())),
}
ARRIVALS: Fields = {"arrivals": several(listed(tick, base64), MOST_ARRIVALS)}
FIRST: Fields = {**ARRIVALS, "data": Needed(base64), "ended": Needed(flag)}
LINKED_EDIT: Fields = {
    **CHANGE,
    "cell": cell,
    "cells": several(listed(here, here, frozen), MOST_PUT),
    "input": frozen,
    "value": frozen,
}
FORK: Fields = {
    **ARRIVALS,
    "on": Needed(count),
    "tick": Needed(tick),
    "heard": Needed(count),
    "edits": Needed(several(of(LINKED_EDIT), MOST_EDITS)),
}
"""The branches in links, which begin with a `FIRST`: see `retracing.py`."""
PICTURE: Fields = {"size": Needed(listed(here, here)), "time": time}

MESSAGES: dict[str, Fields] = {
    "hello": {},
    "example": {"file": Needed(text)},
    "thumbnail": {"file": Needed(text), "dark": flag},
    "open": {
        "language": Needed(text),
        "text": text,
        "source": base64,
        "input": text,
        "given": of({"data": Needed(base64), "ended": Needed(flag)}),
        "courses": anything,  # looked at once the program is there: see `courses`
        "options": named(choice, MOST_OPTIONS),
        "seed": integer,
        "name": text,
        "branch": count,
        "tick": tick,
    },
    "look": {"box": Needed(listed(*[integer] * 4)), "coarse": flag},
    "map": {"dark": flag},
    "heat": {},
    "cell": {"at": Needed(cell)},
    "step": {"ticks": tick},
    "back": {"ticks": tick},
    "goto": {"tick": Needed(tick)},
    "run": {"speed": number(0, MOST_SPEED), "until": text, "paced": flag},
    "seen": {},
    "pause": {},
    "until": {"condition": Needed(text), "back": flag},
    "break": {"condition": Needed(text)},
    "unbreak": {"id_of": count},
    "reload": {"text": text, "source": base64, "ticks": tick},
    "edit": EDIT,
    "feed": {"text": text},
    "switch": {"branch": Needed(text)},
    "turns": {"how": Needed(text)},
    "leads": {},
    "ask": {"line": Needed(text)},
    "film": {"first": tick, "last": tick, "every": whole(1, MOST_TICK)},
    "why": {"output": count, "stack": count, "cell": cell},
    "who": {"cell": Needed(cell)},
    "marks": {},
    "table": {"bits": count},
    "timing": {"cells": Needed(several(cell, MOST_WATCHED))},
    "shader": {},
    "render": {**PICTURE, "heat": flag, "quick": flag},
    "animate": {
        **PICTURE,
        "kind": Needed(text),
        "seconds": number(0, MOST_SECONDS),
        "fps": whole(1, MOST_FPS),
    },
    "pixel": {**PICTURE, "at": Needed(listed(here, here))},
}


def checked(message: Message) -> Message:
    """The declared fields of a message, checked."""
    do = message["do"]
    if do not in MESSAGES:
        raise OptionError(f"{do[:40]!r} is not a known message")
    return select(MESSAGES[do], message)


def courses(given: Any, most: int = MOST_BRANCHES) -> list[Message]:
    """The first branches in a link, checked."""
    if not isinstance(given, list) or not 0 < len(given) <= MOST_BRANCHES:
        raise OptionError(f"a run has from 1 to {MOST_BRANCHES} branches")
    given = given[:most]
    check = listed(of(FIRST), *[of(FORK)] * (len(given) - 1))
    found: list[Message] = select({"courses": check}, {"courses": given})["courses"]
    return found
