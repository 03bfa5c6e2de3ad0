"""`auto` goes from the interpreter to compiled code and back, and nobody can tell."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from planewalk.core.barriers import Barriers, Landing
from planewalk.core.limits import Limits
from planewalk.core.state import State, Walker
from planewalk.core.step import Hit
from planewalk.engines.choose import choose_engine, detour
from planewalk.engines.interpreter import engine as interpreters
from planewalk.engines.interpreter.abi import NoInterpreter
from planewalk.engines.native import unit
from planewalk.engines.native.engine import LLVMEngine
from planewalk.engines.native.llvm import Care
from planewalk.engines.policy import HASTY, PATIENT, following
from planewalk.engines.reference import ReferenceEngine
from planewalk.engines.tiering import turns
from planewalk.engines.tiering.race import COMPILED, Race, TurnPace
from planewalk.engines.tiering.turns import KNOWN, TurnTakingEngine
from planewalk.examples import find_example
from planewalk.languages import registry
from tests.engines import ledger
from tests.engines.held import INTERPRETER, NATIVE, PYTHON, HeldJob, HeldQueue
from tests.engines.stores import MemoryStore
from tests.marks import plainly


@pytest.fixture(autouse=True)
def quick_code() -> Iterator[None]:
    with following(HASTY):
        yield


@pytest.fixture
def by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose turn it is does not depend on who is faster."""
    dice = random.Random(7)

    def note(self: TurnPace, ticks: int, seconds: float) -> None:
        self.rate = dice.choice([1e3, 1e6])

    monkeypatch.setattr(TurnPace, "note", note)


def begin(name: str) -> tuple[Any, State]:
    example = find_example(name)
    language = registry.get(example.language)
    return language, language.start(example.read(), language.read_options({}), 0)


def endless() -> tuple[Any, State]:
    """On a plane that nobody can write: the interpreter does not leave for compiled code there."""
    language = registry.get("mirrorfunge")
    return language, language.start(b">12+$v\n^    <", language.read_options({}), 0)


STORM = b"|||||||||\n/X>+v@ \\\n\\ -^ X#/\n+v<>@ ^ \n|||||||||"


def storm() -> tuple[Any, State]:
    language = registry.get("refunge")
    return language, language.start(STORM, language.read_options({}), 0)


@pytest.mark.usefixtures("by_chance")
@pytest.mark.parametrize("what", plainly(["sierpinski.ref", "storm"], ["squares.ref"]))
def test_turns_make_no_difference(what: str) -> None:
    """Also where the interpreter writes cells that code was made from, and makes the field grow."""
    language, state = storm() if what == "storm" else begin(what)
    engine = TurnTakingEngine(language, state, Limits(), None)
    expected = state.copy()
    reference = ReferenceEngine(language, expected, Limits())
    for steps in (90, 150, 333, 1_200, 5_000):
        stop = None
        while state.tick < steps and stop is None:
            stop = engine.advance(steps - state.tick)
        assert stop == reference.advance(steps - expected.tick)
        assert state == expected, steps
    assert engine.interpreter is not None and engine.interpreter.native_ticks > 0
    assert engine.compiled is not None


@pytest.mark.parametrize("by_size", [False, True])
def test_a_short_run_has_no_code_of_its_own(by_size: bool) -> None:
    """One of a large program has to be longer."""
    language, state = begin("squares.ref")
    price = {"seconds_a_cell": 1e6} if by_size else {"worth_tracing": 1_000}
    with following(HASTY._replace(**price)):
        engine = TurnTakingEngine(language, state, Limits(), None)
    while state.tick < 1_000:
        engine.advance(1_000 - state.tick)
    assert engine.name == "interpreter"
    assert engine.compiled is None
    if by_size:
        engine.budget.policy = HASTY
        engine.budget._due = 0.0  # cells would be counted again only after a while
    while engine.name != "llvm":
        assert engine.advance(100) is None


def test_code_of_an_earlier_run_is_there_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TurnPace, "note", lambda *_: None)
    store = MemoryStore()
    for kept in (False, True):
        language, state = begin("squares.ref")
        with following(HASTY._replace(least_turn=5_000, most_turn=5_000)):
            engine = TurnTakingEngine(language, state, Limits(), store)
        assert (engine.compiled is not None and bool(engine.compiled.natives)) == kept
        assert (engine.race.paces[COMPILED].rate == KNOWN) == kept
        while state.tick < 15_000:
            engine.race = Race(1, 2)  # compiled code is the faster
            engine.race.owed = 1.0
            engine.advance(15_000 - state.tick)


def test_a_turn_is_no_longer_than_what_is_owed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else code that has just been made would wait for its next turn longer than it has run."""
    language, state = endless()
    with following(HASTY):
        engine = TurnTakingEngine(language, state, Limits(), None)
    engine.advance(200)
    asked: list[int] = []
    monkeypatch.setattr(engine, "_run_interpreter", lambda _, ticks: asked.append(ticks))
    engine.policy, engine.race = PATIENT, Race(1e9, 1e6)
    for engine.race.owed in (1e-4, 1.0):
        engine._turn(1 << 40, None)
    assert asked == [100_000, 5_000_000]


def test_machine_code_comes_at_once_to_a_run_that_was_interpreted_for_long() -> None:
    language, state = begin("squares.ref")
    with following(PATIENT._replace(background=False, worth_tracing=0, tracing_seconds=0)):
        engine = TurnTakingEngine(language, state, Limits(), None)
    assert engine.interpreter is not None
    engine.budget.seconds = 1.0
    compiled = engine._compile()
    assert compiled.policy.worth_it < PATIENT.worth_it / 10 and compiled.policy.line_price == 0
    language, state = begin("squares.ref")
    with following(PATIENT):
        engine = TurnTakingEngine(language, state, Limits(), None)
    assert engine._compile().policy == PATIENT, "what is compiled from the start has to earn it"


def test_an_interpreter_that_is_slow_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on numbers of more than 64 bits: it would leave again and again."""
    monkeypatch.setattr(turns, "SLOW", 1e18)  # nothing is that fast
    language, state = begin("squares.ref")
    with following(HASTY._replace(worth_tracing=1 << 40)):
        engine = TurnTakingEngine(language, state, Limits(), None)
    engine.advance(100)
    assert engine.compiled is not None


def test_a_run_waits_for_no_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was never made before is made beside the run, once that is worth it."""
    monkeypatch.setattr(turns, "is_at_hand", lambda *_: False)
    language, state = begin("squares.ref")
    queue = HeldQueue(INTERPRETER)
    with following(PATIENT):
        engine = TurnTakingEngine(language, state, Limits(), None, queue)
    assert engine.interpreter is None and engine.order is not None
    assert engine.name == "llvm"
    engine.advance(100)
    assert not queue.jobs, "not worth it yet"
    engine.order.due = 0.0
    assert not engine.order.is_made(1e9) and not queue.jobs, "its own code is fast"
    engine.advance(100)
    assert engine.interpreter is None
    with following(HASTY):
        queue.only().hand_over()
        engine.advance(100)
    assert engine.interpreter is not None and engine.order is None


def test_a_large_program_is_not_traced_before_there_is_an_interpreter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Tracing it would take longer than making that."""
    monkeypatch.setattr(turns, "is_at_hand", lambda *_: False)
    language, state = begin("squares.ref")
    expected = state.copy()
    queue = HeldQueue(INTERPRETER)
    with following(PATIENT):
        engine = TurnTakingEngine(language, state, Limits(), None, queue, walked=2_000)
    engine.advance(100)
    assert engine.name == "reference" and not queue.jobs
    assert engine.order is not None
    engine.order.due = 0.0
    engine.advance(100)
    assert engine.name == "reference"
    with following(HASTY):
        queue.only().hand_over()
        engine.advance(2_000 - state.tick)
    assert engine.name == "interpreter" and engine.native_ticks == 1_800
    assert engine.compiled is None
    ReferenceEngine(language, expected, Limits()).advance(2_000)
    assert state == expected


def test_whoever_wants_barriers_does_not_wait_for_an_interpreter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "is_at_hand", lambda *_: False)
    language, state = begin("squares.ref")
    with following(PATIENT):
        queue = HeldQueue(INTERPRETER)
        engine = TurnTakingEngine(language, state, Limits(), None, queue, walked=2_000)
    engine.advance(100, Barriers(landings=frozenset({Landing(-1, -1)})))
    assert engine.name == "llvm"


def test_an_interpreter_that_cannot_be_made_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise NoInterpreter("for a reason")

    for module in (turns, interpreters):
        monkeypatch.setattr(module, "interpreter_for", fail)
    monkeypatch.setattr(turns, "is_at_hand", lambda *_: False)
    language, state = begin("squares.ref")
    expected = state.copy()
    with following(PATIENT):
        engine = TurnTakingEngine(language, state, Limits(), None, HeldQueue())
    assert engine.order is not None
    engine.order.due = 0.0
    for _ in range(3):
        engine.advance(1_000 - state.tick)
    assert engine.interpreter is None and engine.order is None
    ReferenceEngine(language, expected, Limits()).advance(1_000)
    assert state == expected


def test_barriers_are_for_compiled_code() -> None:
    language, state = endless()
    engine = TurnTakingEngine(language, state, Limits(), None)
    engine.advance(60)
    stop = None
    while stop is None:
        stop = engine.advance(5_000, Barriers(landings=frozenset({Landing(3, 0)})))
    assert isinstance(stop, Hit)
    assert state.walkers[0].stance[:2] == (3, 0)


def test_languages_without_an_interpreter_have_compiled_code_at_once() -> None:
    language = registry.get("webfunge")
    state = language.start(b"12+", language.read_options({}), 0)
    engine = TurnTakingEngine(language, state, Limits(), None)
    assert engine.interpreter is None
    assert engine.name == "llvm"


@pytest.mark.parametrize("plane", ["bytes", "sparse"])
@pytest.mark.parametrize("changes", [False, True])
def test_code_that_another_engine_wrote_over_is_dropped(changes: bool, plane: str) -> None:
    """Machine code of an interpreter tells nobody what it writes."""
    state = ledger.start(b">  v\n^  <", {"plane": plane, "hand": False}, 0)
    engine = LLVMEngine(ledger.LANGUAGE, state, Limits())
    engine.advance(400)
    assert engine.units and engine.natives
    with engine.set_aside():
        if changes:
            state.plane.put(2, 0, ord("2"))  # type: ignore[attr-defined]
    assert bool(engine.units) is bool(engine.natives) is not changes
    expected = state.copy()
    ReferenceEngine(ledger.LANGUAGE, expected, Limits()).advance(200)
    engine.advance(200)
    assert state == expected


@pytest.mark.parametrize("by_itself", [True, False])
@pytest.mark.parametrize("writes", [True, False])
def test_the_interpreter_tells_whether_it_wrote_over_code(writes: bool, by_itself: bool) -> None:
    """Or its reference engine has, which performs single ticks."""
    language = registry.get("refunge")
    state = language.start(b"~  X   ", language.read_options({}), 0)
    engine = TurnTakingEngine(language, state, Limits(), None)
    engine._compile()
    while not (engine.compiled and engine.compiled.natives):
        engine.compiled.advance(50)
    walker = state.walkers[0]
    if writes:  # X doubles the second cell from now on
        state.walkers[0] = Walker(walker.stance._replace(x=2, mode="add"), (1, 0))
    assert engine.interpreter is not None
    if not by_itself:
        engine.interpreter._run = lambda fuel: False  # type: ignore[method-assign]
    engine._run_interpreter(engine.interpreter, 3)
    assert bool(engine.compiled.units) is bool(engine.compiled.natives) is not writes


def test_who_finds_machine_code_needs_no_tracer() -> None:
    """Importing it takes as long as finding the code."""
    heavy = "inspect ast planewalk.engines.tracing.trace planewalk.engines.native.code"
    script = f"""
import sys
import planewalk.engines.tiering.turns
sys.exit(" ".join(name for name in {heavy.split()} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr.strip() == ""


def test_compiled_code_knows_where_the_interpreter_walked() -> None:
    """What a look at some ticks would miss is compiled at once."""
    language = registry.get("refunge")
    state = language.start(b"~ @    \n       ", language.read_options({}), 0)
    engine = TurnTakingEngine(language, state, Limits(), None)
    assert engine.interpreter is not None
    engine.interpreter.advance(60)
    engine._compile()
    assert engine.compiled is not None
    walked = engine.compiled.survey.walked()
    right = state.walkers[0].stance
    assert all(right._replace(x=x) in walked for x in range(7))
    assert right._replace(y=1) not in walked
    assert right not in set(walked), "the reference engine was never there"


def order_machine_code(engine: TurnTakingEngine, queue: HeldQueue) -> None:
    while not queue.waiting:
        engine.race.owed = 0.0  # it is the turn of compiled code
        assert engine.advance(300) is None


def test_llvm_by_name_gives_way_to_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where machine code of the program takes long, or is of no use, it does not run in Python."""
    monkeypatch.setattr(turns, "WORTH_MAKING_SOON", 0.0)
    language, state = begin("sierpinski.ref")
    expected, queue = state.copy(), HeldQueue(PYTHON)
    with following(PATIENT):
        engine = TurnTakingEngine(language, state, Limits(), None, queue, compiles=True)
    assert engine.compiled is not None and engine.interpreter is None
    while state.tick < 60_000:
        assert engine.advance(60_000 - state.tick) is None
    assert engine.interpreter is not None and engine.interpreter.native_ticks > 40_000
    assert "interpreter" in (detour("llvm", engine) or "")
    assert detour("auto", engine) is None
    ReferenceEngine(language, expected, Limits()).advance(60_000)
    assert state == expected


def test_llvm_by_name_tells_nothing_if_it_did_the_work() -> None:
    language, state = endless()
    with following(HASTY._replace(background=True)):
        engine = choose_engine("llvm", language, state, Limits())
    assert isinstance(engine, TurnTakingEngine)
    engine.advance(500)
    assert detour("llvm", engine) is None


def test_the_interpreter_runs_while_code_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generated Python, which would be slower, does not."""
    monkeypatch.setattr(TurnPace, "note", lambda *_: None)
    language, state = begin("squares.ref")
    queue = HeldQueue(PYTHON)
    engine = TurnTakingEngine(language, state, Limits(), None, queue)
    order_machine_code(engine, queue)
    interpreter, before = engine.interpreter, engine.python_ticks
    assert interpreter is not None
    native = interpreter.native_ticks
    engine.race.owed = 0.0
    engine.advance(5_000)
    assert engine.python_ticks == before
    assert interpreter.native_ticks > native
    queue.only().hand_over()
    assert not engine._awaits_code()


def test_a_run_that_the_interpreter_does_not_suit_waits_for_its_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In between it goes on in small steps."""
    monkeypatch.setattr(TurnPace, "note", lambda *_: None)
    waited: list[float] = []
    monkeypatch.setattr(HeldJob, "wait", lambda _, seconds: waited.append(seconds))
    language, state = begin("squares.ref")
    queue = HeldQueue(PYTHON)
    engine = TurnTakingEngine(language, state, Limits(), None, queue)
    assert engine.interpreter is not None
    monkeypatch.setattr(engine.interpreter, "suits", lambda: False)
    order_machine_code(engine, queue)
    waited.clear()
    before = state.tick
    engine._turn(1 << 20, None)
    assert waited == [turns.REST]
    assert before < state.tick <= before + HASTY.most_turn


def test_who_runs_in_python_leaves_it_to_those_who_make_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Threads that want it at the same time wait for each other again and again."""
    waited: list[float] = []
    monkeypatch.setattr(HeldJob, "wait", lambda _, seconds: waited.append(seconds))
    language, state = endless()
    queue = HeldQueue(NATIVE)
    engine = TurnTakingEngine(language, state, Limits(), None, queue)
    monkeypatch.setattr(TurnPace, "note", lambda pace, *_: setattr(pace, "rate", 1e6))
    order_machine_code(engine, queue)
    waited.clear()
    engine._turn(1 << 20, None)
    assert waited == [turns.REST], "the interpreter is as slow as Python"
    monkeypatch.setattr(TurnPace, "note", lambda pace, *_: setattr(pace, "rate", 1e9))
    for _ in range(2):
        waited.clear()
        engine._run_interpreter(engine.interpreter, 50)
        engine._turn(1 << 20, None)
    assert not waited, "what is machine code does not stand in the way"


def beside_an_interpreter(queue: HeldQueue | None = None) -> TurnTakingEngine:
    """A program that is too large for one unit, once the interpreter has seen much of it."""
    language, state = begin("squares.ref")
    with following(HASTY._replace(most_instructions=60)):
        engine = TurnTakingEngine(language, state, Limits(), None, queue)
    assert engine.interpreter is not None
    engine.interpreter.advance(3_000)
    engine._compile()
    return engine


def test_beside_an_interpreter_machine_code_is_quick_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That is much faster than the interpreter, and generated Python would be slower."""
    monkeypatch.setattr(unit, "QUICK_FIRST", 0)
    engine = beside_an_interpreter()
    assert engine.compiled is not None
    engine.compiled.advance(80)
    natives = set(engine.compiled.natives.values())
    assert natives and all(native.care is Care.QUICK for native in natives)
    assert all(it.code is None for it in engine.compiled.python.units.all())
