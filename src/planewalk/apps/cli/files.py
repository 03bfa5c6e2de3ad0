"""Reading and writing files, with clear errors."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...core.errors import OptionError, PlanewalkError, SourceError
from .. import sources
from ..draft import is_special, write_with
from .outcome import complain

if TYPE_CHECKING:
    from ...view.walk.origins import Origins


WRITTEN = {"-o": "output", "--save-state": "save_state"}
"""Options that name a file to write, and the arguments they become."""
READ = {"file": "program", "files": "program", "input": "input", "texture": "texture"}
"""Arguments that name input files, and what messages call them."""


def read_file(name: str, what: str = "program") -> bytes:
    """The bytes of a file; `-` is standard input."""
    return _standard_input() if name == "-" else sources.read_file(name, what)


def _standard_input() -> bytes:
    try:
        return sources.read_all(sys.stdin.fileno(), "standard input")
    except OSError as error:
        raise SourceError(f"standard input cannot be read: {error.strerror}") from None


def read_program(name: str) -> bytes:
    """The program in a file, or else the example of that name; `-` is standard input."""
    if name == "-":
        return _standard_input()
    return sources.read_program(name, lambda line: complain(line, 0))


def read_map(name: str) -> Origins | None:
    """The map beside a converted program, which says where its cells come from, if any."""
    return sources.read_map(name, lambda line: complain(line, 0))


def spare_inputs(arguments: Namespace) -> None:
    """Refuse to overwrite an input file: some programs are pictures themselves."""
    for option, written in WRITTEN.items():
        output = getattr(arguments, written, None)
        if output is None or is_special(output):
            continue
        for argument, what in READ.items():
            read = getattr(arguments, argument, None) or ()
            for name in [read] if isinstance(read, str) else read:
                if name != "-" and sources.same_file(name, output):
                    why = f"{output!r} is the {what} itself; choose another name"
                    raise OptionError(f"{option}: {why}")


def keep_files(names: Iterable[str], force: bool) -> None:
    """Refuse to replace existing files that the user did not name, except with --force."""
    for name in names:
        if not force and os.path.lexists(name) and not os.path.isdir(name):
            raise PlanewalkError(f"{name!r} exists already; use --force to replace it")


def make_folder(name: str) -> None:
    try:
        os.makedirs(name or ".", exist_ok=True)
    except OSError as error:
        raise PlanewalkError(f"the folder {name!r} cannot be made: {error.strerror}") from None


def write_file(name: str, data: bytes) -> None:
    """Write all of a file or nothing: a full disk leaves no half file under the final name. The
    name `-` is standard output."""
    if name == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_with(name, lambda file: file.write(data))
