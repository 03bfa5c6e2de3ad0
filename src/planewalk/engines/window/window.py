"""A window on a sparse plane: a flat piece of it, around the hand, that machine code works on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...core.base.deadline import Pause, no_pause
from ...core.plane import CELL_MEMORY, Box, Cells, Place, SparsePlane
from ...core.sparse.tiles import AREA, SIDE, Tiles, aligned
from ..base.lending import called_back, lend, put_all
from ..native.abi import Slot
from .kernels import assemble
from .pane import BLOCK, GROWTHS, NOWHERE, Bounds, Pane, frame_of

if TYPE_CHECKING:
    from ..native.machine_code import Store

HIGHEST = 255  # the greatest number a cell of a window can hold
MARGIN = 8  # cells on every side of what code asks for in the first window, at least

FEW_CELLS = 1 << 18  # in a pane that is copied without machine code
MOST_CHANGES = 1 << 14  # cells that are remembered one by one as changed
LONGEST = 1024 * SIDE  # cells in a row that are left behind together


def highest(cells: Cells) -> int:
    """The greatest number in cells; more than a window can hold if one is below zero."""
    return (cells if isinstance(cells, Tiles) else Tiles(cells)).highest()


def _no_changes(plane: SparsePlane) -> dict[Place, int] | None:
    return {} if isinstance(plane.cells, dict) else None


class Window:
    """A pane over the cells around the hand, which grows and moves with it.

    As long as the plane has lent its cells, those in the window are the truth, and elsewhere the
    tiles that the window has left behind: a copy of the plane's cells, which shares with it all
    that has not changed.
    """

    def __init__(
        self, plane: SparsePlane, coded: set[tuple[int, int]], store: Store | None = None
    ) -> None:
        self.plane = plane
        self.coded = coded
        self.store = store
        self._watcher = self.note
        self.open()

    def open(self) -> None:
        """Read the plane anew if it was in other hands since."""
        if self.plane.watcher is self._watcher:
            return
        cells = called_back(self.plane)
        self.plane.watcher = self._watcher
        self.tiles = cells.copy() if isinstance(cells, Tiles) else Tiles(cells)
        self.highest = self._highest()
        self.lent = False
        self.count = 0
        self.pane = Pane(NOWHERE)
        self._came = NOWHERE  # what was asked for when the pane was last put somewhere else
        self._changes = _no_changes(self.plane)
        """What a plane with a dict does not know yet; None if it has tiles, or that is too much."""

    def let_go(self) -> None:
        """Let others change the plane unseen, which is quicker; it is opened anew then."""
        if self.plane.watcher is self._watcher:
            called_back(self.plane)
            self.plane.watcher = None

    def _highest(self) -> int:
        """The greatest number that may be in any cell."""
        least, most = self.plane.holds
        if self.tiles.count > self.plane.many and 0 <= least <= most <= HIGHEST:
            return int(most)
        return highest(self.tiles)

    # Where it is -----------------------------------------------------------------------------

    def cover(self, x: int, y: int, far: int, pause: Pause = no_pause) -> int:
        """Have all places within this distance in the window.

        Gives how many blocks and rows had to be looked at because it moved. Opening it and
        growing are not counted, since that ends.
        """
        return self.have(Bounds(x - far, y - far, x + far + 1, y + far + 1), pause)

    def have(self, needed: Bounds, pause: Pause = no_pause) -> int:
        """The same for any places."""
        before = self.pane.frame
        if before.holds(needed) or self._grow(needed, pause):
            return 0
        effort = self._leave_behind(pause)
        moved = before.moved(needed) if before.is_broad() else before.ahead(needed, self._came)
        self._came = needed
        if moved.holds(needed):
            assemble(self.store)
            self._mark_all(False)
            self.pane = self.pane.moved(moved)
        else:
            self.pane = Pane(NOWHERE)  # so that the next one can have the memory
            self.pane = Pane(needed.with_margin(MARGIN))
        try:
            effort += self._load(NOWHERE, pause) + self.pane.frame.height
        except BaseException:
            self.pane = Pane(NOWHERE)  # all is in tiles
            raise
        return effort if before != NOWHERE else 0

    def _grow(self, needed: Bounds, pause: Pause) -> bool:
        """Have a larger pane that shows the same and more; says whether one can be had."""
        old = self.pane
        sizes = (old.trimmed(old.frame.towards(needed, times), needed) for times in GROWTHS)
        larger = next((it for it in sizes if it.holds(needed) and not it.is_too_large()), None)
        if larger is None:
            return False
        try:
            self.pane = Pane(larger)
        except OSError:  # there is not so much memory
            return False
        try:
            self._load(old.frame, pause)
        except BaseException:
            self.pane = old
            raise
        if old.frame.width * old.frame.height > FEW_CELLS:
            assemble(self.store)
        self.pane.copy_from(old)
        self._came = needed
        return True

    def _load(self, there: Bounds, pause: Pause) -> int:
        """Show what the new frame has, beside what is there already; gives how much that was."""
        pane, shown = self.pane, 0
        for key in self.tiles.among(*pane.frame):
            pause()
            if not there.holds(frame_of(key)):
                shown += pane.put_tile(key, self.tiles.flat(key))
        self._mark_all(True)
        return shown

    def _leave_behind(self, pause: Pause = no_pause) -> int:
        """Have all changes of the pane in tiles; gives about how many blocks that were. The pane
        stays as it is, so that nothing is lost if this is interrupted."""
        cells = 0 if self._changes is None else self._leave_rows()
        if self._changes is None and self.pane.frame.is_broad():
            for part in self.pane.changed_parts():
                cells += self._leave_part(*part, pause)
        elif self._changes is None:
            assemble(self.store)
            for some in self.pane.changed_tiles():
                pause()
                self.tiles.put_tiles(some)
                cells += AREA * len(some)
        return cells // BLOCK

    def _leave_part(self, left: int, right: int, lines: Sequence[int], pause: Pause) -> int:
        for begin in range(left, right, LONGEST):
            pause()
            end = min(begin + LONGEST, right)
            self.tiles.put_lines(begin, self.pane.rows_of(lines, begin, end))
        return (right - left) * len(lines)

    def _leave_rows(self) -> int:
        """Leave changes row by row and remember them, unless they are too many."""
        cells = 0
        for x, y, length in self.pane.changed_rows():
            cells += length
            if cells > MOST_CHANGES:
                self._changes = None
                break
            for begin, some in aligned(x, length):
                self._leave_row(begin, y, some)
        return cells

    def _leave_row(self, x: int, y: int, length: int) -> None:
        before = self.tiles.row(x, y, length)
        (row,) = self.pane.rows(Bounds(x, y, x + length, y + 1))
        if before != row:
            self.tiles.put_row(x, y, row)
        assert self._changes is not None
        for at, (old, new) in enumerate(zip(before, row, strict=True), x):
            if old != new:
                self._changes[at, y] = new

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
            self.count = len(self.plane.cells)
            self.lent = True
            lend(self.plane, self)

    def give_back(self, plane: SparsePlane) -> None:
        self.lent = False
        self._leave_behind()
        self.pane.settle()
        if isinstance(plane.cells, Tiles):
            plane.adopt(self.tiles)
        elif self.count > plane.many:
            plane.keep_tiles(self.tiles.copy())
        elif self._changes is None:
            plane.keep_dict(dict(self.tiles.items()))
        else:
            put_all(plane, self._changes)
        plane.arrange()
        self._changes = _no_changes(plane)

    def cell(self, x: int, y: int) -> int:
        at = self.pane.index(x, y)
        return int(self.tiles.get((x, y), 0) if at is None else self.pane.cells.bytes[at])

    def numbers(self, x: int, y: int, length: int) -> Sequence[int]:
        part = Bounds(x, y, x + length, y + 1).within(self.pane.frame)
        if part.width <= 0 or part.height <= 0:
            return self.tiles.numbers(x, y, length)
        (shown,) = self.pane.rows(part)
        if part.width == length:
            return shown
        before = self.tiles.numbers(x, y, part.left - x)
        return [*before, *shown, *self.tiles.numbers(part.right, y, x + length - part.right)]

    def box(self) -> Box | None:
        boxes = [box for box in (self.pane.box(), self.tiles.box(self.pane.frame)) if box]
        if not boxes:
            return None
        left, top, right, bottom = zip(*boxes, strict=True)
        return min(left), min(top), max(right), max(bottom)

    def memory(self) -> int:
        if self.count <= self.plane.many:
            return CELL_MEMORY * self.count  # as where they came from
        return self.tiles.memory() + self.pane.memory()

    def note(self, x: int, y: int, value: int) -> None:
        self.highest = max(self.highest, value if value >= 0 else HIGHEST + 1)
        self.tiles.put_row(x, y, (value,))
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
