"""Ctrl-C at a good moment: between two frames rather than in the middle of one.

Raised anywhere, it can be lost in a finaliser, or leave a lock behind that a thread waits for.
"""

from __future__ import annotations

import contextlib
import signal
from types import FrameType
from typing import Any


class Interrupts:
    """Notes a Ctrl-C for whoever checks next; a second one is raised at once."""

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        with contextlib.suppress(ValueError):  # not in the main thread, where no signal comes
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def check(self) -> None:
        """A good moment."""
        if self.asked:
            raise KeyboardInterrupt
