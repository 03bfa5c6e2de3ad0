"""What a machine may deny: room on its disk, memory that holds code. It only costs speed."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from planewalk.apps import store
from planewalk.apps.store import DiskStore
from planewalk.examples import find_example

COMMAND = "import sys; from planewalk.apps.cli.main import main; sys.exit(main())"


def run_collatz(
    folder: Path, before: str = "", engine: str = "llvm"
) -> subprocess.CompletedProcess[bytes]:
    """A run that climbs to machine code, in a process that does something else first."""
    (folder / "collatz.mf").write_bytes(find_example("collatz.mf").read())
    return subprocess.run(
        [sys.executable, "-c", f"{before}\n{COMMAND}", "run", "collatz.mf", "--engine", engine],
        input=b"3000", capture_output=True, cwd=folder, timeout=60,
        env={**os.environ, "PLANEWALK_CACHE": str(folder / "cache")},
    )  # fmt: skip


AT_ONCE = "from planewalk.engines.compiled import PythonEngine; PythonEngine.background = False"
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


@pytest.mark.parametrize("word", ["makedirs", "stat", "open", "replace", "scandir", "utime"])
@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_store_whose_folder_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, reason: int
) -> None:
    folder = tmp_path / "cache"
    DiskStore(str(folder)).put("old", b"code")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(reason, os.strerror(reason))

    if word == "open":
        monkeypatch.setattr(store, "open", refuse, raising=False)
    else:
        monkeypatch.setattr(store, "os", SimpleNamespace(**{**vars(os), word: refuse}))
    kept = DiskStore(str(folder))
    kept.put("new", b"more code")
    assert kept.get("old") in (b"code", None) and kept.get("new") in (b"more code", None)
    kept.entries()
    kept.clear()
    monkeypatch.undo()
    left = {path.name for path in folder.iterdir()}
    assert left <= {"old.code", "new.code"}, "no drafts are left behind"


def test_files_that_are_not_ours_are_no_code(tmp_path: Path) -> None:
    """Cut off anywhere, empty, swapped, or a folder: every one of them is ignored."""
    kept = DiskStore(str(tmp_path / "cache"))
    kept.put("one", bytes(range(100)))
    kept.put("other", bytes(100))
    path = tmp_path / "cache" / "one.code"
    whole = path.read_bytes()
    for size in (0, 1, 31, 32, 33, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert kept.get("one") is None
    path.write_bytes(whole + b"\0")
    assert kept.get("one") is None
    path.write_bytes((tmp_path / "cache" / "other.code").read_bytes())
    assert kept.get("one") is None
    path.unlink()
    path.mkdir()
    assert kept.get("one") is None
    kept.put("one", b"code")
    assert kept.get("one") is None and kept.get("other") == bytes(100)


def test_processes_that_write_the_same_code_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Each writes and reads the same few keys as fast as it can; what is found is always whole."""
    work = """
import os, sys
from planewalk.apps.store import DiskStore
kept, found = DiskStore(sys.argv[1]), 0
for turn in range(300):
    key = f"key{turn % 3}"
    code = key.encode() * 20_000
    kept.put(key, code)
    seen = kept.get(key)
    assert seen in (code, None), len(seen)
    found += seen is not None
print(found)
"""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", work, tmp_path / "cache"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]  # fmt: skip
    for process in processes:
        out, said = process.communicate(timeout=120)
        assert (process.returncode, said) == (0, b"") and int(out) > 250
    left = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert left == ["key0.code", "key1.code", "key2.code"]
