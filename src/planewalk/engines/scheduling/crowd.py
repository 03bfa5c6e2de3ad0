"""Several walkers on one plane as a crowd, in machine code that their language has for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...core.engine import Crowd
from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State
from ...core.step import Stop
from ..base.policy import Policy
from ..native.llvm import Store

if TYPE_CHECKING:
    from ...core.barriers import Barriers

ENOUGH, MOST_APART = 16, 64
"""Ticks for which it pays to gather a crowd, and those that it is left alone for at most if it
makes fewer: putting it into machine code and back takes as long as some ticks."""


def _crowd_of(language: Language, state: State, limits: Limits) -> Crowd | None:
    """What a language has of its own, or what can be made from its instructions."""
    own = language.engines.crowd
    if own is not None:
        return own(state, limits)
    from ..interpreter.crowd import crowd_of  # which not every language needs

    return crowd_of(language, state, limits)


class Gathering:
    """The crowd of a state, and when to let it run."""

    def __init__(
        self, language: Language, state: State, limits: Limits, policy: Policy, store: Store | None
    ) -> None:
        self.state, self.limits, self.policy = state, limits, policy
        self.ticks = 0
        """All that ran in machine code."""
        self._apart = 1
        """Ticks of the reference engine after the crowd could not go on: more, if it is in vain."""
        self.crowd = _crowd_of(language, state, limits) if policy.crowds else None
        if self.crowd is not None and store is not None:
            self.crowd.recall(store)

    def suits(self, ticks: int) -> bool:
        """Whether the crowd is ready, and so many ticks are worth it."""
        if self.crowd is None or not self.crowd.ready or self.limits.output is not None:
            return False
        return ticks * len(self.state.walkers) >= self.policy.worth_gathering

    def advance(
        self, ticks: int, barriers: Barriers | None, step: Callable[[int], Stop | None]
    ) -> Stop | None:
        """Run at most that many ticks; `step` is for those that a crowd cannot do."""
        state, crowd = self.state, self.crowd
        assert crowd is not None
        before = state.tick
        going = crowd.advance(ticks, barriers)
        made = state.tick - before
        self.ticks += made
        if going or made == ticks:
            return None
        self._apart = min(2 * self._apart, MOST_APART) if made < ENOUGH else 1
        return step(min(self._apart, ticks - made))
