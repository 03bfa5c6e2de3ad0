"""The numbers that kernels and their buffers agree on.

Rows have column -1 in front of them. Directions are 0 right, 1 down, 2 left, 3 up; a code is
8 times the place of a signal, and 4 if it waits, and its direction.
"""

from __future__ import annotations

SPLIT, VOID, PLAIN, PASS = 4, 5, 6, 7
"""Kinds of cells; 0 to 3 are those that steer in that direction. The last is a plain one that is
watched, which makes it a station."""
EXIT, EDGE, KINDS = 8, 9, 10
"""Kinds of stations at which signals leave: on the right, and elsewhere; and how many kinds there
are."""

GOING_ON, ENDED, DESERTED, FULL, LANDED = 0, 1, 2, 3, 4
"""How a run of cycles went."""

TICK, FLYING, FREE, WORK = 0, 1, 2, 3
"""What is counted between calls: ticks, signals, the first free entry of the pool, events."""
