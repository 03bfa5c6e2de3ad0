"""Going to where a condition is true, forwards or back, with breakpoints that count their hits."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice

from ...core.base.deadline import OutOfTime, never
from ...core.step import Hit, Stalled
from ..conditions.grammar import Wanted
from ..replay.course import Pause
from ..replay.replay import Replay
from .backwards import alike_from, matches_back, remember
from .forwards import Search
from .hits import HitLog
from .rounds import next_in_loop


class Finder:
    """The searches of a run: one that was paused goes on if nothing else happened since."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.hit_log = HitLog(replay)

    def until(self, wanted: Wanted, pause: Pause) -> None:
        """Go on to the next tick at which a condition is true."""
        replay = self.replay
        with replay.walking(pause):
            if not self._repeats(wanted):
                self.go_on(wanted, self._looking(wanted, pause), replay.limits.steps)
                if replay.stop is not None or not self._repeats(wanted):
                    return
            self._search_loop(wanted, pause)

    def _repeats(self, wanted: Wanted) -> bool:
        """Whether all that a condition can ask for comes again from now on."""
        first = alike_from(self.replay.branch, wanted.condition)
        return first is not None and self.replay.tick >= first

    def _looking(self, wanted: Wanted, pause: Pause) -> Pause:
        """Whether a search should end; it also looks whether the run repeats, if that is long."""
        began = self.replay.clock()

        def look() -> bool:
            self.replay.course.look_for_loop(self.replay.clock() - began)
            return pause() or self._repeats(wanted)

        return look

    def _search_loop(self, wanted: Wanted, pause: Pause) -> None:
        """Go on to the next match in a loop, or say that there is none."""
        replay, search, last = self.replay, self._paused(), self.replay.limits.steps
        met = self._met(wanted) if search is None else search.hits
        found = min(
            (
                (tick, number)
                for number, (one, hits) in enumerate(zip(wanted.each, met, strict=True))
                for tick in [next_in_loop(replay, one, one.every - hits % one.every, last, pause)]
                if tick is not None
            ),
            default=None,
        )
        if found is not None:
            self._go_to_hit(wanted, *found, pause)
        elif last is not None:
            replay.goto(last, pause)
        else:
            assert replay.branch.loop is not None
            every = f"the complete state repeats every {replay.branch.loop.period:,} steps"
            replay.stand(Stalled(f"{every}, and this is never true: {wanted.text}"))

    def _go_to_hit(self, wanted: Wanted, tick: int, number: int, pause: Pause) -> None:
        """Go to a tick at which one of several conditions is hit."""
        self.replay.goto(tick, pause)
        self.hit_log.note(wanted.each[number], 0)  # of every so many, the last one
        self.replay.stand(Hit(wanted.text))

    def go_on(self, wanted: Wanted, pause: Pause, last: int | None) -> None:
        """Go on to the next match, but not beyond the last tick."""
        replay, search = self.replay, self._paused()
        try:
            if search is None or search.wanted is not wanted:
                search = None
                if not remember(replay, wanted.condition, replay.tick, pause):
                    raise OutOfTime
                search = Search(replay.language, replay.course, wanted, replay.running)
                search.hits = self._met(wanted)
            found = next(search.matches(last, pause), None)
            replay.stand(search.stop if found is None else Hit(wanted.text))
        except OutOfTime:
            replay.stand(None)
        if search is not None:
            for one, hits in zip(wanted.each, search.hits, strict=True):
                self.hit_log.note(one, hits)
        replay.course.search = None if search is None else search.rest()

    def _paused(self) -> Search | None:
        """A search that was left at this very tick."""
        search: Search | None = self.replay.course.search
        return search if search is not None and search.is_resting() else None

    def _met(self, wanted: Wanted) -> list[int]:
        """The hits up to now of each that is wanted."""
        return [self.hit_log.hits(one) or 0 for one in wanted.each]

    def back_until(self, wanted: Wanted, pause: Pause) -> None:
        """Go back to the last tick before this at which a condition was true, or to the
        beginning."""
        found = self.find_back(wanted, pause)
        if found is None:
            self.replay.goto(0, pause)
        else:
            self._go_to_hit(wanted, *found, pause)

    def find_back(self, wanted: Wanted, pause: Pause) -> tuple[int, int] | None:
        """The last tick before this at which a condition was true, and which of several."""
        with self.replay.asking(pause):
            ticks = [self._last_match(one, pause) for one in wanted.each]
        found = [(tick, number) for number, tick in enumerate(ticks) if tick is not None]
        return max(found, default=None)

    def _last_match(self, wanted: Wanted, pause: Pause) -> int | None:
        found = matches_back(self.replay, wanted, self.replay.tick - 1, pause)
        return next(islice(found, self._passed(wanted), None), None)

    def _passed(self, wanted: Wanted) -> int:
        """How many matches do not count on the way back."""
        hits = None if wanted.every == 1 else self.hit_log.hits(wanted)
        if hits is None:
            return wanted.every - 1
        return (hits - self.is_true_now(wanted)) % wanted.every

    def is_true_now(self, wanted: Wanted, pause: Pause = never) -> bool:
        """Whether a condition is true at this very tick, with what led to it."""
        with self.replay.asking(pause):
            return self._is_true_now(wanted)

    def _is_true_now(self, wanted: Wanted) -> bool:
        replay = self.replay
        first = max(replay.tick - 1, replay.branch.begins)
        remember(replay, wanted.condition, replay.tick, never)
        one = wanted._replace(every=1, among=())
        search = Search(replay.language, replay.aside(first), one, replay.running)
        if first == replay.tick:
            return search.true_at_start
        return replay.tick in search.matches(replay.tick)

    def is_hit_now(self, wanted: Wanted, pause: Pause) -> bool:
        """Whether a condition is true at this very tick, and that is a hit that counts."""
        with self.replay.asking(pause):
            hit = self._is_true_now(wanted)
            return hit and (self.hit_log.hits(wanted) or 0) % wanted.every == 0

    def count(self, wanted: Wanted, pause: Pause) -> None:
        """Count the hits of a breakpoint from now on, unless they are counted already, or are
        counted up to here before `pause` says so."""
        known = None
        with self.replay.cancellation.by(pause), suppress(OutOfTime):
            known = self.hit_log.hits(wanted)
        if known is None:
            self.hit_log.note(wanted, 0)
