"""Makes units of machine code. Runs beside the run: nothing here changes the engine."""

from __future__ import annotations

from functools import partial

from ...core.language import Language
from ...core.state import State
from ..base.keeping import keeping_of
from ..base.policy import Policy
from ..compiled.code_map import UnitSet
from ..compiled.making import describe, make
from ..compiled.task import Task, TreeFinder, has_known_depth
from ..compiled.unit import Made
from ..native.code import NativeWriter
from ..native.machine_code import Store, why_not
from ..native.shelf import Shelf
from ..native.unit import NativeUnit, unit_of
from ..native.values import Unwritable
from ..native.wide import WideWriter
from ..tracing.ir import Key
from ..tracing.limits import TooComplex, TooManyDepths
from ..tracing.ops import WIDE, WORD
from ..tracing.tracer import Tracer
from ..tracing.trees import Tree
from ..window.code import LongWriter
from ..window.window import HIGHEST
from ..window.window_tracer import WindowTracer
from . import code_cache


def write_native(
    finder: TreeFinder, task: Task, entry: Key, highest: int, bits: int = WORD
) -> tuple[Tracer, NativeWriter]:
    """What is reachable from a key, recorded for so many bits, and its writer.

    No cell of a plane without edges holds a greater number than the `highest`. Raises
    `Unwritable`, with the reason, if it is not for machine code.
    """
    tracer, trees = _find(finder, task, entry, highest, bits)
    if not trees:
        raise Unwritable("no end to its ways is in sight")
    return tracer, _writer(task, tracer, trees, bits)


def _find(
    finder: TreeFinder, task: Task, entry: Key, highest: int, bits: int
) -> tuple[Tracer, list[Tree]]:
    if keeping_of(task.state.plane).windowed:
        return _find_for_window(finder, task, entry, highest)
    return finder.find(task, entry, native=True, bits=bits)


def _writer(task: Task, tracer: Tracer, trees: list[Tree], bits: int) -> NativeWriter:
    floats = task.state.floats
    if isinstance(tracer, WindowTracer):
        return LongWriter(trees, tracer.single, floats)
    return (WideWriter if bits == WIDE else NativeWriter)(trees, floats, task.hands, task.width)


def _find_for_window(
    finder: TreeFinder, task: Task, entry: Key, highest: int
) -> tuple[WindowTracer, list[Tree]]:
    if highest > HIGHEST:
        raise Unwritable("its cells hold numbers that are no bytes")
    for known_depth in (True, False) if has_known_depth(entry) else (False,):
        tracer = WindowTracer(
            finder.language, task.state, task.may, task.seen, task.growing, task.room,
            known_depth=known_depth, armed=task.armed, refusals=finder.refusals,
        )  # fmt: skip
        try:
            trees = tracer.explore_twice(entry, highest)
        except TooManyDepths:
            continue
        except TooComplex:
            break
        return tracer, trees
    raise Unwritable("no end to its ways is in sight")


class NativeMaker:
    """Machine code from places, also kept for the next run."""

    def __init__(
        self,
        language: Language,
        finder: TreeFinder,
        policy: Policy,
        units: UnitSet[NativeUnit],
        store: Store | None,
        kept_as: str | None,
        begun: State,
    ) -> None:
        self.finder, self.policy, self.units, self.store = finder, policy, units, store
        self.shelf = store if isinstance(store, Shelf) else Shelf(None)
        """What the engines of one program hand on to each other."""
        first = policy.kept_units and store is not None and not self.shelf.has_units
        self.kept_as = kept_as or code_cache.name_of(language, begun) if first else None
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

    def make(self, task: Task, entries: list[Key], highest: int, bits: int) -> Made:
        """A unit from one of these places, for numbers of so many bits."""
        if why_not() is not None:
            return Made(None, [entry.stance for entry in entries], 0)

        def write(task: Task, entry: Key, tracer: Tracer, trees: list[Tree]) -> NativeUnit:
            writer = _writer(task, tracer, trees, bits)
            if isinstance(writer, LongWriter) and isinstance(tracer, WindowTracer):
                native: NativeUnit = writer.unit(tracer.highest, task.may)
            else:
                native = unit_of(writer.written())
            self._finish(native, task, tracer)
            return native

        find = partial(_find, self.finder, highest=highest, bits=bits)
        return make(task, entries, find, write, self.finder.refusals)

    def _finish(self, native: NativeUnit, task: Task, tracer: Tracer) -> None:
        describe(native, task, tracer, self.policy)
        native.height = getattr(task.state.plane, "height", 0)  # it may have grown meanwhile
        native.assemble(self.store)
        if self.policy.shelf:
            self.shelf.lay(native, task.state)
        if self.store is not None and self.kept_as is not None and native.armed is None:
            natives = dict.fromkeys([*self.units.at.values(), native, *self.later])
            code_cache.keep(self.store, self.kept_as, list(natives))
