"""Equal cursors go as one group, which waits in a queue for the tick of its next action."""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64
from ..cells import TIMES
from . import layout as k
from .moves import around


def gather(words: I64, cursors: I32, groups: I32, queue: I32) -> int:
    """Make groups of all cursors; 0 if one is where that cannot be."""
    room, width = words[k.ROOM], words[k.WIDTH]
    within = min(words[k.HEIGHT] * width, words[k.COVERED])
    size = 1
    while size < 2 * words[k.COUNT]:
        size *= 2
    table = k.SLOTS + room
    for i in range(size):
        queue[table + i] = -1
    end = 0
    for i in range(words[k.COUNT]):
        at = words[k.NOW] + k.CURSOR * i
        standing = 4 * cursors[at] + cursors[at + k.WAY]
        mode, hand = cursors[at + k.MODE], cursors[at + k.HAND]
        if cursors[at] >= within or hand >= within:
            return 0
        slot = (((8 * standing + mode) * 31 + hand) * 40_503 >> 8) & (size - 1)
        group = queue[table + slot]
        while group >= 0 and (
            groups[group + k.LEAP_AT] != ~standing
            or groups[group + k.HELD] != hand
            or groups[group + k.CHANGE] & 7 != mode
        ):
            slot = (slot + 1) & (size - 1)
            group = queue[table + slot]
        if group < 0:
            group = end
            end += k.GROUP
            queue[table + slot] = group
            groups[group + k.LEAP_AT], groups[group + k.HELD] = ~standing, hand
            groups[group + k.TARGET_X] = cursors[at + k.HAND_X]
            groups[group + k.CHANGE], groups[group + k.MEMBERS] = 9 * mode, 0
            groups[group + k.BEHIND] = -1
        groups[group + k.MEMBERS] += 1
        queue[k.SLOTS + i] = group
    words[k.GROUPS], words[k.EXPECTED] = end // k.GROUP, words[k.COUNT]
    return 1


def scatter(words: I64, cursors: I32, groups: I32, queue: I32) -> None:
    """Let cursors be where their groups are, and their twins behind them."""
    then, width = k.CURSOR * words[k.ROOM] - words[k.NOW], words[k.WIDTH]
    to = then
    for i in range(words[k.COUNT]):
        group = queue[k.SLOTS + i]
        while group >= 0:
            standing, hand = ~groups[group + k.LEAP_AT], groups[group + k.HELD]
            cursors[to], cursors[to + k.X] = standing >> 2, (standing >> 2) % width
            cursors[to + k.WAY], cursors[to + k.MODE] = standing & 3, groups[group + k.CHANGE]
            cursors[to + k.HAND], cursors[to + k.HAND_X] = hand, hand % width
            to += k.CURSOR
            group = groups[group + k.BEHIND]
    words[k.NOW], words[k.COUNT] = then, (to - then) // k.CURSOR


def await_action(words: I64, leaps: I32, touched: I32, groups: I32, group: int, now: int) -> None:
    """Note what the leap of a group will do, and when. All stop before what is not for groups."""
    words[k.END] = min(words[k.END], last_tick(words, leaps, touched, groups, group, now))


def last_tick(words: I64, leaps: I32, touched: I32, groups: I32, group: int, now: int) -> int:
    """Note what the leap of a group will do, and when; gives the tick before which all have to stop
    because of it."""
    leap, hand = groups[group + k.LEAP_AT], groups[group + k.HELD]
    members = groups[group + k.MEMBERS]
    width, what = words[k.WIDTH], leaps[leap]
    action, mode = what & 15, (what >> 4) & 7
    before = groups[group + k.CHANGE] >> 3
    mode = before if mode == k.SAME_MODE else mode
    target, x = hand + leaps[leap + k.BY], groups[group + k.TARGET_X] + leaps[leap + k.ASIDE]
    wrap = around(x, width)
    x += wrap
    target += wrap
    due = now + (what >> 8) - 1
    times = TIMES[mode] * members if action < k.ASK else 0
    groups[group + k.DUE], groups[group + k.TARGET], groups[group + k.TARGET_X] = due, target, x
    groups[group + k.ADDED], groups[group + k.CHANGE] = times, 8 * mode + before
    if action == k.STOP:
        return now
    if action == k.SPLIT:
        words[k.EXPECTED] += members
        if words[k.EXPECTED] > min(words[k.ROOM], words[k.MOST]):
            return due
    if target < 0 or target >= min(words[k.HEIGHT] * width, words[k.COVERED]):
        return due
    # What is rare is asked first: these are hard to foresee.
    if mode > k.SUBTRACT or touched[target] >= k.MOST_TAGS or touched[hand] >= k.MOST_TAGS:
        if action < k.ASK and (mode > k.SUBTRACT or (mode and touched[target] >= k.MOST_TAGS)):
            return due
        if touched[hand] >= k.MOST_TAGS and touched[hand] & 1:
            return due
    return k.NEVER << 20


def split(words: I64, groups: I32, group: int) -> int:
    """Make a group of the twins of all cursors of another one, which forks."""
    twin = k.GROUP * words[k.GROUPS]
    for i in range(k.GROUP):
        groups[twin + i] = groups[group + i]
    groups[group + k.BEHIND] = twin
    words[k.GROUPS] += 1
    return twin


def enqueue(groups: I32, queue: I32, group: int) -> None:
    """Let a group wait for its action."""
    slot = groups[group + k.DUE] & (k.SLOTS - 1)
    groups[group + k.FOLLOWS] = queue[slot]
    queue[slot] = group


def line_up(words: I64, groups: I32, queue: I32) -> None:
    """Let all groups wait for their actions."""
    for i in range(k.SLOTS):
        queue[i] = -1
    for i in range(words[k.GROUPS]):
        enqueue(groups, queue, k.GROUP * i)
