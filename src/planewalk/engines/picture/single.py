"""Pixels one by one, exactly as `run --pixel` runs them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...core.base.named import NamedTuple
from ...core.engine import Engine
from ...core.errors import LimitReached
from ...core.limits import Limits, show_size
from ...core.program import Program
from ...core.state import State
from ...core.step import Fault, Spent
from ..native.machine_code import Store, why_not
from ..stepping.reference import ReferenceEngine

if TYPE_CHECKING:
    from ..compiled.unit_engine import UnitEngine
    from ..tracing.context import Seen

WORTH_MACHINE_CODE = 1_000_000
"""Steps of pixels after which machine code is made of what is hot in them."""
DIFFERENT = 2
"""Faults at different places that are kept: one to tell of, and that there are others."""
STRETCH = 1 << 16
"""Steps after which it is seen how much memory a pixel holds."""


class PixelTally(NamedTuple):
    """So many pixels were drawn, and this came of them."""

    pixels: int = 0
    faulted: int = 0
    limited: int = 0
    """Those that hit the step limit."""
    untold: int = 0
    """Those that may have done one or the other, drawn by something that does not tell."""
    faults: tuple[Fault, ...] = ()
    """Some of the faults, each but once."""

    def plus(self, other: PixelTally) -> PixelTally:
        faults = dict.fromkeys((*self.faults, *other.faults))
        return PixelTally(
            self.pixels + other.pixels,
            self.faulted + other.faulted,
            self.limited + other.limited,
            self.untold + other.untold,
            tuple(faults)[:DIFFERENT],
        )


class Pixel(NamedTuple):
    colour: bytes
    steps: int
    limited: bool
    """Whether it ran into the step limit."""
    fault: Fault | None = None

    @property
    def tally(self) -> PixelTally:
        faults = () if self.fault is None else (self.fault,)
        return PixelTally(1, len(faults), int(self.limited), faults=faults)


class SinglePixels:
    """Runs pixels of one program; what is compiled for one serves the next."""

    def __init__(self, program: Program, limits: Limits, seed: int, store: Store | None) -> None:
        self.program = program
        self.limits = limits
        self.seed = seed
        self.store = store
        self.engine: UnitEngine | None = None
        self.ticks = 0
        """All steps so far."""

    def start(self, x: int, y: int, time: float | None = None) -> State:
        language = self.program.language
        options = language.pictures.of_pixel(self.program.options, x, y, time)
        return language.start(self.program.source, options, self.seed)

    def run(self, x: int, y: int, time: float | None = None) -> Pixel:
        """Run a pixel to its end or its limit; one that faults has a colour as well. After the
        deadline its colour may be any."""
        language, steps = self.program.language, self.limits.steps
        assert language.drawing.colour is not None
        state = self.start(x, y, time)
        stop, deadline = None, self.limits.deadline
        while stop is None and (steps is None or state.tick < steps) and deadline.left() > 0:
            stop = self._engine_for(state).advance(
                STRETCH if steps is None else min(STRETCH, steps - state.tick)
            )
            self._check_memory(state, (x, y))
        self.ticks += state.tick
        limited = state.stop is None or isinstance(state.stop, Spent)
        fault = state.stop if isinstance(state.stop, Fault) else None
        return Pixel(bytes(language.drawing.colour(state)), state.tick, limited, fault)

    def _engine_for(self, state: State) -> Engine:
        """Generated Python at once; machine code after as many steps as LLVM takes to make it."""
        from ..python.python_engine import PythonEngine  # not needed where lanes draw everything

        engine, ticks = self.engine, self.ticks + state.tick
        if isinstance(engine, PythonEngine) and ticks > WORTH_MACHINE_CODE:
            from ..machine.llvm_engine import LLVMEngine

            if why_not() is None:
                engine = LLVMEngine(self.program.language, state, self.limits, self.store)
        if engine is None:
            engine = PythonEngine(self.program.language, state, self.limits)
        if engine.state is not state:
            engine.restart(state)
        self.engine = engine
        return engine

    def _check_memory(self, state: State, pixel: tuple[int, int]) -> None:
        memory = self.limits.memory
        if memory is not None and state.memory() > memory:
            raise LimitReached(
                "stopped: pixel {},{} holds more than {} (max_memory=...)".format(
                    *pixel, show_size(memory)
                ),
                "memory",
            )

    def watch(self, places: Iterable[tuple[int, int]], ticks: int) -> Seen:
        """The plain numbers that pixels ask for, as many of them as so many ticks allow."""
        from ..tracing.profile import Profile

        profile, steps = Profile(), self.limits.steps
        for x, y in places:
            state = self.start(x, y)
            most = ticks // 4 if steps is None else min(ticks // 4, steps)
            profile.watch(ReferenceEngine(self.program.language, state, self.limits), most)
            ticks -= state.tick
            if ticks <= 0:
                break
        return profile.answers()


def keeps_floats(state: State) -> bool:
    """Whether all that a pixel keeps is floats, in rows: for those who draw many at once."""
    rows = (state.stack, state.registers)
    return all(isinstance(row, array) and row.typecode == "f" for row in rows)
