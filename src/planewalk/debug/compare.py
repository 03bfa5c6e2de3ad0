"""Two runs side by side: the first tick in which they do not do the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from ..core.difference import Change, same
from ..core.observation import Action, Step
from ..engines.observe import Observer, observe


class Parting(NamedTuple):
    """Where two runs part: the tick, what each did in it (None: it was over), in what that
    differs, and what is different in their states afterwards, if both have one."""

    tick: int
    first: Step | None
    second: Step | None
    differences: tuple[str, ...]
    changes: tuple[Change, ...]


def parting(first: Observer, second: Observer, ticks: int | None) -> Parting | None:
    """The first of so many ticks in which two runs differ; None if they never do."""
    for one, other in zip_longest(observe(first, ticks), observe(second, ticks)):
        differences = tuple(_differences(one, other))
        if differences:
            both = one is not None and other is not None
            changes = tuple(first.state.diff(second.state)) if both else ()
            return Parting((one or other).tick, one, other, differences, changes)
    return None


def _differences(one: Step | None, other: Step | None) -> Iterator[str]:
    if one is None or other is None:
        yield "one run is over"
        return
    if len(one.actions) != len(other.actions):
        yield "the number of walkers"
    for mine, yours in zip(one.actions, other.actions, strict=False):
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
