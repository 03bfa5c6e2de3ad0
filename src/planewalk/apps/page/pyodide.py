"""Python for web pages: where the files of Pyodide come from when a site is written.

They are one version, known by their content: from a folder that is given, from planewalk's cache,
or from npm, which puts them into the cache. Pages load nothing from other sites.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile

from ...core.errors import OptionError, PlanewalkError
from ..private import NotPrivate, private_folder
from ..store import default_folder

VERSION = "314.0.7"
PACKAGE = f"pyodide@{VERSION}"
FILES = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
}
"""What pages need of the package, and the SHA-256 of each."""
MOST_FILE = 32 << 20
PATIENCE = 300.0
"""Seconds that npm may take."""
NEEDED = f"""\
a site has Python for web pages in it, {PACKAGE} of npm, which is not here; either
  install npm (it comes with Node.js) and be online this one time, or
  on a machine that is, npm pack {PACKAGE}, unpack what it writes, and say --pyodide FOLDER"""


def pyodide(folder: str | None = None) -> dict[str, bytes]:
    """Its files by their names, from a folder, or from wherever they can be had."""
    if folder is not None:
        return _given(folder)
    cached = os.path.join(default_folder(), "pyodide") if default_folder() else ""
    return _kept(cached) or _fetched(cached)


def is_there() -> bool:
    """Whether they can be had without a network."""
    return bool(default_folder()) and are_whole(os.path.join(default_folder(), "pyodide"))


def are_whole(folder: str | os.PathLike[str]) -> bool:
    """Whether all files are in a folder."""
    return bool(_kept(os.fspath(folder)))


def _given(folder: str) -> dict[str, bytes]:
    """The files in a folder, which may be that of the package or the one above it."""
    for place in (folder, *(os.path.join(folder, name) for name in ("package", "pyodide"))):
        if os.path.isfile(os.path.join(place, "pyodide.mjs")):
            files = _read(place)
            wrong = [name for name in FILES if files.get(name) is None]
            if wrong:
                raise OptionError(f"--pyodide: {wrong[0]} in {folder!r} is not that of {PACKAGE}")
            return files
    raise OptionError(f"--pyodide: there is no pyodide.mjs in {folder!r}")


def _read(folder: str) -> dict[str, bytes]:
    """The files of a folder that are what they should be."""
    found = {}
    for name, known in FILES.items():
        try:
            with open(os.path.join(folder, name), "rb") as file:
                content = file.read(MOST_FILE)
        except OSError:
            continue
        if hashlib.sha256(content).hexdigest() == known:
            found[name] = content
    return found


def _kept(folder: str) -> dict[str, bytes]:
    """All files from the cache, or none."""
    files = _read(folder) if folder else {}
    return files if len(files) == len(FILES) else {}


def _fetched(folder: str) -> dict[str, bytes]:
    """The files from npm, which are kept in a folder."""
    npm = shutil.which("npm")
    if npm is None:
        raise PlanewalkError(NEEDED)
    with tempfile.TemporaryDirectory(prefix="planewalk-") as place:
        try:
            done = subprocess.run(
                [npm, "pack", "--silent", PACKAGE], cwd=place, capture_output=True, text=True,
                stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False,
            )  # fmt: skip
            said = done.stderr.strip().splitlines()[-1:] if done.returncode else []
        except (OSError, subprocess.TimeoutExpired) as error:
            said = [str(error)]
        packed = [name for name in os.listdir(place) if name.endswith(".tgz")]
        if said or not packed:
            raise PlanewalkError("\n".join([NEEDED, *(f"npm says: {line}" for line in said)]))
        with tarfile.open(os.path.join(place, packed[0])) as archive:
            archive.extractall(place, filter="data")
        files = _given(place)
    if folder:
        _keep(folder, files)
    return files


def _keep(folder: str, files: dict[str, bytes]) -> None:
    """Put files into the cache, if that can be."""
    try:
        with private_folder(folder, make=True) as kept:
            for name, content in files.items():
                kept.write(name, content)
    except (OSError, NotPrivate):
        pass  # the next site asks npm again
