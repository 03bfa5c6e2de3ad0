"""A program under test, and engines that run it from tick to tick."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...core.engine import Engine
from ...core.language import Language
from ...core.limits import Limits
from ...core.program import check_start
from ...core.state import State, long_numbers
from ...core.step import Stop
from ...core.stream import InputStream
from ...engines.choose import choose_engine, compiled_ticks
from ...engines.compiled.unit_engine import UnitEngine
from ...engines.interpreter.engine import InterpreterEngine
from ...engines.scheduling.scheduler import Scheduler
from ...engines.tracing.refusal import Refusal

REFERENCE, COMPILED = "reference", ("python", "llvm")
LIMITS = Limits(memory=1 << 18)
"""Programs that fork or grow without end must not take all the time there is."""
MOST_WALKERS, LONGEST_NUMBERS = 80, 1 << 16
"""Walkers, and bytes of long numbers, above which a state is large."""
PIECE = 16
"""Ticks until the size of a state is measured again: numbers may double with each."""


class TrialTally:
    """Counts the ticks of engines, those in compiled code, and refused instructions."""

    def __init__(self) -> None:
        self.ticks: Counter[str] = Counter()
        self.compiled: Counter[str] = Counter()
        self.refusals: Counter[Refusal] = Counter()
        self.runs = self.crowded = 0
        """Runs, and those that came to have several walkers without machine code."""

    def count(self, runner: Runner) -> None:
        """Add the ticks of an engine; engines of a language's own are not counted."""
        engine = runner.engine
        if isinstance(engine, Scheduler | UnitEngine | InterpreterEngine):
            self.ticks[runner.name] += runner.state.tick - runner.begun
            self.compiled[runner.name] += sum(compiled_ticks(engine))
        if isinstance(engine, Scheduler | UnitEngine):
            self.refusals.update(engine.refusals)
            self.runs += 1
            self.crowded += isinstance(engine, Scheduler) and engine.lacks_a_crowd()

    def shares(self) -> dict[str, float]:
        return {name: self.compiled[name] / ticks for name, ticks in self.ticks.items() if ticks}


class Trial(NamedTuple):
    """A program with everything that determines its run."""

    language: Language
    source: bytes
    text: str = ""
    """The text that the source was made from; empty if there is none."""
    data: bytes = b""
    """Its input."""
    seed: int = 0
    marks: tuple[int, ...] = (20, 150)
    """The ticks at which the run is compared, in ascending order."""
    options: Mapping[str, Any] = {}
    limits: Limits = LIMITS
    tally: TrialTally | None = None
    """Counts compiled ticks, if set."""

    @classmethod
    def of(cls, language: Language, text: str, **more: Any) -> Trial:
        """A program that is written as text."""
        return cls(language, language.sources.spell(text), text, **more)

    def respelled(self, text: str) -> Trial:
        """The same with another text."""
        return self._replace(source=self.language.sources.spell(text), text=text)

    def start(self) -> State:
        """The state before the first tick, with all input at hand."""
        options = self.language.read_options(self.options)
        state = self.language.start(self.source, options, self.seed)
        check_start(self.language, state)
        state.input = InputStream(self.data)
        return state

    def runner(self, engine: str, state: State | None = None) -> Runner:
        """An engine that runs it from the start, or from a state of it."""
        return Runner(self.language, engine, self.start() if state is None else state, self.limits)


class Runner:
    """One engine on one state."""

    def __init__(self, language: Language, engine: str, state: State, limits: Limits) -> None:
        self.name = engine
        self.state = state
        self.begun = state.tick
        self.limits = limits
        self.engine: Engine = choose_engine(engine, language, state, limits)

    def go_to(self, tick: int, piece: int | None = None) -> Stop | None:
        """Run up to a tick, in pieces if asked; returns why the run stopped there or earlier."""
        stop: Stop | None = None
        while stop is None and self.state.tick < tick:
            left = tick - self.state.tick
            stop = self.engine.advance(left if piece is None else min(piece, left))
            if stop is None and piece is not None and is_large(self.state, self.limits):
                break
        return self.engine.advance(0) if stop is None else stop


def is_large(state: State, limits: Limits) -> bool:
    """Whether a state has become so large that going on would take too long."""
    numbers = sum(long_numbers(some)[0] for some in state.whole_numbers())
    if numbers > LONGEST_NUMBERS or len(state.walkers) > MOST_WALKERS:
        return True
    return limits.memory is not None and state.memory() > limits.memory
