"""Where the command begins: a Ctrl-C is answered in one line before anything else is imported.

Only what Python has loaded by itself is imported at first; all the rest comes later, in `main`.
"""

import os

# `signal` has the same, and imports a good deal.
from _signal import SIG_IGN, SIGINT, getsignal, signal  # type: ignore[import-not-found]

INTERRUPTED = 130


def leave(number: int, frame: object) -> None:
    """End at once: nothing has been done yet that would have to be swept up."""
    try:
        os.write(2, b"planewalk: interrupted\n")
    finally:
        os._exit(INTERRUPTED)


def main() -> int:
    """The `planewalk` command; gives the exit code."""
    if getsignal(SIGINT) is not SIG_IGN:  # as in the background of a script
        signal(SIGINT, leave)
    try:
        from .apps.cli.main import main as perform

        code = perform()
        signal(SIGINT, SIG_IGN)  # it is over
    except KeyboardInterrupt:  # once more, while the first was being answered
        os._exit(INTERRUPTED)
    return code
