"""The interpreter on a plane without edges: it sees a window around the walker and its hand.

It leaves where one of them goes out of the window, and where a program may have ended: how far
cells reach nobody counts meanwhile, but four of them, the outermost, are sure to stay. Whoever
writes one of these leaves, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ...core.geometry import Stance
from ...core.language import Language
from ...core.plane import SparsePlane, range_of
from ...core.state import State
from ..keeping import FURTHEST
from ..native.abi import Slot
from ..tracing.ir import Leave, Node
from ..window.code import PaneWriter
from .abi import EXTRA, SURE
from .code import InterpreterWriter
from .surroundings import UnboundedView, ceiling
from .trace import TickTracer


class _UnboundedDecoded:
    """The plane as `decode` sees it: the cell under the walker holds a plain number."""

    def __init__(self, tracer: UnboundedTickTracer) -> None:
        self._tracer, self.cells = tracer, self

    def cell(self, x: Any, y: Any) -> int:
        if x is not self._tracer.here_x or y is not self._tracer.here_y:
            raise Leave
        return self._tracer.code

    def get(self, place: Any, default: Any = None) -> Any:
        return self.cell(*place) or default

    def __getattr__(self, name: str) -> Any:
        raise Leave


class UnboundedTickTracer(TickTracer):
    """The words, performed on nodes at a place that is a node, anywhere."""

    def __init__(self, language: Language, state: State) -> None:
        blank = State(
            SparsePlane(holds=range_of(state.plane)), state.walkers[:1], stack=state.held_stack[:0],
            registers=state.registers, options=state.options,
        )  # fmt: skip
        super().__init__(language, blank)
        self.graph.cells = (0, ceiling(state.plane))
        for node in (self.here_x, self.here_y):
            node.low, node.high = -FURTHEST, FURTHEST
        self.graph.inside = set()
        self.plane, self._decoded = UnboundedView(*map(self._sure, SURE)), _UnboundedDecoded(self)

    def _sure(self, side: str) -> Node:
        """A line up to which there are cells."""
        node = self.graph.make("sure", (side,), "int")
        node.low, node.high = -FURTHEST, FURTHEST
        return node

    def _stay_inside(self, x: Any, y: Any) -> None:
        for at in (x, y):
            self._stay_within(at, (-2 * FURTHEST, 2 * FURTHEST))
        here = x is self.here_x and y is self.here_y
        if not here and not self.graph.make("inside", (x, y), "bool"):
            raise Leave

    def _land(self, way: Stance) -> None:
        self._stay_inside(way.x, way.y)
        hash(way[2:])  # heading and mode must be plain
        self.env.x, self.env.y = way.x, way.y

    def _cell(self, x: Any, y: Any) -> Any:
        self._stay_inside(x, y)
        if any(effect[0] == "put" for effect in self.effects):
            raise Leave  # the plane has changed in this very instruction
        node = self.graph.make("cell", (x, y, self.env.version), "int")
        self.block.ops.append(("let", node))
        return self._as_known(node)

    def _put(self, x: Any, y: Any, value: Any) -> None:
        self._stay_inside(x, y)
        self._stay_within(value, self.graph.cells)
        if self.graph.make("coded", (x, y), "bool"):
            raise Leave
        self.effects.append(("put", x, y, value))
        self.env.version += 1


class UnboundedWriter(PaneWriter, InterpreterWriter):
    """Writes the interpreter for a window."""

    words_handed: ClassVar[int] = EXTRA + len(SURE) - Slot.SLOTS
    its_pointers: ClassVar[Mapping[str, int]] = {
        **InterpreterWriter.its_pointers,
        "code": Slot.CODE,
        "written_blocks": Slot.WRITTEN_BLOCKS,
    }
    its_constants: ClassVar[Mapping[str, int]] = {
        **InterpreterWriter.its_constants,
        "left": Slot.LEFT,
        "top": Slot.TOP,
    }
    its_counters: ClassVar[Mapping[str, int]] = {
        **InterpreterWriter.its_counters,
        "cells": Slot.COUNT,
    }
    by_hand: ClassVar[dict[str, str]] = {
        **InterpreterWriter.by_hand,
        "inside": "_is_inside",
        "sure": "_read_sure",
    }

    def _needs(self, node: Node) -> tuple[object, ...]:
        return () if node.op == "sure" else super()._needs(node)

    def _is_inside(self, node: Node, args: list[str]) -> str:
        column = self._define(f"sub i64 {args[0]}, %left")
        line = self._define(f"sub i64 {args[1]}, %top")
        across = self._define(f"icmp ult i64 {column}, %width.0")
        along = self._define(f"icmp ult i64 {line}, %rows")
        return self._define(f"and i1 {across}, {along}")

    def _read_sure(self, node: Node, args: list[str]) -> str:
        return self._define(self._word(SURE[str(node.args[0])]))

    def _put_cell(self, x: str, y: str, value: str) -> None:
        self._write_cell(self._place("data", x, y), value)
