"""The interpreter that is made from a language's table runs like the reference engine."""

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.apps.checking.laws import engines_agree, input_may_come_late, states_survive_json
from planewalk.core.barriers import Barriers, Landing
from planewalk.core.limits import Limits
from planewalk.core.plane import SparsePlane
from planewalk.core.state import State
from planewalk.core.step import Hit, Spent, Stop
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import EAGER, following
from planewalk.engines.choose import choose_engine, shortfall
from planewalk.engines.interpreter import loader as interpreter
from planewalk.engines.interpreter import write as writing
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.interpreter.loader import InterpreterSource
from planewalk.engines.interpreter.surroundings import SureLine
from planewalk.engines.native.abi import STACK_ROOM, Slot
from planewalk.engines.native.machine_code import AnyMachine
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.ir import Leave
from planewalk.engines.window import window
from planewalk.examples import find_example, gallery
from planewalk.languages import registry
from tests.engines.stores import MemoryStore
from tests.laws.programs import trials
from tests.marks import plainly
from tests.patience import PATIENCE

INTERPRETED = ["refunge", "mirrorfunge", "gemooy"]


@pytest.fixture(autouse=True)
def quick_code() -> Iterator[None]:
    with following(EAGER):
        yield


def begin(name: str, source: bytes, data: bytes = b"", **options: Any) -> State:
    language = registry.get(name)
    state = language.start(source, language.read_options(options), 5)
    state.input = InputStream(data)
    return state


def run(engine: Any, steps: int) -> Stop | None:
    stop = None
    while stop is None and engine.state.tick < steps:
        stop = engine.advance(steps - engine.state.tick)
    return stop


def both(name: str, source: bytes, steps: int, data: bytes = b"", **options: Any) -> Any:
    """The interpreter after so many steps, which must be where the reference engine is."""
    language = registry.get(name)
    engine = InterpreterEngine(language, begin(name, source, data, **options), Limits())
    expected = begin(name, source, data, **options)
    stop = run(ReferenceEngine(language, expected, Limits()), steps)
    assert run(engine, steps) == stop
    assert engine.state == expected
    return engine


@pytest.mark.parametrize("name", plainly(["mirrorfunge", "gemooy"], INTERPRETED))
@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data())
def test_it_keeps_the_laws(name: str, data: st.DataObject) -> None:
    trial = data.draw(trials(name))
    assert engines_agree(trial, ["interpreter"]) is None
    assert states_survive_json(trial, ["interpreter"]) is None
    assert input_may_come_late(trial, ["interpreter"]) is None


def test_it_does_the_work_itself() -> None:
    """A silent exit at every tick would still be right, and slow."""
    engine = both("mirrorfunge", b"0>1+:;$v\n ^      <", 5_000)
    assert engine.refused is None
    assert engine.native_ticks > 4_900
    engine = both("refunge", find_example("squares.ref").read(), 5_000)
    assert engine.native_ticks > 4_900


@pytest.mark.parametrize("file", ["grow.gemooy", "walk.gemooy", "eraser.gemooy", "ant.gemooy"])
@pytest.mark.parametrize("many", [20, 1 << 16])
def test_a_window_that_has_to_move(file: str, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "MARGIN", 0)
    monkeypatch.setattr(window, "GROWTHS", (1,))
    monkeypatch.setattr(SparsePlane, "many", many)
    engine = both("gemooy", find_example(file).read(), 4_000)
    assert engine.native_ticks > 0.7 * engine.state.tick


def test_the_outermost_cells_may_go() -> None:
    """A program that is over as soon as a cell far away from it is blank."""
    language = registry.get("gemooy")
    for far in ((30, 0), (0, 30)):
        states = [begin("gemooy", b"$\n #\n") for _ in range(2)]
        for state in states:
            state.plane.put(30, 0, 1)  # type: ignore[attr-defined]
            state.plane.put(0, 30, 1)  # type: ignore[attr-defined]
            state.walkers[0] = state.walkers[0]._replace(hand=far)
        stop = run(ReferenceEngine(language, states[0], Limits()), 400)
        assert stop is not None and states[0].tick == 2
        assert run(InterpreterEngine(language, states[1], Limits()), 400) == stop
        assert states[0] == states[1]


@pytest.mark.parametrize("least", [True, False])
def test_how_far_cells_reach_is_answered_only_if_it_is_sure(least: bool) -> None:
    for sure, real, at in product(range(4), repeat=3):
        if real <= sure if least else real >= sure:
            line = SureLine(sure, least)
            for ask in (lt, le, gt, ge, eq, ne):
                with suppress(Leave):
                    assert ask(at, line) == ask(at, real) and ask(line, at) == ask(real, at)
    line = SureLine(2, least)
    assert (line <= 2) if least else (line >= 2)


def test_a_hand_too_far_away_is_left_to_the_reference_engine() -> None:
    language = registry.get("gemooy")
    for hand in ((1 << 70, 0), (1 << 20, 1 << 20), (-(1 << 60), 5)):
        states = [begin("gemooy", find_example("loop.gemooy").read()) for _ in range(2)]
        for state in states:
            state.walkers[0] = state.walkers[0]._replace(hand=hand)
        run(ReferenceEngine(language, states[0], Limits()), 500)
        engine = InterpreterEngine(language, states[1], Limits())
        run(engine, 500)
        assert states[0] == states[1] and engine.native_ticks == 0


def test_it_says_when_others_should_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    state = begin("gemooy", find_example("loop.gemooy").read())
    engine = InterpreterEngine(registry.get("gemooy"), state, Limits())
    assert engine.suits()
    near, far = state.walkers[0], state.walkers[0]._replace(hand=(5_000, 5_000))
    state.walkers[0] = far
    assert not engine.suits()
    state.walkers[0] = near
    assert engine.suits()
    for x in range(9_000):
        state.plane.put(x, 50, 1)  # type: ignore[attr-defined]
    assert engine.suits()
    with monkeypatch.context() as small:
        small.setattr("planewalk.engines.interpreter.surroundings.MOST_CELLS", 8_000)
        assert not engine.suits(), "its window takes long to close"
    state.walkers[0] = far
    assert engine.advance(50_000) is None and 0 < state.tick < 2_000


def test_a_stack_grows_no_further_than_there_is_room() -> None:
    """Then most of it is put away."""
    engine = InterpreterEngine(registry.get("mirrorfunge"), begin("mirrorfunge", b"1"))
    engine.state.stack += [0] * (STACK_ROOM - 100)
    run(engine, 1_000)
    assert engine.state.stack == [0] * (STACK_ROOM - 100) + [1] * 1_000
    run(engine, 2 * STACK_ROOM)
    assert engine._unit.words[Slot.DEPTH] <= STACK_ROOM
    assert engine.native_ticks > STACK_ROOM


def deep(depth: int) -> State:
    """A ring that always brings the 27,000th value to the top, of so many."""
    state = begin("mirrorfunge", b">ff*f*8*rv\n^" + b" " * 8 + b"<")
    state.stack = list(range(depth))
    return state


def test_moving_many_values_takes_time() -> None:
    """Whoever lets it run a long stretch can look at the clock before its end."""
    language = registry.get("mirrorfunge")
    engine = InterpreterEngine(language, deep(60_000))
    assert engine.advance(1 << 22) is None
    assert 0 < engine.state.tick < 1 << 18
    reference = ReferenceEngine(language, deep(28_000))
    assert reference.advance(1 << 14) is None
    assert 0 < reference.state.tick < 12_000


def test_letters_that_are_no_bytes() -> None:
    both("mirrorfunge", '"é→😀ÿa",,,,,@'.encode(), 100)
    both("mirrorfunge", "1→2😀+.ÿ@".encode(), 100)


def test_lines_of_very_different_lengths_stay_as_they_are() -> None:
    source = b"12+v" + b" " * 40_000 + b"\n" * 40_000 + b"\n"
    state = begin("mirrorfunge", source)
    engine = choose_engine("interpreter", registry.get("mirrorfunge"), state, Limits())
    assert "too different lengths" in (shortfall("interpreter", engine) or "")
    run(engine, 50)
    assert state.tick == 50


def test_barriers_are_kept() -> None:
    """They are unknown to machine code, so the reference engine runs up to them."""
    language = registry.get("mirrorfunge")
    state = begin("mirrorfunge", b">12+$v\n^    <")
    engine = InterpreterEngine(language, state, Limits())
    run(engine, 1_000)
    stop = engine.advance(10_000, Barriers(landings=frozenset({Landing(3, 0)})))
    assert isinstance(stop, Hit)
    assert state.walkers[0].stance[:2] == (3, 0)


def test_a_second_process_finds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    store, language = MemoryStore(), registry.get("mirrorfunge")
    source = b"0>1+:;$v\n ^      <"
    monkeypatch.setattr(interpreter, "_MADE", {})
    first = InterpreterEngine(language, begin("mirrorfunge", source), Limits(), store)
    assert first.refused is None and len(store) == 3  # facts, code, its name
    monkeypatch.setattr(interpreter, "_MADE", {})
    monkeypatch.setattr(writing, "write", None)  # whoever traces fails
    second = InterpreterEngine(language, begin("mirrorfunge", source), Limits(), store)
    run(second, 5_000)
    run(first, 5_000)
    assert second.native_ticks == 5_000
    assert second.state == first.state


def test_a_run_does_not_wait_for_code_longer_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    language, at_last, find = registry.get("mirrorfunge"), threading.Event(), InterpreterSource.make
    made: dict[Any, Any] = {}

    def slowly(*words: Any) -> Any:
        assert at_last.wait(PATIENCE)
        return find(*words)

    monkeypatch.setattr(interpreter, "_MADE", made)
    monkeypatch.setattr(InterpreterSource, "make", slowly)
    limits = Limits(seconds=0.01).begun(time.monotonic)
    engine = InterpreterEngine(language, begin("mirrorfunge", b"1$"), limits)
    assert engine.advance(500) == Spent("time")
    assert engine.state.tick == 0 and not made
    at_last.set()
    (thread,) = (each for each in threading.enumerate() if each.name == "planewalk-compiler")
    thread.join(PATIENCE)
    again = InterpreterEngine(language, begin("mirrorfunge", b"1$"), limits)
    assert made and run(again, 500) is None and again.native_ticks > 0


def test_damaged_code_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    store, language = MemoryStore(), registry.get("mirrorfunge")
    for _ in range(2):
        monkeypatch.setattr(interpreter, "_MADE", {})
        engine = InterpreterEngine(language, begin("mirrorfunge", b"1$"), Limits(), store)
        run(engine, 500)
        assert engine.native_ticks == 500
        for key in store:
            store[key] = store[key][: len(store[key]) // 2]


@pytest.mark.parametrize(("name", "source", "why"), [("webfunge", b"12+", "floats")])
def test_languages_without_say_why(name: str, source: bytes, why: str) -> None:
    state = begin(name, source)
    engine = choose_engine("interpreter", registry.get(name), state, Limits())
    assert why in (shortfall("interpreter", engine) or "")
    both(name, source, 50)


@pytest.mark.parametrize("name", INTERPRETED)
def test_one_loop_does_what_functions_do_that_call_each_other(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in web pages, here on this machine."""
    monkeypatch.setattr(AnyMachine, "hands_on", False)
    monkeypatch.setattr(interpreter, "_MADE", {})
    for example in gallery(name):
        engine = both(name, example.read(), 2_000)
        assert engine.state.tick < 32 or engine.native_ticks > 0, example.file
    ((_, made),) = interpreter._MADE.values()
    assert "musttail" not in made.written.text
