"""Walking a run in both directions leads where running leads."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.core.state import State
from planewalk.core.step import Hungry
from planewalk.core.stream import InputStream
from planewalk.debug.session import Session
from planewalk.engines.choose import choose_engine
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry
from tests.laws.programs import (
    COMPILING,
    FEW,
    LANGUAGES,
    SOME,
    TEXT_LANGUAGES,
    compiled_at_once,
    sources,
)

LIMITS = Limits(memory=1 << 20)
ENGINES = ["reference", "interpreter", "auto"]


def session(name: str, source: bytes, text: bytes | None, engine: str = "auto") -> Session:
    return Session(
        Program(registry.get(name), source), text, 1, limits=LIMITS,
        engine=lambda *given: choose_engine(engine, *given),
    )  # fmt: skip


def plain(name: str, source: bytes, text: bytes, tick: int) -> tuple[State, bytes]:
    """The state at a tick, or at the end, by simply running there."""
    state = Program(registry.get(name), source).start(1)
    state.input = InputStream(text)
    engine = ReferenceEngine(registry.get(name), state, LIMITS)
    while state.tick < tick and engine.advance(tick - state.tick) is None:
        pass
    engine.advance(0)
    return state, state.take_output()


def here(walk: Session) -> tuple[State, bytes]:
    return walk.state, walk.output


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=SOME)
@given(data=st.data())
def test_every_walk_leads_where_running_leads(name: str, engine: str, data: st.DataObject) -> None:
    walk_about(name, engine, data)


@pytest.mark.exhaustive
@pytest.mark.parametrize("engine", COMPILING)
@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=FEW)
@given(data=st.data())
def test_every_walk_in_compiled_code_leads_there(
    name: str, engine: str, data: st.DataObject
) -> None:
    with compiled_at_once():
        walk_about(name, engine, data)


def walk_about(name: str, engine: str, data: st.DataObject) -> None:
    source, text = data.draw(sources(name)), data.draw(st.binary(max_size=6))
    walk = session(name, source, text, engine)
    for tick in data.draw(st.lists(st.integers(0, 90), min_size=1, max_size=6)):
        walk.goto(tick)
        assert here(walk) == plain(name, source, text, tick)


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=2 * SOME)
@given(data=st.data())
def test_back_undoes_forward(name: str, data: st.DataObject) -> None:
    walk = session(name, data.draw(sources(name)), b"7 x")
    walk.forward(data.draw(st.integers(0, 50)))
    before, output = walk.state.copy(), walk.output
    tick = walk.tick
    walk.forward(data.draw(st.integers(0, 30)))
    walk.back(walk.tick - tick)
    assert here(walk) == (before, output)


@pytest.mark.parametrize("name", TEXT_LANGUAGES)
@settings(max_examples=2 * SOME)
@given(data=st.data())
def test_input_that_comes_on_the_way_is_part_of_the_run(name: str, data: st.DataObject) -> None:
    source, text = data.draw(sources(name)), data.draw(st.binary(max_size=5))
    walk = session(name, source, None)
    states = []
    for piece in [*(bytes([byte]) for byte in text), b""]:
        walk.goto(80)
        if not isinstance(walk.stop, Hungry):
            break
        states.append((walk.tick, walk.state.copy()))
        walk.feed(piece)
    walk.goto(80)
    if walk.state.input.closed:
        assert here(walk) == plain(name, source, text, 80)
    for tick, state in reversed(states):
        walk.goto(tick)
        state.take_output()
        assert walk.state.walkers == state.walkers and walk.state.plane == state.plane
    assert len(walk.branches) == 1


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=2 * SOME)
@given(data=st.data())
def test_steps_are_told_without_going_there(name: str, data: st.DataObject) -> None:
    source = data.draw(sources(name))
    walk = session(name, source, b"a1")
    walk.goto(40)
    now = walk.tick
    first = data.draw(st.integers(0, now))
    found = list(walk.steps(first, now))
    assert [step.tick for step in found] == list(range(first, now))
    assert walk.tick == now
