"""`until` stops at the first match and `back_until` at the last, as a plain search finds them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.step import Hit
from planewalk.debug.conditions.condition import Past, Situation
from planewalk.debug.conditions.grammar import parse
from planewalk.debug.search.forwards import as_hit
from planewalk.debug.session import Session
from planewalk.engines.base.policy import PATIENT, following
from planewalk.languages import registry
from tests.laws.programs import COMPILING, FEW, LANGUAGES, SOME, compiled_at_once, sources
from tests.laws.test_sessions import ENGINES, session

TICKS = 60

places = st.builds("{},{}".format, st.integers(0, 5), st.integers(0, 3))
signs = st.sampled_from(["=", "!=", "<", ">=", ">"])
atoms = st.one_of(
    st.builds("at {}".format, places),
    st.builds("at {} heading <{}>".format, places, st.integers(0, 2)),
    st.builds("{} {}".format, st.sampled_from(["written", "changed", "read"]), places),
    st.builds("cell {} {} {}".format, places, signs, st.sampled_from([0, 1, 2, 32, 62])),
    st.builds("depth {} {}".format, signs, st.integers(0, 4)),
    st.builds("walkers {} {}".format, signs, st.integers(0, 3)),
    st.builds("tick % {} = 0".format, st.integers(1, 9)),
    st.builds("in {}..{}".format, places, places),
    st.builds("enters {}..{}".format, places, places),
    st.sampled_from(
        ["output", "input", "born", "gone", "meeting", "new cell", "repeated state", "ended"]
    ),
)
conditions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("not {}".format, inner),
    ),
    max_leaves=4,
)


def fitting(name: str, text: str) -> str:
    """A condition with the words that the language has for its headings."""
    for number, word in enumerate(registry.get(name).looks.headings.values()):
        text = text.replace(f"<{number}>", word)
    return text


def plain(walk: Session, text: str, first: int) -> list[int]:
    """Ticks behind the first at which the condition is true, asked at every one."""
    condition = parse(text).condition
    past = Past()

    def moment(tick: int, step: object = None) -> Situation:
        state = walk.state_at(tick)

        def output(count: int) -> bytes:
            return walk.branch.output.read(max(state.written - count, 0), state.written)

        events = () if step is None else as_hit(step).events  # type: ignore[arg-type]
        return Situation(walk.language, state, events, output, step, past)  # type: ignore[arg-type]

    begin = 0 if condition.remembers else first
    condition.sees(moment(begin))
    ticks = [
        step.tick + 1
        for step in walk.steps(begin, TICKS)
        if condition.sees(moment(step.tick + 1, step))
    ]
    return [tick for tick in ticks if tick > first]


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=SOME)
@given(data=st.data())
def test_until_stops_at_the_first_match(name: str, data: st.DataObject) -> None:
    go_until(name, ENGINES, data)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=FEW)
@given(data=st.data())
def test_until_stops_in_compiled_code_at_the_first_match(name: str, data: st.DataObject) -> None:
    with compiled_at_once():
        go_until(name, COMPILING, data)


def go_until(name: str, engines: list[str], data: st.DataObject) -> None:
    source, text = data.draw(sources(name)), fitting(name, data.draw(conditions))
    first = data.draw(st.integers(0, 20))
    with following(PATIENT):  # a state at every tick, each of them by an engine of its own
        walk = session(name, source, b"4 b", "reference")
        walk.goto(TICKS)
        expected = plain(walk, text, min(first, walk.tick))
    for engine in engines:
        walk = session(name, source, b"4 b", engine)
        walk.goto(TICKS)
        walk.limits = walk.limits._replace(steps=TICKS)
        walk.goto(first)
        stop = walk.until(text)
        assert isinstance(stop, Hit) == bool(expected), engine
        if expected:
            assert walk.tick == expected[0] and stop == Hit(text), engine
        else:
            assert walk.tick == min(TICKS, walk.reached), engine


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=SOME)
@given(data=st.data())
def test_back_until_stops_at_the_last_match(name: str, data: st.DataObject) -> None:
    walk = session(name, data.draw(sources(name)), b"4 b")
    text = fitting(name, data.draw(conditions))
    walk.goto(TICKS)
    now = walk.tick
    for tick in data.draw(st.lists(st.integers(0, TICKS), max_size=3)):
        walk.goto(tick)  # which leaves keyframes
        walk.course.keep()
    walk.goto(now)
    expected = [tick for tick in plain(walk, text, 0) if tick < now]
    at_start = walk.state_at(0)
    moment = Situation(walk.language, at_start, (), lambda count: b"", None, Past())
    if parse(text).condition.sees(moment):
        expected.insert(0, 0)
    expected = [tick for tick in expected if tick < now]
    stop = walk.back_until(text)
    assert walk.tick == (expected[-1] if expected else 0)
    assert isinstance(stop, Hit) == bool(expected)
