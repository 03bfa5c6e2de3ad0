"""A Python such as web pages have: without threads, signals, links, and packages that are compiled.

`python -m tests.bare PROGRAM` runs a program so, on any system."""

import importlib.abc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

MISSING = {"PIL", "llvmlite", "numpy", "av", "wgpu", "starlette", "uvicorn", "textual", "termios"}
"""Modules that are not there."""
ABSENT = {
    os: ("link", "memfd_create", "fork", "sched_getaffinity", "geteuid"),
    time: ("thread_time",),
    signal: ("setitimer", "pthread_sigmask"),
}  # fmt: skip


class Nothing(importlib.abc.MetaPathFinder):
    """Finds none of them."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def no_thread(self: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def strip() -> None:
    """Take away what a page does not have."""
    for module, names in ABSENT.items():
        for name in names:
            vars(module).pop(name, None)
    os.supports_dir_fd.clear()
    threading.Thread.start = no_thread  # type: ignore[method-assign]
    sys.meta_path.insert(0, Nothing())
    sys.platform = "emscripten"


def bare(program: str) -> str:
    """What a program prints there."""
    words = [sys.executable, "-m", "tests.bare", program]
    folder = Path(__file__).resolve().parent.parent
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


if __name__ == "__main__":
    strip()
    exec(compile(sys.argv[1], "<bare>", "exec"), {"__name__": "__main__"})
