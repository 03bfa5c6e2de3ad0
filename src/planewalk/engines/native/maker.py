"""Makes units of machine code. Runs beside the run: nothing here changes the engine."""

from __future__ import annotations

from typing import Any

from ...core.state import State
from ..keeping import keeping_of
from ..policy import Policy
from ..python.maker import UnitWriter
from ..python.source import Source
from ..python.unit import Unit
from ..tiering.code_map import UnitSet
from ..tiering.task import Task, TreeFinder, has_known_depth
from ..tracing.explore import TooComplex
from ..tracing.ir import Exit, Key
from ..tracing.ops import WIDE, WORD
from ..tracing.trace import TooManyDepths, Tracer
from ..tracing.trees import Tree
from ..window.code import LongWriter
from ..window.engine import HIGHEST
from ..window.trace import WindowTracer
from . import code_cache
from .code import NativeWriter
from .linker import driver
from .llvm import Store, why_not
from .shelf import Shelf
from .unit import NativeUnit
from .values import Unwritable
from .wide import WideWriter


def write_native(
    finder: TreeFinder, task: Task, entry: Key, highest: int, bits: int = WORD
) -> tuple[Tracer, NativeWriter]:
    """What is reachable from a key, recorded for so many bits, and its writer.

    No cell of a plane without edges holds a greater number than the `highest`. Raises
    `Unwritable`, with the reason, if it is not for machine code.
    """
    if keeping_of(task.state.plane).windowed:
        return _write_for_window(finder, task, entry, highest)
    tracer, trees = finder.find(task, entry, native=True, bits=bits)
    if not trees:
        raise Unwritable("no end to its ways is in sight")
    kind = WideWriter if bits == WIDE else NativeWriter
    return tracer, kind(trees, task.state.floats, task.hands, task.width)


def _write_for_window(
    finder: TreeFinder, task: Task, entry: Key, highest: int
) -> tuple[WindowTracer, LongWriter]:
    if highest > HIGHEST:
        raise Unwritable("its cells hold numbers that are no bytes")
    for known_depth in (True, False) if has_known_depth(entry) else (False,):
        tracer = WindowTracer(
            finder.language, task.state, task.may, task.seen, task.growing, task.room,
            known_depth=known_depth, native=True,
        )  # fmt: skip
        tracer.armed, tracer.refusals = task.armed, finder.refusals
        try:
            trees, single = tracer.explore_twice(entry, highest)
        except TooManyDepths:
            continue
        except TooComplex:
            break
        return tracer, LongWriter(trees, single, task.state.floats)
    raise Unwritable("no end to its ways is in sight")


class NativeMaker:
    """Machine code from places or from trees, also kept for the next run."""

    def __init__(
        self,
        finder: TreeFinder,
        policy: Policy,
        units: UnitSet[NativeUnit],
        store: Store | None,
        kept_as: str | None,
        begun: State,
    ) -> None:
        self.finder, self.policy, self.units, self.store = finder, policy, units, store
        self.python = UnitWriter(finder.language, policy)
        self.hurries = True
        """Whether nothing else is as fast as generated Python meanwhile."""
        self.shelf = store if isinstance(store, Shelf) else Shelf(None)
        """What the engines of one program hand on to each other."""
        first = store is not None and not self.shelf
        self.kept_as = kept_as or code_cache.name_of(finder.language, begun) if first else None
        """The name under which all units of the run are kept, if they are."""
        self.later: list[NativeUnit] = []
        """Units of earlier runs that are for a plane with more rows."""
        if store is not None and self.kept_as is not None:
            self.later = code_cache.recall(store, self.kept_as)

    def recall(self, rows: int) -> list[NativeUnit]:
        """What earlier runs have kept for a plane of so many rows."""
        store, waiting = self.store, self.later
        self.later = [native for native in waiting if native.height > rows]
        fitting = (native for native in waiting if native.suits_rows(rows))
        return [] if store is None else [native for native in fitting if native.recall(store)]

    def make(self, task: Task, entry: Key, highest: int, bits: int = WORD) -> NativeUnit | None:
        """Trace once more, for so many bits, and assemble it."""
        if why_not() is not None:
            return None
        try:
            tracer, writer = write_native(self.finder, task, entry, highest, bits)
            if isinstance(tracer, WindowTracer) and isinstance(writer, LongWriter):
                native: NativeUnit = writer.unit(tracer.highest, task.may)
            else:
                native = NativeUnit.again(writer.written())
            # From another entry, with less known, other cells may have been decoded than by the
            # unit.
            self._finish(native, task, tracer.touched, tracer.frontier)
        except Unwritable:
            return None
        tracer.forget()
        return native

    def assemble(self, task: Task, unit: Unit, trees: list[Tree]) -> NativeUnit | None:
        """Machine code from what a unit was written from."""
        if why_not() is not None:
            return None
        try:
            native = NativeUnit(NativeWriter(trees, task.state.floats, task.hands, task.width))
            self._finish(native, task._replace(armed=unit.armed), unit.touched, unit.frontier)
        except Unwritable:
            return None
        return native

    def write(self, task: Task, entry: Key, tracer: Tracer, trees: list[Tree]) -> Unit | None:
        """A unit of generated Python that may become machine code; of much code, at once."""
        portable = not keeping_of(task.state.plane).windowed and not tracer.graph.wide
        large = tracer.acted > self.policy.large or not self.hurries
        if portable and large and why_not() is None:
            unit = self._write_large(task, entry, tracer, trees)
            if unit is not None:
                return unit
        unit = self.python.write(task, entry, tracer, trees)
        if unit is not None and portable:
            unit.trees = trees  # good for machine code as they are
        return unit

    def _write_large(
        self, task: Task, entry: Key, tracer: Tracer, trees: list[Tree]
    ) -> Unit | None:
        """A unit that never is generated Python: compiling that would stop the run for a while,
        which making machine code does not."""
        try:
            native = NativeUnit(NativeWriter(trees, task.state.floats, task.hands, task.width))
            exits = [key for key, _ in native.exits]
            source = Source(native.text, native.entries, exits, native.spent, native.registers)
            unit = self.python.unit(task, entry, tracer, source, None)
            self._finish(native, task, tracer.touched, unit.frontier)
        except Unwritable:
            return None
        for tree in trees:
            if isinstance(tree.root.end, Exit) and tree.root.end.ticks == 0:
                native.entries.pop(tree.key, None)
        native.large = True
        unit.native = native
        return unit

    def _finish(
        self, native: NativeUnit, task: Task, touched: dict[Any, Any], frontier: set[Key]
    ) -> None:
        native.touched, native.armed = touched, task.armed
        native.height = getattr(task.state.plane, "height", 0)  # it may have grown meanwhile
        for key in frontier:
            native.entries.pop(key, None)  # it would leave at once
        native.assemble(self.store)
        if frontier:
            driver(self.store)  # it will be linked to other code, which is done in the run
        self.shelf.lay(native, task.state)
        if self.store is not None and self.kept_as is not None and native.armed is None:
            natives = dict.fromkeys([*self.units.at.values(), native, *self.later])
            code_cache.keep(self.store, self.kept_as, list(natives))
