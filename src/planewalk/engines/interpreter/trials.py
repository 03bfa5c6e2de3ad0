"""Whether visits to machine code are worth it, beside a reference engine that does what they leave.

Some visits are a trial, and so is the time that the reference engine has for itself now and then.
Where it is the quicker of both, it goes on alone: the longer, the more often that was so, and for
so long that trials hardly cost anything.
"""

from __future__ import annotations

from ...core.base.platform import thread_time

LONG_STAY = 1 << 12  # ticks after which a visit is worth it anyway
FIRST_REST, LONGEST_REST = 64, 1 << 12
"""Ticks that the reference engine has for itself; at most, unless trials take long."""
SHARE = 16  # times as long as a trial it has then


class VisitTrials:
    """The visits of a run, and what else it takes."""

    def __init__(self, trial: int) -> None:
        """So many visits are a trial."""
        self._trial = trial
        self._count = self._stayed = 0
        self._began = 0, 0.0
        self._alone = 0.0
        """Seconds that a tick takes the reference engine by itself, once that was measured."""
        self._length = self.rest = 0
        """How long the last rest was, and the ticks of it that are left."""

    def begin(self, tick: int) -> bool:
        """Another visit would begin; says whether it should, or the reference engine rest first."""
        if self._count >= self._trial:
            self._judge(tick)
        if self.rest:
            return False
        if self._count == 0:
            self._began = tick, thread_time()
        self._count += 1
        return True

    def stayed(self, ticks: int) -> None:
        """A visit took so many ticks."""
        self._stayed += ticks

    def rested(self, ticks: int, seconds: float) -> None:
        """The reference engine had so many ticks for itself."""
        self.rest = max(self.rest - ticks, 0)
        if ticks >= FIRST_REST // 2:
            pace = seconds / ticks
            self._alone = min(self._alone, pace) if self._alone else pace

    def _judge(self, tick: int) -> None:
        """The trial is over."""
        began, since = self._began
        ticks, seconds = tick - began, thread_time() - since
        if self._stayed >= LONG_STAY * self._trial:
            self._length = 0
        elif not self._alone:
            self._length = FIRST_REST
        elif seconds > self._alone * ticks:
            most = max(LONGEST_REST, int(SHARE * seconds / self._alone))
            self._length = min(max(2 * self._length, FIRST_REST), most)
        else:
            self._length = 0
        self.rest = self._length
        self._count = self._stayed = 0
