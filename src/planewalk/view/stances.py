"""How a stance is told: the name of its heading, and the sign under whoever stands there."""

from __future__ import annotations

from typing import Any

from ..core.geometry import Stance
from ..core.language import Language
from ..core.plane import Plane
from ..core.state import State
from .follow import cell_of


def heading_name(language: Language, dx: Any, dy: Any) -> str:
    """`right`, `southeast`, or the delta itself where the language has no word for it."""
    if dx == 0 and dy == 0:
        return "nowhere"
    return language.looks.headings.get((dx, dy)) or f"({dx:g}, {dy:g})"


def signs_of(language: Language, state: State) -> dict[Stance, str]:
    """What stands where walkers stand: see `sign_at`."""
    return {stance: sign_at(language, state.plane, stance) for stance, _ in state.walkers}


def sign_at(language: Language, plane: Plane, stance: Stance) -> str:
    """The character in the cell where somebody stands; nothing outside, and between cells."""
    place = cell_of(stance.x, stance.y)
    box = plane.box()
    if place is None or box is None or place != (stance.x, stance.y):
        return ""
    inside = box[0] <= place[0] <= box[2] and box[1] <= place[1] <= box[3]
    return language.sign(plane, *place) if inside else ""
