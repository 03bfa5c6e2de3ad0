"""What machine code and Python share: the block of words that machine code works on, and what is
known of a unit beside its text."""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import NamedTuple

from .ir import Key


class Words(IntEnum):
    """What stands where in the block that native code works on."""

    FUEL = 0
    HAND_X = 1
    HAND_Y = 2
    WRITTEN = 3
    INPUT_LEFT = 4
    INPUT = 5
    INPUT_CLOSED = 6
    MOST_WRITTEN = 7
    """Bytes of output there is room for."""
    CLOCK = 8
    """The tick at which fuel would be used up."""
    SEED = 9
    REGISTERS = 10
    OUTPUT = 11
    STACK = 12
    DEPTH = 13
    """How many values stand in the part of the stack that native code sees, ..."""
    BELOW = 14
    """... and how many below it."""
    DATA = 15
    CODE = 16
    WIDTH = 17
    HEIGHT = 18
    ROWS = 19
    """How many rows there is memory for; native code may grow the plane up to that."""
    LEFT = 20
    TOP = 21
    """Where the window begins that a plane without edges is seen through; ..."""
    COUNT = 22
    WRITTEN_BLOCKS = 23
    """... how many cells the plane has; and which blocks of the window were written to."""
    SAMPLES = 24
    """Where the bytes are that `Vocabulary.sample` looks into."""
    SLOTS = 25


ENTERING = Struct("=9qQq")
"""The first words, up to the registers, as they are given whenever native code is entered; ..."""
LEAVING = Struct("=5q")
"""... and those of them, up to the input left, that native code changes."""


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
    "clock": Words.CLOCK, "seed": Words.SEED, "below": Words.BELOW,
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
