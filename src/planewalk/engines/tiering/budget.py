"""Whether what the interpreter runs is worth code of its own: time spent there pays for it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..policy import Policy

if TYPE_CHECKING:
    from ..interpreter.engine import InterpreterEngine

LLVM = "llvmlite.binding"
"""What has to be imported for machine code."""
LATER = 1.25
"""How many times as long it takes until cells are counted again, which takes time itself."""


class TracingBudget:
    """Seconds on the interpreter, and what code would cost."""

    def __init__(self, policy: Policy, tick: int) -> None:
        self.policy = policy
        self.seconds = 0.0
        self._worth_it_at = tick + policy.worth_tracing
        self._due = 0.0
        """What has to be paid before there is something to be done."""

    def note(self, seconds: float) -> None:
        """The interpreter has run for so long."""
        self.seconds += seconds

    def missing(self, rate: float, tick: int) -> int:
        """Ticks, at so many a second, until there is something to be done."""
        due = max(self._due, self._fixed_price())
        return max(self._worth_it_at - tick, int((due - self.seconds) * rate), 0)

    def covers(self, interpreter: InterpreterEngine) -> bool:
        """Whether the time on the interpreter pays for code of all cells that the program walks."""
        if self.seconds < max(self._due, self._fixed_price()):
            return False
        if not self.policy.seconds_a_cell:
            return True
        leaps = interpreter.leaps
        cells = interpreter.keeping.size() if leaps is None else leaps.count_walked()
        price = self.policy.seconds_a_cell * min(cells, self.policy.most_instructions)
        covered = self.seconds >= self._fixed_price() + price
        self._due = max(self._fixed_price() + price, LATER * self.seconds)
        return covered

    def _fixed_price(self) -> float:
        loading = 0.0 if LLVM in sys.modules else self.policy.loading_seconds
        return self.policy.tracing_seconds + loading
