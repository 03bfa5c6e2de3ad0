"""A window on a sparse plane: a flat piece of it, around the hand, that machine code works on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ...core.plane import SparsePlane
from ..lending import called_back, lend, put_all
from ..native.abi import Slot
from .pane import BLOCK, NOWHERE, Bounds, Pane

HIGHEST = 255
"""The greatest number a cell of a window can hold."""
MARGIN = 8
"""Cells on every side of the hand, beyond what code asks for, in the first window."""

_CELLS = re.compile(b"[^\0]+")


def highest(cells: dict[tuple[int, int], int]) -> int:
    """The greatest number in cells."""
    return max(map(_size, cells.values()), default=0)


def _size(value: int) -> int:
    """How great a number is; those below zero are no bytes, so too great."""
    return value if value >= 0 else HIGHEST + 1


class Window:
    """A pane over the cells around the hand, which grows and moves with it.

    As long as the plane has lent its cells, those in the window are the truth. What the window
    has left behind is kept by rows and columns of blocks. Everywhere else the plane is right.
    """

    def __init__(self, plane: SparsePlane, coded: set[tuple[int, int]]) -> None:
        self.plane = plane
        self.coded = coded
        self._watcher = self.note
        self.open()

    def open(self) -> None:
        """See the plane anew, unless nobody else has had it since."""
        if self.plane.watcher is self._watcher:
            return
        self.cells = called_back(self.plane)
        self.plane.watcher = self._watcher
        self.highest = highest(self.cells)
        self.lent = False
        self.count = 0
        self.pane = Pane(NOWHERE)
        self.behind: dict[int, dict[int, bytes]] = {}

    # Where it is -----------------------------------------------------------------------------

    def cover(self, x: int, y: int, far: int) -> int:
        """Have all places within this distance in the window.

        Gives how many cells and rows had to be looked at because it moved. Opening it and
        growing are not counted, since that ends.
        """
        old, needed = self.pane, Bounds(x - far, y - far, x + far + 1, y + far + 1)
        if old.frame.holds(needed) or self._grow(needed):
            return 0
        self._leave_behind()
        moved = old.frame.moved(needed)
        if moved.holds(needed):
            self._mark_all(False)
            old.clear()
            old.frame = moved
        else:
            left, right = (needed.left - MARGIN) // BLOCK, -(-(needed.right + MARGIN) // BLOCK)
            self.pane = Pane(
                Bounds(left * BLOCK, needed.top - MARGIN, right * BLOCK, needed.bottom + MARGIN)
            )
        self._load(NOWHERE)
        return self.pane.frame.height + len(self.cells) if old.frame != NOWHERE else 0

    def _grow(self, needed: Bounds) -> bool:
        """Have a larger pane that shows the same and more; says whether one can be had."""
        old = self.pane
        larger = old.frame.towards(needed)
        if not larger.holds(needed) or larger.is_too_large():
            return False
        try:
            self.pane = Pane(larger)
        except OSError:  # there is not so much memory
            return False
        self._load(old.frame)
        self.pane.copy_from(old)
        return True

    def _load(self, there: Bounds) -> None:
        """Show what the new frame has, beside what is there already."""
        pane = self.pane
        left, top, right, bottom = pane.frame
        for (x, y), value in self.cells.items():
            if left <= x < right and top <= y < bottom and not there.has(x, y):
                pane.put(x, y, value)
        rows = self.behind if len(self.behind) < bottom - top else range(top, bottom)
        for y in rows:
            for x, block in self.behind.get(y, {}).items():
                if not there.has(x, y):
                    pane.put_block(x, y, block)
        self._mark_all(True)

    def _leave_behind(self) -> None:
        for x, y, block in self.pane.changed_blocks():
            self.behind.setdefault(y, {})[x] = block
        self.pane.settle()

    def _mark_all(self, coded: bool) -> None:
        for x, y in self.coded:
            self.pane.mark(x, y, coded)

    def mark(self, places: Iterable[tuple[int, int]], coded: bool) -> None:
        """Say that these cells are code from now on, or no longer."""
        for x, y in places:
            self.pane.mark(x, y, coded)

    # Lending ---------------------------------------------------------------------------------

    def lend(self) -> None:
        """Make the cells in the window the truth."""
        if not self.lent:
            self.count = len(self.cells)
            self.lent = True
            lend(self.plane, self)

    def give_back(self, plane: SparsePlane) -> None:
        self.lent = False
        self._leave_behind()
        put_all(plane, self._changes())
        self.behind.clear()

    def _changes(self) -> dict[tuple[int, int], int]:
        """All cells that are not as the plane remembers them."""
        cells, changes = self.cells, {}
        for y, row in self.behind.items():
            for left, block in row.items():
                for run in _CELLS.finditer(block):
                    for x, value in enumerate(run[0], left + run.start()):
                        if cells.get((x, y)) != value:
                            changes[x, y] = value
        # Those that are blank now are found where there is less to look at.
        if BLOCK * sum(map(len, self.behind.values())) < len(cells):
            for y, row in self.behind.items():
                for left, block in row.items():
                    for x, value in enumerate(block, left):
                        if not value and (x, y) in cells:
                            changes[x, y] = 0
        elif self.behind:
            for x, y in cells:
                left = x // BLOCK * BLOCK
                seen = self.behind.get(y, {}).get(left)
                if seen is not None and not seen[x - left]:
                    changes[x, y] = 0
        return changes

    def note(self, x: int, y: int, value: int) -> None:
        self.highest = max(self.highest, _size(value))
        self.pane.put(x, y, value)

    # For machine code ------------------------------------------------------------------------

    def show(self, words: Any) -> None:
        """Tell machine code where everything is."""
        self.lend()
        pane = self.pane
        left, top, right, bottom = pane.frame
        origin = top * pane.frame.width + left
        words[Slot.DATA] = pane.cells.address - origin
        words[Slot.CODE] = pane.code.address - origin
        words[Slot.WRITTEN_BLOCKS] = pane.changed.address - pane.cells.address // BLOCK
        words[Slot.LEFT], words[Slot.TOP] = left, top
        words[Slot.WIDTH], words[Slot.ROWS] = right - left, bottom - top
        words[Slot.COUNT] = self.count
