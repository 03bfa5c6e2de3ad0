"""Machine code as a tier: the units there are, linked, and whether they are worth entering."""

from __future__ import annotations

from operator import attrgetter

from ..keeping import HEIGHT
from ..python.unit import Unit
from ..tiering.code_map import UnitSet
from ..tiering.jobs import CompileQueue
from ..tiering.survey import Survey
from ..tiering.task import TreeFinder
from ..tracing.ir import Key
from ..tracing.ops import WORD
from ..window.cells import WindowCells
from ..window.code import WindowUnit
from .company import Company
from .executor import FlatCells, NativeCells, NativeExecutor
from .linker import Chain
from .llvm import Store
from .maker import NativeMaker
from .promotion import Promotion
from .unit import NativeUnit

FAIR_TRIAL = 50
"""How often machine code leaves before it is judged."""


class NativeTier:
    """The units of a run in machine code."""

    def __init__(
        self,
        survey: Survey,
        finder: TreeFinder,
        queue: CompileQueue,
        store: Store | None,
        kept_as: str | None,
    ) -> None:
        run, code_map = survey.run, survey.code_map
        self.survey, self.code_map = survey, code_map
        self.units: UnitSet[NativeUnit] = UnitSet(code_map, self._renewed)
        self.maker = NativeMaker(finder, run.policy, self.units, store, kept_as, run.state)
        windowed = code_map.keeping.windowed
        self.cells: NativeCells = WindowCells(survey, store) if windowed else FlatCells(survey)
        self.executor = NativeExecutor(run, self.cells)
        self.promotion = Promotion(survey, self.maker, queue, self.cells)
        self.company = Company(code_map, queue, store, finder.refusals)
        self._chain: Chain | None = None
        self._linked = True
        self._alive_at = -1
        """When it was last known that the program has not ended."""
        self._recall()
        self.take_from_shelf()
        code_map.grew = self._recall

    def _recall(self) -> None:
        """Adopt what earlier runs have kept for such a plane, and have it for others at hand."""
        if self.maker.later and self.code_map.has_room():
            state = self.survey.run.state
            natives = self.maker.recall(getattr(state.plane, "height", 0))
            for native in natives:
                self.maker.shelf.lay(native, state)
            self._adopt_all(natives)

    def take_from_shelf(self) -> None:
        """Adopt what other engines of this program have left."""
        shelf = self.maker.shelf
        if shelf and self.code_map.has_room():
            self.cells.open()
            self._adopt_all(shelf.fitting(self.code_map.armed, self.survey.run.state))

    def _adopt_all(self, natives: list[NativeUnit]) -> None:
        """Take over machine code that was made for other runs, as far as it is true here."""
        for native in sorted(natives, key=attrgetter("bits")):  # of two, that for longer numbers
            if self.code_map.admits(native):
                self.units.adopt(native)

    def _renewed(self, gone: set[Key]) -> None:
        self._linked = False
        self.promotion.tried -= gone
        self.cells.counts_rows |= any(HEIGHT in unit.touched for unit in self.units.all())

    def find(self, key: Key) -> NativeUnit | None:
        """The machine code that can be entered there and now."""
        if self.promotion.job is not None:
            self.receive()
        native = self.units.at.get(key)
        if native is None or not self.executor.prepare(native, self.chain_of(native)):
            return None
        return native

    def chain_of(self, native: NativeUnit) -> Chain | None:
        """The chain that a unit is part of, which machine code leads along."""
        if not self._linked:
            chain = Chain(self.units.at, self.maker.store)
            self._chain, self._linked = chain if chain.linked else None, True
        return self._chain if self._chain is not None and native in self._chain else None

    def run(self, first: NativeUnit, key: Key, fuel: int) -> bool:
        """Run a unit just found; says whether it stopped for want of fuel alone, or where other
        code begins."""
        native, number, left, ticks = self.executor.enter(first, key, fuel, self.chain_of(first))
        self.survey.python.back_off.compiled_ticks += ticks
        self.promotion.ran(native, ticks)
        first.ticks += ticks
        spent = number in native.spent
        if isinstance(native, WindowUnit):
            spent = spent or number in native.facts.edges  # there was no time to move the window
            self._alive_at = self.survey.run.state.tick if number in native.facts.alive else -1
            if not spent:
                self.promotion.note_stray(native, left)
                self.receive()
        if spent or (ticks > 0 and self._goes_on_elsewhere(native, left)):
            return True
        first.left += 1
        if first.left > FAIR_TRIAL and first.ticks < self._worth_a_visit(first) * first.left:
            self.dismiss(first, for_bits=number in native.overflows)
        return False

    def _worth_a_visit(self, native: NativeUnit) -> int:
        worth_it = self.promotion.policy.worth_a_visit
        return worth_it // 10 if native.floats or native.large else worth_it

    def _goes_on_elsewhere(self, native: NativeUnit, key: Key) -> bool:
        """Whether other code begins where this machine code has left."""
        other = self.units.at.get(key)
        return other is not native if other is not None else key in self.survey.python.units.at

    def consider(self, unit: Unit, key: Key) -> int:
        """Have machine code made of generated Python that has earned it; gives how long that should
        run until there may be some."""
        self.promotion.consider(unit, key)
        self.receive()
        return self.promotion.longer_slice(bool(self.units.at))

    def receive(self) -> None:
        """Take over machine code that is ready, unless what it was made from has changed since."""
        if self.promotion.job is None or not self.promotion.job.ready:
            return
        native = self.promotion.take()
        if native is None:
            self.units.version += 1  # code that there was may have been improved
        elif self.code_map.admits(native):
            self.units.adopt(native)
        else:
            self.promotion.came_too_late()
        self._linked = False

    def dismiss(self, native: NativeUnit, for_bits: bool = False) -> None:
        """Going there and back costs more than staying in generated Python, or code that has more
        bits for numbers."""
        self.units.drop({native})
        if for_bits and native.bits == WORD:
            self.promotion.widen(native.entries)
        else:
            self.promotion.give_up(native)

    def is_surely_alive(self) -> bool:
        """Whether it is known that the program has not ended."""
        return self._alive_at == self.survey.run.state.tick
