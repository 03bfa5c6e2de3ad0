"""The cells of a sparse plane as a report tells them: in reading order, and many at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ..plane import SparsePlane

Cell = tuple[int, int, int]
"""Column, row, and the number there."""


class ToldCells(Iterator[list[Any]]):
    """Lists `[x, y, name]`, with a name for each number that a cell may hold; `texts` tells the
    same as JSON, which is quicker by far."""

    def __init__(self, plane: SparsePlane, names: Sequence[str]) -> None:
        self._names = names
        self._batches = plane.in_reading_order()
        self._cells = chain.from_iterable(self._batches)

    def __next__(self) -> list[Any]:
        x, y, number = next(self._cells)
        return [x, y, self._names[number]]

    def texts(self) -> Iterator[str]:
        """The same as JSON without the outer brackets, piece by piece."""
        import json  # only where somebody asks for it

        names = [*map(json.dumps, self._names)]
        for batch in self._batches:
            if batch:
                yield ", ".join([f"[{x}, {y}, {names[number]}]" for x, y, number in batch])
