"""A run that stands at some tick, and how any other tick of it is reached.

Nothing is ever undone: going back is going forward again from a keyframe, on the fastest engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from ...core.base.deadline import Cancellation, OutOfTime, never
from ...core.engine import Engine
from ...core.errors import LimitReached, OptionError
from ...core.language import Language
from ...core.limits import Limits
from ...core.observation import Step
from ...core.program import Program
from ...core.state import State
from ...core.step import Stop
from ...core.stream import InputStream
from ...engines.choose import choose_engine
from ...engines.stepping.loops import LoopDetector
from ...engines.stepping.observe import Observer
from .branch import MAIN, Branch
from .course import Clock, Course, Garbage, Maker, Pause, is_over, next_step
from .keyframes import BUDGET

NEAR = (20_000, 10_000, 5_000, 2_500, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1)
"""How many ticks before a place that was gone back to further keyframes are left."""
MOST_TICKS = 1 << 62
"""Engines count them in 64 bits; no run gets there, but a loop that is skipped would."""


class Replay:
    """The branches of a run, one of which it stands on at some tick."""

    def __init__(
        self,
        program: Program,
        input: bytes | None = None,
        seed: int | None = None,
        *,
        limits: Limits | None = None,
        budget: int = BUDGET,
        engine: Callable[[Language, State, Limits], Engine] | None = None,
        clock: Clock = monotonic,
        write: Callable[[str, bytes], None] | None = None,
    ) -> None:
        """Input that is given is all there is; without any, the run waits for more. `write` is how
        files are written, for those who save it."""
        self.program = program
        self.language = program.language
        self.seed = program.seed_for(seed)
        self.limits = limits or Limits()
        self.budget = budget
        self.clock = clock
        self.engine, self.write = engine, write
        self.cancellation = Cancellation()
        self._garbage = Garbage()
        make = engine or (lambda *given: choose_engine("auto", *given))
        self._maker = Maker(
            lambda state: make(self.language, state, self.running),
            self.running,
            clock,
            lambda state: LoopDetector(self.language, state, self.running, clock),
            self._garbage,
        )
        state = program.start(self.seed)
        state.input = InputStream(input or b"", closed=input is not None)
        first = Branch(MAIN, state, input or b"", budget=budget)
        self.branches: dict[str, Branch] = {MAIN: first}
        self._go_to_branch(first)

    @property
    def running(self) -> Limits:
        """Limits that engines look at themselves; steps and time are ours."""
        return self.limits._replace(steps=None, seconds=None, deadline=self.cancellation)

    @contextmanager
    def walking(self, asks: Pause) -> Iterator[None]:
        """A walk that ends where it is when `asks` says so, even in the midst of a tick."""
        with self.cancellation.by(asks):
            try:
                yield
            except OutOfTime:
                self.stand(None)

    @contextmanager
    def asking(self, asks: Pause) -> Iterator[None]:
        """A question that is given up when `asks` says so, even in the midst of a tick."""
        self._garbage.collect()
        with self.cancellation.by(asks):
            try:
                yield
            except OutOfTime:
                raise given_up() from None
        self._garbage.collect()

    def breathe(self) -> None:
        """A pause of long work that a question is made of."""
        self.cancellation.check()

    def _go_to_branch(self, branch: Branch) -> None:
        self.course = Course(branch, branch.keyframes.first, self._maker)
        self.course.go(branch.begins)

    # Now -------------------------------------------------------------------------------------

    @property
    def branch(self) -> Branch:
        """The course of the run that is being walked on."""
        return self.course.branch

    @property
    def tick(self) -> int:
        """How many ticks are over."""
        return self.course.tick

    @property
    def state(self) -> State:
        """Everything there is at this tick; to be looked at, not to be changed."""
        return self.course.state

    @property
    def stop(self) -> Stop | None:
        """Why the run stands here, if it does not just so."""
        return self.course.stop

    @property
    def written(self) -> int:
        """How many bytes were written up to now."""
        return self.state.written

    @property
    def output(self) -> bytes:
        """All that was written up to now."""
        return self.output_between(0, self.written)

    def output_between(self, first: int, last: int) -> bytes:
        """A part of it."""
        return self.branch.output.read(first, min(last, self.written))

    @property
    def reached(self) -> int:
        """The furthest tick of this branch that was ever seen."""
        return self.branch.reached

    def stand(self, stop: Stop | None) -> None:
        """Stand here for that reason, as known from elsewhere."""
        self.course.stop = stop

    # Walking ---------------------------------------------------------------------------------

    def forward(self, ticks: int = 1, pause: Pause = never) -> Stop | None:
        """Go so many ticks on, or as far as the program goes."""
        return self.goto(self.tick + _whole(ticks), pause)

    def back(self, ticks: int = 1, pause: Pause = never) -> Stop | None:
        """Go so many ticks back, or to the beginning."""
        return self.goto(max(self.tick - _whole(ticks), 0), pause)

    def goto(self, tick: int, pause: Pause = never) -> Stop | None:
        """Go to a tick, earlier or later; a run that ends before ends there. `pause` is asked now
        and then, and stops the walk if it says so."""
        tick = _whole(tick)
        branch = self.branch_at(tick)
        known = branch.in_loop(tick)
        with self.walking(pause):
            keyframe_between = branch.keyframes.before(known).tick > self.tick
            if branch is not self.branch or tick < self.tick or keyframe_between:
                self._jump(branch, known)
            self._run_to(tick, pause)
        return self.stop

    def end(self, pause: Pause = never) -> Stop | None:
        """Go on until the program ends, waits for input, reaches a limit, or is paused."""
        with self.walking(pause):
            self._run_to(self.limits.steps, pause)
        return self.stop

    def switch(self, name: str, pause: Pause = never) -> Stop | None:
        """Go to a branch, at this tick of it or the nearest there is."""
        branch, tick = self.branch_of(name), self.tick
        self._go_to_branch(branch)
        known = max(branch.reached, branch.last_arrival)  # a file may not say how far it was seen
        return self.goto(max(min(tick, known), branch.begins), pause)

    def _run_to(self, tick: int | None, pause: Pause) -> None:
        """Run on, and skip all rounds of a loop that is found on the way."""

        course, first, began = self.course, self.tick, self.clock()

        def look() -> bool:
            seconds, ticks = self.clock() - began, max(course.tick - first, 1)
            left = seconds if tick is None else seconds * (tick - course.tick) / ticks
            course.look_for_loop(seconds, left)
            return pause() or self.branch.loop is not None

        course.go(tick, pause=pause if self.branch.loop is not None else look)
        if tick is None or self.branch.loop is None or is_over(course.stop) or self.tick >= tick:
            return
        self._jump(self.branch, self.branch.in_loop(tick))
        self.course.skip_rounds(tick)

    def _jump(self, branch: Branch, tick: int) -> None:
        """Be at a tick that is not ahead of here, and leave keyframes close before it."""
        keyframe = branch.keyframes.before(tick)
        self.cancellation.check()
        self._garbage.note(self.state)
        del self.course  # two states at once would take twice the memory
        self._garbage.collect()
        self.course = Course(branch, keyframe, self._maker)
        self.course.approach(tick, NEAR if tick <= branch.reached else ())

    # Branches --------------------------------------------------------------------------------

    def branch_at(self, tick: int, on: Branch | None = None) -> Branch:
        """This branch, or another one, or the one it came from where it was not yet."""
        branch = on or self.branch
        while tick < branch.begins and branch.parent is not None:
            branch = self.branches[branch.parent]
        return branch

    def branch_of(self, name: str) -> Branch:
        if name not in self.branches:
            raise OptionError(f"there is no branch {name!r}; there are {', '.join(self.branches)}")
        return self.branches[name]

    def path(self, branch: Branch) -> list[Branch]:
        """The branches from the first one to another, each made from the one before."""
        found = [branch]
        while found[-1].parent:
            found.append(self.branches[found[-1].parent])
        return found[::-1]

    def lineage(self, last: int, on: Branch | None = None) -> list[tuple[Branch, int]]:
        """The branches that led to a tick, the oldest first, each with the last tick that counts:
        what one did later, the next does not know."""
        found = []
        while last >= 0:
            branch = self.branch_at(last, on)
            found.append((branch, last))
            last = branch.begins - 1
        return found[::-1]

    # Elsewhere -------------------------------------------------------------------------------

    def aside(self, tick: int, distances: Iterable[int] = (), on: Branch | None = None) -> Course:
        """A course of its own at a tick that was seen, or the last before it; keyframes are left so
        many ticks before it. Of another branch, if one is given."""
        self.cancellation.check()
        branch = self.branch_at(tick, on)
        known = branch.in_loop(tick)
        self._garbage.collect()
        course = Course(branch, branch.keyframes.before(known), self._maker)
        course.is_aside = True
        course.approach(known, distances)
        course.skip_rounds(tick)
        return course

    def state_at(self, tick: int) -> State:
        """The state at another tick, without going there."""
        return self.aside(tick).state

    def steps(self, first: int, last: int, on: Branch | None = None) -> Iterator[Step]:
        """What happened in the ticks from one up to another, without going there."""
        for course, end in self.courses(first, last, on):
            yield from self.steps_of(course, end)

    def courses(
        self, first: int, last: int, on: Branch | None = None
    ) -> Iterator[tuple[Course, int]]:
        """Courses from one tick up to another, each with the tick where the next branch begins."""
        for branch, end in self.lineage(last - 1, on):
            if end >= first:
                yield self.aside(max(first, branch.begins), on=on), end + 1

    def steps_of(self, course: Course, last: int) -> Iterator[Step]:
        """What happens on a course aside, up to a tick; the observer looks at the time."""
        observer = Observer(self.language, course.state, self.running, asks=course.is_aside)
        while course.tick < last:
            course.feed()
            step = next_step(observer)
            if step is None:
                return
            course.state.take_output()
            yield step

    def ticks_around_output(self, index: int) -> tuple[int, int]:
        """A tick before a byte of the output was written, and a later one: close keyframes."""
        keyframes = [
            branch.keyframes.before(tick)
            for branch, last in self.lineage(self.tick)
            for tick in branch.keyframes.ticks()
            if tick <= last
        ]
        before = max(keyframe.tick for keyframe in keyframes if keyframe.written <= index)
        later = [keyframe.tick for keyframe in keyframes if keyframe.written > index]
        return before, min([self.tick, *later])


def in_time(pause: Pause) -> None:
    """Refuse to answer a question that was broken off: what was not found may well be there."""
    if pause():
        raise given_up()


def given_up() -> LimitReached:
    """What is raised instead of an answer that might be wrong."""
    return LimitReached("the question was given up; it takes longer than there is time", "time")


def _whole(ticks: Any) -> int:
    if isinstance(ticks, bool) or not isinstance(ticks, int) or ticks < 0:
        raise OptionError(f"ticks are whole numbers from 0 on, not {ticks!r}")
    if ticks > MOST_TICKS:
        raise OptionError(f"ticks are numbers up to {MOST_TICKS:,}")
    return ticks
