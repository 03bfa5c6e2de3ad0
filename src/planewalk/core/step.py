"""What happened in a tick, and why a run paused; both are plain data.

A misbehaving program is never an exception of ours: it is a stop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Union

if TYPE_CHECKING:
    from .geometry import Stance
    from .instruction import Instruction
    from .state import Walker

Place = tuple[float, float]


class _Kind:
    """What all stops share: each is true, never changes, and equals only its like.

    Not a data class: importing those takes longer than a short program runs.
    """

    __slots__: tuple[str, ...] = ()

    def __init__(self, *details: object) -> None:
        for name, value in zip(self.__slots__, details, strict=True):
            object.__setattr__(self, name, value)

    @property
    def details(self) -> tuple[Any, ...]:
        """What it was made with."""
        return tuple(getattr(self, name) for name in self.__slots__)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a stop never changes, so its {name!r} cannot be set")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kind) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.__reduce__())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.details))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.details


class Halted(_Kind):
    """The program ended, as programs should."""

    __slots__ = ()


class Spent(_Kind):
    """A limit was reached: `steps`, `time`, `output` or `memory`."""

    __slots__ = ("reason",)
    reason: str

    def __init__(self, reason: str) -> None:
        super().__init__(reason)


class Hungry(_Kind):
    """The program asks for input that has not arrived yet."""

    __slots__ = ()


class Stalled(_Kind):
    """The program did not end, and never will: nothing can move again, or all repeats."""

    __slots__ = ("reason",)
    reason: str

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)


class Hit(_Kind):
    """A barrier was reached; `events` are what happened there (see `core.barriers`)."""

    __slots__ = ("reason", "events")  # noqa: RUF023 - in the order of the arguments
    reason: str
    events: tuple[Any, ...]

    def __init__(self, reason: str, events: tuple[Any, ...] = ()) -> None:
        super().__init__(reason, events)


class Fault(_Kind):
    """The program did what its language forbids."""

    __slots__ = ("reason", "place")  # noqa: RUF023 - in the order of the arguments
    reason: str
    place: Place

    def __init__(self, reason: str, place: Place) -> None:
        super().__init__(reason, place)


Stop = Union[Halted, Spent, Hungry, Stalled, Hit, Fault]

STATUS: dict[type, str] = {
    Halted: "halted",
    Spent: "limit",
    Hungry: "waiting",
    Stalled: "stalled",
    Hit: "hit",
    Fault: "fault",
}
"""The word for each kind of stop, in JSON and everywhere a person reads it."""

FINAL = (Halted, Stalled, Fault)
"""Stops after which there is nothing left to run."""


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


class Store(NamedTuple):
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
    reads: tuple[Read, ...] = ()
    writes: tuple[Write, ...] = ()
    fetched: tuple[tuple[Any, Any], ...] = ()
    """Registers that were looked at, with what they held."""
    stored: tuple[Store, ...] = ()
    drawn: tuple[Any, ...] = ()
    """Random numbers."""
    output: bytes = b""
    input: bytes = b""
    notes: tuple[Any, ...] = ()
    """What was added to the log."""
    peeked: tuple[Any, ...] = ()
    """Values of the stack that were looked at where they are."""


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


class Step(NamedTuple):
    """All that happened in one tick.

    Walkers have numbers, which they keep as long as they live. What came of wishes when all had
    acted (see `Language.settle`) belongs to nobody alone: it is in `reads`, `writes`, `output` and
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
