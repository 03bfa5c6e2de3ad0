"""A run that is open in a tab, and the frames that show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.plane import Box
from ...debug.session import Session
from ...view.console.breakpoints import Breakpoints
from ...view.console.console import Console
from ...view.console.marks import Marks
from ...view.scene.frame import Frame, Lens, named_ends
from ..fields import Message
from .circuits import Table
from .encoding import encoded
from .retracing import courses_of, version_of
from .terrain import CellHeat, Roll

MOST_BOX = 512
"""Cells of a frame along each side."""
MOST_AROUND = 1 << 20
MOST_OUTPUT = 20_000


class OpenRun:
    """A session with its console, breakpoints and marks, as one tab shows it."""

    def __init__(self, session: Session, name: str, pause: Callable[[], bool]) -> None:
        self.session, self.name = session, name
        self.points, self.marks = Breakpoints(), Marks()
        self.console = Console(session, self.points, pause)
        self.table: Table | None = None
        self.roll, self.heat = Roll(), CellHeat()
        self._lens = Lens(session.language)
        self._courses: Any = None
        self.look(session.state.plane.box() or (0, 0, 20, 10))
        self.forget()

    def look(self, box: Sequence[int], coarse: bool = False) -> None:
        """Choose the part of the plane to show: left, top, right and bottom."""
        self._around: Box | None = None
        self._box = bounded(box)
        if coarse:  # too many cells to be seen one by one: there is a map for that
            self._around = bounded(box, MOST_AROUND)
            self._box = (box[0], box[1], box[0], box[1])

    def forget(self) -> None:
        """Make the next frame complete, instead of what is new."""
        self._shown: Frame | None = None
        self._output_at = -1

    def frame(self, close: bool, pause: Callable[[], bool]) -> Message:
        """What is new since the last frame; `close` keeps the numbers of walkers."""
        walk = self.session
        numbers = self.roll.numbers(walk, pause) if close else None
        frame = self._lens.look(
            walk.state, self._box, numbers=numbers, stop=walk.stop, around=self._around
        )
        delta = frame.delta(self._shown)
        self._shown = frame
        if "rows" in delta:
            delta |= named_ends(walk.language, walk.state, self._box)
        delta["reached"] = walk.reached
        delta["branch"] = walk.branch.name
        delta["branches"] = [
            {
                "name": branch.name,
                "begins": branch.begins,
                "reached": branch.reached,
                "parent": branch.parent,
            }
            for branch in walk.branches.values()
        ]
        points = self.points.all.values()
        delta["breaks"] = [{"id": point.id, "text": point.wanted.text} for point in points]
        if walk.written != self._output_at:
            self._output_at = walk.written
            tail = walk.output_between(max(walk.written - MOST_OUTPUT, 0), walk.written)
            delta["output"] = {"written": walk.written, "tail": encoded(tail)}
        if (version := version_of(walk)) != self._courses:
            self._courses = version
            delta["courses"] = courses_of(walk)
        stream = walk.state.input
        unread = bytes(stream.data[stream.position - stream.dropped :][:MOST_OUTPUT])
        told = {"unread": encoded(unread), "count": stream.unread, "open": not stream.closed}
        return delta | {"input": told}


def bounded(box: Sequence[int], most: int = MOST_BOX) -> Box:
    """A box limited in size and in distance from the origin."""
    left, top, right, bottom = box
    far = 1 << 40
    left, top = max(min(left, far), -far), max(min(top, far), -far)
    return left, top, max(left, min(right, left + most)), max(top, min(bottom, top + most))
