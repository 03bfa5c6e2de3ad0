"""Cells of a plane without edges that an engine holds for a while, in a form of its own.

While they are lent, proxies stand in the places of `cells`, `columns` and `lines`. A use of one of
them calls the cells back first, except for questions that the borrower answers: how many cells
there are, what is at a place or in a row, how far they reach, what memory they take. `remembered`
are the cells as they were when they were lent; reading it calls nothing back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from ...core.plane import Box, Cells, SparsePlane

_PARTS = ("cells", "columns", "lines")


class Borrower(Protocol):
    """An engine that holds the cells."""

    count: int
    """How many there are, while they are lent."""

    def give_back(self, plane: SparsePlane) -> None:
        """Put all that has changed into the plane, which has its old cells again."""

    def cell(self, x: int, y: int) -> int:
        """What a cell holds now."""

    def numbers(self, x: int, y: int, length: int) -> Sequence[int]:
        """What the cells of a row hold now."""

    def box(self) -> Box | None:
        """The smallest box around all cells."""

    def memory(self) -> int:
        """Bytes that the cells take, here and where they came from."""


def lend(plane: SparsePlane, borrower: Borrower) -> None:
    """Let an engine hold the cells until they are called back."""
    parts = {name: getattr(plane, name) for name in _PARTS}
    vars(plane).update({name: _Lent(plane, borrower, parts, name) for name in parts})


def is_lent(plane: SparsePlane) -> bool:
    """Whether an engine holds the cells."""
    cells: Any = plane.cells
    return isinstance(cells, _Lent)


def called_back(plane: SparsePlane) -> Cells:
    """The cells themselves, called back if they were lent."""
    cells: Any = plane.cells
    if isinstance(cells, _Lent):
        cells.end()
    return plane.cells


def put_all(plane: SparsePlane, changes: dict[tuple[int, int], int]) -> None:
    """Put what a borrower gives back: many cells are much quicker together."""
    cells = plane.cells
    if 4 * len(changes) < len(cells):
        for (x, y), value in changes.items():
            plane.put(x, y, value)
        return
    cells.update(changes)
    for place, value in changes.items():
        if not value:
            del cells[place]
    plane.recount()


class _Lent:
    """Stands in the place of a part that is lent."""

    def __init__(
        self, plane: SparsePlane, borrower: Borrower, parts: dict[str, Any], name: str
    ) -> None:
        self.plane, self.borrower, self._parts, self._name = plane, borrower, parts, name

    def end(self) -> None:
        """Have everything in its place again, and what has changed in it."""
        plane = self.plane
        vars(plane).update(self._parts)
        watcher, plane.watcher = plane.watcher, None  # it is the borrower who knows already
        self.borrower.give_back(plane)
        plane.watcher = watcher

    def back(self) -> Any:
        """The part itself."""
        called_back(self.plane)
        return getattr(self.plane, self._name)  # it may be another one, or have been lent again

    def __len__(self) -> int:
        return len(self.back()) if self._is_over else self.borrower.count

    def get(self, place: Any, default: Any = None) -> Any:
        x, y = place
        if self._is_over or type(x) is not int or type(y) is not int:
            return self.back().get(place, default)
        return self.borrower.cell(x, y) or default

    def numbers(self, x: int, y: int, length: int) -> Sequence[int]:
        """See `SparsePlane.row`."""
        if self._is_over:
            return self.plane.row(x, y, length)
        return self.borrower.numbers(x, y, length)

    def box(self) -> Box | None:
        """See `SparsePlane.box`."""
        return self.plane.box() if self._is_over else self.borrower.box()

    def memory(self) -> int:
        """See `SparsePlane.memory`."""
        return self.plane.memory() if self._is_over else self.borrower.memory()

    @property
    def _is_over(self) -> bool:
        """Whether these are no longer the cells of the plane."""
        return vars(self.plane)[self._name] is not self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.back(), name)

    def __bool__(self) -> bool:
        return bool(self.back())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.back())

    def __contains__(self, place: Any) -> bool:
        return place in self.back()

    def __getitem__(self, place: Any) -> Any:
        return self.back()[place]

    def __setitem__(self, place: Any, value: Any) -> None:
        self.back()[place] = value

    def __delitem__(self, place: Any) -> None:
        del self.back()[place]

    def __eq__(self, other: object) -> bool:
        return bool(self.back() == (other.back() if isinstance(other, _Lent) else other))

    __hash__ = None  # type: ignore[assignment]
