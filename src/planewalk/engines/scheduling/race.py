"""Which of several tiers has the next turn: the one that has been fastest of late.

The others are tried again after twice as long each time that it was in vain. So all tries, with all
making of code for them, cost a fixed share of a run at most, however long it is, and a tier that
comes to be the fastest one is found out after no more than twice the time.
"""

from __future__ import annotations

TURN = 0.005
"""Seconds that a try has at a time: a hundred times as long as entering machine code takes."""
SHARE = 4
"""Times as long as a try, with all code made for it, the fastest tier runs before the next one."""
FAIR, GAIN = 3, 1.25
"""Turns that a try has at least, and for how much faster than in the turn before it goes on: a tier
may be slow at first, since it has to find out again what is hot."""
HOPELESS = 64
"""A tier this many times slower than the fastest one is not tried: its last chance was a fair one,
and it gets another as soon as the fastest one slows down."""


class TierPace:
    """How fast a tier has been of late, in steps a second, and when it is tried again."""

    def __init__(self, expected: float) -> None:
        """`expected` is in steps of walkers a second."""
        self.rate = expected
        self.tried = False
        """Whether it had a fair chance already."""
        self.rest = 0.0
        """Seconds that others run until the next try."""
        self._wait = 0.0
        """How many they were at first."""
        self._turns, self._spent = 0, 0.0
        """Those of the try that goes on, and its seconds."""
        self.in_vain = 0
        """Tries after which another one went on."""

    def learn(self, steps: int, seconds: float) -> None:
        """A turn took so long. Long turns count more; but a rate that was exceeded at least
        doubles, so that new code, which starts slow and has short turns, soon has longer ones."""
        weight, rate = min(seconds / (4 * TURN), 0.5), steps / max(seconds, 1e-9)
        learned = self.rate + weight * (rate - self.rate)
        self.rate = max(learned, min(rate, 2 * self.rate))

    def lose(self, steps: int, seconds: float, making: float) -> None:
        """It was tried, and is not the fastest."""
        before = self.rate
        self.learn(steps, seconds)
        self._turns += 1
        self._spent += seconds + making
        if self._turns >= FAIR and self.rate <= GAIN * before:
            self.in_vain += 1
            self.wait(max(SHARE * self._spent, 2 * self._wait))

    def wait(self, seconds: float) -> None:
        """Let others run for so long."""
        self.tried = True
        self.rest = self._wait = seconds
        self._turns, self._spent = 0, 0.0


def fastest(paces: list[TierPace]) -> TierPace:
    """The one that has been fastest of late."""
    return max(paces, key=lambda pace: pace.rate)


def next_turn(paces: list[TierPace]) -> tuple[TierPace, float]:
    """Whose turn it is, and for how many seconds at most."""
    best = fastest(paces)
    others = [
        pace
        for pace in paces
        if pace is not best and (not pace.tried or pace.rate * HOPELESS > best.rate)
    ]
    due = [pace for pace in others if pace.rest <= 0]
    if due:
        return due[0], TURN
    return best, min((pace.rest for pace in others), default=float("inf"))


def note(
    paces: list[TierPace], pace: TierPace, steps: int, seconds: float, making: float = 0.0
) -> None:
    """A tier had a turn, and code was made meanwhile for so many seconds."""
    best = fastest(paces)
    if pace is not best:
        pace.lose(steps, seconds, making)
        if fastest(paces) is pace:
            pace.wait(0.0)
            best.wait(SHARE * TURN)
        return
    pace.learn(steps, seconds)
    for other in paces:
        if other is not best:
            other.rest -= seconds
