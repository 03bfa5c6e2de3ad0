"""The interpreter on a plane without edges: it sees a window around the walker and its hand.

It leaves where one of them goes out of the window, and where a program may have ended: how far
cells reach nobody counts meanwhile, but four of them, the outermost, are sure to stay. Whoever
writes one of these leaves, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ...core.geometry import Stance
from ...core.language import Language
from ...core.plane import Place, SparsePlane, range_of
from ...core.state import State, Walker
from ..keeping import FURTHEST
from ..lending import called_back, is_lent
from ..native.abi import Slot
from ..tracing.ir import Leave, Node
from ..window.code import PaneWriter
from ..window.engine import HIGHEST, Window
from ..window.pane import Bounds
from .code import EXTRA, InterpreterWriter
from .trace import SureLine, TickTracer

if TYPE_CHECKING:
    from ..native.llvm import Store

SURE = {side: EXTRA + at for at, side in enumerate(("left", "top", "right", "bottom"))}
"""The words that say how far cells surely reach."""
MOST_CELLS = 1 << 13
"""With more of them it takes long to open a window anew each time."""
HANDY = 1 << 21
"""Places between a walker and its hand up to which a window is moved and left quickly."""
FAR = 2
"""Cells on every side of the walker and its hand that are in the window when it is entered."""


def ceiling(plane: Any) -> int:
    """The greatest number that a cell can ever hold, in a window."""
    return int(min(range_of(plane)[1], HIGHEST))


class _SureExtent:
    """How far cells reach along one axis."""

    def __init__(self, least: Any, most: Any) -> None:
        self.least, self.most = SureLine(least, True), SureLine(most, False)


class _SomeCells:
    """All that is known of the cells is that there are some."""

    def __bool__(self) -> bool:
        return True

    def _unusable(self, *_: object) -> Any:
        raise Leave

    __getattr__ = __getitem__ = __contains__ = __len__ = __iter__ = __eq__ = _unusable


class _Unbounded:
    """The plane as geometry and instructions see it."""

    cells = _SomeCells()

    def __init__(self, left: Any, top: Any, right: Any, bottom: Any) -> None:
        self.columns, self.lines = _SureExtent(left, right), _SureExtent(top, bottom)

    def __getattr__(self, name: str) -> Any:
        raise Leave  # only the reference engine can tell


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
            SparsePlane(holds=range_of(state.plane)), state.walkers[:1], stack=state.stack[:0],
            registers=state.registers, options=state.options,
        )  # fmt: skip
        super().__init__(language, blank)
        self.graph.cells = (0, ceiling(state.plane))
        for node in (self.here_x, self.here_y):
            node.low, node.high = -FURTHEST, FURTHEST
        self.graph.inside = set()
        self.plane, self._decoded = _Unbounded(*map(self._sure, SURE)), _UnboundedDecoded(self)

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


class Surroundings:
    """The window on a plane for a run, and the cells that surely stay."""

    def __init__(self, plane: SparsePlane, store: Store | None = None) -> None:
        self.plane, self.store = plane, store
        self.sure: set[Place] = set()
        self.reach = Bounds(0, 0, 0, 0)
        """How far they reach; the last column and row are in it."""
        self.window: Window | None = None

    def suits(self, walker: Walker, shared: bool) -> bool:
        """Whether there can be a window, and handing cells on to others does not take long."""
        few = len(self.plane.cells) <= (MOST_CELLS if shared else self.plane.many)
        needed = _around(walker)
        return few and needed.width * needed.height <= HANDY

    def cover(self, walker: Walker) -> bool:
        """Have a walker and its hand in the window; says whether it can be entered."""
        needed, plane = _around(walker), self.plane
        if needed.is_too_large() or max(map(abs, needed)) >= FURTHEST:
            return False
        if self.window is None:
            self.window = Window(plane, self.sure, self.store)
        window = self.window
        window.open()
        if window.highest > ceiling(plane) or not self._is_sure(walker.stance):
            return False
        window.have(needed)
        window.highest = ceiling(plane)
        return True

    def is_left(self, walker: Walker) -> bool:
        """Whether a walker or its hand has come to the end of the window."""
        assert self.window is not None
        return not self.window.pane.frame.holds(_around(walker))

    def goes_on(self, over: Callable[[Any, Stance], bool] | None, stance: Stance) -> bool:
        """Whether a program has surely not ended; nobody has to look at the cells for that."""
        if not is_lent(self.plane):
            return False
        try:
            return over is None or not over(_Unbounded(*self.reach), stance)
        except (Leave, Exception):  # the reference engine will tell
            return False

    def _is_sure(self, stance: Stance) -> bool:
        """Whether a walker is among cells that surely stay."""
        left, top, right, bottom = self.reach
        standing = self.sure and all(self.plane.cell(x, y) for x, y in self.sure)
        if not standing or not (left <= stance.x <= right and top <= stance.y <= bottom):
            self._look()
        return bool(self.sure)

    def _look(self) -> None:
        """Find the outermost cells."""
        assert self.window is not None
        called_back(self.plane)
        self.window.mark(self.sure, False)
        self.sure.clear()
        box = self.plane.box()
        if box is not None:
            self.sure.update(self.plane.outermost())
            self.reach = Bounds(*box)
            self.window.mark(self.sure, True)

    def show(self, words: Any) -> None:
        """Tell machine code where everything is."""
        assert self.window is not None
        self.window.show(words)
        for word, line in zip(SURE.values(), self.reach, strict=True):
            words[word] = line

    def take(self, words: Any) -> None:
        """Know how many cells there are now."""
        assert self.window is not None
        self.window.count = words[Slot.COUNT]


def is_too_wide(walker: Walker) -> bool:
    """Whether there can be no window that has both the walker and its hand."""
    return _around(walker).is_too_large()


def _around(walker: Walker) -> Bounds:
    (x, y, *_), hand = walker
    column, line = hand or (x, y)
    return Bounds(
        min(x, column) - FAR, min(y, line) - FAR, max(x, column) + FAR + 1, max(y, line) + FAR + 1
    )
