"""What each kind of cell makes of the signals that arrive in it, found by performing instructions.

Kernels have this table as constants, so that a rule stands in `instructions.py` alone.
"""

from __future__ import annotations

from typing import Any

from ...core.geometry import DOWN, LEFT, RIGHT, UP, Stance
from .instructions import HELD, MOVING, TABLE
from .kernels.layout import KINDS

HEADINGS = (RIGHT, DOWN, LEFT, UP)
"""By number: odd directions are vertical, and the opposite of `direction` is `direction ^ 2`."""
LETTERS = b">v<^*#.."
"""The letter of a cell, by kind."""


class _Crossing:
    """As much of a machine as instructions of BMProg ask for."""

    def __init__(self, directions: int) -> None:
        headings = [HEADINGS[i] for i in range(4) if directions >> i & 1]
        self.met = self.became = [Stance(0, 0, *heading, MOVING) for heading in headings]
        self.stance = self.met[0]

    def become(self, stances: list[Stance]) -> None:
        self.became = stances

    def directions(self, mode: str) -> int:
        """The directions of what came of it in that mode, as bits."""
        found = {HEADINGS.index((dx, dy)) for _, _, dx, dy, each in self.became if each == mode}
        return sum(1 << direction for direction in found)


def outcome(letter: int, directions: int) -> int:
    """What becomes of signals that arrive in these directions, as bits: those in which signals go
    on at once, and 16 times those in which they do after a cycle."""
    if not directions:
        return 0
    meeting: Any = _Crossing(directions)
    TABLE[letter].act(meeting)
    gone: int = meeting.directions(MOVING)
    held: int = meeting.directions(HELD)
    return gone | held << 4


OUTCOMES = [outcome(letter, directions) for letter in LETTERS for directions in range(16)]
"""By 16 times the kind of a cell, and the directions; nothing goes on from edges."""
HOLDS = {letter: {outcome(letter, each) >> 4 for each in range(16)} for letter in LETTERS}
"""The sets of directions in which signals may be held in a cell, by its letter."""
OUTCOMES += [0] * (16 * KINDS - len(OUTCOMES))
