"""Runs that are proven never to end: what counts as proof, and what does not."""

import json
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.core.plane import TextPlane
from planewalk.core.program import Program
from planewalk.core.state import State
from planewalk.core.step import Spent, Stalled
from planewalk.core.stream import InputStream
from planewalk.engines.choose import choose_engine
from planewalk.engines.stepping.drive import drive
from planewalk.engines.stepping.loops import FIRST_WALK, LoopDetector, Witness, same_future
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.examples import gallery
from planewalk.languages import registry
from planewalk.languages.bmprog.text import text_to_picture
from tests.apps.test_run import planewalk
from tests.engines import abacus

BUSY = b">1$v\n^  <\n"
"""Mirrorfunge that walks in a ring; the state repeats."""
COUNTING = b"0>)v\n ^ <\n"
"""Mirrorfunge that walks in a ring and adds one each time."""
TRUTH = next(e for e in gallery("mirrorfunge") if e.name == "truth-machine").read()


def written(folder: Path, source: bytes) -> Path:
    path = folder / "program.mf"
    path.write_bytes(source)
    return path


def detected(source: bytes, language: str, steps: int = 20_000, seed: int = 0, data: bytes = b""):
    found = registry.get(language)
    state: State = Program(found, source).start(seed)
    state.input.feed(data) if data else None
    limits = Limits(steps=steps)
    loops = LoopDetector(found, state, limits, time.monotonic)
    return drive(
        choose_engine("auto", found, state, limits), limits, time.monotonic, loops=loops,
        drain=state.take_output,
    )  # fmt: skip


@pytest.mark.parametrize(("language", "source", "period"), [
    ("mirrorfunge", b"><", 2),
    ("mirrorfunge", BUSY, 8),
    ("mirrorfunge", b"~$", 2),  # the end of input is read again and again
    ("webfunge", b">1$v\n^  <", 8),
    ("webfunge", b">10&-0.v\n^      <", 32),  # a register that is 0, then 1
    ("bmprog", text_to_picture(b">*\n^*", ".png"), 12),  # a bit of the value, to and fro
])  # fmt: skip
def test_a_state_that_repeats_is_proof(language: str, source: bytes, period: int) -> None:
    stop = detected(source, language)
    assert stop == Stalled(f"the complete state repeats every {period} steps")


@pytest.mark.parametrize(("one", "other", "alike"), [
    (0.0, -0.0, False), (1, True, False), (1, 1.0, False), (2**70, 2**70, True),
    (float("nan"), float("nan"), True), (2.5, 2.5, True), ("text", "text", True),
])  # fmt: skip
def test_numbers_in_registers_and_stacks_are_the_same_to_the_bit(
    one: Any, other: Any, alike: bool
) -> None:
    def held(value: Any, name: str = "a") -> State:
        return State(TextPlane(["x"]), [], registers={name: value})

    def stacked(value: Any) -> State:
        return State(TextPlane(["x"]), [], stack=[value])

    assert same_future(held(one), held(other)) is alike
    assert same_future(stacked(one), stacked(other)) is alike
    assert not same_future(held(one), held(one, "b"))


@pytest.mark.parametrize(("language", "source"), [
    ("mirrorfunge", b"1"),  # the stack grows
    ("mirrorfunge", COUNTING),  # a number grows
    ("mirrorfunge", b"01?$"),  # chance is drawn
    ("webfunge", b">R$v\n^  <"),  # chance comes from the tick alone
    ("webfunge", b">10&+0.v\n^      <"),  # a register grows
    ("webfunge", b"00{"),  # calls that never return
    ("refunge", b"+v"),  # the hand walks away
])  # fmt: skip
def test_what_changes_is_never_taken_for_a_loop(language: str, source: bytes) -> None:
    assert detected(source, language) == Spent("steps")


@pytest.mark.parametrize(("language", "source", "data", "period"), [
    ("mirrorfunge", b"1.", b"", 2),
    ("mirrorfunge", TRUTH, b"1", 10),
    ("mirrorfunge", b"~.", b"abc", 2),  # once all is read, only the end is read
    ("webfunge", b">1,v\n^  <", b"", 8),  # something is noted
    ("refunge", b"!X", b"", 2),
])  # fmt: skip
def test_what_is_written_is_no_part_of_the_proof(
    language: str, source: bytes, data: bytes, period: int
) -> None:
    found = f"the complete state repeats every {period} steps, apart from what it writes"
    assert detected(source, language, data=data) == Stalled(found)


def test_input_that_is_still_read_is_no_loop() -> None:
    assert detected(b"~$", "mirrorfunge", data=bytes(11_000)) == Spent("steps")


def test_witnesses_of_reading_do_not_make_the_next_one_more_patient() -> None:
    """A witness that never gives up never begins anew from within the loop."""
    found = registry.get("mirrorfunge")
    state = Program(found, b"~$").start(0)
    state.input = InputStream(bytes(50))
    loops = LoopDetector(found, state, Limits(), lambda: 0.0)
    engine = ReferenceEngine(found, state)
    while state.input.unread > 1:
        assert engine.advance(2) is None and loops.look() is None
    assert loops.walk == FIRST_WALK


def test_a_crowd_is_looked_at_for_a_glance() -> None:
    found = registry.get("refunge")
    state = Program(found, b"+v~^").start(0)
    state.walkers = state.walkers * 100
    loops = LoopDetector(found, state, Limits(), count(0.0, 1.0).__next__)
    assert loops.look() is None
    assert loops.witness is not None and loops.witness.walked == 1


def test_the_limit_of_output_ends_a_loop_that_is_not_yet_proven(tmp_path: Path) -> None:
    printing = written(tmp_path, b"1.")
    done = planewalk("run", printing, "--detect-loops", "--max-output", "9")
    assert (done.returncode, done.stdout) == (3, b"1" * 9)
    assert b"--max-output" in done.stderr
    done = planewalk("run", printing, "--detect-loops", "--max-output", "1G")
    assert done.returncode == 3 and set(done.stdout) == set(b"1")
    assert b"repeats every 2 steps, apart from what it writes, so the program" in done.stderr


def test_a_long_period_is_found() -> None:
    modulo = b"):aa*|aa**-"  # a number that goes from 0 to 99, and round again
    stop = detected(modulo, "mirrorfunge", steps=1 << 40)
    assert stop == Stalled("the complete state repeats every 1,100 steps")


def test_examples_that_end_are_never_reported() -> None:
    for entry in gallery():
        run = entry.runs[0]
        if entry.language in ("bmprog", "webfunge") or run.get("status", "halted") != "halted":
            continue
        found = registry.get(entry.language)
        stop = detected(entry.read(), found.name, 200_000, data=run.get("input", "").encode())
        assert not isinstance(stop, Stalled), entry.file


def test_a_loop_is_told_with_its_period_and_exit_code_3(tmp_path: Path) -> None:
    path = written(tmp_path, b"><")
    done = planewalk("run", path, "--detect-loops")
    assert done.returncode == 3
    assert b"the complete state repeats every 2 steps" in done.stderr
    answer = json.loads(planewalk("run", path, "--detect-loops", "--json").stdout)
    assert answer["status"] == "stalled"
    assert answer["reason"] == "the complete state repeats every 2 steps"


def test_looking_for_loops_does_not_change_a_run(tmp_path: Path) -> None:
    path = written(tmp_path, next(e for e in gallery("mirrorfunge") if e.name == "hello").read())
    plain, watched = planewalk("run", path), planewalk("run", path, "--detect-loops")
    assert (plain.stdout, plain.returncode) == (watched.stdout, watched.returncode)


def test_registers_that_differ_are_no_proof() -> None:
    """All else repeats in this ring, and a register counts."""
    state = abacus.LANGUAGE.start(b">i", {"plane": "text", "hand": False}, 0)
    other = state.copy()
    assert same_future(state, other)
    other.registers["a"] = 1
    assert not same_future(state, other)
    witness = Witness(abacus.LANGUAGE, state, Limits(memory=None))
    assert not any(witness.step() for _ in range(100))
