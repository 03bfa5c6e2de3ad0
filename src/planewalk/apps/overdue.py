"""Code of a language that does not return, which is aborted by a signal.

Engines look at the clock between ticks, and words do between their pieces. A function of a language
that comes back to neither can be stopped from outside alone: in the main thread, where Python hears
signals, and between two of Python's own instructions.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import process_time
from types import FrameType

from ..core.base.named import NamedTuple
from ..core.base.platform import HAS_TIMERS
from ..core.errors import LimitReached
from ..core.language import Language
from ..core.limits import Limits
from ..core.meta.blame import unreturned
from ..languages import foreign

LATE, AGAIN = 0.1, 0.15
"""Seconds after the deadline until the first look at what is at work, and between later ones."""
WORK, SLEEP = 0.05, 20
"""Seconds of CPU time between two looks, or else this many times `AGAIN`."""
MOST_LOOKS = 3
"""Looks at which a language may be running, each time in another call."""


class Overdue(BaseException):
    """Raised in the main thread by a signal, and not caught by `except Exception`. It names the
    function of a language that has not returned, if there is one."""


class Timer(NamedTuple):
    """A timer of the process, and the signal that it sends."""

    which: int
    signal: int


REAL = Timer(signal.ITIMER_REAL, signal.SIGALRM) if HAS_TIMERS else None
BUSY = Timer(signal.ITIMER_PROF, signal.SIGPROF) if HAS_TIMERS else None
"""Timers of real time, and of the CPU time of the process, which other processes do not affect."""


Handler = Callable[[int, FrameType | None], None]


@contextmanager
def ringing(timer: Timer | None, seconds: float, again: float, ring: Handler) -> Iterator[None]:
    """Call `ring` after some seconds, then again and again. Signals reach only the main thread: in
    others nothing happens."""
    if timer is None or seconds == math.inf:
        yield
        return
    try:
        before = signal.signal(timer.signal, ring)
    except ValueError:  # another thread
        yield
        return
    signal.setitimer(timer.which, max(seconds, 1e-3), again)
    try:
        yield
    finally:
        signal.setitimer(timer.which, 0)
        signal.signal(timer.signal, before)


class Overseer:
    """Aborts code of these languages once their time is over. A call that is found running twice
    does not return; short calls may go on until the engine checks the clock. With `all_work`
    everything is aborted, also an engine."""

    def __init__(
        self,
        languages: Callable[[], list[Language]],
        most_looks: int = MOST_LOOKS,
        *,
        all_work: bool = False,
    ) -> None:
        self._languages, self._most_looks, self._all_work = languages, most_looks, all_work
        self._call: FrameType | None = None
        self._looks = self._rings = 0
        self._worked = -math.inf

    def after(
        self, seconds: float, timer: Timer | None = REAL, again: float = AGAIN
    ) -> AbstractContextManager[None]:
        """Look at the running code from then on, unless other code uses the timer."""
        taken = timer is not None and (
            signal.getsignal(timer.signal) != signal.SIG_DFL or any(signal.getitimer(timer.which))
        )
        return ringing(None if taken else timer, seconds, again, self._ring)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        """Look at the running code, if the process has had CPU time since the last look: on a busy
        machine it may have waited. A sleeping process is looked at rarely."""
        worked = process_time()
        self._rings += 1
        if worked - self._worked >= WORK or self._rings % SLEEP == 0:
            self._worked = worked
            self._look(frame)

    def _look(self, frame: FrameType | None) -> None:
        found = unreturned(frame, self._languages())
        call, words = (None, "") if found is None else found
        self._looks += 1
        stuck = call is not None and call is self._call
        if stuck or (self._looks >= self._most_looks and (self._all_work or call is not None)):
            raise Overdue(words if stuck else "")
        self._call = call


@contextmanager
def breaking_off(limits: Limits, *languages: Language) -> Iterator[None]:
    """Abort code of languages with `LimitReached`, which names the function, when the time of the
    limits is over."""

    def known() -> list[Language]:
        return [*languages, *foreign.loaded()]

    try:
        with Overseer(known).after(limits.deadline.left() + LATE):
            yield
    except Overdue as late:
        raise said(late, limits) from None


def said(late: Overdue, limits: Limits) -> LimitReached:
    """The error that the time is over, with the function that has not returned."""
    error = limits.out_of_time()
    return LimitReached(f"{error}; {late}", error.reason) if str(late) else error
