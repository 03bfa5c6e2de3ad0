"""What `run` prints of a Gemooy program: its picture, the only result, and a line on it."""

from __future__ import annotations

from ...core.geometry import COMPASS
from ...core.plane import Box, SparsePlane
from ...core.state import State
from .instructions import SYMBOLS

WIDEST = 200
HIGHEST = 100


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
