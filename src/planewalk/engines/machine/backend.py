"""Machine code as a back end: units made through LLVM, linked, kept and entered."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter

from ..base.jobs import CompileJob
from ..base.keeping import HEIGHT
from ..compiled.task import Task
from ..compiled.unit import Made, Visit
from ..compiled.unit_engine import Backend, UnitEngine
from ..native.abi import STACK_SEEN
from ..native.executor import FlatCells, NativeCells, NativeExecutor
from ..native.machine_code import Care, Store
from ..native.unit import NativeUnit
from ..tracing.ir import Key
from ..tracing.ops import WIDE, WORD, fits
from ..window.cells import WindowCells
from ..window.code import WindowUnit
from .maker import NativeMaker

IMPROVING = 4_000
"""Ticks in quick code, for each character of its text, before good code is made of it: making that
takes about as long."""


class NativeBackend(Backend):
    """The units of a run in machine code."""

    def __init__(self, engine: UnitEngine, store: Store | None, kept_as: str | None) -> None:
        self.engine, self.code_map, self.units = engine, engine.code_map, engine.units
        self.live = run = engine.run
        self.maker = NativeMaker(
            engine.language, engine.finder, engine.policy, self.units, store, kept_as, run.state
        )
        windowed = self.code_map.keeping.windowed
        survey = engine.survey
        self.cells: NativeCells = WindowCells(survey, store) if windowed else FlatCells(survey)
        self.executor = NativeExecutor(run, self.cells)
        self.wide: set[Key] = set()  # where numbers of more than 64 bits were met
        self.improving: CompileJob[None] | None = None  # good code that is being made of quick code
        self._counted_at = -1  # the version of the units that were asked whether they count rows
        self._alive_at = -1  # when it was last known that the program has not ended
        self._recall()
        self.rearmed()
        self.code_map.grew = self._recall

    def _recall(self) -> None:
        """Adopt what earlier runs have kept for such a plane, and have it for others at hand."""
        if self.maker.later and self.code_map.has_room():
            state = self.live.state
            natives = self.maker.recall(getattr(state.plane, "height", 0))
            for native in natives:
                self.maker.shelf.lay(native, state)
            self._adopt_all(natives)

    def rearmed(self) -> None:
        """All code was dropped, since the run stops at something else: adopt what other engines of
        this program have left on the shelf."""
        self.wide.clear()
        shelf = self.maker.shelf
        if shelf.has_units and self.code_map.has_room():
            self.cells.open()
            self._adopt_all(shelf.fitting(self.code_map.armed, self.live.state))

    def _adopt_all(self, natives: list[NativeUnit]) -> None:
        """Take over machine code that was made for other runs, as far as it is true here."""
        for native in sorted(natives, key=attrgetter("bits")):  # of two, that for longer numbers
            if self.code_map.admits(native):
                self.units.adopt(native)

    def begin(self) -> None:
        self.cells.begin()

    # Making --------------------------------------------------------------------------------------

    def order(self, task: Task, entries: list[Key]) -> Callable[[], Made]:
        highest = self.cells.open()
        wide = self._has_long_numbers() or not self.wide.isdisjoint(entries)
        wide = wide and self.engine.policy.wide_numbers
        return partial(self.maker.make, task, entries, highest, WIDE if wide else WORD)

    def _has_long_numbers(self) -> bool:
        """Whether there are some of more than 64 bits where code would see them."""
        state = self.live.state
        return not state.floats and not all(map(fits, state.held_stack[-STACK_SEEN:]))

    def replaces(self, unit: NativeUnit, overflowed: bool) -> bool:
        """Whether other code is to be made where a unit was of no use: for longer numbers, or for
        cells that hold greater ones than it was made for."""
        if isinstance(unit, WindowUnit) and self.cells.open() > unit.facts.highest:
            return True
        longer = overflowed or self._has_long_numbers()
        if unit.bits == WORD and longer and self.engine.policy.wide_numbers:
            self.wide.update(unit.entries)
            return True
        return False

    def _improve(self, native: NativeUnit) -> None:
        """Have good code made of quick code that runs long; that is adopted by itself."""
        job = self.improving
        if job is not None and job.ready:
            job.take()
            job = self.improving = None
        long = native.all_ticks > IMPROVING * native.size
        if job is None and long and native.care is Care.QUICK:
            make = partial(native.improve, self.maker.store)
            self.improving = self.engine.queue.begin("better code", make)

    # Running -------------------------------------------------------------------------------------

    def prepare(self, unit: NativeUnit, key: Key) -> bool:
        if self._counted_at != self.units.version:
            self.cells.counts_rows |= any(HEIGHT in unit.touched for unit in self.units.all())
            self._counted_at = self.units.version
        return self.executor.prepare(unit)

    def run(self, unit: NativeUnit, key: Key, fuel: int) -> Visit:
        number, left, ticks = self.executor.enter(unit, key, fuel)
        self.ticks += ticks
        spent = number in unit.spent
        if isinstance(unit, WindowUnit):
            spent = spent or number in unit.facts.edges  # there was no time to move the window
            self._alive_at = self.live.state.tick if number in unit.facts.alive else -1
        self._improve(unit)
        return Visit(left, ticks, spent, number in unit.overflows)

    def is_surely_alive(self) -> bool:
        return self._alive_at == self.live.state.tick
