"""Finding the ticks at which a condition is true, at full speed where barriers can say when."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.barriers import Event, Landed, Took, Wrote
from ...core.base.deadline import Turnstile, no_pause
from ...core.language import Language
from ...core.limits import Limits
from ...core.observation import Step
from ...core.step import Hit, Spent, Stop
from ...engines.stepping.observe import Observer
from ..conditions.condition import Situation
from ..conditions.grammar import Wanted
from ..replay.course import Course, Pause, next_step

PART = 64
"""Bytes of a state."""


class Search:
    """Goes on along a course, from match to match of a condition."""

    def __init__(self, language: Language, course: Course, wanted: Wanted, limits: Limits) -> None:
        self.language, self.course, self.wanted = language, course, wanted
        self.condition = wanted.condition
        self._limits = limits
        self.stop: Stop | None = None
        """Why there were no more matches before the last tick."""
        self.hits = [0 for _ in wanted.each]
        """Matches that were met, those that do not count included."""
        self.rested_at = -1
        """The tick at which it was left."""
        self.true_at_start = self._is_true(None)
        """Whether it is true where the search begins, which is the past of what comes."""

    def rest(self) -> Search:
        """Leave the course to others: what was looked at tick by tick, compiled code knows not."""
        self.rested_at = self.course.tick
        if self.condition.barriers is None:
            self.course.renew()
        return self

    def matches(self, last: int | None, pause: Pause = lambda: False) -> Iterator[int]:
        """Ticks behind this one, up to the last, at which the condition is true."""
        slow = self.condition.barriers is None
        self.stop = None
        for tick in self._observed(last, pause) if slow else self._barred(last, pause):
            if self._counts():
                yield tick

    def _counts(self) -> bool:
        """Whether the match that was just met counts for one of the conditions."""
        counts = False
        for number, wanted in enumerate(self.wanted.each):
            if not self.wanted.among or wanted.condition.test(self._latest):
                self.hits[number] += 1
                counts |= self.hits[number] % wanted.every == 0
        return counts

    def _moment(self, events: tuple[Event, ...], step: Step | None) -> Situation:
        course = self.course

        def output(count: int) -> bytes:
            written = course.state.written
            return course.branch.output.read(max(written - count, 0), written)

        pause = self._limits.deadline.check if course.is_aside else no_pause  # walks finish a tick
        past = course.branch.past
        return Situation(self.language, course.state, events, output, step, past, pause)

    def _is_true(self, stop: Stop | None, step: Step | None = None) -> bool:
        events = stop.events if isinstance(stop, Hit) else ()
        self._latest = self._moment(events, step)
        return self.condition.sees(self._latest)

    def _barred(self, last: int | None, pause: Pause) -> Iterator[int]:
        """What was not true a tick ago can only become so at a barrier."""
        course, barriers = self.course, self.condition.watched
        was_true = True
        while (last is None or course.tick < last) and not pause():
            before = course.tick
            target = before + 1 if was_true else last
            stop = course.go(target, barriers, pause)
            if course.tick == before:
                self.stop = stop
                return
            was_true = self._is_true(stop)
            if was_true:
                yield course.tick
            if stop is not None and not isinstance(stop, Hit):
                self.stop = stop
                return

    def _observed(self, last: int | None, pause: Pause) -> Iterator[int]:
        """Tick by tick, with all that happens."""
        course = self.course
        observer = Observer(self.language, course.state, self._limits, asks=course.is_aside)
        turnstile, acted = Turnstile(self._limits.deadline.check), 0
        while (last is None or course.tick < last) and not (course.tick % 256 == 0 and pause()):
            turnstile.passed(acted)  # before a tick, so that each that is over was asked about
            heavy = course.tick % 256 == 0 and course.is_too_heavy(course.maker.clock())
            if heavy or course.is_full():
                self.stop = Spent("memory")
                return
            step = next_step(observer)
            if step is None:
                self.stop = observer.pause
                return
            course.note(observer.pause)
            course.feed()  # also what came when the run was over
            acted = len(step.actions) + 1
            if self.condition.remembers:  # of a state, in parts as large as actions are
                acted += course.state.memory() // PART
            if self._is_true(as_hit(step), step):
                yield course.tick
            if observer.pause is not None:
                self.stop = observer.pause
                return


def as_hit(step: Step) -> Hit:
    """All that happened in a step, as barriers would tell it."""
    events: list[Event] = [*step.reads, *step.writes]
    events += [Landed(move.after.stance) for move in step.moves]
    events += [Wrote(step.output)] if step.output else []
    events += [Took(step.input)] if step.input else []
    return Hit("", tuple(events))
