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


def gather(
    cells: U8, begin: int, width: int, lines: int, tiles: int, flat: U8, counts: I64
) -> None:
    """Copy some rows out of a pane, those of each tile together, and count what is not blank."""
    for tile in range(tiles):
        count = 0
        for line in range(lines):
            source = begin + line * width + tile * SIDE
            target = (tile * lines + line) * SIDE
            for at in range(SIDE):
                cell = cells[source + at]
                flat[target + at] = cell
                count += 1 if cell != 0 else 0
        counts[tile] = count


def wipe(cells: U8, begin: int, width: int, lines: int, length: int) -> None:
    """Have nothing in parts of some rows."""
    for line in range(lines):
        source = begin + line * width
        for at in range(length):
            cells[source + at] = 0


TOGETHER, GATHER, WIPE = Kernel(together), Kernel(gather), Kernel(wipe)


def assemble(store: Store | None) -> None:
    """Have machine code of all of them, if their source is at hand."""
    with suppress(OSError):
        for kernel in (TOGETHER, GATHER, WIPE):
            if not kernel.ready:
                kernel.assemble(store)
