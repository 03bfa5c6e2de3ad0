"""`planewalk run --table`: the value for every input."""

import json
from pathlib import Path

import pytest

from planewalk.examples import find_example
from tests.apps.test_run import planewalk


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for name in ("half-adder.png", "adder.png"):
        (tmp_path / name).write_bytes(find_example(name).read())
    return tmp_path


def test_every_input_with_its_value(here: Path) -> None:
    done = planewalk("run", "half-adder.png", "--table", "--bits", "2", cwd=here)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines() == [
        "arg  bits  value", "  0    00  0", "  1    01  1", "  2    10  1", "  3    11  2",
    ]  # fmt: skip


def test_all_sums_of_four_bits(here: Path) -> None:
    done = planewalk("run", "adder.png", "--table", cwd=here)
    rows = [line.split() for line in done.stdout.decode().splitlines()[1:]]
    assert rows == [[str(n), f"{n:08b}", str(n % 16 + n // 16)] for n in range(256)]
    assert b"the table takes the lowest 8 of 29 input bits; --bits N" in done.stderr


def test_the_table_as_json(here: Path) -> None:
    done = planewalk("run", "half-adder.png", "--table", "--bits", "2", "--json", cwd=here)
    found = json.loads(done.stdout)
    assert (found["language"], found["bits"]) == ("bmprog", 2)
    assert [(row["arg"], row["value"], row["status"]) for row in found["table"]] == [
        (0, 0, "halted"), (1, 1, "halted"), (2, 1, "halted"), (3, 2, "halted")
    ]  # fmt: skip


def test_limits_hold_for_each_run_and_are_said(here: Path) -> None:
    done = planewalk("run", "half-adder.png", "--table", "--max-steps", "3", cwd=here)
    lines = done.stdout.decode().splitlines()[1:]
    assert len(lines) == 32 and all(line.endswith("limit after 3 steps") for line in lines)
    assert done.returncode == 3
    assert done.stderr == b"planewalk: half-adder.png: 32 of 32 runs did not end: limit\n"


def test_a_run_that_stalls_is_one_row(here: Path) -> None:
    (here / "b.txt").write_text("v...\n....\n")  # the starter leaves the board at its foot
    done = planewalk("run", "b.txt", "--table", cwd=here)
    rows = done.stdout.decode().splitlines()[1:]
    assert [row.split()[:3] for row in rows] == [["0", "0", "stalled"], ["1", "1", "stalled"]]
    assert done.returncode == 3 and b"2 of 2 runs did not end: stalled" in done.stderr


@pytest.mark.parametrize("written", ["3", "0b11", "0B0011", "0o3", "0x3", "0b1_1", "0_3", "+3"])
def test_an_argument_may_be_written_in_bits(here: Path, written: str) -> None:
    done = planewalk("run", "half-adder.png", f"--arg={written}", cwd=here)
    assert (done.stdout, done.stderr) == (b"2\n", b"")


def test_a_board_of_letters_runs_directly(here: Path) -> None:
    board = planewalk("convert", "half-adder.png", "-o", "board.txt", cwd=here)
    assert board.returncode == 0
    done = planewalk("run", "board.txt", "--arg", "3", cwd=here)
    assert (done.stdout, done.stderr) == (b"2\n", b"")
    piped = (here / "board.txt").read_bytes()
    done = planewalk("run", "-", "--lang", "bmprog", "--arg", "3", data=piped, cwd=here)
    assert done.stdout == b"2\n"
