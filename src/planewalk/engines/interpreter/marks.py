"""Marks of cells that others depend on: superinstructions were recorded from them, or compiled code
was made from them. The interpreter looks at the mark of each cell it writes: `tick_access.py`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...core.limits import Limits
from ..base.addresses import address_of
from ..base.keeping import cells_of, keeping_of
from ..base.memory import growing_memory, lengthen, taken
from ..native.abi import Slot
from ..stepping.reference import ReferenceEngine
from .abi import CODE_WRITTEN, EPOCH, LOWEST, MARKS, MARKS_MASK, RIGHTMOST

WALKED, RESTLESS, CODE = 1, 2, 4
"""A superinstruction passes the cell; it was written then, so that others end before it; compiled
code was made from it."""

IS_WALKED = bytes(mark & WALKED for mark in range(256))


class CellMarks:
    """The marks of a run, and its epoch: what was recorded in another one is not true any more."""

    def __init__(self, reference: ReferenceEngine, limits: Limits) -> None:
        self.state, self.limits = reference.state, limits
        self.epoch = 1
        self.cells = growing_memory()
        self.noting = False  # whether there is memory for marks
        self._changed: set[Any] = set()  # marked cells that the reference engine has written
        self._rightmost = self._lowest = -1
        """Beyond that column, and beyond that row, no cell is marked."""
        self._code_written = False
        self._left_at = -1  # the tick up to which no other engine has run
        keeping = keeping_of(self.state.plane, self.cells)
        reference.machine.listen({"put": keeping.noticing(self._changed)})

    def mark(self, places: Iterable[Any], coded: bool) -> None:
        """Compiled code was made from these cells, or was dropped. See `Marking`."""
        plane: Any = self.state.plane
        if not self._has_room(len(plane.data)):
            return
        lengthen(self.cells, len(plane.data))
        for at in cells_of(places):
            self.cells[at] = self.cells[at] | CODE if coded else self.cells[at] & ~CODE
            y, x = divmod(at, plane.width)
            self._rightmost, self._lowest = max(self._rightmost, x), max(self._lowest, y)

    def has_written_code(self) -> bool:
        """Whether such cells may have been written since this was asked last."""
        if self._changed:
            self._begin_epoch()
        written, self._code_written = self._code_written, False
        return written

    def cells_walked(self) -> bytes:
        """For each cell down to the last that is marked, whether superinstructions pass it."""
        plane: Any = self.state.plane
        return bytes(self.cells[: (self._lowest + 1) * plane.width].translate(IS_WALKED))

    def memory(self) -> int:
        """Bytes beside those that every run takes."""
        plane: Any = self.state.plane
        return taken(self.cells, (self._lowest + 1) * plane.width)

    def begin(self) -> None:
        """Nothing is known if another engine has run meanwhile."""
        if self.state.tick != self._left_at:
            self.epoch += 1

    def end(self) -> None:
        """From here on other engines may run."""
        self._left_at = self.state.tick

    def show(self, words: Any) -> None:
        """Tell machine code what is known of the state as it is now."""
        plane: Any = self.state.plane
        cells = words[Slot.ROWS] * plane.width
        noting = self._has_room(cells)
        if noting != self.noting or self._changed:
            self._begin_epoch()
            self.noting = noting
        lengthen(self.cells, cells if noting else 1)
        self._code_written |= not noting
        words[MARKS], words[MARKS_MASK] = address_of(self.cells), -int(noting)
        words[RIGHTMOST], words[LOWEST] = self._rightmost, self._lowest
        words[EPOCH], words[CODE_WRITTEN] = self.epoch, 0

    def take(self, words: Any) -> None:
        """See what is still true after machine code has run."""
        self.epoch = words[EPOCH]
        self._rightmost, self._lowest = words[RIGHTMOST], words[LOWEST]
        self._code_written |= bool(words[CODE_WRITTEN])

    def _has_room(self, cells: int) -> bool:
        """Whether so many cells may be marked."""
        memory = self.limits.memory
        return memory is None or cells + self.memory() <= memory

    def _begin_epoch(self) -> None:
        self.epoch += 1
        for at in self._changed:
            mark = self.cells[at]
            self._code_written |= bool(mark & CODE)
            self.cells[at] = mark + (mark & WALKED)
        self._changed.clear()
