"""Values of a moment: what conditions compare, watches show, and editors and consoles ask for."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from math import floor
from typing import Any, NamedTuple

from ...core.language import Language
from ...core.state import State
from .condition import Cell, Condition, Number, Tick, TickInRhythm

Compare = Callable[[Any, Any], bool]
MIRRORED: dict[Compare, Compare] = {
    operator.eq: operator.eq,
    operator.ne: operator.ne,
    operator.le: operator.ge,
    operator.ge: operator.le,
    operator.lt: operator.gt,
    operator.gt: operator.lt,
}


def test_of(compare: Compare, than: Any) -> Callable[[Any], bool]:
    """Whether what is found compares so with a number. No closure: conditions leave processes."""
    return partial(MIRRORED[compare], than)


class Value(NamedTuple):
    """Something that has a value at every tick, if only None."""

    of: Callable[[Language, State], Any]
    """A number, a text, or a list of numbers; None if there is none now."""
    compared: Callable[[Compare, Any], Condition] | None = None
    """The condition that it compares so with a number; None if numbers do not tell it."""
    place: tuple[int, int] | None = None
    """That of a cell, whose numbers stand for signs."""


def number_of(of: Callable[[State], Any]) -> Value:
    """A number that is told by the state alone."""
    return Value(
        lambda language, state: of(state),
        lambda compare, than: Number(of, test_of(compare, than)),
    )


def cell(x: int, y: int) -> Value:
    return Value(
        lambda language, state: state.plane.cell(x, y),
        lambda compare, than: Cell(x, y, test_of(compare, than)),
        (x, y),
    )


def tick() -> Value:
    return Value(
        lambda language, state: state.tick,
        lambda compare, than: Tick(test_of(compare, than), floor(than)),
    )


def tick_modulo(every: int) -> Value:
    """Where in a rhythm the tick is."""
    return Value(
        lambda language, state: state.tick % every,
        lambda compare, than: TickInRhythm(every, test_of(compare, than)),
    )


def from_top(index: int) -> Value:
    """A value of the stack, 0 is the top."""
    return number_of(partial(_from_top, index))


def _from_top(index: int, state: State) -> Any:
    return state.held_stack[-1 - index] if 0 <= index < len(state.held_stack) else None


def stack() -> Value:
    """All of it, the top first."""
    return Value(lambda language, state: list(reversed(state.stack)))


def headings() -> Value:
    """The words for where walkers go, each once, as conditions take them."""

    def of(language: Language, state: State) -> str | None:
        ways = dict.fromkeys((walker.stance.dx, walker.stance.dy) for walker in state.walkers)
        known = language.looks.headings
        return ", ".join(known.get(way) or f"{way[0]:g},{way[1]:g}" for way in ways) or None

    return Value(of)


def modes() -> Value:
    """The words for their modes, likewise."""

    def of(language: Language, state: State) -> str | None:
        stances = {walker.stance.mode: walker.stance for walker in state.walkers}
        words = dict.fromkeys(language.looks.manner(stance) for stance in stances.values())
        return ", ".join(filter(None, words)) or None

    return Value(of)
