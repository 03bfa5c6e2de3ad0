"""What every engine promises."""

from __future__ import annotations

from typing import Protocol

from .state import State
from .step import Stop


class Engine(Protocol):
    """A way of running. After `advance` the state is exact at the tick it names."""

    state: State

    @property
    def name(self) -> str:
        """The name by which it is chosen and reported."""

    def advance(self, ticks: int) -> Stop | None:
        """Run at most that many ticks; None if there is more to do and nothing in the way.

        `advance(0)` runs nothing and still tells whether the program has ended.
        """
