"""Two runs, or branches of one, side by side: the first tick in which they do not do the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from ...core.base.deadline import Pause, Turnstile, never, no_pause
from ...core.difference import Change, same, state_changes
from ...core.errors import OptionError
from ...core.observation import Action, Step
from ...engines.stepping.observe import Observer, observe
from ..replay.branch import Branch
from ..replay.course import Pause as Asks
from ..replay.replay import Replay


class Parting(NamedTuple):
    """Where two runs part: the tick, what each did in it (None: it was over), in what that
    differs, and what is different in their states afterwards, if both have one."""

    tick: int
    first: Step | None
    second: Step | None
    differences: tuple[str, ...]
    changes: tuple[Change, ...]


class Comparison(NamedTuple):
    """Two branches of a run: the tick at which they fork, what is different in their states there,
    where they part after it (None: they do the same), and the last tick that was looked at."""

    forked_at: int
    changes: tuple[Change, ...]
    parting: Parting | None
    last: int


class _OnBranch:
    """The run along a branch."""

    def __init__(self, replay: Replay, branch: Branch, tick: int) -> None:
        self.replay, self.branch, self.tick = replay, branch, tick
        self.state = replay.aside(tick, on=branch).state

    def steps(self, last: int) -> Iterator[Step]:
        for course, end in self.replay.courses(self.tick, last, self.branch):
            self.state = course.state
            yield from self.replay.steps_of(course, end)


def parting(first: Observer, second: Observer, ticks: int | None) -> Parting | None:
    """The first of so many ticks in which two runs differ; None if they never do."""
    steps = zip_longest(observe(first, ticks), observe(second, ticks))
    return _parting(first, second, steps, no_pause)


def _parting(
    first: Observer | _OnBranch,
    second: Observer | _OnBranch,
    pairs: Iterable[tuple[Step | None, Step | None]],
    pause: Pause,
) -> Parting | None:
    for one, other in pairs:
        differences = tuple(dict.fromkeys(_differences(one, other, Turnstile(pause))))
        if differences:
            both = one is not None and other is not None
            changes = tuple(state_changes(first.state, second.state, pause)) if both else ()
            return Parting((one or other).tick, one, other, differences, changes)  # type: ignore[union-attr]
    return None


def compare(
    replay: Replay, first: str, second: str | None = None, pause: Asks = never
) -> Comparison:
    """Two branches by their names, the second is this one if none is given: where they fork, what
    is different there, and the first tick in which they do not do the same."""
    with replay.asking(pause):
        return _compare(replay, first, second or replay.branch.name)


def _compare(replay: Replay, first: str, second: str) -> Comparison:
    """From where they fork up to the furthest tick that was seen of either."""
    if first == second:
        raise OptionError(f"name two branches, not {first!r} twice")
    branches = [replay.branch_of(name) for name in (first, second)]
    last = max(branch.reached for branch in branches)
    tick = forked_at(replay, *branches)
    pause = replay.running.deadline.check
    one, other = (_OnBranch(replay, branch, tick) for branch in branches)
    changes = tuple(state_changes(one.state, other.state, pause))
    found = _parting(one, other, zip_longest(one.steps(last), other.steps(last)), pause)
    return Comparison(tick, changes, found, last)


def forked_at(replay: Replay, one: Branch, other: Branch) -> int:
    """The first tick at which two branches are not the same."""
    paths = [replay.path(branch) for branch in (one, other)]
    return min(
        branch.begins
        for path, beside in (paths, paths[::-1])
        for branch in path
        if branch not in beside
    )


def _differences(one: Step | None, other: Step | None, turnstile: Turnstile) -> Iterator[str]:
    if one is None or other is None:
        yield "one run is over"
        return
    if len(one.actions) != len(other.actions):
        yield "the number of walkers"
    for mine, yours in zip(one.actions, other.actions, strict=False):
        turnstile.passed()
        yield from _between(mine, yours)
    if [tuple(write) for write in one.writes] != [tuple(write) for write in other.writes]:
        yield "cells written"
    if one.output != other.output:
        yield "output"
    if one.input != other.input:
        yield "input"
    if repr(one.stop) != repr(other.stop):
        yield "the end"


def _between(mine: Action, yours: Action) -> Iterator[str]:
    if repr(mine.stance) != repr(yours.stance):
        yield "place or heading"
    if mine.instruction.code != yours.instruction.code:
        yield "the instruction"
    pairs: list[tuple[str, Any, Any]] = [
        ("operands", mine.popped, yours.popped),
        ("results", mine.pushed, yours.pushed),
        ("cells read", mine.reads, yours.reads),
        ("registers", (mine.fetched, mine.stored), (yours.fetched, yours.stored)),
        ("chance", mine.drawn, yours.drawn),
    ]
    for what, a, b in pairs:
        if not same(a, b):
            yield what
