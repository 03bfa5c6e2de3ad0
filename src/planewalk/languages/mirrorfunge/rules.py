"""How Mirrorfunge programs start, what stands where, and what a state looks like."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...core.geometry import CARDINALS, RIGHT, Stance, torus
from ...core.instruction import Group, Instruction
from ...core.language import Language, Looks
from ...core.numbers.numerals import to_decimal
from ...core.plane import TextPlane
from ...core.state import State, Walker
from ...core.step import Halted
from ...core.text import split_rows
from .instructions import TABLE, push_cell

QUOTE = ord('"')
NOTHING = TABLE[ord(" ")]


def start(source: bytes, options: Mapping[str, Any], seed: int) -> State:
    plane = TextPlane(list(split_rows(source)))
    # Only a program without a single cell has ended before it began.
    stop = None if plane.width else Halted()
    return State(plane, [Walker(Stance(0, 0, *RIGHT, False))], seed=seed, stop=stop)


def decode(plane: TextPlane, stance: Stance) -> Instruction:
    code = plane.cell(stance.x, stance.y)
    if stance.mode and code != QUOTE:
        return string_cell(code)
    return TABLE.get(code) or NOTHING


@lru_cache(maxsize=4096)
def string_cell(code: int) -> Instruction:
    """The instruction that a cell is inside a string."""
    doc = "Push the code of this cell."
    return Instruction(code, "string cell", "-- c", Group.LITERAL, push_cell, doc)


def show(state: State) -> dict[str, Any]:
    stance = state.walkers[0].stance
    return {
        "ip": [stance.x, stance.y],
        "dir": CARDINALS[stance.dx, stance.dy],
        "stack": map(to_decimal, state.stack),
        "string_mode": stance.mode,
    }


def manner(stance: Stance) -> str:
    return "string" if stance.mode else ""


LANGUAGE = Language(
    name="mirrorfunge",
    title="Mirrorfunge",
    summary="a stack language on a torus of mirrors and splitters",
    suffixes=(".mf", ".mirrorfunge"),
    table=TABLE,
    start=start,
    decode=decode,
    move=torus,
    show=show,
    examples="planewalk.examples/mirrorfunge",
    guide="planewalk.languages.mirrorfunge/guide.md",
    looks=Looks(manner=manner),
)
