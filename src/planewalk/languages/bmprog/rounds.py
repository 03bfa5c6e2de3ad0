"""Signals that come round again.

Nothing on a board changes but where its signals are. Once these are where they have been before,
all goes on as it did then, and any number of such rounds is one jump.
"""

from __future__ import annotations

from typing import NamedTuple

from ...core.deadline import Deadline
from ...core.step import Stop
from .forms import Board, Form

FIRST_WALK = 64
"""Cycles of the first walk that looks for a round; each walk is twice as long as that before."""
SHARE = 1 / 8
"""Of the time of a run, how much may go into looking."""
LOOK, LOOK_AT_SIGNAL = 5.0, 0.25
"""Microseconds that it takes to look at the signals after a cycle, and at each of them."""


LONGEST = 100_000.0
"""Microseconds of a walk: beyond, whoever waits for the run would notice."""


class Round(NamedTuple):
    """So many cycles after which all signals are where they were, and the bits that they toggle."""

    cycles: int
    bits: int


class RoundFinder:
    """Looks for a round from time to time, after Brent: from where the run is by then."""

    def __init__(self) -> None:
        self.found: Round | None = None
        self._walk = FIRST_WALK
        self._savings = 0.0
        """Microseconds that may be spent on looking."""

    def save(self, microseconds: float) -> None:
        """Note that the run went on for so long."""
        self._savings += microseconds * SHARE

    def is_time(self, form: Form, board: Board, left: int) -> bool:
        """Whether to look now, with so many cycles left."""
        if self.found is not None or left < 2 * self._walk or not self._savings:
            return False
        cost = form.cost(board, form.events()) + LOOK + LOOK_AT_SIGNAL * form.frozen()[0]()
        return self._walk * cost < min(self._savings, LONGEST)

    def walk(self, form: Form, deadline: Deadline) -> tuple[Stop | None, int]:
        """Go on for a while, cycle by cycle; gives how that ended, and the bits it has toggled."""
        self._savings = 0.0
        begun, signals = form.tick, set(form.frozen()[1]())
        bits = form.take_bits()
        stop, toggled = None, 0
        end, self._walk = begun + self._walk, 2 * self._walk
        while stop is None and form.tick < end and deadline.left() > 0:
            stop = form.run(form.tick + 1)
            count, codes = form.frozen()
            if stop is None and count() == len(signals) and signals.issuperset(codes()):
                toggled = form.take_bits()
                self.found = Round(form.tick - begun, toggled)
                break
        return stop, bits ^ toggled

    def jump(self, form: Form, board: Board, until: int) -> tuple[Form, int]:
        """The same signals as many rounds later as there is time for, and the bits they toggle."""
        times = 0 if self.found is None else (until - form.tick) // self.found.cycles
        if self.found is None or times == 0:
            return form, 0
        bits = form.take_bits()
        later = type(form)(board, form.tick + times * self.found.cycles, form.frozen()[1]())
        return later, bits ^ (self.found.bits if times % 2 else 0)
