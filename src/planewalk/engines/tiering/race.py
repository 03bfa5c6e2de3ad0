"""Which of two engines has the next turn: the one that has been faster of late.

The slower one is tried again after twice as long each time that it was tried in vain. So what all
tries and all making of code cost is a fixed share of what the run costs without them, however long
it is, and an engine that comes to be the faster one is found out after no more than twice the time.
"""

from __future__ import annotations

from ..policy import Policy

INTERPRETED, COMPILED = range(2)
SHARES = 16, 4
"""Times as long as a try of the interpreter, or of compiled code with making it, the other one runs
at least. The interpreter is measured well by the time there is code, which has to be made first."""
TURN = 0.005
"""Seconds that a turn should take."""
FAIR = 3
"""Turns that a try has at least, since an engine may be slow after a change: the interpreter has to
find its superinstructions again."""
GAIN = 1.25
"""Times as fast as in the turn before: then a try goes on, since each turn lets expect more."""


class TurnPace:
    """How fast an engine has been of late, in ticks a second."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def note(self, ticks: int, seconds: float) -> None:
        """Learn from a turn; long ones count more. Code that is new has short ones, since it is
        expected to be slow: so it may be twice as fast each time."""
        weight, rate = min(seconds / (4 * TURN), 0.5), ticks / max(seconds, 1e-9)
        learned = self.rate + weight * (rate - self.rate)
        self.rate = max(learned, min(rate, 2 * self.rate))

    def turn(self, policy: Policy, seconds: float = TURN) -> int:
        """How many ticks a turn should have."""
        return int(min(max(self.rate * seconds, policy.least_turn), policy.most_turn))


class Race:
    """The paces of both engines, and when the slower one is tried again."""

    def __init__(self, interpreted: float, compiled: float) -> None:
        """Both are given as ticks a second that are expected of them."""
        self.paces = TurnPace(interpreted), TurnPace(compiled)
        self.owed = 0.0
        """Seconds that the faster one runs until the next try."""
        self._wait = 0.0
        """How many they were at first."""
        self._turns, self._spent = 0, 0.0
        """Those of the try that goes on, and its seconds."""

    @property
    def faster(self) -> int:
        """Which one has been faster of late."""
        interpreted, compiled = self.paces
        return COMPILED if compiled.rate > interpreted.rate else INTERPRETED

    def next(self) -> int:
        """Whose turn it is."""
        return self.faster if self.owed > 0 else 1 - self.faster

    def turn(self, which: int, policy: Policy) -> int:
        """How many ticks its turn should have."""
        return self.paces[which].turn(policy, min(self.owed, TURN) if self.owed > 0 else TURN)

    def note(self, which: int, ticks: int, seconds: float, making: float = 0.0) -> None:
        """One had a turn; so many more seconds were spent on making code for it."""
        pace, tried = self.paces[which], which != self.faster
        known = pace.rate
        pace.note(ticks, seconds)
        if not tried:
            self.owed -= seconds
            return
        self._turns += 1
        self._spent += seconds + making
        if self.faster == which:
            self._begin(SHARES[1 - which] * TURN)
        elif self._turns >= FAIR and pace.rate <= GAIN * known:
            self._begin(max(SHARES[which] * self._spent, 2 * self._wait))

    def _begin(self, wait: float) -> None:
        """Run the faster one for so long."""
        self.owed = self._wait = wait
        self._turns, self._spent = 0, 0.0
