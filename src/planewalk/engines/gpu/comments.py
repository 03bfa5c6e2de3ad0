"""Comments that say which cells a piece of a shader was made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.geometry import Stance
from ...core.instruction import Instruction
from ...core.program import Program


def stretches(
    program: Program, plane: Any, walked: list[tuple[Stance, Instruction]]
) -> Iterator[tuple[int, str]]:
    """The cells walked over, one straight piece after another: how many ticks, and in words.

    A single cell that is jumped over belongs to the piece: it is most often a literal.
    """
    glyph, headings = program.language.sign, program.language.looks.headings
    at = 0
    while at < len(walked):
        first = here = walked[at][0]
        symbols, length = walked[at][1].symbol, 1
        while at + length < len(walked):
            stance, instruction = walked[at + length]
            beside = (here.x + here.dx, here.y + here.dy)
            over = (beside[0] + here.dx, beside[1] + here.dy)
            if stance[2:4] != here[2:4] or stance[:2] not in (beside, over):
                break
            if stance[:2] == over:
                symbols += glyph(plane, int(beside[0]), int(beside[1]))
            symbols += instruction.symbol
            here = stance
            length += 1
        way = headings.get((first.dx, first.dy), f"by ({first.dx:g}, {first.dy:g})")
        shown = "".join(c if c.isprintable() else " " for c in symbols).strip() or "nothing"
        yield length, f"{shown}  from ({first.x:g}, {first.y:g}) {way}"
        at += length
