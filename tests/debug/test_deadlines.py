"""What is broken off ends soon, however large the state: measured in lines, not in time."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import Any

import pytest

from planewalk import examples
from planewalk.apps.studio.circuits import timing
from planewalk.apps.studio.recording import through
from planewalk.core.base.deadline import SOME_WORK, no_pause
from planewalk.core.errors import LimitReached
from planewalk.core.program import Program
from planewalk.core.state import State
from planewalk.debug.conditions.grammar import parse
from planewalk.debug.conditions.sameness import name_of
from planewalk.debug.replay.course import Pause
from planewalk.debug.session import Session
from planewalk.engines.choose import choose_engine
from planewalk.engines.stepping.stretch import STRETCH_SECONDS
from planewalk.languages import registry

MOST = 150_000
"""Lines of Python between two looks at the time: a few for each number or walker there is."""
LOOKS = 150
"""After which nobody waits any longer."""
BOMB = b"\\|||||||\n" + b"YYYYYYYY\n" * 4 + b"||||||||\n"
DEEP, CROWDED = 60_000, 15


class Patience:
    """Is over after so many looks, and counts the lines that are gone through between two."""

    def __init__(self, allowed: int = LOOKS) -> None:
        self.allowed = allowed
        self.looks = self.most = self._lines = 0

    def __call__(self) -> bool:
        self._settle()
        self.looks += 1
        return self.looks > self.allowed

    def look(self) -> None:
        """A look by who cannot be told that it is over."""
        self()

    def _settle(self) -> None:
        self.most, self._lines = max(self.most, self._lines), 0

    def _trace(self, frame: Any, event: str, what: Any) -> Any:
        self._lines += event == "line"
        return self._trace

    @contextmanager
    def counting(self) -> Iterator[None]:
        """While this lasts, lines count."""
        before = sys.gettrace()
        sys.settrace(self._trace)
        try:
            yield
        finally:
            sys.settrace(before)
            self._settle()


def film(walk: Session, pause: Pause) -> object:
    """The frames of a few ticks."""
    return list(through(walk, range(walk.tick - 2, walk.tick + 1), (0, 0, 9, 9), pause))


Question = Callable[[Session, Pause], object]
QUESTIONS: dict[str, Question] = {
    "back": lambda walk, pause: walk.back(1, pause),
    "goto": lambda walk, pause: walk.goto(3, pause),
    "who": lambda walk, pause: walk.who_wrote(0, 0, pause),
    "read": lambda walk, pause: walk.last_read(0, 0, pause),
    "life": lambda walk, pause: walk.biography(0, 0, pause),
    "why cell": lambda walk, pause: walk.why(cell=(0, 0), pause=pause),
    "why stack": lambda walk, pause: walk.why(stack=0, pause=pause),
    "visits": lambda walk, pause: walk.visits(pause),
    "back until": lambda walk, pause: walk.back_until("walkers = 3", pause),
    "true": lambda walk, pause: walk.is_true_now(parse("repeated state"), pause),
    "timing": lambda walk, pause: timing(walk, [(0, 0)], walk.tick, pause),
    "compare": lambda walk, pause: walk.compare("main", pause=pause),
    "film": film,
}


def session(name: str, source: bytes) -> Session:
    """On a clock by which every stretch takes as long as it should."""
    return Session(
        Program(registry.get(name), source), b"", 1,
        engine=lambda *given: choose_engine("reference", *given),
        clock=partial(next, count(0.0, STRETCH_SECONDS)),
    )  # fmt: skip


def deep() -> Session:
    """A run with a deep stack."""
    walk = session("mirrorfunge", b"1")
    walk.goto(DEEP)
    return walk


def crowd() -> Session:
    """A run with very many walkers."""
    walk = session("refunge", BOMB)
    walk.goto(CROWDED)
    return walk


def column() -> Session:
    """A run that has written very many cells."""
    walk = session("gemooy", examples.shipped("grow.gemooy") or b"")
    walk.goto(DEEP)
    return walk


LARGE = pytest.mark.parametrize("large", [deep, crowd, column])
CLOSE = 20_000
"""Lines between two looks while a state is named, or ticks are told one after the other."""


@LARGE
def test_a_state_is_named_with_looks_in_between(large: Callable[[], Session]) -> None:
    state, patience = large().state, Patience()
    with patience.counting():
        named = name_of(state, patience.look)
    assert patience.looks > 5 and patience.most < CLOSE
    assert named == name_of(State.from_json(state.to_json()), no_pause)
    other = state.copy()
    other.draws += 1
    assert named != name_of(other, no_pause)


@LARGE
def test_what_was_there_is_remembered_with_looks_in_between(large: Callable[[], Session]) -> None:
    walk = large()
    for name, memory in vars(walk.branch.past).items():
        memory.known = walk.tick - 1
        patience = Patience(10**9)
        wanted = parse({"seen": "repeated state", "visited": "new cell"}[name])
        walk.is_true_now(wanted, patience)
        most = 10 if name == "seen" else len(walk.state.walkers) // SOME_WORK
        assert patience.looks > most


def test_after_each_large_state_that_is_remembered_there_is_a_look() -> None:
    walk, looks = deep(), count()
    walk.branch.past.seen.known = walk.tick - 1
    assert not walk.is_true_now(parse("repeated state"))
    assert walk.until("repeated state", lambda: next(looks) > 20) is None
    assert DEEP < walk.tick < DEEP + 40


@LARGE
def test_steps_are_told_with_looks_in_between(large: Callable[[], Session], monkeypatch) -> None:
    monkeypatch.setattr("planewalk.engines.stepping.reference._SOME", 64)
    walk, patience = large(), Patience()
    walk.fork()
    walk.forward(2)
    with patience.counting(), suppress(LimitReached):
        walk.visits(patience)
    assert patience.looks and patience.most < CLOSE


@pytest.fixture(scope="module", params=[deep, crowd, column])
def forked(request: pytest.FixtureRequest) -> Session:
    walk: Session = request.param()
    walk.fork()
    walk.forward(2)
    return walk


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_look_at_the_time_all_the_time(forked: Session, name: str, monkeypatch) -> None:
    monkeypatch.setattr("planewalk.engines.stepping.reference._SOME", 64)
    patience, branch, tick = Patience(), forked.branch.name, forked.tick
    with patience.counting(), suppress(LimitReached):
        QUESTIONS[name](forked, patience)
    assert patience.looks and patience.most < MOST
    forked.switch(branch)
    forked.goto(tick)
