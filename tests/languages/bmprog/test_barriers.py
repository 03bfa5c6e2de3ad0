"""Signals stop where somebody waits for them, in every form and at the right cycle."""

import random
from typing import Any

import pytest

from planewalk.core.barriers import ANY, Barriers, Landing
from planewalk.core.geometry import Stance
from planewalk.core.state import State, Walker
from planewalk.core.step import Hit, Stop
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages.bmprog import flights, planes
from planewalk.languages.bmprog.flights import Flights
from planewalk.languages.bmprog.forms import Form
from planewalk.languages.bmprog.instructions import MOVING, WAITING
from planewalk.languages.bmprog.outcomes import HEADINGS
from planewalk.languages.bmprog.planes import Planes
from planewalk.languages.bmprog.rules import LANGUAGE
from tests.languages.bmprog.test_engine import (
    FORMS,
    engine_on,
    few_steps_on_the_reference_engine,
    machine_code,
    state_of,
)

__all__ = ["few_steps_on_the_reference_engine", "machine_code"]  # fixtures

CELLS = ["<>^v*#.:?", "<>^v*", "*.", "." * 20 + "<>^v*", "." * 60 + "<>^v*", "<>^v" + "." * 30]


@pytest.fixture(params=["hasty", "patient"])
def haste(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Forms that pause all the time, and a pause must not hide who arrives; or as they are."""
    if request.param == "hasty":
        monkeypatch.setattr(flights, "EVENTS_AT_ONCE", 3)
        monkeypatch.setattr(flights, "_CYCLES_AT_ONCE", 5)
        monkeypatch.setattr(planes, "_STRIPES_AT_ONCE", 40)
    word: str = request.param
    return word


def board(dice: random.Random) -> State:
    width, height = dice.randint(1, 14), dice.randint(1, 14)
    cells = dice.choice(CELLS)
    rows = ["".join(dice.choices(cells, k=width)) for _ in range(height)]
    return state_of(rows, dice.getrandbits(height))


def landings(dice: random.Random, state: State) -> Barriers:
    """Most of them where somebody comes by, some outside the board."""
    seen = {walker.stance for walker in state.walkers}
    twin = state.copy()
    for _ in range(25):
        ReferenceEngine(LANGUAGE, twin).advance(1)
        seen |= {walker.stance for walker in twin.walkers}
    places = [(x, y) for x, y, *_ in sorted(seen)] + [(-1, 0), (0, -1), (99, 99)]
    return Barriers(
        frozenset(
            Landing(
                *dice.choice(places),
                dice.choice([ANY, *HEADINGS]),
                dice.choice([ANY, MOVING, WAITING]),
            )
            for _ in range(dice.randint(1, 3))
        )
    )


def told(stop: Stop | None) -> Any:
    return sorted(stop.events) if isinstance(stop, Hit) else stop


@pytest.mark.parametrize("form", FORMS)
def test_who_arrives_is_caught_as_on_the_reference_engine(
    form: type[Form] | None, haste: str
) -> None:
    dice, hits = random.Random(haste), 0
    for _ in range(20):
        start = board(dice)
        barriers = landings(dice, start)
        expected, found = start.copy(), start.copy()
        reference = ReferenceEngine(LANGUAGE, expected)
        engine = engine_on(found, form)
        for _ in range(8):
            ticks, barred = dice.choice([1, 2, 20, 90]), dice.random() < 0.9
            stop = reference.advance(ticks, barriers if barred else None)
            assert told(engine.advance(ticks, barriers if barred else None)) == told(stop)
            assert found == expected
            hits += isinstance(stop, Hit)
    assert hits > 5


def test_large_boards() -> None:
    """Several stripes a row, and sweeps of many cycles that have to be undone."""
    dice = random.Random(1)
    rows = ["".join(dice.choices("." * 40 + "<>^v", k=1100)) for _ in range(40)]
    expected, found = (state_of(["v" * 1100, *rows, "^" * 1100]) for _ in range(2))
    for state in (expected, found):
        state.walkers = [Walker(Stance(x, 1, 0, 1, MOVING)) for x in range(0, 1100, 9)]
    places = [(dice.randrange(1100), dice.randrange(40)) for _ in range(200)]
    barriers = Barriers(frozenset(Landing(*place) for place in places))
    known, engine = engine_on(expected, Flights), engine_on(found, Planes)
    hits = 0
    while expected.tick < 150 and expected.stop is None:
        left = 150 - expected.tick
        stop = known.advance(left, barriers)
        assert told(engine.advance(left, barriers)) == told(stop)
        assert found == expected
        hits += isinstance(stop, Hit)
    assert hits > 15


def test_nothing_but_arriving_is_barred() -> None:
    """Cells are never read or written, and there is no output: a run does not stop for those."""
    state = state_of([">.<", "^*."])
    everything = frozenset((x, y) for x in range(3) for y in range(2))
    engine = engine_on(state)
    assert engine.advance(100, Barriers(frozenset(), everything, everything, True, True)) is None
    assert state.tick == 100
