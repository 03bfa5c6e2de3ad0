"""The numbers that kernels and their buffers agree on.

Rows have column -1 in front of them. Directions are 0 right, 1 down, 2 left, 3 up; a code is
8 times the place of a signal, and 4 if it waits, and its direction.
"""

from __future__ import annotations

SPLIT, VOID, PLAIN, PASS = 4, 5, 6, 7
"""Kinds of cells; 0 to 3 are those that steer in that direction. The last is a plain one that is
watched, which makes it a station."""
EXIT, EDGE, KINDS = 8, 9, 10
"""Kinds of stations at which signals leave, on the right and elsewhere; how many there are."""

GOING_ON, ENDED, DESERTED, FULL, LANDED, BLOCKED = 0, 1, 2, 3, 4, 5
"""How a run of cycles went. A blocked one has no symbol that is due, or no room for another."""

TICK, FLYING, FREE, WORK = 0, 1, 2, 3
"""What is counted between calls: ticks, signals, the first free entry of the pool, events."""

(
    DUE, EVERY, READ, COUNT, WRITTEN, ROOM, WORDS, SIZE, MASK, WIDTH, TOP, ASKED, STROBE, LEFT,
    STREAM,
) = range(15)  # fmt: skip
"""Of streams: the cycle in which the next symbol arrives, as in the register; after how many cycles
another does, 0 for those that are asked for; symbols read, and all there are; symbols written, and
how many there is room for; words of each, and of that which is pending; which bits of the first are
written; the columns of the board, and the first of their stations; whether one was asked for in
this cycle, and whether one is finished; signals that flights had leave at the bottom, or ask. The
last is how many numbers these are."""
