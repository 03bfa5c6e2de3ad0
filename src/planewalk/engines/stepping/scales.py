"""How much memory a run has come to hold, and how long its longest number is."""

from __future__ import annotations

import sys

from ...core.base.deadline import Clock, OutOfTime
from ...core.engine import Engine
from ...core.limits import Limits
from ...core.state import long_numbers
from ...core.step import Spent, Stop

_RARELY = 20  # looking at every number may take one part of the time in so many


class Scales:
    """Weighs a run from time to time."""

    def __init__(self, engine: Engine, limits: Limits, clock: Clock) -> None:
        self.engine, self.limits, self.clock = engine, limits, clock
        self.numbers = 0  # bytes of long numbers, as last seen
        self.longest = 0  # bits of the longest one
        self._next = 0.0
        self._seen = (engine.state.tick, 0)  # when it was last weighed, and what it weighed
        self.fit = sys.maxsize
        """Ticks in which it comes to its limit of memory if it goes on like this."""

    def too_heavy(self, now: float) -> bool:
        """Whether the run holds more than it may. Raises `OutOfTime` if it has no time left."""
        if now >= self._next:
            self._look_at_numbers()
            after = self.clock()
            self._next = after + _RARELY * (after - now)
        memory = self.limits.memory
        if memory is None:
            return False
        weight = self.engine.state.memory() + self.engine.memory() + self.numbers
        (before, light), tick = self._seen, self.engine.state.tick
        more, ticks = weight - light, tick - before
        self.fit = max((memory - weight) * ticks // more, 1) if more > 0 < ticks else sys.maxsize
        self._seen = tick, weight
        return weight > memory

    def look(self) -> Stop | None:
        """For those who go on tick by tick: why the run has to stop here, if it has to."""
        try:
            self.limits.deadline.check()
            return Spent("memory") if self.too_heavy(self.clock()) else None
        except OutOfTime:
            return Spent("time")

    def _look_at_numbers(self) -> None:
        deadline = self.limits.deadline
        numbers = longest = 0
        for at, some in enumerate(self.engine.state.whole_numbers()):
            if at and deadline.left() <= 0:
                raise OutOfTime
            size, bits = long_numbers(some)
            numbers, longest = numbers + size, max(longest, bits)
        self.numbers, self.longest = numbers, longest
