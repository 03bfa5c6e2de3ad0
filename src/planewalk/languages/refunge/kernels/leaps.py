"""Leaps: a cursor goes from a standing (a cell and a way) over cells that only turn it or set its
mode, up to the next action, which is part of the leap.

Leaps are found once, and kept until a cell that one of them passes over has changed.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from . import layout as k
from .moves import onward, turned, twin_of


def find(
    words: I64, data: U8, kinds: U8, leaps: I32, slots: I32, seen: I64, touched: I32, marks: U8,
    standing: int,
) -> int:  # fmt: skip
    """The leap from a standing; -1 if there is no room."""
    if standing >= 4 * words[k.COVERED]:
        return -1
    if slots[standing] > 0:
        return slots[standing] - 1
    leap = words[k.LEAPS]
    if leap >= words[k.MOST_LEAPS]:
        words[k.LEAPS_HEIGHT] = -1
        return -1
    ticks, mode, action, on, over = 0, k.SAME_MODE, k.GO_ON, standing, -1
    while action == k.GO_ON and ticks < k.LONGEST_LEAP and on < 4 * words[k.COVERED]:
        note_passed(words, data, seen, touched, on >> 2)
        kind = kinds[data[on >> 2]]
        ahead = onward(words, turned(on, kind), 2 if kind == k.JUMP else 1)
        if kind == k.TEST and ahead >= 0:
            over = onward(words, ahead, 1)
        elif kind == k.FORK:
            over = onward(words, twin_of(on), 1)
        barred = lands(words, marks, ahead) | lands(words, marks, over)
        if ahead < 0 or (kind >= k.TEST and over < 0) or barred:
            action = k.STOP  # nor is what this cell does part of the leap
            continue
        if k.NOTHING < kind < k.MIRROR:
            mode = kind - k.SET_MODE
        elif k.CARRY <= kind < k.JUMP:
            action = kind - k.CARRY
        elif kind == k.TEST:
            action = k.ASK
        elif kind == k.FORK:
            action = k.SPLIT
        on = ahead
        ticks += 1
    if action == k.STOP:  # before it, that is another leap
        if ticks == 0:
            ticks = k.NEVER
        else:
            action = k.GO_ON
    slots[standing] = leap + 1
    leaps[leap] = 256 * ticks + 16 * mode + action
    leaps[leap + k.NEXT], leaps[leap + k.OVER] = ~on, ~on
    if over >= 0 and action != k.GO_ON:  # from there on it is for one in two
        leaps[leap + k.OVER] = ~over
    leaps[leap + k.FROM] = standing
    leaps[leap + k.BY] = words[k.STEP + action] if action < k.ASK else 0
    leaps[leap + k.ASIDE] = words[k.SIDE + action] if action < k.ASK else 0
    words[k.LEAPS] += k.LEAP
    return leap


def note_passed(words: I64, data: U8, seen: I64, touched: I32, cell: int) -> None:
    """Leaps pass over that cell: they are good for as long as it holds what it does."""
    tag = touched[cell]
    if tag < k.MOST_TAGS or tag & k.PASSED == 0:
        touched[cell] = max(tag, k.MOST_TAGS) | k.PASSED
        seen[words[k.SEEN]] = 256 * cell + data[cell]
        words[k.SEEN] += 1


def lands(words: I64, marks: U8, standing: int) -> int:
    """Whether the run stops when a cursor comes to that standing."""
    if words[k.BARRED] and standing >= 0:
        return marks[standing >> 2] >> (standing & 3) & 1
    return 0


def check_leaps(words: I64, data: U8, leaps: I32, slots: I32, seen: I64, touched: I32) -> None:
    """Forget all leaps if a cell of one has changed, or if the field has grown."""
    words[k.STALE] = 0
    fresh = 1 if words[k.LEAPS_HEIGHT] == words[k.HEIGHT] else 0
    for i in range(words[k.SEEN]):
        if data[seen[i] >> 8] != seen[i] & 255:
            fresh = 0
    if fresh:
        return
    for i in range(words[k.LEAPS] // k.LEAP):
        slots[leaps[k.LEAP * i + k.FROM]] = 0
    for i in range(words[k.SEEN]):
        tag = touched[seen[i] >> 8] - k.PASSED
        touched[seen[i] >> 8] = tag if tag > k.MOST_TAGS else 0
    words[k.LEAPS], words[k.SEEN], words[k.LEAPS_HEIGHT] = 0, 0, words[k.HEIGHT]
