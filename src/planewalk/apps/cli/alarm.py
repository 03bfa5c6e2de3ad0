"""The end of the time that a command has.

What has something to lose, such as the frames of a film that are done, is told at a good moment.
Everything else is ended at once.
"""

from __future__ import annotations

import contextlib
import math
import signal
from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import wraps
from types import FrameType
from typing import Any, Self

from ...core.errors import LimitReached
from ...core.limits import Limits
from ...core.meta.blame import unreturned
from ...languages import foreign
from ..overdue import Overdue, said
from .interrupts import Interrupts
from .program import limits_of

MOMENT, AGAIN = 0.2, 0.15
"""Seconds for telling what was found, and after which the end of the time is told again."""
ALARM = getattr(signal, "SIGALRM", None)


def in_time(perform: Callable[[Namespace], int]) -> Callable[[Namespace], int]:
    """A command that ends when its time is over. It has a moment to tell what it has found by then
    if it looks at the clock itself."""

    @wraps(perform)
    def performed(arguments: Namespace) -> int:
        limits = limits_of(arguments)

        def ring(number: int, frame: FrameType | None) -> None:
            raise Overdue(_at_work(frame))

        try:
            with alarm(limits, ring, MOMENT):
                return perform(arguments)
        except Overdue as late:
            raise said(late, limits) from None

    return performed


def _at_work(frame: FrameType | None) -> str:
    """Which function of another package's language has not come back, if one is at work."""
    found = unreturned(frame, foreign.loaded())
    return "" if found is None else found[1]


@contextlib.contextmanager
def alarm(limits: Limits, ring: Any, more: float = 0.0) -> Iterator[None]:
    """Have `ring` called when the time is over, and then again and again."""
    left = limits.deadline.left() + more
    if ALARM is None or left == math.inf:
        yield
        return
    try:
        before = signal.signal(ALARM, ring)
    except ValueError:  # not in the main thread, where no signal comes
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3), AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(ALARM, before)


class TimedInterrupts(Interrupts):
    """Notes that the time is over, too; a moment later that is raised as well."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.limits = limits
        self.late: LimitReached | None = None
        self._timer = contextlib.ExitStack()

    def __enter__(self) -> Self:
        super().__enter__()
        self._timer.enter_context(alarm(self.limits, self._ring))
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.close()
        super().__exit__(*error)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self.late is not None:
            raise said(Overdue(_at_work(frame)), self.limits)
        self.late = self.limits.out_of_time()

    def check(self) -> None:
        super().check()
        if self.late is not None:
            raise self.late
