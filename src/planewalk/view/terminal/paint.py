"""Planes as text for a terminal, with colours or without."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.instruction import Group
from ...core.language import Language
from ...core.plane import Plane
from ..drawing.theme import contrast
from .images import RESET as RESET
from .images import colour_code

COLOURS: dict[Group, str] = {
    Group.LITERAL: "\x1b[36m",
    Group.ARITHMETIC: "\x1b[32m",
    Group.LOGIC: "\x1b[32m",
    Group.STACK: "\x1b[34m",
    Group.MEMORY: "\x1b[35m",
    Group.MOTION: "\x1b[33m",
    Group.BRANCH: "\x1b[1;33m",
    Group.MODE: "\x1b[36m",
    Group.WALKERS: "\x1b[1;35m",
    Group.INPUT_OUTPUT: "\x1b[1;32m",
    Group.VECTOR: "\x1b[34m",
    Group.MATRIX: "\x1b[34m",
    Group.END: "\x1b[1;31m",
    Group.NOTHING: "",
}


def painted(text: str, group: Group) -> str:
    """Text in the colour of what an instruction is about."""
    return f"{COLOURS[group]}{text}{RESET}" if COLOURS[group] else text


def paint_plane(
    language: Language, plane: Plane, *, colours: int, width: int = 76, height: int = 16
) -> Iterator[str]:
    """The plane from its top left corner, cut to a size. Instructions have their colours, and
    cells that are colours themselves theirs, if the terminal has so many."""
    looks: dict[str, str] = {}
    box = plane.box()
    if box is None:
        return
    left, top, right, bottom = box
    for y in range(top, min(bottom, top + height - 1) + 1):
        line = ""
        for x in range(left, min(right, left + width - 1) + 1):
            glyph = language.sign(plane, x, y)
            if glyph not in looks:
                looks[glyph] = _look(language, glyph, colours)
            line += looks[glyph]
        yield line.rstrip() + ("…" if right - left >= width else "")
    if bottom - top >= height:
        yield f"… {bottom - top + 1 - height} more rows"


def _look(language: Language, glyph: str, colours: int) -> str:
    shown = glyph if glyph.isprintable() else "·"
    if not colours:
        return shown
    if language.looks.swatch is not None:
        ground = language.looks.swatch(glyph)
        ink = colour_code(38, contrast(ground), colours)
        return f"{ink}{colour_code(48, ground, colours)}{shown}{RESET}"
    group = next((row.group for _, row in language.meanings(glyph)), Group.NOTHING)
    return painted(shown, group)
