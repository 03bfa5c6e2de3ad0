"""The words that read and write cells."""

from __future__ import annotations

from typing import Any

from ....core.plane import ANY_NUMBER
from ..context import TraceContext
from ..ir import Leave, identity
from .numbers import TracedNumbers

FEW_WATCHED = 8
"""Cells that may be watched for being read, of which code compares each with what it reads."""


class FixedCells:
    """A plane that never changes: its cells are known."""

    def __init__(self, context: TraceContext, numbers: TracedNumbers, ground: Any) -> None:
        self.context, self.numbers, self.ground = context, numbers, ground

    def cell(self, x: Any, y: Any) -> Any:
        place = self.known_place(x, y)
        return self.context.real_plane.cell(*place)

    def look(self, x: Any, y: Any) -> Any:
        place = self.known_place(x, y)
        return float(self.context.real_plane.at(*place))

    def known_place(self, x: Any, y: Any) -> tuple[Any, Any]:
        """A place as plain numbers; leaves if a breakpoint waits for it to be read."""
        place = self.numbers.known(x), self.numbers.known(y)
        armed = self.context.armed
        if armed and armed.read and place in armed.read:
            raise Leave
        return place


class WritableCells:
    """A plane whose cells may be different after every write."""

    def __init__(self, context: TraceContext, numbers: TracedNumbers, ground: Any) -> None:
        self.context, self.numbers, self.ground = context, numbers, ground

    def cell(self, x: Any, y: Any) -> Any:
        self.stay_inside(x, y)
        if self.is_new_row(y):
            return 0
        self.stay_unwritten()
        self.stay_unwatched(x, y)
        last = self.context.env.last
        if last is not None and last[0] is x and last[1] is y:
            return self.as_known(last[2])
        return self.as_known(self.context.load("cell", x, y, self.context.env.version))

    def put(self, x: Any, y: Any, value: Any) -> None:
        self.stay_inside(x, y)
        self.context.stay_within(value, self.context.graph.cells)
        self.spare_code(x, y)
        self.context.effects.append(("put", x, y, value))
        self.context.env.version += 1
        self.context.env.last = (x, y, value)

    def grow(self, height: Any) -> None:
        context = self.context
        if context.armed or not context.growing or not context.asks("roomy", height):
            raise Leave  # new rows are rare, or there is no room for more
        context.effects.append(("grow", height))
        context.env.grown += 1
        context.grown = height

    def stay_inside(self, x: Any, y: Any) -> None:
        """Leave if a field of bytes does not have this place: the reference engine knows what that
        means. Rows that are there already always will be."""
        if not self.context.keeping.grows:
            return
        plane = self.context.real_plane
        rows = plane.height if type(y) is int and y < plane.height else self.ground.height
        if not (0 <= x < plane.width and y >= 0 and (self.is_new_row(y) or y < rows)):
            raise Leave

    def stay_unwritten(self) -> None:
        """Leave if the plane has changed in this very instruction."""
        if any(effect[0] == "put" for effect in self.context.effects):
            raise Leave

    def stay_unwatched(self, x: Any, y: Any) -> None:
        """Leave before a cell is read that a breakpoint waits for."""
        context = self.context
        if not context.armed or not context.armed.read:
            return
        if context.keeping.grows and len(context.armed.read) <= FEW_WATCHED:
            width = context.real_plane.width
            at = y * width + x
            watched = any(at == row * width + column for column, row in sorted(context.armed.read))
        else:  # marks are for code as well, which is read rarely
            watched = context.asks("coded", x, y)
        if watched:
            raise Leave

    def as_known(self, cell: Any) -> Any:
        """A cell as plain as it is known. On a field of bytes that would only part branches that
        join: there the numbers in cells are many."""
        return self.context.graph.settled(cell) if self.context.keeping.settles else cell

    def spare_code(self, x: Any, y: Any) -> None:
        """Leave before a cell is written that code was made from, or is nowhere."""
        context = self.context
        context.stay_within(x, ANY_NUMBER)
        context.stay_within(y, ANY_NUMBER)
        if type(x) is type(y) is int and context.keeping.index(x, y) in context.touched:
            raise Leave
        if not self.is_new_row(y) and context.asks("coded", x, y):
            raise Leave

    def is_new_row(self, y: Any) -> bool:
        """Whether this is the row that the plane grew by in this instruction."""
        grown = self.context.grown
        return grown is not None and identity(y + 1) == identity(grown)


PlaneCells = FixedCells | WritableCells
