"""One tick of all cursors, just as the rules say.

All look at the field as it is; what they wish is noted, and comes true afterwards.
"""

from __future__ import annotations

from ....engines.kernels.kernel import I32, I64, U8
from ..cells import AFTER, MIRRORED, TIMES, TWINS
from . import layout as k
from .moves import around

SEVERAL = 256  # written at once, which differ: that is no output


def together(
    words: I64, data: U8, kinds: U8, cursors: I32, wishes: I64, source: U8, output: U8, marks: U8
) -> int:
    """One tick of all cursors; 0, and nothing has happened, if it cannot be done here."""
    if 2 * words[k.COUNT] > words[k.ROOM] or words[k.WRITTEN] == words[k.MOST_WRITTEN]:
        return 0
    move_all(words, data, kinds, cursors, wishes)
    if words[k.BARRED] and is_barred(words, data, kinds, cursors, wishes, marks):
        return 0
    if words[k.READING] and words[k.POSITION] == words[k.ARRIVED] and not words[k.CLOSED]:
        return 0
    if words[k.HEIGHT] + words[k.GROWN] > words[k.ROWS]:
        return 0
    then = k.CURSOR * words[k.ROOM] - words[k.NOW]
    if words[k.OUTSIDE]:
        size = (words[k.HEIGHT] + words[k.GROWN]) * words[k.WIDTH]
        words[k.TO] = stay(cursors, then, words[k.TO], size)
    count = (words[k.TO] - then) // k.CURSOR
    if count == 0 or count > words[k.MOST]:
        return 0
    words[k.COUNT], words[k.NOW], words[k.STALE] = count, then, 1
    words[k.TICKS] += 1
    words[k.HEIGHT] += words[k.GROWN]
    come_true(words, data, wishes, source, output)
    return 1


def move_all(words: I64, data: U8, kinds: U8, cursors: I32, wishes: I64) -> None:
    """Let all cursors act and move on, beside where they were, and note what they wish."""
    room, now, width = words[k.ROOM], words[k.NOW], words[k.WIDTH]
    size = words[k.HEIGHT] * width
    to = k.CURSOR * room - now
    sums = 0  # wishes to add, from the front
    others = room  # wishes to read or to clear, from the back
    byte, differ, grown, reading, outside = -1, 0, 0, 0, 0
    for i in range(words[k.COUNT]):
        at = now + k.CURSOR * i
        cell, x = cursors[at], cursors[at + k.X]
        way, mode = cursors[at + k.WAY], cursors[at + k.MODE]
        hand, hand_x = cursors[at + k.HAND], cursors[at + k.HAND_X]
        kind = kinds[data[cell]]
        if kind < k.CARRY:  # no branch for what follows: which it is cannot be predicted
            turned = MIRRORED >> 2 * (4 * max(kind - k.MIRROR, 0) + way) & 3  # sooner than AFTER
            way = turned if kind >= k.MIRROR else way
            mode = kind - k.SET_MODE if k.NOTHING < kind < k.MIRROR else mode
        elif kind < k.JUMP:
            value = data[hand]
            hand_x += words[k.SIDE + kind - k.CARRY]
            wrap = around(hand_x, width)
            hand_x += wrap
            hand += words[k.STEP + kind - k.CARRY] + wrap
            if mode == k.OUTPUT:
                differ |= 1 if byte >= 0 and byte != value else 0
                byte = value
            if not 0 <= hand < size:
                if hand < 0:
                    continue
                grown = 1
            if mode <= k.SUBTRACT:
                wishes[sums] = 256 * hand + (value * TIMES[mode] & 255)
                sums += 1 if mode > k.NONE else 0
            elif mode != k.OUTPUT:
                others -= 1
                wishes[others] = 256 * hand + mode
                reading |= 1 if mode == k.INPUT else 0
        elif kind < k.FORK:
            if kind == k.JUMP or data[hand] == 0:
                x += words[k.SIDE + way]
                wrap = around(x, width)
                x += wrap
                cell += words[k.STEP + way] + wrap
        else:
            place = put(words, cursors, to, cell, x, AFTER[4 * k.FORK + way], mode, hand, hand_x)
            outside |= 1 if place >= size else 0
            to += k.CURSOR if place >= 0 else 0
            way = TWINS[way]
        place = put(words, cursors, to, cell, x, way, mode, hand, hand_x)
        outside |= 1 if place >= size else 0
        to += k.CURSOR if place >= 0 else 0
    words[k.TO], words[k.SUMS], words[k.OTHERS] = to, sums, others
    words[k.BYTE] = SEVERAL if differ else byte
    words[k.GROWN], words[k.READING], words[k.OUTSIDE] = grown, reading, outside


def put(
    words: I64, cursors: I32, to: int, cell: int, x: int, way: int, mode: int, hand: int,
    hand_x: int,
) -> int:  # fmt: skip
    """Note a cursor after its move; gives its cell, which may be above or below the field."""
    x += words[k.SIDE + way]
    wrap = around(x, words[k.WIDTH])
    x += wrap
    cell += words[k.STEP + way] + wrap
    cursors[to], cursors[to + k.X], cursors[to + k.WAY], cursors[to + k.MODE] = cell, x, way, mode
    cursors[to + k.HAND], cursors[to + k.HAND_X] = hand, hand_x
    return cell


def is_barred(words: I64, data: U8, kinds: U8, cursors: I32, wishes: I64, marks: U8) -> int:
    """Whether something is about to happen that the run stops at."""
    then, size = k.CURSOR * words[k.ROOM] - words[k.NOW], words[k.HEIGHT] * words[k.WIDTH]
    events = k.ALL_OUTPUT if 0 <= words[k.BYTE] < SEVERAL else 0
    events |= k.ALL_INPUT if words[k.READING] else 0
    if (
        words[k.BARRED] & events
        or arrive(cursors, marks, then, words[k.TO], size + words[k.WIDTH])
        or touch(marks, wishes, 0, words[k.SUMS])
        or touch(marks, wishes, words[k.OTHERS], words[k.ROOM])
        or (words[k.BARRED] & k.ALL_READING and look(words, data, kinds, cursors, marks))
    ):
        return 1
    return 0


def come_true(words: I64, data: U8, wishes: I64, source: U8, output: U8) -> None:
    """Let everything happen that was wished: additions are summed up, a byte that is read replaces
    them, and clearing comes last."""
    others, room, read = words[k.OTHERS], words[k.ROOM], -1
    if 0 <= words[k.BYTE] < SEVERAL:
        output[words[k.WRITTEN]] = words[k.BYTE]
        words[k.WRITTEN] += 1
    if words[k.READING] and words[k.POSITION] < words[k.ARRIVED]:
        read = source[words[k.POSITION]]
        words[k.POSITION] += 1
        if words[k.INPUT_ADDS]:
            write_others(data, wishes, others, room, k.INPUT, read)
    for i in range(words[k.SUMS]):
        cell = wishes[i] >> 8
        data[cell] = (data[cell] + wishes[i]) & 255
    if others < room:
        if read >= 0 and not words[k.INPUT_ADDS]:
            write_others(data, wishes, others, room, k.INPUT, read)
        write_others(data, wishes, others, room, k.CLEAR, 0)


def arrive(cursors: I32, marks: U8, begin: int, end: int, size: int) -> int:
    """Whether a cursor has come to where the run stops."""
    caught = 0
    for i in range((end - begin) // k.CURSOR):
        at = begin + k.CURSOR * i
        if 0 <= cursors[at] < size:
            caught |= marks[cursors[at]] >> cursors[at + k.WAY]
    return caught & 1


def touch(marks: U8, wishes: I64, begin: int, end: int) -> int:
    """Whether a cell is barred that a cursor wishes to change; to add to it is to read it, too."""
    caught = 0
    for i in range(begin, end):
        caught |= marks[wishes[i] >> 8]
    return caught & (k.READ | k.WRITTEN_TO)


def look(words: I64, data: U8, kinds: U8, cursors: I32, marks: U8) -> int:
    """Whether a cell is barred that a cursor may read under its hand."""
    for i in range(words[k.COUNT]):
        at = words[k.NOW] + k.CURSOR * i
        kind = kinds[data[cursors[at]]]
        if marks[cursors[at + k.HAND]] & k.READ and (
            kind == k.TEST or (k.CARRY <= kind < k.JUMP and cursors[at + k.MODE] != k.NONE)
        ):
            return 1
    return 0


def stay(cursors: I32, begin: int, end: int, size: int) -> int:
    """Close the gaps of those that have left; gives where the last one ends now."""
    to = begin
    while to < end and 0 <= cursors[to] < size:
        to += k.CURSOR
    first = to
    for i in range((end - first) // k.CURSOR):
        at = first + k.CURSOR * i
        if 0 <= cursors[at] < size:
            for j in range(k.CURSOR):
                cursors[to + j] = cursors[at + j]
            to += k.CURSOR
    return to


def write_others(data: U8, wishes: I64, begin: int, end: int, mode: int, value: int) -> None:
    """Write a value wherever it was wished in that mode."""
    for i in range(begin, end):
        if wishes[i] & 255 == mode:
            data[wishes[i] >> 8] = value
