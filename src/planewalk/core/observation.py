"""What happened in a tick: a `Step`, all of it plain data.

Apart from `step.py`, since short runs are not observed and named tuples take long to make.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base.named import NamedTuple
from .step import Stop

if TYPE_CHECKING:
    from .geometry import Stance
    from .instruction import Instruction
    from .state import Walker


class Read(NamedTuple):
    """A cell that was looked at as data, and what it held."""

    x: Any
    y: Any
    value: Any


class Write(NamedTuple):
    """A cell that was written, whether or not it changed by that."""

    x: Any
    y: Any
    old: Any
    new: Any


class RegisterWrite(NamedTuple):
    """A register that was written."""

    name: Any
    old: Any
    new: Any


class Action(NamedTuple):
    """What one walker did in a tick, or those that met in a cell."""

    walkers: tuple[int, ...]
    """The numbers of who acted: one, or all that met."""
    stance: Stance
    hand: tuple[int, int] | None
    """How the walker stood, and where its hand was, before."""
    instruction: Instruction
    popped: tuple[Any, ...] = ()
    """Values taken from the stack, the first one first."""
    pushed: tuple[Any, ...] = ()
    """Values given to the stack, the lowest first."""
    reads: tuple[Read, ...] = ()
    writes: tuple[Write, ...] = ()
    fetched: tuple[tuple[Any, Any], ...] = ()
    """Registers that were looked at, with what they held."""
    stored: tuple[RegisterWrite, ...] = ()
    drawn: tuple[Any, ...] = ()
    """Random numbers."""
    output: bytes = b""
    input: bytes = b""
    notes: tuple[Any, ...] = ()
    """What was added to the log."""
    peeked: tuple[Any, ...] = ()
    """Values of the stack that were looked at where they are."""

    @property
    def taken(self) -> tuple[Any, ...]:
        """The values popped as stack effects write them, the top of the stack last."""
        return self.popped[::-1]


class Move(NamedTuple):
    """A walker that is still there: where and how it stood before the tick and after it."""

    number: int
    before: Walker
    after: Walker


class Birth(NamedTuple):
    """A walker that came to be, and who it came from."""

    number: int
    parents: tuple[int, ...]
    walker: Walker


class Loss(NamedTuple):
    """A walker that is gone, and how it stood last."""

    number: int
    walker: Walker
    deed: str = ""
    """What it did by walking off, in words, if anything came of that."""


class Step(NamedTuple):
    """All that happened in one tick.

    Walkers have numbers, which they keep as long as they live. What came of wishes when all had
    acted (see `Rules.settle`) belongs to no walker alone: it is in `reads`, `writes`, `output` and
    `input` of the step, which hold everything, and in those of no action.
    """

    tick: int
    """The tick that this was, counted from 0."""
    actions: tuple[Action, ...]
    moves: tuple[Move, ...]
    born: tuple[Birth, ...]
    gone: tuple[Loss, ...]
    reads: tuple[Read, ...]
    writes: tuple[Write, ...]
    output: bytes
    input: bytes
    rows: int
    """How many rows the plane has grown by."""
    stop: Stop | None
    """Set if the program ended with it."""
    stored: tuple[RegisterWrite, ...] = ()
    """Registers that changed as wishes came true."""

    @property
    def arrived(self) -> list[Birth]:
        """Walkers that have come from outside."""
        return [birth for birth in self.born if not birth.parents]

    @property
    def is_single(self) -> bool:
        """Whether one walker alone acted and none arrived, so that all that happened came of it."""
        return len(self.actions) == 1 and not self.arrived

    def stood(self) -> dict[int, Stance]:
        """How everybody stood before, by number."""
        stayed = {number: before.stance for number, before, _ in self.moves}
        return stayed | {number: walker.stance for number, walker, _ in self.gone}
