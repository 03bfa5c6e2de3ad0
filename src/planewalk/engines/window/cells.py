"""The cells of a sparse plane as machine code finds them: in a window."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...core.base.deadline import OutOfTime
from ..base.keeping import FURTHEST
from ..compiled.survey import Survey
from .code import WindowUnit
from .window import Window

if TYPE_CHECKING:
    from ..native.machine_code import Store


class WindowCells:
    """Has a window from when the first machine code is made on."""

    counts_rows = False

    def __init__(self, survey: Survey, store: Store | None = None) -> None:
        self.store = store
        self.run, self.code_map = survey.run, survey.code_map
        self.window: Window | None = None
        self._effort = 0  # what it took to have the window where the next unit begins

    def _pause(self) -> None:
        """Stop if the time of the run is over: moving a window may take long."""
        self.run.limits.deadline.check()

    def begin(self) -> None:
        """There is another state now."""
        self.window = None

    def open(self) -> int:
        """Have a window; gives the greatest number in any cell."""
        if self.window is None:
            plane: Any = self.run.state.plane
            self.window = self.code_map.others = Window(plane, self.code_map.marks, self.store)
        return self.window.highest

    def prepare(self, native: WindowUnit) -> bool:
        """Whether the cells are as a unit expects them."""
        window, hand = self.window, self.run.state.walkers[0].hand or (0, 0)
        if window is None or max(map(abs, hand)) >= FURTHEST:
            return False
        window.open()
        if window.highest > native.facts.highest:
            return False
        with suppress(OutOfTime):
            self._effort += window.cover(*hand, native.facts.furthest, self._pause)
            return True
        return False

    def call(self, native: WindowUnit, head: int) -> int:
        """Run a unit; gives the exit by which it was left."""
        assert self.window is not None
        effort, self._effort = self._effort, 0
        return native.run(self.window, head, effort, self._pause)
