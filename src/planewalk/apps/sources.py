"""Reading files, and programs that may be examples, with clear errors."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from ..core.errors import LimitReached, SourceError, closest_file
from ..core.limits import allowed

if TYPE_CHECKING:
    from ..view.walk.origins import Origins


NOT_WAITING = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags for opening files, which do not wait for the writer of a pipe."""
PIECE = 1 << 20
"""Bytes that are read at once."""


def read_program(name: str, tell: Callable[[str], object]) -> bytes:
    """Read a program. If there is no such file, the example of that name is used, and `tell` is
    called with a line that says so."""
    if not os.path.lexists(name):
        from ..examples import shipped  # heavy, and rarely needed

        example = shipped(name)
        if example is not None:
            tell(f"{name!r} is not in this folder; using the example of that name")
            return example
    return read_file(name)


def read_file(name: str, what: str = "program") -> bytes:
    """Read a file within the limits of memory and time."""
    try:
        if os.path.isdir(name):
            raise SourceError(f"{name!r} is a folder, not a {what}; name a file in it")
        descriptor = os.open(name, os.O_RDONLY | NOT_WAITING)
        try:
            allowed().allow(os.fstat(descriptor).st_size, repr(name))
            return read_all(descriptor, repr(name))
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise SourceError(f"{name!r} does not exist; check the name{_nearby(name)}") from None
    except (OSError, ValueError) as error:
        raise SourceError(f"{name!r} cannot be read: {_why(error)}") from None


def read_all(descriptor: int, name: str) -> bytes:
    limits = allowed()
    found = io.BytesIO()  # gives what it has without another copy
    while True:
        while not arrives(descriptor, limits.deadline.rest()):
            if limits.deadline.left() > 0:
                continue
            raise LimitReached(
                f"{name} has not ended within the limit of {limits.seconds:g} seconds "
                "(max_time=...)",
                "time",
            )
        piece = os.read(descriptor, PIECE)
        if not piece:
            return found.getvalue()
        found.write(piece)
        limits.allow(found.tell(), name)


def arrives(descriptor: int, seconds: float) -> bool:
    """Whether data, or the end of it, arrives within some seconds."""
    from select import select

    if seconds <= 0:
        return False
    try:
        return bool(select([descriptor], [], [], None if seconds == math.inf else seconds)[0])
    except (OSError, ValueError):
        return True  # not something that can be waited for: read it


def stamp_of(path: str | None) -> tuple[int, int] | None:
    """A value that changes when a file is written; None if there is no file."""
    try:
        status = os.stat(path) if path is not None else None
    except OSError:
        return None
    return None if status is None else (status.st_mtime_ns, status.st_size)


def same_file(one: str, other: str) -> bool:
    with suppress(OSError, ValueError):
        return os.path.samefile(one, other)
    return False


MAP = ".map"
"""The suffix of a map, added to the name of the program."""


def read_map(name: str, tell: Callable[[str], object]) -> Origins | None:
    """The map beside a converted program, or None. An unusable map is reported."""
    path = name + MAP
    if name == "-" or not os.path.lexists(path) or not os.path.lexists(name):
        return None
    from ..view.walk.origins import read_origins

    try:
        return read_origins(read_file(path, "map"), read_file(name))
    except SourceError as error:
        tell(f"{path}: {error}; going on without it (planewalk convert --map makes a new one)")
        return None


def _nearby(name: str) -> str:
    """A hint at a file or an example with a similar name."""
    from ..examples import gallery

    folder, base = os.path.split(name)
    try:
        known = os.listdir(folder or ".")
    except OSError:
        return f" (there is no folder {folder!r})"
    if not folder:
        known += [example.file for example in gallery()]
    meant = closest_file(base, known)
    return f", or did you mean {os.path.join(folder, meant)!r}?" if meant else ""


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
