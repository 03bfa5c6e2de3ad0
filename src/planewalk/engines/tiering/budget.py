"""Whether what the interpreter runs is worth code of its own: time spent there pays for it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..policy import Policy

if TYPE_CHECKING:
    from ..interpreter.engine import InterpreterEngine
    from ..interpreter.leap_table import CountedLeap, Leaps

LLVM = "llvmlite.binding"
"""What has to be imported for machine code."""
LATER = 1.25
"""If too little is hot, somebody asks again after so much more time."""
SHORTEST_LOOK, LONGEST_LOOK, LONGER, HOT = 1 << 10, 1 << 24, 4, 8
"""Ticks for which it is seen where the program walks now; times as many if it did not come by those
cells so often, or if there are fewer than ..."""
FEW_CELLS, MANY_CELLS = 500, 2_000
"""... are worth the trouble: few at first, since small loops are often all there is, and twice as
many with every order. What the program comes by less often is left to the interpreter."""


class TracingBudget:
    """Seconds on the interpreter since code was ordered last, and what code would cost."""

    def __init__(self, policy: Policy, tick: int) -> None:
        self.policy = policy
        self.seconds = 0.0
        self._worth_it_at = tick + policy.worth_tracing
        self._due = 0.0
        """What has to be paid before there is something to be done."""
        self._hot: list[CountedLeap] = []
        """Leaps that would have paid for their code by now; ..."""
        self.hot_now: list[CountedLeap] = []
        """... and those of them that were seen of late, most time first."""
        self.looking = False
        """Whether it is seen where the program walks; ..."""
        self._look = SHORTEST_LOOK
        """... and for how long."""
        self._enough = FEW_CELLS
        self._orders = 0
        self._doubt = 1
        """Doubles with every order that nothing came of."""

    def note(self, seconds: float) -> None:
        """The interpreter has run for so long."""
        self.seconds += seconds

    def ordered(self, tick: int, in_vain: bool) -> None:
        """Code was ordered; from now on it is paid for more. `in_vain` says whether nothing has
        come of the order before."""
        self._doubt = 2 * self._doubt if in_vain else 1
        self._worth_it_at = tick + self.policy.worth_tracing * self._doubt
        self._enough = min(2 * self._enough, MANY_CELLS)
        self._orders += 1
        self.begin_anew()

    def begin_anew(self) -> None:
        """There is other code now; what was interpreted before says little of what will be."""
        self.seconds = self._due = 0.0
        self.looking = False

    def missing(self, rate: float, tick: int) -> int:
        """Ticks, at so many a second, until there is something to be done."""
        if self.looking:
            return self._look
        due = max(self._due, self._fixed_price())
        return max(self._worth_it_at - tick, int((due - self.seconds) * rate), 0)

    def covers(self, interpreter: InterpreterEngine, rate: float) -> bool:
        """Whether code pays for where the program walks now, if the interpreter does so many ticks
        a second; first that has to be seen."""
        if not self.looking and self.seconds < max(self._due, self._fixed_price()):
            return False
        if self._orders >= self.policy.most_orders:
            return False
        if not self.policy.seconds_a_cell:
            return True
        leaps = interpreter.leaps
        if leaps is None:
            cells = interpreter.keeping.size()
        elif not leaps.notes_cells:
            cells = sum(leap.cells for leap in leaps.counted(1))
        elif not self._sees_hot_cells(leaps, rate):
            return False
        else:
            cells = leaps.count_walked()
        cells = min(cells, self.policy.most_instructions)
        self._due = self._fixed_price() + self.policy.seconds_a_cell * cells * self._doubt
        return self.seconds >= self._due

    def _sees_hot_cells(self, leaps: Leaps, rate: float) -> bool:
        """Whether enough time was spent on hot leaps, and the program has been seen on some."""
        if not self.looking and not self._is_hot(leaps, rate):
            self._due = LATER * self.seconds
            return False
        if not self._has_looked(leaps):
            return False
        walked = leaps.cells_walked()
        self.hot_now = sorted((it for it in self._hot if walked[it.cell]), reverse=True)
        if not self.hot_now:
            self._due = LATER * self.seconds
        return bool(self.hot_now)

    def _is_hot(self, leaps: Leaps, rate: float) -> bool:
        """Whether leaps that would have paid for their code by now would have paid for the rest of
        an order, too. Such a leap was leapt as often as there are ticks in the time that it takes
        to make code of a cell."""
        self._hot = leaps.counted(self.policy.seconds_a_cell * self._doubt * rate)
        return sum(leap.ticks for leap in self._hot) >= self._fixed_price() * rate

    def _has_looked(self, leaps: Leaps) -> bool:
        """Whether it has been seen for long enough where the program walks now."""
        if self.looking:
            cells = leaps.count_walked()
            often = cells >= self._enough and self._look > HOT * cells
            if often or self._look >= LONGEST_LOOK:
                self.looking = False
                return True
        self._look = LONGER * self._look if self.looking else SHORTEST_LOOK
        self.looking = True
        leaps.forget_walked()
        return False

    def _fixed_price(self) -> float:
        loading = 0.0 if LLVM in sys.modules else self.policy.loading_seconds
        return (self.policy.tracing_seconds + loading) * self._doubt
