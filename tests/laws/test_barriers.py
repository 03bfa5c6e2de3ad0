"""A run stops at the first tick in which something barred happens, on every engine."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.barriers import ANY, Barriers, Landing
from planewalk.core.limits import Limits
from planewalk.core.observation import Step
from planewalk.core.state import State
from planewalk.core.step import Hit
from planewalk.core.stream import InputStream
from planewalk.engines.choose import choose_engine
from planewalk.engines.stepping.observe import Observer, observe
from planewalk.languages import registry
from tests.laws.programs import COMPILING, FEW, LANGUAGES, SOME, compiled_at_once, sources, started

LIMITS = Limits(memory=1 << 18)
TICKS = 80
ENGINES = ["reference", "interpreter", "auto"]


def barred(step: Step, after: State, barriers: Barriers) -> bool:
    """What a plain look at a step says."""
    return bool(
        (after.stop is None and any(barriers.catch(walker.stance) for walker in after.walkers))
        or any((write.x, write.y) in barriers.written for write in step.writes)
        or any((read.x, read.y) in barriers.read for read in step.reads)
        or (barriers.output and step.output)
        or (barriers.input and step.input)
    )


def expected(name: str, state: State, barriers: Barriers) -> tuple[list[int], State]:
    engine = Observer(registry.get(name), state, LIMITS)
    hits = [s.tick + 1 for s in observe(engine, TICKS) if barred(s, state, barriers)]
    engine.advance(0)
    return hits, state


def found(engine_name: str, name: str, state: State, barriers: Barriers) -> tuple[list[int], State]:
    engine = choose_engine(engine_name, registry.get(name), state, LIMITS)
    hits = []
    while state.tick < TICKS:
        stop = engine.advance(TICKS - state.tick, barriers)
        if isinstance(stop, Hit):
            assert stop.events
            hits.append(state.tick)
        elif stop is not None:
            break
    engine.advance(0)
    return hits, state


places = st.tuples(st.integers(0, 6), st.integers(0, 4))


@st.composite
def all_barriers(draw: st.DrawFn, state: State) -> Barriers:
    headings = st.sampled_from([ANY, (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1)])
    modes = st.sampled_from([ANY, *(walker.stance.mode for walker in state.walkers)])
    landings = st.builds(lambda place, h, m: Landing(*place, h, m), places, headings, modes)
    return Barriers(
        draw(st.frozensets(landings, max_size=3)), draw(st.frozensets(places, max_size=3)),
        draw(st.frozensets(places, max_size=2)), draw(st.booleans()), False,
    )  # fmt: skip


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=SOME)
@given(data=st.data())
def test_barriers_are_found_as_a_plain_search_finds_them(name: str, data: st.DataObject) -> None:
    compare(ENGINES, name, data)


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=FEW)
@given(data=st.data())
def test_barriers_are_found_in_compiled_code(name: str, data: st.DataObject) -> None:
    with compiled_at_once():
        compare(COMPILING, name, data)


def compare(engines: list[str], name: str, data: st.DataObject) -> None:
    source, text = data.draw(sources(name)), data.draw(st.binary(max_size=6))
    state = started(name, source)
    barriers = data.draw(all_barriers(state))
    state.input = InputStream(text)
    right = expected(name, state, barriers)
    for engine in engines:
        twin = started(name, source)
        twin.input = InputStream(text)
        assert found(engine, name, twin, barriers) == right, engine
