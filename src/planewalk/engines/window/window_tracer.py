"""Tracing for machine code that works on a window: a flat piece of a sparse plane.

All that such code reads or writes lies at fixed distances from where the hand is at the header of a
tree. So different places never are the same cell, and what was put somewhere is known until the
tree ends, where it is written once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.geometry import Stance
from ...core.language import Language
from ...core.plane import range_of
from ...core.state import State
from ..tracing.context import Seen, TraceContext
from ..tracing.ir import Key, Leave, Node, NodeGraph, Undecided, apart, bounds_of, offset_of
from ..tracing.limits import MOST_INSTRUCTIONS
from ..tracing.refusal import Refusals
from ..tracing.tracer import Parts, Tracer
from ..tracing.trees import Tree
from ..tracing.walk import Walk
from ..tracing.words.cells import WritableCells
from ..tracing.words.hand import ANYWHERE, TracedHand
from ..tracing.words.numbers import TracedNumbers
from .window import HIGHEST

if TYPE_CHECKING:
    from ...core.barriers import Barriers

MOST_DISTANCE = 256
"""Between the hand and a cell that code looks at: there must be a window around both."""


class Every(set[Key]):
    """All keys there are."""

    def __contains__(self, key: object) -> bool:
        return True


class WindowWalk(Walk):
    """Ticks of code that does not know how far cells reach."""

    def over(self, stance: Stance) -> bool:
        try:
            return super().over(stance)
        except Undecided:
            raise Leave from None  # the reference engine knows


class CellsByDistance(WritableCells):
    """Cells by their distance from the hand, as it was at the header."""

    def __init__(self, context: TraceContext, numbers: TracedNumbers, ground: Any) -> None:
        super().__init__(context, numbers, ground)
        self.hand = TracedHand(context, ANYWHERE)
        self.ceiling = int(min(range_of(context.real_plane)[1], HIGHEST))
        """The greatest number that a cell can ever hold, in a window."""
        self.highest = HIGHEST
        """The greatest number in any cell, now and for as long as only this code writes."""

    def distance(self, x: Any, y: Any) -> tuple[int, int]:
        """How far a place is from the hand at the header; others are left to other engines.

        Without a hand it is as if there were one at (0, 0) that never moves.
        """
        for value, hand in zip((x, y), self.hand.at_start(), strict=True):
            if apart(value)[0] is not hand if self.hand.exists else isinstance(value, Node):
                raise Leave
        right, down = offset_of(x), offset_of(y)
        if max(abs(right), abs(down)) > MOST_DISTANCE:
            raise Leave
        return right, down

    def cell(self, x: Any, y: Any) -> Any:
        place, graph = self.distance(x, y), self.context.graph
        self.stay_unwatched(x, y)
        if place in self.context.env.cells:
            return graph.settled(self.context.env.cells[place])
        return graph.settled(self.context.load("cell", x, y, 0))

    def put(self, x: Any, y: Any, value: Any) -> None:
        place = self.distance(x, y)
        self.context.stay_within(value, (0, self.ceiling))
        self.highest = max(self.highest, int(min(bounds_of(value)[1], self.ceiling)))
        self.spare_code(x, y)
        self.context.env.cells[place] = value


class WindowTracer(Tracer):
    """Records trees that work on a window."""

    def __init__(
        self,
        language: Language,
        state: State,
        allowed: set[Stance] | None,
        seen: Seen,
        growing: bool,
        room: int = MOST_INSTRUCTIONS,
        *,
        known_depth: bool = True,
        armed: Barriers | None = None,
        refusals: Refusals | None = None,
    ) -> None:
        parts = Parts(
            writable_cells=self._cells,
            hand=lambda context: TracedHand(context, ANYWHERE),
            walk=WindowWalk,
            most_decisions=60,  # machine code does not mind how deep decisions are nested
        )
        super().__init__(
            language, state, allowed, seen, growing, room, known_depth=known_depth, native=True,
            armed=armed, refusals=refusals, parts=parts,
        )  # fmt: skip

    def _cells(self, context: TraceContext, numbers: TracedNumbers, ground: Any) -> CellsByDistance:
        self.cells = CellsByDistance(context, numbers, ground)
        return self.cells

    @property
    def highest(self) -> int:
        """The greatest number in any cell, as far as this code writes."""
        return self.cells.highest

    single: list[Tree]  # of one tick each, which can stop and begin anywhere

    def explore_twice(self, entry: Key, highest: int) -> list[Tree]:
        """Trees as long as can be; those of one tick are kept as well.

        The greatest number in any cell is given. If code can write greater ones, all is done
        once more, since less is known then; at the third time for whatever a cell can hold.
        """
        cells, start = self.cells, self.explorer.start(entry)
        for most in (highest, None, cells.ceiling):
            cells.highest = cells.highest if most is None else most
            within = (0, cells.highest)
            self.context.graph = NodeGraph(True, within)
            trees = self.explore(start)
            self.single = self.explorer.record([start], Every())
            if (0, cells.highest) == within:
                break
        return trees
