"""One course of a run: where it began, what came in and when, what it wrote, how far it got."""

from __future__ import annotations

import tempfile
import weakref
from typing import Any, NamedTuple

from ...core.difference import plane_changes
from ...core.keyframe import Keyframe
from ...core.plane import Plane
from ...core.state import State
from ...core.step import Stop
from ..conditions.condition import Past
from .keyframes import BUDGET, Keyframes

IN_MEMORY = 16 << 20
"""Bytes of a log."""
MAIN = "main"
"""The name of the first branch."""


class Log:
    """All that a run has written: the first part in memory, the rest in a file. A fork goes on
    from a copy of the first part."""

    def __init__(self, first: bytes = b"") -> None:
        # No other process sees the file: it has no name, and is gone with this object.
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._file.write(first)
        self.length = len(first)

    def __len__(self) -> int:
        return self.length

    def note(self, data: bytes, begins: int) -> None:
        """Add what is new of some bytes that begin at that index."""
        fresh = data[self.length - begins :]
        if fresh:
            self._file.seek(self.length)
            self._file.write(fresh)
            self.length += len(fresh)

    def read(self, first: int, last: int) -> bytes:
        self._file.seek(first)
        return self._file.read(max(min(last, self.length) - first, 0))


class Arrival(NamedTuple):
    """Input that came at a tick: the log goes to `end` by it, or the input has ended."""

    tick: int
    end: int
    closes: bool


class ProvenLoop(NamedTuple):
    """A proof that from a tick on all repeats after so many ticks, and nothing is written."""

    tick: int
    period: int


class Branch:
    """A course that a run has taken. Replaying it from any keyframe gives the same states."""

    def __init__(
        self,
        name: str,
        state: State,
        arrived: bytes,
        *,
        output: bytes = b"",
        parent: str | None = None,
        change: str = "",
        budget: int = BUDGET,
    ) -> None:
        self.name, self.parent, self.change = name, parent, change
        self.edits: tuple[dict[str, Any], ...] = ()
        """What `Session.edit` was told where it begins, one after the other."""
        self.heard = 0
        """How often input had come to its parent when it left that."""
        self.begins = self.reached = state.tick
        """The first tick of it, and the last that was seen."""
        self.ending: Stop | None = None
        """How it ends at the last tick, if it does."""
        self.full: int | None = None
        """The tick at which it has come to the limit of memory, beyond which it does not go."""
        self.arrived = bytearray(arrived)
        """All input that ever came, from the first byte on."""
        self.arrivals: list[Arrival] = []
        self.output = Log(output)
        self.keyframes = Keyframes(Keyframe(state, self.arrived), budget)
        self.loop: ProvenLoop | None = None
        self.past = Past(0 if parent else state.tick)
        """What conditions remember of it; branches of others inherit it when it is needed."""
        self.replaced: dict[tuple[int, int], Any] = {}
        """What cells held that were changed by hand where it begins."""

    def note_replaced(self, before: Plane) -> None:
        """Compare where it begins with the plane there was."""
        after = self.keyframes.first.plane()
        if after is not before:
            changes = plane_changes(before, after)
            self.replaced = {change.at: change.old for change in changes if change.at}

    def note_joined(self, before: Branch) -> None:
        """Have changed by hand, too, what was on a branch that this one takes the place of."""
        changed = {**self.replaced, **before.replaced}
        self.replaced = {at: old for at, old in changed.items() if old != self.first_cell(*at)}

    def first_cell(self, x: int, y: int) -> Any:
        """What a cell holds where it begins."""
        return self.keyframes.first.plane().cell(x, y)

    @property
    def last_arrival(self) -> int:
        """The tick at which input came last; a session that was opened may not have seen it yet."""
        return self.arrivals[-1].tick if self.arrivals else self.begins

    def receive(self, tick: int, data: bytes) -> None:
        """Note input that comes at a tick, from which on all is new; no bytes end it."""
        self.arrived += data
        self.arrivals.append(Arrival(tick, len(self.arrived), not data))
        self.loop = None
        self.past.forget_from(tick)

    def in_loop(self, tick: int) -> int:
        """The first tick that has the same state, but for its number."""
        if self.loop is None or tick < self.loop.tick:
            return tick
        first, period = self.loop
        return first + (tick - first) % period

    def __repr__(self) -> str:
        return f"<Branch {self.name!r} from tick {self.begins:,}>"
