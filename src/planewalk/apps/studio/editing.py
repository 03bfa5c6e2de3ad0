"""What the editor needs to know of a language, derived from the language's own table."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ...core.errors import OptionError
from ...core.language import Language
from ...core.program import cell_of_sign
from ...debug.session import Session
from ...languages import registry
from ...view.console.reading import value_of as number_of
from ...view.console.reading import whole
from ...view.language.turning import TURNS, counterparts, ways


def turns(language: Language, how: str) -> dict[str, Any]:
    """The counterparts of signs in a turned block, and the signs without an exact one."""
    if how not in TURNS:
        raise OptionError(f"a block can be turned {', '.join(TURNS)}, not {how!r}")
    found = counterparts(language, how)
    return {
        "how": how,
        "signs": {sign: other.sign for sign, other in found.items()},
        "inexact": "".join(sign for sign, other in found.items() if not other.exact),
    }


def leads(language: Language) -> dict[str, dict[str, list[float]]]:
    """Where signs lead: for each heading, the offset of the next cell, and the heading there."""
    return {
        sign: {f"{dx},{dy}": list(went[:4]) for (dx, dy), went in found.items()}
        for sign, found in ways(language).items()
    }


def asked_edit(walk: Session, message: dict[str, Any]) -> dict[str, Any]:
    """The change that a message asks for, as arguments of `Session.edit`, or a block."""
    if "block" in message:
        return {"block": message["block"]}
    if "cells" in message:
        signs = {(x, y): sign for x, y, sign in message["cells"]}
        return {"cells": {at: value_of(walk.language, sign) for at, sign in signs.items()}}
    if "walker" in message:
        return {"walker": message["walker"], "value": str(message.get("value", ""))}
    names = ("stack", "register", "value", "input")
    change: dict[str, Any] = {name: message[name] for name in names if name in message}
    if isinstance(change.get("value"), str):
        change["value"] = number_of(change["value"])
    if isinstance(change.get("register"), str) and not isinstance(walk.state.registers, dict):
        change["register"] = whole(change["register"])
    return change


def change_moment(
    walk: Session, change: dict[str, Any], told: dict[str, Any] | None = None
) -> None:
    """Change this moment on a new branch. Consecutive changes share one branch: it replaces the
    branch of the change before, if the run has not gone on since. `told` is a shorter form of the
    change, for links."""
    before = walk.branch
    made = walk.edit(**change)
    made.edits = (told or change,)
    walked_on = before.reached > before.begins or before.begins != made.begins or before.arrivals
    held = any(each.parent == before.name for each in walk.branches.values() if each is not made)
    if before.parent is not None and not walked_on and not held:
        del walk.branches[before.name]
        made.parent, made.heard = before.parent, before.heard
        made.edits = before.edits + made.edits
        made.note_joined(before)


def value_of(language: Language, sign: str) -> int:
    """The value of a cell that shows this sign."""
    return _value_of(language.name, sign)


@lru_cache(maxsize=4096)
def _value_of(name: str, sign: str) -> int:
    return cell_of_sign(registry.get(name), sign)
