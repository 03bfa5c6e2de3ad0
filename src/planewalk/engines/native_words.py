"""What machine code and Python share: the block of words that machine code works on, and what is
known of a unit beside its text."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from .ir import Key


class Words(IntEnum):
    """What stands where in the block that native code works on."""

    FUEL = 0
    HAND_X = 1
    HAND_Y = 2
    DATA = 3
    CODE = 4
    WIDTH = 5
    HEIGHT = 6
    REGISTERS = 7
    OUTPUT = 8
    WRITTEN = 9
    ROWS = 10
    """How many rows there is memory for; native code may grow the plane up to that."""
    INPUT = 11
    INPUT_LEFT = 12
    INPUT_CLOSED = 13
    CLOCK = 14
    """The tick at which fuel would be used up."""
    STIRRED_SEED = 15
    STACK = 16
    DEPTH = 17
    """How many values stand in the part of the stack that native code sees, ..."""
    BELOW = 18
    """... and how many below it."""
    LEFT = 19
    TOP = 20
    """Where the window begins that a plane without edges is seen through; ..."""
    COUNT = 21
    WRITTEN_BLOCKS = 22
    """... how many cells the plane has; and which blocks of the window were written to."""
    MOST_WRITTEN = 23
    """Bytes of output there is room for."""
    SLOTS = 24


POINTERS = {
    "data": Words.DATA, "code": Words.CODE, "registers": Words.REGISTERS, "output": Words.OUTPUT,
    "input_end": Words.INPUT, "stack": Words.STACK,
}  # fmt: skip
KEPT = {"fuel": Words.FUEL, "hx": Words.HAND_X, "hy": Words.HAND_Y}
"""What changes all the time, and goes back to its word at the end."""
COUNTERS = {
    "written": Words.WRITTEN, "height": Words.HEIGHT, "input_left": Words.INPUT_LEFT,
    "depth": Words.DEPTH,
}  # fmt: skip
"""What is changed where it stands."""
CONSTANTS = {
    "width": Words.WIDTH, "rows": Words.ROWS, "closed": Words.INPUT_CLOSED,
    "clock": Words.CLOCK, "seed": Words.STIRRED_SEED, "below": Words.BELOW,
    "most_written": Words.MOST_WRITTEN,
}  # fmt: skip
OUTPUT_ROOM = 1 << 14
STACK_SEEN, STACK_ROOM = 256, 1 << 16
"""Of a stack of any depth: values that native code begins with, and has at most."""


class Written(NamedTuple):
    """A unit as text, and all that is needed to run it: where it is entered and left, and which
    part of the stack it works on."""

    text: str
    entries: dict[Key, int]
    exits: list[tuple[Key, int]]
    spent: set[int]
    floats: bool
    deep: bool
    low: int
    slots: int
    size: int
    """Characters of the text that are about the program."""
