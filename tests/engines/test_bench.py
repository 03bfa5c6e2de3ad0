"""What engines are measured by: `engines/bench.py`."""

from __future__ import annotations

from typing import Any

import planewalk as pw
from planewalk.core.deadline import Deadline
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.engines.bench import Racer
from planewalk.engines.drive import LONGEST_STRETCH


class Sprinter:
    """An engine for which any number of ticks is one look at the clock."""

    name = "sprinter"

    def __init__(self, state: State) -> None:
        self.state = state
        self.asked: list[int] = []

    def memory(self) -> int:
        return 0

    def advance(self, ticks: int, barriers: Any = None) -> None:
        self.asked.append(ticks)
        self.state.tick += ticks


def test_a_racer_never_asks_for_more_ticks_than_a_run_does() -> None:
    """Machine code hears of no limit and no signal before it has run the ticks it was given."""
    looks = iter(range(1_000_000))
    limits = Limits(deadline=Deadline(lambda: next(looks) / 1000, 0))
    begun: list[Sprinter] = []

    def make(state: State) -> Any:
        begun.append(Sprinter(state))
        return begun[-1]

    program = pw.load(source=">", language="mirrorfunge")
    racer = Racer("sprinter", lambda: program.start(0), make, limits)
    racer.race(1.0)
    (sprinter,) = begun
    assert max(sprinter.asked) == LONGEST_STRETCH
    assert len(sprinter.asked) > 100, "the longest stretch was reached, and was not passed"
