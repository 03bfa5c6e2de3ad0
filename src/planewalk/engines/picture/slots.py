"""What machine code for lanes and those who call it agree on."""

from __future__ import annotations

from enum import IntEnum

WIDTHS = {4: 2, 8: 4, 16: 4, 32: 8}
"""How many lanes stand side by side, by the number of lanes: blocks diverge less than rows do."""


class LaneSlot(IntEnum):
    """What stands where in the block of words that native code is called with."""

    PIXELS = 0
    STEPS = 1
    """Where to put colours and steps (0: nowhere), row by row."""
    UNDONE = 2
    """Which lanes are to be drawn, a word for each block; afterwards those that are still."""
    OVER = 3
    """Where to put which lanes came to the step limit."""
    STRIDE = 4
    """Pixels from one row to the next; a multiple of the width of a block."""
    LEFT = 5
    TOP = 6
    RIGHT = 7
    BOTTOM = 8
    WIDTH = 9
    HEIGHT = 10
    TIME = 11
    """The bits of a float."""
    LIMIT = 12
    """The most steps of a pixel."""
    SEED = 13
    SAMPLES = 14
    """Where the bytes are that `Vocabulary.sample` looks into."""
