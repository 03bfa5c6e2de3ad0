"""The plane as languages see it while tracing: what may change is a node, what is read is code."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import Any

from ..base.keeping import HEIGHT
from .context import TraceContext, stays_as_it_was
from .ir import Leave

Span = tuple[int, int]


def sure_box(context: TraceContext) -> tuple[Span | None, Span | None]:
    """Columns and lines between which there will always be cells, as long as this code lives.

    Code is made from the cells on visited paths, and a write to one drops the code. So the
    outermost of them are code too, whether a tree comes by or not.
    """
    allowed = context.allowed
    places = None if allowed is None else [(x, y) for x, y, *_ in allowed]
    standing = context.keeping.standing(places)
    if not standing:
        return None, None
    ends = min(standing), max(standing), *(f(standing, key=itemgetter(1)) for f in (min, max))
    context.touched.update({place: standing[place] for place in ends})
    (left, _), (right, _), (_, top), (_, bottom) = ends
    return (left, right), (top, bottom)


class DecodedView:
    """The plane as `decode` and geometry see it.

    Every cell that they look at is code from then on, and so is the height.
    """

    def __init__(self, context: TraceContext) -> None:
        self._context = context
        view = context.keeping.view(partial(stays_as_it_was, context.touched))
        vars(self).update(vars(view))
        self.cell = view.cell

    @property
    def height(self) -> Any:
        if self._context.growing:
            raise Leave  # this code may change the height itself
        height = self._context.real_plane.height
        return stays_as_it_was(self._context.touched, HEIGHT, height)

    def __getattr__(self, name: str) -> Any:
        raise Leave  # only the reference engine can tell


class GroundView:
    """The plane as instructions see it."""

    def __init__(self, context: TraceContext) -> None:
        self._context = context
        if hasattr(context.real_plane, "width"):
            self.width = context.real_plane.width
        columns, lines = sure_box(context)
        self.columns, self.lines = (
            _TracedExtent(context, "x", columns),
            _TracedExtent(context, "y", lines),
        )
        self.cells = _AnyCells(context, columns is not None)

    @property
    def height(self) -> Any:
        return self._context.graph.make("height", (self._context.env.grown,), "int")

    def __getattr__(self, name: str) -> Any:
        raise Leave  # only the reference engine can tell


class _TracedExtent:
    """How far cells reach along one axis: at least as far as those that surely stay."""

    def __init__(self, context: TraceContext, axis: str, sure: Span | None) -> None:
        self._context, self._axis, self._sure = context, axis, sure

    @property
    def least(self) -> Any:
        node = self._context.load(f"least_{self._axis}", self._context.env.version)
        if self._sure is not None:
            node.high = self._sure[0]
        return node

    @property
    def most(self) -> Any:
        node = self._context.load(f"most_{self._axis}", self._context.env.version)
        if self._sure is not None:
            node.low = self._sure[1]
        return node


class _AnyCells:
    """Whether there are cells at all."""

    def __init__(self, context: TraceContext, some_stay: bool) -> None:
        self._context, self._some_stay = context, some_stay

    def __bool__(self) -> bool:
        if self._some_stay:
            return True
        count: Any = self._context.load("count", self._context.env.version)
        return bool(count != 0)
