"""Leaps: a cursor goes from a standing (a cell and a way) over cells that only turn it or set its
mode, up to the next action, which is part of the leap.

Leaps are found once, and kept until a cell that one of them passes over has changed.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from .layout import (
    ASIDE,
    ASK,
    BARRED,
    BY,
    CARRY,
    COVERED,
    FORK,
    FROM,
    GO_ON,
    HEIGHT,
    JUMP,
    LEAP,
    LEAPS,
    LEAPS_HEIGHT,
    LONGEST_LEAP,
    MIRROR,
    MOST_LEAPS,
    MOST_TAGS,
    NEVER,
    NEXT,
    NOTHING,
    OVER,
    PASSED,
    SAME_MODE,
    SEEN,
    SET_MODE,
    SIDE,
    SPLIT,
    STALE,
    STEP,
    STOP,
    TEST,
)  # fmt: skip
from .moves import onward, turned, twin_of


def find(
    words: I64,
    data: U8,
    kinds: U8,
    leaps: I32,
    slots: I32,
    seen: I64,
    touched: I32,
    marks: U8,
    standing: int,
) -> int:
    """The leap from a standing; -1 if there is no room."""
    if standing >= 4 * words[COVERED]:
        return -1
    if slots[standing] > 0:
        return slots[standing] - 1
    leap = words[LEAPS]
    if leap >= words[MOST_LEAPS]:
        words[LEAPS_HEIGHT] = -1
        return -1
    ticks, mode, action, on, over = 0, SAME_MODE, GO_ON, standing, -1
    while action == GO_ON and ticks < LONGEST_LEAP and on < 4 * words[COVERED]:
        note_passed(words, data, seen, touched, on >> 2)
        kind = kinds[data[on >> 2]]
        ahead = onward(words, turned(on, kind), 2 if kind == JUMP else 1)
        if kind == TEST and ahead >= 0:
            over = onward(words, ahead, 1)
        elif kind == FORK:
            over = onward(words, twin_of(on), 1)
        barred = lands(words, marks, ahead) | lands(words, marks, over)
        if ahead < 0 or (kind >= TEST and over < 0) or barred:
            action = STOP  # nor is what this cell does part of the leap
            continue
        if NOTHING < kind < MIRROR:
            mode = kind - SET_MODE
        elif CARRY <= kind < JUMP:
            action = kind - CARRY
        elif kind == TEST:
            action = ASK
        elif kind == FORK:
            action = SPLIT
        on = ahead
        ticks += 1
    if action == STOP:  # before it, that is another leap
        if ticks == 0:
            ticks = NEVER
        else:
            action = GO_ON
    slots[standing] = leap + 1
    leaps[leap] = 256 * ticks + 16 * mode + action
    leaps[leap + NEXT], leaps[leap + OVER] = ~on, ~on
    if over >= 0 and action != GO_ON:  # from there on it is for one in two
        leaps[leap + OVER] = ~over
    leaps[leap + FROM] = standing
    leaps[leap + BY] = words[STEP + action] if action < ASK else 0
    leaps[leap + ASIDE] = words[SIDE + action] if action < ASK else 0
    words[LEAPS] += LEAP
    return leap


def note_passed(words: I64, data: U8, seen: I64, touched: I32, cell: int) -> None:
    """Leaps pass over that cell: they are good for as long as it holds what it does."""
    tag = touched[cell]
    if tag < MOST_TAGS or tag & PASSED == 0:
        touched[cell] = max(tag, MOST_TAGS) | PASSED
        seen[words[SEEN]] = 256 * cell + data[cell]
        words[SEEN] += 1


def lands(words: I64, marks: U8, standing: int) -> int:
    """Whether the run stops when a cursor comes to that standing."""
    if words[BARRED] and standing >= 0:
        return marks[standing >> 2] >> (standing & 3) & 1
    return 0


def check_leaps(words: I64, data: U8, leaps: I32, slots: I32, seen: I64, touched: I32) -> None:
    """Forget all leaps if a cell of one has changed, or if the field has grown."""
    words[STALE] = 0
    fresh = 1 if words[LEAPS_HEIGHT] == words[HEIGHT] else 0
    for i in range(words[SEEN]):
        if data[seen[i] >> 8] != seen[i] & 255:
            fresh = 0
    if fresh:
        return
    for i in range(words[LEAPS] // LEAP):
        slots[leaps[LEAP * i + FROM]] = 0
    for i in range(words[SEEN]):
        tag = touched[seen[i] >> 8] - PASSED
        touched[seen[i] >> 8] = tag if tag > MOST_TAGS else 0
    words[LEAPS], words[SEEN], words[LEAPS_HEIGHT] = 0, 0, words[HEIGHT]
