"""Machine code: exact at 64 bits, kept on disk, done without where it cannot be made."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from planewalk.apps.store import DiskStore
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import following, policy_in_force
from planewalk.engines.compiled import making
from planewalk.engines.compiled.unit_engine import FAIR_TRIAL
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.native import llvm
from planewalk.engines.native.abi import OUTPUT_ROOM
from planewalk.engines.native.machine_code import Care, assemble, recall
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.examples import find_example
from planewalk.languages import registry
from tests.patience import PATIENCE

COLLATZ = find_example("collatz.mf").read()


pytestmark = pytest.mark.usefixtures("in_the_foreground")


def collatz(store: DiskStore | None = None) -> LLVMEngine:
    language = registry.get("mirrorfunge")
    state = language.start(COLLATZ, {}, 0)
    state.input = InputStream(b"300")
    engine = LLVMEngine(language, state, store=store)
    while engine.advance(1 << 20) is None:
        pass
    return engine


def test_machine_code_that_is_seldom_left_stays() -> None:
    """Where input comes in pieces just larger than the room for output, every other visit is a
    short one: what counts is how long it was there between two exits."""
    language = registry.get("mirrorfunge")
    state = language.start(find_example("cat.mf").read(), {}, 0)
    state.input = InputStream(closed=False)
    engine = LLVMEngine(language, state)
    piece = b"x" * (OUTPUT_ROOM + 8)
    for _ in range(12 * FAIR_TRIAL):
        state.input.feed(piece)
        while engine.advance(1 << 22) is None:
            pass
        assert bytes(state.take_output()) == piece
    assert engine.units.at
    assert engine.native_ticks > 0.9 * state.tick


def test_a_process_that_has_had_everything_goes_on_with_some(monkeypatch) -> None:
    """What llvmlite never gives back must not add up for ever."""
    monkeypatch.setattr(llvm, "_PIPELINES", iter(range(1)))
    cares = []
    optimise = llvm._optimise
    monkeypatch.setattr(
        llvm, "_optimise", lambda *given: cares.append(given[2]) or optimise(*given)
    )
    for _ in range(3):
        engine = collatz()
        assert engine.native_ticks > 0 and bytes(engine.state.output) == b"231 128\n"
    assert cares[0] is Care.ALL and set(cares[1:]) == {Care.SOME}


def test_code_made_with_some_care_is_found_where_no_more_can_be_had(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(llvm, "_PIPELINES", iter(()))
    monkeypatch.setattr(llvm, "_no_more", [])
    text, store = (
        "define i64 @unit(ptr %w, i64 %head) { ret i64 7 }",
        DiskStore(str(tmp_path / "c")),
    )
    assert recall(text, store) is None
    assemble(text, store)
    found = recall(text, store)
    assert found is not None and found[1](None, 0) == 7
    monkeypatch.setattr(llvm, "_no_more", [])
    assert recall(text, store) is None  # better code can be made


def test_without_llvmlite_the_run_goes_on_in_python(tmp_path: Path) -> None:
    (tmp_path / "llvmlite.py").write_text("raise ImportError('not here')")
    (tmp_path / "p.mf").write_bytes(COLLATZ)
    done = subprocess.run(
        [sys.executable, "-m", "planewalk", "run", "p.mf", "--engine", "llvm"],
        input=b"300", capture_output=True, cwd=tmp_path, timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"231 128\n")
    assert done.stderr == (
        b"planewalk: llvmlite is not installed (pip install llvmlite); "
        b"going on with generated Python\n"
    )


def test_every_cell_behind_machine_code_is_watched() -> None:
    """Machine code is traced from entries of its own, so it may stand on cells of its own."""
    language = registry.get("refunge")
    state = language.start(find_example("sierpinski.ref").read(), language.read_options({}), 0)
    engine = LLVMEngine(language, state)
    engine.advance(60_000)
    key, unit = next(iter(engine.units.at.items()))
    engine.units.at.clear()
    marks = engine.code_map.marks
    marks[:] = bytes(len(marks))  # as if the unit had been made from other cells
    engine.hot_spots.order(unit.allowed, [key])
    engine.hot_spots.receive()
    touched = engine.units.at[key].touched
    assert touched and all(marks[at] for at in touched)
    at = min(touched)
    engine.code_map.changed.add(at)
    engine.code_map.keep_true()
    assert not any(at in code.touched for code in engine.units.at.values())


def test_a_plane_that_changes_is_not_restarted_on_old_code() -> None:
    language = registry.get("refunge")
    start = lambda: language.start(  # noqa: E731
        find_example("sierpinski.ref").read(), language.read_options({}), 0
    )
    engine = LLVMEngine(language, start())
    engine.advance(60_000)
    with pytest.raises(ValueError, match="belongs to one state"):
        engine.restart(start())


def both(name: str, source: bytes, steps: int, data: bytes = b"", closed: bool = True):
    """The same program on the reference engine and in machine code, and that engine."""
    language = registry.get(name)
    states = []
    for kind in (ReferenceEngine, LLVMEngine):
        state = language.start(source, language.read_options({}), 7)
        state.input = InputStream(data, closed)
        engine = kind(language, state)
        stop = None
        while stop is None and state.tick < steps:
            stop = engine.advance(steps - state.tick)
        states.append((state, stop))
    assert states[0] == states[1], steps
    return engine


ECHO = b"\\      \n>~:.,\\\n^     /\n"
"""Reads a byte, prints it as a number and as a character, for ever."""


def test_machine_code_draws_and_calls() -> None:
    """A subroutine adds a random number to what is on the stack; chance belongs to the tick."""
    source = b"0>02{ v\n ^    <\nR+}\n"
    engine = both("webfunge", source, 90_000)
    assert engine.native_ticks > 0.7 * engine.state.tick
    both("webfunge", source, 50_003)


def test_code_that_cannot_be_made_only_costs_speed(
    monkeypatch: pytest.MonkeyPatch, refused: list[BaseException]
) -> None:
    def fail(*_: object) -> None:
        raise ArithmeticError

    monkeypatch.setattr(making, "_try", fail)
    with following(policy_in_force()._replace(background=True)):
        both("mirrorfunge", ECHO, 30_000, b"abc" * 9)
    assert refused and all(isinstance(error, ArithmeticError) for error in refused)


def test_a_stretch_may_be_longer_than_a_word() -> None:
    language = registry.get("mirrorfunge")
    state = language.start(COLLATZ, {}, 0)
    state.input = InputStream(b"300")
    engine = LLVMEngine(language, state)
    assert engine.advance(1 << 64) is not None
    assert engine.native_ticks > 0 and state == collatz().state


class Interrupting:
    """A store in which nothing is found; who puts something into it presses Ctrl-C."""

    def __init__(self) -> None:
        self.makers: list[threading.Thread] = []

    def get(self, key: str) -> bytes | None:
        return None

    def put(self, key: str, code: bytes) -> None:
        self.makers.append(threading.current_thread())
        signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("signals_end_this")
@pytest.mark.skipif(llvm.why_not() is not None, reason="there is no machine code here")
def test_ctrl_c_is_heard_while_machine_code_is_made() -> None:
    """LLVM calls back to Python, where an exception would be printed and forgotten."""
    store = Interrupting()
    with pytest.raises(KeyboardInterrupt):
        assemble("define i64 @unit(i64 %a, i64 %b) {\n  ret i64 7\n}\n", store)
    assert len(store.makers) == 1 and store.makers[0] is not threading.main_thread()
