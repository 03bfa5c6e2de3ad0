"""Generated Python as a tier: the units there are, and whether they are worth entering."""

from __future__ import annotations

from ..tiering.back_off import BackOff
from ..tiering.code_map import CodeMap, UnitSet
from ..tiering.run import LiveRun
from ..tracing.ir import Key
from .executor import PythonExecutor
from .unit import Unit

MOST_UNITS = 100


class PythonTier:
    """The units of a run in generated Python."""

    def __init__(self, run: LiveRun, code_map: CodeMap, back_off: BackOff) -> None:
        self.policy, self.back_off = run.policy, back_off
        self.units: UnitSet[Unit] = UnitSet(code_map, self._renewed)
        self.executor = PythonExecutor(run, code_map)
        self.full = False
        """Whether the program is too large for one unit."""

    def _renewed(self, gone: set[Key]) -> None:
        self.full = any(unit.frontier for unit in self.units.all())

    def adopt(self, unit: Unit) -> None:
        """From now on this unit runs."""
        units = self.units.all()
        if len(units) >= MOST_UNITS:
            self.units.drop(units)
        self.units.adopt(unit)

    def run(self, unit: Unit, key: Key, fuel: int) -> bool:
        """Run a unit; says whether it stopped for want of fuel, or where other code begins."""
        end, ticks, spent = self.executor.enter(unit, key, fuel)
        policy = self.policy
        unit.entered += 1
        unit.ticks += ticks
        self.back_off.compiled_ticks += ticks
        if unit.entered >= policy.fair_trial:
            if unit.ticks < policy.worth_entering * unit.entered:
                self._retire(unit)
            elif unit.entered == policy.fair_trial:
                self.back_off.doubt = 1
        return spent or (ticks > 0 and self.units.at.get(end, unit) is not unit)

    def _retire(self, unit: Unit) -> None:
        """Code that leaves too soon costs more than it brings."""
        self.units.drop({unit})
        self.back_off.refuse(key.stance for key in unit.entries)
        self.back_off.try_later()
