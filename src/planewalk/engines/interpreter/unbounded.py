"""The interpreter on a plane without edges: it sees a window around the walker and its hand.

It leaves where one of them goes out of the window, and where a program may have ended: how far
cells reach is not counted meanwhile, but four of them, the outermost, are sure to stay. A write to
one of these leaves, too.
"""

from __future__ import annotations

from typing import Any

from ...core.geometry import Stance
from ...core.language import Language
from ...core.plane import SparsePlane, range_of
from ...core.state import State
from ..base.keeping import FURTHEST
from ..native.abi import Slot
from ..native.state import StateParts
from ..tracing.context import TraceContext
from ..tracing.ir import Leave, Node
from ..tracing.limits import MOST_INSTRUCTIONS
from ..tracing.words.cells import WritableCells
from ..tracing.words.numbers import TracedNumbers
from ..window.code import write_to_pane
from .abi import EXTRA, SURE
from .code import CONSTANTS, COUNTERS, POINTERS, InterpreterParts
from .surroundings import UnboundedView, ceiling
from .tick_access import TickCellAccess, TickStackAccess, TickValues
from .tick_tracer import Here, TickTracer, TickWalk


class _UnboundedDecoded:
    """The plane as `decode` sees it: the cell under the walker holds a plain number."""

    def __init__(self, here: Here) -> None:
        self.cells, self.cell = self, here.cell

    def get(self, place: Any, default: Any = None) -> Any:
        return self.cell(*place) or default

    def __getattr__(self, name: str) -> Any:
        raise Leave


class UnboundedCells(WritableCells):
    """The cells in the window."""

    def __init__(
        self, context: TraceContext, numbers: TracedNumbers, ground: Any, here: Here
    ) -> None:
        super().__init__(context, numbers, ground)
        self.here = here

    def stay_inside(self, x: Any, y: Any) -> None:
        for at in (x, y):
            self.context.stay_within(at, (-2 * FURTHEST, 2 * FURTHEST))
        here = x is self.here.x and y is self.here.y
        if not here and not self.context.asks("inside", x, y):
            raise Leave

    def cell(self, x: Any, y: Any) -> Any:
        self.stay_inside(x, y)
        self.stay_unwritten()
        return self.as_known(self.context.load("cell", x, y, self.context.env.version))

    def put(self, x: Any, y: Any, value: Any) -> None:
        self.stay_inside(x, y)
        self.context.stay_within(value, self.context.graph.cells)
        if self.context.asks("coded", x, y):
            raise Leave
        self.context.effects.append(("put", x, y, value))
        self.context.env.version += 1


class UnboundedWalk(TickWalk):
    """One tick that begins and ends in the window."""

    def __init__(self, cells: UnboundedCells, *given: Any) -> None:
        super().__init__(*given)
        self.cells = cells

    def land(self, stance: Stance) -> None:
        self.cells.stay_inside(stance.x, stance.y)
        self.keep_place(stance)


class UnboundedTickTracer(TickTracer):
    """Records what single ticks do at a place that is a node, anywhere."""

    def __init__(self, language: Language, state: State) -> None:
        blank = State(
            SparsePlane(holds=range_of(state.plane)), state.walkers[:1], stack=state.held_stack[:0],
            registers=state.registers, options=state.options,
        )  # fmt: skip
        super().__init__(language, blank)
        self.graph.cells = (0, ceiling(state.plane))

    def _note_what_is_inside(self, confined: bool) -> None:
        super()._note_what_is_inside(confined)
        self.graph.inside = set()
        for node in (self.here.x, self.here.y):
            node.low, node.high = -FURTHEST, FURTHEST

    def _views(self, index: Any) -> tuple[Any, Any]:
        return UnboundedView(*map(self._sure, SURE)), _UnboundedDecoded(self.here)

    def _sure(self, side: str) -> Node:
        """A line up to which there are cells."""
        node = self.graph.make("sure", (side,), "int")
        node.low, node.high = -FURTHEST, FURTHEST
        return node

    def _cells(self, numbers: TracedNumbers) -> UnboundedCells:
        return UnboundedCells(self.context, numbers, self.ground, self.here)

    def _walk(self) -> UnboundedWalk:
        words = self.words, self.decoded
        return UnboundedWalk(self.cells, self.context, *words, 1, MOST_INSTRUCTIONS)


class PaneCellAccess(TickCellAccess):
    """Cells of a plane without edges, as far as the window shows them."""

    def read_inside(self, node: Node, args: list[str]) -> str:
        """Whether a place is in the window."""
        column = self.ir.define(f"sub i64 {args[0]}, %left")
        line = self.ir.define(f"sub i64 {args[1]}, %top")
        across = self.ir.define(f"icmp ult i64 {column}, %width.0")
        along = self.ir.define(f"icmp ult i64 {line}, %rows")
        return self.ir.define(f"and i1 {across}, {along}")

    def read_sure(self, node: Node, args: list[str]) -> str:
        """The line up to which there are cells on a side."""
        return self.ir.define(self.ir.load(SURE[str(node.args[0])]))

    def do_put(self, x: str, y: str, value: str) -> None:
        """Write a cell."""
        write_to_pane(self.ir, self.place("data", x, y), value)


UNBOUNDED = InterpreterParts(
    StateParts(TickValues, PaneCellAccess, TickStackAccess),
    words_handed=EXTRA + len(SURE) - Slot.SLOTS,
    pointers={**POINTERS, "code": Slot.CODE, "written_blocks": Slot.WRITTEN_BLOCKS},
    constants={**CONSTANTS, "left": Slot.LEFT, "top": Slot.TOP},
    counters={**COUNTERS, "cells": Slot.COUNT},
)
