"""The whole run as one line, with the current tick and marks of events."""

from __future__ import annotations

from time import monotonic
from typing import Any

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from ...debug.session import Session
from ...view.console.breakpoints import Breakpoints
from ...view.console.marks import Marks

MARKING = 0.015
"""Seconds of each frame for the search for marks, while nothing runs."""
MOST_MARKED, MOST_SHOWN = 1 << 20, 100
"""Bytes and walkers of the largest state that is searched."""
HIT, HERE = "●", "◆"
SIGNS = {
    "output": ("▪", "green"),
    "input": ("▾", "cyan"),
    "break": ("○", "red"),
    "fork": ("⑂", "magenta"),
}
"""The signs of marks; in one column, later kinds cover earlier ones."""


class TimelineBar(Widget):
    """The ticks from the first to the furthest reached; a click or a drag chooses one."""

    class Chosen(Message):
        """A tick was chosen."""

        def __init__(self, tick: int) -> None:
            super().__init__()
            self.tick = tick

    def __init__(self, session: Session) -> None:
        super().__init__(id="timeline")
        self.session = session
        self.marks: dict[str, list[int]] = {}
        """The marked ticks by kind, as far as they are known."""
        self.hits: set[tuple[str, int]] = set()
        """Branches and ticks at which a breakpoint stopped the run."""
        self._dragging = False
        self._sought = Marks()
        self._complete: Any = None
        """What the marks cover, if all of them are known."""

    def seek(self, points: Breakpoints) -> None:
        """Search for marks briefly; the rest is found later. Large states are not searched, since
        keys would have to wait."""
        session = self.session
        about = session.branch, len(session.branches), session.reached, points.together
        if about == self._complete:
            return
        heavy = session.state.memory() > MOST_MARKED or len(session.state.walkers) > MOST_SHOWN
        until = monotonic() + MARKING
        found = self._sought.look(session, points, lambda: heavy or monotonic() >= until)
        self._complete = about if found["done"] else None
        self.marks = found["marks"]
        self.refresh()

    def render(self) -> Text:
        """The line, as wide as there is room."""
        width = max(self.size.width - 2, 10)
        last = max(self.session.reached, self.session.tick, 1)
        marks = self._marks(width, last)
        here = min(self.session.tick * (width - 1) // last, width - 1)
        line = Text("╺")
        for column in range(width):
            if column == here:
                line.append(HERE, "bold yellow")
            else:
                sign, style = marks.get(column, ("━", "dim"))
                line.append(sign, style)
        return line.append("╸")

    def _marks(self, width: int, last: int) -> dict[int, tuple[str, str]]:
        marks: dict[int, tuple[str, str]] = {}

        def column(tick: int) -> int:
            return min(tick * (width - 1) // last, width - 1)

        for what, (sign, style) in SIGNS.items():
            marks.update({column(tick): (sign, style) for tick in self.marks.get(what, ())})
        for branch, tick in self.hits:
            if tick <= last and self.session.branch_at(tick).name == branch:
                marks[column(tick)] = (HIT, "red")
        return marks

    def _choose(self, x: int) -> None:
        width = max(self.size.width - 2, 10)
        last = max(self.session.reached, self.session.tick, 1)
        share = max(min(x - 1, width - 1), 0) / (width - 1)
        self.post_message(self.Chosen(round(share * last)))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._dragging = True
        self.capture_mouse()
        self._choose(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            self._choose(event.x)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self._dragging = False
        self.release_mouse()
