"""Measuring an engine on a program, again and again, and comparing the states engines reach."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterator

from ..core.difference import parts_of
from ..core.engine import Engine
from ..core.limits import Limits
from ..core.state import State
from ..core.step import Spent, Stop
from .drive import LONGEST_STRETCH
from .tracing.refusal import Refusal

Reached = tuple[State, int]
"""A state, and the checksum of all that was written on the way to it."""

_FIRST_STRETCH = 256
_STRETCH_SECONDS = 0.01


class Racer:
    """One engine on one program: runs for as long as it is told, from the start when it ends."""

    def __init__(
        self,
        name: str,
        start: Callable[[], State],
        make: Callable[[State], Engine],
        limits: Limits,
    ) -> None:
        """The deadline of its limits is the racer's own: it is put off from race to race."""
        self.name = name
        self.start = start
        self.make = make
        self.limits = limits
        self.clock = limits.deadline.clock
        self.steps = self.runs = 0
        self.seconds = 0.0
        self.engine: Engine | None = None
        self.checksum = 0
        self.furthest: Reached | None = None
        self._refusals: Counter[Refusal] = Counter()

    def race(self, seconds: float) -> None:
        """Use about that much time; only what the engine itself takes counts for its rate."""
        until = self.limits.deadline.until = self.clock() + seconds
        stretch = _FIRST_STRETCH
        while True:
            taken, ended = self._stretch(stretch)
            if self.clock() >= until and not ended:
                return
            if ended:
                self._finish()
            elif taken < _STRETCH_SECONDS / 2:
                stretch = min(2 * stretch, LONGEST_STRETCH)
            elif taken > 2 * _STRETCH_SECONDS:
                stretch = max(stretch // 2, 1)
            if self.clock() >= until:
                return

    def _stretch(self, ticks: int) -> tuple[float, bool]:
        """Run for so many ticks; gives how long it took, and whether the run is over."""
        state = self.start() if self.engine is None else self.engine.state
        began = self.clock()
        if self.engine is None:
            self.engine = self.make(state)
            self.checksum = 0
            self.runs += 1
        before = state.tick
        if self.limits.steps is not None:
            ticks = min(ticks, self.limits.steps - before)
        stop = self.engine.advance(ticks)
        taken = self.clock() - began
        self.seconds += taken
        self.steps += state.tick - before
        self.checksum = zlib.crc32(state.take_output(), self.checksum)
        ended = stop is not None and stop != Spent("time")
        return taken, ended or self._over(state)

    def _over(self, state: State) -> bool:
        limits = self.limits
        return (limits.steps is not None and state.tick >= limits.steps) or (
            limits.memory is not None and state.memory() > limits.memory
        )

    def _finish(self) -> None:
        """The run is over: remember how far it came, and begin anew next time."""
        self.furthest = self.reached()
        self._refusals = self.refusals
        self.engine = None

    @property
    def refusals(self) -> Counter[Refusal]:
        """What went wrong while code was made, and how often."""
        found: Counter[Refusal] | None = getattr(self.engine, "refusals", None)
        return self._refusals + (found or Counter())

    def reached(self) -> Reached:
        """How far the furthest run has come."""
        there = [] if self.furthest is None else [self.furthest]
        if self.engine is not None:
            there.append((self.engine.state, self.checksum))
        return max(there, key=lambda reached: reached[0].tick)

    def at(self, tick: int) -> Reached:
        """What the engine makes of the program up to that tick."""
        reached = self.reached()
        if reached[0].tick == tick:
            return reached
        self.limits.deadline.until = math.inf
        state = self.start()
        engine = self.make(state)
        checksum = 0
        stop: Stop | None = None
        while state.tick < tick and stop is None:
            stop = engine.advance(min(tick - state.tick, 1 << 16))
            checksum = zlib.crc32(state.take_output(), checksum)
        return state, checksum


def disagreements(racers: list[Racer]) -> Iterator[tuple[str, str, int, list[str]]]:
    """Engines whose complete states differ from the first one's, where the slowest has come to.

    Gives both names, the tick, and which parts of the state differ.
    """
    tick = min(racer.reached()[0].tick for racer in racers)
    first, checksum = racers[0].at(tick)
    for racer in racers[1:]:
        state, other = racer.at(tick)
        if state != first or other != checksum:
            parts = parts_of(first.diff(state))
            yield racers[0].name, racer.name, tick, parts or ["output"]
