"""What a machine may deny: room on its disk, memory that holds code. It only costs speed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from planewalk.examples import find_example
from tests.patience import PATIENCE

COMMAND = "import sys; from planewalk.apps.cli.main import main; sys.exit(main())"


def run_collatz(
    folder: Path, before: str = "", engine: str = "llvm"
) -> subprocess.CompletedProcess[bytes]:
    """A run that climbs to machine code, in a process that does something else first."""
    (folder / "collatz.mf").write_bytes(find_example("collatz.mf").read())
    return subprocess.run(
        [sys.executable, "-c", f"{before}\n{COMMAND}", "run", "collatz.mf", "--engine", engine],
        input=b"3000", capture_output=True, cwd=folder, timeout=PATIENCE,
        env={**os.environ, "PLANEWALK_CACHE": str(folder / "cache")},
    )  # fmt: skip


AT_ONCE = """
from planewalk.engines.base import policy
held = policy.following(policy.PATIENT._replace(background=False))
held.__enter__()
"""
FILES_OF_NO_BYTES = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"
NO_CODE_IN_MEMORY = """
import ctypes, sys
PR_SET_MDWE, REFUSE_EXEC_GAIN = 65, 1
if ctypes.CDLL(None).prctl(PR_SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0):
    sys.exit(77)
"""


def test_code_is_kept_where_nothing_is_denied(tmp_path: Path) -> None:
    """So that the next tests are about what they say."""
    done = run_collatz(tmp_path, AT_ONCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"2919 217\n", b"")
    assert list((tmp_path / "cache").iterdir())


def test_a_disk_without_room(tmp_path: Path) -> None:
    done = run_collatz(tmp_path, f"{FILES_OF_NO_BYTES}\n{AT_ONCE}")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"2919 217\n", b"")
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux to forbid it")
@pytest.mark.parametrize("engine", ["llvm", "auto"])
def test_memory_that_may_not_hold_code(tmp_path: Path, engine: str) -> None:
    done = run_collatz(tmp_path, NO_CODE_IN_MEMORY, engine)
    if done.returncode == 77:
        pytest.skip("this Linux is too old to forbid it")
    assert (done.returncode, done.stdout) == (0, b"2919 217\n")
    if engine == "auto":
        assert done.stderr == b""
    else:
        assert done.stderr.startswith(b"planewalk: this machine forbids executable memory")
        assert done.stderr.endswith(b"going on with generated Python\n")
        assert done.stderr.count(b"\n") == 1
    assert not (tmp_path / "cache").exists()


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux to forbid it")
def test_kept_code_in_memory_that_may_not_hold_code(tmp_path: Path) -> None:
    run_collatz(tmp_path, AT_ONCE)
    kept = sorted((tmp_path / "cache").iterdir())
    assert kept
    done = run_collatz(tmp_path, NO_CODE_IN_MEMORY)
    if done.returncode == 77:
        pytest.skip("this Linux is too old to forbid it")
    assert (done.returncode, done.stdout) == (0, b"2919 217\n")
    assert done.stderr.startswith(b"planewalk: this machine forbids executable memory")
    assert sorted((tmp_path / "cache").iterdir()) == kept
