"""Hits of breakpoints are counted over the run, whatever is done between them."""

from itertools import count

import pytest

from planewalk.core.program import Program
from planewalk.debug.conditions.grammar import any_of, parse
from planewalk.debug.replay.branch import ProvenLoop
from planewalk.debug.search import hits
from planewalk.debug.session import Session
from planewalk.languages import registry


@pytest.fixture
def walk() -> Session:
    """A walker that is at the third of ten cells at the ticks 2, 12, 22 and so on."""
    return Session(Program(registry.get("mirrorfunge"), b" " * 10), b"", 0)


def test_hits_count_from_where_somebody_says_so(walk: Session) -> None:
    wanted = parse("at 2,0 every 3")
    walk.count(wanted)
    walk.forward(5)
    walk.count(wanted)
    walk.until(wanted)
    assert walk.tick == 22


def test_a_jump_over_too_much_begins_anew(walk: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hits, "FURTHEST", 20)
    wanted = parse("at 2,0 every 3")
    walk.until(wanted)
    walk.goto(60)
    walk.until(wanted)
    assert walk.tick == 82


def test_a_loop_counts_on(walk: Session) -> None:
    wanted = parse("at 2,0 every 3")
    walk.until(wanted)
    walk.forward(12)
    walk.branch.loop = ProvenLoop(0, 10)
    walk.until(wanted)
    assert walk.tick == 52
    walk.forward(12)
    walk.until(wanted)
    assert walk.tick == 82


def test_a_condition_that_is_asked_for_once_knows_nothing_of_others(walk: Session) -> None:
    walk.until("at 2,0 every 3")
    walk.forward(12)
    walk.until("at 2,0 every 3")
    assert walk.tick == 62
    assert len(walk.hit_log._counts) == 1, "of the first nobody knows any more"


def test_few_places_are_remembered(walk: Session) -> None:
    wanted = parse("at 2,0 every 3")
    for _ in range(200):
        walk.run(60, wanted, 2)
    assert len(walk.hit_log._counts[wanted.condition]) <= hits.MOST_PLACES
    walk.until(wanted)
    assert walk.tick == 412


@pytest.mark.parametrize("condition", ["new cell every 2", "repeated state every 2"])
def test_hits_that_need_the_past_count_over_steps(walk: Session, condition: str) -> None:
    """Nobody has looked at the ticks that were gone through without a condition."""
    wanted, other = parse(condition), parse("tick % 3 = 0")
    walk.forward(4)
    walk.count(wanted)
    walk.forward(3)
    walk.count(wanted)
    walk.until(any_of([wanted, other]))
    assert walk.tick == (8 if condition.startswith("new") else 9)
    walk.forward(20)
    walk.count(wanted)
    assert walk.is_hit_now(wanted) is (condition.startswith("repeated") and walk.tick % 2 == 1)


def test_counting_hits_is_given_up(walk: Session) -> None:
    wanted = parse("repeated state every 2")
    walk.count(wanted)
    walk.forward(3_000)
    asked = count()
    walk.count(wanted, lambda: next(asked) > 2)
    assert next(asked) < 9
    walk.until(wanted)
    assert walk.tick == 3_002  # counted anew from there


def test_a_loop_that_is_searched_for_a_match_can_be_left(walk: Session) -> None:
    walk.forward(30)
    walk.branch.loop = ProvenLoop(10, 10)
    asked = count()
    assert walk.until("repeated state every 7", lambda: next(asked) > 0) is None
    assert walk.tick == 30
