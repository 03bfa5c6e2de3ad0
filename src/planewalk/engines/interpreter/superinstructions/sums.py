"""Kernels that add up what ticks put into cells: in the end each cell holds a sum of what all of
them held in the beginning, whatever was put where in between."""

from __future__ import annotations

from ...kernels.kernel import I32
from .layout import *


def from_hand(notebook: I32, x: int, y: int, width: int) -> int:
    """A cell that is seen from the hand as it is now, seen from where that was in the beginning."""
    return (notebook[AT_HAND_Y] + y) * width + notebook[AT_HAND_X] + x


def add_up(rows: I32, notebook: I32, row: int, width: int) -> None:
    """Put the sum of a tick into its cell."""
    to = from_hand(notebook, rows[row + TO_X], rows[row + TO_Y], width)
    first, end = row + FIRST_TERM, row + FIRST_TERM + TERM * rows[row + TERMS]
    for j in range(MOST_CELLS):
        notebook[FRESH + j] = 0
    for term in range(first, end, TERM):
        source = from_hand(notebook, rows[term], rows[term + 1], width)
        cell = know(notebook, source)
        for j in range(notebook[KNOWN]):
            more = rows[term + 2] * notebook[MATRIX + MOST_CELLS * cell + j]
            notebook[FRESH + j] = (notebook[FRESH + j] + more) & 255
        if source == to:  # before others are added to it
            note_sum(notebook, to, source, rows[term + 2] - 1)
    for term in range(first, end, TERM):
        source = from_hand(notebook, rows[term], rows[term + 1], width)
        if source != to:
            note_sum(notebook, to, source, rows[term + 2])
    cell = know(notebook, to)
    notebook[WRITTEN_TO] = notebook[WRITTEN_TO] | 1 << cell
    for j in range(notebook[KNOWN]):
        notebook[MATRIX + MOST_CELLS * cell + j] = notebook[FRESH + j]


def note_sum(notebook: I32, to: int, source: int, times: int) -> None:
    """Note a sum, as it came."""
    note = PLAIN_SUMS + SUM * notebook[ADDED]
    notebook[note], notebook[note + 1], notebook[note + 2] = to, source, times
    notebook[ADDED] += 1 if times & 255 else 0


def know(notebook: I32, offset: int) -> int:
    """The number of a cell. If nothing was known of it, it holds what it held."""
    known = notebook[KNOWN]
    for cell in range(known):
        if notebook[OFFSETS + cell] == offset:
            return cell
    notebook[OFFSETS + known] = offset
    for j in range(MOST_CELLS):
        notebook[MATRIX + MOST_CELLS * known + j] = 1 if j == known else 0
        notebook[MATRIX + MOST_CELLS * j + known] = 1 if j == known else 0
    notebook[KNOWN] = known + 1
    return known


def is_same(notebook: I32, cell: int) -> int:
    """Whether a cell holds what it held in the beginning."""
    for j in range(notebook[KNOWN]):
        if notebook[MATRIX + MOST_CELLS * cell + j] != (1 if j == cell else 0):
            return 0
    return 1


def is_untouched(notebook: I32, offset: int) -> int:
    """The same for one that perhaps nothing is known of."""
    for cell in range(notebook[KNOWN]):
        if notebook[OFFSETS + cell] == offset:
            return is_same(notebook, cell)
    return 1


def write_all_sums(supers: I32, notebook: I32, at: int, begin: int, leads_back: int) -> int:
    """Write down the sums, in an order in which none changes what others add; as they came, if
    there is none. Gives where they end. What leads back to itself may be a loop."""
    pending, asked = 0, -1
    for cell in range(notebook[KNOWN]):
        if not is_same(notebook, cell):
            pending = pending | 1 << cell
            asked = cell if notebook[OFFSETS + cell] == supers[at + ASKED] else asked
    end, kind = begin, SCAN if leads_back and pending == 0 else 0
    if leads_back and asked >= 0 and is_steady(supers, notebook, at, pending):
        end = write_sums(supers, notebook, begin, end, asked)
        kind = LOOP + ((end - begin) // SUM << ASKED_SUMS)
        pending = pending & ~(1 << asked)
    while pending:
        free = first_free(notebook, pending)
        if free < 0:
            break
        end = write_sums(supers, notebook, begin, end, free)
        pending = pending & ~(1 << free)
    end = write_restored(supers, notebook, begin, end)
    if pending or end > begin + SUM * MOST_SUMS:
        end, kind = begin + SUM * notebook[ADDED], 0
        for i in range(end - begin):
            supers[begin + i] = notebook[PLAIN_SUMS + i]
    supers[at + SHAPE] += kind + (end - begin) // SUM
    return end


def write_restored(supers: I32, notebook: I32, begin: int, end: int) -> int:
    """Write down cells that hold again what they held. Nothing is added to them, but they may be
    on the walker's own way, where others must have a look."""
    for cell in range(notebook[KNOWN]):
        if notebook[WRITTEN_TO] >> cell & 1 and is_same(notebook, cell):
            if end < begin + SUM * MOST_SUMS:
                supers[end], supers[end + 1] = notebook[OFFSETS + cell], notebook[OFFSETS + cell]
                supers[end + 2] = 0
            end += SUM
    return end


def is_steady(supers: I32, notebook: I32, at: int, pending: int) -> int:
    """Whether the same is added to cells in every round: by cells that stay as they are, while the
    hand is in the same place again. Guards must be about such cells, too."""
    for cell in range(notebook[KNOWN]):
        if pending >> cell & 1:
            for j in range(notebook[KNOWN]):
                times = notebook[MATRIX + MOST_CELLS * cell + j]
                if times != (1 if j == cell else 0) and (j == cell or pending >> j & 1):
                    return 0
    for i in range(PLAIN_GUARDS, PLAIN_GUARDS + GUARD * notebook[GUARDED], GUARD):
        if not is_untouched(notebook, notebook[i]):
            return 0
    return 1 if supers[at + MOVE] == 0 else 0


def first_free(notebook: I32, pending: int) -> int:
    """A cell that is to be written and that no other such cell needs; -1 if there is none."""
    for cell in range(notebook[KNOWN]):
        needed = 0
        for other in range(notebook[KNOWN]):
            if other != cell and pending >> other & 1:
                needed = needed | notebook[MATRIX + MOST_CELLS * other + cell]
        if pending >> cell & 1 and needed == 0:
            return cell
    return -1


def write_sums(supers: I32, notebook: I32, begin: int, end: int, cell: int) -> int:
    """Write down what is added to a cell, first how often itself; gives where that ends. What there
    is no room for is only counted."""
    for j in range(-1, notebook[KNOWN]):
        source = cell if j < 0 else j
        times = notebook[MATRIX + MOST_CELLS * cell + source] - (1 if j < 0 else 0)
        if times and j != cell:
            if end < begin + SUM * MOST_SUMS:
                supers[end], supers[end + 1] = notebook[OFFSETS + cell], notebook[OFFSETS + source]
                supers[end + 2] = times
            end += SUM
    return end
