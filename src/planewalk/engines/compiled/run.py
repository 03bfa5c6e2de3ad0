"""The run that an engine is at, as all its parts see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State, Walker
from ...core.step import Stop
from ..base.policy import Policy
from ..stepping.reference import ReferenceEngine
from ..tracing.ir import Key

if TYPE_CHECKING:
    from ...core.barriers import Barriers


def names_of(registers: Any) -> list[str]:
    """The names of registers that have some, in their order."""
    return list(registers) if isinstance(registers, dict) else []


class LiveRun:
    """A state on its way, with the reference engine that does what no code can."""

    def __init__(self, language: Language, state: State, limits: Limits, policy: Policy) -> None:
        self.language, self.limits, self.policy = language, limits, policy
        self.reference = ReferenceEngine(language, state, limits)
        self.barriers: Barriers | None = None  # what this stretch stops at
        self.earlier = 0  # ticks of the states before this one
        self._begin(state)

    def restart(self, state: State) -> None:
        """Go on with another state of the same program."""
        self.earlier += self.state.tick
        self.reference.restart(state)
        self._begin(state)

    def _begin(self, state: State) -> None:
        self.state = state
        self.hands = any(walker.hand is not None for walker in state.walkers)
        """Whether walkers have hands; asked now, since they may be gone when code is made."""

    @property
    def now(self) -> int:
        """Ticks of this state and those before it."""
        return self.earlier + self.state.tick

    def here(self) -> Key:
        """Where code would have to begin."""
        state = self.state
        return Key(state.walkers[0].stance, len(state.held_stack), tuple(state.calls))

    def step(self, ticks: int) -> Stop | None:
        """Let the reference engine go on, up to what the run stops at."""
        return self.reference.advance(ticks, self.barriers)

    def landed(self) -> Stop | None:
        """The stop if compiled code has come to where the run should stop."""
        stance = self.state.walkers[0].stance
        if self.barriers is None or not self.barriers.catch(stance):
            return None
        from ...core.barriers import Landed, hit

        return hit([Landed(stance)])

    def output_left(self) -> float:
        """Bytes that code may still write."""
        most = self.limits.output
        if self.barriers is not None and self.barriers.output:
            return 0
        return float("inf") if most is None else max(most - self.state.written, 0)

    def leave(self, key: Key, hand: tuple[int, int] | None, ticks: int) -> None:
        """Bring the state to where compiled code left."""
        state = self.state
        state.walkers[0] = Walker(key.stance, hand)
        if key.calls or state.calls:
            state.calls[:] = key.calls
        state.tick += ticks
