"""Stances in words, and parsing them: names of headings, signs in cells."""

from __future__ import annotations

import re
from typing import Any

from ...core.errors import OptionError
from ...core.geometry import Stance
from ...core.language import Language
from ...core.plane import Plane
from ...core.state import State
from .follow import cell_of, lies_in


def heading_name(language: Language, dx: Any, dy: Any) -> str:
    """`right`, `southeast`, or the delta itself where the language has no word for it."""
    if dx == 0 and dy == 0:
        return "nowhere"
    return language.looks.headings.get((dx, dy)) or f"({dx:g}, {dy:g})"


def signs_of(language: Language, state: State) -> dict[Stance, str]:
    """What stands where walkers stand: see `sign_at`."""
    return {stance: sign_at(language, state.plane, stance) for stance, _ in state.walkers}


def sign_at(language: Language, plane: Plane, stance: Stance) -> str:
    """The character in the cell of a stance; nothing outside, and between cells."""
    place = cell_of(stance.x, stance.y)
    if place is None or place != (stance.x, stance.y) or not lies_in(place, plane.box()):
        return ""
    return language.sign(plane, *place)


def stance_of(language: Language, state: State, number: int, words: str) -> Stance | None:
    """Parse a stance such as `5,2 left`; nothing stands for None."""
    if not words.strip():
        return None
    found = re.fullmatch(r"\s*(-?\d{1,9})\s*,\s*(-?\d{1,9})\s+(.+?)\s*", words)
    if found is None:
        raise OptionError(
            f"a walker is at a place and has a heading, as in 5,2 left, not {words!r}"
        )
    if not 0 <= number < len(state.walkers):
        raise OptionError(f"there is no walker {number} here")
    old = state.walkers[number].stance
    here = int(found[1]), int(found[2])
    if hasattr(state.plane, "width") and not lies_in(here, state.plane.box()):
        raise OptionError(f"{words.split()[0]} is not on the plane")
    x, y = old[:2] if here == cell_of(old.x, old.y) else map(type(old.x), here)
    return Stance(x, y, *_heading(language, old, found[3]), old.mode)


def _heading(language: Language, old: Stance, words: str) -> tuple[Any, Any]:
    if words == heading_name(language, old.dx, old.dy):
        return old.dx, old.dy
    for (dx, dy), name in language.looks.headings.items():
        if name == words:
            return type(old.dx)(dx), type(old.dy)(dy)
    raise OptionError(f"headings are {', '.join(language.looks.headings.values())}, not {words!r}")
