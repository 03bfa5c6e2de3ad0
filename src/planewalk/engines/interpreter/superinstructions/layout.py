"""The numbers that superinstructions and their kernels agree on: what stands where."""

from __future__ import annotations

from ...native.abi import Slot
from .. import abi, marks

# What a tick does, as a row of numbers. Before the rows stands, for each posture and each byte that
# a cell may hold, where its row begins; 0 if there is none, as the tick does something else.
CODES = 256
(
    POSTURE_AFTER, STEP_X, STEP_Y,  # how the walker goes on, ...
    WALK_LEAST, WALK_MOST,  # ... and rows from its own on that must be there for that
    CARRY_X, CARRY_Y,  # how its hand moves, ...
    HAND_LEAST_X, HAND_MOST_X, HAND_LEAST_Y, HAND_MOST_Y,  # ... and cells from it on, likewise
    TERMS, TO_X, TO_Y,  # how many terms make up a sum, and the cell it is put into; or ...
    IF_EQUAL, ASKED_X, ASKED_Y, ASKED_FOR,  # ... the row if a cell holds a number, and that; or ...
    WRITES,  # ... whether that cell is written as output
    FIRST_TERM,  # then the terms
) = range(20)  # fmt: skip
TERM = 3  # of a term: a cell, as seen from the hand, and how many times it is added
MOST_TERMS = 2
ROW = FIRST_TERM + TERM * MOST_TERMS

# A superinstruction: first what it takes to perform it, in a line of the processor's cache, then
# what it takes to go on behind it.
(
    STAMP, TICKS,  # the epoch it was found in, or that it is not to be followed; its ticks
    COUNT, COUNT_EQUAL,  # how often it was performed, and with what answer in the end
    LEAST_X, SPAN_X, LEAST_Y, MOST_Y,  # where the hand must be, so that all cells are there
    MOVE, MOVE_X, MOVE_Y,  # how the hand moves, in cells, columns and rows
    SHAPE, ASKED, ASKED_VALUE,  # see below; the cell asked about in the end, and for what number
    LINK, LINK_EQUAL,  # the superinstructions that follow; 0 while they are not known
    CELL, POSTURE, END, END_POSTURE, _, _,  # where it begins; where it ends, by that answer
    BASIC, LAST, FAILED,  # of a trace: its first and last block, and how often it was not performed
    FOUND_IN,  # the epoch it was found in, for good
    CODE, FALL_BACK,  # its machine code, and the jump of that if it fails
    JUMP, JUMP_EQUAL,  # those at its end, by that answer; 0 if there is none
    PARTS,  # then its guards and its sums
) = range(31)  # fmt: skip
LINE = 16  # words in a line of the cache: superinstructions are aligned to these
FIRST = 2 * LINE  # where the first one begins, behind one whose guards are never true
SUM, GUARD = 3, 2
"""A sum: a cell, as seen from the hand, one that is added to it, and how many times. A guard: a
cell, what it must hold, and whether it must or must not. Before those that are written out stand
guards that are only a cell, which must not be 0."""
MUST = 256
MOST_SUMS, MOST_GUARDS, MOST_CELLS = 48, 32, 16
LONG, LONGEST = 1 << 8, 1 << 12
SIZE = PARTS + SUM * MOST_SUMS + GUARD * MOST_GUARDS
"""The most that it may take: so many sums and guards, about so many cells. A long one ends where
another begins, and the longest has so many ticks."""

# What it is, in SHAPE, from the lowest bit on: how many sums it has, how many of those are about
# the cell asked about and come first, how many guards it has of either kind, and:
ASKED_SUMS, ONES, GUARDS, BITS = 6, 12, 18, 63
QUESTION = 1 << 24  # a cell is asked about
OUTPUT = 1 << 25  # that cell is written as output instead
LOOP, SCAN = 1 << 26, 1 << 27  # it leads back to itself: without moving the hand, or without sums

BIASED = 16
"""A trace goes on behind a question that has had one answer so many times as often as the other."""
MOST_FAILED = 64
"""How often a trace may fail, if that is a quarter of the times, before it is dropped."""
DROPPED, COMPILED = -2, -3
"""The stamps of what is found no more, and of what has machine code of its own."""

NOWHERE = -(1 << 30)  # the least column of a superinstruction without a tick: no hand is there
FAR, FURTHEST = 1 << 14, 1 << 30  # columns or rows that a hand may move by, and cells
MOST_PLACES, STAMPS = 1 << 30, (1 << 31) - 1  # cells that a plane may have, and numbers of epochs

# The notebook of those who record one: how far they have come, ...
(
    AT_X, AT_Y, AT_POSTURE,  # where the walker is, ...
    AT_HAND_X, AT_HAND_Y, LEFT, RIGHT, TOP, BOTTOM,  # ... and its hand, and how far that went
    GONE, KNOWN, ADDED, GUARDED,  # ticks, cells that something is known of, sums, guards
    WRITTEN_TO,  # a bit for each of those cells that something was put into, even if it is gone
    BLOCK, ENDED,  # of a trace, the block it is in; whether it ends before the next tick
    OFFSETS,  # then what is known: the cells, ...
) = range(17)  # fmt: skip
MATRIX = OFFSETS + MOST_CELLS  # ... what each holds by now, as a sum of what they all held, ...
FRESH = MATRIX + MOST_CELLS * MOST_CELLS  # ... what one of them is going to hold, ...
PLAIN_SUMS = FRESH + MOST_CELLS  # ... all sums, one after the other, and all guards
PLAIN_GUARDS = PLAIN_SUMS + SUM * MOST_SUMS
NOTEBOOK = PLAIN_GUARDS + GUARD * MOST_GUARDS  # how long it is

# Why nothing more was performed: it cannot be now; what follows is not known, or one is hot; a
# trace has failed too often; nothing was performed yet; a trace has failed, and its first block
# goes on; or machine code of its own does not know how.
STOPS, WANTS_NEXT, HAS_FAILED, BEGINS, FALLS_BACK, HANDS_OVER = range(6)
WHY_BITS = 3
GOES_ON = -1  # what those who attend to that say, if not the posture in which the walker stops

# The words of an interpreter that they look into.
FUEL, HAND_X, HAND_Y = int(Slot.FUEL), int(Slot.HAND_X), int(Slot.HAND_Y)
WIDTH, HEIGHT = int(Slot.WIDTH), int(Slot.HEIGHT)
WRITTEN, MOST_WRITTEN = int(Slot.WRITTEN), int(Slot.MOST_WRITTEN)
PLACE_X, PLACE_Y, EPOCH = abi.PLACE_X, abi.PLACE_Y, abi.EPOCH
ROOM, TAKEN, LOOKUP_MASK = abi.SUPERS_ROOM, abi.SUPERS_TAKEN, abi.LOOKUP_MASK
AT, ANSWER = abi.SUPER_AT, abi.SUPER_ANSWER
RECORDED, WANTS_FUEL = abi.RECORDED, abi.WANTS_FUEL
HOT, HOTTER, PERFORM_CODE, CALLED, ENTERED = (
    abi.HOT, abi.HOTTER, abi.PERFORM_CODE, abi.CALLED, abi.ENTERED
)  # fmt: skip
TEMPLATES_RUN, TEMPLATES_ROOM = abi.TEMPLATES_RUN, abi.TEMPLATES_ROOM
TEMPLATES_END, STUBS_BEGIN = abi.TEMPLATES_END, abi.STUBS_BEGIN
LAST_TEMPLATE = abi.LAST_TEMPLATE
RIGHTMOST, LOWEST = abi.RIGHTMOST, abi.LOWEST

WALKED, ENDS = marks.WALKED, marks.RESTLESS
HEEDED = marks.WALKED | marks.CODE
"""Marks of cells: passed; where recording ends; not to be written."""
