"""A scheduler: all cursors in the order of time, from action to action.

Between two actions a cursor only walks, which no other cursor can see; so its group waits in a
queue for the tick of its next action, and a tick costs as much as there are actions in it.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from .groups import await_action, enqueue, gather, line_up, scatter, split
from .leaps import find, turned
from .rounds import LONGEST_COOL_DOWN, SHORTEST_ROUND, go_round, is_back, remember
from .words import (
    ACTIONS,
    ASK,
    BLOCKED,
    CHANGE,
    COOL_DOWN,
    COUNT,
    COVERED,
    DUE,
    FOLLOWS,
    FROM,
    GROUP,
    GROUPS,
    HELD,
    JUMP,
    LEAP_AT,
    MOST_ACTIONS,
    MOST_ROUND,
    MOST_TAGS,
    NEVER,
    NEXT,
    OVER,
    REPLAYED,
    SEEN,
    SET_MODE,
    SIDE,
    SLOTS,
    SPAN,
    SPLIT,
    STEP,
    TARGET,
    TICKS,
    TIMES,
    TURN,
    WIDTH,
    WORK,
)

GATHERING, SETTING_OUT = 8, 100  # nanoseconds for each cursor and each group of a stretch
SPARE = 32  # groups that come from forks before equal ones are put together again


def by_actions(
    words: I64,
    data: U8,
    kinds: U8,
    cursors: I32,
    wishes: I64,
    leaps: I32,
    slots: I32,
    seen: I64,
    touched: I32,
    marks: U8,
    groups: I32,
    queue: I32,
    start: I32,
    log: I32,
    script: I64,
    ticks: int,
) -> int:
    """Go on for so many ticks at most, or as there is time for; gives how many those were. If the
    next one is for all together, words[BLOCKED] is 1."""
    words[REPLAYED], words[BLOCKED] = 0, 1
    if not gather(words, cursors, groups, queue):
        return 0
    if not set_out(words, data, kinds, leaps, slots, seen, touched, marks, groups):
        return 0
    now, end, settled = 0, ticks, 0
    for i in range(words[GROUPS]):
        end = min(end, await_action(words, leaps, touched, groups, GROUP * i, 0))
        settled = max(settled, groups[GROUP * i + DUE] + 1)
    line_up(words, groups, queue)
    # A round begins when no group is in the midst of a leap, as some were at first.
    base, logged, together = -1, ACTIONS, words[GROUPS]
    most = 2 * together + SPARE
    begin = settled if words[COOL_DOWN] <= 0 else end
    while now < end and words[WORK] > 0:
        if now == begin and end - now > 2 * words[SPAN]:
            base = remember(words, groups, start, now)
        if base >= 0:
            log[now - base] = logged
        group = queue[now & (SLOTS - 1)]
        queue[now & (SLOTS - 1)] = -1
        now += 1
        sums, began, lost = 0, logged, -1
        while group >= 0:
            value = data[groups[group + HELD]]
            times = groups[group + TIMES]
            zero = 1 if value == 0 else 0
            wishes[sums] = 256 * groups[group + TARGET] + ((value * times) & 255)
            sums += 1 if times else 0
            log[logged] = 2 * group + zero
            logged += 1
            link = groups[group + LEAP_AT] + NEXT + zero
            follows = groups[group + FOLLOWS]
            groups[group + HELD] = groups[group + TARGET]
            if leaps[groups[group + LEAP_AT]] & 15 == SPLIT:
                link = groups[group + LEAP_AT] + NEXT
                twin = split(words, groups, group)
                groups[twin + DUE], groups[twin + FOLLOWS] = groups[group + LEAP_AT] + OVER, lost
                lost = twin
            groups[group + LEAP_AT] = leaps[link]
            if leaps[link] < 0:
                groups[group + DUE], groups[group + FOLLOWS] = link, lost
                lost = group
            else:
                end = min(end, await_action(words, leaps, touched, groups, group, now))
                enqueue(groups, queue, group)
            group = follows
        for i in range(sums):
            cell = wishes[i] >> 8
            data[cell] = (data[cell] + wishes[i]) & 255
        while lost >= 0:
            group = lost
            lost = groups[group + FOLLOWS]
            link, known = groups[group + DUE], words[SEEN]
            leap = leaps[link]
            if leap < 0:
                leap = find(words, data, kinds, leaps, slots, seen, touched, marks, ~leap)
            if leap < 0:
                end, groups[group + LEAP_AT] = now, leaps[link]
                continue
            leaps[link], groups[group + LEAP_AT] = leap, leap
            end = min(end, await_action(words, leaps, touched, groups, group, now))
            enqueue(groups, queue, group)
            if words[SEEN] > known:
                end = min(end, first_on_code(words, leaps, touched, groups))
        words[WORK] -= 10 * (logged - began) + 5
        if words[GROUPS] > together:  # so this round does not come back
            together, base, begin = words[GROUPS], -1, end
            if together > most:  # some of which may be equal by now
                end = now
        if base < 0:
            logged = ACTIONS
        elif now - base > words[SPAN] or logged + words[GROUPS] > ACTIONS + MOST_ACTIONS:
            base, logged = -1, ACTIONS
            words[SPAN] *= 2
            if words[SPAN] > MOST_ROUND:
                words[SPAN], words[COOL_DOWN] = SHORTEST_ROUND, LONGEST_COOL_DOWN
            begin = now if words[COOL_DOWN] <= 0 else end
        elif now < end and is_back(words, groups, start, base, now):
            log[now - base] = logged
            now = go_round(
                words, data, leaps, touched, groups, queue, start, log, script, base, now, end
            )
            base, logged = -1, ACTIONS
            begin = now if words[COOL_DOWN] <= 0 else end
    words[BLOCKED] = 1 if now == end < ticks else 0
    arrive_all(words, data, kinds, leaps, groups, now)
    scatter(words, cursors, groups, queue)
    words[WORK] -= GATHERING * words[COUNT] + SETTING_OUT * words[GROUPS]
    words[TICKS] += now
    words[COOL_DOWN] -= now
    return now


def set_out(
    words: I64,
    data: U8,
    kinds: U8,
    leaps: I32,
    slots: I32,
    seen: I64,
    touched: I32,
    marks: U8,
    groups: I32,
) -> int:
    """Find the first leap of every group; 0 if one has none."""
    for i in range(words[GROUPS]):
        standing = ~groups[GROUP * i + LEAP_AT]
        leap = find(words, data, kinds, leaps, slots, seen, touched, marks, standing)
        if leap < 0:
            return 0
        groups[GROUP * i + LEAP_AT] = leap
    return 1


def first_on_code(words: I64, leaps: I32, touched: I32, groups: I32) -> int:
    """The tick of the first action that changes what leaps pass over: some may do so by now."""
    first = NEVER << 20
    for i in range(words[GROUPS]):
        group = GROUP * i
        target = groups[group + TARGET]
        if (
            groups[group + LEAP_AT] >= 0
            and leaps[groups[group + LEAP_AT]] & 15 < ASK
            and groups[group + CHANGE] & (7 << 3)
            and 0 <= target < words[COVERED]
            and touched[target] >= MOST_TAGS
        ):
            first = min(first, groups[group + DUE])
    return first


def arrive_all(words: I64, data: U8, kinds: U8, leaps: I32, groups: I32, now: int) -> None:
    """Let groups be where they are at that tick, in the midst of their leaps."""
    width = words[WIDTH]
    for i in range(words[GROUPS]):
        group = GROUP * i
        leap, mode = groups[group + LEAP_AT], groups[group + CHANGE] & 7
        if leap < 0:  # there is none from there
            standing, mode = ~leap, groups[group + CHANGE] >> 3
        else:
            standing = leaps[leap + FROM]
            steps = (leaps[leap] >> 8) - 1 - groups[group + DUE] + now
            cell, way, x = standing >> 2, standing & 3, (standing >> 2) % width
            for _ in range(steps):
                kind = kinds[data[cell]]
                if kind:
                    mode = kind - SET_MODE if kind <= TURN else mode
                    way = turned(way, kind)
                moves = 2 if kind == JUMP else 1
                cell += moves * words[STEP + way]
                x += moves * words[SIDE + way]
                while x < 0:
                    x += width
                    cell += width
                while x >= width:
                    x -= width
                    cell -= width
            standing = 4 * cell + way
            words[WORK] -= 3 * steps
        groups[group + LEAP_AT], groups[group + CHANGE] = ~standing, mode
