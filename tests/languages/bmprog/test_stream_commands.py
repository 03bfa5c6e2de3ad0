"""BMProg boards with streams as commands: filters in a pipe, saved and gone on with, and drawn."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.apps.test_run import COMMAND, planewalk

TALL = ".........#\n" + "..........\n" * 7
EVERY = ("--set", "stream=4")


@pytest.fixture
def tall(tmp_path: Path) -> Path:
    """A board that copies its input, some cycles later."""
    path = tmp_path / "tall.txt"
    path.write_text(TALL)
    return path


def test_nothing_but_the_stream_is_written(tall: Path) -> None:
    done = planewalk("run", tall, *EVERY, data=b"Hello\0\xff")
    assert done.stdout == b"Hello\0\xff" and b"stalled after 33 steps" in done.stderr


def test_a_symbol_is_passed_on_as_soon_as_it_has_left(tall: Path) -> None:
    command = [*COMMAND, "run", str(tall), *EVERY]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as run:
        assert run.stdin is not None and run.stdout is not None
        run.stdin.write(b"abc")  # the third is needed before the first is at the bottom
        run.stdin.flush()
        assert run.stdout.read(1) == b"a"
        run.stdin.close()
        assert run.stdout.read() == b"bc"


@pytest.mark.parametrize("engine", ["reference", "auto", "llvm"])
def test_a_run_goes_on_from_a_state_that_was_saved(tall: Path, engine: str) -> None:
    saved = tall.with_name("saved.json")
    words = ("run", tall, *EVERY, "--engine", engine)
    first = planewalk(*words, "--max-steps", 18, "--save-state", saved, data=b"Hello")
    then = planewalk(*words, "--from-state", saved)
    assert (first.stdout, then.stdout) == (b"Hel", b"lo")


def test_what_streams_have_come_to_is_told(tall: Path) -> None:
    done = planewalk("run", tall, *EVERY, "--max-steps", 5, "--json", data=b"Hello")
    state = json.loads(done.stdout)["state"]
    told = {"pending": [], "due": 9, "arrived": 2, "ended": False}
    assert {name: state[name] for name in told} == told
    assert "pending" not in json.loads(planewalk("run", tall, "--json").stdout)["state"]


def test_too_much_output_ends_a_run(tall: Path) -> None:
    done = planewalk("run", tall, *EVERY, "--max-output", 2, data=b"Hello")
    assert done.stdout == b"He" and b"the limit of 2 bytes of output" in done.stderr


def test_a_table_is_refused(tall: Path) -> None:
    done = planewalk("run", tall, *EVERY, "--table")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"a table goes through arguments, not through streams" in done.stderr


def test_ways_of_what_comes_from_outside_are_drawn(tall: Path) -> None:
    data = tall.with_name("data")
    data.write_bytes(b"Hello")
    for words in (["graph", tall, "-o", tall.with_suffix(".svg")], ["trace", tall]):
        done = planewalk(*words, *EVERY, "--input", data)
        assert (done.returncode, b"bug" in done.stderr) == (0, False)
