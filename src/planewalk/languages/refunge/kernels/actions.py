"""A scheduler: all cursors in the order of time, from action to action.

Between two actions a cursor only walks, which no other cursor can see; so its group waits in a
queue for the tick of its next action, and a tick costs as much as there are actions in it.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from . import layout as k
from .groups import await_action, enqueue, gather, line_up, scatter, split
from .leaps import find
from .moves import onward, turned
from .rounds import come_round, may_begin, record

GATHERING, SETTING_OUT = 8, 100  # nanoseconds for each cursor and each group of a stretch
SPARE = 32  # groups that come from forks before equal ones are put together again


def by_actions(
    words: I64, data: U8, kinds: U8, cursors: I32, wishes: I64, leaps: I32, slots: I32, seen: I64,
    touched: I32, marks: U8, groups: I32, queue: I32, start: I32, log: I32, script: I64, ticks: int,
) -> int:  # fmt: skip
    """Go on for so many ticks at most, or as there is time for; gives how many those were. If the
    next one is for all together, words[BLOCKED] is 1."""
    words[k.REPLAYED], words[k.BLOCKED], words[k.END] = 0, 1, ticks
    if not gather(words, cursors, groups, queue):
        return 0
    settled = set_out(words, data, kinds, leaps, slots, seen, touched, marks, groups)
    if not settled:
        return 0
    line_up(words, groups, queue)
    words[k.WHOLE], words[k.MOST_GROUPS] = words[k.GROUPS], 2 * words[k.GROUPS] + SPARE
    may_begin(words, settled)
    now = 0
    while now < words[k.END] and words[k.WORK] > 0:
        record(words, groups, start, log, now)
        now += 1
        act(words, data, leaps, touched, groups, queue, log, wishes, now)
        if words[k.LOST] >= 0:
            find_ways(words, data, kinds, leaps, slots, seen, touched, marks, groups, queue, now)
        now = come_round(words, data, leaps, touched, groups, queue, start, log, script, now)
    words[k.BLOCKED] = 1 if now == words[k.END] < ticks else 0
    arrive_all(words, data, kinds, leaps, groups, now)
    scatter(words, cursors, groups, queue)
    words[k.WORK] -= GATHERING * words[k.COUNT] + SETTING_OUT * words[k.GROUPS]
    words[k.TICKS] += now
    words[k.COOL_DOWN] -= now
    return now


def set_out(
    words: I64, data: U8, kinds: U8, leaps: I32, slots: I32, seen: I64, touched: I32, marks: U8,
    groups: I32,
) -> int:  # fmt: skip
    """Find the first leap of every group; gives the tick from which on none is in the midst of a
    leap, as some may be at first, or 0 if one has none."""
    for i in range(words[k.GROUPS]):
        standing = ~groups[k.GROUP * i + k.LEAP_AT]
        leap = find(words, data, kinds, leaps, slots, seen, touched, marks, standing)
        if leap < 0:
            return 0
        groups[k.GROUP * i + k.LEAP_AT] = leap
    settled = 1
    for i in range(words[k.GROUPS]):
        await_action(words, leaps, touched, groups, k.GROUP * i, 0)
        settled = max(settled, groups[k.GROUP * i + k.DUE] + 1)
    return settled


def act(
    words: I64, data: U8, leaps: I32, touched: I32, groups: I32, queue: I32, log: I32, wishes: I64,
    now: int,
) -> None:  # fmt: skip
    """Have all groups act whose tick that is, and let cells change by what they wish."""
    group = queue[(now - 1) & (k.SLOTS - 1)]
    queue[(now - 1) & (k.SLOTS - 1)] = -1
    logged, sums, lost = words[k.LOGGED], 0, -1
    words[k.WORK] -= 5
    while group >= 0:
        value = data[groups[group + k.HELD]]
        times = groups[group + k.ADDED]
        zero = 1 if value == 0 else 0
        wishes[sums] = 256 * groups[group + k.TARGET] + ((value * times) & 255)
        sums += 1 if times else 0
        log[logged] = 2 * group + zero
        logged += 1
        link = groups[group + k.LEAP_AT] + k.NEXT + zero
        follows = groups[group + k.FOLLOWS]
        groups[group + k.HELD] = groups[group + k.TARGET]
        if leaps[groups[group + k.LEAP_AT]] & 15 == k.SPLIT:
            link = groups[group + k.LEAP_AT] + k.NEXT
            twin = split(words, groups, group)
            groups[twin + k.DUE] = groups[group + k.LEAP_AT] + k.OVER
            groups[twin + k.FOLLOWS] = lost
            lost = twin
        groups[group + k.LEAP_AT] = leaps[link]
        if leaps[link] < 0:
            groups[group + k.DUE], groups[group + k.FOLLOWS] = link, lost
            lost = group
        else:
            await_action(words, leaps, touched, groups, group, now)
            enqueue(groups, queue, group)
        group = follows
    words[k.WORK] -= 10 * (logged - words[k.LOGGED])
    words[k.LOGGED], words[k.LOST] = logged, lost
    for i in range(sums):
        cell = wishes[i] >> 8
        data[cell] = (data[cell] + wishes[i]) & 255


def find_ways(
    words: I64, data: U8, kinds: U8, leaps: I32, slots: I32, seen: I64, touched: I32, marks: U8,
    groups: I32, queue: I32, now: int,
) -> None:  # fmt: skip
    """Find the next leap of those groups that came to where none was known."""
    lost = words[k.LOST]
    while lost >= 0:
        group = lost
        lost = groups[group + k.FOLLOWS]
        link, known = groups[group + k.DUE], words[k.SEEN]
        leap = leaps[link]
        if leap < 0:
            leap = find(words, data, kinds, leaps, slots, seen, touched, marks, ~leap)
        if leap < 0:
            words[k.END], groups[group + k.LEAP_AT] = now, leaps[link]
            continue
        leaps[link], groups[group + k.LEAP_AT] = leap, leap
        await_action(words, leaps, touched, groups, group, now)
        enqueue(groups, queue, group)
        if words[k.SEEN] > known:
            words[k.END] = min(words[k.END], first_on_code(words, leaps, touched, groups))


def first_on_code(words: I64, leaps: I32, touched: I32, groups: I32) -> int:
    """The tick of the first action that changes what leaps pass over: some may do so by now."""
    first = k.NEVER << 20
    for i in range(words[k.GROUPS]):
        group = k.GROUP * i
        target = groups[group + k.TARGET]
        if (
            groups[group + k.LEAP_AT] >= 0
            and leaps[groups[group + k.LEAP_AT]] & 15 < k.ASK
            and groups[group + k.CHANGE] & (7 << 3)
            and 0 <= target < words[k.COVERED]
            and touched[target] >= k.MOST_TAGS
        ):
            first = min(first, groups[group + k.DUE])
    return first


def arrive_all(words: I64, data: U8, kinds: U8, leaps: I32, groups: I32, now: int) -> None:
    """Let groups be where they are at that tick, in the midst of their leaps."""
    for i in range(words[k.GROUPS]):
        group = k.GROUP * i
        leap, mode = groups[group + k.LEAP_AT], groups[group + k.CHANGE] & 7
        if leap < 0:  # there is none from there
            standing, mode = ~leap, groups[group + k.CHANGE] >> 3
        else:
            standing = leaps[leap + k.FROM]
            steps = (leaps[leap] >> 8) - 1 - groups[group + k.DUE] + now
            for _ in range(steps):
                kind = kinds[data[standing >> 2]]
                mode = kind - k.SET_MODE if k.NOTHING < kind < k.MIRROR else mode
                standing = onward(words, turned(standing, kind), 2 if kind == k.JUMP else 1)
            words[k.WORK] -= 3 * steps
        groups[group + k.LEAP_AT], groups[group + k.CHANGE] = ~standing, mode
