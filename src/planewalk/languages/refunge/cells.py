"""What each cell does to a cursor, found by performing its instruction.

Kernels have these tables as constants, so that a rule stands in `instructions.py` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.geometry import DOWN, LEFT, RIGHT, UP, Heading, Stance
from ...core.instruction import Act
from .instructions import ADD, CLEAR, INPUT, NONE, OUTPUT, STAY, SUBTRACT, TABLE
from .kernels import layout as k

WAYS: tuple[Heading, ...] = (RIGHT, DOWN, LEFT, UP, STAY)
"""By number."""
HEADINGS = WAYS[:4]
MODES = (NONE, ADD, SUBTRACT, INPUT, OUTPUT, CLEAR)


class _Trial:
    """As much of a machine as instructions of Refunge ask for, in the middle of a field."""

    width = height = 3
    hand_x = hand_y = 1

    def __init__(self, act: Act, way: int, *, mode: str = NONE, value: int = 0, **options: Any):
        self.stance, self.plane = Stance(1, 1, *HEADINGS[way], mode), self
        self.value, self.options = value, options
        self.mode: Any = None
        self.moves = 0
        self.after, self.twins = way, list[int]()
        self.reached: Heading | None = None
        self.wishes: list[Any] = []
        self.wish = self.wishes.append
        machine: Any = self
        act(machine)

    def option(self, name: str) -> Any:
        return self.options.get(name)

    def enter(self, mode: str) -> None:
        self.mode = mode

    def turn(self, dx: int, dy: int) -> None:
        self.after = HEADINGS.index((dx, dy))

    def twin(self, dx: int, dy: int) -> None:
        self.twins.append(HEADINGS.index((dx, dy)))

    def move(self) -> None:
        self.moves += 1

    def cell(self, x: int, y: int) -> int:
        return self.value

    def reach(self, x: int, y: int) -> None:
        self.reached = x - self.hand_x, y - self.hand_y


def turns(act: Act) -> list[int]:
    """The way that a cursor goes on, by that on which it comes."""
    return [_Trial(act, way).after for way in range(4)]


def is_fork(act: Act) -> bool:
    return bool(_Trial(act, 0).twins)


ACTS = [instruction.act for instruction in TABLE]
FORK = next(filter(is_fork, ACTS))
MIRRORS = [act for act in ACTS if turns(act) != [0, 1, 2, 3] and act is not FORK]

AFTER: list[int] = [*range(4)] * (k.FORK + 1)
"""The way that a cursor goes on, by 4 times the kind of a cell and the way on which it comes."""
for number, act in enumerate(MIRRORS, k.MIRROR):
    AFTER[4 * number : 4 * number + 4] = turns(act)
AFTER[4 * k.FORK :] = turns(FORK)
MIRRORED = sum(way << 2 * n for n, way in enumerate(AFTER[4 * k.MIRROR : 4 * k.CARRY]))
"""What `AFTER` has for mirrors as one number, two bits for each: a shift takes no load."""
TWINS: list[int] = [_Trial(FORK, way).twins[0] for way in range(4)]
"""That of the other one of two, at a fork."""


def kind_of(act: Act, options: Mapping[str, Any]) -> int:
    """What a cell does, in the words of the kernels."""
    trial = _Trial(act, 0, **options)
    if trial.mode is not None:
        return k.SET_MODE + MODES.index(trial.mode)
    if trial.reached is not None:
        return k.CARRY + WAYS.index(trial.reached)
    if trial.moves:
        return k.JUMP if _Trial(act, 0, value=1).moves else k.TEST
    if act in MIRRORS:
        return k.MIRROR + MIRRORS.index(act)
    return k.FORK if act is FORK else k.NOTHING


def kinds(options: Mapping[str, Any]) -> bytearray:
    """What each byte does with these options."""
    found = bytearray(256)
    for instruction in TABLE:
        found[instruction.code] = kind_of(instruction.act, options)
    return found


def times(mode: str) -> int:
    """How many times a cell is added to the next one when the hand is carried on in that mode."""
    carry = next(act for act in ACTS if _Trial(act, 0).reached)
    return sum(wish[-1] for wish in _Trial(carry, 0, mode=mode, value=1).wishes if wish[0] == ADD)


TIMES: list[int] = list(map(times, MODES))
"""By mode."""
