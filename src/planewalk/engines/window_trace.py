"""Tracing for machine code that works on a window: a flat piece of a sparse plane.

All that such code reads or writes lies at fixed distances from where the hand is at the head of a
tree. So different places never are the same cell, and what was put somewhere is known until the
tree ends, where it is written once.
"""

from __future__ import annotations

from typing import Any

from ..core.geometry import Stance
from .ir import Graph, Key, Leave, Undecided, apart, bounds_of
from .trace import Tracer
from .trees import Env, Tree
from .window import HIGHEST

FURTHEST = 1 << 60
"""Beyond this no hand is let into machine code, so that no coordinate leaves 64 bits."""


class Every(set[Key]):
    """All keys there are."""

    def __contains__(self, key: object) -> bool:
        return True


class WindowTracer(Tracer):
    """The words, performed on nodes and a window."""

    most_decisions = 60  # machine code does not mind how deep decisions are nested
    highest = HIGHEST
    """The greatest number in any cell, now and for as long as only this code writes."""

    def explore_twice(self, entry: Key, highest: int) -> tuple[list[Tree], list[Tree]]:
        """Trees as long as can be, and trees of one tick each, which can stop and begin anywhere.

        The greatest number in any cell is given. If code can write greater ones, all is done
        once more, since less is known then.
        """
        while True:
            self.highest = highest
            trees = self.explore(entry)
            single = self._record([entry], Every())
            if self.highest == highest:
                return trees, single
            highest = self.highest
            self.graph = Graph(checked=True)

    def _fresh(self, depth: int | None) -> Env:
        env = super()._fresh(depth)
        for hand in (env.hand_x, env.hand_y):
            hand.low, hand.high = -FURTHEST, FURTHEST
        return env

    def _over(self, stance: Stance) -> bool:
        try:
            return super()._over(stance)
        except Undecided:
            raise Leave from None  # the reference engine knows how far cells reach

    def _distance(self, x: Any, y: Any) -> tuple[int, int]:
        """How far a place is from the hand at the head; others are left to other engines."""
        (from_x, right), (from_y, down) = apart(x), apart(y)
        head = self._fresh(0)
        if from_x is not head.hand_x or from_y is not head.hand_y:
            raise Leave
        return right, down

    def _cell(self, x: Any, y: Any) -> Any:
        place = self._distance(x, y)
        if place in self.env.cells:
            return self.graph.settled(self.env.cells[place])
        node = self.graph.make("cell", (x, y, 0), "int")
        node.high = self.highest
        self.block.ops.append(("let", node))
        return self.graph.settled(node)

    def _put(self, x: Any, y: Any, value: Any) -> None:
        place = self._distance(x, y)
        low, high = bounds_of(value)
        if low < 0 or high > HIGHEST:
            raise Leave
        self.highest = max(self.highest, int(high))
        if self.graph.make("coded", (x, y), "bool"):
            raise Leave
        self.env.cells[place] = value
