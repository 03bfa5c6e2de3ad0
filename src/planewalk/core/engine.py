"""What every engine promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from .state import State
from .step import Stop

if TYPE_CHECKING:
    from .barriers import Barriers


class Engine(Protocol):
    """A way of running. After `advance` the state is exact at the tick it names."""

    state: State

    @property
    def name(self) -> str:
        """The name by which it is chosen and reported."""

    def memory(self) -> int:
        """About how many bytes it holds beside the state."""

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks; None if there is more to do and nothing in the way.

        Fewer if they take long, so that the caller can check the clock and the memory. At the
        deadline of its limits an engine ends where it is, if need be with `Spent`.

        `advance(0)` runs nothing and still tells whether the program has ended. With barriers, the
        stop is a `Hit` after the first tick in which something barred happened, even if the program
        has ended with it; a walker that stands on a landing already may go on.
        """


class Crowd(Protocol):
    """A way of running the many walkers of one state in machine code.

    Made in an instant; it is `ready` when machine code is kept and recalled, or after `assemble`,
    which takes its time.
    """

    @property
    def ready(self) -> bool:
        """Whether it can run."""

    def recall(self, store: Any) -> bool:
        """Take the machine code from a store; False if it is not there."""

    def assemble(self, store: Any) -> None:
        """Make the machine code, or take it from a store.

        See `engines.native.machine_code.Store`.
        """

    def keep(self, store: Any) -> None:
        """Have machine code in a store for other runs, perhaps on other machines."""

    def advance(self, ticks: int, barriers: Barriers | None = None) -> bool:
        """Run at most that many ticks, less when one walker is left; the state is exact then.

        False if the next tick is one that the reference engine has to do, as all are in which
        something barred may happen: that tells exactly what does.
        """
