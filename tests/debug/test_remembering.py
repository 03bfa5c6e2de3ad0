"""`new cell` and `repeated state` are about the whole run up to a tick, wherever one comes from."""

import random

import pytest

import planewalk as pw
from planewalk.core.step import Hit, Stalled
from planewalk.debug.replay.branch import ProvenLoop
from planewalk.debug.session import Session

SPIRAL = ">  v\n> v \n^ < \n^  <"
"""A walker goes round, first outside, then inside, again and again."""


def walk_of(source: str = "1>v\n ^<", ticks: int = 40) -> Session:
    walk = pw.session(source=source, language="mirrorfunge", seed=0)
    walk.goto(ticks)
    return walk


def new_ticks(walk: Session, last: int) -> list[int]:
    """By a plain look at every state."""
    seen: set[tuple[int, int]] = set()
    found = []
    for tick in range(last + 1):
        stance = walk.state_at(tick).walkers[0].stance
        if (stance.x, stance.y) not in seen:
            seen.add((stance.x, stance.y))
            found.append(tick)
    return found


@pytest.mark.parametrize("source", ["1>v\n ^<", SPIRAL, "123v\n   >4 5v\n  ^   <"])
def test_a_new_cell_is_new_wherever_the_search_begins(source: str) -> None:
    walk, dice = walk_of(source), random.Random(1)
    expected = new_ticks(walk, 40)
    walk.limits = walk.limits._replace(steps=40)
    for _ in range(20):
        begin = dice.randrange(40)
        walk.goto(begin)
        found = isinstance(walk.until("new cell"), Hit) and walk.tick
        assert found == next((tick for tick in expected if tick > begin), False)
        walk.goto(begin)
        found = isinstance(walk.back_until("new cell"), Hit) and walk.tick
        assert found == next((tick for tick in reversed(expected) if tick < begin), False)


def test_a_part_of_a_condition_remembers_what_the_others_do_not_let_count() -> None:
    walk = walk_of(SPIRAL)
    expected = [tick for tick in new_ticks(walk, 40) if tick % 2 == 0]
    walk.goto(0)
    found = []
    walk.limits = walk.limits._replace(steps=40)
    while isinstance(walk.until("tick % 2 = 0 and new cell"), Hit):
        found.append(walk.tick)
    assert [0, *found] == expected


def test_a_fork_remembers_what_was_before_it() -> None:
    walk = pw.session(source=">   v\n\n^   <", language="refunge", input=b"")
    walk.goto(3)
    walk.edit(cell=(4, 0), value=ord(" "))
    walk.limits = walk.limits._replace(steps=40)
    assert isinstance(walk.until("new cell"), Hit) and walk.tick == 4
    assert not isinstance(walk.until("new cell"), Hit)


def test_in_a_loop_nothing_is_new_and_every_state_repeats() -> None:
    walk = walk_of(" ")
    walk.branch.loop = ProvenLoop(0, 1)
    walk.goto(10**15)
    assert isinstance(walk.until("new cell"), Stalled) and walk.tick == 10**15
    assert isinstance(walk.until("repeated state"), Hit) and walk.tick == 10**15 + 1
    assert isinstance(walk.back_until("new cell"), Hit) and walk.tick == 0


def test_a_pause_while_the_past_is_looked_at_keeps_what_is_known() -> None:
    walk = walk_of(SPIRAL, 600)
    asked = 0

    def pause() -> bool:
        nonlocal asked
        asked += 1
        return asked % 9 == 0

    while walk.branch.past.visited.known < 600:
        before = walk.branch.past.visited.known
        assert walk.until("new cell", pause) is None
        assert walk.branch.past.visited.known > before
    assert set(walk.branch.past.visited.ticks.values()) == set(new_ticks(walk, 40))
