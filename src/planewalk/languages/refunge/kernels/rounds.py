"""Rounds: when all parties are where they were before, their deeds are gone through again.

While nobody finds a zero, or something else, where it was otherwise in the round that was recorded,
all do the same deeds in the same ticks: cells are added to cells, and nothing else has to be done.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from .apart import fade
from .parties import await_deed, line_up
from .words import (
    ASK,
    BROKEN,
    CHANGE,
    DEEDS,
    DUE,
    FOLLOWS,
    FRESH,
    HELD,
    LEAP_AT,
    LULL,
    MOST_TAGS,
    MOST_TEMPS,
    NEXT,
    PARTIES,
    PARTY,
    REPLAYED,
    SHIFT,
    TAG,
    TARGET,
    TEMPS,
    TIMES,
    UNLESS_MORE,
    UNLESS_ZERO,
    WORK,
)

SHORTEST_ROUND, LONGEST_LULL = 32, 1 << 16
CELL = (1 << SHIFT) - 1  # the bits of one in an operation
FREE, BOUND = -1, 0  # done whenever it may be; or depends on others, perhaps by a cell put aside
WORTH_IT = 4  # rounds; what it takes to write a script of one


def remember(words: I64, parties: I32, start: I32, now: int) -> int:
    """A round begins: note where all are. Gives that tick."""
    for i in range(PARTY * words[PARTIES]):
        start[i] = parties[i]
    words[WORK] -= PARTY * words[PARTIES]
    return now


def is_back(words: I64, parties: I32, start: I32, base: int, now: int) -> int:
    """Whether all parties are where they were at the base, and as far from their next deeds."""
    for i in range(words[PARTIES]):
        at = PARTY * i
        if (
            parties[at + LEAP_AT] != start[at + LEAP_AT]
            or parties[at + DUE] - now != start[at + DUE] - base
            or parties[at + HELD] != start[at + HELD]
            or parties[at + CHANGE] != start[at + CHANGE]
        ):
            return 0
    return 1


def go_round(
    words: I64,
    data: U8,
    leaps: I32,
    touched: I32,
    parties: I32,
    queue: I32,
    start: I32,
    log: I32,
    script: I64,
    base: int,
    now: int,
    end: int,
) -> int:
    """Go through the recorded round as often as it goes, and as there are ticks; gives the tick
    that it is then."""
    period = now - base
    rounds = (end - now) // period
    if rounds < WORTH_IT:
        words[LULL] = end - now
        return now
    for i in range(PARTY * words[PARTIES]):
        parties[i] = start[i]
    size = write_script(words, leaps, touched, parties, log, script, base, period)
    made = 0
    words[BROKEN] = 0
    if size:
        rounds = min(rounds, max(words[WORK] // size, 1))
        made = replay(words, data, script, script[period], rounds)
        for i in range(MOST_TEMPS):
            data[words[TEMPS] + i] = 0
        words[WORK] -= (made + 10) * size
    words[LULL] = 0 if made >= WORTH_IT else 16 * period
    words[REPLAYED] += made * period
    then = now + made * period
    for i in range(words[PARTIES]):
        for j in range(PARTY):
            parties[PARTY * i + j] = start[PARTY * i + j]
        parties[PARTY * i + DUE] += then - base
    tick = 0
    while script[tick + 1] <= words[BROKEN]:
        for i in range(log[tick], log[tick + 1]):
            go_on(words, leaps, touched, parties, log[i], then + 1)
        tick += 1
        then += 1
    line_up(words, parties, queue)
    return then


def go_on(words: I64, leaps: I32, touched: I32, parties: I32, deed: int, now: int) -> None:
    """Let a party be after a deed that was recorded."""
    party = deed >> 1
    parties[party + HELD] = parties[party + TARGET]
    parties[party + LEAP_AT] = leaps[parties[party + LEAP_AT] + NEXT + (deed & 1)]
    await_deed(words, leaps, touched, parties, party, now)


def write_script(
    words: I64,
    leaps: I32,
    touched: I32,
    parties: I32,
    log: I32,
    script: I64,
    base: int,
    period: int,
) -> int:
    """What is done to cells in a round; gives about how much that is, 0 if it is too much.

    All see the cells as they were before a tick. So what is asked of cells comes first; then cells
    are changed that nobody adds to others in that tick. Of the rest, what others have changed by
    the time it is added is put aside.
    """
    if words[TAG] + 2 * period >= MOST_TAGS:
        fade(words, touched)
    to = DEEDS
    for tick in range(period):
        script[tick] = to
        begin, end = log[tick], log[tick + 1]
        to = write_questions(words, leaps, touched, parties, log, script, begin, end, to)
        to = write_free(words, touched, parties, log, script, begin, end, to)
        temps = words[TEMPS]
        for i in range(begin, end):
            party = log[i] >> 1
            if parties[party + FOLLOWS] == BOUND:
                hand, times = parties[party + HELD], parties[party + TIMES] & 255
                if touched[hand] == words[TAG] + 1:
                    script[to] = hand + (temps << SHIFT) + (times << 2 * SHIFT) + FRESH
                    parties[party + FOLLOWS] = temps
                    to += 1
                    temps += 1
                touched[parties[party + TARGET]] = words[TAG] + 1
        if temps > words[TEMPS] and temps > min(words[TEMPS] + MOST_TEMPS, 1 << SHIFT):
            return 0
        for i in range(begin, end):
            party = log[i] >> 1
            if parties[party + FOLLOWS] == BOUND:
                script[to] = sum_of(parties, party)
                to += 1
        for i in range(begin, end):
            party = log[i] >> 1
            if parties[party + FOLLOWS] > 0:
                target = parties[party + TARGET]
                script[to] = parties[party + FOLLOWS] + (target << SHIFT) + (1 << 2 * SHIFT)
                to += 1
            go_on(words, leaps, touched, parties, log[i], base + tick + 1)
        words[TAG] += 2
    script[period] = to
    return to - DEEDS + 1


def write_questions(
    words: I64,
    leaps: I32,
    touched: I32,
    parties: I32,
    log: I32,
    script: I64,
    begin: int,
    end: int,
    to: int,
) -> int:
    """What is asked in a tick; then it is noted which cells are added to others. Gives where that
    ends."""
    for i in range(begin, end):
        party = log[i] >> 1
        hand = parties[party + HELD]
        parties[party + FOLLOWS] = FREE
        if leaps[parties[party + LEAP_AT]] & 15 == ASK:
            script[to] = hand + (hand << SHIFT) + (UNLESS_ZERO if log[i] & 1 else UNLESS_MORE)
            to += 1
        elif parties[party + TIMES] & 255:
            parties[party + FOLLOWS] = BOUND
            if touched[hand] < MOST_TAGS:  # others are code, which nobody changes
                touched[hand] = words[TAG]
    return to


def write_free(
    words: I64,
    touched: I32,
    parties: I32,
    log: I32,
    script: I64,
    begin: int,
    end: int,
    to: int,
) -> int:
    """What is added in a tick to cells that are not added to others; gives where that ends."""
    for i in range(begin, end):
        party = log[i] >> 1
        if parties[party + FOLLOWS] == BOUND and touched[parties[party + TARGET]] != words[TAG]:
            script[to] = sum_of(parties, party)
            parties[party + FOLLOWS] = FREE
            to += 1
    return to


def sum_of(parties: I32, party: int) -> int:
    """What a party adds to a cell, as an operation."""
    target, times = parties[party + TARGET], parties[party + TIMES] & 255
    return parties[party + HELD] + (target << SHIFT) + (times << 2 * SHIFT)


def replay(words: I64, data: U8, script: I64, end: int, rounds: int) -> int:
    """Do what a script says, so many times; gives how many times nothing was other than before."""
    most = 0
    for i in range(DEEDS, end):
        most = max(most, script[i])
    if most < FRESH:
        for _ in range(rounds):
            for i in range(DEEDS, end):
                add_as_it_is(data, script[i])
        return rounds
    if most < UNLESS_ZERO:
        for _ in range(rounds):
            for i in range(DEEDS, end):
                add_or_put(data, script[i])
        return rounds
    for made in range(rounds):
        for i in range(DEEDS, end):
            if script[i] & (UNLESS_ZERO if data[script[i] & CELL] else UNLESS_MORE):
                words[BROKEN] = i
                return made
            add_or_put(data, script[i])
    words[BROKEN] = 0
    return rounds


def add_as_it_is(data: U8, operation: int) -> None:
    """Add a cell to another, so many times."""
    to, value = (operation >> SHIFT) & CELL, data[operation & CELL]
    data[to] = (data[to] + value * (operation >> 2 * SHIFT)) & 255


def add_or_put(data: U8, operation: int) -> None:
    """The same, also to one that is 0 before."""
    to, value = (operation >> SHIFT) & CELL, data[operation & CELL]
    kept = ((operation & FRESH) >> 56) - 1
    data[to] = ((data[to] & kept) + value * ((operation >> 2 * SHIFT) & 255)) & 255
