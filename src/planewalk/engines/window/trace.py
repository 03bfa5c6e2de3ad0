"""Tracing for machine code that works on a window: a flat piece of a sparse plane.

All that such code reads or writes lies at fixed distances from where the hand is at the head of a
tree. So different places never are the same cell, and what was put somewhere is known until the
tree ends, where it is written once.
"""

from __future__ import annotations

from typing import Any

from ...core.geometry import Stance
from ...core.plane import Range, range_of
from ..keeping import FURTHEST
from ..tracing.ir import Key, Leave, Node, NodeGraph, Undecided, apart, bounds_of, offset_of
from ..tracing.trace import Tracer
from ..tracing.trees import Tree
from .engine import HIGHEST

MOST_DISTANCE = 256
"""Between the hand and a cell that code looks at: there must be a window around both."""


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
        once more, since less is known then; at the third time for whatever a cell can hold.
        """
        start = entry if self._known_depth else entry._replace(depth=None)
        for most in (highest, None, self.ceiling):
            self.highest = self.highest if most is None else most
            cells = (0, self.highest)
            self.graph = NodeGraph(True, cells)
            trees = self.explore(start)
            single = self._record([start], Every())
            if (0, self.highest) == cells:
                break
        return trees, single

    @property
    def ceiling(self) -> int:
        """The greatest number that a cell can ever hold, in a window."""
        return int(min(range_of(self.real_plane)[1], HIGHEST))

    def _reach_of_hand(self) -> tuple[Range, Range]:
        """Never so far that a coordinate would leave 64 bits."""
        return (-FURTHEST, FURTHEST), (-FURTHEST, FURTHEST)

    def _over(self, stance: Stance) -> bool:
        try:
            return super()._over(stance)
        except Undecided:
            raise Leave from None  # the reference engine knows how far cells reach

    def _distance(self, x: Any, y: Any) -> tuple[int, int]:
        """How far a place is from the hand at the head; others are left to other engines.

        Without a hand it is as if there were one at (0, 0) that never moves.
        """
        head = self._fresh(0)
        for value, hand in ((x, head.hand_x), (y, head.hand_y)):
            if apart(value)[0] is not hand if self._hands else isinstance(value, Node):
                raise Leave
        right, down = offset_of(x), offset_of(y)
        if max(abs(right), abs(down)) > MOST_DISTANCE:
            raise Leave
        return right, down

    def _cell(self, x: Any, y: Any) -> Any:
        place = self._distance(x, y)
        self._heed(x, y)
        if place in self.env.cells:
            return self.graph.settled(self.env.cells[place])
        node = self.graph.make("cell", (x, y, 0), "int")
        self.block.ops.append(("let", node))
        return self.graph.settled(node)

    def _put(self, x: Any, y: Any, value: Any) -> None:
        place = self._distance(x, y)
        self._stay_within(value, (0, self.ceiling))
        self.highest = max(self.highest, int(min(bounds_of(value)[1], self.ceiling)))
        self._spare_code(x, y)
        self.env.cells[place] = value
