"""Whatever asks the process to end: one line, the right code, drafts swept, frames kept."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import signals
from tests.apps.test_run import COMMAND
from tests.marks import plainly
from tests.patience import PATIENCE

WAVES = "0y2y/4y+:1y3y/4y*@"

INTERRUPTED_AT = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)

from planewalk.entry import main
sys.meta_path.insert(0, Finder())
sys.exit(main())
"""

IMPORTED = [
    "planewalk.apps", "argparse", "planewalk.apps.cli.run", "planewalk.languages.mirrorfunge",
]  # fmt: skip


@pytest.mark.parametrize("name", IMPORTED)
def test_ctrl_c_while_modules_are_imported(tmp_path: Path, name: str) -> None:
    (tmp_path / "ok.mf").write_text("1.@")
    with signals.restored():
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED_AT.format(name=name), "run", "ok.mf"],
            capture_output=True, cwd=tmp_path, timeout=PATIENCE,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (130, b"")
    assert done.stderr == b"planewalk: interrupted\n"


def test_the_entry_imports_nothing_that_python_has_not() -> None:
    code = "import sys; before = set(sys.modules); import planewalk.entry; "
    code += "print(sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE
    )
    assert eval(done.stdout) in (
        ["planewalk", "planewalk.entry"],
        ["__future__", "planewalk", "planewalk.entry"],
    )


def test_the_command_ends_as_python_would() -> None:
    """What was asked for at exit is done, and all is written, though nothing is taken apart."""
    code = "import atexit, sys; from planewalk.entry import main; sys.argv[1:] = ['--version']\n"
    code += "class Held:\n    def __del__(self): print('taken apart')\n"
    code += "atexit.register(print, 'at exit'); held = Held(); main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE
    )
    first, *more = done.stdout.splitlines()
    assert first.startswith("planewalk ") and (more, done.returncode) == (["at exit"], 0)
    assert done.stderr == ""


@pytest.fixture
def film(tmp_path: Path):
    """A function that starts a long film and waits until some frames are there."""
    started = []

    def start(output: str, *ignored: int) -> subprocess.Popen[bytes]:
        (tmp_path / "p.wf").write_text(WAVES)
        process = signals.start(
            [*COMMAND, "render", "p.wf", "--size", "16x10", "--frames", "99999", "-o", output],
            ignored=ignored, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
        )  # fmt: skip
        started.append(process)
        end = time.monotonic() + PATIENCE
        while not any(size(path) > 5_000 for path in drafts(tmp_path)):
            if (tmp_path / "f-00005.png").exists():
                break
            assert process.poll() is None and time.monotonic() < end, process.communicate()
            time.sleep(0.01)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def drafts(folder: Path) -> list[Path]:
    return list(folder.glob(".planewalk-*"))


def size(path: Path) -> int:
    """Of a file that may have got its name meanwhile."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


CODES = [(signal.SIGTERM, 143), (signal.SIGHUP, 129)]
"""Besides Ctrl-C, which `test_render.py` and `test_run.py` try."""


@pytest.mark.parametrize(
    ("number", "code", "output"),
    plainly([(*CODES[0], "f-%05d.png")], [(*CODES[1], "f.apng")]),
    ids=["TERM", "HUP"],
)
def test_frames_are_kept_and_drafts_swept(
    tmp_path: Path, film, number: int, code: int, output: str
) -> None:
    process = film(output)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (code, b"")
    assert err.startswith(b"planewalk: interrupted; ") and err.count(b"\n") == 1
    assert err.endswith(f"kept in {output}\n".encode())
    assert not drafts(tmp_path) and list(tmp_path.glob("f*"))


@pytest.mark.parametrize(("number", "code"), CODES, ids=["TERM", "HUP"])
def test_a_run_says_how_far_it_came(tmp_path: Path, number: int, code: int) -> None:
    (tmp_path / "loop.mf").write_text('"x",> <')
    process = signals.start(
        [*COMMAND, "run", "loop.mf"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    assert process.stdout is not None
    assert process.stdout.read(1) == b"x"
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert err.startswith(b"planewalk: interrupted after ") and err.count(b"\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP], ids=["INT", "HUP"])
def test_what_is_ignored_stays_ignored(tmp_path: Path, film, number: signal.Signals) -> None:
    process = film("f-%05d.png", number)
    process.send_signal(number)
    seen = len(list(tmp_path.glob("f-*")))
    while len(list(tmp_path.glob("f-*"))) < seen + 5:
        assert process.poll() is None
        time.sleep(0.01)
    process.terminate()
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 143


@pytest.mark.exhaustive
def test_being_stopped_for_a_while_changes_nothing(tmp_path: Path, film) -> None:
    process = film("f-%05d.png")
    for _ in range(30):
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        process.send_signal(signal.SIGCONT)
    seen = len(list(tmp_path.glob("f-*")))
    end = time.monotonic() + PATIENCE
    while len(list(tmp_path.glob("f-*"))) < seen + 5:
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
