"""How much a run may use before it is stopped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .base.deadline import NEVER, Clock, Deadline
from .base.named import NamedTuple
from .errors import LimitReached, OptionError

GIB = 1 << 30
DEFAULT_MEMORY = GIB

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

    def allow(self, size: int, what: str) -> None:
        """Refuse what would take more memory than there may be."""
        if self.memory is not None and size > self.memory:
            raise LimitReached(
                f"{what} takes {show_size(size)} of memory, more than the limit of "
                f"{show_size(self.memory)} (max_memory=...)"
            )

    def allow_time(self, seconds: float = 0.0) -> None:
        """Refuse what would take longer than there is time left."""
        if self.deadline.left() <= seconds:
            raise LimitReached(
                f"the limit of {self.seconds:g} seconds is reached before the program runs "
                "(max_time=...)",
                "time",
            )

    def out_of_time(self) -> LimitReached:
        """What to raise when the seconds are over."""
        return LimitReached(
            f"stopped: the limit of {self.seconds:g} seconds is reached (max_time=...)", "time"
        )

    def check_time(self) -> None:
        """A good moment to end if the seconds are over."""
        if self.deadline.left() <= 0:
            raise self.out_of_time()

    @property
    def longest_number(self) -> int | None:
        """How many bits one number may have: arithmetic on longer ones would seem to hang."""
        return None if self.memory is None else self.memory // 32


USUAL = Limits()
_allowed: ContextVar[Limits] = ContextVar("limits that hold", default=USUAL)


@contextmanager
def allowing(limits: Limits) -> Iterator[None]:
    """While programs are loaded: how much memory and time that may take."""
    before = _allowed.set(limits)
    try:
        yield
    finally:
        _allowed.reset(before)


def allowed() -> Limits:
    """The limits that hold while programs are loaded here."""
    return _allowed.get()


def allowance() -> int:
    """How much memory loading a program, or a picture for it, may take here."""
    memory = allowed().memory
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
