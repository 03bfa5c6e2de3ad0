"""How much a run may use before it is stopped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from .deadline import NEVER, Clock, Deadline
from .errors import OptionError

GIB = 1 << 30
DEFAULT_MEMORY = GIB

_allowed: ContextVar[int | None] = ContextVar("memory that is allowed", default=DEFAULT_MEMORY)

_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class Limits(NamedTuple):
    """None means: as much as it likes."""

    steps: int | None = None
    output: int | None = None
    seconds: float | None = None
    memory: int | None = DEFAULT_MEMORY
    deadline: Deadline = NEVER
    """When the seconds are over, once the run has begun."""

    def begun(self, clock: Clock) -> Limits:
        """The same, and the time runs from now on; if it runs already, from when it began."""
        if self.seconds is None or self.deadline is not NEVER:
            return self
        return self._replace(deadline=Deadline(clock, self.seconds))

    @property
    def longest_number(self) -> int | None:
        """How many bits one number may have: arithmetic on longer ones would seem to hang."""
        return None if self.memory is None else self.memory // 32


@contextmanager
def allowing(memory: int | None) -> Iterator[None]:
    """While programs are loaded: how much memory that may take."""
    before = _allowed.set(memory)
    try:
        yield
    finally:
        _allowed.reset(before)


def allowance() -> int:
    """How much memory loading a program, or a picture for it, may take here."""
    memory = _allowed.get()
    return sys.maxsize if memory is None else memory


def parse_size(text: str) -> int:
    """Bytes from `64M`, `1.5G`, `4096`; units are powers of 1024."""
    word = text.strip().lower().removesuffix("ib").removesuffix("b") or text
    unit = word[-1] if word[-1:].isalpha() else ""
    try:
        size = int(float(word.removesuffix(unit)) * _UNITS[unit])
    except (ValueError, KeyError, OverflowError):
        size = -1
    if size < 0:
        raise OptionError(f"{text!r} is not a size; write bytes, or a number with K, M or G: 512M")
    return size


def show_size(size: int) -> str:
    """`1 GiB` from 1073741824."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} bytes"
