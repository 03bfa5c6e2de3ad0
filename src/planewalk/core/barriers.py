"""Barriers: what a run should stop at, and what it says of it when it does.

Engines run at full speed up to the first tick in which something barred happens, and stop when
that tick is done. They compare by value, so two equal ones are the same to an engine.
"""

from __future__ import annotations

from collections.abc import Hashable
from operator import or_
from typing import Any, Union

from .base.named import NamedTuple
from .geometry import Heading, Stance
from .observation import Read, Write
from .step import Hit

ANY: Any = ...  # for a heading or mode that does not matter


class Landing(NamedTuple):
    """A place where a run stops when a walker arrives there; only that way, if a way is given."""

    x: Any
    y: Any
    heading: Heading = ANY
    mode: Hashable = ANY

    def catches(self, stance: Stance) -> bool:
        """Whether a walker that stands so has landed here."""
        return (
            (stance.x, stance.y) == (self.x, self.y)
            and (self.heading is ANY or (stance.dx, stance.dy) == self.heading)
            and (self.mode is ANY or stance.mode == self.mode)
        )


class Barriers(NamedTuple):
    """What stops a run: walkers that arrive, cells that are written or read, output, input."""

    landings: frozenset[Landing] = frozenset()
    written: frozenset[tuple[Any, Any]] = frozenset()
    read: frozenset[tuple[Any, Any]] = frozenset()
    output: bool = False
    input: bool = False

    def __bool__(self) -> bool:
        """Whether anything is in the way at all."""
        return any(self)

    def joined(self, other: Barriers) -> Barriers:
        """All that one of them stops at."""
        return Barriers(*map(or_, self, other))

    def within(self, other: Barriers) -> bool:
        """Whether code that leaves at all that the other stops at leaves for these, too. Cells that
        are written, and output, need no code of their own."""
        return (
            self.landings <= other.landings
            and self.read <= other.read
            and self.input <= other.input
        )

    def places(self) -> frozenset[tuple[Any, Any]]:
        """The places that have a landing."""
        return frozenset((landing.x, landing.y) for landing in self.landings)

    def catch(self, stance: Stance) -> bool:
        """Whether a walker that arrives so stops the run."""
        return any(landing.catches(stance) for landing in self.landings)


OPEN = Barriers()  # nothing is in the way


class Landed(NamedTuple):
    """A walker has arrived so."""

    stance: Stance


class Wrote(NamedTuple):
    """Output was written."""

    data: bytes


class Took(NamedTuple):
    """Input was read."""

    data: bytes


Event = Union[Landed, Read, Write, Wrote, Took]


def hit(events: list[Event]) -> Hit:
    """The stop that tells of these."""
    return Hit(_tell(events[0]), tuple(events))


def _tell(event: Event) -> str:
    if isinstance(event, Landed):
        return f"at {event.stance.x:g},{event.stance.y:g}"
    if isinstance(event, Write):
        return f"written {event.x:g},{event.y:g}"
    if isinstance(event, Read):
        return f"read {event.x:g},{event.y:g}"
    return "output" if isinstance(event, Wrote) else "input"
