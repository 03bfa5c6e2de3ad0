"""Symmetries of signs: where each leads, and which does the same on a turned or mirrored plane.

This is not declared: every instruction is tried on the reference engine in the middle of a small
empty plane, from each heading and with several stacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from ...core.geometry import Heading, Stance
from ...core.instruction import Instruction
from ...core.language import Language
from ...core.program import Program
from ...core.state import State, Walker
from ...core.stream import InputStream
from ...engines.stepping.observe import Observer

MIDDLE = 2
SIZE = 2 * MIDDLE + 1
STACKS = ((0, 0, 0, 0), (1, 1, 1, 1), (0, 2, 1, 3))
HAND = (1, 0)
"""Where a hand is, seen from its walker; on an empty cell, since signs must not read themselves."""
TURNS: dict[str, tuple[int, int, int, int]] = {
    "clockwise": (0, -1, 1, 0),
    "counterclockwise": (0, 1, -1, 0),
    "half": (-1, 0, 0, -1),
    "across": (-1, 0, 0, 1),
    "down": (1, 0, 0, -1),
}
"""The transformations of a block, as matrices."""


class Went(NamedTuple):
    """A walker after a tick, seen from the cell it acted in."""

    x: float
    y: float
    dx: float
    dy: float
    mode: Any
    hand: tuple[float, float] | None


class TickOutcome(NamedTuple):
    """What came of a tick: all that is in space, and everything else."""

    walkers: tuple[Went, ...]
    written: tuple[tuple[float, float, Any], ...]
    rest: str


class Counterpart(NamedTuple):
    """The sign that does the same on the turned plane, or the nearest to it that there is."""

    sign: str
    exact: bool


def counterparts(language: Language, how: str) -> dict[str, Counterpart]:
    """The signs that must be replaced when a block is transformed, or that have no replacement."""
    return _counterparts(_Same(language), how)


def turned_place(how: str, x: int, y: int, size: tuple[int, int]) -> tuple[int, int]:
    """Where a cell of a block of that size comes to in it, counted from its corner."""
    xx, xy, yx, yy = TURNS[how]
    last_x, last_y = size[0] - 1, size[1] - 1
    left = min(xx * last_x, 0) + min(xy * last_y, 0)
    top = min(yx * last_x, 0) + min(yy * last_y, 0)
    return xx * x + xy * y - left, yx * x + yy * y - top


def ways(language: Language) -> dict[str, dict[Heading, Went]]:
    """Where signs lead that send every walker of some heading one certain way, unlike a blank."""
    found = {}
    for row in language.table:
        leads = {
            heading: _lead(language, row.symbol, heading) for heading in language.looks.headings
        }
        special = {
            heading: went
            for heading, went in leads.items()
            if went is not None and went[:2] != (0, 0) and went[:4] != (*heading, *heading)
        }
        if special:
            found[row.symbol] = special
    return found


def blank_of(language: Language) -> str:
    """The sign of an empty cell: the first that does nothing."""
    signs = [row.symbol for row in language.table if row.group.name == "NOTHING"]
    return signs[0] if signs else " "


class _Same(NamedTuple):
    """A language as a key: there is one value of each."""

    language: Language

    def __hash__(self) -> int:
        return id(self.language)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.language is self.language


@lru_cache(maxsize=64)
def _counterparts(same: _Same, how: str) -> dict[str, Counterpart]:
    language = same.language
    found = {}
    for row in language.table:
        best = _best(language, row, how)
        if best != (row.symbol, True):
            found[row.symbol] = best
    return found


def _best(language: Language, row: Instruction, how: str) -> Counterpart:
    """Itself if it can stay, else one that fits in all, else the closest of its own kind."""
    declared = (row.name, row.doc)  # those declared together have the same
    kin = [row.symbol] + [o.symbol for o in language.table if (o.name, o.doc) == declared]
    for sign in (*kin, *(other.symbol for other in language.table)):
        if not any(_misses(language, row.symbol, sign, how)):
            return Counterpart(sign, True)
    nearest = min(kin, key=lambda sign: sum(_misses(language, row.symbol, sign, how)))
    return Counterpart(nearest, False)


def _misses(language: Language, sign: str, other: str, how: str) -> Iterator[bool]:
    """Whether the other sign does not do, on the turned plane, what this one does: each trial."""
    same, turn = _Same(language), TURNS[how]
    for heading in language.looks.headings:
        for stack in STACKS:
            found = _turned(_tried(same, sign, heading, HAND, stack), turn)
            turned = _apply(turn, *heading), _apply(turn, *HAND)
            yield found != _tried(same, other, *turned, stack)


def _apply(turn: tuple[int, int, int, int], x: Any, y: Any) -> tuple[Any, Any]:
    xx, xy, yx, yy = turn
    return xx * x + xy * y, yx * x + yy * y


def _turned(outcome: TickOutcome, turn: tuple[int, int, int, int]) -> TickOutcome:
    walkers = [
        Went(
            *_apply(turn, went.x, went.y),
            *_apply(turn, went.dx, went.dy),
            went.mode,
            None if went.hand is None else _apply(turn, *went.hand),
        )
        for went in outcome.walkers
    ]
    written = [(*_apply(turn, x, y), value) for x, y, value in outcome.written]
    return TickOutcome(_sorted(walkers), tuple(sorted(written)), outcome.rest)


def _sorted(walkers: list[Went]) -> tuple[Went, ...]:
    return tuple(sorted(walkers, key=lambda went: (went[:4], repr(went.mode))))


def _lead(language: Language, sign: str, heading: Heading) -> Went | None:
    """Where a walker goes from a sign, if that depends on nothing but its heading."""
    outcomes = [_tried(_Same(language), sign, heading, HAND, stack) for stack in STACKS]
    places = {tuple(went[:4] for went in outcome.walkers) for outcome in outcomes}
    alone = len(places) == 1 and len(outcomes[0].walkers) == 1
    return outcomes[0].walkers[0] if alone else None


@lru_cache(maxsize=1 << 14)
def _tried(
    same: _Same, sign: str, heading: Heading, hand: tuple[int, int], stack: tuple[int, ...]
) -> TickOutcome:
    """What a walker does on a sign with that heading, hand and stack."""
    language = same.language
    state = _plane_with(same, sign).copy()
    first = state.walkers[0]
    held = None if first.hand is None else (MIDDLE + hand[0], MIDDLE + hand[1])
    x = type(first.stance.x)(MIDDLE)
    state.walkers = [Walker(Stance(x, x, *heading, first.stance.mode), held)]
    state.stack.extend(stack)
    state.input = InputStream(b"7 ", closed=True)
    before = list(_cells(state))
    step = Observer(language, state).step()
    if step is not None and any(action.drawn for action in step.actions):
        return TickOutcome((), (), "chance")  # however it falls, it falls no other way when turned
    written = [
        (x, y, new)
        for (x, y, new), (_, _, old) in zip(_cells(state), before, strict=True)
        if new != old and (x, y) != (0, 0)
    ]
    rest = repr((state.stack, state.registers, bytes(state.output), state.log, state.stop))
    walkers = []
    for (x, y, dx, dy, mode), reached in state.walkers:
        held = None if reached is None else (reached[0] - MIDDLE, reached[1] - MIDDLE)
        walkers.append(Went(x - MIDDLE, y - MIDDLE, dx, dy, mode, held))
    return TickOutcome(_sorted(walkers), tuple(written), rest)


@lru_cache(maxsize=1 << 10)
def _plane_with(same: _Same, sign: str) -> State:
    """The start of a program with that sign in its middle and blanks around it."""
    blank = blank_of(same.language)
    rows = [blank * SIZE] * SIZE
    rows[MIDDLE] = blank * MIDDLE + sign + blank * MIDDLE
    return Program(same.language, same.language.sources.spell("\n".join(rows))).start(0)


def _cells(state: State) -> Iterator[tuple[int, int, Any]]:
    for y in range(SIZE):
        for x in range(SIZE):
            yield x - MIDDLE, y - MIDDLE, state.plane.cell(x, y)
