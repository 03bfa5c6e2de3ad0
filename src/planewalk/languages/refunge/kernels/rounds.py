"""Rounds: when all groups are where they were before, the actions since then are replayed.

As long as every question is answered as in the round that was recorded, all groups act in the same
ticks: cells are added to cells, and nothing else has to be done. Such additions are a script.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from . import layout as k
from .groups import last_tick, line_up

SHORTEST_ROUND, LONGEST_COOL_DOWN = 32, 1 << 16
CELL = (1 << k.SHIFT) - 1  # the bits of one in an operation
FREE, BOUND = -1, 0  # done whenever it may be; or depends on others, perhaps by a cell put aside
WORTH_IT = 4  # rounds; what it takes to write a script of one


def may_begin(words: I64, tick: int) -> None:
    """From that tick on a round may begin, unless the last ones were not worth it."""
    words[k.BASE], words[k.LOGGED] = -1, k.ACTIONS
    words[k.BEGIN] = tick if words[k.COOL_DOWN] <= 0 else words[k.END]


def record(words: I64, groups: I32, start: I32, log: I32, now: int) -> None:
    """Note that a tick of a round begins; or that a round does, and where all are."""
    if now == words[k.BEGIN] and words[k.END] - now > 2 * words[k.SPAN]:
        words[k.BASE] = now
        for i in range(k.GROUP * words[k.GROUPS]):
            start[i] = groups[i]
        words[k.WORK] -= k.GROUP * words[k.GROUPS]
    if words[k.BASE] >= 0:
        log[now - words[k.BASE]] = words[k.LOGGED]


def come_round(
    words: I64, data: U8, leaps: I32, touched: I32, groups: I32, queue: I32, start: I32, log: I32,
    script: I64, now: int,
) -> int:  # fmt: skip
    """See if all are back where the round began, and replay it; gives the tick that it is then."""
    base = words[k.BASE]
    if words[k.GROUPS] > words[k.WHOLE]:  # so this round does not come back
        words[k.WHOLE], words[k.BASE], words[k.BEGIN] = words[k.GROUPS], -1, words[k.END]
        if words[k.GROUPS] > words[k.MOST_GROUPS]:  # some of which may be equal by now
            words[k.END] = now
    elif base >= 0 and now - base <= words[k.SPAN] and has_room(words):
        if now < words[k.END] and is_back(words, groups, start, base, now):
            log[now - base] = words[k.LOGGED]
            now = go_round(words, data, leaps, touched, groups, queue, start, log, script, now)
            may_begin(words, now)
        return now
    elif base >= 0:
        words[k.SPAN] *= 2
        if words[k.SPAN] > k.MOST_ROUND:
            words[k.SPAN], words[k.COOL_DOWN] = SHORTEST_ROUND, LONGEST_COOL_DOWN
        may_begin(words, now)
    words[k.LOGGED] = k.ACTIONS
    return now


def has_room(words: I64) -> int:
    """Whether the actions of one more tick can be recorded."""
    return 1 if words[k.LOGGED] + words[k.GROUPS] <= k.ACTIONS + k.MOST_ACTIONS else 0


def is_back(words: I64, groups: I32, start: I32, base: int, now: int) -> int:
    """Whether all groups are where they were at the base, and as far from their next actions."""
    for i in range(words[k.GROUPS]):
        at = k.GROUP * i
        if (
            groups[at + k.LEAP_AT] != start[at + k.LEAP_AT]
            or groups[at + k.DUE] - now != start[at + k.DUE] - base
            or groups[at + k.HELD] != start[at + k.HELD]
            or groups[at + k.CHANGE] != start[at + k.CHANGE]
        ):
            return 0
    return 1


def go_round(
    words: I64, data: U8, leaps: I32, touched: I32, groups: I32, queue: I32, start: I32, log: I32,
    script: I64, now: int,
) -> int:  # fmt: skip
    """Go through the recorded round as often as it goes, and as there are ticks; gives the tick
    that it is then."""
    base = words[k.BASE]
    period = now - base
    rounds = (words[k.END] - now) // period
    if rounds < WORTH_IT:
        words[k.COOL_DOWN] = words[k.END] - now
        return now
    for i in range(k.GROUP * words[k.GROUPS]):
        groups[i] = start[i]
    size = write_script(words, leaps, touched, groups, log, script, base, period)
    made = 0
    words[k.BROKEN] = 0
    if size:
        rounds = min(rounds, max(words[k.WORK] // size, 1))
        made = replay(words, data, script, script[period], rounds)
        for i in range(k.MOST_TEMPS):
            data[words[k.TEMPS] + i] = 0
        words[k.WORK] -= (made + 10) * size
    words[k.COOL_DOWN] = 0 if made >= WORTH_IT else 16 * period
    words[k.REPLAYED] += made * period
    then = now + made * period
    for i in range(words[k.GROUPS]):
        for j in range(k.GROUP):
            groups[k.GROUP * i + j] = start[k.GROUP * i + j]
        groups[k.GROUP * i + k.DUE] += then - base
    tick = 0
    while script[tick + 1] <= words[k.BROKEN]:
        for i in range(log[tick], log[tick + 1]):
            go_on(words, leaps, touched, groups, log[i], then + 1)
        tick += 1
        then += 1
    line_up(words, groups, queue)
    return then


def go_on(words: I64, leaps: I32, touched: I32, groups: I32, action: int, now: int) -> None:
    """Let a group be after an action that was recorded."""
    group = action >> 1
    groups[group + k.HELD] = groups[group + k.TARGET]
    groups[group + k.LEAP_AT] = leaps[groups[group + k.LEAP_AT] + k.NEXT + (action & 1)]
    last_tick(words, leaps, touched, groups, group, now)


def write_script(
    words: I64, leaps: I32, touched: I32, groups: I32, log: I32, script: I64, base: int,
    period: int,
) -> int:  # fmt: skip
    """What is done to cells in a round; gives about how much that is, 0 if it is too much.

    All see the cells as they were before a tick. So what is asked of cells comes first; then cells
    are changed that are added to no others in that tick. Of the rest, what others have changed by
    the time it is added is put aside.
    """
    if words[k.TAG] + 2 * period >= k.MOST_TAGS:
        reset_tags(words, touched)
    to = k.ACTIONS
    for tick in range(period):
        script[tick] = to
        begin, end = log[tick], log[tick + 1]
        to = write_questions(words, leaps, touched, groups, log, script, begin, end, to)
        to = write_free(words, touched, groups, log, script, begin, end, to)
        temps = words[k.TEMPS]
        for i in range(begin, end):
            group = log[i] >> 1
            if groups[group + k.FOLLOWS] == BOUND:
                hand, times = groups[group + k.HELD], groups[group + k.ADDED] & 255
                if touched[hand] == words[k.TAG] + 1:
                    script[to] = hand + (temps << k.SHIFT) + (times << 2 * k.SHIFT) + k.FRESH
                    groups[group + k.FOLLOWS] = temps
                    to += 1
                    temps += 1
                touched[groups[group + k.TARGET]] = words[k.TAG] + 1
        if temps > words[k.TEMPS] and temps > min(words[k.TEMPS] + k.MOST_TEMPS, 1 << k.SHIFT):
            return 0
        for i in range(begin, end):
            group = log[i] >> 1
            if groups[group + k.FOLLOWS] == BOUND:
                script[to] = sum_of(groups, group)
                to += 1
        for i in range(begin, end):
            group = log[i] >> 1
            if groups[group + k.FOLLOWS] > 0:
                target = groups[group + k.TARGET]
                script[to] = groups[group + k.FOLLOWS] + (target << k.SHIFT) + (1 << 2 * k.SHIFT)
                to += 1
            go_on(words, leaps, touched, groups, log[i], base + tick + 1)
        words[k.TAG] += 2
    script[period] = to
    return to - k.ACTIONS + 1


def reset_tags(words: I64, touched: I32) -> None:
    """Begin with tags anew."""
    for i in range(words[k.COVERED]):
        if touched[i] < k.MOST_TAGS:
            touched[i] = 0
    words[k.TAG] = 2


def write_questions(
    words: I64, leaps: I32, touched: I32, groups: I32, log: I32, script: I64, begin: int, end: int,
    to: int,
) -> int:  # fmt: skip
    """What is asked in a tick, and which cells are added to others; gives where that ends."""
    for i in range(begin, end):
        group = log[i] >> 1
        hand = groups[group + k.HELD]
        groups[group + k.FOLLOWS] = FREE
        if leaps[groups[group + k.LEAP_AT]] & 15 == k.ASK:
            script[to] = hand + (hand << k.SHIFT) + (k.UNLESS_ZERO if log[i] & 1 else k.UNLESS_MORE)
            to += 1
        elif groups[group + k.ADDED] & 255:
            groups[group + k.FOLLOWS] = BOUND
            if touched[hand] < k.MOST_TAGS:  # others are code, which does not change
                touched[hand] = words[k.TAG]
    return to


def write_free(
    words: I64, touched: I32, groups: I32, log: I32, script: I64, begin: int, end: int, to: int,
) -> int:  # fmt: skip
    """What is added in a tick to cells that are not added to others; gives where that ends."""
    for i in range(begin, end):
        group = log[i] >> 1
        if groups[group + k.FOLLOWS] == BOUND and touched[groups[group + k.TARGET]] != words[k.TAG]:
            script[to] = sum_of(groups, group)
            groups[group + k.FOLLOWS] = FREE
            to += 1
    return to


def sum_of(groups: I32, group: int) -> int:
    """What a group adds to a cell, as an operation."""
    target, times = groups[group + k.TARGET], groups[group + k.ADDED] & 255
    return groups[group + k.HELD] + (target << k.SHIFT) + (times << 2 * k.SHIFT)


def replay(words: I64, data: U8, script: I64, end: int, rounds: int) -> int:
    """Do what a script says, so many times; gives how many times nothing was other than before."""
    most = 0
    for i in range(k.ACTIONS, end):
        most = max(most, script[i])
    if most < k.FRESH:
        for _ in range(rounds):
            for i in range(k.ACTIONS, end):
                add_as_it_is(data, script[i])
        return rounds
    if most < k.UNLESS_ZERO:
        for _ in range(rounds):
            for i in range(k.ACTIONS, end):
                add_or_put(data, script[i])
        return rounds
    for made in range(rounds):
        for i in range(k.ACTIONS, end):
            if script[i] & (k.UNLESS_ZERO if data[script[i] & CELL] else k.UNLESS_MORE):
                words[k.BROKEN] = i
                return made
            add_or_put(data, script[i])
    words[k.BROKEN] = 0
    return rounds


def add_as_it_is(data: U8, operation: int) -> None:
    """Add a cell to another, so many times."""
    to, value = (operation >> k.SHIFT) & CELL, data[operation & CELL]
    data[to] = (data[to] + value * (operation >> 2 * k.SHIFT)) & 255


def add_or_put(data: U8, operation: int) -> None:
    """The same, also to one that is 0 before."""
    to, value = (operation >> k.SHIFT) & CELL, data[operation & CELL]
    kept = ((operation & k.FRESH) >> 56) - 1
    data[to] = ((data[to] & kept) + value * ((operation >> 2 * k.SHIFT) & 255)) & 255
