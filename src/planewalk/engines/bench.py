"""Measuring an engine on a program, again and again, and comparing the states engines reach."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..core.difference import parts_of, state_changes
from ..core.engine import Engine
from ..core.limits import Limits
from ..core.state import State
from ..core.step import Spent, Stop
from .base.jobs import wait_for_all
from .interpreter import loader
from .native.machine_code import Store
from .stepping.stretch import StretchLength
from .tracing.refusal import Refusal

Reached = tuple[State, int]  # a state, and the checksum of all that was written on the way to it

_STRETCH_SECONDS = 0.01


class Lap(NamedTuple):
    """A run, or a part of one: how many steps it took, and how long."""

    steps: int
    seconds: float

    @property
    def rate(self) -> float:
        """Steps a second; 0 if nothing could be measured."""
        return self.steps / self.seconds if self.seconds > 0 else 0.0


NO_LAP = Lap(0, 0.0)


class Racer:
    """One engine on one program: runs for as long as it is told, from the start when it ends.

    Each race begins a run for which nothing is kept, unless one is still going on; runs after it
    find the code that was made for it.
    """

    def __init__(
        self, name: str, start: Callable[[], State], make: Callable[[State, Store], Engine],
        limits: Limits, new_store: Callable[[], Store],
    ) -> None:  # fmt: skip
        """The deadline of its limits is the racer's own: it is put off from race to race."""
        self.name = name
        self.start = start
        self.make = make
        self.limits = limits
        self.clock = limits.deadline.clock
        self.new_store = new_store
        self.runs = 0
        self.engine: Engine | None = None
        self.checksum = 0
        self.furthest: Reached | None = None
        self._refusals: Counter[Refusal] = Counter()
        self._told: list[tuple[str, str]] = []
        self._store = new_store()
        self._first = True  # whether the run that goes on is one for which nothing was kept
        self._ticks, self._seconds = 0, 0.0
        """How far it has come, and what that took, up to the last stretch that came back."""
        self._whole, self._best = NO_LAP, NO_LAP

    @property
    def whole(self) -> Lap:
        """The quickest run for which nothing was kept, from its start to its end; or as far as it
        has come."""
        if self._whole.steps or self.engine is None:
            return self._whole
        return self._lap()

    @property
    def ended(self) -> bool:
        """Whether that came to its end."""
        return self._whole is not NO_LAP

    @property
    def pace(self) -> Lap:
        """The quickest run that found its code, or part of a run in one race."""
        return max(self._best, self.whole, key=lambda lap: lap.rate)

    def race(self, seconds: float) -> None:
        """Use about that much time; only what the engine itself takes counts for its rate."""
        if self.engine is None:
            self._store, self._first = self.new_store(), True
            loader.forget()
            wait_for_all(seconds)  # for others, whose threads would be in the way
        until = self.limits.deadline.until = self.clock() + seconds
        begun = self._lap()
        stretch = StretchLength(_STRETCH_SECONDS)
        while True:
            taken, ended = self._stretch(stretch.ticks)
            if ended:
                self._finish(seconds)
                begun = NO_LAP
            else:
                stretch.learn(taken)
            if self.clock() >= until:
                break
        now = self._lap()
        part = Lap(now.steps - begun.steps, now.seconds - begun.seconds)
        if part.seconds > _STRETCH_SECONDS:
            self._note(part)

    def _lap(self) -> Lap:
        """How far the run has come that goes on."""
        return NO_LAP if self.engine is None else Lap(self._ticks, self._seconds)

    def _note(self, lap: Lap) -> None:
        self._best = max(self._best, lap, key=lambda lap: lap.rate)

    def _stretch(self, ticks: int) -> tuple[float, bool]:
        """Run for so many ticks; gives how long it took, and whether the run is over."""
        state = self.start() if self.engine is None else self.engine.state
        began = self.clock()
        if self.engine is None:
            self.engine = self.make(state, self._store)
            self.checksum, self._ticks, self._seconds = 0, state.tick, 0.0
            self.runs += 1
        if self.limits.steps is not None:
            ticks = min(ticks, self.limits.steps - state.tick)
        stop = self.engine.advance(ticks)
        taken = self.clock() - began
        self._ticks, self._seconds = state.tick, self._seconds + taken
        self.checksum = zlib.crc32(state.take_output(), self.checksum)
        ended = stop is not None and stop != Spent("time")
        return taken, ended or self._over(state)

    def _over(self, state: State) -> bool:
        limits = self.limits
        return (limits.steps is not None and state.tick >= limits.steps) or (
            limits.memory is not None and state.memory() > limits.memory
        )

    def _finish(self, patience: float) -> None:
        """The run is over: remember how far it came, and begin anew next time."""
        lap = self._lap()
        self.furthest = self.reached()
        self._refusals, self._told = self.refusals, self._told_now()
        self.engine = None
        if self._first:
            known = self._whole is not NO_LAP and self._whole.rate >= lap.rate
            self._whole = self._whole if known else lap
            wait_for_all(patience)  # what is being made is for the runs to come
        else:
            self._note(lap)
        self._first = False

    @property
    def refusals(self) -> Counter[Refusal]:
        """What went wrong while code was made, and how often."""
        found: Counter[Refusal] | None = getattr(self.engine, "refusals", None)
        return self._refusals + (found or Counter())

    def told(self) -> list[tuple[str, str]]:
        """The tiers of the last whole run, or of the first one as far as it has come, and what
        became of each; none if the engine has no tiers."""
        return self._told or self._told_now()

    def _told_now(self) -> list[tuple[str, str]]:
        told: Callable[[], list[tuple[str, str]]] | None = getattr(self.engine, "told", None)
        return [] if told is None else told()

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
        engine = self.make(state, self._store)
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
            parts = parts_of(state_changes(first, state))
            yield racers[0].name, racer.name, tick, parts or ["output"]
