"""Many cursors stop where somebody waits for them, in machine code and at the right step."""

import random

import pytest

from planewalk.core.barriers import ANY, Barriers, Landing
from planewalk.core.geometry import CARDINALS, RIGHT
from planewalk.core.limits import Limits
from planewalk.core.state import State, Walker
from planewalk.core.step import Hit, Stop
from planewalk.engines.base.policy import HASTY, following
from planewalk.engines.scheduling.scheduler import Scheduler
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages.refunge.native import CursorCrowd
from planewalk.languages.refunge.rules import LANGUAGE
from tests.languages.refunge.test_native import (
    ROOMY,
    crowd_of,
    cursor,
    hasty,
    kernel,
    needs_machine_code,
    started,
)

__all__ = ["hasty", "kernel"]  # fixtures


def all_barriers(dice: random.Random, state: State) -> Barriers:
    """Places, cells and events; some lie below the field, which may grow there."""
    width, height = state.plane.width, state.plane.height

    def place() -> tuple[int, int]:
        return dice.randrange(-1, width + 1), dice.randrange(-1, height + 3)

    def some() -> frozenset[tuple[int, int]]:
        return frozenset(place() for _ in range(dice.choice([0, 0, 1, 3])))

    landings = (
        Landing(*place(), dice.choice([ANY, *CARDINALS]), dice.choice([ANY, ANY, "none", "add"]))
        for _ in range(dice.choice([0, 1, 3]))
    )
    events = dice.random() < 0.2, dice.random() < 0.2
    return Barriers(frozenset(landings), some(), some(), *events)


def go(
    crowd: CursorCrowd, reference: ReferenceEngine, ticks: int, barriers: Barriers | None
) -> tuple[Stop | None, int]:
    """The crowd for as long as it goes; gives the stop, and the ticks that it made."""
    state, made, stop = crowd.state, 0, None
    target = state.tick + ticks
    while stop is None and state.tick < target:
        before, going = state.tick, False
        if len(state.walkers) > 1:
            going = crowd.advance(target - before, barriers)
            made += state.tick - before
        if not going and state.tick < target:
            stop = reference.advance(1, barriers)
    return (reference.advance(0) if stop is None else stop), made


def test_crowds_stop_where_the_reference_engine_stops(kernel: str) -> None:
    assert compare(random.Random(7), 10) > 8


def compare(dice: random.Random, programs: int) -> int:
    """How often random crowds stopped; most of their ticks were made in machine code."""
    made = ticks = hits = 0
    for _ in range(programs):
        start = crowd_of(dice)
        limits = Limits(memory=dice.choice([400 * 20, 400 * 30]))
        expected, found = start.copy(), start.copy()
        whole = ReferenceEngine(LANGUAGE, expected, limits)
        crowd, reference = CursorCrowd(found, limits), ReferenceEngine(LANGUAGE, found, limits)
        barriers = all_barriers(dice, start)
        for _ in range(8):
            if dice.random() < 0.2:
                barriers = all_barriers(dice, start)
            steps, barred = dice.choice([1, 7, 60]), barriers if dice.random() < 0.9 else None
            before, stop = expected.tick, whole.advance(steps, barred)
            here, by_crowd = go(crowd, reference, steps, barred)
            assert (found, here) == (expected, stop), (start.to_json(), barred)
            made, ticks = made + by_crowd, ticks + expected.tick - before
            hits += isinstance(stop, Hit)
    assert made > 0.3 * ticks
    return hits


@pytest.mark.parametrize("ticks", [5, 60])
def test_a_crowd_stops_where_a_watched_cell_is_tested(kernel: str, ticks: int) -> None:
    state = started(b"   @    \n   @    ", [cursor(0, 0, (5, 0)), cursor(0, 1, (5, 1))])
    barriers = Barriers(read=frozenset({(5, 1)}))
    crowd, reference = CursorCrowd(state, ROOMY), ReferenceEngine(LANGUAGE, state)
    stop, made = go(crowd, reference, ticks, barriers)
    assert isinstance(stop, Hit) and (state.tick, made) == (4, 3)


LINES = [b"|>+-v^ \\ |", b"|  /  \\  |", b"|  \\  /  |", b"|~v~^~v~^|"]


def apart(rows: int = 40) -> State:
    """Cursors that go to and fro, each in rows of its own: for long epochs in machine code."""
    state = started(b"\n".join(LINES[n % 4] for n in range(4 * rows)))
    state.walkers = [cursor(1, 4 * n, (2, 4 * n + 1)) for n in range(rows)]
    return state


@needs_machine_code
def test_barriers_that_nobody_touches_leave_a_crowd_in_machine_code() -> None:
    far = Barriers(
        frozenset({Landing(0, 161), Landing(5, 3)}), frozenset({(9, 3)}), frozenset({(4, 163)})
    )
    state, twin = apart(), apart()
    with following(HASTY._replace(background=False)):
        engine = Scheduler(LANGUAGE, state, ROOMY, compiles=True)
        while state.tick < 300:
            assert engine.advance(300 - state.tick, far) is None
        assert engine.native_ticks > 200
    ReferenceEngine(LANGUAGE, twin).advance(300)
    assert state == twin


@needs_machine_code
@pytest.mark.parametrize("barriers", [
    Barriers(frozenset({Landing(8, 60)})), Barriers(frozenset({Landing(1, 60, RIGHT)})),
    Barriers(written=frozenset({(3, 61)})), Barriers(read=frozenset({(2, 61)})),
])  # fmt: skip
def test_a_tiered_engine_tells_what_a_crowd_stops_at(barriers: Barriers) -> None:
    state, twin = apart(), apart()
    reference = ReferenceEngine(LANGUAGE, twin)
    with following(HASTY._replace(background=False)):
        engine = Scheduler(LANGUAGE, state, ROOMY, compiles=True)
        for _ in range(4):
            stop, found = reference.advance(150, barriers), None
            while found is None:
                found = engine.advance(150, barriers)
            assert found == stop
            assert isinstance(stop, Hit)
            assert state == twin


def test_walkers_are_put_anew_after_a_hit() -> None:
    """A debugger may have changed them."""
    state = apart(2)
    crowd = CursorCrowd(state, ROOMY)
    crowd.advance(5, Barriers(frozenset({Landing(4, 0)})))
    assert state.tick == 2
    state.walkers[0] = Walker(state.walkers[0].stance._replace(x=5), state.walkers[0].hand)
    assert crowd.advance(3, Barriers(frozenset({Landing(4, 0)})))
