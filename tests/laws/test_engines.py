"""Every engine ends in the same complete state as the reference engine."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.apps.checking.laws import engines_agree
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Stop
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import HASTY, following
from planewalk.engines.choose import choose_engine
from planewalk.examples import Example, gallery
from planewalk.languages import registry
from tests.engines.agreement import quick_code
from tests.laws.programs import LANGUAGES, SOME, compiled_at_once, started, trials
from tests.marks import plainly

ENGINES = ("reference", "interpreter", "python", "llvm")


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    """Random programs do not live long enough to become hot by themselves."""
    with following(HASTY), quick_code():
        yield


def run(name: str, engine: str, state: State, steps: int) -> tuple[State, Stop | None]:
    running = choose_engine(engine, registry.get(name), state, Limits(memory=1 << 22))
    target = state.tick + steps
    stop = None
    while state.tick < target and stop is None and len(state.walkers) <= 40:
        stop = running.advance(target - state.tick)
    return state, stop or running.advance(0)


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=SOME)
@given(data=st.data())
def test_engines_agree(name: str, data: st.DataObject) -> None:
    assert engines_agree(data.draw(trials(name)), ENGINES) is None


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=settings.default.max_examples // 12)
@given(data=st.data())
def test_engines_agree_if_everything_is_compiled_at_once(name: str, data: st.DataObject) -> None:
    with compiled_at_once():
        assert engines_agree(data.draw(trials(name)), ("python", "llvm")) is None


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=SOME)
@given(data=st.data())
def test_engines_agree_on_programs_of_many_units(name: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(5, 60))
    with following(HASTY._replace(most_instructions=size, patience=0)):
        assert engines_agree(data.draw(trials(name))) is None


EXAMPLES = [example for example in gallery() if example.language != "bmprog"]
LONGEST = ["mandelbrot", "ant", "odometer", "squares", "spheres"]
"""Those that do most, of each language."""


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "example",
    plainly([each for each in EXAMPLES if each.name in LONGEST], EXAMPLES),
    ids=lambda e: f"{e.language}/{e.file}",
)
def test_engines_agree_on_examples_that_run_long(example: Example) -> None:
    language = registry.get(example.language)
    for steps in (3333, 20_000):
        states = []
        for engine in ENGINES:
            state = language.start(example.read(), language.read_options({}), 3)
            state.input = InputStream(example.runs[0].get("input", "").encode())
            states.append(run(example.language, engine, state, steps))
        assert all(state == states[0] for state in states), steps


@pytest.mark.exhaustive
@pytest.mark.parametrize("time", [0.0, -3.3, -1e-20, 1e30, float("inf"), float("nan")])
def test_textures_are_the_same_everywhere(time: float) -> None:
    """A loop that goes on from the colour it found."""
    textures = [(2, 3, bytes(range(18))), (5, 7, bytes(range(40, 250, 2)))]
    for i in range(3):
        source = f"17/+:0y+:1y*{i}T+++".encode()
        for steps in (30, 300, 1_001):
            states = []
            for engine in ENGINES:
                options = {"texture": textures, "time": time, "pixel": (3, 2)}
                state = started("webfunge", source, **options)
                states.append(run("webfunge", engine, state, steps))
            assert all(state == states[0] for state in states), (i, steps)


def test_an_instruction_that_only_moves_on_by_chance() -> None:
    """Found by fuzzing: `g` found the very number that it took, so it seemed to do nothing."""
    source = (
        b"c/2-^7r#g\n|v# g;c; \n-a():<d>d\n7|(a$ss1f\n^f,5;) (/\n49fv; -)r\n\\/#\\:d^)>\n9^2>*+d>/"
    )
    language, states = registry.get("mirrorfunge"), []
    for engine in ENGINES:
        state = started("mirrorfunge", source)
        running = choose_engine(engine, language, state, Limits())
        for steps in (1, 364):  # in one go from an odd place
            while state.tick < steps and running.advance(steps - state.tick) is None:
                pass
        states.append(state)
    assert all(state == states[0] for state in states)
