"""Programs that are too large for one unit: units go on where others have left."""

from collections.abc import Iterator

import pytest

from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import PATIENT, following
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.examples import find_example
from planewalk.languages import registry


@pytest.fixture(autouse=True)
def small_units() -> Iterator[None]:
    with following(PATIENT._replace(background=False, most_instructions=40, patience=0)):
        yield


def begun(name: str, given: bytes = b"") -> State:
    example = find_example(name)
    language = registry.get(example.language)
    state = language.start(example.read(), language.read_options({}), 0)
    state.input = InputStream(given, closed=True)
    return state


def engine_of(state: State, name: str, made: type[PythonEngine]) -> PythonEngine:
    language = registry.get(find_example(name).language)
    return made(language, state, Limits(memory=None))


PROGRAMS = [("sierpinski.ref", b""), ("primes.mf", b"3000"), ("collatz.mf", b"4000")]


@pytest.mark.exhaustive
@pytest.mark.parametrize("made", [PythonEngine, LLVMEngine])
@pytest.mark.parametrize(("name", "given"), PROGRAMS)
def test_small_units_together_do_what_a_large_one_does(
    name: str, given: bytes, made: type[PythonEngine]
) -> None:
    state = begun(name, given)
    engine = engine_of(state, name, made)
    expected = begun(name, given)
    reference = ReferenceEngine(registry.get(find_example(name).language), expected)
    for steps in (777, 5_000, 20_000, 20_001, 40_000):
        while state.tick < steps and engine.advance(steps - state.tick) is None:
            pass
        reference.advance(steps - expected.tick)
        assert state == expected, steps
    assert len(set(engine.units.at.values())) > 1
    assert engine.survey.full


def test_where_a_unit_had_no_room_is_no_entry_to_it() -> None:
    """It would leave at once, and hide the unit that goes on there."""
    state = begun("collatz.mf", b"4000")
    engine = engine_of(state, "collatz.mf", PythonEngine)
    engine.advance(30_000)
