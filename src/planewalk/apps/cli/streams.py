"""Standard streams, made usable also if they are closed when the process begins."""

from __future__ import annotations

import io
import os
import sys


def prepare() -> None:
    """Make them ones that can be used, or say in one line why not.

    Python has None for those that are closed, and files that are opened later would get their
    numbers. So these numbers are taken, the wrong way round: reading or writing is an error then,
    as it should be. What a terminal cannot show is escaped.
    """
    for number, way in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_RDONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, way)  # the lowest number that is free
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(open(0, "rb"), "utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(open(1, "wb"), "utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard_output() -> None:
    """Discard output that could not be written: Python would retry at exit, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
