"""A program as LLVM IR for all pixels of a picture at once, in lanes or on a card."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...core.program import Program
from ...core.state import State
from ..native.values import Unwritable
from ..tracing.context import Seen
from ..tracing.limits import TooComplex, TooManyDepths
from .lane_tracer import LaneTracer
from .lanes import LaneWriter

W = TypeVar("W", bound=LaneWriter)


def write(
    program: Program, state: State, watch: Callable[[], Seen], make: Callable[[LaneTracer], W]
) -> tuple[W, str]:
    """What writes a program, and the IR. Raises `Unwritable` if it cannot be written.

    Where plain numbers are asked for that do not follow from the program, `watch` gives those that
    were seen in some pixels.
    """
    try:
        tracer = LaneTracer(program, state, {})
        writer = make(tracer)
        if tracer.numbers.in_the_dark:
            writer = make(LaneTracer(program, state, watch()))
        return writer, writer.source()
    except (TooComplex, TooManyDepths, RecursionError):
        raise Unwritable("no end to its ways is in sight") from None
