"""What is done to many cells of a pane at once: kernels, which are plain Python as well."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ...core.sparse.tiles import SIDE
from ..kernels.kernel import I64, U8, U64, Kernel, popcount, word

if TYPE_CHECKING:
    from ..native.machine_code import Store

LOW_BITS, HIGH_BITS = 0x7F7F7F7F7F7F7F7F, 0x8080808080808080
"""Of eight bytes: all bits but the highest, and that. What is not 0 and more than the first of them
together reaches the second."""


def marked(marks: U8, row: int, lines: int, across: int, together: U8, tiles: I64) -> int:
    """Find which tiles of a pane have marks, counted line by line; gives how many. There are some
    marks across a tile, and `together` has room for a row of them."""
    found = 0
    for line in range(lines):
        any_mark, begin = 0, line * SIDE * row
        for at in range(begin, begin + SIDE * row):
            any_mark = any_mark | marks[at]
        if any_mark != 0 and row == across:
            tiles[found] = line
            found += 1
        elif any_mark != 0:
            found = marked_line(marks, row, line, across, together, tiles, found)
    return found


def marked_line(
    marks: U8, row: int, line: int, across: int, together: U8, tiles: I64, found: int
) -> int:
    """The same for one line of tiles, where some were found before."""
    for column in range(row):
        together[column] = 0
    for inside in range(SIDE):
        at = (line * SIDE + inside) * row
        for column in range(row):
            together[column] = together[column] | marks[at + column]
    for tile in range(row // across):
        any_mark = 0
        for block in range(across):
            any_mark = any_mark | together[tile * across + block]
        if any_mark != 0:
            tiles[found] = line * (row // across) + tile
            found += 1
    return found


def gather(cells: U64, width: int, tiles: I64, size: int, flat: U64, counts: I64) -> None:
    """Copy tiles out of a pane, each in one piece, and count what is not blank; eight cells at a
    time."""
    across, length = width // SIDE, SIDE // 8
    for number in range(size):
        count, tile = 0, tiles[number]
        begin = (tile // across * SIDE * width + tile % across * SIDE) // 8
        for line in range(SIDE):
            source, target = begin + line * (width // 8), (number * SIDE + line) * length
            for at in range(length):
                some = cells[source + at]
                flat[target + at] = some
                filled = (word((some & LOW_BITS) + LOW_BITS) | some) & HIGH_BITS
                count += popcount(filled)
        counts[number] = count


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


def wipe(cells: U64, width: int, tiles: I64, size: int) -> None:
    """Have nothing in some tiles of a pane."""
    across, length = width // SIDE, SIDE // 8
    for number in range(size):
        tile = tiles[number]
        begin = (tile // across * SIDE * width + tile % across * SIDE) // 8
        for line in range(SIDE):
            for at in range(length):
                cells[begin + line * (width // 8) + at] = word(0)


def copy_blocks(
    marks: U8, size: int, row: int, cells: U64, first: int, wider: int, marked: U8, target: U64
) -> None:
    """Copy blocks with marks into a pane that has more of them in a row, where `first` is that of
    the first one, and mark them there."""
    for at in range(size):
        if marks[at] != 0:
            to = first + at + at // row * (wider - row)
            marked[to] = 1
            for word_at in range(8):
                target[to * 8 + word_at] = cells[at * 8 + word_at]


def unite(cells: U64, row: int, lines: int, together: U64) -> None:
    """Have in one line whatever any line has, eight cells at a time."""
    for column in range(row):
        together[column] = word(0)
    for line in range(lines):
        for column in range(row):
            together[column] = together[column] | cells[line * row + column]


def settle(changed: U64, known: U64, size: int) -> None:
    """Have all marks in the other place, eight at a time."""
    for at in range(size):
        known[at] = known[at] | changed[at]
        changed[at] = word(0)


KERNELS = MARKED, GATHER, SCATTER, WIPE, COPY_BLOCKS, UNITE, SETTLE = tuple(
    Kernel(function) for function in (marked, gather, scatter, wipe, copy_blocks, unite, settle)
)


def keep(store: Store) -> None:
    """Have machine code of all of them in a store."""
    for kernel in KERNELS:
        kernel.keep(store)


def assemble(store: Store | None) -> None:
    """Have machine code of all of them, if their source is at hand."""
    with suppress(OSError):
        for kernel in KERNELS:
            if not kernel.ready:
                kernel.assemble(store)
