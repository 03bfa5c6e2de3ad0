"""Questions about the past of a run: who wrote this, when was it read, what was it before.

Everything is about the branch that the run stands on, up to the tick it is at. `pause` is asked now
and then; if it says so, a question is given up with `LimitReached`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from ...core.base.deadline import SOME_WORK, OutOfTime, never
from ...core.difference import same
from ...core.errors import OptionError
from ...core.geometry import Heading
from ...core.observation import Action, Step
from ...core.step import Hungry
from ...engines.stepping.observe import Observer
from ..conditions.grammar import parse
from ..replay.course import OUT_OF_TIME, Course, Pause, next_step
from ..replay.replay import Replay, in_time
from ..search.backwards import matches_back
from .causes import CausalEngine, Cause

FOLLOWED = (1 << 18, 1 << 14, 1 << 10, 1 << 6)
"""Ticks that causes are followed through, from the most down to the first try. Each tick may add
some, and all of them have to be remembered."""


SOME_ACTIONS = 512
"""Of walkers, that are counted between two pauses."""


class Deed(NamedTuple):
    """Something that happened in a tick, and who did it, where that is known."""

    tick: int
    """The tick in which it happened; it shows in the states from the next one on."""
    action: Action | None
    """What was done; None if it came of the wishes of several together, or by hand."""
    value: Any
    before: Any = None
    by_hand: bool = False
    """Whether it was an edit, which comes before the tick."""

    @property
    def place(self) -> tuple[Any, Any] | None:
        """Where the walker that did it stood."""
        return None if self.action is None else (self.action.stance.x, self.action.stance.y)


class Visits(NamedTuple):
    """How often a cell was executed, in all and by heading."""

    times: int
    headings: dict[Heading, int]


def who_wrote(replay: Replay, x: int, y: int, pause: Pause = never) -> Deed | None:
    """The last write to a cell up to now; None if it holds what it held at the beginning."""
    with replay.asking(pause):
        tick = next(_ticks_of(replay, f"written {x},{y}", pause), 0)
        edits = [edit for edit in _edits(replay, x, y) if edit.tick >= tick]
        if edits:
            return edits[-1]
        return _written(_step_to(replay, tick), x, y) if tick else None


def last_read(replay: Replay, x: int, y: int, pause: Pause = never) -> Deed | None:
    """The last time up to now that a cell was read as data; None if it never was."""
    with replay.asking(pause):
        tick = next(_ticks_of(replay, f"read {x},{y}", pause), 0)
        return _read(_step_to(replay, tick), x, y) if tick else None


def _step_to(replay: Replay, tick: int) -> Step:
    return next(replay.steps(tick - 1, tick))


def _ticks_of(replay: Replay, condition: str, pause: Pause) -> Iterator[int]:
    """All ticks up to now at which a condition was true, the latest first."""
    return matches_back(replay, parse(condition), replay.tick, pause, over_forks=True)


def _edits(replay: Replay, x: int, y: int) -> list[Deed]:
    """What was done to a cell by hand, up to now."""
    return [
        Deed(branch.begins, None, branch.first_cell(x, y), branch.replaced[x, y], by_hand=True)
        for branch in replay.path(replay.branch)
        if (x, y) in branch.replaced
    ]


def biography(
    replay: Replay, x: int, y: int, pause: Pause = never, most: int | None = None
) -> list[Deed]:
    """All values that a cell has had up to now, from the first on: each with who wrote it; if there
    are more than `most`, the latest of them."""
    with replay.asking(pause):
        ticks = list(islice(_ticks_of(replay, f"changed {x},{y}", pause), most))[::-1]
        found = [_written(step, x, y) for step in _steps_to(replay, ticks)] + _edits(replay, x, y)
        found.sort(key=lambda deed: (deed.tick, not deed.by_hand))
        found.insert(0, Deed(0, None, replay.state_at(0).plane.cell(x, y)))
    return found if most is None else found[-most:]


def _steps_to(replay: Replay, ticks: list[int]) -> Iterator[Step]:
    """The steps that led to some ticks, which are in order."""
    course: Course | None = None
    for tick in ticks:
        if course is None or course.branch is not replay.branch_at(tick - 1):
            course = replay.aside(tick - 1)
        course.go(tick - 1)
        step = next_step(Observer(replay.language, course.state, replay.running))
        course.note(None)
        course.renew()
        assert step is not None
        yield step


def when_written(replay: Replay, index: int, pause: Pause = never) -> Deed | None:
    """When a byte of the output was written, and by whom; None if it was not yet."""
    with replay.asking(pause):
        return _when_written(replay, index, pause)


def _when_written(replay: Replay, index: int, pause: Pause) -> Deed | None:
    if not 0 <= index < replay.written:
        return None
    before, after = replay.ticks_around_output(index)
    while after - before > 1:
        in_time(pause)
        middle = (before + after) // 2
        course = replay.aside(middle)
        if course.state.written > index:
            after = middle
        else:
            before = middle
            course.keep(near=True)
    step = next(replay.steps(before, after))
    byte = replay.output_between(index, index + 1)[0]
    writers = [action for action in step.actions if action.output]
    return Deed(before, writers[0] if len(writers) == 1 else _only(step), byte)


class VisitCount:
    """How often and from which headings each cell was executed up to now, counted bit by bit."""

    def __init__(self, replay: Replay) -> None:
        self.tick, self.last = 0, replay.tick
        """How far it is counted, and how far there is something to count."""
        self._steps = replay.steps(0, replay.tick, replay.branch)
        self._counts: Counter[tuple[Any, Any, Heading]] = Counter()
        self._unseen = 0

    def go_on(self, pause: Pause) -> bool:
        """Count until a pause is wanted; whether all is counted."""
        for step in self._steps:
            for action in step.actions:
                x, y, dx, dy, _ = action.stance
                self._counts[x, y, (dx, dy)] += len(action.walkers)
            self.tick = step.tick + 1
            self._unseen += len(step.actions) + 1
            if self._unseen >= SOME_ACTIONS:
                self._unseen = 0
                if pause():
                    return False
        return True

    def visits(self) -> dict[tuple[Any, Any], Visits]:
        """What was counted, by place."""
        found: dict[tuple[Any, Any], Visits] = {}
        for (x, y, heading), times in self._counts.items():
            known = found.get((x, y), Visits(0, {}))
            found[x, y] = Visits(known.times + times, {**known.headings, heading: times})
        return found


def visits(replay: Replay, pause: Pause = never) -> dict[tuple[Any, Any], Visits]:
    """How often and from which headings each cell was executed, up to now."""
    count = VisitCount(replay)
    with replay.asking(pause):
        count.go_on(pause)
    return count.visits()


def why(
    replay: Replay,
    *,
    output: int | None = None,
    cell: tuple[int, int] | None = None,
    stack: int | None = None,
    pause: Pause = never,
) -> Cause | None:
    """Where a byte of the output, a cell, or a value of the stack (0 at the top) comes from: a tree
    of causes down to cells and input bytes, each with tick and place; None if there is no such
    value."""
    with replay.asking(pause):
        return _why(replay, _Asked(output, cell, stack), pause)


class _Asked(NamedTuple):
    """What a cause is sought of; the others are None."""

    output: int | None
    cell: tuple[int, int] | None
    stack: int | None


def _why(replay: Replay, asked: _Asked, pause: Pause) -> Cause | None:
    """Follow causes from further and further back until all are known; of a long run not from its
    beginning on, and what was there before is `earlier` then."""
    if asked.count(None) != len(asked) - 1:
        raise OptionError("ask for one thing: output=..., cell=(x, y) or stack=...")
    last = replay.tick
    if asked.output is not None:
        deed = _when_written(replay, asked.output, pause)
        if deed is None:
            return None
        last = deed.tick + 1
    replay.aside(last, FOLLOWED)
    branch = replay.branch_at(max(last - 1, 0))
    cause: Cause | None = None
    for reach in reversed(FOLLOWED):
        first = max(last - reach, branch.begins)
        try:
            found = _followed(replay, first, last, asked, pause)
        except OutOfTime:
            break
        if pause():
            break
        cause = found
        known = cause is None or all(leaf.kind != "earlier" for leaf in cause.leaves())
        if known or first == branch.begins:  # what an edit has brought in has no cause
            return cause
    if cause is None:
        in_time(pause)
    return cause


def _followed(replay: Replay, first: int, last: int, asked: _Asked, pause: Pause) -> Cause | None:
    """The cause of something at the last tick, followed from the first on."""
    course = replay.aside(first)
    state = course.state
    engine = CausalEngine(replay.language, state, replay.running)
    written = state.written
    while state.tick < last and not pause():
        course.feed()
        some = max(SOME_WORK // max(len(state.walkers), 1), 1)
        ends = [last, state.tick + some, course.next_arrival() or last]
        stop = engine.advance(min(ends) - state.tick)
        if stop == OUT_OF_TIME:
            raise OutOfTime
        if isinstance(stop, Hungry) and course.next_arrival() == state.tick:
            continue
        if stop is not None:
            break
    causal, (output, cell, stack) = engine.causal, asked
    if output is not None:
        at = output - written
        return causal.output_causes[at] if 0 <= at < len(causal.output_causes) else None
    now = replay.state
    # What an edit has brought in, where a run was forked at that very tick, is `earlier`.
    if cell is not None:
        if state.plane.cell(*cell) != now.plane.cell(*cell):
            return Cause("earlier", last, cell)
        return causal.cell_causes.get(cell) or causal.old(cell)
    assert stack is not None
    if not 0 <= stack < len(now.stack):
        return None
    known = stack < len(state.stack) and same(state.stack[-1 - stack], now.stack[-1 - stack])
    return causal.stack_causes[-1 - stack] if known else Cause("earlier", last)


def _read(step: Step, x: int, y: int) -> Deed:
    """The last time that a cell was read in a step."""
    values = [read.value for read in step.reads if (read.x, read.y) == (x, y)]
    readers = (
        action
        for action in step.actions
        if any((read.x, read.y) == (x, y) for read in action.reads)
    )
    return Deed(step.tick, next(readers, _only(step)), values[-1])


def _written(step: Step, x: int, y: int) -> Deed:
    """The last write to a cell in a step."""
    for action in reversed(step.actions):
        for write in reversed(action.writes):
            if (write.x, write.y) == (x, y):
                return Deed(step.tick, action, write.new, write.old)
    write = [write for write in step.writes if (write.x, write.y) == (x, y)][-1]
    return Deed(step.tick, _only(step), write.new, write.old)


def _only(step: Step) -> Action | None:
    """Who acted, if it was one alone: then wishes were its own."""
    return step.actions[0] if len(step.actions) == 1 else None
