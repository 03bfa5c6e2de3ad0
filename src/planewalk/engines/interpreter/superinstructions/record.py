"""Kernels that record superinstructions: many ticks as sums of cells, seen from the hand.

The walker's way is followed over the cells, up to a tick that asks what a cell holds, that writes
output, or that has no row: that is a block. What is performed often becomes a trace: several blocks
one after the other, with guards for the answers between them.
"""

from __future__ import annotations

from ...kernels.kernel import I32, I64, U8
from .layout import *
from .sums import add_up, from_hand, is_untouched, write_all_sums

SPREAD = 1021  # how far apart postures at one cell are looked up


def record(
    words: I64, data: U8, marks: U8, rows: I32, supers: I32, lookup: I32, notebook: I32, cell: int,
    posture: int, block: int,
) -> int:  # fmt: skip
    """Write one down behind the others: a block, or a trace that begins with this block."""
    at, width = words[TAKEN], words[WIDTH]
    for i in range(OFFSETS):
        notebook[i] = 0
    notebook[AT_X], notebook[AT_Y], notebook[AT_POSTURE] = cell % width, cell // width, posture
    notebook[BLOCK] = block
    supers[at + CELL], supers[at + POSTURE], supers[at + SHAPE] = cell, posture, 0
    supers[at + ASKED], supers[at + ASKED_VALUE], supers[at + LAST] = 0, 0, 0
    while notebook[ENDED] == 0:
        here = notebook[AT_Y] * width + notebook[AT_X]
        row = rows[notebook[AT_POSTURE] * CODES + data[here]]
        if row == 0 or marks[here] & ENDS or not widen(words, rows, notebook, row):
            break
        marks[here] = marks[here] | WALKED
        words[RIGHTMOST] = max(words[RIGHTMOST], notebook[AT_X])
        words[LOWEST] = max(words[LOWEST], notebook[AT_Y])
        notebook[GONE] += 1
        if rows[row + TERMS]:
            add_up(rows, notebook, row, width)
        if rows[row + IF_EQUAL]:
            row = ask(rows, supers, notebook, at, row, width)
        elif rows[row + WRITES]:
            note_asked(rows, supers, notebook, at, row, width)
            supers[at + SHAPE], notebook[ENDED] = OUTPUT, 1
        here = landing(rows, notebook, row, width)
        notebook[AT_X], notebook[AT_Y] = here % width, here // width
        notebook[AT_POSTURE] = rows[row + POSTURE_AFTER]
        if notebook[GONE] >= LONG and is_enough(words, supers, lookup, notebook, here):
            notebook[ENDED] = 1
        notebook[AT_HAND_X] += rows[row + CARRY_X]
        notebook[AT_HAND_Y] += rows[row + CARRY_Y]
    words[RECORDED] += notebook[GONE]
    supers[at + STAMP], supers[at + FOUND_IN] = words[EPOCH] & STAMPS, words[EPOCH] & STAMPS
    words[TAKEN] = (write_down(supers, notebook, at, width) + LINE - 1) // LINE * LINE
    return at


def is_enough(words: I64, supers: I32, lookup: I32, notebook: I32, here: int) -> int:
    """Whether one that is long should end: it has all its ticks, or goes on with one that is there.
    So they come to be the same ones in loops of any length."""
    if notebook[GONE] >= LONGEST:
        return 1
    return known_at(words, supers, lookup, here, notebook[AT_POSTURE])


def looked_up(words: I64, cell: int, posture: int) -> int:
    """Where superinstructions are looked up."""
    return (cell + posture * SPREAD) & words[LOOKUP_MASK]


def known_at(words: I64, supers: I32, lookup: I32, cell: int, posture: int) -> int:
    """The superinstruction that is known from a cell on; 0 if there is none."""
    at = lookup[looked_up(words, cell, posture)]
    return at if is_true(words, supers, at) and begins(supers, at, cell, posture) else 0


def is_true(words: I64, supers: I32, at: int) -> int:
    """Whether a superinstruction may be followed: it is of this epoch, and was not dropped."""
    if supers[at + STAMP] == DROPPED:
        return 0
    return 1 if supers[at + FOUND_IN] == words[EPOCH] & STAMPS else 0


def widen(words: I64, rows: I32, notebook: I32, row: int) -> int:
    """Whether there is room for one more tick; then it is seen how far the hand goes."""
    y, hand_x, hand_y = notebook[AT_Y], notebook[AT_HAND_X], notebook[AT_HAND_Y]
    if y + rows[row + WALK_LEAST] < 0 or y + rows[row + WALK_MOST] >= words[HEIGHT]:
        return 0
    terms = rows[row + TERMS]
    if notebook[KNOWN] + terms >= MOST_CELLS or notebook[ADDED] + terms >= MOST_SUMS:
        return 0
    left = min(notebook[LEFT], hand_x + rows[row + HAND_LEAST_X])
    right = max(notebook[RIGHT], hand_x + rows[row + HAND_MOST_X])
    top = min(notebook[TOP], hand_y + rows[row + HAND_LEAST_Y])
    bottom = max(notebook[BOTTOM], hand_y + rows[row + HAND_MOST_Y])
    # No cell must be seen under two names, and all from afar.
    if right - left >= min(words[WIDTH], FAR):
        return 0
    if bottom - top >= FAR or (bottom - top + 1) * words[WIDTH] >= FURTHEST:
        return 0
    notebook[LEFT], notebook[RIGHT], notebook[TOP], notebook[BOTTOM] = left, right, top, bottom
    return 1


def landing(rows: I32, notebook: I32, row: int, width: int) -> int:
    """The cell that a walker comes to by a tick."""
    x = notebook[AT_X] + rows[row + STEP_X]
    while x < 0:
        x += width
    while x >= width:
        x -= width
    return (notebook[AT_Y] + rows[row + STEP_Y]) * width + x


def note_asked(rows: I32, supers: I32, notebook: I32, at: int, row: int, width: int) -> None:
    """Write down which cell a tick is about, and what it is asked for."""
    supers[at + ASKED] = from_hand(notebook, rows[row + ASKED_X], rows[row + ASKED_Y], width)
    supers[at + ASKED_VALUE] = rows[row + ASKED_FOR]


def ask(rows: I32, supers: I32, notebook: I32, at: int, row: int, width: int) -> int:
    """A tick that asks what a cell holds: a trace goes on behind it if there is a usual answer, and
    has a guard for that. Else it is the last one, also if that answer leads back to where the trace
    begins. Gives the row by which it goes on."""
    equal = rows[row + IF_EQUAL]
    note_asked(rows, supers, notebook, at, row, width)
    answer = usual_answer(supers, notebook[BLOCK])
    usual = equal if answer == 1 else row
    cell, posture = landing(rows, notebook, usual, width), rows[usual + POSTURE_AFTER]
    if (
        answer < 0
        or begins(supers, at, cell, posture)
        or notebook[GUARDED] >= MOST_GUARDS
        or not is_untouched(notebook, supers[at + ASKED])  # guards are for the beginning
    ):
        supers[at + SHAPE], supers[at + LAST], notebook[ENDED] = QUESTION, notebook[BLOCK], 1
        supers[at + END + 2] = landing(rows, notebook, equal, width)
        supers[at + END_POSTURE + 2] = rows[equal + POSTURE_AFTER]
        return row
    guard(notebook, supers[at + ASKED], supers[at + ASKED_VALUE] + MUST * answer)
    supers[at + ASKED], supers[at + ASKED_VALUE] = 0, 0
    notebook[BLOCK] = next_block(supers, notebook[BLOCK], answer, cell, posture)
    if notebook[BLOCK] and supers[notebook[BLOCK] + SHAPE] >= LOOP:
        notebook[ENDED] = 1
    return usual


def usual_answer(supers: I32, block: int) -> int:
    """The answer that the question of a block nearly always has; -1 if there is none."""
    if block == 0 or not supers[block + SHAPE] & QUESTION:
        return -1
    asked, equal = supers[block + COUNT], supers[block + COUNT_EQUAL]
    if BIASED * min(equal, asked - equal) > asked:
        return -1
    return 1 if 2 * equal > asked else 0


def next_block(supers: I32, block: int, answer: int, cell: int, posture: int) -> int:
    """The block that follows another; 0 if nothing is known of it."""
    follows = supers[block + LINK + answer]
    if supers[follows + FOUND_IN] != supers[block + FOUND_IN]:
        return 0
    if not begins(supers, follows, cell, posture):
        return 0
    return supers[follows + BASIC] if supers[follows + BASIC] else follows


def begins(supers: I32, at: int, cell: int, posture: int) -> int:
    """Whether a superinstruction begins there."""
    return 1 if supers[at + CELL] == cell and supers[at + POSTURE] == posture else 0


def guard(notebook: I32, asked: int, wanted: int) -> None:
    """Note a guard, unless that is done."""
    end = PLAIN_GUARDS + GUARD * notebook[GUARDED]
    for i in range(PLAIN_GUARDS, end, GUARD):
        if notebook[i] == asked and notebook[i + 1] == wanted:
            return
    notebook[end], notebook[end + 1] = asked, wanted
    notebook[GUARDED] += 1


def write_down(supers: I32, notebook: I32, at: int, width: int) -> int:
    """Write down what was recorded; gives where it ends."""
    here, posture = notebook[AT_Y] * width + notebook[AT_X], notebook[AT_POSTURE]
    supers[at + END], supers[at + END_POSTURE] = here, posture
    if not supers[at + SHAPE] & QUESTION:
        supers[at + END + 2], supers[at + END_POSTURE + 2] = here, posture
    supers[at + TICKS], supers[at + BASIC], supers[at + FAILED] = notebook[GONE], 0, 0
    supers[at + COUNT], supers[at + COUNT_EQUAL] = 0, 0
    supers[at + LINK], supers[at + LINK_EQUAL], supers[at + CODE] = 0, 0, 0
    supers[at + JUMP], supers[at + JUMP_EQUAL] = 0, 0
    supers[at + LEAST_X] = notebook[LEFT] if notebook[GONE] else NOWHERE
    supers[at + SPAN_X] = width - 1 - (notebook[RIGHT] - notebook[LEFT])
    supers[at + LEAST_Y], supers[at + MOST_Y] = notebook[TOP], notebook[BOTTOM]
    supers[at + MOVE_X], supers[at + MOVE_Y] = notebook[AT_HAND_X], notebook[AT_HAND_Y]
    supers[at + MOVE] = notebook[AT_HAND_Y] * width + notebook[AT_HAND_X]
    leads_back = begins(supers, at, here, posture) if supers[at + SHAPE] & QUESTION else 0
    return write_all_sums(supers, notebook, at, write_guards(supers, notebook, at), leads_back)


def write_guards(supers: I32, notebook: I32, at: int) -> int:
    """Write down guards, those first that ask for anything but 0; gives where they end."""
    end, last = at + PARTS, PLAIN_GUARDS + GUARD * notebook[GUARDED]
    for i in range(PLAIN_GUARDS, last, GUARD):
        if notebook[i + 1] == 0:
            supers[end] = notebook[i]
            supers[at + SHAPE] += 1 << ONES
            end += 1
    if end - at - PARTS & 1:  # they are asked by twos
        supers[end] = supers[end - 1]
        supers[at + SHAPE] += 1 << ONES
        end += 1
    for i in range(PLAIN_GUARDS, last, GUARD):
        if notebook[i + 1]:
            supers[end], supers[end + 1] = notebook[i], notebook[i + 1]
            supers[at + SHAPE] += 1 << GUARDS
            end += GUARD
    return end
