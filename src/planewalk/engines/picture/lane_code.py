"""Machine code for all pixels of a program at once: made, kept for the next time, and called."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

from ..native.machine_code import (
    LONG_TEXT,
    Care,
    Store,
    assemble,
    has_long_vectors,
    recall_named,
    remember,
)
from .slots import WIDTHS, LaneSlot

if TYPE_CHECKING:
    from ...core.program import Program
    from .write import PictureIR

PICTURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
MOST_STEPS = 1 << 24
"""Longer pixels are not for lanes, which cannot be interrupted."""


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
            words[word] = _bits(value) if isinstance(value, float) else value
        found: int = self._call(ctypes.addressof(words))
        return found


def _bits(value: float) -> int:
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits


def compiled(
    written: PictureIR, store: Store | None, name: str | None, quick: bool = False
) -> LaneCode:
    """Machine code from IR. With a name, it is found again before any IR is written."""
    care = Care.QUICK if quick or written.size > LONG_TEXT else Care.ALL
    owner, call = assemble(written.text, store, prototype=PICTURE, care=care)
    if store is not None and name is not None:
        remember(store, name, written.text, care)
    return LaneCode(written.lanes, owner, call)


def kept(store: Store, name: str, lanes: int) -> LaneCode | None:
    """What was compiled under that name, if it is still there."""
    found = recall_named(store, name, PICTURE)
    return None if found is None else LaneCode(lanes, *found)


def name_of(program: Program, lanes: int, careful: bool) -> str | None:
    """Under which name the machine code of a program is kept on this machine; None if it is not.

    Time and place of a pixel are told to the code when it runs.
    """
    from ..native.cache_key import digest

    told = {program.language.pictures.time, program.language.pictures.pixel}
    options = {name: value for name, value in program.options.items() if name not in told}
    made_from = digest(program.language, options, program.source)
    return made_from and f"picture 2 {lanes} {careful} {made_from}"


def best_lanes() -> int:
    """How many lanes suit this machine."""
    return 32 if has_long_vectors() else 16
