"""How often each cell was visited, counted during a part of each frame, and shown meanwhile."""

from __future__ import annotations

from time import monotonic

from ...debug.asking.questions import VisitCount
from .board import PlaneView

WARMING = 8
"""Pause before heat is shown again, as a multiple of the time that showing took."""


class HeatCount:
    """The heat of a board, shown while it is counted."""

    def __init__(self, board: PlaneView) -> None:
        self.board = board
        self.count: VisitCount | None = None
        """The count in progress."""
        self.words = ""
        """The progress for the status line."""
        self._until = self._warm_at = 0.0

    def switch(self, seconds: float) -> None:
        """Count for at most this many seconds; or hide the heat."""
        if self.board.heat or self.count is not None:
            self.clear()
        else:
            self.count = VisitCount(self.board.session)
            self._until = monotonic() + seconds
            self.words = "  heat: 0% counted"

    def clear(self) -> None:
        self.count, self.board.heat, self.words = None, {}, ""

    def go_on(self, seconds: float) -> bool:
        """Count for some seconds, and show the counts; False if there is nothing to count."""
        count = self.count
        if count is None:
            return False
        until = monotonic() + seconds
        done = count.go_on(lambda: monotonic() > until)
        if done or monotonic() > self._until:
            self.count = None
        if self.count is None or monotonic() > self._warm_at:
            self._show(count)
        self.words = "" if done else f"  heat: {count.tick / max(count.last, 1):.0%} counted"
        return True

    def _show(self, count: VisitCount) -> None:
        """Show the counts so far; less often if there are many cells."""
        began, visits = monotonic(), count.visits()
        most = max((seen.times for seen in visits.values()), default=1)
        self.board.heat = {place: (seen.times / most) ** (1 / 3) for place, seen in visits.items()}
        self.board.refresh()
        self._warm_at = monotonic() + WARMING * (monotonic() - began)
