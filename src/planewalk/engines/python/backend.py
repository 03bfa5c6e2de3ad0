"""Generated Python as a back end: units written, compiled by Python, and entered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ..base.keeping import keeping_of
from ..compiled.making import describe, make
from ..compiled.task import Task
from ..compiled.unit import Made, Visit
from ..tracing.ir import Key
from ..tracing.tracer import Tracer
from ..tracing.trees import Tree
from .executor import PythonExecutor
from .source import NAMES, SourceWriter
from .unit import Unit

if TYPE_CHECKING:
    from ..base.jobs import CompileJob
    from ..compiled.unit_engine import UnitEngine


class PythonBackend:
    """The units of a run in generated Python."""

    impatient = True

    def __init__(self, engine: UnitEngine) -> None:
        self.run_at, self.units = engine.run, engine.units
        self.language, self.finder, self.policy = engine.language, engine.finder, engine.policy
        self.executor = PythonExecutor(engine.run, engine.code_map)

    @property
    def ticks(self) -> int:
        """All that ran in generated code."""
        return self.executor.ticks

    def begin(self) -> None:
        """There is another state now."""
        self.executor.begin()

    def rearmed(self) -> None:
        """All code was dropped, since the run stops at something else."""

    def order(self, task: Task, entries: list[Key]) -> Callable[[], Made]:
        """What makes a unit from one of these places, beside the run."""
        return partial(make, task, entries, self.finder.find, self.write, self.finder.refusals)

    def write(self, task: Task, entry: Key, tracer: Tracer, trees: list[Tree]) -> Unit | None:
        """A unit that does what the trees say; none if it is more than Python can take."""
        state = task.state
        source = SourceWriter(trees, keeping_of(state.plane), state.floats, task.hands).source()
        names = {**NAMES, "samples": self.language.rules.samples(state.options)}
        try:
            exec(compile(source.text, "<unit>", "exec"), names)
        except (SyntaxError, RecursionError, MemoryError):  # more than Python's compiler takes
            return None
        unit = Unit(entry, source, names["unit"], tracer.touched)
        describe(unit, task, tracer, self.policy)
        return unit

    def prepare(self, unit: Unit, key: Key) -> bool:
        """Whether a unit can be entered on the state as it is."""
        return unit.knows(self.run_at.state.registers)

    def run(self, unit: Unit, key: Key, fuel: int) -> Visit:
        """Enter a unit that is prepared."""
        return Visit(*self.executor.enter(unit, key, fuel))

    def replaces(self, unit: Unit, overflowed: bool) -> bool:
        """Whether other code is to be made where a unit was of no use."""
        return False

    def jobs(self) -> Iterator[CompileJob[Any]]:
        """What else is being made: nothing."""
        return iter(())

    def is_surely_alive(self) -> bool:
        """Whether it is known that the program has not ended."""
        return False
