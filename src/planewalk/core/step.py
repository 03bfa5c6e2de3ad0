"""Why a run paused. A stop is plain data: a misbehaving program is never an exception of ours."""

from __future__ import annotations

from typing import NamedTuple, Union

Place = tuple[float, float]


class Halted(NamedTuple):
    """The program ended, as programs should."""


class Spent(NamedTuple):
    """A limit was reached: `steps`, `time`, `output` or `memory`."""

    reason: str


class Hungry(NamedTuple):
    """The program asks for input that has not arrived yet."""


class Stalled(NamedTuple):
    """The program did not end, and never will: nothing can move again, or all repeats."""

    reason: str = ""


class Hit(NamedTuple):
    """A breakpoint was reached."""

    reason: str


class Fault(NamedTuple):
    """The program did what its language forbids."""

    reason: str
    place: Place


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
