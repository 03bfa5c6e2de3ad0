"""Many cursors in machine code: kernels (`engines/kernels/kernel.py`), also plain Python.

There are two ways to go on, and `run` changes between them:

- `together`: one tick of all cursors, just as the rules say. All look at the field as it is; what
  they wish is noted and comes true afterwards.
- `apart`: for a spell of many ticks each cursor runs by itself, one after the other. That is the
  same as going together as long as no cursor touches a cell that another one writes in that spell.
  Who touched a cell is noted; when two get into each other's way, or one does what only all
  together can do (fork, leave, read, write, make rows), the spell is undone.

By itself a cursor runs in leaps: from a standing (a cell and a way) over cells that only turn it
or set its mode, up to the next deed, which is part of the leap. Leaps are found once and kept
until a cell that one of them passes over has changed.

A tick that needs more than there is (input, rows, room for cursors or output) is not begun, nor is
one in which something may happen that the run stops at. Such cells are marked: in `marks` for
cursors that go together; leaps end before them, and their tags say that nobody may touch them.
"""

from __future__ import annotations

from ...engines.kernels.kernel import I32, I64, U8

# What a cell does: nothing (0), or these, with a mode, a turn (way ^ 1 to way ^ 3), a way added.
SET_MODE, TURN, CARRY, JUMP, TEST, FORK = 1, 6, 10, 15, 16, 17

# Ways are 0 to 3, clockwise from the right; 4 is to stay. These are the modes:
NONE, ADD, SUBTRACT, INPUT, OUTPUT, CLEAR = range(6)

# A cursor is six numbers: its cell and the column of that, way, mode, hand and the column of that.
CURSOR = 6
X, WAY, MODE, HAND, HAND_X = range(1, 6)

# A leap is four: ticks * 256 + new mode * 16 + deed, two ways on (the second for zeros), and the
# standing where it begins, cell * 4 + way. A way on is a leap, or ~standing while that is unknown.
LEAP = 4
NEXT, OVER, FROM = range(1, 4)
SAME_MODE = 7
ASK, GO_ON, STOP = 5, 6, 7  # deeds besides the five ways to carry
LONGEST_LEAP, NEVER = 1_000, 1 << 20  # ticks; the latter of leaps that are not for one alone

# Tags of cursors are less than MOST_TAGS, and odd if they wrote the cell. What is more is for all:
# none may write a cell that leaps pass over or that is barred, and none read it if it is odd.
MOST_TAGS = 1 << 30
PASSED, WRITING_BARRED, READING_BARRED = 2, 4, 5
CODE = MOST_TAGS + PASSED

# In `marks`: 1 << way for cursors that arrive so, and these for cells that are read or written.
READ, WRITTEN_TO = 16, 32
# What the run stops at, in words[BARRED]: what `marks` says, cells read among it; output, input.
MARKED, ALL_READING, ALL_OUTPUT, ALL_INPUT = 1, 2, 4, 8

SHORTEST_SPELL, LONGEST_SPELL = 16, 1_024
LONGEST_WAIT = 10  # spells in vain, each of which doubles the wait for the next

# The numbers of a run, by their place in `words`.
(
    TICKS, WIDTH, HEIGHT, ROWS,  # ticks made; the field, and the rows there are memory for
    COUNT, ROOM, MOST, NOW,  # cursors, how many fit and may be; where in `cursors` they begin
    POSITION, ARRIVED, CLOSED, INPUT_ADDS, WRITTEN, MOST_WRITTEN,  # input and output
    COVERED, LEAPS, MOST_LEAPS, LEAPS_HEIGHT, SEEN, STALE,  # what is known of leaps
    SPELL, WAIT, FAILED, TAG, NOTES, MOST_NOTES,  # spells, and what it takes to undo one
    STEP, _, _, _, _, SIDE, _, _, _, _,  # by way: what it adds to a cell and to a column
    BARRED, WORDS,
) = range(38)  # fmt: skip


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
    notes: I64,
    marks: U8,
    ticks: int,
) -> int:
    """Go on for so many ticks; 0 if the next one is for somebody else before that."""
    end = words[TICKS] + ticks
    while words[TICKS] < end:
        left = end - words[TICKS]
        if words[WAIT] > 0 or left < SHORTEST_SPELL:
            if not together(words, data, kinds, cursors, wishes, source, output, marks):
                return 0
            words[WAIT] -= 1
            if words[COUNT] == 1:
                return 1
            continue
        if words[STALE]:
            check_leaps(words, data, leaps, slots, seen, touched)
        spell = min(left, words[SPELL])
        if apart(words, data, kinds, cursors, leaps, slots, seen, touched, notes, marks, spell):
            words[TICKS] += spell
            words[FAILED] = 0
            if spell == words[SPELL]:
                words[SPELL] = min(2 * spell, LONGEST_SPELL)
        else:
            undo(words, data, notes)
            words[FAILED] = min(words[FAILED] + 1, LONGEST_WAIT)
            words[WAIT] = spell << (words[FAILED] - 1)
            words[SPELL] = max(spell // 2, SHORTEST_SPELL)
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
        jump = 0
        if kind < CARRY:
            way = way ^ max(kind - TURN, 0)
            mode = kind - SET_MODE if 0 < kind <= TURN else mode
        elif kind < JUMP:
            value = data[hand]
            hand += words[STEP + kind - CARRY]
            hand_x += words[SIDE + kind - CARRY]
            if hand_x < 0:
                hand_x += width
                hand += width
            if hand_x >= width:
                hand_x = 0
                hand -= width
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
            jump = 1 if kind == JUMP or data[hand] == 0 else 0
        else:
            way = (way + 1) & 3
            outside |= put(words, cursors, to, size, cell, x, way, mode, hand, hand_x, 0)
            to += CURSOR
            way = way ^ 2
        outside |= put(words, cursors, to, size, cell, x, way, mode, hand, hand_x, jump)
        to += CURSOR
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
    words: I64, cursors: I32, to: int, size: int, cell: int, x: int, way: int, mode: int, hand: int,
    hand_x: int, jump: int,
) -> int:  # fmt: skip
    """Note a cursor after its move, or two; 1 if it has left the field as it was."""
    width = words[WIDTH]
    cell += words[STEP + way] << jump
    x += words[SIDE + way] << jump
    while x < 0:
        x += width
        cell += width
    while x >= width:
        x -= width
        cell -= width
    cursors[to], cursors[to + X], cursors[to + WAY], cursors[to + MODE] = cell, x, way, mode
    cursors[to + HAND], cursors[to + HAND_X] = hand, hand_x
    return 0 if 0 <= cell < size else 1


def arrive(cursors: I32, marks: U8, begin: int, end: int, size: int) -> int:
    """Whether a cursor has come to where the run stops."""
    caught = 0
    for i in range((end - begin) // CURSOR):
        at = begin + CURSOR * i
        if 0 <= cursors[at] < size:
            caught |= marks[cursors[at]] >> cursors[at + WAY]
    return caught & 1


def touch(marks: U8, wishes: I64, begin: int, end: int) -> int:
    """Whether a cell is barred that somebody wishes to change; to add to it is to read it, too."""
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
    for i in range((end - begin) // CURSOR):
        at = begin + CURSOR * i
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


# Apart ----------------------------------------------------------------------------------------


def apart(
    words: I64,
    data: U8,
    kinds: U8,
    cursors: I32,
    leaps: I32,
    slots: I32,
    seen: I64,
    touched: I32,
    notes: I64,
    marks: U8,
    ticks: int,
) -> int:
    """Each cursor for so many ticks by itself; 0 if that did not go well and must be undone."""
    count, now, width = words[COUNT], words[NOW], words[WIDTH]
    size = min(words[HEIGHT] * width, words[COVERED])
    then = CURSOR * words[ROOM] - now
    words[NOTES] = 0
    if words[TAG] + 2 * count >= MOST_TAGS:
        fade(words, touched)
    old = words[TAG]  # tags of former spells are less
    words[TAG] += 2 * count
    for i in range(count):
        at = now + CURSOR * i
        mode, hand, hand_x = cursors[at + MODE], cursors[at + HAND], cursors[at + HAND_X]
        mine = old + 2 * i + 1  # the tag of cells that it wrote; of those it only read, one less
        left = ticks
        link = -1
        leap = ~(4 * cursors[at] + cursors[at + WAY])
        while True:
            if leap < 0:
                leap = find(words, data, kinds, leaps, slots, seen, touched, marks, ~leap, old)
                if leap < 0:
                    return 0
                if link >= 0:
                    leaps[link] = leap
            what = leaps[leap]
            if what >> 8 > left:
                break
            left -= what >> 8
            if (what >> 4) & 7 != SAME_MODE:
                mode = (what >> 4) & 7
            deed = what & 15
            link = leap + NEXT
            if deed < ASK:
                source = hand
                hand += words[STEP + deed]
                hand_x += words[SIDE + deed]
                if hand_x < 0:
                    hand_x += width
                    hand += width
                elif hand_x == width:
                    hand_x = 0
                    hand -= width
                if hand < 0 or hand >= size or mode > SUBTRACT:
                    return 0
                if mode != NONE:
                    if not may_read(touched, source, old, mine):
                        return 0
                    if not may_write(words, data, touched, notes, hand, old, mine):
                        return 0
                    value = data[source] if mode == ADD else -data[source]
                    data[hand] = (data[hand] + value) & 255
            elif deed == ASK:
                if not may_read(touched, hand, old, mine):
                    return 0
                if data[hand] == 0:
                    link = leap + OVER
            leap = leaps[link]
        if left and what & 15 == STOP:
            return 0
        standing = leaps[leap + FROM]
        for _ in range(left):  # of a leap that the spell is too short for
            kind = kinds[data[standing >> 2]]
            if 0 < kind <= TURN:
                mode = kind - SET_MODE
            standing = onward(words, turned(standing, kind), 2 if kind == JUMP else 1)
        to = then + CURSOR * i
        cursors[to], cursors[to + X] = standing >> 2, (standing >> 2) % width
        cursors[to + WAY], cursors[to + MODE] = standing & 3, mode
        cursors[to + HAND], cursors[to + HAND_X] = hand, hand_x
    words[NOW] = then
    return 1


def turned(standing: int, kind: int) -> int:
    """The standing after a mirror, if it is one."""
    return standing ^ (kind - TURN) if TURN < kind < CARRY else standing


def onward(words: I64, standing: int, moves: int) -> int:
    """The standing after some moves ahead; negative outside the field."""
    cell, way, width = standing >> 2, standing & 3, words[WIDTH]
    x = cell % width + moves * words[SIDE + way]
    cell += moves * words[STEP + way]
    while x < 0:
        x += width
        cell += width
    while x >= width:
        x -= width
        cell -= width
    return 4 * cell + way if 0 <= cell < words[HEIGHT] * width else -1


def find(
    words: I64,
    data: U8,
    kinds: U8,
    leaps: I32,
    slots: I32,
    seen: I64,
    touched: I32,
    marks: U8,
    standing: int,
    old: int,
) -> int:
    """The leap from a standing; -1 if there is no room, or somebody has just written a cell."""
    if standing >= 4 * words[COVERED]:
        return -1
    if slots[standing] > 0:
        return slots[standing] - 1
    leap = words[LEAPS]
    if leap >= words[MOST_LEAPS]:
        words[LEAPS_HEIGHT] = -1
        return -1
    ticks, mode, deed, on, over = 0, SAME_MODE, GO_ON, standing, -1
    while deed == GO_ON and ticks < LONGEST_LEAP and on < 4 * words[COVERED]:
        cell = on >> 2
        tag = touched[cell]
        if tag < MOST_TAGS or tag & PASSED == 0:
            if old <= tag < MOST_TAGS and tag & 1:
                return -1
            touched[cell] = max(tag, MOST_TAGS) | PASSED
            seen[words[SEEN]] = 256 * cell + data[cell]
            words[SEEN] += 1
        kind = kinds[data[cell]]
        ahead = onward(words, turned(on, kind), 2 if kind == JUMP else 1)
        if kind == TEST and ahead >= 0:
            over = onward(words, ahead, 1)
        barred = lands(words, marks, ahead) | lands(words, marks, over)
        if kind == FORK or ahead < 0 or (kind == TEST and over < 0) or barred:
            deed = STOP  # nor is what this cell does part of the leap
            continue
        if 0 < kind <= TURN:
            mode = kind - SET_MODE
        elif CARRY <= kind < JUMP:
            deed = kind - CARRY
        elif kind == TEST:
            deed = ASK
        on = ahead
        ticks += 1
    if deed == STOP:  # before it, that is another leap
        if ticks == 0:
            ticks = NEVER
        else:
            deed = GO_ON
    slots[standing] = leap + 1
    leaps[leap] = 256 * ticks + 16 * mode + deed
    leaps[leap + NEXT], leaps[leap + OVER], leaps[leap + FROM] = ~on, ~over, standing
    words[LEAPS] += LEAP
    return leap


def lands(words: I64, marks: U8, standing: int) -> int:
    """Whether the run stops when a cursor comes to that standing."""
    if words[BARRED] and standing >= 0:
        return marks[standing >> 2] >> (standing & 3) & 1
    return 0


def check_leaps(words: I64, data: U8, leaps: I32, slots: I32, seen: I64, touched: I32) -> None:
    """Forget all leaps if a cell of one has changed, or if the field has grown."""
    words[STALE] = 0
    fresh = 1 if words[LEAPS_HEIGHT] == words[HEIGHT] else 0
    for i in range(words[SEEN]):
        if data[seen[i] >> 8] != seen[i] & 255:
            fresh = 0
    if fresh:
        return
    for i in range(words[LEAPS] // LEAP):
        slots[leaps[LEAP * i + FROM]] = 0
    for i in range(words[SEEN]):
        tag = touched[seen[i] >> 8] - PASSED
        touched[seen[i] >> 8] = tag if tag > MOST_TAGS else 0
    words[LEAPS], words[SEEN], words[LEAPS_HEIGHT] = 0, 0, words[HEIGHT]


def may_read(touched: I32, cell: int, old: int, mine: int) -> int:
    """Whether no other cursor has written that cell in this spell."""
    tag = touched[cell]
    if tag | 1 == mine:
        return 1
    if tag < old:
        touched[cell] = mine - 1
        return 1
    return 1 if tag & 1 == 0 else 0


def may_write(
    words: I64, data: U8, touched: I32, notes: I64, cell: int, old: int, mine: int
) -> int:
    """Whether no other cursor has touched that cell in this spell."""
    tag = touched[cell]
    if tag == mine:
        return 1
    if tag == CODE:
        words[LEAPS_HEIGHT] = -1  # perhaps it is code no more: find out
        return 0
    if tag >= old and tag != mine - 1:
        return 0
    touched[cell] = mine
    return note(words, data, notes, cell)


def note(words: I64, data: U8, notes: I64, cell: int) -> int:
    """Note what a cell holds, to undo the spell; 0 if there is no room."""
    if words[NOTES] == words[MOST_NOTES]:
        return 0
    notes[words[NOTES]] = 256 * cell + data[cell]
    words[NOTES] += 1
    return 1


def undo(words: I64, data: U8, notes: I64) -> None:
    """Give all cells what they held before the spell; cursors were not changed."""
    for i in range(words[NOTES]):
        data[notes[i] >> 8] = notes[i] & 255


def fade(words: I64, touched: I32) -> None:
    """Begin with tags anew."""
    for i in range(words[COVERED]):
        if touched[i] < MOST_TAGS:
            touched[i] = 0
    words[TAG] = 2
