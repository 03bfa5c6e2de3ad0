"""All cursors together, from deed to deed.

Between two deeds a cursor only walks, which nobody can see; so it waits in a queue for the tick of
its next deed, and ticks touch those alone who do one.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from .leaps import find, turned
from .parties import await_deed, enqueue, gather, line_up, scatter, split
from .rounds import LONGEST_LULL, SHORTEST_ROUND, go_round, is_back, remember
from .words import (
    ASK,
    BLOCKED,
    CHANGE,
    COUNT,
    COVERED,
    DEEDS,
    DUE,
    FOLLOWS,
    FROM,
    HELD,
    JUMP,
    LEAP_AT,
    LULL,
    MOST_DEEDS,
    MOST_ROUND,
    MOST_TAGS,
    NEVER,
    NEXT,
    OVER,
    PARTIES,
    PARTY,
    REPLAYED,
    SEEN,
    SET_MODE,
    SIDE,
    SLOTS,
    SPAN,
    SPLIT,
    STEP,
    TAG,
    TARGET,
    TICKS,
    TIMES,
    TURN,
    WIDTH,
    WORK,
)

GATHERING, SETTING_OUT = 8, 100  # nanoseconds for each cursor and each party of a stretch
SPARE = 32  # parties that come from forks before equal ones are put together again


def by_deeds(
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
    parties: I32,
    queue: I32,
    start: I32,
    log: I32,
    script: I64,
    ticks: int,
) -> int:
    """Go on for so many ticks at most, or as there is time for; gives how many those were. If the
    next one is for all together, words[BLOCKED] is 1."""
    words[REPLAYED], words[BLOCKED] = 0, 1
    if not gather(words, cursors, parties, queue):
        return 0
    if not set_out(words, data, kinds, leaps, slots, seen, touched, marks, parties):
        return 0
    now, end, settled = 0, ticks, 0
    for i in range(words[PARTIES]):
        end = min(end, await_deed(words, leaps, touched, parties, PARTY * i, 0))
        settled = max(settled, parties[PARTY * i + DUE] + 1)
    line_up(words, parties, queue)
    # A round begins when nobody is in the midst of a leap, as some were at first.
    base, logged, together = -1, DEEDS, words[PARTIES]
    most = 2 * together + SPARE
    begin = settled if words[LULL] <= 0 else end
    while now < end and words[WORK] > 0:
        if now == begin and end - now > 2 * words[SPAN]:
            base = remember(words, parties, start, now)
        if base >= 0:
            log[now - base] = logged
        party = queue[now & (SLOTS - 1)]
        queue[now & (SLOTS - 1)] = -1
        now += 1
        sums, began, lost = 0, logged, -1
        while party >= 0:
            value = data[parties[party + HELD]]
            times = parties[party + TIMES]
            zero = 1 if value == 0 else 0
            wishes[sums] = 256 * parties[party + TARGET] + ((value * times) & 255)
            sums += 1 if times else 0
            log[logged] = 2 * party + zero
            logged += 1
            link = parties[party + LEAP_AT] + NEXT + zero
            follows = parties[party + FOLLOWS]
            parties[party + HELD] = parties[party + TARGET]
            if leaps[parties[party + LEAP_AT]] & 15 == SPLIT:
                link = parties[party + LEAP_AT] + NEXT
                twin = split(words, parties, party)
                parties[twin + DUE], parties[twin + FOLLOWS] = parties[party + LEAP_AT] + OVER, lost
                lost = twin
            parties[party + LEAP_AT] = leaps[link]
            if leaps[link] < 0:
                parties[party + DUE], parties[party + FOLLOWS] = link, lost
                lost = party
            else:
                end = min(end, await_deed(words, leaps, touched, parties, party, now))
                enqueue(parties, queue, party)
            party = follows
        for i in range(sums):
            cell = wishes[i] >> 8
            data[cell] = (data[cell] + wishes[i]) & 255
        while lost >= 0:
            party = lost
            lost = parties[party + FOLLOWS]
            link, known = parties[party + DUE], words[SEEN]
            leap, old = leaps[link], words[TAG]
            if leap < 0:
                leap = find(words, data, kinds, leaps, slots, seen, touched, marks, ~leap, old)
            if leap < 0:
                end, parties[party + LEAP_AT] = now, leaps[link]
                continue
            leaps[link], parties[party + LEAP_AT] = leap, leap
            end = min(end, await_deed(words, leaps, touched, parties, party, now))
            enqueue(parties, queue, party)
            if words[SEEN] > known:
                end = min(end, first_on_code(words, leaps, touched, parties))
        words[WORK] -= 10 * (logged - began) + 5
        if words[PARTIES] > together:  # so this round does not come back
            together, base, begin = words[PARTIES], -1, end
            if together > most:  # some of which may be equal by now
                end = now
        if base < 0:
            logged = DEEDS
        elif now - base > words[SPAN] or logged + words[PARTIES] > DEEDS + MOST_DEEDS:
            base, logged = -1, DEEDS
            words[SPAN] *= 2
            if words[SPAN] > MOST_ROUND:
                words[SPAN], words[LULL] = SHORTEST_ROUND, LONGEST_LULL
            begin = now if words[LULL] <= 0 else end
        elif now < end and is_back(words, parties, start, base, now):
            log[now - base] = logged
            now = go_round(
                words, data, leaps, touched, parties, queue, start, log, script, base, now, end
            )
            base, logged = -1, DEEDS
            begin = now if words[LULL] <= 0 else end
    words[BLOCKED] = 1 if now == end < ticks else 0
    arrive_all(words, data, kinds, leaps, parties, now)
    scatter(words, cursors, parties, queue)
    words[WORK] -= GATHERING * words[COUNT] + SETTING_OUT * words[PARTIES]
    words[TICKS] += now
    words[LULL] -= now
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
    parties: I32,
) -> int:
    """Find the first leap of every party; 0 if one has none."""
    for i in range(words[PARTIES]):
        standing = ~parties[PARTY * i + LEAP_AT]
        leap = find(words, data, kinds, leaps, slots, seen, touched, marks, standing, words[TAG])
        if leap < 0:
            return 0
        parties[PARTY * i + LEAP_AT] = leap
    return 1


def first_on_code(words: I64, leaps: I32, touched: I32, parties: I32) -> int:
    """The tick of the first deed that changes what leaps pass over: some may do so by now."""
    first = NEVER << 20
    for i in range(words[PARTIES]):
        party = PARTY * i
        target = parties[party + TARGET]
        if (
            parties[party + LEAP_AT] >= 0
            and leaps[parties[party + LEAP_AT]] & 15 < ASK
            and parties[party + CHANGE] & (7 << 3)
            and 0 <= target < words[COVERED]
            and touched[target] >= MOST_TAGS
        ):
            first = min(first, parties[party + DUE])
    return first


def arrive_all(words: I64, data: U8, kinds: U8, leaps: I32, parties: I32, now: int) -> None:
    """Let parties be where they are at that tick, in the midst of their leaps."""
    width = words[WIDTH]
    for i in range(words[PARTIES]):
        party = PARTY * i
        leap, mode = parties[party + LEAP_AT], parties[party + CHANGE] & 7
        if leap < 0:  # there is none from there
            standing, mode = ~leap, parties[party + CHANGE] >> 3
        else:
            standing = leaps[leap + FROM]
            steps = (leaps[leap] >> 8) - 1 - parties[party + DUE] + now
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
        parties[party + LEAP_AT], parties[party + CHANGE] = ~standing, mode
