"""What units of compiled code have in common, whatever they are written as."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.base.named import NamedTuple
from ...core.geometry import Stance
from ..tracing.ir import Key, Register

if TYPE_CHECKING:
    from ...core.barriers import Barriers


class NotCompilable(Exception):
    """A back end cannot say what these trees do; the words tell why."""


class CompiledUnit:
    """All code reachable from a stance that proved hot, and how well it does."""

    entries: dict[Key, int]  # where it can be entered
    registers: list[Register]  # the named registers that it knows, and where they are among all

    def __init__(self) -> None:
        self.touched: dict[Any, Any] = {}
        """Its dependencies: the cells it was made from, and what they held then."""
        self.armed: Barriers | None = None  # the barriers that it leaves at
        self.allowed: set[Stance] | None = None
        """The stances it was made for, others being exits; None if it was made for all."""
        self.frontier: set[Key] = set()
        """Where it ran out of all the room there is: other units go on there."""
        self.outgrown_at = 0
        """The tick from which on a unit that ran out of room is worth making again, larger."""
        self.entered = self.missed = self.left = self.ticks = 0
        """Visits; how often it could not be entered; visits that ended for another reason than want
        of fuel; and ticks of all."""


class Visit(NamedTuple):
    """What came of running a unit."""

    left: Key  # where it ended
    ticks: int
    spent: bool  # whether it stopped for want of fuel alone
    overflowed: bool = False  # whether a number had too many bits


class Made(NamedTuple):
    """What came of compiling: a unit, or none, and stances that are not for compiling."""

    unit: Any
    refused: list[Stance]
    work: int  # how many instructions were performed to find it
    failed: bool = False
    unwritable: bool = False  # whether the back end has no words for what there is
