"""How often breakpoints were hit, over a run that is walked to and fro.

Where only every so many hits count, a breakpoint counts them from where it was first run to, also
those that were stepped over, or met again after going back. Each condition is known by its
identity: one that is asked for once begins with no hits.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from ...core.base.deadline import never
from ..conditions.condition import Condition
from ..conditions.grammar import Wanted
from ..replay.replay import Replay
from .backwards import remember
from .forwards import Search

FURTHEST = 1 << 16
"""Ticks over which hits are still counted; a jump over more begins anew."""
MOST_PLACES = 64
"""Places at which the hits of one condition are known, at most."""

Place = tuple[str, int]
"""A branch, by its name, and a tick."""
Counted = tuple[Condition, dict[Place, int]]
"""A condition, and its hits up to some places."""


class HitLog:
    """The hits of breakpoints up to some places of a run."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self._counts: WeakKeyDictionary[Condition, dict[Place, int]] = WeakKeyDictionary()

    def note(self, wanted: Wanted, hits: int) -> None:
        """There were so many hits up to now."""
        if wanted.every > 1:
            counts = self._counts.setdefault(wanted.condition, {})
            counts[self.replay.branch.name, self.replay.tick] = hits
            if len(counts) > MOST_PLACES:
                for place in list(counts)[1::2]:
                    del counts[place]

    def counted(self) -> list[Counted]:
        """All that is known, to be told to another log."""
        return [(condition, dict(counts)) for condition, counts in self._counts.items()]

    def recount(self, counted: list[Counted]) -> None:
        """Know what another log knew."""
        self._counts.update(counted)

    def hits(self, wanted: Wanted) -> int | None:
        """The hits of a condition up to now; None if they are not known. Raises `OutOfTime`."""
        counts = self._counts.get(wanted.condition, {})
        replay = self.replay
        last = replay.tick
        for branch in reversed(replay.path(replay.branch)):
            ticks = [tick for name, tick in counts if name == branch.name and tick <= last]
            if ticks:
                first = max(ticks)
                since = self._since(first, wanted)
                return None if since is None else counts[branch.name, first] + since
            last = branch.begins  # the first tick of a fork is one of the run it came from, too
        return None

    def _since(self, first: int, wanted: Wanted) -> int | None:
        """The hits behind a tick, up to now."""
        replay = self.replay
        if replay.tick - first > FURTHEST:
            return None
        one, met = wanted._replace(every=1, among=()), 0
        remember(replay, one.condition, replay.tick, never)
        for course, last in replay.courses(first, replay.tick) if replay.tick > first else ():
            search = Search(replay.language, course, one, replay.running)
            met += sum(1 for _ in search.matches(last))
        return met
