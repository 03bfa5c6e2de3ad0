"""The kernel that attends to superinstructions: finds them, and has them recorded."""

from __future__ import annotations

from ...kernels.kernel import I32, I64, U8
from .frame import FRAME
from .layout import *
from .perform import is_due
from .record import is_true, known_at, looked_up, record
from .templates import close, compile_one, fall_back, link


def attend(
    words: I64, data: U8, marks: U8, rows: I32, supers: I32, lookup: I32, notebook: I32, code: U8,
    why: int, posture: int,
) -> int:  # fmt: skip
    """Do what has to be done before more can be performed; gives the posture in which the walker
    stops if nothing can. In the beginning, `posture` is the one it stands in."""
    at = words[AT]
    if why == HANDS_OVER:
        words[CALLED] = words[PERFORM_CODE]
        return GOES_ON
    if why == HAS_FAILED or why == FALLS_BACK:  # noqa: SIM109
        if why == HAS_FAILED:
            doubt(words, supers, lookup, code, at)
        fall_back(supers, code, at)
        return go_on(words, supers, supers[at + BASIC])
    if why == BEGINS:
        words[RECORDED] = 0
        cell = words[PLACE_Y] * words[WIDTH] + words[PLACE_X]
    elif why == WANTS_NEXT:
        if supers[at + CODE] == 0:
            count = supers[at + COUNT]
            if supers[at + SHAPE] < LOOP and is_due(count, words[HOT], words[HOTTER]):
                trace(words, data, marks, rows, supers, lookup, notebook, at)
            # Blocks are needed even where a longer trace has taken the place of one.
            if count >= words[HOTTER] and (
                supers[at + BASIC] == 0 or supers[at + STAMP] != DROPPED
            ):
                compile_one(words, supers, code, at)
        end = at + 2 * words[ANSWER]
        cell, posture = supers[end + END], supers[end + END_POSTURE]
    else:  # it cannot be performed here and now
        words[WANTS_FUEL] = 1 if supers[at + TICKS] > words[FUEL] else 0
        return leave(words, supers[at + CELL], supers[at + POSTURE])
    found = supers[at + LINK + words[ANSWER]] if why == WANTS_NEXT else 0
    if not is_true(words, supers, found):
        found = find(words, data, marks, rows, supers, lookup, notebook, cell, posture)
    if found < 0:
        return leave(words, cell, posture)
    if why == WANTS_NEXT:
        supers[at + LINK + words[ANSWER]] = found
        link(supers, code, at, words[ANSWER])
    return go_on(words, supers, found)


def go_on(words: I64, supers: I32, at: int) -> int:
    """Have a superinstruction performed next, by its machine code if it has some."""
    words[AT], words[CALLED] = at, words[PERFORM_CODE]
    if supers[at + CODE]:
        words[CALLED] = words[TEMPLATES_RUN]
        words[ENTERED] = words[TEMPLATES_RUN] + supers[at + CODE]
    return GOES_ON


def leave(words: I64, cell: int, posture: int) -> int:
    """Have the walker stand there."""
    words[PLACE_X], words[PLACE_Y] = cell % words[WIDTH], cell // words[WIDTH]
    return posture


def find(
    words: I64, data: U8, marks: U8, rows: I32, supers: I32, lookup: I32, notebook: I32, cell: int,
    posture: int,
) -> int:  # fmt: skip
    """The superinstruction from a cell on, in a posture; -1 if there is no room for it. Then all
    are forgotten."""
    at = known_at(words, supers, lookup, cell, posture)
    if at:
        return at
    if words[TAKEN] + SIZE > words[ROOM]:
        words[EPOCH] += 1
        words[TAKEN], words[TEMPLATES_END] = FIRST, FRAME
        words[STUBS_BEGIN], words[LAST_TEMPLATE] = words[TEMPLATES_ROOM], 0
        for i in range(words[LOOKUP_MASK] + 1):
            lookup[i] = 0
        return -1
    at = record(words, data, marks, rows, supers, lookup, notebook, cell, posture, 0)
    lookup[looked_up(words, cell, posture)] = at
    return at


def trace(
    words: I64, data: U8, marks: U8, rows: I32, supers: I32, lookup: I32, notebook: I32,
    before: int,
) -> None:  # fmt: skip
    """Have a trace begin where a block or a shorter trace does, if it goes on behind the end."""
    cell, posture, end = supers[before + CELL], supers[before + POSTURE], words[TAKEN]
    if end + SIZE > words[ROOM]:
        return
    basic = before
    if supers[before + BASIC]:  # then it knows how its last question is answered
        basic, last = supers[before + BASIC], supers[before + LAST]
        supers[last + COUNT] = supers[before + COUNT]
        supers[last + COUNT_EQUAL] = supers[before + COUNT_EQUAL]
    at = record(words, data, marks, rows, supers, lookup, notebook, cell, posture, basic)
    if supers[at + TICKS] <= supers[before + TICKS]:
        words[TAKEN] = end
        return
    supers[at + BASIC], supers[before + STAMP] = basic, DROPPED
    lookup[looked_up(words, cell, posture)] = at


def doubt(words: I64, supers: I32, lookup: I32, code: U8, at: int) -> None:
    """Drop a trace that fails often, for all the times that it does not."""
    if 4 * supers[at + FAILED] > supers[at + COUNT]:
        drop(words, supers, lookup, at)
        close(supers, code, at)
    else:
        supers[at + FAILED], supers[at + COUNT] = 0, words[HOTTER] + 1
        compile_one(words, supers, code, at)


def drop(words: I64, supers: I32, lookup: I32, at: int) -> None:
    """Have a trace found no more: its first block takes its place, and is watched anew."""
    basic = supers[at + BASIC]
    supers[at + STAMP] = DROPPED
    supers[basic + STAMP] = COMPILED if supers[basic + CODE] else supers[basic + FOUND_IN]
    supers[basic + COUNT], supers[basic + COUNT_EQUAL] = words[HOT] + 1, 0
    lookup[looked_up(words, supers[at + CELL], supers[at + POSTURE])] = basic
