"""What is done to many cells of a pane at once: kernels, which are plain Python as well."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ...core.tiles import SIDE
from ..kernels.kernel import I64, U8, Kernel

if TYPE_CHECKING:
    from ..native.llvm import Store


def together(marks: U8, begin: int, row: int, lines: int, found: U8) -> None:
    """Find in which columns any of some rows of marks has one."""
    for line in range(lines):
        at = begin + line * row
        for column in range(row):
            found[column] = found[column] | marks[at + column]


def gather(cells: U8, begin: int, width: int, tiles: int, flat: U8, counts: I64) -> None:
    """Copy tiles side by side out of a pane, each in one piece, and count what is not blank."""
    for tile in range(tiles):
        count = 0
        for line in range(SIDE):
            source = begin + line * width + tile * SIDE
            target = (tile * SIDE + line) * SIDE
            for at in range(SIDE):
                cell = cells[source + at]
                flat[target + at] = cell
                count += 1 if cell != 0 else 0
        counts[tile] = count


def scatter(flat: U8, cells: U8, begin: int, width: int, known: U8, block: int) -> int:
    """Copy the lines of a tile that are not blank into a pane and mark their blocks; gives how
    many lines that were."""
    found = 0
    for line in range(SIDE):
        source, target = line * SIDE, begin + line * width
        any_cell = 0
        for at in range(SIDE):
            any_cell = any_cell | flat[source + at]
        if any_cell != 0:
            found += 1
            for at in range(SIDE):
                cells[target + at] = flat[source + at]
            mark = target // block
            while mark * block < target + SIDE:
                known[mark] = 1
                mark += 1
    return found


def wipe(cells: U8, begin: int, width: int, lines: int, length: int) -> None:
    """Have nothing in parts of some rows."""
    for line in range(lines):
        source = begin + line * width
        for at in range(length):
            cells[source + at] = 0


TOGETHER, GATHER, SCATTER, WIPE = (
    Kernel(function) for function in (together, gather, scatter, wipe)
)


def assemble(store: Store | None) -> None:
    """Have machine code of all of them, if their source is at hand."""
    with suppress(OSError):
        for kernel in (TOGETHER, GATHER, SCATTER, WIPE):
            if not kernel.ready:
                kernel.assemble(store)
