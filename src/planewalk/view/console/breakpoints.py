"""The breakpoints of a session, under their numbers."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...core.errors import OptionError
from ...core.language import Language
from ...debug.conditions.grammar import Wanted, any_of, parse


class Breakpoint(NamedTuple):
    """A condition that stops the run, under a number."""

    id: int
    wanted: Wanted


class Breakpoints:
    """All conditions that stop a run, and their disjunction."""

    def __init__(self) -> None:
        self.all: dict[int, Breakpoint] = {}
        self._next = 1
        self._together: Wanted | None = None

    def add(self, condition: str | Wanted, language: Language | None = None) -> Breakpoint:
        """A new one; a `ConditionError` says what is wrong with it."""
        wanted = parse(condition, language) if isinstance(condition, str) else condition
        point = Breakpoint(self._next, wanted)
        self._next += 1
        self.all[point.id] = point
        self._together = None
        return point

    def remove(self, number: int) -> None:
        if number not in self.all:
            known = ", ".join(map(str, self.all)) or "none"
            raise OptionError(f"there is no breakpoint {number}; there are {known}")
        del self.all[number]
        self._together = None

    def clear(self) -> None:
        self.all.clear()
        self._together = None

    def at(self, x: int, y: int) -> Breakpoint | None:
        """The breakpoint whose whole condition is that place."""
        name = f"at {x},{y}"
        return next((point for point in self.all.values() if point.wanted.text == name), None)

    def places(self) -> set[tuple[int, int]]:
        """The places that they mention, to be marked."""
        texts = [point.wanted.text for point in self.all.values()]
        found = [re.search(r"(-?\d+)\s*,\s*(-?\d+)", each) for each in texts]
        return {(int(match[1]), int(match[2])) for match in found if match}

    @property
    def together(self) -> Wanted | None:
        """One condition for all of them; None if there are none."""
        if self._together is None and self.all:
            self._together = any_of([point.wanted for point in self.all.values()])
        return self._together
