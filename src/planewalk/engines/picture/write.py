"""A program as LLVM IR for all pixels of a picture at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...core.program import Program
from ...core.state import State
from ..native.values import Unwritable
from ..tracing.context import Seen
from ..tracing.limits import TooComplex, TooManyDepths
from .lane_tracer import LaneTracer
from .lanes import LaneWriter

MOST_TEXT = 800_000
"""Characters beyond which making code takes longer than most pictures."""


class PictureIR(NamedTuple):
    text: str
    lanes: int
    size: int
    """Characters of what is worth good code."""


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
