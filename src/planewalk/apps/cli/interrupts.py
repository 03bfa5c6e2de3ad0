"""Ctrl-C and other signals that end a process: finished work is kept, and drafts are removed.

All of them raise KeyboardInterrupt, at once or at a good moment: between two frames rather than in
the middle of one. Raised anywhere, it can be lost in a finaliser, or leave a lock behind that a
thread waits for.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

from .outcome import INTERRUPTED

ENDING = [signal.SIGINT, signal.SIGTERM]
"""Signals that end a process, unless they are ignored already."""
if hasattr(signal, "SIGHUP"):
    ENDING.append(signal.SIGHUP)

Handler = Callable[[int, FrameType | None], None]

_last = int(signal.SIGINT)
"""The signal that came last."""


def exit_code(code: int) -> int:
    """The exit code of the process; after an interruption, it names the signal."""
    return 128 + _last if code == INTERRUPTED else code


class Answered:
    """Handles all signals that end a process while the context lasts."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in ENDING:
            if signal.getsignal(number) in (None, signal.SIG_IGN):
                continue  # as nohup has it, or a script for what it runs in the background
            with contextlib.suppress(ValueError):  # not in the main thread, where no signal comes
                self._before[number] = signal.signal(number, self._handler)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)


def raise_at_once(number: int, frame: FrameType | None) -> None:
    note(number)
    raise KeyboardInterrupt


def note(number: int) -> None:
    """Record the signal that came, for the exit code."""
    global _last
    _last = number
