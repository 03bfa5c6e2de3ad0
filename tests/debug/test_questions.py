"""Questions about the past: dense and sparse matches, forks, and answers that are never guessed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.errors import LimitReached
from planewalk.core.step import Hit, Stalled
from planewalk.debug.asking import questions
from planewalk.debug.conditions.grammar import parse
from planewalk.debug.replay.branch import ProvenLoop
from planewalk.debug.search import backwards
from planewalk.debug.session import Session
from tests.debug.test_session import session
from tests.laws.programs import LANGUAGES, sources
from tests.laws.test_sessions import session as lawful

COUNTS = b"+v~^"
"""Adds to the cell 0,1 for ever."""
RING = b">v\n^<"


def writes(walk: Session, x: int, y: int, last: int) -> list[int]:
    """The ticks in which a cell was written, looked for one by one."""
    steps = walk.steps(0, last)
    return [step.tick for step in steps if any((w.x, w.y) == (x, y) for w in step.writes)]


def test_a_cell_that_is_written_again_and_again() -> None:
    walk = session("refunge", COUNTS)
    walk.goto(3000)
    x, y = 0, 1
    expected = writes(walk, x, y, 3000)
    assert len(expected) > 3 * backwards.MANY
    deed = walk.who_wrote(x, y)
    assert deed is not None and deed.tick == expected[-1]
    found = list(backwards.matches_back(walk, parse(f"written {x},{y}"), 2999, lambda: False))
    assert found == [tick + 1 for tick in reversed(expected) if tick < 2999]


def test_only_few_matches_are_met_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = session("refunge", COUNTS)
    walk.goto(20_000)
    x, y = 0, 1
    met = []

    class Counting(backwards.Search):
        def matches(self, *given):  # type: ignore[no-untyped-def]
            for tick in super().matches(*given):
                met.append(tick)
                yield tick

    monkeypatch.setattr(backwards, "Search", Counting)
    monkeypatch.setattr(backwards, "LEAPS", (1 << 22,))
    walk.find_back(parse(f"written {x},{y}"))
    assert 0 < len(met) < 20 * backwards.MANY


@pytest.mark.parametrize("times", range(12))
def test_a_search_that_is_broken_off_has_no_answer(times: int) -> None:
    """Not even one that it has come by."""
    walk = session("refunge", COUNTS)
    walk.goto(3000)
    asked = 0

    def pause() -> bool:
        nonlocal asked
        asked += 1
        return asked > times

    try:
        assert walk.find_back(parse("written 0,1 and tick < 2100"), pause) == (2098, 0)
    except LimitReached as error:
        assert "given up" in str(error)
    else:
        assert asked <= times


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=settings.default.max_examples // 10)
@given(data=st.data())
def test_the_latest_come_first(name: str, data: st.DataObject) -> None:
    walk = lawful(name, data.draw(sources(name)), b"4 b")
    walk.goto(100)
    text = data.draw(st.sampled_from(["tick % 2 = 0", "depth > 0", "walkers = 1", "output"]))
    found = list(backwards.matches_back(walk, parse(text), walk.tick - 1, lambda: False))
    fast, slow = walk.tick, []
    while fast > 0 and len(slow) < 400:
        walk.goto(fast)
        stop = walk.back_until(text)
        if stop is None or walk.tick == fast:
            break
        slow.append(walk.tick)
        fast = walk.tick
    assert found == sorted(set(found), reverse=True) and found[: len(slow)] == slow


def test_tick_conditions_in_a_proven_loop() -> None:
    walk = session("mirrorfunge", RING)
    walk.goto(40)
    walk.branch.loop = ProvenLoop(0, 4)
    walk.goto(10**15 + 1)
    assert walk.back_until("tick = 5000") is not None and walk.tick == 5000
    walk.goto(10**15 + 1)
    assert walk.back_until("tick < 600") is not None and walk.tick == 599
    walk.goto(10**15 + 1)
    assert walk.back_until("tick % 7 = 3 and at 0,0") is not None
    assert walk.tick % 28 == 24 and 10**15 + 1 - walk.tick <= 28
    walk.goto(10**15 + 1)
    assert walk.back_until("at 1,1 and tick < 1000") is not None and walk.tick == 998


def test_causes_before_the_longest_look_back_are_earlier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "FOLLOWED", (8, 4))
    walk = session("refunge", COUNTS)
    walk.goto(300)
    hand = (0, 1)
    cause = walk.why(cell=hand)
    assert cause is not None and {leaf.kind for leaf in cause.leaves()} <= {"earlier", "cell"}
    assert any("at tick 29" in line for line in cause.lines())


@pytest.mark.parametrize("first", [40, 41, 50])
@pytest.mark.parametrize("text", [
    "at 1,1", "at 1,1 every 5", "tick = 5000", "tick > 600 and at 0,0", "tick % 7 = 3",
    "tick % 7 = 3 and at 0,0", "tick % 6 = 1 or tick > 80 and at 1,0 every 9",
    "(tick > 55 or at 1,0) every 7", "tick < 70 every 12",
])  # fmt: skip
def test_the_next_match_in_a_proven_loop(text: str, first: int) -> None:
    """As a search finds it that does not know of the loop."""
    plain, quick = session("mirrorfunge", RING), session("mirrorfunge", RING)
    for walk in (plain, quick):
        walk.goto(first)
    quick.branch.loop = ProvenLoop(4, 4)
    assert plain.until(text) == quick.until(text) and plain.tick == quick.tick
    assert plain.state == quick.state
    quick.goto(10**15)
    if "tick <" not in text and "tick =" not in text:
        assert quick.until(text) == Hit(text)


def test_what_is_never_true_in_a_loop_is_said() -> None:
    walk = session("mirrorfunge", RING)
    walk.goto(40)
    walk.branch.loop = ProvenLoop(4, 4)
    stop = walk.until("at 9,9 or tick = 30")
    assert stop == Stalled(
        "the complete state repeats every 4 steps, and this is never true: at 9,9 or tick = 30"
    )
    walk.limits = walk.limits._replace(steps=10**12)
    walk.until("at 9,9")
    assert walk.tick == 10**12


def test_loops_are_looked_for_while_searching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planewalk.debug.replay.course.LONG_RUN", 0)
    monkeypatch.setattr("planewalk.debug.replay.course.LOOKING_SHARE", 10**9)
    walk = session("mirrorfunge", RING)
    assert isinstance(walk.until("at 9,9"), Stalled) and walk.branch.loop is not None
