"""The kernel that attends to superinstructions: finds them, and has them recorded."""

from __future__ import annotations

from ...kernels.kernel import I32, I64, U8
from .perform import is_due
from .record import known_at, looked_up, record
from .words import (
    ANSWER,
    AT,
    BASIC,
    BEGINS,
    CELL,
    COUNT,
    COUNT_EQUAL,
    DROPPED,
    END,
    END_POSTURE,
    EPOCH,
    GOES_ON,
    HAS_FAILED,
    HOT,
    LAST,
    LINE,
    LINK,
    LOOKUP_MASK,
    LOOP,
    PLACE_X,
    PLACE_Y,
    POSTURE,
    RECORDED,
    ROOM,
    SHAPE,
    SIZE,
    STAMP,
    TAKEN,
    TICKS,
    WANTS_NEXT,
    WIDTH,
)


def attend(
    words: I64,
    data: U8,
    passed: U8,
    rows: I32,
    supers: I32,
    lookup: I32,
    notebook: I32,
    why: int,
    posture: int,
) -> int:
    """Do what has to be done before more can be performed; gives the posture in which the walker
    stops if nothing can. In the beginning, `posture` is the one it stands in."""
    at = words[AT]
    if why == HAS_FAILED:
        drop(words, supers, lookup, at)
        words[AT] = supers[at + BASIC]
        return GOES_ON
    if why == BEGINS:
        words[RECORDED] = 0
        cell = words[PLACE_Y] * words[WIDTH] + words[PLACE_X]
    elif why == WANTS_NEXT:
        if is_due(supers[at + COUNT]) and supers[at + SHAPE] < LOOP:
            trace(words, data, passed, rows, supers, lookup, notebook, at)
        end = at + 2 * words[ANSWER]
        cell, posture = supers[end + END], supers[end + END_POSTURE]
    else:
        return leave(words, supers[at + CELL], supers[at + POSTURE])
    found = find(words, data, passed, rows, supers, lookup, notebook, cell, posture)
    if found < 0:
        return leave(words, cell, posture)
    if why == WANTS_NEXT:
        supers[at + LINK + words[ANSWER]] = found
    words[AT] = found
    return GOES_ON


def leave(words: I64, cell: int, posture: int) -> int:
    """Have the walker stand there."""
    words[PLACE_X], words[PLACE_Y] = cell % words[WIDTH], cell // words[WIDTH]
    return posture


def find(
    words: I64,
    data: U8,
    passed: U8,
    rows: I32,
    supers: I32,
    lookup: I32,
    notebook: I32,
    cell: int,
    posture: int,
) -> int:
    """The superinstruction from a cell on, in a posture; -1 if there is no room for it. Then all
    are forgotten."""
    at = known_at(words, supers, lookup, cell, posture)
    if at:
        return at
    if words[TAKEN] + SIZE > words[ROOM]:
        words[EPOCH] += 1
        words[TAKEN] = LINE
        for i in range(words[LOOKUP_MASK] + 1):
            lookup[i] = 0
        return -1
    at = record(words, data, passed, rows, supers, lookup, notebook, cell, posture, 0)
    lookup[looked_up(words, cell, posture)] = at
    return at


def trace(
    words: I64,
    data: U8,
    passed: U8,
    rows: I32,
    supers: I32,
    lookup: I32,
    notebook: I32,
    before: int,
) -> None:
    """Have a trace begin where a block or a shorter trace does, if it goes on behind the end."""
    cell, posture, end = supers[before + CELL], supers[before + POSTURE], words[TAKEN]
    if end + SIZE > words[ROOM]:
        return
    basic = before
    if supers[before + BASIC]:  # then it knows how its last question is answered
        basic, last = supers[before + BASIC], supers[before + LAST]
        supers[last + COUNT] = supers[before + COUNT]
        supers[last + COUNT_EQUAL] = supers[before + COUNT_EQUAL]
    at = record(words, data, passed, rows, supers, lookup, notebook, cell, posture, basic)
    if supers[at + TICKS] <= supers[before + TICKS]:
        words[TAKEN] = end
        return
    supers[at + BASIC], supers[before + STAMP] = basic, DROPPED
    lookup[looked_up(words, cell, posture)] = at


def drop(words: I64, supers: I32, lookup: I32, at: int) -> None:
    """Have a trace found no more: its first block takes its place, and is watched anew."""
    basic = supers[at + BASIC]
    supers[basic + STAMP], supers[at + STAMP] = supers[at + STAMP], DROPPED
    supers[basic + COUNT], supers[basic + COUNT_EQUAL] = HOT + 1, 0
    lookup[looked_up(words, supers[at + CELL], supers[at + POSTURE])] = basic
