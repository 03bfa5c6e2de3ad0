"""`planewalk trace` and `planewalk diff`, over real pipes."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.apps import test_run


def planewalk(*words: str, cwd: Path) -> SimpleNamespace:
    """The command, and what it says as text."""
    done = test_run.planewalk(*words, cwd=cwd)
    out, err = done.stdout.decode(), done.stderr.decode()
    return SimpleNamespace(returncode=done.returncode, stdout=out, stderr=err)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.mf").write_text("12+.@\n")
    (tmp_path / "b.mf").write_text("14+.@\n")
    (tmp_path / "cat.mf").write_text("~,~,@\n")
    (tmp_path / "x").write_text("ab")
    (tmp_path / "y").write_text("ac")
    (tmp_path / "fork.ref").write_text("!\\\n Y^\n")
    return tmp_path


def test_a_line_a_tick_with_the_real_operands(folder: Path) -> None:
    done = planewalk("trace", "a.mf", cwd=folder)
    assert done.returncode == 0 and not done.stderr
    lines = [line.split(maxsplit=4) for line in done.stdout.splitlines()]
    assert [line[:4] for line in lines] == [
        [str(tick), f"{tick},0", "right", sign] for tick, sign in enumerate("12+.@")
    ]
    assert lines[2][4] == "add, takes 1 and 2, gives 3"
    assert lines[3][4] == "print number, takes 3, writes '3'"
    assert lines[4][4] == "end, the program ends"


def test_what_stands_in_the_cell_is_shown(folder: Path) -> None:
    """Not what usually stands for the instruction: any letter may mean nothing."""
    (folder / "q.mf").write_text("1q@\n")
    done = planewalk("trace", "q.mf", cwd=folder)
    assert done.stdout.splitlines()[1].split()[1:] == ["1,0", "right", "q", "nothing"]
    told = planewalk("trace", "q.mf", "--format", "json", cwd=folder).stdout.splitlines()[1]
    (action,) = json.loads(told)["actions"]
    assert (action["cell"], action["symbol"]) == ("q", " ")


def test_some_ticks(folder: Path) -> None:
    done = planewalk("trace", "a.mf", "--steps", "2:4", cwd=folder)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["2", "3"]


def test_walkers_have_their_numbers(folder: Path) -> None:
    done = planewalk("trace", "fork.ref", "--steps", "2:4", cwd=folder)
    fork, first, second, together = done.stdout.splitlines()
    assert "a walker sets out right" in fork and "turns left" in fork
    assert first.split()[1] == "0:0,1" and second.split()[1] == "1:2,1"
    assert "gone" in second and together.endswith("writes '!'")
    headings = {
        re.search(r"\b(left|right|up|down)\b", line).start() for line in (fork, first, second)
    }
    assert len(headings) == 1, "they stand below each other, however many walkers there are"


def test_json_is_an_object_a_line(folder: Path) -> None:
    done = planewalk("trace", "a.mf", "--format", "json", cwd=folder)
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    assert [step["tick"] for step in steps] == list(range(5)) and steps[-1]["ended"]
    (add,) = steps[2]["actions"]
    assert (add["taken"], add["given"], add["place"]) == ([1, 2], [3], [2, 0])


@pytest.mark.parametrize(("words", "said"), [
    (["a.mf", "--steps", "9:"], "there is no tick 9: the program is halted after 5 steps"),
    (["a.mf", "--steps", "4:2"], "expected ticks such as 20:40"),
    (["a.mf", "--steps", "x"], "expected ticks such as 20:40"),
])  # fmt: skip
def test_ticks_that_make_no_sense(words: list[str], said: str, folder: Path) -> None:
    done = planewalk("trace", *words, cwd=folder)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1


def test_a_program_that_waits_says_so(folder: Path) -> None:
    done = planewalk("trace", "cat.mf", cwd=folder)
    assert done.returncode == 3 and "waiting after 0 steps" in done.stderr


def test_where_two_programs_part(folder: Path) -> None:
    done = planewalk("diff", "a.mf", "b.mf", cwd=folder)
    first, *rest = done.stdout.splitlines()
    assert done.returncode == 1
    assert first == "they part at tick 1: the instruction, results"
    assert rest[0] == "--- a.mf" and "gives 2" in rest[1] and "gives 4" in rest[3]
    assert rest[4] == "--- their states after it"
    assert rest[5].strip() == "stack, number 1 from the bottom: 2 -> 4"
    assert rest[6].strip() == "cell 1,0: 50 ('2') -> 52 ('4')"


def test_where_two_inputs_part(folder: Path) -> None:
    done = planewalk("diff", "cat.mf", "cat.mf", "--input", "x", "--input2", "y", cwd=folder)
    assert done.stdout.startswith("they part at tick 2: results, input")
    done = planewalk(
        "diff", "cat.mf", "cat.mf", "--json", "--input", "x", "--input2", "y", cwd=folder
    )
    (change,) = [each for each in json.loads(done.stdout)["changes"] if each["part"] == "stack"]
    assert change["words"].startswith("stack, number ") and "->" in change["words"]


def test_runs_that_are_the_same(folder: Path) -> None:
    done = planewalk("diff", "a.mf", "a.mf", "--json", cwd=folder)
    assert done.returncode == 0 and json.loads(done.stdout) == {"parts": False}


def test_a_run_stops_at_a_condition_and_goes_on_another_time(folder: Path) -> None:
    done = planewalk("run", "a.mf", "--break", "at 3,0", "--save-state", "s", cwd=folder)
    assert done.returncode == 3 and "stopped after 3 steps: at 3,0" in done.stderr
    done = planewalk("run", "a.mf", "--from-state", "s", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "3")
    done = planewalk("run", "b.mf", "--from-state", "s", cwd=folder)
    assert done.returncode == 2 and "another program" in done.stderr
    (folder / "s").write_text("{")
    done = planewalk("run", "a.mf", "--from-state", "s", cwd=folder)
    assert done.returncode == 2 and "not a state saved by planewalk" in done.stderr


@pytest.mark.parametrize("condition", ["output contains 3", "depth = 0 and tick > 2", "ended"])
def test_conditions_of_all_kinds_stop_a_run(condition: str, folder: Path) -> None:
    done = planewalk("run", "a.mf", "--break", condition, cwd=folder)
    assert done.returncode == 3 and done.stdout == "3" and condition in done.stderr


def test_a_run_that_meets_no_condition_just_ends(folder: Path) -> None:
    done = planewalk("run", "a.mf", "--break", "written 9,9", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3", "")
    done = planewalk("run", "a.mf", "--break", "writen 9,9", cwd=folder)
    assert done.returncode == 2 and "did you mean 'written'" in done.stderr
