"""What is known of cells is true until one is written, by whichever engine."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Stop
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import EAGER, following
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.interpreter.marks import CODE, RESTLESS, WALKED
from planewalk.engines.interpreter.superinstructions import table
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry

REFUNGE = registry.get("refunge")
SOUP = " " * 6 + "~+-><v^X@#!?\\/|"


@pytest.fixture(autouse=True)
def quick_code() -> Iterator[None]:
    table.assemble(None)
    with following(EAGER):
        yield


def begin(source: bytes) -> State:
    state = REFUNGE.start(source, REFUNGE.read_options({}), 5)
    state.input = InputStream(b"planes")
    return state


def run(engine: Any, tick: int) -> Stop | None:
    stop = None
    while stop is None and engine.state.tick < tick:
        stop = engine.advance(tick - engine.state.tick)
    return stop


def expected(source: bytes, tick: int) -> State:
    state = begin(source)
    run(ReferenceEngine(REFUNGE, state, Limits()), tick)
    return state


def interpreter(source: bytes, limits: Limits | None = None) -> InterpreterEngine:
    engine = InterpreterEngine(REFUNGE, begin(source), limits or Limits())
    assert engine.refused is None
    return engine


@st.composite
def soups(draw: Any) -> bytes:
    """Small fields on which a cursor goes round the first row, and much is written over."""
    chance = Random(draw(st.integers(0, 2**32)))
    width = chance.randint(3, 9)
    first = "".join(chance.choice(SOUP[:-3] + "+X>") for _ in range(width))
    others = [
        "".join(chance.choice(SOUP) for _ in range(width)) for _ in range(chance.randint(0, 3))
    ]
    return "\n".join([first, *others]).encode()


@settings(max_examples=settings.default.max_examples // 2)
@given(source=soups(), seed=st.integers(0, 2**32))
def test_whatever_is_written_and_wherever_the_hand_goes(source: bytes, seed: int) -> None:
    """In pieces, and with the reference engine or another one in between."""
    chance = Random(seed)
    engine = interpreter(source)
    native = engine._run
    engine._run = lambda fuel: chance.random() < 0.8 and native(fuel)  # type: ignore[method-assign]
    tick = 0
    while tick < 1_500 and engine.state.stop is None and len(engine.state.walkers) == 1:
        tick += chance.choice([1, 7, 60, 400])
        if chance.random() < 0.1:
            run(ReferenceEngine(REFUNGE, engine.state, Limits()), tick)
        if run(engine, tick) is not None:
            break
        assert engine.state == expected(source, tick)


@pytest.mark.parametrize("told", [True, False])
def test_others_write_where_superinstructions_pass(told: bool) -> None:
    """The reference engine, which performs single ticks in between, or another one."""
    source = b"~   @  "
    engine, other = interpreter(source), expected(source, 30)
    run(engine, 30)
    assert engine.marks is not None and engine.marks.cells[2] == WALKED
    for state in (engine.state, other):
        put = engine.reference.machine.put if told and state is engine.state else state.plane.put
        put(2, 0, ord(">"))
        state.tick += not told
    run(engine, 80)
    run(ReferenceEngine(REFUNGE, other, Limits()), 80)
    assert engine.state == other


@pytest.mark.parametrize("told", [True, False])
def test_it_is_noticed_that_code_was_written(told: bool) -> None:
    """By the interpreter itself, or by the reference engine in between."""
    engine = interpreter(b"~   @  ")
    marks = engine.marks
    assert marks is not None
    marks.mark([2], True)
    run(engine, 5)
    assert not marks.has_written_code()
    if told:
        engine.reference.machine.put(2, 0, ord("<"))
    else:
        engine = interpreter(b"+X~>  <-  ")
        marks = engine.marks
        assert marks is not None
        marks.mark([0], True)
        run(engine, 30)
    assert marks.has_written_code()
    assert not marks.has_written_code()
    marks.mark([0, 2], False)
    assert not any(mark & CODE for mark in marks.cells[:7])


def test_a_cell_that_was_written_once_is_passed_no_more() -> None:
    """So the next writes cost nothing."""
    source = b"+>   ^<v  \n" + bytes(range(1, 11))
    engine = interpreter(source)
    run(engine, 3_000)
    assert engine.state == expected(source, 3_000)
    assert engine.marks is not None
    assert engine.marks.epoch < 30
    assert RESTLESS in engine.marks.cells[:10]


def test_marks_that_are_noted_again_are_of_a_new_epoch() -> None:
    """What was written meanwhile has left none."""
    source = b"~   @  "
    engine, other = interpreter(source), expected(source, 30)
    run(engine, 30)
    assert engine.marks is not None
    enough, engine.marks.limits = engine.marks.limits, Limits(memory=1)
    run(engine, 60)
    engine.marks.limits, epoch = enough, engine.marks.epoch
    run(engine, 90)
    assert engine.marks.epoch > epoch
    run(ReferenceEngine(REFUNGE, other, Limits()), 90)
    assert engine.state == other


def test_cells_that_superinstructions_pass_are_told() -> None:
    """Those that are marked, above the data that no walker passes."""
    engine = interpreter(b"~  >  @ \n" + b"\n" * 100 + b" ")
    run(engine, 80)
    marks = engine.marks
    assert marks is not None and marks.noting
    assert marks.cells_walked() == bytes([WALKED] * 8)
    assert marks.memory() == 8, "a row"
