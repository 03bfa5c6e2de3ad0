"""A line at the terminal that says how far a long run has come."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from typing import TextIO

from ...core.engine import Engine

PATIENCE = 1.0
"""Seconds before a run counts as long."""
EVERY = 0.2
"""Seconds between two versions of the line."""
ERASE = "\r\x1b[K"


class Progress:
    """Steps, rate and engine of a run, on standard error; erased before anything else is said."""

    def __init__(
        self, engine: Engine, asked: bool | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.engine = engine
        self.asked = asked
        self.wanted = _at_terminal(sys.stderr) if asked is None else asked
        self.clock = clock
        self.shown = clock() + PATIENCE - EVERY
        self.steps = engine.state.tick
        self.since = clock()
        self.visible = False

    def __call__(self) -> None:
        """Bring the line up to date, if it is time to."""
        now = self.clock()
        if not self.wanted or now - self.shown < EVERY:
            return
        tick = self.engine.state.tick
        rate = (tick - self.steps) / max(now - self.since, 1e-9)
        self._say(f"{ERASE}{tick:,} steps, {show_rate(rate)}, {self.engine.name} engine")
        self.visible = True
        self.shown = self.since = now
        self.steps = tick

    def erase(self) -> None:
        """Make room for what is said next."""
        if self.visible:
            self._say(ERASE)
            self.visible = False

    def before_output(self) -> None:
        """The program prints now: its line and ours cannot share a terminal."""
        if self.wanted and _at_terminal(sys.stdout):
            self.erase()
            self.wanted = self.asked is True

    def end(self) -> None:
        """Say nothing more."""
        self.erase()
        self.wanted = False

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError):  # nobody may be listening
            sys.stderr.write(text)
            sys.stderr.flush()


def _at_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def show_rate(rate: float) -> str:
    """`3.1 million steps/s` from 3141592.6."""
    for unit, word in ((1e9, " billion"), (1e6, " million"), (1e3, " thousand")):
        if rate >= unit:
            return f"{rate / unit:.3g}{word} steps/s"
    return f"{rate:.3g} steps/s"
