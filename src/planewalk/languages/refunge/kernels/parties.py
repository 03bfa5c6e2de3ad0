"""Equal cursors go as one party, which waits in a queue for the tick of its next deed."""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64
from .words import (
    ASIDE,
    ASK,
    BEHIND,
    BY,
    CHANGE,
    COUNT,
    COVERED,
    CURSOR,
    DUE,
    EXPECTED,
    FOLLOWS,
    HAND,
    HAND_X,
    HEADS,
    HEIGHT,
    HELD,
    LEAP_AT,
    MODE,
    MOST,
    MOST_TAGS,
    NEVER,
    NOW,
    PARTIES,
    PARTY,
    ROOM,
    SAME_MODE,
    SLOTS,
    SPLIT,
    STOP,
    SUBTRACT,
    TARGET,
    TARGET_X,
    TIMES,
    WAY,
    WIDTH,
    X,
)


def gather(words: I64, cursors: I32, parties: I32, queue: I32) -> int:
    """Make parties of all cursors; 0 if one is where that cannot be."""
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
        party = queue[table + slot]
        while party >= 0 and (
            parties[party + LEAP_AT] != ~standing
            or parties[party + HELD] != hand
            or parties[party + CHANGE] & 7 != mode
        ):
            slot = (slot + 1) & (size - 1)
            party = queue[table + slot]
        if party < 0:
            party = end
            end += PARTY
            queue[table + slot] = party
            parties[party + LEAP_AT], parties[party + HELD] = ~standing, hand
            parties[party + TARGET_X] = cursors[at + HAND_X]
            parties[party + CHANGE], parties[party + HEADS] = 9 * mode, 0
            parties[party + BEHIND] = -1
        parties[party + HEADS] += 1
        queue[SLOTS + i] = party
    words[PARTIES], words[EXPECTED] = end // PARTY, words[COUNT]
    return 1


def scatter(words: I64, cursors: I32, parties: I32, queue: I32) -> None:
    """Let cursors be where their parties are, and their twins behind them."""
    then, width = CURSOR * words[ROOM] - words[NOW], words[WIDTH]
    to = then
    for i in range(words[COUNT]):
        party = queue[SLOTS + i]
        while party >= 0:
            standing, hand = ~parties[party + LEAP_AT], parties[party + HELD]
            cursors[to], cursors[to + X] = standing >> 2, (standing >> 2) % width
            cursors[to + WAY], cursors[to + MODE] = standing & 3, parties[party + CHANGE]
            cursors[to + HAND], cursors[to + HAND_X] = hand, hand % width
            to += CURSOR
            party = parties[party + BEHIND]
    words[NOW], words[COUNT] = then, (to - then) // CURSOR


def await_deed(words: I64, leaps: I32, touched: I32, parties: I32, party: int, now: int) -> int:
    """Note what the leap of a party will do, and when; gives the tick before which all have to stop
    because of it."""
    leap, hand, heads = parties[party + LEAP_AT], parties[party + HELD], parties[party + HEADS]
    width, what = words[WIDTH], leaps[leap]
    deed, mode = what & 15, (what >> 4) & 7
    before = parties[party + CHANGE] >> 3
    mode = before if mode == SAME_MODE else mode
    target, x = hand + leaps[leap + BY], parties[party + TARGET_X] + leaps[leap + ASIDE]
    if x < 0:
        x += width
        target += width
    elif x == width:
        x = 0
        target -= width
    due = now + (what >> 8) - 1
    sign = (mode & 1) - (mode >> 1)
    times = sign * heads if deed < ASK else 0
    parties[party + DUE], parties[party + TARGET], parties[party + TARGET_X] = due, target, x
    parties[party + TIMES], parties[party + CHANGE] = times, 8 * mode + before
    if deed == STOP:
        return now
    if deed == SPLIT:
        words[EXPECTED] += heads
        if words[EXPECTED] > min(words[ROOM], words[MOST]):
            return due
    if target < 0 or target >= min(words[HEIGHT] * width, words[COVERED]):
        return due
    # What is rare is asked first: these are hard to foresee.
    if mode > SUBTRACT or touched[target] >= MOST_TAGS or touched[hand] >= MOST_TAGS:
        if deed < ASK and (mode > SUBTRACT or (mode and touched[target] >= MOST_TAGS)):
            return due
        if touched[hand] >= MOST_TAGS and touched[hand] & 1:
            return due
    return NEVER << 20


def split(words: I64, parties: I32, party: int) -> int:
    """Make a party of the twins of all cursors of another one, which forks."""
    twin = PARTY * words[PARTIES]
    for i in range(PARTY):
        parties[twin + i] = parties[party + i]
    parties[party + BEHIND] = twin
    words[PARTIES] += 1
    return twin


def enqueue(parties: I32, queue: I32, party: int) -> None:
    """Let a party wait for its deed."""
    slot = parties[party + DUE] & (SLOTS - 1)
    parties[party + FOLLOWS] = queue[slot]
    queue[slot] = party


def line_up(words: I64, parties: I32, queue: I32) -> None:
    """Let all parties wait for their deeds."""
    for i in range(SLOTS):
        queue[i] = -1
    for i in range(words[PARTIES]):
        enqueue(parties, queue, PARTY * i)
