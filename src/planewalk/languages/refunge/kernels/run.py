"""Many cursors in machine code: kernels (`engines/kernels/kernel.py`), also plain Python.

There are two ways to go on, and `run` changes between them:

- `together`: one tick of all cursors, just as the rules say. All look at the field as it is; what
  they wish is noted and comes true afterwards.
- `by_actions`: the same in the order of time, but groups of cursors that only walk are left alone
  until their next action; and rounds are recorded and replayed (`rounds.py`).

What leaves the field, reads, writes, makes rows or changes code is for all together.

A tick that needs more than there is (input, rows, room for cursors or output) is not begun, nor is
one in which something may happen that the run stops at. Such cells are marked: in `marks` for
cursors that go together; leaps end before them, and their tags say that they must not be touched.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from .actions import by_actions
from .leaps import check_leaps
from .words import (
    ADD,
    ALL_INPUT,
    ALL_OUTPUT,
    ALL_READING,
    ARRIVED,
    BARRED,
    BLOCKED,
    CARRY,
    CLEAR,
    CLOSED,
    COUNT,
    CURSOR,
    FORK,
    FUTILE,
    HAND,
    HAND_X,
    HEIGHT,
    INPUT,
    INPUT_ADDS,
    JUMP,
    LOCKSTEP,
    MODE,
    MOST,
    MOST_WRITTEN,
    NONE,
    NOW,
    OUTPUT,
    POSITION,
    READ,
    ROOM,
    ROWS,
    SET_MODE,
    SIDE,
    STALE,
    STEP,
    SUBTRACT,
    TEST,
    TICKS,
    TURN,
    WAY,
    WIDTH,
    WORK,
    WRITTEN,
    WRITTEN_TO,
    X,
)

SHORTEST_STRETCH = 16  # ticks by actions
TOGETHER = 3  # nanoseconds for each cursor in a tick of all together
LONGEST_LOCKSTEP = 12  # stretches by actions that were slower; each doubles the wait for the next


def run(
    words: I64,
    data: U8,
    kinds: U8,
    cursors: I32,
    wishes: I64,
    source: U8,
    output: U8,
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
    """Go on for so many ticks, or as time allows; 0 if the next one is for the reference engine."""
    end = words[TICKS] + ticks
    while words[TICKS] < end and words[WORK] > 0:
        left = end - words[TICKS]
        if words[LOCKSTEP] > 0 or left < SHORTEST_STRETCH:
            if not together(words, data, kinds, cursors, wishes, source, output, marks):
                return 0
            words[WORK] -= TOGETHER * words[COUNT]
            words[LOCKSTEP] = max(words[LOCKSTEP] - 1, 0)
            if words[COUNT] == 1:
                return 1
            continue
        if words[STALE]:
            check_leaps(words, data, leaps, slots, seen, touched)
        before = words[WORK]
        made = by_actions(
            words, data, kinds, cursors, wishes, leaps, slots, seen, touched, marks, groups, queue,
            start, log, script, left,
        )  # fmt: skip
        if words[BLOCKED]:
            # Both are estimates; half as much again for the former was measured to be right.
            slower = 2 * (before - words[WORK]) > 3 * made * TOGETHER * words[COUNT]
            words[FUTILE] = min(words[FUTILE] + 1, LONGEST_LOCKSTEP) if slower else 0
            words[LOCKSTEP] = max((1 << words[FUTILE]) >> 1, 1)
    return 1


def together(
    words: I64, data: U8, kinds: U8, cursors: I32, wishes: I64, source: U8, output: U8, marks: U8
) -> int:
    """One tick of all cursors; 0, and nothing has happened, if it cannot be done here."""
    count, room, now, width = words[COUNT], words[ROOM], words[NOW], words[WIDTH]
    if 2 * count > room or words[WRITTEN] == words[MOST_WRITTEN]:
        return 0
    size = words[HEIGHT] * width
    then = CURSOR * room - now
    to = then
    sums = 0  # wishes to add, from the front
    others = room  # wishes to read or to clear, from the back
    byte = -1
    differ, grown, reading, outside = 0, 0, 0, 0
    for i in range(count):
        at = now + CURSOR * i
        cell, x, way, mode = cursors[at], cursors[at + X], cursors[at + WAY], cursors[at + MODE]
        hand, hand_x = cursors[at + HAND], cursors[at + HAND_X]
        kind = kinds[data[cell]]
        if kind < CARRY:  # no branch for what follows: which it is cannot be predicted
            way = way ^ max(kind - TURN, 0)
            mode = kind - SET_MODE if 0 < kind <= TURN else mode
        elif kind < JUMP:
            value = data[hand]
            hand += words[STEP + kind - CARRY]
            hand_x += words[SIDE + kind - CARRY]
            wrap = width if hand_x < 0 else -width if hand_x >= width else 0
            hand_x += wrap
            hand += wrap
            if mode == OUTPUT:
                differ |= 1 if byte >= 0 and byte != value else 0
                byte = value
            if not 0 <= hand < size:
                if hand < 0:
                    continue
                grown = 1
            if mode <= SUBTRACT:
                wishes[sums] = 256 * hand + (value if mode == ADD else -value & 255)
                sums += 1 if mode > NONE else 0
            elif mode != OUTPUT:
                others -= 1
                wishes[others] = 256 * hand + mode
                reading |= 1 if mode == INPUT else 0
        elif kind < FORK:
            if kind == JUMP or data[hand] == 0:
                cell += words[STEP + way]
                x += words[SIDE + way]
                wrap = width if x < 0 else -width if x >= width else 0
                x += wrap
                cell += wrap
        else:
            way = (way + 1) & 3
            place = put(words, cursors, to, cell, x, way, mode, hand, hand_x)
            outside |= 1 if place >= size else 0
            to += CURSOR if place >= 0 else 0
            way = way ^ 2
        place = put(words, cursors, to, cell, x, way, mode, hand, hand_x)
        outside |= 1 if place >= size else 0
        to += CURSOR if place >= 0 else 0
    if words[BARRED]:
        events = 0 if byte < 0 or differ else ALL_OUTPUT
        events |= ALL_INPUT if reading else 0
        if (
            words[BARRED] & events
            or arrive(cursors, marks, then, to, size + width)
            or touch(marks, wishes, 0, sums)
            or touch(marks, wishes, others, room)
            or (words[BARRED] & ALL_READING and look(words, data, kinds, cursors, marks))
        ):
            return 0
    read = -1
    if reading:
        if words[POSITION] < words[ARRIVED]:
            read = source[words[POSITION]]
        elif not words[CLOSED]:
            return 0
    if words[HEIGHT] + grown > words[ROWS]:
        return 0
    if outside:
        to = stay(cursors, then, to, size + width * grown)
    count = (to - then) // CURSOR
    if count == 0 or count > words[MOST]:
        return 0
    # From here on the tick happens.
    words[COUNT], words[NOW], words[STALE] = count, then, 1
    words[TICKS] += 1
    words[HEIGHT] += grown
    if byte >= 0 and not differ:
        output[words[WRITTEN]] = byte
        words[WRITTEN] += 1
    if read >= 0:
        words[POSITION] += 1
        if words[INPUT_ADDS]:
            write_others(data, wishes, others, room, INPUT, read)
    for i in range(sums):
        cell = wishes[i] >> 8
        data[cell] = (data[cell] + wishes[i]) & 255
    if others < room:
        if read >= 0 and not words[INPUT_ADDS]:
            write_others(data, wishes, others, room, INPUT, read)
        write_others(data, wishes, others, room, CLEAR, 0)
    return 1


def put(
    words: I64, cursors: I32, to: int, cell: int, x: int, way: int, mode: int, hand: int,
    hand_x: int,
) -> int:  # fmt: skip
    """Note a cursor after its move; gives its cell, which may be above or below the field."""
    width = words[WIDTH]
    cell += words[STEP + way]
    x += words[SIDE + way]
    wrap = width if x < 0 else -width if x >= width else 0
    x += wrap
    cell += wrap
    cursors[to], cursors[to + X], cursors[to + WAY], cursors[to + MODE] = cell, x, way, mode
    cursors[to + HAND], cursors[to + HAND_X] = hand, hand_x
    return cell


def arrive(cursors: I32, marks: U8, begin: int, end: int, size: int) -> int:
    """Whether a cursor has come to where the run stops."""
    caught = 0
    for i in range((end - begin) // CURSOR):
        at = begin + CURSOR * i
        if 0 <= cursors[at] < size:
            caught |= marks[cursors[at]] >> cursors[at + WAY]
    return caught & 1


def touch(marks: U8, wishes: I64, begin: int, end: int) -> int:
    """Whether a cell is barred that a cursor wishes to change; to add to it is to read it, too."""
    caught = 0
    for i in range(begin, end):
        caught |= marks[wishes[i] >> 8]
    return caught & (READ | WRITTEN_TO)


def look(words: I64, data: U8, kinds: U8, cursors: I32, marks: U8) -> int:
    """Whether a cell is barred that a cursor may read under its hand."""
    for i in range(words[COUNT]):
        at = words[NOW] + CURSOR * i
        kind = kinds[data[cursors[at]]]
        if marks[cursors[at + HAND]] & READ and (
            kind == TEST or (CARRY <= kind < JUMP and cursors[at + MODE] != NONE)
        ):
            return 1
    return 0


def stay(cursors: I32, begin: int, end: int, size: int) -> int:
    """Close the gaps of those that have left; gives where the last one ends now."""
    to = begin
    while to < end and 0 <= cursors[to] < size:
        to += CURSOR
    first = to
    for i in range((end - first) // CURSOR):
        at = first + CURSOR * i
        if 0 <= cursors[at] < size:
            for j in range(CURSOR):
                cursors[to + j] = cursors[at + j]
            to += CURSOR
    return to


def write_others(data: U8, wishes: I64, begin: int, end: int, mode: int, value: int) -> None:
    """Write a value wherever it was wished in that mode."""
    for i in range(begin, end):
        if wishes[i] & 255 == mode:
            data[wishes[i] >> 8] = value
