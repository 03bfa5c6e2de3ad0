"""The end of the time that a command has.

What has something to lose, such as the frames of a film that are done, is told at a good moment.
Everything else is ended at once.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import wraps
from types import FrameType
from typing import Self

from ...core.errors import LimitReached
from ...core.limits import Limits
from ...core.meta.blame import unreturned
from ...languages import foreign
from ..overdue import AGAIN, REAL, Handler, Overdue, ringing, said
from .interrupts import Answered, note
from .program import limits_of

MOMENT = 0.2
"""Seconds for reporting what was found by the end of the time."""


def in_time(perform: Callable[[Namespace], int]) -> Callable[[Namespace], int]:
    """Ends a command a moment after its time is over: it may report by itself until then."""

    @wraps(perform)
    def performed(arguments: Namespace) -> int:
        with ended_in_time(limits_of(arguments)):
            return perform(arguments)

    return performed


@contextmanager
def ended_in_time(limits: Limits) -> Iterator[None]:
    """While this lasts, work is ended a moment after the time is over, wherever it is."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise Overdue(_at_work(frame))

    try:
        with alarm(limits, ring, MOMENT):
            yield
    except Overdue as late:
        raise said(late, limits) from None


def _at_work(frame: FrameType | None) -> str:
    """The running function of a foreign language, in words; empty if there is none."""
    found = unreturned(frame, foreign.loaded())
    return "" if found is None else found[1]


def alarm(limits: Limits, ring: Handler, more: float = 0.0) -> AbstractContextManager[None]:
    """Call `ring` when the time is over, and repeatedly after that."""
    return ringing(REAL, limits.deadline.left() + more, AGAIN, ring)


class Interrupts(Answered):
    """Records Ctrl-C and the end of the time for the next check. A second Ctrl-C is raised at once;
    work that goes on a moment after the end of the time is aborted."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(self._note)
        self.limits = limits
        self.asked = False
        self.late: LimitReached | None = None
        self._timer = ExitStack()

    def __enter__(self) -> Self:
        super().__enter__()
        self._timer.enter_context(alarm(self.limits, self._ring))
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.close()
        super().__exit__(*error)

    def _note(self, number: int, frame: FrameType | None) -> None:
        note(number)
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self.late is not None:
            raise said(Overdue(_at_work(frame)), self.limits)
        self.late = self.limits.out_of_time()

    def check(self) -> None:
        """Raise what was recorded; called where it is safe to stop."""
        if self.asked:
            raise KeyboardInterrupt
        if self.late is not None:
            raise self.late
