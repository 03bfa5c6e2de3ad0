"""When a run has to end, and the pauses in which whatever takes long asks for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Clock = Callable[[], float]
Pause = Callable[[], None]
"""Called between the pieces of long work. What it raises must leave nothing half done behind."""


def no_pause() -> None:
    """A pause that never ends the work."""


LOOK = 0.1  # seconds between two questions whether something that does not come is still waited for
SOME_WORK = 512
"""Walkers that have acted, numbers compared and the like, between two looks at the time."""


class OutOfTime(Exception):
    """The time of a run is over; raised in a pause, before anything has changed."""


class Deadline:
    """A moment on a clock."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self.clock = clock
        self.until = clock() + seconds

    def left(self) -> float:
        """Seconds up to it; none or less once it is over."""
        return self.until - self.clock()

    def rest(self) -> float:
        """Seconds that may pass before it is asked again."""
        return self.left()

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Clocks of other processes may begin elsewhere: the seconds that are left go there."""
        return "NEVER" if self is NEVER else (Deadline, (self.clock, self.left()))

    def lift(self) -> None:
        """What had to be done by then is done; whatever comes may take its time."""
        self.until = math.inf

    def pass_now(self) -> None:
        """Let it be over now; called from any thread."""
        self.until = -math.inf

    def check(self) -> None:
        """A pause."""
        if self.clock() >= self.until:
            raise OutOfTime


def never() -> bool:
    """For work that is not interrupted."""
    return False


class Cancellation(Deadline):
    """A deadline that comes when a caller cancels."""

    def __init__(self) -> None:
        super().__init__(_no_clock, math.inf)
        self._asks: Callable[[], bool] = never

    @contextmanager
    def by(self, asks: Callable[[], bool]) -> Iterator[None]:
        """While this lasts, it comes when `asks` says so, or an outer `by` does."""
        before = self._asks
        if before is never or before is asks:
            self._asks = asks
        elif asks is not never:
            self._asks = lambda: before() or asks()
        try:
            yield
        finally:
            self._asks = before

    def left(self) -> float:
        """See `Deadline`."""
        return 0.0 if self._asks() else math.inf

    def rest(self) -> float:
        """See `Deadline`."""
        return min(self.left(), LOOK)

    def check(self) -> None:
        """See `Deadline`."""
        if self._asks():
            raise OutOfTime


class Turnstile:
    """A pause for work that is done in very small pieces: it asks once for so much of them."""

    def __init__(self, pause: Pause, every: int = SOME_WORK) -> None:
        self.pause, self.every = pause, every
        self._done = 0

    def passed(self, amount: int = 1) -> None:
        """So much more is done."""
        self._done += amount
        if self._done >= self.every:
            self._done = 0
            self.pause()


def _no_clock() -> float:
    return 0.0


NEVER = Deadline(_no_clock, math.inf)
