"""Reading files, and programs that may be examples, with errors people understand."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.errors import SourceError
from ..core.limits import DEFAULT_MEMORY, show_size

if TYPE_CHECKING:
    from ..view.origins import Origins


def read_program(name: str, tell: Callable[[str], object]) -> bytes:
    """The program in a file. Where there is no such file it is the example of that name, if there
    is one, and `tell` gets a line that says so."""
    if not os.path.lexists(name):
        from ..examples import shipped  # heavy, and rarely needed

        example = shipped(name)
        if example is not None:
            tell(f"{name!r} is not in this folder; using the example of that name")
            return example
    return read_file(name)


def read_file(name: str, what: str = "program") -> bytes:
    """The bytes of a file."""
    try:
        if os.path.isdir(name):
            raise SourceError(f"{name!r} is a folder, not a {what}; name a file in it")
        if os.path.getsize(name) > DEFAULT_MEMORY:
            raise SourceError(f"{name!r} is larger than {show_size(DEFAULT_MEMORY)}")
        with open(name, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise SourceError(f"{name!r} does not exist; check the name{_nearby(name)}") from None
    except (OSError, ValueError) as error:
        raise SourceError(f"{name!r} cannot be read: {_why(error)}") from None


MAP = ".map"
"""What the name of a program ends with where its map stands."""


def read_map(name: str, tell: Callable[[str], object]) -> Origins | None:
    """The map beside a program that was converted, or None. One that is of no use is told."""
    path = name + MAP
    if name == "-" or not os.path.lexists(path) or not os.path.lexists(name):
        return None
    from ..view.origins import read_origins

    try:
        return read_origins(read_file(path, "map"), read_file(name))
    except SourceError as error:
        tell(f"{path}: {error}; going on without it (planewalk convert --map makes a new one)")
        return None


def _nearby(name: str) -> str:
    """A file in the same folder, or an example, with almost that name."""
    from difflib import get_close_matches

    from ..examples import gallery

    folder, base = os.path.split(name)
    try:
        known = os.listdir(folder or ".")
    except OSError:
        return f" (there is no folder {folder!r})"
    if not folder:
        known += [example.file for example in gallery()]
    found = get_close_matches(base, known, n=1, cutoff=0.7)
    return f", or did you mean {os.path.join(folder, found[0])!r}?" if found else ""


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
