"""Equal cursors go as one group, which waits in a queue for the tick of its next action."""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64
from ..cells import TIMES
from .layout import (
    ADDED,
    ASIDE,
    ASK,
    BEHIND,
    BY,
    CHANGE,
    COUNT,
    COVERED,
    CURSOR,
    DUE,
    END,
    EXPECTED,
    FOLLOWS,
    GROUP,
    GROUPS,
    HAND,
    HAND_X,
    HEIGHT,
    HELD,
    LEAP_AT,
    MEMBERS,
    MODE,
    MOST,
    MOST_TAGS,
    NEVER,
    NOW,
    ROOM,
    SAME_MODE,
    SLOTS,
    SPLIT,
    STOP,
    SUBTRACT,
    TARGET,
    TARGET_X,
    WAY,
    WIDTH,
    X,
)  # fmt: skip
from .moves import around


def gather(words: I64, cursors: I32, groups: I32, queue: I32) -> int:
    """Make groups of all cursors; 0 if one is where that cannot be."""
    room, width = words[ROOM], words[WIDTH]
    within = min(words[HEIGHT] * width, words[COVERED])
    size = 1
    while size < 2 * words[COUNT]:
        size *= 2
    table = SLOTS + room
    for i in range(size):
        queue[table + i] = -1
    end = 0
    for i in range(words[COUNT]):
        at = words[NOW] + CURSOR * i
        standing = 4 * cursors[at] + cursors[at + WAY]
        mode, hand = cursors[at + MODE], cursors[at + HAND]
        if cursors[at] >= within or hand >= within:
            return 0
        slot = (((8 * standing + mode) * 31 + hand) * 40_503 >> 8) & (size - 1)
        group = queue[table + slot]
        while group >= 0 and (
            groups[group + LEAP_AT] != ~standing
            or groups[group + HELD] != hand
            or groups[group + CHANGE] & 7 != mode
        ):
            slot = (slot + 1) & (size - 1)
            group = queue[table + slot]
        if group < 0:
            group = end
            end += GROUP
            queue[table + slot] = group
            groups[group + LEAP_AT], groups[group + HELD] = ~standing, hand
            groups[group + TARGET_X] = cursors[at + HAND_X]
            groups[group + CHANGE], groups[group + MEMBERS] = 9 * mode, 0
            groups[group + BEHIND] = -1
        groups[group + MEMBERS] += 1
        queue[SLOTS + i] = group
    words[GROUPS], words[EXPECTED] = end // GROUP, words[COUNT]
    return 1


def scatter(words: I64, cursors: I32, groups: I32, queue: I32) -> None:
    """Let cursors be where their groups are, and their twins behind them."""
    then, width = CURSOR * words[ROOM] - words[NOW], words[WIDTH]
    to = then
    for i in range(words[COUNT]):
        group = queue[SLOTS + i]
        while group >= 0:
            standing, hand = ~groups[group + LEAP_AT], groups[group + HELD]
            cursors[to], cursors[to + X] = standing >> 2, (standing >> 2) % width
            cursors[to + WAY], cursors[to + MODE] = standing & 3, groups[group + CHANGE]
            cursors[to + HAND], cursors[to + HAND_X] = hand, hand % width
            to += CURSOR
            group = groups[group + BEHIND]
    words[NOW], words[COUNT] = then, (to - then) // CURSOR


def await_action(words: I64, leaps: I32, touched: I32, groups: I32, group: int, now: int) -> None:
    """Note what the leap of a group will do, and when. All stop before what is not for groups."""
    words[END] = min(words[END], last_tick(words, leaps, touched, groups, group, now))


def last_tick(words: I64, leaps: I32, touched: I32, groups: I32, group: int, now: int) -> int:
    """Note what the leap of a group will do, and when; gives the tick before which all have to stop
    because of it."""
    leap, hand, members = groups[group + LEAP_AT], groups[group + HELD], groups[group + MEMBERS]
    width, what = words[WIDTH], leaps[leap]
    action, mode = what & 15, (what >> 4) & 7
    before = groups[group + CHANGE] >> 3
    mode = before if mode == SAME_MODE else mode
    target, x = hand + leaps[leap + BY], groups[group + TARGET_X] + leaps[leap + ASIDE]
    wrap = around(x, width)
    x += wrap
    target += wrap
    due = now + (what >> 8) - 1
    times = TIMES[mode] * members if action < ASK else 0
    groups[group + DUE], groups[group + TARGET], groups[group + TARGET_X] = due, target, x
    groups[group + ADDED], groups[group + CHANGE] = times, 8 * mode + before
    if action == STOP:
        return now
    if action == SPLIT:
        words[EXPECTED] += members
        if words[EXPECTED] > min(words[ROOM], words[MOST]):
            return due
    if target < 0 or target >= min(words[HEIGHT] * width, words[COVERED]):
        return due
    # What is rare is asked first: these are hard to foresee.
    if mode > SUBTRACT or touched[target] >= MOST_TAGS or touched[hand] >= MOST_TAGS:
        if action < ASK and (mode > SUBTRACT or (mode and touched[target] >= MOST_TAGS)):
            return due
        if touched[hand] >= MOST_TAGS and touched[hand] & 1:
            return due
    return NEVER << 20


def split(words: I64, groups: I32, group: int) -> int:
    """Make a group of the twins of all cursors of another one, which forks."""
    twin = GROUP * words[GROUPS]
    for i in range(GROUP):
        groups[twin + i] = groups[group + i]
    groups[group + BEHIND] = twin
    words[GROUPS] += 1
    return twin


def enqueue(groups: I32, queue: I32, group: int) -> None:
    """Let a group wait for its action."""
    slot = groups[group + DUE] & (SLOTS - 1)
    groups[group + FOLLOWS] = queue[slot]
    queue[slot] = group


def line_up(words: I64, groups: I32, queue: I32) -> None:
    """Let all groups wait for their actions."""
    for i in range(SLOTS):
        queue[i] = -1
    for i in range(words[GROUPS]):
        enqueue(groups, queue, GROUP * i)
