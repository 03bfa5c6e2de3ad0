"""Reading and writing files with errors people understand."""

from __future__ import annotations

import os
import sys

from ...core.errors import PlanewalkError, SourceError
from ...core.limits import DEFAULT_MEMORY, show_size
from ..draft import write_with


def read_file(name: str, what: str = "program") -> bytes:
    """The bytes of a file; `-` is standard input."""
    try:
        if name == "-":
            return sys.stdin.buffer.read()
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


def _nearby(name: str) -> str:
    """A file in the same folder with almost that name."""
    from difflib import get_close_matches

    folder, base = os.path.split(name)
    try:
        found = get_close_matches(base, os.listdir(folder or "."), n=1, cutoff=0.7)
    except OSError:
        return f" (there is no folder {folder!r})"
    return f", or did you mean {os.path.join(folder, found[0])!r}?" if found else ""


def write_file(name: str, data: bytes, force: bool = True) -> None:
    """Write all of a file or nothing: a full disk leaves no half file under the final name.

    The name `-` is standard output.
    """
    if name == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    if not force and os.path.exists(name) and not os.path.isdir(name):
        raise PlanewalkError(f"{name!r} exists already; use --force to replace it")
    write_with(name, lambda file: file.write(data))


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
