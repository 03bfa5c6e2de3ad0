"""Many cursors in machine code: kernels (`engines/kernels/kernel.py`), also plain Python.

There are two ways to go on, and `run` changes between them:

- `together`: one tick of all cursors, just as the rules say. All look at the field as it is; what
  they wish is noted and comes true afterwards.
- `by_actions`: the same in the order of time, but groups of cursors that only walk are left alone
  until their next action; and rounds are recorded and replayed (`rounds.py`).

What leaves the field, reads, writes, makes rows or changes code is for all together.

A tick that needs more than there is (input, rows, room for cursors or output) is not begun, nor is
one in which something may happen that the run stops at. Such cells are marked: in `marks` for
cursors that go together; leaps end before them, and their tags say that they must not be touched.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from . import layout as k
from .actions import by_actions
from .leaps import check_leaps
from .together import together

SHORTEST_STRETCH = 16  # ticks by actions
TOGETHER = 3  # nanoseconds for each cursor in a tick of all together
LONGEST_LOCKSTEP = 12  # stretches by actions that were slower; each doubles the wait for the next


def run(
    words: I64, data: U8, kinds: U8, cursors: I32, wishes: I64, source: U8, output: U8, leaps: I32,
    slots: I32, seen: I64, touched: I32, marks: U8, groups: I32, queue: I32, start: I32, log: I32,
    script: I64, ticks: int,
) -> int:  # fmt: skip
    """Go on for so many ticks, or as time allows; 0 if the next one is for the reference engine."""
    end = words[k.TICKS] + ticks
    while words[k.TICKS] < end and words[k.WORK] > 0:
        left = end - words[k.TICKS]
        if words[k.LOCKSTEP] > 0 or left < SHORTEST_STRETCH:
            if not together(words, data, kinds, cursors, wishes, source, output, marks):
                return 0
            words[k.WORK] -= TOGETHER * words[k.COUNT]
            words[k.LOCKSTEP] = max(words[k.LOCKSTEP] - 1, 0)
            if words[k.COUNT] == 1:
                return 1
            continue
        if words[k.STALE]:
            check_leaps(words, data, leaps, slots, seen, touched)
        before = words[k.WORK]
        made = by_actions(
            words, data, kinds, cursors, wishes, leaps, slots, seen, touched, marks, groups, queue,
            start, log, script, left,
        )  # fmt: skip
        if words[k.BLOCKED]:
            # Both are estimates; half as much again for the former was measured to be right.
            slower = 2 * (before - words[k.WORK]) > 3 * made * TOGETHER * words[k.COUNT]
            words[k.FUTILE] = min(words[k.FUTILE] + 1, LONGEST_LOCKSTEP) if slower else 0
            words[k.LOCKSTEP] = max((1 << words[k.FUTILE]) >> 1, 1)
    return 1
