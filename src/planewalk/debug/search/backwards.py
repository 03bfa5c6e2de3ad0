"""Finding the ticks at which a condition was true, the latest first.

Runs only go forwards, so the past is searched in pieces, each from a keyframe on. Pieces are short
close to where the search begins, and a piece with many matches is halved: what is looked for is at
its end, and those before it need not all be met.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from ..conditions.condition import Condition, Firsts
from ..conditions.grammar import Wanted
from ..replay.branch import Branch
from ..replay.course import Pause
from ..replay.replay import Replay, given_up, in_time
from .forwards import Search

LEAPS = (1 << 22, 1 << 18, 1 << 14, 1 << 10, 1 << 6)
"""How many ticks before the search begins the first pieces do."""
MANY = 32
"""Matches that are met one by one before a piece is halved."""


def matches_back(
    replay: Replay, wanted: Wanted, last: int, pause: Pause, over_forks: bool = False
) -> Iterator[int]:
    """The ticks up to the last at which a condition was true, from there down to the first.

    Where a run forks, a state is replaced by another. What had led to the one before counts only
    if `over_forks` says so.
    """
    wanted = wanted._replace(every=1)
    if not remember(replay, wanted.condition, last, pause):
        raise given_up()
    if last > 0:
        replay.aside(last, LEAPS)
    for branch, end in reversed(replay.lineage(last)):
        later = over_forks and end < last
        yield from _matches_on(replay, branch, wanted, end + later, pause)


def _matches_on(
    replay: Replay, branch: Branch, wanted: Wanted, last: int, pause: Pause
) -> Iterator[int]:
    begin, reach = last, LEAPS[-1]
    while True:
        floor = _repeats_down_to(branch, wanted.condition, last)
        if floor is None:
            wish = max(min(begin - reach, last - 1), branch.begins)
            first = branch.keyframes.before(wish).tick
        else:
            assert branch.loop is not None
            first = max(last - lcm(branch.loop.period, wanted.condition.rhythm), floor)
        empty = True
        for tick in _within(replay, wanted, first, last, pause):
            empty = False
            yield tick
        last = floor if empty and floor is not None else first
        if last == branch.begins:
            return
        reach *= 16 if reach < LEAPS[0] else 2


def _repeats_down_to(branch: Branch, condition: Condition, tick: int) -> int | None:
    """The tick from which on every round of a loop is like the others; None outside loops."""
    first = alike_from(branch, condition)
    if first is None or tick <= first:
        return None
    return max([first, *(turn for turn in condition.turns if turn < tick)])


def alike_from(branch: Branch, condition: Condition) -> int | None:
    """The tick from which on every round of a loop is like the others: who remembers ticks before,
    has to know one round. None if the run is in no loop."""
    if branch.loop is None:
        return None
    return branch.loop.tick + (branch.loop.period if condition.remembers else 0)


def _within(replay: Replay, wanted: Wanted, first: int, last: int, pause: Pause) -> Iterator[int]:
    """The matches of one piece, the latest first."""
    in_time(pause)
    course = replay.aside(first)
    course.keep(near=True)
    search = Search(replay.language, course, wanted, replay.running)
    # Where a branch begins there is no tick before it that could lead there.
    begins = course.tick == course.branch.begins and search.true_at_start
    found = [course.tick] if begins else []
    for tick in search.matches(last, pause):
        found.append(tick)
        if len(found) >= MANY and last - tick > 1:
            middle = (tick + last) // 2
            yield from _within(replay, wanted, middle, last, pause)
            yield from _within(replay, wanted, tick, middle, pause)
            break
    else:
        if course.tick < last and search.stop is None:  # it was broken off
            raise given_up()
    yield from reversed(found)


def remember(replay: Replay, condition: Condition, last: int, pause: Pause) -> bool:
    """Have branches know what a condition must know of all ticks up to the last: where a search
    begins, and where others were before, makes no difference to it. False if there was a pause
    before that; what is known by then stays known."""
    if not condition.remembers:
        return True
    older: list[Firsts] = []
    for branch, end in replay.lineage(last):
        memories = condition.memories(branch.past)
        for memory, before in zip(memories, older, strict=False):
            if memory.known < branch.begins - 1:
                memory.inherit(before, branch.begins)
        alike = alike_from(branch, condition)
        first = min(memory.known for memory in memories) + 1
        final = end if alike is None else min(end, alike)
        if first <= final and not _look_at_all(replay, condition, first, final, pause):
            return False
        for memory in memories:
            memory.known = max(memory.known, end)
        older = memories
    return True


def _look_at_all(replay: Replay, condition: Condition, first: int, last: int, pause: Pause) -> bool:
    """Have a condition see all ticks from one to another; False if there was a pause."""
    wanted = Wanted(condition, 1, "")
    search = Search(replay.language, replay.aside(first), wanted, replay.running)
    for _ in search.matches(last, pause):
        pass
    return search.course.tick >= last or search.stop is not None
