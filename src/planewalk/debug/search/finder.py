"""Going to where a condition is true, forwards or back, with breakpoints that count their hits."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from itertools import islice
from math import lcm

from ...core.base.deadline import OutOfTime, never
from ...core.errors import WrongType
from ...core.step import Hit, Stalled, Stop
from ..conditions.grammar import Wanted, parse
from ..replay.course import Pause
from ..replay.replay import Replay
from .backwards import alike_from, matches_back, remember
from .forwards import Search
from .hits import HitLog


class Finder(Replay):
    """A run that is searched: a search that was paused goes on if nothing else happened since."""

    @cached_property
    def hit_log(self) -> HitLog:
        return HitLog(self)

    def until(self, condition: str | Wanted, pause: Pause = never) -> Stop | None:
        """Go on to the next tick at which a condition is true; see `planewalk help conditions`."""
        wanted = self._wanted(condition)
        with self.walking(pause):
            repeats = self._repeats(wanted)
            if not repeats:
                self.go_on(wanted, self._looking(wanted, pause), self.limits.steps)
                repeats = self.stop is None and self._repeats(wanted)
            if repeats:
                self._search_loop(wanted, pause)
        return self.stop

    def _wanted(self, condition: str | Wanted) -> Wanted:
        if isinstance(condition, str):
            return parse(condition, self.language)
        if not isinstance(condition, Wanted):
            raise WrongType(f"condition: expected words such as 'output \"x\"', not {condition!r}")
        return condition

    def _repeats(self, wanted: Wanted) -> bool:
        """Whether all that a condition can ask for comes again from now on."""
        first = alike_from(self.branch, wanted.condition)
        return first is not None and self.tick >= first

    def _looking(self, wanted: Wanted, pause: Pause) -> Pause:
        """Whether a search should end; it also looks whether the run repeats, if that is long."""
        began = self.clock()

        def look() -> bool:
            self.course.look_for_loop(self.clock() - began)
            return pause() or self._repeats(wanted)

        return look

    def _search_loop(self, wanted: Wanted, pause: Pause) -> None:
        """Go on to the next match in a loop, or say that there is none."""
        search, last = self._paused(), self.limits.steps
        met = self._met(wanted) if search is None else search.hits
        found = []
        for number, (one, hits) in enumerate(zip(wanted.each, met, strict=True)):
            tick = next_in_loop(self, one, one.every - hits % one.every, last, pause)
            if tick is not None:
                found.append((tick, number))
        if found:
            self._go_to_hit(wanted, *min(found), pause)
        elif last is not None:
            self.goto(last, pause)
        else:
            assert self.branch.loop is not None
            every = f"the complete state repeats every {self.branch.loop.period:,} steps"
            self.stand(Stalled(f"{every}, and this is never true: {wanted.text}"))

    def _go_to_hit(self, wanted: Wanted, tick: int, number: int, pause: Pause) -> None:
        """Go to a tick at which one of several conditions is hit."""
        self.goto(tick, pause)
        self.hit_log.note(wanted.each[number], 0)  # of every so many, the last one
        self.stand(Hit(wanted.text))

    def go_on(self, wanted: Wanted, pause: Pause, last: int | None) -> None:
        """Go on to the next match, but not beyond the last tick."""
        search = self._paused()
        try:
            if search is None or search.wanted is not wanted:
                search = None
                if not remember(self, wanted.condition, self.tick, pause):
                    raise OutOfTime
                search = Search(self.language, self.course, wanted, self.running)
                search.hits = self._met(wanted)
            found = next(search.matches(last, pause), None)
            self.stand(search.stop if found is None else Hit(wanted.text))
        except OutOfTime:
            self.stand(None)
        if search is not None:
            for one, hits in zip(wanted.each, search.hits, strict=True):
                self.hit_log.note(one, hits)
        self.course.search = None if search is None else search.rest()

    def _paused(self) -> Search | None:
        """A search that was left at this very tick."""
        search: Search | None = self.course.search
        return search if search is not None and search.rested_at == self.tick else None

    def _met(self, wanted: Wanted) -> list[int]:
        """The hits up to now of each that is wanted."""
        return [self.hit_log.hits(one) or 0 for one in wanted.each]

    def back_until(self, condition: str | Wanted, pause: Pause = never) -> Stop | None:
        """Go back to the last tick before this at which a condition was true; if there was none,
        to the beginning."""
        wanted = self._wanted(condition)
        found = self.find_back(wanted, pause)
        if found is None:
            self.goto(0, pause)
        else:
            self._go_to_hit(wanted, *found, pause)
        return self.stop

    def find_back(self, wanted: Wanted, pause: Pause = never) -> tuple[int, int] | None:
        """The last tick before this at which a condition was true, and which of several."""
        with self.asking(pause):
            found = []
            for number, one in enumerate(wanted.each):
                ticks = matches_back(self, one, self.tick - 1, pause)
                tick = next(islice(ticks, self._passed(one), None), None)
                if tick is not None:
                    found.append((tick, number))
        return max(found, default=None)

    def _passed(self, wanted: Wanted) -> int:
        """How many matches do not count on the way back."""
        hits = None if wanted.every == 1 else self.hit_log.hits(wanted)
        if hits is None:
            return wanted.every - 1
        return (hits - self.is_true_now(wanted)) % wanted.every

    def is_true_now(self, wanted: Wanted, pause: Pause = never) -> bool:
        """Whether a condition is true at this very tick, with what led to it."""
        with self.asking(pause):
            return self._is_true_now(wanted)

    def _is_true_now(self, wanted: Wanted) -> bool:
        first = max(self.tick - 1, self.branch.begins)
        remember(self, wanted.condition, self.tick, never)
        one = wanted._replace(every=1, among=())
        search = Search(self.language, self.aside(first), one, self.running)
        if first == self.tick:
            return search.true_at_start
        return self.tick in search.matches(self.tick)

    def is_hit_now(self, wanted: Wanted, pause: Pause = never) -> bool:
        """Whether a condition is true at this very tick, and that is a hit that counts."""
        with self.asking(pause):
            hit = self._is_true_now(wanted)
            return hit and (self.hit_log.hits(wanted) or 0) % wanted.every == 0

    def count(self, wanted: Wanted, pause: Pause = never) -> None:
        """Count the hits of a breakpoint from now on, unless they are counted already, or are
        counted up to here before `pause` says so."""
        known = None
        with self.cancellation.by(pause), suppress(OutOfTime):
            known = self.hit_log.hits(wanted)
        if known is None:
            self.hit_log.note(wanted, 0)


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
