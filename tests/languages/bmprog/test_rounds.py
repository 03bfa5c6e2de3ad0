"""Signals that come round again: runs jump over rounds, and are where they would have been."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import pytest
from hypothesis import given, settings

from planewalk.core.deadline import Deadline
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Stop
from planewalk.engines.reference import ReferenceEngine
from planewalk.languages.bmprog import native, rounds
from planewalk.languages.bmprog.engine import SignalEngine
from planewalk.languages.bmprog.forms import Flights, Form, Planes
from planewalk.languages.bmprog.native import NativeFlights, NativePlanes
from planewalk.languages.bmprog.rules import LANGUAGE
from tests.languages.bmprog.test_engine import boards, state_of
from tests.marks import plainly

FORMS: list[type[Form]] = [Flights, Planes, NativeFlights, NativePlanes]
RINGS = [
    ":v..........",
    ".>::v..>::::",
    ".:..:..:....",
    ".^::*::^....",
    "............",
]
"""In each round one signal leaves, and toggles a bit."""


@pytest.fixture(autouse=True)
def look_soon() -> Iterator[None]:
    if not native.KERNELS.ready:
        native.KERNELS.assemble(None)
    with mock.patch.multiple(rounds, FIRST_WALK=8, SHARE=1e6, LONGEST=float("inf")):
        yield


def far(engine: SignalEngine | ReferenceEngine, tick: int) -> Stop | None:
    stop = None
    while stop is None and engine.state.tick < tick:
        stop = engine.advance(tick - engine.state.tick)
    return stop


@pytest.mark.parametrize("form", FORMS)
def test_a_run_jumps_to_where_it_would_have_been(form: type[Form]) -> None:
    engine, reference = (
        SignalEngine(state_of(RINGS), Limits(), form),
        ReferenceEngine(LANGUAGE, state_of(RINGS), Limits()),
    )
    for tick in (100, 101, 2_000, 2_007, 5_003):
        far(engine, tick)
        far(reference, tick)
        assert engine.state == reference.state, tick
    found = engine._rounds.found
    assert found is not None and found.bits == 1
    far(engine, 10**15 + 3)
    far(reference, 5_003 + (10**15 + 3 - 5_003) % (2 * found.cycles))
    reference.state.tick = engine.state.tick
    assert engine.state == reference.state


@pytest.mark.parametrize("form", plainly([Flights, NativePlanes], FORMS))
@settings(max_examples=settings.default.max_examples // 6)
@given(state=boards())
def test_on_any_board(form: type[Form], state: State) -> None:
    engine, reference = (
        SignalEngine(state.copy(), Limits(), form),
        ReferenceEngine(LANGUAGE, state.copy(), Limits()),
    )
    for tick in (60, 300, 301, 1_000):
        assert far(engine, tick) == far(reference, tick)
        assert engine.state == reference.state, tick


def test_signals_that_were_changed_are_looked_at_anew() -> None:
    engine = SignalEngine(state_of(RINGS), Limits())
    for tick in (500, 1_000, 1_500, 2_000):
        far(engine, tick)
    assert engine._rounds.found is not None
    engine.state.walkers = list(engine.state.walkers)[:1]
    reference = ReferenceEngine(LANGUAGE, engine.state.copy(), Limits())
    for it in (engine, reference):
        far(it, 2_900)
    assert engine.state == reference.state


def test_looking_ends_in_time() -> None:
    form = Flights(SignalEngine(state_of(RINGS), Limits())._board, 0, [8])
    finder = rounds.RoundFinder()
    now = iter(range(1_000))
    finder.walk(form, Deadline(lambda: float(next(now)), 5))
    assert form.tick <= 5 and finder.found is None
