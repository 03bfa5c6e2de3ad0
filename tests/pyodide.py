"""Python as web pages have it, in Node: the same Pyodide, archive and side modules."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from planewalk.apps.page import pyodide
from planewalk.apps.page.bundle import bundle
from planewalk.apps.page.code import side_modules
from planewalk.apps.store import default_folder

ROOT = Path(__file__).resolve().parent.parent
PLACES = (ROOT / "node_modules" / "pyodide", Path(default_folder()) / "pyodide")
"""Where .ci/run, and `planewalk site`, have npm put it."""
PATIENCE = 1_800.0
"""Seconds after which what hangs is given up."""
NODE = shutil.which("node")


def folder() -> Path | None:
    """Where Pyodide is."""
    return next((place for place in PLACES if pyodide.are_whole(place)), None)


MISSING = [
    *([] if NODE else ["Node.js"]),
    *([] if folder() else [f"pyodide (npm install --no-save {pyodide.PACKAGE})"]),
    *([] if importlib.util.find_spec("ziglang") else ["ziglang (pip install '.[site]')"]),
]
needs_pyodide = pytest.mark.skipif(
    bool(MISSING), reason=f"there is no {', '.join(MISSING)}: no machine code of pages is tried"
)


def in_pyodide(program: str, *flags: str, whole: bool = True) -> str:
    """What a program prints in a page; without the machine code if it is not the whole page.
    `flags` are for Node."""
    assert NODE is not None
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "program.py")
        path.write_text(program)
        packed = Path(place, "archive")
        packed.write_bytes(bundle(code=side_modules() if whole else {}))
        command = [NODE, *flags, ROOT / "tests" / "pyodide.mjs", str(folder()), packed, path]
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False
        )
    assert done.returncode == 0, done.stderr[-4_000:]
    return done.stdout
