"""Wherever tests are started, whatever sends signals finds what it would find at a terminal."""

import ast
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import signals, warm
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def in_the_background() -> Iterator[None]:
    """As a script would start the tests: nothing that ends a process does."""
    with signals.restored(ignored=signals.DEFAULT):
        yield


def test_processes_that_are_sent_signals_do_not_ignore_them() -> None:
    process = signals.start(["sleep", "60"])
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == -signal.SIGINT


def test_the_tests_themselves_go_on_ignoring_them() -> None:
    with signals.restored():
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    signal.raise_signal(signal.SIGHUP)


def test_commands_in_forks_do_not_ignore_them(tmp_path: Path) -> None:
    (tmp_path / "loop.mf").write_text('"x",> <')
    running = warm.Running(["run", "loop.mf", "--max-time", "60"], tmp_path)
    assert running.stdout.read(1) == b"x"
    running.send_signal(signal.SIGHUP)
    assert running.end()[0] == 129


def test_attacks_with_signals_are_no_attacks_on_nobody(tmp_path: Path) -> None:
    attack = runpy.run_path(str(ROOT / "scripts" / "attack"))
    asleep = tmp_path / "python"
    asleep.write_text("#!/bin/sh\nexec sleep 60\n")
    asleep.chmod(0o755)
    for number in attack["SIGNALS"]:
        sent = attack["Attack"](["run"], signal=number)
        assert attack["perform"](sent, tmp_path, None, str(asleep)) == (-number, b"")


def last_failed(cache: Path, test: str) -> subprocess.CompletedProcess[str]:
    """`pytest --lf -n 1` behind a run in which that test failed."""
    (cache / "v" / "cache").mkdir(parents=True)
    (cache / "v" / "cache" / "lastfailed").write_text(json.dumps({test: True}))
    words: list[Any] = ["-m", "pytest", "--lf", "-n", "1", "-o", f"cache_dir={cache}"]
    return subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)


def test_what_failed_last_is_run_again_in_several_processes(tmp_path: Path) -> None:
    done = last_failed(tmp_path, "tests/core/test_long.py::test_a_deadline_is_a_moment_on_a_clock")
    assert done.stdout.splitlines()[-1].startswith("1 passed"), done.stdout


WAITING = {"wait", "join", "communicate", "wait_for", "end"}


def bounds(tree: ast.AST) -> Iterator[ast.expr]:
    """How long something is waited for: behind `timeout=`, in `wait(...)`, added to a clock."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield from (word.value for word in node.keywords if word.arg == "timeout")
            yield from node.args if node.func.attr in WAITING else ()
        elif isinstance(node, ast.BinOp) and isinstance(node.left, ast.Call):
            yield from [node.right] if "monotonic" in ast.unparse(node.left.func) else ()


def test_no_test_waits_for_a_time_of_its_own() -> None:
    """What is long enough here is too short on a machine that is busy."""
    texts = {path: path.read_text() for path in (ROOT / "tests").rglob("*.py")}
    words = re.compile("|".join(["timeout", "monotonic", *WAITING]))
    found = [
        (f"{path.relative_to(ROOT)}:{bound.lineno}", bound)
        for path, text in texts.items()
        if words.search(text)
        for bound in bounds(ast.parse(text))
    ]
    own = [
        place
        for place, bound in found
        if isinstance(bound, ast.Constant) and isinstance(bound.value, int | float)
        if bound.value >= 1
    ]
    assert own == [], "use PATIENCE (tests/patience.py)"
    assert any(isinstance(bound, ast.Name) for _, bound in found)


PIP = """#!/bin/sh
[ "$3" = install ] || exit 9
echo "Obtaining file:///here"
echo "  Installing build dependencies: started"
for i in $(seq 600); do [ -e go-on ] || sleep 0.1; done
[ -e go-on ] || exit 8
echo "Collecting llvmlite>=0.46 (from planewalk==0.1.0)"
echo "Collecting pillow>=11.0"
echo "Installing collected packages: pillow, llvmlite"
echo "ERROR: there is no disk left" >&2
exit ${CODE-0}
"""
"""What stands for the Python of an environment."""


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """A folder with an environment that has this pip."""
    (tmp_path / "bin").mkdir()
    for name in ("python", "pip"):
        (tmp_path / "bin" / name).write_text(PIP)
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def installing(folder: Path, **more: str) -> subprocess.Popen[str]:
    words = [sys.executable, ROOT / "scripts" / "install", folder, ".[video]"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "", **more}
    return subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)


def test_what_is_being_installed_is_told_at_once(ready: Path) -> None:
    process = installing(ready)
    assert process.stdout is not None
    assert process.stdout.readline() == "  fetching what builds planewalk\n"
    (ready / "go-on").touch()
    *steps, last = process.communicate(timeout=PATIENCE)[0].splitlines()
    assert steps == ["  fetching llvmlite, pillow", "  installing 2 packages"]
    assert last.startswith("  done in ") and process.returncode == 0


def test_what_cannot_be_installed_is_told_in_the_words_of_pip(ready: Path) -> None:
    (ready / "go-on").touch()
    process = installing(ready, CODE="7")
    said = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 7
    assert "ERROR: there is no disk left\n" in said and said.endswith("stands above\n")


MAKE = f"""#!{sys.executable} -IS
import os, signal, sys
ignored = [signal.getsignal(n) is signal.SIG_IGN for n in (signal.SIGINT, signal.SIGHUP)]
try:
    os.fstat(0)
    ignored.append(False)
except OSError:  # standard input is closed
    ignored.append(True)
print(*sys.argv[1:], ignored, flush=True)
os._exit(5 if "test-exhaustive" in sys.argv else 0)
"""


@pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="there is no .ci here")
def test_ci_runs_the_tests_in_the_background(tmp_path: Path) -> None:
    """As anybody might start them; what fails there still counts."""
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci" / "run").write_bytes((ROOT / ".ci" / "run").read_bytes())
    (tmp_path / "make").write_text(MAKE)
    (tmp_path / "make").chmod(0o755)
    (tmp_path / "dirname").symlink_to(shutil.which("dirname") or "")
    with signals.restored():
        done = subprocess.run(
            [shutil.which("bash") or "", tmp_path / ".ci" / "run"], env={"PATH": str(tmp_path)},
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )  # fmt: skip
    everything = [True, True, True]
    assert done.stdout == f"test {everything}\ntest-exhaustive {everything}\n", done.stderr
    assert done.returncode == 5
