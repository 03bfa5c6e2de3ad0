"""How often breakpoints were hit, over a run that is walked to and fro.

Where only every so many hits count, a breakpoint counts them from where it was first run to, also
those that somebody stepped over, or went back behind and met again. Each condition is known by its
identity: one that is asked for once begins with no hits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ...core.base.deadline import never
from ..conditions.condition import Condition
from ..conditions.grammar import Wanted
from .backwards import remember
from .forwards import Search

if TYPE_CHECKING:
    from ..session import Session

FURTHEST = 1 << 16
"""Ticks that somebody may have gone on since hits were counted last. A jump over more begins
anew: there may be any number of hits in it."""
MOST_PLACES = 64
"""Places at which the hits of one condition are known, at most."""

Place = tuple[str, int]
"""A branch, by its name, and a tick."""


class HitLog:
    """The hits of breakpoints up to some places of a run."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._counts: WeakKeyDictionary[Condition, dict[Place, int]] = WeakKeyDictionary()

    def note(self, wanted: Wanted, hits: int) -> None:
        """There were so many hits up to now."""
        if wanted.every > 1:
            counts = self._counts.setdefault(wanted.condition, {})
            counts[self.session.branch.name, self.session.tick] = hits
            if len(counts) > MOST_PLACES:
                for place in list(counts)[1::2]:
                    del counts[place]

    def counted(self) -> list[tuple[Condition, dict[Place, int]]]:
        """All that is known, to be told to another log."""
        return [(condition, dict(counts)) for condition, counts in self._counts.items()]

    def recount(self, counted: list[tuple[Condition, dict[Place, int]]]) -> None:
        """Know what another log knew."""
        self._counts.update(counted)

    def hits(self, wanted: Wanted) -> int | None:
        """The hits of a condition up to now; None if nobody knows. Raises `OutOfTime`."""
        counts = self._counts.get(wanted.condition, {})
        session = self.session
        last = session.tick
        for branch in reversed(session.path(session.branch)):
            ticks = [tick for name, tick in counts if name == branch.name and tick <= last]
            if ticks:
                first = max(ticks)
                since = self._since(first, wanted)
                return None if since is None else counts[branch.name, first] + since
            last = branch.begins  # the first tick of a fork is one of the run it came from, too
        return None

    def _since(self, first: int, wanted: Wanted) -> int | None:
        """The hits behind a tick, up to now."""
        session = self.session
        if session.tick - first > FURTHEST:
            return None
        one, met = wanted._replace(every=1, among=()), 0
        remember(session, one.condition, session.tick, never)
        for course, last in session.courses(first, session.tick) if session.tick > first else ():
            search = Search(session.language, course, one, session.running)
            met += sum(1 for _ in search.matches(last))
        return met
