"""Watching a run changes nothing, and what is told of it is all that happened."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.limits import Limits
from planewalk.core.observation import Step
from planewalk.core.state import State
from planewalk.core.step import Hungry
from planewalk.core.stream import InputStream
from planewalk.engines.stepping.observe import Observer, observe
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry
from tests.laws.programs import LANGUAGES, SOME, TEXT_LANGUAGES, sources, started

LIMITS = Limits(memory=1 << 18)


def plain(name: str, state: State, ticks: int) -> State:
    engine = ReferenceEngine(registry.get(name), state, LIMITS)
    for _ in range(ticks):
        if engine.advance(1) is not None:
            break
    engine.advance(0)  # some programs have ended before their first tick
    return state


def as_text(walkers: Any) -> list[str]:
    return [repr(tuple(walker)) for walker in walkers]  # NaN equals NaN there


def check(step: Step, before: State, after: State, numbers: dict[int, str]) -> None:
    """A step leads from one state to the next."""
    assert step.tick == before.tick and after.tick == before.tick + 1
    assert step.output == after.output[len(before.output) :]
    taken = after.input.position - before.input.position
    assert step.input == before.input.data[before.input.position :][:taken]
    assert step.stop == after.stop
    assert step.rows == getattr(after.plane, "height", 0) - getattr(before.plane, "height", 0)
    plane: Any = before.plane.copy()
    if step.rows:
        plane.grow(plane.height + step.rows)
    for x, y, old, new in step.writes:
        assert plane.cell(x, y) == old
        plane.put(x, y, new)
    assert plane == after.plane
    known = {**numbers}
    for number, walker, _ in step.gone:
        assert known.pop(number) == repr(tuple(walker))
    for number, was, now in step.moves:
        assert known[number] == repr(tuple(was))
        known[number] = repr(tuple(now))
    for number, parents, walker in step.born:
        assert number not in numbers and parents and set(parents) <= set(numbers)
        known[number] = repr(tuple(walker))
    assert sorted(known.values()) == sorted(as_text(after.walkers) + as_text(after.acted))
    numbers.clear()
    numbers.update(known)
    if after.stop is None:
        acted = [number for action in step.actions for number in action.walkers]
        assert sorted(acted) == sorted({m.number for m in (*step.moves, *step.gone)})


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=2 * SOME)
@given(data=st.data())
def test_steps_tell_all_that_happens(name: str, data: st.DataObject) -> None:
    source, text = data.draw(sources(name)), data.draw(st.binary(max_size=8))
    state, twin = started(name, source), started(name, source)
    state.input, twin.input = InputStream(text, keep=True), InputStream(text)
    engine = Observer(registry.get(name), state, LIMITS)
    numbers = dict(enumerate(as_text(state.walkers)))
    before = state.copy()
    for step in observe(engine, 60):
        check(step, before, state, numbers)
        before = state.copy()
    engine.advance(0)
    assert state == plain(name, twin, state.tick)


@pytest.mark.parametrize("name", TEXT_LANGUAGES)
@settings(max_examples=2 * SOME)
@given(data=st.data())
def test_steps_are_the_same_however_input_comes(name: str, data: st.DataObject) -> None:
    source, text = data.draw(sources(name)), data.draw(st.binary(max_size=8))
    whole, pieces = started(name, source), started(name, source)
    whole.input = InputStream(text)
    pieces.input = InputStream(closed=False)
    at_once = list(observe(Observer(registry.get(name), whole, LIMITS), 60))
    engine = Observer(registry.get(name), pieces, LIMITS)
    coming = iter([*(bytes([byte]) for byte in text), b""])
    found: list[Step] = []
    while len(found) < len(at_once):
        found += observe(engine, len(at_once) - len(found))
        if len(found) < len(at_once):
            assert engine.pause == Hungry()
            pieces.input.feed(next(coming))
    assert repr(found) == repr(at_once)
