"""One tick of all cursors, just as the rules say.

All look at the field as it is; what they wish is noted, and comes true afterwards.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from ..cells import AFTER, MIRRORED, TIMES, TWINS
from .layout import (
    ALL_INPUT,
    ALL_OUTPUT,
    ALL_READING,
    ARRIVED,
    BARRED,
    BYTE,
    CARRY,
    CLEAR,
    CLOSED,
    COUNT,
    CURSOR,
    FORK,
    GROWN,
    HAND,
    HAND_X,
    HEIGHT,
    INPUT,
    INPUT_ADDS,
    JUMP,
    MIRROR,
    MODE,
    MOST,
    MOST_WRITTEN,
    NONE,
    NOTHING,
    NOW,
    OTHERS,
    OUTPUT,
    OUTSIDE,
    POSITION,
    READ,
    READING,
    ROOM,
    ROWS,
    SET_MODE,
    SIDE,
    STALE,
    STEP,
    SUBTRACT,
    SUMS,
    TEST,
    TICKS,
    TO,
    WAY,
    WIDTH,
    WRITTEN,
    WRITTEN_TO,
    X,
)  # fmt: skip
from .moves import around

SEVERAL = 256  # written at once, which differ: that is no output


def together(
    words: I64, data: U8, kinds: U8, cursors: I32, wishes: I64, source: U8, output: U8, marks: U8
) -> int:
    """One tick of all cursors; 0, and nothing has happened, if it cannot be done here."""
    if 2 * words[COUNT] > words[ROOM] or words[WRITTEN] == words[MOST_WRITTEN]:
        return 0
    move_all(words, data, kinds, cursors, wishes)
    if words[BARRED] and is_barred(words, data, kinds, cursors, wishes, marks):
        return 0
    if words[READING] and words[POSITION] == words[ARRIVED] and not words[CLOSED]:
        return 0
    if words[HEIGHT] + words[GROWN] > words[ROWS]:
        return 0
    then = CURSOR * words[ROOM] - words[NOW]
    if words[OUTSIDE]:
        size = (words[HEIGHT] + words[GROWN]) * words[WIDTH]
        words[TO] = stay(cursors, then, words[TO], size)
    count = (words[TO] - then) // CURSOR
    if count == 0 or count > words[MOST]:
        return 0
    words[COUNT], words[NOW], words[STALE] = count, then, 1
    words[TICKS] += 1
    words[HEIGHT] += words[GROWN]
    come_true(words, data, wishes, source, output)
    return 1


def move_all(words: I64, data: U8, kinds: U8, cursors: I32, wishes: I64) -> None:
    """Let all cursors act and move on, beside where they were, and note what they wish."""
    room, now, width = words[ROOM], words[NOW], words[WIDTH]
    size = words[HEIGHT] * width
    to = CURSOR * room - now
    sums = 0  # wishes to add, from the front
    others = room  # wishes to read or to clear, from the back
    byte, differ, grown, reading, outside = -1, 0, 0, 0, 0
    for i in range(words[COUNT]):
        at = now + CURSOR * i
        cell, x, way, mode = cursors[at], cursors[at + X], cursors[at + WAY], cursors[at + MODE]
        hand, hand_x = cursors[at + HAND], cursors[at + HAND_X]
        kind = kinds[data[cell]]
        if kind < CARRY:  # no branch for what follows: which it is cannot be predicted
            turned = MIRRORED >> 2 * (4 * max(kind - MIRROR, 0) + way) & 3  # sooner than AFTER
            way = turned if kind >= MIRROR else way
            mode = kind - SET_MODE if NOTHING < kind < MIRROR else mode
        elif kind < JUMP:
            value = data[hand]
            hand_x += words[SIDE + kind - CARRY]
            wrap = around(hand_x, width)
            hand_x += wrap
            hand += words[STEP + kind - CARRY] + wrap
            if mode == OUTPUT:
                differ |= 1 if byte >= 0 and byte != value else 0
                byte = value
            if not 0 <= hand < size:
                if hand < 0:
                    continue
                grown = 1
            if mode <= SUBTRACT:
                wishes[sums] = 256 * hand + (value * TIMES[mode] & 255)
                sums += 1 if mode > NONE else 0
            elif mode != OUTPUT:
                others -= 1
                wishes[others] = 256 * hand + mode
                reading |= 1 if mode == INPUT else 0
        elif kind < FORK:
            if kind == JUMP or data[hand] == 0:
                x += words[SIDE + way]
                wrap = around(x, width)
                x += wrap
                cell += words[STEP + way] + wrap
        else:
            place = put(words, cursors, to, cell, x, AFTER[4 * FORK + way], mode, hand, hand_x)
            outside |= 1 if place >= size else 0
            to += CURSOR if place >= 0 else 0
            way = TWINS[way]
        place = put(words, cursors, to, cell, x, way, mode, hand, hand_x)
        outside |= 1 if place >= size else 0
        to += CURSOR if place >= 0 else 0
    words[TO], words[SUMS], words[OTHERS] = to, sums, others
    words[BYTE] = SEVERAL if differ else byte
    words[GROWN], words[READING], words[OUTSIDE] = grown, reading, outside


def put(
    words: I64, cursors: I32, to: int, cell: int, x: int, way: int, mode: int, hand: int,
    hand_x: int,
) -> int:  # fmt: skip
    """Note a cursor after its move; gives its cell, which may be above or below the field."""
    x += words[SIDE + way]
    wrap = around(x, words[WIDTH])
    x += wrap
    cell += words[STEP + way] + wrap
    cursors[to], cursors[to + X], cursors[to + WAY], cursors[to + MODE] = cell, x, way, mode
    cursors[to + HAND], cursors[to + HAND_X] = hand, hand_x
    return cell


def is_barred(words: I64, data: U8, kinds: U8, cursors: I32, wishes: I64, marks: U8) -> int:
    """Whether something is about to happen that the run stops at."""
    then, size = CURSOR * words[ROOM] - words[NOW], words[HEIGHT] * words[WIDTH]
    events = ALL_OUTPUT if 0 <= words[BYTE] < SEVERAL else 0
    events |= ALL_INPUT if words[READING] else 0
    if (
        words[BARRED] & events
        or arrive(cursors, marks, then, words[TO], size + words[WIDTH])
        or touch(marks, wishes, 0, words[SUMS])
        or touch(marks, wishes, words[OTHERS], words[ROOM])
        or (words[BARRED] & ALL_READING and look(words, data, kinds, cursors, marks))
    ):
        return 1
    return 0


def come_true(words: I64, data: U8, wishes: I64, source: U8, output: U8) -> None:
    """Let everything happen that was wished: additions are summed up, a byte that is read replaces
    them, and clearing comes last."""
    others, room, read = words[OTHERS], words[ROOM], -1
    if 0 <= words[BYTE] < SEVERAL:
        output[words[WRITTEN]] = words[BYTE]
        words[WRITTEN] += 1
    if words[READING] and words[POSITION] < words[ARRIVED]:
        read = source[words[POSITION]]
        words[POSITION] += 1
        if words[INPUT_ADDS]:
            write_others(data, wishes, others, room, INPUT, read)
    for i in range(words[SUMS]):
        cell = wishes[i] >> 8
        data[cell] = (data[cell] + wishes[i]) & 255
    if others < room:
        if read >= 0 and not words[INPUT_ADDS]:
            write_others(data, wishes, others, room, INPUT, read)
        write_others(data, wishes, others, room, CLEAR, 0)


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
