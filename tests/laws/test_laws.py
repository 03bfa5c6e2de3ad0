"""What holds for every program in every language."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import planewalk
from planewalk.core.errors import SourceError
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Hungry
from planewalk.core.stream import InputStream
from planewalk.engines.reference import ReferenceEngine
from planewalk.languages import registry
from tests.laws.programs import LANGUAGES, TEXT_LANGUAGES, sources, started

every_language = pytest.mark.parametrize("name", LANGUAGES)
LIMITS = Limits(memory=1 << 18)  # fork bombs must not make the tests slow
STATUSES = {"halted", "limit", "stalled", "fault"}


def advance(name: str, state: State, ticks: int) -> State:
    """Run exactly that many ticks, or to the end."""
    engine = ReferenceEngine(registry.get(name), state, LIMITS)
    target = state.tick + ticks
    while state.tick < target and engine.advance(target - state.tick) is None:
        pass
    engine.advance(0)
    return state


@pytest.mark.parametrize("name", LANGUAGES)
@given(data=st.data())
def test_any_bytes_run_or_are_a_clear_error(name: str, data: st.DataObject) -> None:
    source = data.draw(st.binary(max_size=200) | sources(name))
    try:
        run = planewalk.run(
            source=source, language=name, input=b"x1 ", max_steps=200, max_memory=1 << 24
        )
    except SourceError as error:
        assert name == "bmprog" and str(error)
    else:
        assert run.status in STATUSES
        json.loads(run.to_json())


@every_language
@given(data=st.data())
def test_a_copy_is_equal_and_independent(name: str, data: st.DataObject) -> None:
    state = advance(name, started(name, data.draw(sources(name))), data.draw(st.integers(0, 60)))
    twin, before = state.copy(), state.to_json()
    assert twin == state
    advance(name, twin, 20)
    assert state.to_json() == before


@every_language
@given(data=st.data())
def test_a_state_survives_json_and_goes_on_alike(name: str, data: st.DataObject) -> None:
    state = advance(name, started(name, data.draw(sources(name))), data.draw(st.integers(0, 60)))
    twin = State.from_json(json.loads(json.dumps(state.to_json())))
    assert twin == state
    assert advance(name, twin, 30) == advance(name, state, 30)


@every_language
@given(data=st.data())
def test_stretches_do_not_matter(name: str, data: st.DataObject) -> None:
    source = data.draw(sources(name))
    pieces = data.draw(st.lists(st.integers(0, 30), min_size=1, max_size=8))
    at_once = advance(name, started(name, source), sum(pieces))
    assume(at_once.memory() < 1 << 17)  # at the memory limit every stretch may add a tick
    in_pieces = started(name, source)
    for piece in pieces:
        advance(name, in_pieces, piece)
    assert at_once == in_pieces


@every_language
@given(data=st.data())
def test_the_same_seed_gives_the_same_run(name: str, data: st.DataObject) -> None:
    source, seed = data.draw(sources(name)), data.draw(st.integers(-5, 1 << 70))
    first, second = (
        planewalk.run(source=source, language=name, seed=seed, max_steps=100, max_memory=1 << 22)
        for _ in range(2)
    )
    assert first.state == second.state
    assert first.seed == seed


@pytest.mark.parametrize("name", TEXT_LANGUAGES)
@given(data=st.data())
def test_input_in_pieces_is_input_at_once(name: str, data: st.DataObject) -> None:
    source, given_input = data.draw(sources(name)), data.draw(st.binary(max_size=12))
    whole = started(name, source)
    whole.input = InputStream(given_input)
    advance(name, whole, 150)

    bit_by_bit = started(name, source)
    bit_by_bit.input = InputStream(closed=False)
    engine = ReferenceEngine(registry.get(name), bit_by_bit, LIMITS)
    coming = iter([*(bytes([byte]) for byte in given_input), b""])
    stop = None
    while stop is None and bit_by_bit.tick < 150:
        stop = engine.advance(150 - bit_by_bit.tick)
        if isinstance(stop, Hungry):
            before = bit_by_bit.copy()
            assert engine.advance(5) == stop and bit_by_bit == before, "waiting changes nothing"
            bit_by_bit.input.feed(next(coming, b""))
            stop = None
    engine.advance(0)
    for state in (whole, bit_by_bit):
        state.input = InputStream()  # what is left unread may not have arrived yet
    assert whole == bit_by_bit


@pytest.mark.parametrize("name", TEXT_LANGUAGES)
@settings(max_examples=30)
@given(data=st.data())
def test_decode_never_raises(name: str, data: st.DataObject) -> None:
    language = registry.get(name)
    state = started(name, data.draw(st.binary(max_size=60)))
    stance = state.walkers[0].stance
    box = state.plane.box()
    if box is not None:
        place = data.draw(st.tuples(st.integers(box[0], box[2]), st.integers(box[1], box[3])))
        stance = stance._replace(x=place[0], y=place[1])
    assert language.decode(state.plane, stance).doc
