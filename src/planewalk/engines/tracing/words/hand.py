"""Where the hand may be."""

from __future__ import annotations

from typing import Any

from ....core.plane import Range
from ...base.keeping import FURTHEST
from ..context import TraceContext
from ..ir import Leave, bounds_of

STRIDE = 1 << 12  # `FURTHEST` is further than any hand gets in steps of such a length
ANYWHERE = (-FURTHEST, FURTHEST), (-FURTHEST, FURTHEST)
"""Never so far that a coordinate would leave 64 bits."""


def _with_stride(end: float, stride: int) -> float:
    return end + stride if abs(end) == FURTHEST else end


class TracedHand:
    """The walker's hand: a node where a tree begins, of which it is known how far it may be."""

    def __init__(self, context: TraceContext, reach: tuple[Range, Range] | None = None) -> None:
        self.context = context
        self.exists = any(walker.hand is not None for walker in context.state.walkers)
        self.reach = context.keeping.reach if reach is None else reach

    def at_start(self) -> list[Any]:
        """Its column and line where a tree begins. A walker without a hand has one at (0, 0)."""
        if not self.exists:
            return [0, 0]
        hand = [self.context.graph.make("hand", (axis,), "int") for axis in "xy"]
        for node, reach in zip(hand, self.reach, strict=True):
            node.low, node.high = reach
        return hand

    def keep_near(self, x: Any, y: Any) -> None:
        """Leave if the hand goes further than trees count on where they begin."""
        for hand, (least, most) in zip((x, y), self.reach, strict=True):
            low, high = bounds_of(hand)
            near = low >= _with_stride(least, -STRIDE) and high <= _with_stride(most, STRIDE)
            if not near and not (least <= hand <= most):
                raise Leave
