"""Flat memory for a rectangle of a plane that has no edges."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from ...core.plane import Box

BLOCK_BITS = 6
BLOCK = 1 << BLOCK_BITS
"""Cells are looked after in blocks of so many in a row, beginning at multiples of that."""
GROWTHS = (7, 1)
"""How many times its size a rectangle grows by, to the side where it is too small; less if that is
too much."""
MOST_CELLS, THIN, MOST_TALL_CELLS, MOST_LONG_CELLS = 1 << 24, 1 << 10, 1 << 23, 1 << 31
"""How large a rectangle may become, and one that is thin: upright, or lying. Memory is taken only
where it is used, and long rows are left behind quickly."""
PAGE = 1 << 12
"""Bytes that memory is taken by."""
LARGE = 1 << 22
"""Memory of this size is best taken in large pieces."""


class Bounds(NamedTuple):
    """A rectangle of places; right and bottom are the first ones outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    def has(self, x: int, y: int) -> bool:
        left, top, right, bottom = self
        return left <= x < right and top <= y < bottom

    def holds(self, other: Bounds) -> bool:
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def towards(self, other: Bounds, times: int) -> Bounds:
        """Larger by so many times its size on each side that the other one is beyond."""
        across, along = times * self.width, times * self.height
        return Bounds(
            self.left - across * (other.left < self.left),
            self.top - along * (other.top < self.top),
            self.right + across * (other.right > self.right),
            self.bottom + along * (other.bottom > self.bottom),
        )

    def within(self, other: Bounds) -> Bounds:
        """What both have in common, if they have something."""
        return Bounds(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def with_margin(self, least: int) -> Bounds:
        """Larger by a quarter on every side, and by so much at least; whole blocks across."""
        across, along = (max(least, size // 4) for size in (self.width, self.height))
        left, right = (self.left - across) // BLOCK, -(-(self.right + across) // BLOCK)
        return Bounds(left * BLOCK, self.top - along, right * BLOCK, self.bottom + along)

    def moved(self, other: Bounds) -> Bounds:
        """As large, three quarters further to each side that the other one is beyond."""
        across, along = self.width * 3 // 4 // BLOCK * BLOCK, self.height * 3 // 4
        right = across * ((other.right > self.right) - (other.left < self.left))
        down = along * ((other.bottom > self.bottom) - (other.top < self.top))
        return Bounds(self.left + right, self.top + down, self.right + right, self.bottom + down)

    def is_too_large(self) -> bool:
        most = MOST_CELLS
        if min(self.width, self.height) <= THIN:
            most = MOST_LONG_CELLS if self.width > self.height else MOST_TALL_CELLS
        return self.width * self.height > most


NOWHERE = Bounds(0, 0, 0, 0)


class Memory:
    """Zeros, taken from the system only where somebody writes."""

    def __init__(self, size: int) -> None:
        self.bytes = mmap.mmap(-1, max(size, 1), access=mmap.ACCESS_COPY)
        if size >= LARGE and hasattr(mmap, "MADV_HUGEPAGE"):
            with suppress(OSError):  # a system that cannot do it only takes longer
                self.bytes.madvise(mmap.MADV_HUGEPAGE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.bytes))

    def runs(self) -> Iterator[tuple[int, int]]:
        """Where ones begin and end."""
        find, size = self.bytes.find, len(self.bytes)
        end = 0
        while (begin := find(b"\1", end)) >= 0:
            end = find(b"\0", begin)
            if end < 0:
                end = size
            yield begin, end


def _pages(marks: Memory) -> int:
    """How many pages of cells have blocks with marks."""
    find, each = marks.bytes.find, PAGE // BLOCK
    pages = at = 0
    while (at := find(b"\1", at)) >= 0:
        pages += 1
        at = (at // each + 1) * each
    return pages


class Pane:
    """The cells of a frame, row by row, and which of them are code.

    Blocks that machine code wrote to are `changed`; others that are not blank are `known`.
    """

    def __init__(self, frame: Bounds) -> None:
        self.frame = frame
        size = frame.width * frame.height
        self.cells, self.code = Memory(size), Memory(size)
        self.changed, self.known = Memory(size // BLOCK), Memory(size // BLOCK)
        self._pages = self._looks = 0

    def index(self, x: int, y: int) -> int | None:
        left, top, right, bottom = self.frame
        if left <= x < right and top <= y < bottom:
            return (y - top) * (right - left) + x - left
        return None

    def put(self, x: int, y: int, value: int) -> None:
        """Take over a cell."""
        at = self.index(x, y)
        if at is not None:
            self.cells.bytes[at] = value & 255
            self.known.bytes[at // BLOCK] = 1

    def put_block(self, x: int, y: int, block: bytes) -> None:
        """Take over a block, of which x is the first column."""
        at = self.index(x, y)
        if at is not None:
            self.cells.bytes[at : at + BLOCK] = block
            self.known.bytes[at // BLOCK] = 1

    def mark(self, x: int, y: int, coded: bool) -> None:
        at = self.index(x, y)
        if at is not None:
            self.code.bytes[at] = coded

    def changed_rows(self) -> Iterator[tuple[int, int, int]]:
        """Where machine code wrote to: first places and lengths of pieces of rows."""
        left, top, width = self.frame.left, self.frame.top, self.frame.width
        for begin, end in self.changed.runs():
            at, end = begin * BLOCK, end * BLOCK
            while at < end:
                y, x = divmod(at, width)
                length = min(end - at, width - x)
                yield left + x, top + y, length
                at += length

    def rows(self, part: Bounds) -> Iterator[bytes]:
        """The cells of a rectangle in it, line by line."""
        cells, width, across = self.cells.bytes, self.frame.width, part.width
        at = self.index(part.left, part.top)
        assert at is not None
        for begin in range(at, at + part.height * width, width):
            yield cells[begin : begin + across]

    def box(self) -> Box | None:
        """The smallest box around all its cells."""
        rows = [*self._rows(self.changed), *self._rows(self.known)]
        if not rows:
            return None
        lines, lefts, rights = zip(*rows, strict=True)
        return min(lefts), min(lines), max(rights), max(lines)

    def _rows(self, marks: Memory) -> Iterator[tuple[int, int, int]]:
        """Of cells in blocks with marks: lines, and where cells begin and end there."""
        left, top, right, _ = self.frame
        row = (right - left) // BLOCK
        for begin, end in marks.runs():
            while begin < end:
                y = begin // row
                stop = min(end, (y + 1) * row)
                cells = self.cells.bytes[begin * BLOCK : stop * BLOCK].rstrip(b"\0")
                if cells:
                    first = left + (begin - y * row) * BLOCK
                    blank = len(cells) - len(cells.lstrip(b"\0"))
                    yield top + y, first + blank, first + len(cells) - 1
                begin = stop

    def memory(self) -> int:
        """Bytes that the cells take; they are counted from time to time."""
        if not self._looks:
            both = (self.changed, self.known)
            self._pages = min(sum(map(_pages, both)), len(self.cells.bytes) // PAGE + 1)
            self._looks = 16 + self._pages // 4096
        self._looks -= 1
        return PAGE * self._pages

    def settle(self) -> None:
        """Somebody else knows all changes now."""
        for begin, end in self.changed.runs():
            self.known.bytes[begin:end] = self.changed.bytes[begin:end]
            self.changed.bytes[begin:end] = bytes(end - begin)

    def copy_from(self, other: Pane) -> None:
        """Take over all that another one has; its frame is a part of this one's."""
        row, wider = other.frame.width // BLOCK, self.frame.width // BLOCK
        down, right = other.frame.top - self.frame.top, other.frame.left - self.frame.left
        first = down * wider + right // BLOCK
        for mine, its in ((self.known, other.known), (self.changed, other.changed)):
            for begin, end in its.runs():
                while begin < end:
                    y = begin // row
                    stop = min(end, (y + 1) * row) if wider > row else end
                    to, size = first + begin + y * (wider - row), stop - begin
                    mine.bytes[to : to + size] = its.bytes[begin:stop]
                    self.cells.bytes[to * BLOCK : (to + size) * BLOCK] = other.cells.bytes[
                        begin * BLOCK : stop * BLOCK
                    ]
                    begin = stop
