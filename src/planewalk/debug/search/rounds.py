"""The next match of a condition in a run that repeats: one round is searched, others counted."""

from __future__ import annotations

from math import lcm

from ...core.base.deadline import OutOfTime
from ..conditions.grammar import Wanted
from ..replay.course import Pause
from ..replay.replay import Replay
from .backwards import remember
from .forwards import Search


def next_in_loop(
    replay: Replay, wanted: Wanted, left: int, last: int | None, pause: Pause
) -> int | None:
    """The tick of the match from here on that is the `left`-th, up to the last; None if there is
    none. The run is in a loop that was proven. Raises `OutOfTime`."""
    assert replay.branch.loop is not None
    length = lcm(replay.branch.loop.period, wanted.condition.rhythm)
    start = replay.tick
    turns = sorted(turn for turn in wanted.condition.turns if turn > start)
    for turn in (*turns, None):  # up to each, all rounds are like the first
        end = min((tick for tick in (turn, last) if tick is not None), default=None)
        stop = start + length if end is None else min(start + length, end)
        hits = _matches(replay, wanted, start, stop, pause)
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


def _matches(replay: Replay, wanted: Wanted, first: int, last: int, pause: Pause) -> list[int]:
    if not remember(replay, wanted.condition, first, pause):
        raise OutOfTime
    course = replay.aside(first)
    search = Search(replay.language, course, wanted._replace(every=1), replay.running)
    found = list(search.matches(last, pause))
    if course.tick < last:
        raise OutOfTime
    return found
