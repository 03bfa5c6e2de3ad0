"""Machine code for all pixels of a program at once, and how it is called."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import NamedTuple

from ...core.program import Program
from ...core.state import State
from ..native.llvm import LONG_TEXT, Care, Store, assemble
from ..native.values import Unwritable, signed
from ..tracing.explore import TooComplex
from ..tracing.trace import Seen, TooManyDepths
from .lanes import WIDTHS, LaneSlot, LaneWriter
from .trace import LaneTracer

PICTURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
MOST_TEXT = 800_000
"""Characters beyond which making code takes longer than most pictures."""
MOST_STEPS = 1 << 24
"""Longer pixels are not for lanes: nobody could interrupt them."""


class PictureIR(NamedTuple):
    """A program as IR."""

    text: str
    lanes: int
    size: int
    """Characters of what is worth good code."""


class LaneCode:
    """The machine code of one program. Several threads may call it at the same time."""

    def __init__(self, written: PictureIR, store: Store | None) -> None:
        self.lanes = written.lanes
        self.across = WIDTHS[self.lanes]
        self.down = self.lanes // self.across
        care = Care.QUICK if written.size > LONG_TEXT else Care.ALL
        self._owner, self._call = assemble(written.text, store, prototype=PICTURE, care=care)

    def paint(self, values: dict[LaneSlot, int | float]) -> int:
        """Draw a part of a picture; gives in how many blocks lanes are left, or over the limit."""
        words = (ctypes.c_int64 * len(LaneSlot))()
        for word, value in values.items():
            words[word] = _bits(value) if isinstance(value, float) else signed(value)
        found: int = self._call(ctypes.addressof(words))
        return found


def _bits(value: float) -> int:
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits


def write(
    program: Program, state: State, watch: Callable[[], Seen], lanes: int, careful: bool
) -> PictureIR | None:
    """A program as IR for so many lanes; None if it is not for lanes. Careful code is slower, and
    exact up to the step limit.

    Where plain numbers are asked for that do not follow from the program, `watch` gives those that
    were seen in some pixels.
    """
    try:
        tracer = LaneTracer(program, state, {})
        writer = LaneWriter(tracer, lanes, careful)
        if tracer.in_the_dark:
            writer = LaneWriter(LaneTracer(program, state, watch()), lanes, careful)
        text = writer.source()
    except (Unwritable, TooComplex, TooManyDepths, RecursionError):
        return None
    return PictureIR(text, lanes, writer.size) if writer.size <= MOST_TEXT else None


def best_lanes() -> int:
    """How many lanes suit this machine."""
    import llvmlite.binding as llvm

    return 32 if llvm.get_host_cpu_features().get("avx512f") else 16
