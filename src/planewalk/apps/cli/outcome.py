"""Exit codes, and messages on standard error."""

from __future__ import annotations

import contextlib
import re
import sys

from ...core.text import visible

BUG, USAGE, LIMIT, FAULT, INTERRUPTED = 1, 2, 3, 4, 130

SHORTER = {"language": "lang"}
"""Options whose name differs from the keyword argument of the library."""


def as_flags(message: str) -> str:
    """A message of the library, with its keyword arguments written as command line options."""
    return re.sub(
        r"\b([a-z_]+)=\.\.\.",
        lambda found: "--" + SHORTER.get(found[1], found[1]).replace("_", "-"),
        message,
    )


def complain(message: str, code: int) -> int:
    """Print a message on standard error; returns the exit code."""
    with contextlib.suppress(OSError):  # standard error may be closed
        first, *more = f"planewalk: {message}".split("\n")  # some show where a mistake is, below
        lines = [_fitting(visible(first)), *map(visible, more)]
        print("\n".join(lines), file=sys.stderr, flush=True)
    return code


def _fitting(line: str) -> str:
    """A line, wrapped between words if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return line
    from textwrap import fill

    from .terminal import columns

    return fill(line, columns(sys.stderr), break_long_words=False, break_on_hyphens=False)
