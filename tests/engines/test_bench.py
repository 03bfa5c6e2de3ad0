"""What engines are measured by: `engines/bench.py`."""

from typing import Any

import pytest

import planewalk as pw
from planewalk.core.base.deadline import Deadline
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.engines.bench import Racer
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.stepping.stretch import LONGEST_STRETCH


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

    def make(state: State, store: Any) -> Any:
        begun.append(Sprinter(state))
        return begun[-1]

    program = pw.load(source=">", language="mirrorfunge")
    racer = Racer("sprinter", lambda: program.start(0), make, limits, dict)
    racer.race(1.0)
    (sprinter,) = begun
    assert max(sprinter.asked) == LONGEST_STRETCH
    assert len(sprinter.asked) > 100, "the longest stretch was reached, and was not passed"


def test_a_stretch_that_is_broken_off_counts_for_nothing() -> None:
    class Broken(ReferenceEngine):
        def advance(self, ticks: int, barriers: Any = None) -> Any:
            stop = super().advance(ticks, barriers)
            if self.state.tick > 1000:
                raise KeyboardInterrupt
            return stop

    program = pw.load(source=">", language="mirrorfunge")
    limits = Limits(deadline=Deadline(Clock(), 0))
    racer = Racer(
        "broken",
        lambda: program.start(0),
        lambda state, store: Broken(program.language, state, limits),
        limits,
        dict,
    )
    with pytest.raises(KeyboardInterrupt):
        racer.race(1.0)
    assert racer.whole.steps <= 1000 < racer.reached()[0].tick


class Clock:
    """A clock that goes on only when something is done."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Maker(ReferenceEngine):
    """An engine that makes code in its first tick, if it does not find it in its store; a tick
    takes ten seconds without code, and one with it."""

    def __init__(self, language: Any, state: State, store: dict[str, bytes], clock: Clock) -> None:
        super().__init__(language, state)
        self.store, self.clock = store, clock

    def advance(self, ticks: int, barriers: Any = None) -> Any:
        before = self.state.tick
        stop = super().advance(min(ticks, 1) if self.state.tick == 0 else ticks)
        self.clock.now += (self.state.tick - before) * (1 if self.store else 10)
        self.store["code"] = b"made"
        return stop


def maker_of(source: str) -> Racer:
    clock = Clock()
    program = pw.load(source=source, language="mirrorfunge")
    limits = Limits(deadline=Deadline(clock, 0))

    def make(state: State, store: Any) -> Any:
        return Maker(program.language, state, store, clock)

    return Racer("maker", lambda: program.start(0), make, limits, dict)


def test_a_whole_run_makes_its_code_and_later_ones_find_it() -> None:
    racer = maker_of("123@")
    racer.race(30.0)
    assert racer.ended and racer.runs > 2
    assert racer.whole == (4, 13.0), "ten seconds for the first tick, and one for each of the rest"
    assert racer.pace == (4, 4.0)
    racer.race(1.0)
    assert racer.whole == (4, 13.0), "each race begins with nothing kept"
    racer.race(30.0)
    assert racer.whole == (4, 13.0)


def test_a_run_without_an_end_is_told_as_far_as_it_came() -> None:
    racer = maker_of(">1$")
    racer.race(100.0)
    first = racer.whole
    racer.race(100.0)
    assert not racer.ended and racer.runs == 1
    assert racer.whole.steps > first.steps, "the same run goes on"
    assert racer.whole.seconds - racer.whole.steps == 9.0, "what making the code took is in it"
    assert racer.pace.rate == 1.0, "the second race has all its code"
