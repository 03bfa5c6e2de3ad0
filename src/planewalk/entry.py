"""Where the command begins: a Ctrl-C is answered in one line before anything else is imported.

Only what Python has loaded by itself is imported at first; all the rest comes later, in `main`.
"""

from __future__ import annotations

import os
import sys

# `signal` has the same, and imports a good deal.
from _signal import SIG_IGN, SIGINT, getsignal, signal  # type: ignore[import-not-found]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

INTERRUPTED = 130
MANY_OBJECTS = 50_000
"""New ones before Python looks for some that only refer to each other. What is imported does not
come to an end, and is about half as many: to look at it even once would take a twentieth of a short
run."""


def leave(number: int, frame: object) -> None:
    """End at once: nothing has been done yet that would have to be swept up."""
    try:
        os.write(2, b"planewalk: interrupted\n")
    finally:
        os._exit(INTERRUPTED)


def main() -> NoReturn:
    """The `planewalk` command."""
    if getsignal(SIGINT) is not SIG_IGN:  # as in the background of a script
        signal(SIGINT, leave)
    try:
        import gc

        gc.set_threshold(MANY_OBJECTS)
        from .apps.cli.main import main as perform

        code = perform()
        signal(SIGINT, SIG_IGN)  # it is over
        end(code)
    except KeyboardInterrupt:  # once more, while the first was being answered
        os._exit(INTERRUPTED)


def end(code: int) -> NoReturn:
    """Exit as Python does, but for taking everything apart, which would take longer than a short
    run. Threads that still work are not waited for."""
    import atexit
    from contextlib import suppress

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # it was complained of, or nobody listens
            stream.flush()
    os._exit(code)
