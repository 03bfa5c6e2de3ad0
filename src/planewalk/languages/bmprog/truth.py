"""What each kind of cell makes of signals that arrive in it, found by performing its instruction.

Signals one by one, in plain Python, look it up here. Sets of bits and machine code have formulas of
their own (looking it up there was measured to take a fifth longer), which tests hold to this table:
every kind of cell, and every set of signals in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...core.geometry import DOWN, LEFT, RIGHT, UP, Stance
from .instructions import HELD, MOVING, TABLE

HEADINGS = (RIGHT, DOWN, LEFT, UP)
"""By number: odd ones are vertical, and the opposite of `way` is `way ^ 2`."""
KINDS = b">v<^*#"
"""The cells that do something, by kind; all others, on which signals pass, are the kind after."""

Ways = int
"""A set of ways, as bits."""


def bits(ways: Ways) -> list[int]:
    """The ways of a set, by number."""
    return [way for way in range(4) if ways >> way & 1]


class Departure(NamedTuple):
    """By which ways signals leave a cell: at once, and after waiting for a cycle."""

    at_once: Ways
    later: Ways


class _Crossing:
    """As much of a machine as instructions of BMProg ask for."""

    def __init__(self, ways: Ways) -> None:
        self.met = self.became = [Stance(0, 0, *HEADINGS[way], MOVING) for way in bits(ways)]
        self.stance = self.met[0]

    def become(self, stances: list[Stance]) -> None:
        self.became = stances

    def leaving(self, mode: str) -> Ways:
        """The ways of those that it became in that mode."""
        ways = {HEADINGS.index((dx, dy)) for _, _, dx, dy, m in self.became if m == mode}
        return sum(1 << way for way in ways)


def outcome(letter: int, ways: Ways) -> Departure:
    """What becomes of signals that arrive by these ways, one or more."""
    meeting: Any = _Crossing(ways)
    TABLE[letter].act(meeting)
    return Departure(meeting.leaving(MOVING), meeting.leaving(HELD))


def _outcomes(letter: int) -> tuple[Departure, ...]:
    return (Departure(0, 0), *(outcome(letter, ways) for ways in range(1, 16)))


OUTCOMES: dict[int, tuple[Departure, ...]] = {letter: _outcomes(letter) for letter in KINDS}
"""By letter, then by the set of ways that signals arrive by."""


def departure(letter: int, ways: Ways) -> Departure:
    """What becomes of signals in any cell: in those that do nothing, they pass."""
    return OUTCOMES[letter][ways] if letter in OUTCOMES else Departure(ways, 0)
