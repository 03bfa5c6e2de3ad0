"""The engine of generated Python: units written, compiled by Python, and entered."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...core.limits import Limits
from ...core.state import State
from ...core.stream import InputStream
from ..base.keeping import Keeping, keeping_of
from ..compiled.making import describe, make
from ..compiled.task import Task
from ..compiled.unit import CompiledUnit, Made, Visit
from ..compiled.unit_engine import Backend, UnitEngine
from ..tracing.ir import Key
from ..tracing.tracer import Tracer
from ..tracing.trees import Tree
from .source import NAMES, Source, SourceWriter

ENOUGH_TICKS = 1 << 16
"""Ticks of generated code between two checks of time and memory: its numbers may grow long."""


class Unit(CompiledUnit):
    """A function, with its source."""

    def __init__(self, entry: Key, source: Source, code: Any, touched: dict[Any, Any]) -> None:
        super().__init__()
        self.entry, self.source, self.code = entry, source, code
        self.entries, self.registers = source.entries, source.registers
        self.touched = touched


class Context:
    """What generated code works on, and the parts of the plane (see `keeping.py`)."""

    S: Any
    R: Any
    out: bytearray
    hx: int
    hy: int
    room: float
    source: InputStream
    seed: int
    draws: int
    clock: int  # the tick at which the fuel would be used up
    most_written: float  # how long the output may become

    def __init__(self, state: State, keeping: Keeping, limits: Limits) -> None:
        self.state = state
        self.S, self.R, self.out = state.held_stack, state.registers, state.output
        self.room = float("inf") if limits.memory is None else limits.memory
        keeping.begin(self)
        self._enter = keeping.enter

    def enter(self, hand: tuple[int, int] | None, fuel: int = 0) -> None:
        """Take over from the reference engine, under which the plane may have grown."""
        self.hx, self.hy = hand or (0, 0)
        self.S = self.state.held_stack  # machine code may have borrowed it since
        self.source, self.seed = self.state.input, self.state.seed
        self.draws = self.state.draws
        self.clock = self.state.tick + fuel
        self._enter(self)


class PythonBackend(Backend):
    """The units of a run in generated Python."""

    impatient = True

    def __init__(self, engine: UnitEngine) -> None:
        self.live, self.code_map = engine.run, engine.code_map
        self.language, self.finder, self.policy = engine.language, engine.finder, engine.policy
        self._context: Context | None = None

    def begin(self) -> None:
        self._context = None

    def order(self, task: Task, entries: list[Key]) -> Callable[[], Made]:
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
        held: Any = self.live.state.registers  # where languages may keep anything
        return all(type(held.get(name)) is int for name, _ in unit.registers)

    def run(self, unit: Unit, key: Key, fuel: int) -> Visit:
        run, source, m = self.live, unit.source, self._context
        state = run.state
        if m is None:  # made when the first unit runs
            m = self._context = Context(state, self.code_map.keeping, run.limits)
        hand = state.walkers[0].hand
        fuel = min(fuel, ENOUGH_TICKS)
        m.enter(hand, fuel)
        m.most_written = len(m.out) + run.output_left()
        number, left = unit.code(m, fuel, source.entries[key])
        end, ticks = source.exits[number], fuel - left
        state.draws = m.draws
        run.leave(end, None if hand is None else (m.hx, m.hy), ticks)
        self.ticks += ticks
        return Visit(end, ticks, number in source.spent)


class PythonEngine(UnitEngine):
    """Generated Python: the traces of hot code, written out and executed."""

    name = "python"
    backend: PythonBackend

    def _new_backend(self) -> PythonBackend:
        return PythonBackend(self)

    @property
    def python_ticks(self) -> int:
        """Ticks that ran in generated Python."""
        return self.backend.ticks
