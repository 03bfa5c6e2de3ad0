"""What machine code for columns and those who call it agree on."""

from __future__ import annotations

from enum import IntEnum

AT_ONCE = 8
"""Numbers that are computed together."""
LENGTH = 256
"""Numbers of a column: so many pixels side by side are drawn together."""
STEP = 8 * AT_ONCE
"""Bytes from some numbers of a column to the next ones. A plain number has as many, once."""
COLUMN = 8 * LENGTH
"""Bytes of a column."""

FLOATS = (
    "+", "-", "*", "divide", "round", "modulo", "abs", "absolute", "floor", "sqrt", "least", "most",
    "defined", "sin", "cos", "exp", "log", "power",
)  # fmt: skip
"""Operations that give floats, by their names in the table of all operations."""
TRUTHS = ("<", "<=", ">", ">=", "==", "!=")
"""Those of floats that give truths."""
WHOLE = ("whole", "mix", ">>", "&")
"""Those that give whole numbers of 64 bits: of a float, or of such."""
FLOAT = "float"
"""A whole number as a float."""
CHOOSE, COLOUR = "choose", "colour"
"""One of two floats, by a truth; and the bytes of a pixel from its red, green and blue."""
NUMBERS = {
    name: number for number, name in enumerate((*FLOATS, *TRUTHS, *WHOLE, FLOAT, CHOOSE, COLOUR))
}
"""What each is called in a list of operations: its number, where to put the result, and for three
operands where they are and how far their next numbers are. All of it is in words of 64 bits."""
WORDS = 8
"""Of such an operation."""
X, Y = 0, 1
"""The columns that hold where the pixels are."""


class ColumnSlot(IntEnum):
    """What stands where in the block of words that machine code is called with."""

    CODE = 0
    """Where the operations are, and how many."""
    COUNT = 1
    COLUMNS = 2
    """Where the columns are; plain numbers stand behind them."""
    PIXELS = 3
    """Where to put colours, row by row; see `LaneSlot` for these."""
    STRIDE = 4
    LEFT = 5
    TOP = 6
    RIGHT = 7
    BOTTOM = 8
