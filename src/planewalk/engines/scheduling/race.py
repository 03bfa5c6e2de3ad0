"""Which of several tiers has the next turn: the one with the highest recent rate.

Every other tier is tried again after an interval that doubles with each failed trial. So trials,
with the code compiled for them, cost at most a fixed share of a run of any length, and a tier that
becomes the fastest is noticed after at most twice the time.
"""

from __future__ import annotations

REFERENCE, GENERATED, INTERPRETED, COMPILED = 1e6, 1e7, 3e8, 1e10
"""Steps of walkers a second that are expected of a tier before it has run: what it makes of small
loops. One that is not there yet is made only if it can be expected to be faster than what is."""
TURN = 0.005
"""Seconds of one turn of a trial: a hundred times as long as entering machine code takes."""
SHARE = 4
"""The fastest tier runs for this many times the cost of a trial before the next one: trials take a
fifth of the time at most, and less each time that they fail."""
FAIR, GAIN = 3, 1.25
"""Turns that a trial has at least, and the factor by which the rate has to grow from turn to turn
for it to continue: a tier is slow at first, since it has to find again what is hot. With trials of
one turn, a Gemooy pattern that grows to the south takes 2.6 x the CPU time."""
HOPELESS = 64
"""A tier that was this many times slower than the fastest is not tried again until the fastest
slows down. With trials of every tier, runs of 0.2 s take up to 1.27 x the CPU time."""


class TierPace:
    """How fast a tier has been of late, in steps a second, and when it is tried again."""

    def __init__(self, expected: float) -> None:
        """`expected` is in steps of walkers a second."""
        self.rate = expected
        self.tried = False  # whether it had a fair chance already
        self.rest = 0.0  # seconds that others run until the next try
        self._wait = 0.0  # how many they were at first
        self._turns, self._spent = 0, 0.0  # those of the try that goes on, and its seconds
        self.in_vain = 0  # tries after which another one went on

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
