"""Walks and questions can be broken off in the midst of a tick, and nothing is lost by that."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import planewalk as pw
from planewalk.core.base.deadline import LOOK, Cancellation, OutOfTime
from planewalk.core.errors import LimitReached
from planewalk.debug.session import Session
from planewalk.view.console.console import Console

BOMB = b"\\|||||||\n" + b"YYYYYYYY\n" * 4 + b"||||||||\n"
CROWDED = 12
"""A tick at which there are many cursors."""


@pytest.fixture
def crowd(monkeypatch: pytest.MonkeyPatch) -> Session:
    """A run in which every tick has pauses in it."""
    monkeypatch.setattr("planewalk.engines.stepping.reference._SOME", 4)
    walk = pw.session(source=BOMB, language="refunge", engine="reference", seed=1)
    walk.goto(CROWDED)
    return walk


def after(calls: int) -> Callable[[], bool]:
    """Asks for an end once it was called so often."""
    count = iter(range(1_000_000))
    return lambda: next(count) >= calls


def test_a_leash_is_a_deadline_while_it_is_held() -> None:
    cancellation = Cancellation()
    cancellation.check()
    assert cancellation.rest() <= LOOK, "whoever waits for something else asks it again soon"
    with cancellation.by(lambda: True):
        assert cancellation.left() == 0
        with pytest.raises(OutOfTime):
            cancellation.check()
    assert cancellation.left() > 0


def test_a_tick_is_broken_off_and_begun_again(crowd: Session) -> None:
    state = crowd.state.copy()
    assert crowd.run(60, hurry=after(3)) is None
    assert crowd.tick == CROWDED and crowd.stop is None and crowd.state == state
    other = pw.session(source=BOMB, language="refunge", engine="reference", seed=1)
    other.goto(CROWDED + 1)
    crowd.forward(1)
    assert crowd.tick == CROWDED + 1 and crowd.state == other.state


@pytest.mark.parametrize("condition", [None, "tick = 40", "walkers = 3"])
def test_every_walk_can_be_broken_off(crowd: Session, condition: str | None) -> None:
    if condition is None:
        assert crowd.goto(CROWDED + 2, after(9)) is None
        assert crowd.end(after(9)) is None
    else:
        assert crowd.until(condition, after(9)) is None
    assert crowd.tick < CROWDED + 2


def test_a_search_that_was_broken_off_goes_on(crowd: Session) -> None:
    crowd.until(f"tick = {CROWDED + 2}", after(9))
    assert crowd.tick < CROWDED + 2
    crowd.until(f"tick = {CROWDED + 2}")
    assert crowd.tick == CROWDED + 2


def test_questions_are_given_up(crowd: Session) -> None:
    questions: list[Callable[[], object]] = [
        lambda: crowd.who_wrote(3, 3, after(9)), lambda: crowd.biography(3, 3, after(9)),
        lambda: crowd.why(cell=(3, 3), pause=after(9)), lambda: crowd.visits(after(9)),
        lambda: crowd.back_until("written 3,3", after(9)),
    ]  # fmt: skip
    for ask in questions:
        with pytest.raises(LimitReached, match="given up"):
            ask()
    assert crowd.tick == CROWDED


def test_the_console_gives_up_a_step(crowd: Session) -> None:
    console = Console(crowd, pause=after(9))
    assert console.execute("step") == [f"tick {CROWDED}"]
    console.pause = lambda: False
    assert console.execute("step")[-1] == f"tick {CROWDED + 1}"


def test_causes_of_long_quotients_are_found_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = []

    def quotient(y: int, x: int, pause: Callable[[], None]) -> int:
        pauses.append(pause)
        return y // x

    monkeypatch.setattr("planewalk.core.numbers.long.SHORT", 0)
    monkeypatch.setattr("planewalk.core.numbers.long.quotient", quotient)
    walk = pw.session(source="93|@", language="mirrorfunge", engine="reference")
    walk.end()
    pauses.clear()
    assert walk.why(stack=0) is not None and pauses


def test_heavy_states_are_not_held_longer_than_needed(crowd: Session, monkeypatch) -> None:
    monkeypatch.setattr("planewalk.debug.replay.course.LARGE", 0)
    engines = []
    gc.disable()
    try:
        for tick in (3, 9, 1):
            engine: Any = crowd.course.engine
            engine.reference = engine  # as compiled code and its engine refer to each other
            engines.append(weakref.ref(engine))
            del engine
            crowd.goto(tick)
    finally:
        gc.enable()
    assert [engine() for engine in engines] == [None, None, None]
