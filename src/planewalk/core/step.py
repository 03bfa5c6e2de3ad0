"""Why a run paused. A stop is plain data: a misbehaving program is never an exception of ours."""

from __future__ import annotations

from typing import Any, NoReturn, Union

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


HALTED = Halted()


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

FINAL = (Halted, Stalled, Fault)  # stops after which there is nothing left to run
