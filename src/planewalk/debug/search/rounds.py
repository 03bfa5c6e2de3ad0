"""The next match of a condition in a run that repeats: one round is searched, others counted."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING

from ...core.base.deadline import OutOfTime
from ..conditions.grammar import Wanted
from .backwards import remember
from .forwards import Pause, Search

if TYPE_CHECKING:
    from ..session import Session


def next_in_loop(
    session: Session, wanted: Wanted, left: int, last: int | None, pause: Pause
) -> int | None:
    """The tick of the match from here on that is the `left`-th, up to the last; None if there is
    none. The session is in a loop that was proven. Raises `OutOfTime`."""
    assert session.branch.loop is not None
    length = lcm(session.branch.loop.period, wanted.condition.rhythm)
    start = session.tick
    turns = sorted(turn for turn in wanted.condition.turns if turn > start)
    for turn in (*turns, None):  # up to each, all rounds are like the first
        end = min((tick for tick in (turn, last) if tick is not None), default=None)
        stop = start + length if end is None else min(start + length, end)
        hits = _matches(session, wanted, start, stop, pause)
        if hits:
            rounds, number = divmod(left - 1, len(hits))
            found = hits[number] + rounds * length
            if end is None or found <= end:
                return found
            whole, rest = divmod(end - start, length)
            left -= whole * len(hits) + sum(hit <= start + rest for hit in hits)
        if end is None or end == last:
            return None
        start = end
    return None


def _matches(session: Session, wanted: Wanted, first: int, last: int, pause: Pause) -> list[int]:
    if not remember(session, wanted.condition, first, pause):
        raise OutOfTime
    course = session.aside(first)
    search = Search(session.language, course, wanted._replace(every=1), session.running)
    found = list(search.matches(last, pause))
    if course.tick < last:
        raise OutOfTime
    return found
