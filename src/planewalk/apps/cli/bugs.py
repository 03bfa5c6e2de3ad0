"""Internal errors: a report in a file, and one line."""

from __future__ import annotations

import os
import platform
import sys
from traceback import format_exception

from ... import __version__

LONGEST = 100
"""Characters of an error message that are shown."""


def report_bug(error: Exception, words: list[str], *, shown: bool) -> str:
    """One line about an error; the traceback is printed, or written to a report file."""
    trace = "".join(format_exception(error))
    told = str(error).partition("\n")[0][:LONGEST]
    line = f"{words[0] if words else 'planewalk'}: this is a bug in planewalk"
    if shown:
        sys.stderr.write(trace)
    else:
        line += f"; {_kept(_report(words, trace))}"
    return f"{line} ({type(error).__name__}{': ' if told else ''}{told})"


def _report(words: list[str], trace: str) -> str:
    system = f"Python {platform.python_version()} on {platform.platform()}"
    return f"planewalk {__version__}, {system}\nplanewalk {words!r}\n\n{trace}"


def _kept(report: str) -> str:
    """Write the report; returns where it is, in words."""
    import tempfile

    try:
        handle, name = tempfile.mkstemp(".txt", "planewalk-bug-")
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(report)
    except OSError:
        return "no report could be written, so add --traceback to see it"
    return f"the report is in {os.path.abspath(name)}"
