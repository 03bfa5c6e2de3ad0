"""Reading and writing files with errors people understand."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ...core.errors import PlanewalkError
from .. import sources
from ..draft import write_with
from .main import complain

if TYPE_CHECKING:
    from ...view.origins import Origins


def read_file(name: str, what: str = "program") -> bytes:
    """The bytes of a file; `-` is standard input."""
    return sys.stdin.buffer.read() if name == "-" else sources.read_file(name, what)


def read_program(name: str) -> bytes:
    """The program in a file, or else the example of that name; `-` is standard input."""
    if name == "-":
        return sys.stdin.buffer.read()
    return sources.read_program(name, lambda line: complain(line, 0))


def read_map(name: str) -> Origins | None:
    """Where the cells of a converted program come from, if there is a map beside it."""
    return sources.read_map(name, lambda line: complain(line, 0))


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
