"""How Gemooy programs start, when they end, and what a state looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...core.geometry import COMPASS, Stance, unbounded
from ...core.instruction import Instruction
from ...core.language import Language, Looks, Results, Rules, Sources
from ...core.plane import CELL_MEMORY, Box, SparsePlane, ToldCells
from ...core.state import State, Walker
from ...core.text import size_of_text
from .instructions import AT, BLANK, HASH, SYMBOLS, TABLE

BY_CELL = tuple(TABLE[ord(symbol)] for symbol in SYMBOLS)
CELLS = {"#": HASH, "@": AT}
SOUTHEAST = (1, 1)
NOT_BLANK = re.compile(r"[#@\n]")
WIDEST, HIGHEST = 200, 100
"""Columns and rows of a picture that can be looked at."""
BYTES = bytes(CELLS.get(chr(code), BLANK) for code in range(256))


def start(source: bytes, options: Mapping[str, Any], seed: int) -> State:
    # Every bad byte becomes one blank cell, whatever "replace" would make of a run of them.
    text = source.decode(errors="surrogateescape").replace("\r", "")
    if _size(source) > SparsePlane.many:
        plane = SparsePlane.of_rows(_rows(text), (BLANK, AT))
    else:
        plane = SparsePlane(_loose_cells(text), (BLANK, AT))
    walker = Walker(Stance(*_last(text, "$"), *SOUTHEAST), _last(text, "%"))
    return State(plane, [walker], seed=seed)


def _size(source: bytes) -> int:
    """How many cells it has."""
    return source.count(b"#") + source.count(b"@")


def _loose_cells(text: str) -> dict[tuple[int, int], int]:
    cells = {}
    y = begin = 0
    for found in NOT_BLANK.finditer(text):
        symbol, at = found[0], found.start()
        if symbol == "\n":
            y, begin = y + 1, at + 1
        else:
            cells[at - begin, y] = CELLS[symbol]
    return cells


def _rows(text: str) -> Iterator[bytes]:
    """What is in each line, a byte for each cell."""
    begin = 0
    while begin <= len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        yield text[begin:end].encode("ascii", "replace").translate(BYTES)
        begin = end + 1


def _last(text: str, pointer: str) -> tuple[int, int]:
    at = text.rfind(pointer)
    return (at - text.rfind("\n", 0, at) - 1, text.count("\n", 0, at)) if at >= 0 else (0, 0)


def weight(source: bytes, options: Mapping[str, Any]) -> int:
    cells = _size(source)
    held = CELL_MEMORY * cells
    if cells > SparsePlane.many:  # scattered ones take more, but so do the blanks between them
        held = min(held, 4 * (cells + len(source)))
    return size_of_text(source) + held


def decode(plane: SparsePlane, stance: Stance) -> Instruction:
    return BY_CELL[plane.cells.get((stance.x, stance.y), 0)]


def over(plane: SparsePlane, stance: Stance) -> bool:
    """Whether the pointer is beyond everything and never comes nearer to it again."""
    x, y, dx, dy, _ = stance
    columns, lines = plane.columns, plane.lines
    return (
        (dx <= 0 and x < columns.least)
        or (dx >= 0 and x > columns.most)
        or (dy <= 0 and y < lines.least)
        or (dy >= 0 and y > lines.most)
        or not plane.cells
    )


def show(state: State) -> dict[str, Any]:
    (x, y, dx, dy, _), hand = state.walkers[0]
    plane = state.plane
    assert isinstance(plane, SparsePlane) and hand is not None
    return {
        "ip": [x, y],
        "dir": [dx, dy],
        "dp": list(hand),
        "cells": ToldCells(plane, SYMBOLS),
    }


def epilogue(state: State) -> str:
    """The smallest box around all cells and both pointers, or the part of it around the
    instruction pointer if it is too large to look at; then where everything is."""
    (x, y, dx, dy, _), hand = state.walkers[0]
    plane = state.plane
    assert isinstance(plane, SparsePlane) and hand is not None
    box = plane.box()
    whole = _around(box, (x, y), hand)
    left, right = _cut(whole[0], whole[2], x, WIDEST)
    top, bottom = _cut(whole[1], whole[3], y, HIGHEST)

    line = (
        f"ip ({x}, {y}) heading {COMPASS[dx, dy]}, dp ({hand[0]}, {hand[1]}), {_cells(plane, box)}"
    )
    if (left, top, right, bottom) != whole:
        line += f"; only ({left}, {top}) to ({right}, {bottom}) is drawn"
    # Pointers are drawn where they stand on blank cells; of both in one cell the first is seen.
    pointers = {hand: "%", (x, y): "$"}

    def seen(column: int, row: int) -> str:
        cell = plane.cell(column, row)
        return SYMBOLS[cell] if cell else pointers.get((column, row), " ")

    rows = [
        "".join(seen(column, row) for column in range(left, right + 1)).rstrip()
        for row in range(top, bottom + 1)
    ]
    return "\n".join([*rows, line, ""])


def _around(box: Box | None, *places: tuple[int, int]) -> Box:
    """The smallest box that has these places too."""
    columns = [x for x, _ in places] + ([box[0], box[2]] if box else [])
    lines = [y for _, y in places] + ([box[1], box[3]] if box else [])
    return min(columns), min(lines), max(columns), max(lines)


def _cut(first: int, last: int, middle: int, most: int) -> tuple[int, int]:
    """At most that many lines from first to last, with `middle` in the middle if possible."""
    if last - first < most:
        return first, last
    first = max(first, min(middle - most // 2, last - most + 1))
    return first, first + most - 1


def _cells(plane: SparsePlane, box: Box | None) -> str:
    if box is None:
        return "no cells"
    left, top, right, bottom = box
    if len(plane.cells) == 1:
        return f"1 cell at ({left}, {top})"
    return f"{len(plane.cells)} cells in ({left}, {top}) to ({right}, {bottom})"


LANGUAGE = Language(
    name="gemooy",
    title="Gemooy",
    summary="three symbols on an unbounded self-modifying grid",
    suffixes=(".gemooy",),
    table=TABLE,
    start=start,
    decode=decode,
    move=unbounded,
    show=show,
    examples="planewalk.examples/gemooy",
    guide="planewalk.languages.gemooy/guide.md",
    rules=Rules(over=over),
    sources=Sources(weight=weight),
    results=Results(epilogue=epilogue),
    looks=Looks(glyph=SYMBOLS.__getitem__, headings=COMPASS),
)
