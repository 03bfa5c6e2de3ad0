"""Machine code for all pixels of a program at once: made, kept for the next time, and called."""

from __future__ import annotations

import ctypes
import struct
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from ..native import machine_code
from ..native.machine_code import (
    Care,
    Store,
    assemble,
    has_long_vectors,
    recall_named,
    remember,
)

if TYPE_CHECKING:
    from ...core.program import Program

PICTURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
MOST_STEPS = 1 << 24
"""Longer pixels are not for lanes, which cannot be interrupted."""


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


class LaneCode:
    """The machine code of one program. Several threads may call it at the same time."""

    def __init__(self, lanes: int, owner: Any, call: Any) -> None:
        self.lanes = lanes
        self.across = WIDTHS[lanes]
        self.down = lanes // self.across
        self._owner, self._call = owner, call

    def paint(self, values: dict[LaneSlot, int | float]) -> int:
        """Draw a part of a picture; gives in how many blocks lanes are left, or over the limit."""
        words = (ctypes.c_int64 * len(LaneSlot))()  # which takes numbers modulo 2**64
        for word, value in values.items():
            if isinstance(value, float):
                (value,) = struct.unpack("<q", struct.pack("<d", value))
            words[word] = value
        found: int = self._call(ctypes.addressof(words))
        return found


def compiled(text: str, quick: bool, lanes: int, store: Store | None, name: str | None) -> LaneCode:
    """Machine code from IR. With a name, it is found again before any IR is written."""
    care = Care.QUICK if quick else Care.ALL
    owner, call = assemble(text, store, prototype=PICTURE, care=care)
    if store is not None and name is not None:
        remember(store, name, text, care)
    return LaneCode(lanes, owner, call)


def keep(text: str, quick: bool, store: Store, name: str | None) -> None:
    """Have machine code in a store, without loading it."""
    machine_code.keep(text, store, name, Care.QUICK if quick else Care.ALL)


def kept(store: Store, name: str, lanes: int) -> LaneCode | None:
    """What was compiled under that name, if it is still there."""
    found = recall_named(store, name, PICTURE)
    return None if found is None else LaneCode(lanes, *found)


def name_of(program: Program, lanes: int, careful: bool) -> str | None:
    """Under which name the machine code of a program is kept on this machine; None if it is not.

    Time, size, and the place of a pixel are told to the code when it runs.
    """
    from ..native.cache_key import digest

    names = program.language.pictures
    told = {names.size, names.time, names.pixel}
    options = {name: value for name, value in program.options.items() if name not in told}
    made_from = digest(program.language, options, program.source)
    return made_from and f"picture 2 {lanes} {careful} {made_from}"


def best_lanes() -> int:
    """How many lanes suit this machine."""
    return 32 if has_long_vectors() else 16
