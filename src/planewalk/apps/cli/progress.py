"""A line at the terminal that says how far a long run has come."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from ...core.engine import Engine
from ...core.text import visible

Clock = Callable[[], float]
PATIENCE = 1.0
"""Seconds before a run counts as long."""
EVERY = 0.2
"""Seconds between two updates of the line."""
ERASE = "\r\x1b[K"
BAR = 20
"""Length of the bar in characters."""


class StatusLine:
    """A line on standard error that is rewritten in place, and erased in the end."""

    def __init__(self, asked: bool | None, clock: Clock = time.monotonic) -> None:
        self.asked = asked
        self.wanted = _at_terminal(sys.stderr) if asked is None else asked
        self.clock = clock
        self.since = clock()
        self.shown = self.since + PATIENCE - EVERY
        self.visible = False

    def due(self, now: float) -> bool:
        return self.wanted and now - self.shown >= EVERY

    def write(self, text: str, now: float) -> None:
        self._say(ERASE + visible(text))
        self.visible = True
        self.shown = now

    def erase(self) -> None:
        if self.visible:
            self._say(ERASE)
            self.visible = False

    def end(self) -> None:
        """Erase the line for good."""
        self.erase()
        self.wanted = False

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError):  # standard error may be closed
            sys.stderr.write(text)
            sys.stderr.flush()


class Progress(StatusLine):
    """Steps, rate and engine of a run."""

    def __init__(self, engine: Engine, asked: bool | None, clock: Clock = time.monotonic) -> None:
        super().__init__(asked, clock)
        self.engine = engine
        self.steps = engine.state.tick

    def __call__(self) -> None:
        now = self.clock()
        if not self.due(now):
            return
        tick = self.engine.state.tick
        rate = (tick - self.steps) / max(now - self.since, 1e-9)
        self.write(f"{tick:,} steps, {show_rate(rate)}, {self.engine.name} engine", now)
        self.since = now
        self.steps = tick

    def before_output(self) -> None:
        """Erase the line before the program prints, if both share a terminal."""
        if self.wanted and _at_terminal(sys.stdout):
            self.erase()
            self.wanted = self.asked is True


class FilmProgress(StatusLine):
    """Progress of a picture or film: the part drawn, the speed, and the time left."""

    def __init__(
        self, frames: int, length: int, asked: bool | None, clock: Clock = time.monotonic
    ) -> None:
        super().__init__(asked, clock)
        self.frames = frames
        self.length = length
        """The size of a frame in bytes, or 1 where only whole frames are counted."""
        self.done = 0

    def watch(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Pass on the pieces of a frame, and count them."""
        for piece in pieces:
            yield piece
            self.count(len(piece))

    def count(self, more: int) -> None:
        """Add to what is drawn, in the unit of `length`."""
        self.done += more
        now = self.clock()
        if self.due(now):
            self.write(self.told(now), now)

    def told(self, now: float) -> str:
        """`[#####.....] 12 of 24 frames, 3.1 frames/s, 4 s left`."""
        part = self.done / (self.frames * self.length)
        bar = "#" * int(part * BAR) + "." * (BAR - int(part * BAR))
        took = max(now - self.since, 1e-9)
        left = show_seconds(took / part - took) if part else "some time"
        if self.frames == 1:
            return f"[{bar}] {100 * part:.0f} %, {left} left"
        rate = self.done / self.length / took
        speed = f"{rate:.3g} frames/s" if rate >= 1 else f"{1 / rate:.3g} s a frame"
        return f"[{bar}] {self.done // self.length} of {self.frames} frames, {speed}, {left} left"


def _at_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def show_rate(rate: float) -> str:
    """`3.1 million steps/s` from 3141592.6."""
    for unit, word in ((1e9, " billion"), (1e6, " million"), (1e3, " thousand")):
        if rate >= unit:
            return f"{rate / unit:.3g}{word} steps/s"
    return f"{rate:.3g} steps/s"


def show_seconds(seconds: float) -> str:
    """`1:04:09`, `4:09` or `9 s`."""
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
