"""What machine code and Python share: the block of words that machine code works on, and what is
known of a unit beside its text."""

from __future__ import annotations

from enum import IntEnum
from struct import Struct

from ...core.base.named import NamedTuple
from ...core.geometry import Stance
from ..tracing.ir import Key, Register
from ..tracing.ops import WORD


class Slot(IntEnum):
    """What stands where in the block that native code works on."""

    FUEL = 0
    HAND_X = 1
    HAND_Y = 2
    WRITTEN = 3
    INPUT_LEFT = 4
    DRAWS = 5
    INPUT = 6
    INPUT_CLOSED = 7
    MOST_WRITTEN = 8  # bytes of output there is room for
    CLOCK = 9  # the tick at which fuel would be used up
    SEED = 10
    REGISTERS = 11
    OUTPUT = 12
    STACK = 13
    DEPTH = 14  # how many values stand in the part of the stack that native code sees
    BELOW = 15  # how many values stand below that part
    DATA = 16
    CODE = 17
    WIDTH = 18
    HEIGHT = 19
    ROWS = 20  # how many rows there is memory for; native code may grow the plane up to that
    LEFT = 21
    TOP = 22  # the corner of the window that a plane without edges is seen through
    COUNT = 23  # how many cells such a plane has
    WRITTEN_BLOCKS = 24  # where the marks are of the blocks of the window that were written to
    SAMPLES = 25  # where the bytes are that `Vocabulary.sample` looks into
    STACK_ROOM = 26  # how many values there is room for where native code sees the stack
    SLOTS = 27


ENTERING = Struct("=10qQq")
"""The first words, up to the registers, as they are given whenever native code is entered."""
LEAVING = Struct("=6q")  # the first words, up to the draws, which native code changes


POINTERS = {
    "data": Slot.DATA, "code": Slot.CODE, "registers": Slot.REGISTERS, "output": Slot.OUTPUT,
    "input_end": Slot.INPUT, "stack": Slot.STACK,
}  # fmt: skip
KEPT = {"fuel": Slot.FUEL, "hx": Slot.HAND_X, "hy": Slot.HAND_Y}
"""What changes all the time, and goes back to its word at the end."""
COUNTERS = {
    "written": Slot.WRITTEN, "height": Slot.HEIGHT, "input_left": Slot.INPUT_LEFT,
    "depth": Slot.DEPTH, "draws": Slot.DRAWS,
}  # fmt: skip
"""What is changed where it stands."""
CONSTANTS = {
    "width": Slot.WIDTH, "rows": Slot.ROWS, "closed": Slot.INPUT_CLOSED,
    "clock": Slot.CLOCK, "seed": Slot.SEED, "below": Slot.BELOW,
    "most_written": Slot.MOST_WRITTEN,
}  # fmt: skip
OUTPUT_ROOM = 1 << 14
STACK_SEEN, STACK_ROOM = 256, 1 << 16
"""Of a stack of any depth that is copied: values that native code begins with, and has at most."""
MOST_SHIFTED = 1 << 16  # places by which the lower end of a stack may come up before it leaves


class UnitIR(NamedTuple):
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
    size: int  # characters of the text that are about the program
    registers: list[Register]  # registers of whole numbers that it works on
    stored: list[Register]  # registers of whole numbers that it changes
    overflows: frozenset[int] = frozenset()
    """Exits by which it leaves since numbers have too many bits."""
    bits: int = WORD  # how many bits its whole numbers have


class WindowFacts(NamedTuple):
    """What is known of a unit beside that if it sees cells through a window."""

    edges: dict[int, int]
    """Exits where the window ends, and the heads to go on from once it is larger."""
    alive: set[int]  # exits for want of fuel, or of a window, on states that are surely not the end
    furthest: int  # how far from the hand it looks
    highest: int  # no cell may hold a greater number
    may: set[Stance] | None  # where it was let go, if not everywhere
