"""A run one can walk through in both directions.

Nothing is ever undone: going back is going forward again from a keyframe, on the fastest engine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from time import monotonic
from typing import Any

from ..core.base.deadline import Leash, OutOfTime, never
from ..core.engine import Engine
from ..core.errors import OptionError, WrongType
from ..core.keyframe import Keyframe
from ..core.language import Language
from ..core.limits import Limits
from ..core.observation import Step
from ..core.program import Program
from ..core.state import State
from ..core.step import Hit, Stalled, Stop
from ..core.stream import InputStream
from ..core.text import bytes_of
from ..engines.choose import choose_engine
from ..engines.stepping.loops import LoopDetector
from ..engines.stepping.observe import Observer
from .asking import questions
from .asking.causes import Cause
from .asking.compare import Comparison, compare
from .asking.questions import Deed, Visits
from .conditions.grammar import Wanted, parse
from .edits import edited
from .replay.branch import Branch
from .replay.course import Clock, Course, Maker, is_over, next_step
from .replay.keyframes import BUDGET
from .replay.remains import Remains
from .search.backwards import alike_from, given_up, matches_back, remember
from .search.forwards import Pause, Search
from .search.hits import HitLog
from .search.rounds import next_in_loop

NEAR = (20_000, 10_000, 5_000, 2_500, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1)
"""How many ticks before a place that was gone back to further keyframes are left."""
LONG_RUN = 2.0
"""Seconds that a run has to take, or still will, for somebody to look whether it repeats."""
MAIN = "main"
MOST_TICKS = 1 << 62
"""Engines count them in 64 bits; no run gets there, but a loop that is skipped would."""


class Session:
    """A run of a program, at some tick of it: `tick`, `state`, `output` and `stop` are now.

    `forward`, `back`, `goto` and `end` walk; each gives why the run stands where it does, or None
    if it could simply go on. `state` is to be looked at; `edit` is how to change it.
    """

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
        """Input that is given is all there is; without any, the run waits for `feed`. `write` is
        how files are written, for `save`."""
        self.program = program
        self.language = program.language
        self.seed = program.seed_for(seed)
        self.limits = limits or Limits()
        self.budget = budget
        self._clock = clock
        self.write = write
        self._engine = engine
        self._leash = Leash()
        self._remains = Remains()
        make = engine or (lambda *given: choose_engine("auto", *given))
        self._maker = Maker(
            lambda state: make(self.language, state, self.running),
            self.running,
            clock,
            lambda state: LoopDetector(self.language, state, self.running, clock),
            self._remains,
        )
        state = program.start(self.seed)
        state.input = InputStream(input or b"", closed=input is not None)
        first = Branch(MAIN, state, input or b"", budget=budget)
        self.branches: dict[str, Branch] = {MAIN: first}
        self.hit_log = HitLog(self)
        self._go_to_branch(first)

    @property
    def settings(self) -> dict[str, Any]:
        """How it was made, beside what a walk file says."""
        return {
            "limits": self.limits,
            "budget": self.budget,
            "engine": self._engine,
            "clock": self._clock,
            "write": self.write,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        from .portable import arrive, depart  # only where it leaves the process

        return arrive, (depart(self),)

    @property
    def running(self) -> Limits:
        """Limits that engines look at themselves; steps and time are ours."""
        return self.limits._replace(steps=None, seconds=None, deadline=self._leash)

    @contextmanager
    def _walking(self, asks: Pause) -> Iterator[None]:
        """A walk that ends where it is when `asks` says so, even in the midst of a tick."""
        with self._leash.held(asks):
            try:
                yield
            except OutOfTime:
                self._course.stop = None

    @contextmanager
    def asking(self, asks: Pause) -> Iterator[None]:
        """A question that is given up when `asks` says so, even in the midst of a tick."""
        self._remains.sweep()
        with self._leash.held(asks):
            try:
                yield
            except OutOfTime:
                raise given_up() from None
        self._remains.sweep()

    def breathe(self) -> None:
        """A pause of long work that a question is made of."""
        self._leash.check()

    def _go_to_branch(self, branch: Branch) -> None:
        self._ongoing: Search | None = None
        self._course = Course(branch, branch.keyframes.first, self._maker)
        self._course.go(branch.begins)

    def __repr__(self) -> str:
        where = f"tick {self.tick:,} of {self.reached:,}" if self.reached else "tick 0"
        branch = "" if self.branch.parent is None else f" on {self.branch.name!r}"
        return f"<Session of {self.language.title}: {where}{branch}>"

    # Now -------------------------------------------------------------------------------------

    @property
    def branch(self) -> Branch:
        """The course of the run that is being walked on."""
        return self._course.branch

    @property
    def tick(self) -> int:
        """How many ticks are over."""
        return self._course.tick

    @property
    def state(self) -> State:
        """Everything there is at this tick; to be looked at, not to be changed."""
        return self._course.state

    @property
    def stop(self) -> Stop | None:
        """Why the run stands here, if it does not just so."""
        return self._course.stop

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
        self._course.stop = stop

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
        with self._walking(pause):
            if branch is not self.branch or tick < self.tick or self._is_nearer(branch, known):
                self._jump(branch, known)
            self._run_to(tick, pause)
        return self.stop

    def end(self, pause: Pause = never) -> Stop | None:
        """Go on until the program ends, waits for input, reaches a limit, or is paused."""
        with self._walking(pause):
            self._run_to(self.limits.steps, pause)
        return self.stop

    def run(
        self,
        seconds: float,
        wanted: Wanted | None = None,
        ticks: int | None = None,
        hurry: Pause = never,
    ) -> Stop | None:
        """Go on for about that long and at most so many ticks, for whoever has other things to do
        in between; to where a condition is true, if there is one. A tick that has begun is done to
        its end, however long it takes, unless `hurry` says otherwise."""
        until = self._clock() + seconds
        last = self.limits.steps if ticks is None else self.tick + ticks
        with self._walking(hurry):
            if wanted is not None:
                self._search(wanted, lambda: self._clock() >= until, last)
            else:
                self._course.go(last, pause=lambda: self._clock() >= until)
        return self.stop

    def _run_to(self, tick: int | None, pause: Pause) -> Stop | None:
        """Run on, and skip all rounds of a loop that is found on the way."""

        course, first, began = self._course, self.tick, self._clock()

        def look() -> bool:
            seconds, ticks = self._clock() - began, max(course.tick - first, 1)
            left = seconds if tick is None else seconds * (tick - course.tick) / ticks
            if left > LONG_RUN:
                course.look_for_loop(seconds)
            return pause() or self.branch.loop is not None

        course.go(tick, pause=pause if self.branch.loop is not None else look)
        if tick is None or self.branch.loop is None or is_over(course.stop) or self.tick >= tick:
            return self.stop
        self._jump(self.branch, self.branch.in_loop(tick))
        self._course.skip_rounds(tick)
        return self.stop

    def _is_nearer(self, branch: Branch, tick: int) -> bool:
        """Whether a keyframe lies between here and there."""
        return branch.keyframes.before(tick).tick > self.tick

    def _jump(self, branch: Branch, tick: int) -> None:
        """Be at a tick that is not ahead of here, and leave keyframes close before it."""
        keyframe = branch.keyframes.before(tick)
        self._leash.check()
        self._remains.see(self.state)
        del self._course  # two states at once would take twice the memory
        self._course = self._new_course(branch, keyframe)
        self._course.approach(tick, NEAR if tick <= branch.reached else ())

    def _new_course(self, branch: Branch, keyframe: Keyframe) -> Course:
        self._remains.sweep()
        return Course(branch, keyframe, self._maker)

    def branch_at(self, tick: int, on: Branch | None = None) -> Branch:
        """This branch, or another one, or the one it came from where it was not yet."""
        branch = on or self.branch
        while tick < branch.begins and branch.parent is not None:
            branch = self.branches[branch.parent]
        return branch

    def branch_of(self, name: str) -> Branch:
        """The branch of a name."""
        if name not in self.branches:
            raise OptionError(f"there is no branch {name!r}; there are {', '.join(self.branches)}")
        return self.branches[name]

    def path(self, branch: Branch) -> list[Branch]:
        """The branches from the first one to another, each made from the one before."""
        found = [branch]
        while found[-1].parent:
            found.append(self.branches[found[-1].parent])
        return found[::-1]

    # Conditions ------------------------------------------------------------------------------

    def until(self, condition: str | Wanted, pause: Pause = never) -> Stop | None:
        """Go on to the next tick at which a condition is true; see `planewalk help conditions`."""
        wanted = _wanted(condition, self.language)
        with self._walking(pause):
            if not self._repeats(wanted):
                self._search(wanted, self._looking(wanted, pause), self.limits.steps)
                if self.stop is not None or not self._repeats(wanted):
                    return self.stop
            self._search_loop(wanted, pause)
        return self.stop

    def _repeats(self, wanted: Wanted) -> bool:
        """Whether all that a condition can ask for comes again from now on."""
        first = alike_from(self.branch, wanted.condition)
        return first is not None and self.tick >= first

    def _looking(self, wanted: Wanted, pause: Pause) -> Pause:
        """Whether a search should end; it also looks whether the run repeats, if that is long."""
        began = self._clock()

        def look() -> bool:
            seconds = self._clock() - began
            if seconds > LONG_RUN:
                self._course.look_for_loop(seconds)
            return pause() or self._repeats(wanted)

        return look

    def _search_loop(self, wanted: Wanted, pause: Pause) -> None:
        """Go on to the next match in a loop, or say that there is none."""
        search, last = self._ongoing, self.limits.steps
        goes_on = search is not None and search.is_at(self._course)
        met = search.hits if search is not None and goes_on else self._met(wanted)
        found = min(
            (
                (tick, number)
                for number, (one, hits) in enumerate(zip(wanted.each, met, strict=True))
                for tick in [next_in_loop(self, one, one.every - hits % one.every, last, pause)]
                if tick is not None
            ),
            default=None,
        )
        if found is not None:
            self.goto(found[0], pause)
            self.hit_log.note(wanted.each[found[1]], 0)  # of every so many, the last one
            self._course.stop = Hit(wanted.text)
        elif last is not None:
            self.goto(last, pause)
        else:
            assert self.branch.loop is not None
            every = f"the complete state repeats every {self.branch.loop.period:,} steps"
            self._course.stop = Stalled(f"{every}, and this is never true: {wanted.text}")

    def _search(self, wanted: Wanted, pause: Pause, last: int | None) -> Stop | None:
        """Go on to the next match; a search that was paused goes on if nothing else happened."""
        search = self._ongoing
        try:
            if search is None or search.wanted is not wanted or not search.is_at(self._course):
                search = None
                if not remember(self, wanted.condition, self.tick, pause):
                    raise OutOfTime
                search = Search(self.language, self._course, wanted, self.running)
                search.hits = self._met(wanted)
            found = next(search.matches(last, pause), None)
            self._course.stop = search.stop if found is None else Hit(wanted.text)
        except OutOfTime:
            self._course.stop = None
        if search is not None:
            for one, hits in zip(wanted.each, search.hits, strict=True):
                self.hit_log.note(one, hits)
        self._ongoing = None if search is None else search.rest()
        return self.stop

    def _met(self, wanted: Wanted) -> list[int]:
        """The hits up to now of each that is wanted."""
        return [self.hit_log.hits(one) or 0 for one in wanted.each]

    def back_until(self, condition: str | Wanted, pause: Pause = never) -> Stop | None:
        """Go back to the last tick before this at which a condition was true; if there was none,
        to the beginning."""
        wanted = _wanted(condition, self.language)
        found = self._found_back(wanted, pause)
        self.goto(0 if found is None else found[0], pause)
        if found is not None:
            self.hit_log.note(wanted.each[found[1]], 0)  # of every so many, the last one
            self._course.stop = Hit(wanted.text)
        return self.stop

    def find_back(self, wanted: Wanted, pause: Pause = never) -> int | None:
        """The last tick before this at which a condition was true."""
        found = self._found_back(wanted, pause)
        return None if found is None else found[0]

    def _found_back(self, wanted: Wanted, pause: Pause) -> tuple[int, int] | None:
        """That tick, and which one of several was true at it."""
        with self.asking(pause):
            ticks = [self._last_match(one, pause) for one in wanted.each]
        found = [(tick, number) for number, tick in enumerate(ticks) if tick is not None]
        return max(found, default=None)

    def _last_match(self, wanted: Wanted, pause: Pause) -> int | None:
        found = matches_back(self, wanted, self.tick - 1, pause)
        return next(islice(found, self._passed(wanted), None), None)

    def _passed(self, wanted: Wanted) -> int:
        """How many matches do not count on the way back."""
        hits = None if wanted.every == 1 else self.hit_log.hits(wanted)
        if hits is None:
            return wanted.every - 1
        return (hits - self.is_true_now(wanted)) % wanted.every

    # Steps -----------------------------------------------------------------------------------

    def steps(self, first: int, last: int, on: Branch | None = None) -> Iterator[Step]:
        """What happened in the ticks from one up to another, without going there."""
        for course, end in self.courses(first, last, on):
            yield from self.steps_of(course, end)

    def courses(
        self, first: int, last: int, on: Branch | None = None
    ) -> Iterator[tuple[Course, int]]:
        """Courses from one tick up to another, each with the tick at which the next begins: one for
        every branch on the way."""
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

    def lineage(self, last: int, on: Branch | None = None) -> list[tuple[Branch, int]]:
        """The branches that led to a tick, the oldest first, each with the last tick that counts:
        what one did later, the next does not know."""
        found = []
        while last >= 0:
            branch = self.branch_at(last, on)
            found.append((branch, last))
            last = branch.begins - 1
        return found[::-1]

    def state_at(self, tick: int) -> State:
        """The state at another tick, without going there."""
        return self.aside(tick).state

    def aside(self, tick: int, distances: Iterable[int] = (), on: Branch | None = None) -> Course:
        """A course of its own at a tick that was seen, or the last before it; keyframes are left so
        many ticks before it. Of another branch, if one is given."""
        self._leash.check()
        branch = self.branch_at(tick, on)
        known = branch.in_loop(tick)
        course = self._new_course(branch, branch.keyframes.before(known))
        course.is_aside = True
        course.approach(known, distances)
        course.skip_rounds(tick)
        return course

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

    def count(self, wanted: Wanted, pause: Pause = never) -> None:
        """Count the hits of a breakpoint from now on, unless they are counted already, or are
        counted up to here before `pause` says so."""
        known = None
        with self._leash.held(pause), suppress(OutOfTime):
            known = self.hit_log.hits(wanted)
        if known is None:
            self.hit_log.note(wanted, 0)

    def is_hit_now(self, wanted: Wanted, pause: Pause = never) -> bool:
        """Whether a condition is true at this very tick, and that is a hit that counts."""
        with self.asking(pause):
            hit = self._is_true_now(wanted)
            return hit and (self.hit_log.hits(wanted) or 0) % wanted.every == 0

    def ticks_around_output(self, index: int) -> tuple[int, int]:
        """A tick at which a byte of the output was not written yet, and a later one at which it
        was, as close as keyframes can tell."""
        ticks = [
            keyframe
            for branch, last in self.lineage(self.tick)
            for keyframe in branch.keyframes.up_to(last)
        ]
        before = max(keyframe.tick for keyframe in ticks if keyframe.written <= index)
        later = [keyframe.tick for keyframe in ticks if keyframe.written > index]
        return before, min([self.tick, *later])

    # Questions -------------------------------------------------------------------------------
    #
    # `pause` is asked now and then; if it says so, a question is given up with `LimitReached`.

    def who_wrote(self, x: int, y: int, pause: Pause = never) -> Deed | None:
        """The last write to a cell up to now; None if it holds what it held at the beginning."""
        with self.asking(pause):
            return questions.who_wrote(self, x, y, pause)

    def last_read(self, x: int, y: int, pause: Pause = never) -> Deed | None:
        """The last time up to now that a cell was read as data; None if it never was."""
        with self.asking(pause):
            return questions.last_read(self, x, y, pause)

    def biography(
        self, x: int, y: int, pause: Pause = never, most: int | None = None
    ) -> list[Deed]:
        """All values that a cell has had up to now, from the first on: each with who wrote it; if
        there are more than `most`, the latest of them."""
        with self.asking(pause):
            return questions.biography(self, x, y, pause, most)

    def when_written(self, index: int, pause: Pause = never) -> Deed | None:
        """When a byte of the output was written, and by whom; None if it was not yet."""
        with self.asking(pause):
            return questions.when_written(self, index, pause)

    def why(
        self,
        *,
        output: int | None = None,
        cell: tuple[int, int] | None = None,
        stack: int | None = None,
        pause: Pause = never,
    ) -> Cause | None:
        """Where a byte of the output, a cell, or a value of the stack (0 at the top) comes from: a
        tree of causes down to cells and input bytes, each with tick and place."""
        with self.asking(pause):
            return questions.why(self, output, cell, stack, pause)

    def visits(self, pause: Pause = never) -> dict[tuple[Any, Any], Visits]:
        """How often and from which headings each cell was executed, up to now."""
        with self.asking(pause):
            return questions.visits(self, pause)

    def compare(self, first: str, second: str | None = None, pause: Pause = never) -> Comparison:
        """Two branches by their names, the second is this one if none is given: where they fork,
        what is different there, and the first tick in which they do not do the same."""
        with self.asking(pause):
            return compare(self, first, second or self.branch.name)

    # Changing the run ------------------------------------------------------------------------

    def feed(self, data: bytes | str) -> None:
        """More input; nothing at all means that there will be no more. In the past it forks."""
        if not isinstance(data, (str, bytes, bytearray, memoryview)):
            raise WrongType(f"data: expected bytes or a string, not {data!r}")
        data = bytes_of(data) if isinstance(data, str) else bytes(data)
        if self.state.input.closed:
            raise OptionError("the input has ended already; edit(input=...) changes what is unread")
        if self.tick < max(self.reached, self.branch.last_arrival):
            self.fork()
        self._ongoing = None
        self.branch.receive(self.tick, data)
        self._course.go(self.tick)

    def edit(self, **change: Any) -> Branch:
        """Change something here and go on from it, on a branch of its own: `cell=(5, 2),
        value=118`, `cells={(5, 2): 118, ...}`, `stack=0, value=7` (0 at the top),
        `register="counter", value=1`, `walker=0, value=Stance(...)` (None removes it), or
        `input=b"..."`: what is unread from now on."""
        state, told = edited(self.language, self.state, pause=self._leash.check, **change)
        read = state.input.position
        unread = bytes(state.input.data[read - state.input.dropped :])
        arrived = bytes(self.branch.arrived[:read]) + unread
        branch = self._fork(told, state, arrived)
        branch.edits = (change,)
        return branch

    def fork(self) -> Branch:
        """Go on from here on a branch of its own, to which other input may come."""
        return self._fork("input", self.state.copy())

    def reload(self, source: bytes | str, pause: Pause = never) -> Stop | None:
        """Run another source with the same language, options, input and seed, to the same tick."""
        source = bytes_of(source) if isinstance(source, str) else bytes(source)
        options = self.program.options
        program = Program(self.language, source, options)
        state = program.start(self.seed)
        first = self.branches[MAIN]
        begun = bytes(first.arrived[: first.keyframes.first.length])
        state.input = InputStream(begun, first.keyframes.first.closed)
        tick = self.tick
        self.program = program
        branch = Branch(MAIN, state, begun, budget=self.budget)
        for when, end, closes in first.arrivals:
            branch.receive(when, b"" if closes else bytes(first.arrived[len(branch.arrived) : end]))
        self.branches = {MAIN: branch}
        self._go_to_branch(branch)
        return self.goto(tick, pause)

    def _fork(self, change: str, state: State, arrived: bytes | None = None) -> Branch:
        parent = self.branch
        name = f"{change} at {self.tick:,}"
        number = 2
        while name in self.branches:
            name, number = f"{change} at {self.tick:,} ({number})", number + 1
        state.take_output()
        come = state.input.position + state.input.unread
        log = bytes(parent.arrived[:come]) if arrived is None else arrived
        written = self.output
        branch = Branch(
            name, state, log, output=written, parent=parent.name, change=change, budget=self.budget
        )
        branch.note_replaced(self.state.plane)
        branch.heard = len(parent.arrivals)
        self.branches[name] = branch
        self._go_to_branch(branch)
        return branch

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file, which `planewalk.session` opens again at this moment."""
        from .walkfile import to_bytes

        if self.write is None:
            raise OptionError("this session was made without a way to write files")
        if not isinstance(path, (str, os.PathLike)):
            raise WrongType(f"path: expected the path of a file, not {path!r}")
        self.write(os.fspath(path), to_bytes(self))

    def switch(self, name: str, pause: Pause = never) -> Stop | None:
        """Go to a branch, at this tick of it or the nearest there is."""
        branch, tick = self.branch_of(name), self.tick
        self._go_to_branch(branch)
        known = max(branch.reached, branch.last_arrival)  # a file may not say how far it was seen
        return self.goto(max(min(tick, known), branch.begins), pause)


def _whole(ticks: Any) -> int:
    if isinstance(ticks, bool) or not isinstance(ticks, int) or ticks < 0:
        raise OptionError(f"ticks are whole numbers from 0 on, not {ticks!r}")
    if ticks > MOST_TICKS:
        raise OptionError(f"ticks are numbers up to {MOST_TICKS:,}")
    return ticks


def _wanted(condition: str | Wanted, language: Language) -> Wanted:
    if isinstance(condition, str):
        return parse(condition, language)
    if not isinstance(condition, Wanted):
        raise WrongType(f"condition: expected words such as 'output \"x\"', not {condition!r}")
    return condition
