"""Programs that are too large for one unit: units go on where others have left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.stream import InputStream
from planewalk.engines.compiled.unit import Visit
from planewalk.engines.machine.backend import IMPROVING
from planewalk.engines.machine.engine import LLVMEngine
from planewalk.engines.native.linker import Chain
from planewalk.engines.native.llvm import Care
from planewalk.engines.policy import PATIENT, following
from planewalk.engines.python.engine import PythonEngine
from planewalk.engines.reference import ReferenceEngine
from planewalk.examples import find_example
from planewalk.languages import registry


@pytest.fixture(autouse=True)
def small_units() -> Iterator[None]:
    with following(
        PATIENT._replace(
            background=False,
            most_instructions=40,
            patience=0,
        )
    ):
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


def test_machine_code_goes_on_in_other_machine_code() -> None:
    """Without coming back to Python: far fewer visits than changes from unit to unit."""
    state = begun("sierpinski.ref")
    engine = engine_of(state, "sierpinski.ref", LLVMEngine)
    assert isinstance(engine, LLVMEngine)
    engine.advance(60_000)
    chain = engine.backend.chain_of(next(iter(engine.units.at.values())))
    assert chain is not None and len(chain.units) > 1
    visits = 0
    run = engine.backend.run

    def counted(*args: Any) -> Visit:
        nonlocal visits
        visits += 1
        return run(*args)

    engine.backend.run = counted  # type: ignore[method-assign]
    before = {id(unit): unit.all_ticks for unit in chain.units}
    engine.advance(20_000)
    worked = [unit for unit in chain.units if unit.all_ticks > before[id(unit)]]
    assert len(worked) > 1
    assert 0 < visits < 20


def test_improved_code_is_linked_again() -> None:
    """The chain knows where code is, and better code is elsewhere."""
    state = begun("sierpinski.ref")
    engine = engine_of(state, "sierpinski.ref", LLVMEngine)
    assert isinstance(engine, LLVMEngine)
    engine.advance(60_000)
    native = next(iter(engine.units.at.values()))
    chain = engine.backend.chain_of(native)
    assert chain is not None and chain is engine.backend.chain_of(native)
    native.care, native.all_ticks = Care.QUICK, IMPROVING * native.size + 1
    for _ in range(2):
        engine.backend._improve(native)
    assert engine.backend.chain_of(native) not in (chain, None)


def test_where_a_unit_had_no_room_is_no_entry_to_it() -> None:
    """It would leave at once, and hide the unit that goes on there."""
    state = begun("collatz.mf", b"4000")
    engine = engine_of(state, "collatz.mf", PythonEngine)
    engine.advance(30_000)
    for unit in set(engine.units.at.values()):
        assert not unit.frontier & unit.entries.keys()


def test_units_that_lead_nowhere_are_no_chain() -> None:
    assert not Chain({}).linked
