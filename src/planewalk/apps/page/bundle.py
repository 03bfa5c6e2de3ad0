"""Planewalk as a page gets it: one archive of the package, without what has no place in a page."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution

from ...core.errors import OptionError
from ..studio.bundle import files_of

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
LEFT_OUT = (
    "__main__.py", "apps/checking", "apps/cli", "apps/dap", "apps/live",
    "apps/page/bundle.py", "apps/page/code.py", "apps/page/first.py", "apps/page/guides.py",
    "apps/page/pyodide.py", "apps/page/site.py", "apps/page/static",
    "apps/pictures/cluster.py", "apps/pictures/processes.py", "apps/scaffold.py",
    "apps/studio/server.py", "apps/studio/static", "apps/template", "apps/tui", "entry.py",
    "stock", "testing.py",
)  # fmt: skip
"""Terminals, editors and servers of a machine; machine code of its processor. All that instructions
are performed by stays: machine code is found by what that is."""
STATIC = "apps/studio/static"
FILM = ("player.html", "style.css")
"""What pages that play films are made from, beside scripts."""
STOCK = "planewalk/stock"
"""Where machine code is that pages can load."""
FORMAT = "gztar"
"""What `unpackArchive` of Pyodide calls it: a fifth smaller than a zip of so many small files."""


def bundle(packages: Iterable[str] = (), code: Mapping[str, bytes] = {}) -> bytes:
    """A compressed archive, whose bytes depend on nothing but the files; with installed packages
    that bring languages, and with the machine code that `side_modules` gives."""
    made = io.BytesIO()
    with (
        gzip.GzipFile("", "wb", 9, made, mtime=0) as squeezed,
        tarfile.open(fileobj=squeezed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        files = {name: _read(path) for name, path in (*_own(), *_installed(packages))}
        files |= {f"{STOCK}/{name}": content for name, content in code.items()}
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def _own() -> Iterator[tuple[str, str]]:
    """Our own files: their names in the archive, and where they are."""
    scripts = {f"{name}.js" for name in files_of("player")}
    for folder, _, names in os.walk(PACKAGE):
        for name in names:
            path = os.path.join(folder, name)
            inside = os.path.relpath(path, PACKAGE).replace(os.sep, "/")
            if _belongs(inside) or inside in {f"{STATIC}/{each}" for each in (*FILM, *scripts)}:
                yield f"planewalk/{inside}", path


def _belongs(inside: str) -> bool:
    """Whether a file is part of a page."""
    if "__pycache__" in inside or inside.endswith(".pyc"):
        return False
    return not any(inside == each or inside.startswith(f"{each}/") for each in LEFT_OUT)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _installed(packages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The files of installed packages, with what says that they bring languages."""
    for package in packages:
        try:
            files = distribution(package).files or []
        except PackageNotFoundError:
            raise OptionError(f"there is no package {package!r}; pip install it first") from None
        for file in files:
            path = str(file.locate())
            if ".." not in file.parts and file.suffix != ".pyc" and os.path.isfile(path):
                yield file.as_posix(), path
