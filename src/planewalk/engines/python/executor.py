"""Runs generated Python on the state of a run."""

from __future__ import annotations

from typing import Any

from ...core.limits import Limits
from ...core.state import State
from ...core.stream import InputStream
from ..base.keeping import Keeping
from ..compiled.code_map import CodeMap
from ..compiled.run import LiveRun
from ..tracing.ir import Key
from .unit import Unit

ENOUGH_TICKS = 1 << 16
"""Ticks of generated code between two checks of time and memory: its numbers may grow long."""


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
    clock: int
    """The tick at which the fuel would be used up."""
    most_written: float
    """How long the output may become."""

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


class PythonExecutor:
    """Enters units, and brings the state to where they left."""

    def __init__(self, run: LiveRun, code_map: CodeMap) -> None:
        self.run, self.code_map = run, code_map
        self.ticks = 0
        """All that ran in generated code."""
        self._context: Context | None = None

    def begin(self) -> None:
        """There is another state now."""
        self._context = None

    def enter(self, unit: Unit, key: Key, fuel: int) -> tuple[Key, int, bool]:
        """Run a unit; gives where it left, after how many ticks, and whether for want of fuel."""
        run, source = self.run, unit.source
        state, m = run.state, self._context
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
        return end, ticks, number in source.spent
