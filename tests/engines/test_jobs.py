"""Code that comes late: what it was made for may be different by then, and nobody may run it.

No thread is at work here. The queue makes code, and hands it over, when the test says so.
"""

from itertools import pairwise
from typing import Any

import pytest

from planewalk.core.barriers import Barriers, Landing
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Halted, Hit
from planewalk.engines.base.policy import HASTY, PATIENT
from planewalk.engines.compiled.unit import Made
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.native.machine_code import why_not
from planewalk.engines.python.python_engine import PythonBackend, PythonEngine
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.walk import Walk
from tests.engines import abacus, ledger
from tests.engines.held import CODE, HeldQueue

PLANES = ["bytes", "sparse"]
LIMITS = Limits(memory=None)
needs_llvm = pytest.mark.skipif(why_not() is not None, reason="there is no machine code here")


def ring(plane: str, source: bytes = b">  v\n^  <") -> State:
    """A pointer that walks round and round."""
    return ledger.start(source, {"plane": plane, "hand": False}, 0)


def python_engine(state: State) -> tuple[PythonEngine, HeldQueue]:
    queue = HeldQueue(CODE)
    return PythonEngine(ledger.LANGUAGE, state, LIMITS, HASTY, queue), queue


def llvm_engine(state: State) -> tuple[LLVMEngine, HeldQueue]:
    queue = HeldQueue(CODE)
    return LLVMEngine(ledger.LANGUAGE, state, LIMITS, None, HASTY, queue), queue


def write(engine: PythonEngine | LLVMEngine, sign: str, x: int = 2, y: int = 0) -> None:
    """Have the reference engine write a cell on the way, as it does in the middle of a run."""
    blank = 0 if engine.state.plane.kind == "sparse" else ord(" ")
    engine.run.reference.machine.put(x, y, blank if sign == " " else ord(sign))
    engine.code_map.keep_true()


def assert_as_expected(engine: PythonEngine | LLVMEngine, begun: State, ticks: int) -> None:
    """The same state, and the same end, as without code."""
    reference = ReferenceEngine(ledger.LANGUAGE, begun, LIMITS)
    assert engine.advance(ticks) == reference.advance(ticks)
    assert engine.state == begun


# Cells that change --------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("plane", PLANES)
def test_generated_python_of_cells_that_have_changed(plane: str, changes: bool) -> None:
    engine, queue = python_engine(ring(plane))
    assert engine.advance(200) is None
    queue.only().work()
    (x, y, *_), *_ = entry = queue.only().take().unit.entry
    while engine.state.walkers[0].stance != entry.stance:
        engine.advance(1)
    if changes:  # on the other side, so that the code is met first
        engine.run.reference.machine.put(3 - x, 1 - y, ord("@"))
    queue.only().hand_over()
    stop = engine.advance(100)
    assert isinstance(stop, Halted) if changes else engine.python_ticks > 50


@needs_llvm
@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("plane", PLANES)
def test_machine_code_of_cells_that_have_changed(plane: str, changes: bool) -> None:
    engine, queue = llvm_engine(ring(plane))
    assert engine.advance(500) is None
    queue.only().work()
    if changes:
        write(engine, "@")
    queue.only().hand_over()
    stop = engine.advance(300)
    assert isinstance(stop, Halted) if changes else engine.native_ticks > 50


@pytest.mark.parametrize("plane", PLANES)
def test_cells_that_change_before_code_is_made(plane: str) -> None:
    """A job looks at the cells when it works, not when it was asked for."""
    engine, queue = python_engine(ring(plane))
    engine.advance(200)
    write(engine, "2")
    begun = engine.state.copy()
    queue.only().hand_over()
    assert_as_expected(engine, begun, 100)
    assert engine.python_ticks > 50 and set(engine.state.stack) == {2}


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("changed_at", range(1, 22))
def test_cells_that_change_for_a_moment_while_code_is_made(
    plane: str, changed_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is crossed twice in a round: it is what it was when the code comes, and yet that
    may have been made of both."""
    engine, queue = python_engine(ring(plane, b"  v <\n>   ^\n^ <"))
    engine.advance(200)
    begun, act, acted = engine.state.copy(), Walk.act, [0]

    def disturbed(walk: Walk, key: Any) -> Any:
        acted[0] += 1
        if acted[0] == changed_at:
            write(engine, "i", 2, 1)
        return act(walk, key)

    monkeypatch.setattr(Walk, "act", disturbed)
    queue.only().work()
    write(engine, " ", 2, 1)
    queue.only().hand_over()
    assert_as_expected(engine, begun, 60)


@needs_llvm
@pytest.mark.parametrize("plane", PLANES)
def test_what_was_not_adopted_is_asked_for_again(plane: str) -> None:
    engine, queue = llvm_engine(ring(plane))
    engine.advance(500)
    queue.only().work()
    write(engine, "c")  # the cell is code, so its unit goes
    queue.only().hand_over()
    engine.hot_spots.receive()
    assert not engine.units.at
    engine.advance(3_000)
    queue.only().hand_over()
    begun = engine.state.copy()
    assert_as_expected(engine, begun, 500)
    assert engine.native_ticks > 300


# Units that come and go ---------------------------------------------------------------------------


def test_every_try_in_vain_is_followed_by_a_longer_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as nothing comes of it: twice as long each time."""
    ticks = []

    def in_vain(self: PythonBackend, task: Any, entries: Any) -> Any:
        ticks.append(task.ordered_at)
        return lambda: Made(None, [], 0, failed=True)

    monkeypatch.setattr(PythonBackend, "order", in_vain)
    soon = PATIENT._replace(background=False, profile=20, long_stretch=1)
    PythonEngine(ledger.LANGUAGE, ring("bytes"), LIMITS, soon).advance(20_000)
    waits = [later - earlier for earlier, later in pairwise(ticks)]
    assert all(later > earlier for earlier, later in pairwise(waits)), waits
    assert waits[-1] > 8 * waits[0], waits


# Barriers that are set meanwhile ------------------------------------------------------------------

THERE = Barriers(landings=frozenset({Landing(2, 0)}))
WRITTEN = Barriers(written=frozenset({(10, 5)}))
"""Where `i` writes on the way to the right."""


@needs_llvm
@pytest.mark.parametrize("barriers", [THERE, WRITTEN])
@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("kind", [python_engine, llvm_engine])
def test_barriers_that_are_set_while_code_is_made(
    kind: Any, plane: str, barriers: Barriers
) -> None:
    """The code knows nothing of them, and would run past."""
    engine, queue = kind(ring(plane, b">i v\n^  <"))
    engine.advance(500)
    queue.only().work()
    engine.advance(0, barriers)
    queue.only().hand_over()
    for _ in range(5):
        before = engine.state.tick
        assert isinstance(engine.advance(500, barriers), Hit)
        assert engine.state.tick - before <= 8, "once a round"


# Other states -------------------------------------------------------------------------------------


@pytest.mark.parametrize("plane", PLANES)
def test_another_state_that_is_run_before_code_is_there(plane: str) -> None:
    """On a plane that can be written: the code was made from the cells of the first."""
    engine, queue = python_engine(ring(plane))
    engine.advance(200)
    queue.only().work()
    other = ring(plane, b">2 v\n^  <")
    begun = other.copy()
    engine.restart(other)
    queue.only().hand_over()
    assert_as_expected(engine, begun, 300)


@needs_llvm
def test_another_state_has_other_registers() -> None:
    """Code knows registers by their names and places, and some leads to other code."""
    queue = HeldQueue(CODE)
    small = HASTY._replace(most_instructions=6, patience=0)
    options = {"plane": "text", "hand": False}
    first, state = (abacus.LANGUAGE.start(b"cxCxcCCC xa ", options, 3) for _ in range(2))
    engine = LLVMEngine(abacus.LANGUAGE, first, LIMITS, None, small, queue)
    engine.advance(200)
    queue.only().work()
    state.registers = {name: 5 * at for at, name in enumerate("cba")}
    expected = state.copy()
    engine.restart(state)
    queue.only().hand_over()
    queue.held = ()
    engine.advance(1_500)
    ReferenceEngine(abacus.LANGUAGE, expected, LIMITS).advance(1_500)
    assert state == expected and list(state.registers) == list("cba")
    assert engine.native_ticks > 1_000
