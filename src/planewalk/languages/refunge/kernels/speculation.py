"""Speculation: each cursor by itself for an epoch of many ticks.

That is the same as all of them tick by tick as long as no cursor touches a cell that another one
writes in that epoch. Tags note who touched a cell; when two cursors conflict, or one does what only
all together can do, the epoch is rolled back.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from .leaps import find, onward, turned
from .words import (
    ADD,
    ASIDE,
    ASK,
    BY,
    CODE,
    COUNT,
    COVERED,
    CURSOR,
    FROM,
    HAND,
    HAND_X,
    HEIGHT,
    JUMP,
    LEAPS_HEIGHT,
    MODE,
    MOST_SAVED,
    MOST_TAGS,
    NEXT,
    NONE,
    NOW,
    OVER,
    ROOM,
    SAME_MODE,
    SAVED,
    SET_MODE,
    SPLIT,
    STOP,
    SUBTRACT,
    TAG,
    TURN,
    WAY,
    WIDTH,
    X,
)


def speculate(
    words: I64,
    data: U8,
    kinds: U8,
    cursors: I32,
    leaps: I32,
    slots: I32,
    seen: I64,
    touched: I32,
    saved: I64,
    marks: U8,
    ticks: int,
) -> int:
    """Each cursor for so many ticks by itself; 0 if the epoch must be rolled back."""
    count, now, width = words[COUNT], words[NOW], words[WIDTH]
    size = min(words[HEIGHT] * width, words[COVERED])
    then = CURSOR * words[ROOM] - now
    words[SAVED] = 0
    if words[TAG] + 2 * count >= MOST_TAGS:
        reset_tags(words, touched)
    old = words[TAG]  # tags of former epochs are less
    words[TAG] += 2 * count
    for i in range(count):
        at = now + CURSOR * i
        mode, hand, hand_x = cursors[at + MODE], cursors[at + HAND], cursors[at + HAND_X]
        mine = old + 2 * i + 1  # the tag of cells that it wrote; of those it only read, one less
        left = ticks
        link = -1
        if hand >= size:
            return 0
        leap = ~(4 * cursors[at] + cursors[at + WAY])
        while True:
            if leap < 0:
                leap = find(words, data, kinds, leaps, slots, seen, touched, marks, ~leap, old)
                if leap < 0:
                    return 0
                if link >= 0:
                    leaps[link] = leap
            what = leaps[leap]
            if what >> 8 > left:
                break
            left -= what >> 8
            if (what >> 4) & 7 != SAME_MODE:
                mode = (what >> 4) & 7
            action = what & 15
            link = leap + NEXT
            if action < ASK:
                source = hand
                hand += leaps[leap + BY]
                hand_x += leaps[leap + ASIDE]
                if hand_x < 0:
                    hand_x += width
                    hand += width
                elif hand_x == width:
                    hand_x = 0
                    hand -= width
                if hand < 0 or hand >= size or mode > SUBTRACT:
                    return 0
                if mode != NONE:
                    if not can_read(touched, source, old, mine):
                        return 0
                    if not can_write(words, data, touched, saved, hand, old, mine):
                        return 0
                    value = data[source] if mode == ADD else -data[source]
                    data[hand] = (data[hand] + value) & 255
            elif action == SPLIT:
                return 0
            elif action == ASK:
                if not can_read(touched, hand, old, mine):
                    return 0
                if data[hand] == 0:
                    link = leap + OVER
            leap = leaps[link]
        if left and what & 15 == STOP:
            return 0
        standing = leaps[leap + FROM]
        for _ in range(left):  # of a leap that the epoch is too short for
            kind = kinds[data[standing >> 2]]
            if 0 < kind <= TURN:
                mode = kind - SET_MODE
            standing = onward(words, turned(standing, kind), 2 if kind == JUMP else 1)
        to = then + CURSOR * i
        cursors[to], cursors[to + X] = standing >> 2, (standing >> 2) % width
        cursors[to + WAY], cursors[to + MODE] = standing & 3, mode
        cursors[to + HAND], cursors[to + HAND_X] = hand, hand_x
    words[NOW] = then
    return 1


def can_read(touched: I32, cell: int, old: int, mine: int) -> int:
    """Whether no other cursor has written that cell in this epoch."""
    tag = touched[cell]
    if tag | 1 == mine:
        return 1
    if tag < old:
        touched[cell] = mine - 1
        return 1
    return 1 if tag & 1 == 0 else 0


def can_write(
    words: I64, data: U8, touched: I32, saved: I64, cell: int, old: int, mine: int
) -> int:
    """Whether no other cursor has touched that cell in this epoch."""
    tag = touched[cell]
    if tag == mine:
        return 1
    if tag == CODE:
        words[LEAPS_HEIGHT] = -1  # perhaps it is code no more: find out
        return 0
    if tag >= old and tag != mine - 1:
        return 0
    touched[cell] = mine
    return save(words, data, saved, cell)


def save(words: I64, data: U8, saved: I64, cell: int) -> int:
    """Note what a cell holds, to roll_back the epoch; 0 if there is no room."""
    if words[SAVED] == words[MOST_SAVED]:
        return 0
    saved[words[SAVED]] = 256 * cell + data[cell]
    words[SAVED] += 1
    return 1


def roll_back(words: I64, data: U8, saved: I64) -> None:
    """Give all cells what they held before the epoch; cursors were not changed."""
    for i in range(words[SAVED]):
        data[saved[i] >> 8] = saved[i] & 255


def reset_tags(words: I64, touched: I32) -> None:
    """Begin with tags anew."""
    for i in range(words[COVERED]):
        if touched[i] < MOST_TAGS:
            touched[i] = 0
    words[TAG] = 2
