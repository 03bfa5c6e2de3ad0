"""The numbers that kernels and their buffers agree on.

Places, ways and codes are those of `forms.py`: rows have column -1 in front of them, the ways are
0 right, 1 down, 2 left, 3 up, and a code is place * 8, and 4 if the signal waits, and its way.
"""

from __future__ import annotations

SPLIT, VOID, PLAIN, PASS = 4, 5, 6, 7
"""Kinds of cells; 0 to 3 are those that direct that way. The last is a plain one that is watched,
which makes it a station."""
EXIT, EDGE = 8, 9
"""Kinds of stations for signals that leave: on the right, and elsewhere."""

GOING_ON, ENDED, DESERTED, FULL, LANDED, ROUND = 0, 1, 2, 3, 4, 5
"""How a run of cycles went."""

TICK, FLYING, FREE, WORK, OPEN = 0, 1, 2, 3, 4
"""What is counted between calls: ticks, signals, the first free entry of the pool, events; and
groups that have not come round."""
