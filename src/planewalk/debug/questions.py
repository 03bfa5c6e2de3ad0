"""What one can ask of the past of a run: who wrote this, when was it read, what was it before.

Everything is about the branch that the session is on, up to the tick it is at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.barriers import Barriers
from ..core.errors import LimitReached, OptionError
from ..core.geometry import Heading
from ..core.observation import Action, Step, Write
from ..core.step import Hit
from .causes import CausalEngine, Cause
from .course import Course
from .grammar import parse
from .search import Pause

if TYPE_CHECKING:
    from .session import Session


class Deed(NamedTuple):
    """Something that happened in a tick, and who did it, where that is known."""

    tick: int
    """The tick in which it happened; it shows in the states from the next one on."""
    action: Action | None
    """What was done; None if it came of the wishes of several together."""
    value: Any
    before: Any = None

    @property
    def place(self) -> tuple[Any, Any] | None:
        """Where whoever did it stood."""
        return None if self.action is None else (self.action.stance.x, self.action.stance.y)


class Visits(NamedTuple):
    """How often a cell was executed, in all and by heading."""

    times: int
    headings: dict[Heading, int]


def who_wrote(session: Session, x: int, y: int, pause: Pause = lambda: False) -> Deed | None:
    """The last write to a cell; None if it holds what it held at the beginning."""
    return _last(session, f"written {x},{y}", x, y, pause)


def last_read(session: Session, x: int, y: int, pause: Pause = lambda: False) -> Deed | None:
    """The last time that a cell was read as data; None if it never was."""
    return _last(session, f"read {x},{y}", x, y, pause)


def _last(session: Session, condition: str, x: int, y: int, pause: Pause) -> Deed | None:
    found = _tick_of(session, condition, pause)
    if found is None or found == 0:
        return None
    (step,) = session.steps(found - 1, found)
    if condition.startswith("read"):
        values = [read.value for read in step.reads if (read.x, read.y) == (x, y)]
        return Deed(found - 1, reader_of(step, x, y), values[-1])
    return _written(step, x, y)


def _tick_of(session: Session, condition: str, pause: Pause) -> int | None:
    """The last tick up to now at which a condition was true."""
    wanted = parse(condition)
    if session.tick and session.is_true_now(wanted):
        return session.tick
    found = session.find_back(wanted, pause)
    if found is None:
        in_time(pause)
    return found


def in_time(pause: Pause) -> None:
    """Refuse to answer a question that was broken off: what was not found may well be there."""
    if pause():
        raise LimitReached("the question was given up; it takes longer than there is time", "time")


def biography(session: Session, x: int, y: int, pause: Pause = lambda: False) -> Iterator[Deed]:
    """All values that a cell has had, from the first on: each with who wrote it."""
    last = session.tick
    course = session.aside(0)
    yield Deed(0, None, course.state.plane.cell(x, y))
    for tick, hit in _hits(course, Barriers(written=frozenset({(x, y)})), last, pause):
        writes = [e for e in hit.events if isinstance(e, Write) and (e.x, e.y) == (x, y)]
        if writes[0].old != writes[-1].new:
            (step,) = session.steps(tick - 1, tick)
            yield _written(step, x, y)
    in_time(pause)


def when_written(session: Session, index: int, pause: Pause = lambda: False) -> Deed | None:
    """When a byte of the output was written, and by whom; None if it was not yet."""
    if not 0 <= index < session.written:
        return None
    course = session.aside(session.tick_before_output(index))
    for tick, _ in _hits(course, Barriers(output=True), session.tick, pause):
        if course.state.written > index:
            (step,) = session.steps(tick - 1, tick)
            byte = session.output_between(index, index + 1)[0]
            return Deed(tick - 1, writer_of_output(step), byte)
    in_time(pause)
    return None


def visits(session: Session, pause: Pause = lambda: False) -> dict[tuple[Any, Any], Visits]:
    """How often and from which headings each cell was executed, up to now."""
    counts: Counter[tuple[Any, Any, Heading]] = Counter()
    for step in session.steps(0, session.tick):
        for action in step.actions:
            x, y, dx, dy, _ = action.stance
            counts[x, y, (dx, dy)] += len(action.walkers)
        if step.tick % 4096 == 0 and pause():
            break
    found: dict[tuple[Any, Any], Visits] = {}
    for (x, y, heading), times in counts.items():
        known = found.get((x, y), Visits(0, {}))
        found[x, y] = Visits(known.times + times, {**known.headings, heading: times})
    return found


def why(
    session: Session,
    output: int | None = None,
    cell: tuple[int, int] | None = None,
    stack: int | None = None,
    pause: Pause = lambda: False,
) -> Cause | None:
    """Where a byte of the output, a cell or a value of the stack comes from; None if there is no
    such value. Causes are followed back from keyframe to keyframe until all are known."""
    chosen = [value for value in (output, cell, stack) if value is not None]
    if len(chosen) != 1:
        raise OptionError("ask for one thing: output=..., cell=(x, y) or stack=...")
    last = session.tick
    if output is not None:
        deed = when_written(session, output, pause)
        if deed is None:
            return None
        last = deed.tick + 1
    cause: Cause | None = None
    length = 1
    while not pause():
        branch = session.branch_at(max(last - 1, 0))
        ticks = [tick for tick in branch.keyframes.ticks() if tick < last] or [branch.begins]
        first = ticks[max(len(ticks) - length, 0)]
        cause = _followed(session, first, last, output, cell, stack, pause)
        known = cause is None or all(leaf.kind != "earlier" for leaf in cause.leaves())
        if known or first == 0:
            break
        length = len(ticks) if first == branch.begins else 4 * length
        if first == branch.begins:
            break  # what an edit has brought in has no cause
    in_time(pause)
    return cause


def _followed(
    session: Session,
    first: int,
    last: int,
    output: int | None,
    cell: tuple[int, int] | None,
    stack: int | None,
    pause: Pause,
) -> Cause | None:
    """The cause of something at the last tick, followed from the first on."""
    course = session.aside(first)
    state = course.state
    engine = CausalEngine(session.language, state, session.limits._replace(steps=None))
    written = state.written
    while state.tick < last and not pause():
        course.feed()
        if engine.advance(min(last - state.tick, 512)) is not None:
            break
    causal = engine.causal
    if output is not None:
        at = output - written
        return causal.output_causes[at] if 0 <= at < len(causal.output_causes) else None
    if cell is not None:
        return causal.cell_causes.get(cell) or causal.first_cause(cell)
    assert stack is not None
    depth = len(causal.stack_causes)
    return causal.stack_causes[-1 - stack] if 0 <= stack < depth else None


def _hits(course: Course, barriers: Barriers, last: int, pause: Pause) -> Iterator[tuple[int, Hit]]:
    """The ticks up to the last at which a barrier is hit."""
    while course.tick < last and not pause():
        before = course.tick
        stop = course.go(last, barriers, pause)
        if isinstance(stop, Hit):
            yield course.tick, stop
        elif course.tick == before or stop is not None:
            return


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


def reader_of(step: Step, x: int, y: int) -> Action | None:
    """Who read a cell in a step."""
    for action in step.actions:
        if any((read.x, read.y) == (x, y) for read in action.reads):
            return action
    return _only(step)


def writer_of_output(step: Step) -> Action | None:
    """Who wrote to the output in a step."""
    writers = [action for action in step.actions if action.output]
    return writers[0] if len(writers) == 1 else _only(step)
