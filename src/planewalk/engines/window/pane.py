"""Flat memory for a rectangle of a plane that has no edges."""

from __future__ import annotations

import ctypes
import mmap
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from time import perf_counter

from ...core.base.named import NamedTuple
from ...core.plane import Box
from ...core.sparse.tiles import AREA, BLANK, SIDE, SIDE_BITS, TILE_MEMORY
from ..base.memory import fresh_memory
from .kernels import COPY_BLOCKS, GATHER, MARKED, SCATTER, SETTLE, UNITE, WIPE

BLOCK_BITS = 6
BLOCK = 1 << BLOCK_BITS
"""Cells are looked after in blocks of so many in a row, beginning at multiples of that."""
BLOCKS = SIDE // BLOCK  # across a tile
BROAD, SPARE_ROWS = 1 << 8, 8
"""Blocks in a row from which on a pane is gone through row by row, and rows that it has above and
below others at least."""
_MARKED = b"\1" * BLOCKS
GROWTHS = (7, 1)
"""How many times its size a rectangle grows by, to the side where it is too small; less if that is
too much."""
MOST_CELLS, THIN, MOST_LONG_CELLS = 1 << 24, 1 << 10, 1 << 31
"""How large a rectangle may become, and one that is not higher than that. Memory is taken only
where it is used, and long rows are left behind quickly."""
ROOMY = 8  # times as large as what is needed is a rectangle that may become narrower
PAGE = 1 << 12  # bytes that memory is taken by
RARELY = 10  # times as long as counting takes passes before it is done again
AT_ONCE = 1 << 16  # cells of a long row that are looked at
LARGE = 1 << 22  # memory of this size is best taken in large pieces


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
        """Larger by a quarter on every side, and by so much at least; whole tiles."""
        across, along = (max(least, size // 4) for size in (self.width, self.height))
        return Bounds(
            (self.left - across) & -SIDE,
            (self.top - along) & -SIDE,
            -(-(self.right + across) & -SIDE),
            -(-(self.bottom + along) & -SIDE),
        )

    def moved(self, other: Bounds) -> Bounds:
        """As large, three quarters further to each side that the other one is beyond."""
        across, along = (size * 3 // 4 & -SIDE for size in (self.width, self.height))
        right = across * ((other.right > self.right) - (other.left < self.left))
        down = along * ((other.bottom > self.bottom) - (other.top < self.top))
        return Bounds(self.left + right, self.top + down, self.right + right, self.bottom + down)

    def ahead(self, other: Bounds, came: Bounds) -> Bounds:
        """As large around another one that came a long way: most of it is where that leads on, as
        wide and high as it takes to go on for as long as can be."""
        right, down = other.left - came.left, other.top - came.top
        width, height = self.width, self.height
        while width * abs(down) < height * abs(right) // 2 and _halves(
            height, other.top, other.bottom, width
        ):
            width, height = 2 * width, height // 2
        while height * abs(right) < width * abs(down) // 2 and _halves(
            width, other.left, other.right
        ):
            width, height = width // 2, 2 * height
        left = _begin(other.left, other.right, width, right)
        top = _begin(other.top, other.bottom, height, down)
        return Bounds(left, top, left + width, top + height)

    def is_broad(self) -> bool:
        """Whether rows are so long that each is looked at by itself. Others have whole tiles."""
        return self.width > BROAD * BLOCK

    def is_too_large(self) -> bool:
        most = MOST_LONG_CELLS if self.height <= min(THIN, self.width) else MOST_CELLS
        return self.width * self.height > most


def _halves(size: int, first: int, last: int, across: int = 0) -> bool:
    """Whether half of it is whole tiles and has room for what is needed, wherever that is in a
    tile, and twice as much across is not broad."""
    roomy = size >= ROOMY * (last - first) and last - (first & -SIDE) <= size // 2
    return size % (2 * SIDE) == 0 and roomy and 2 * across <= BROAD * BLOCK


def _begin(first: int, last: int, size: int, way: int) -> int:
    """Where so many columns or rows begin that have some, and most others where the way leads."""
    spare = size - (last - first)
    if 4 * abs(way) < size:
        before = spare // 2
    else:
        before = spare // 8 if way > 0 else spare - spare // 8
    begin = (first - before) & -SIDE
    return begin if begin + size >= last else begin + SIDE


NOWHERE = Bounds(0, 0, 0, 0)
Piece = tuple[int, int, int]  # of a row: the place where it begins, and its length
Part = tuple[int, int, Sequence[int]]
"""Of a line of tiles: the first column and the one behind the last, both of tiles, and rows."""
FlatTile = tuple[tuple[int, int], bytes, int]
"""Which tile, what is in it, and how many cells of that are not blank."""
FEW_TILES = 64  # so many are copied out of a pane together


@lru_cache(64)
def _lines_in(flat: bytes) -> list[tuple[int, bytes]]:
    """Which lines of a tile are not blank. Many tiles are like others."""
    lines = enumerate(flat[at : at + SIDE] for at in range(0, AREA, SIDE))
    return [(number, line) for number, line in lines if any(line)]


def frame_of(tile: tuple[int, int]) -> Bounds:
    """Where a tile is."""
    left, top = tile[0] << SIDE_BITS, tile[1] << SIDE_BITS
    return Bounds(left, top, left + SIDE, top + SIDE)


class Memory:
    """Zeroed memory that the system provides page by page as it is written."""

    def __init__(self, size: int) -> None:
        self.bytes = fresh_memory(max(-(-size // 8) * 8, 8))
        self.words = memoryview(self.bytes).cast("Q")  # the same, eight at a time
        if size >= LARGE and hasattr(mmap, "MADV_HUGEPAGE"):
            with suppress(OSError):  # a system that cannot do it only takes longer
                self.bytes.madvise(mmap.MADV_HUGEPAGE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.bytes))

    def runs(self, first: int = 0, last: int | None = None) -> Iterator[tuple[int, int]]:
        """Where ones begin and end, between two places."""
        find, size = self.bytes.find, len(self.bytes) if last is None else last
        end = first
        while (begin := find(b"\1", end, size)) >= 0:
            end = find(b"\0", begin, size)
            if end < 0:
                end = size
            yield begin, end


def _side_by_side(pieces: Iterable[Piece]) -> Iterator[Part]:
    """Pieces of rows in one line of tiles: in which columns, as wide as tiles, are which rows."""
    comes: dict[int, list[int]] = defaultdict(list)
    goes: dict[int, list[int]] = defaultdict(list)
    for x, y, length in pieces:
        comes[x & -SIDE].append(y)
        goes[-(-(x + length) // SIDE) * SIDE].append(y)
    lines: set[int] = set()
    for left, right in pairwise(sorted({*comes, *goes})):
        lines.difference_update(goes[left])
        lines.update(comes[left])
        if lines:
            yield left, right, sorted(lines)


def _pages(marks: Memory) -> int:
    """How many pages of cells have blocks with marks."""
    find, each = marks.bytes.find, PAGE // BLOCK
    pages = at = 0
    while (at := find(b"\1", at)) >= 0:
        pages += 1
        at = (at // each + 1) * each
    return pages


def _ends(cells: mmap.mmap, begin: int, end: int) -> tuple[int, int] | None:
    """The first and the last cell in a row that are not blank, without a copy of the row."""
    found = b""
    while begin < end and not found:
        some = cells[begin : min(begin + AT_ONCE, end)]
        found = some.lstrip(b"\0")
        begin += len(some) - len(found)
    if not found:
        return None
    found = b""
    while not found:
        some = cells[max(end - AT_ONCE, begin) : end]
        found = some.rstrip(b"\0")
        end -= len(some) - len(found)
    return begin, end - 1


class Pane:
    """The cells of a frame, row by row, and which of them are code.

    Blocks that machine code wrote to are `changed`; others that are not blank are `known`.
    """

    def __init__(self, frame: Bounds) -> None:
        self.frame = frame
        size = frame.width * frame.height
        self.cells, self.code = Memory(size), Memory(size)
        self.changed, self.known = Memory(size // BLOCK), Memory(size // BLOCK)
        self._memory, self._counted_again = 0, 0.0
        self._flat, self._counts = array("Q"), array("q")
        """Where tiles are copied to, once they are; memory that is used again costs less."""

    def trimmed(self, frame: Bounds, needed: Bounds) -> Bounds:
        """A larger frame; a broad one without most rows that have no cells yet."""
        row, both = self.frame.width // BLOCK, (self.changed.bytes, self.known.bytes)
        ends = [
            end for marks in both for end in (marks.find(b"\1"), marks.rfind(b"\1")) if end >= 0
        ]
        if not frame.is_broad() or frame.height > THIN or not ends:
            return frame
        top = min(self.frame.top + min(ends) // row, needed.top)
        bottom = max(self.frame.top + max(ends) // row + 1, needed.bottom)
        along = (bottom - top) // 4 + SPARE_ROWS
        return frame._replace(
            top=max(frame.top, top - along), bottom=min(frame.bottom, bottom + along)
        )

    def moved(self, frame: Bounds) -> Pane:
        """One of the same size elsewhere, without cells; code must have gone before. It has the
        memory of this one, unless that is so large that it is better given back."""
        if len(self.cells.bytes) > MOST_CELLS:
            self.cells = self.code = self.changed = self.known = Memory(0)
            return Pane(frame)
        for marks in (self.changed, self.known):
            self._wipe(marks)
            ctypes.memset(marks.address, 0, len(marks.bytes))
        self.frame = frame
        return self

    def _wipe(self, marks: Memory) -> None:
        """Have nothing where there are marks."""
        if self.frame.is_broad():
            for begin, end in marks.runs():
                self.cells.bytes[begin * BLOCK : end * BLOCK] = bytes((end - begin) * BLOCK)
        else:
            tiles = self._tiles_with(marks)
            WIPE(self.cells.words, self.frame.width, tiles, len(tiles))

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

    def put_tile(self, key: tuple[int, int], flat: bytes) -> int:
        """Take over what the frame has of a tile; gives how many blocks that were."""
        left, top, _, _ = frame_of(key)
        width, cells, known = self.frame.width, self.cells.bytes, self.known.bytes
        begin = (top - self.frame.top) * width + left - self.frame.left
        if SCATTER.ready and not self.frame.is_broad():
            return BLOCKS * SCATTER(bytearray(flat), cells, begin, width, known, BLOCK)
        lines = _lines_in(flat)
        for line, row in lines:
            if self.frame.top <= top + line < self.frame.bottom:
                at = begin + line * width
                cells[at : at + SIDE] = row
                known[at // BLOCK : at // BLOCK + BLOCKS] = _MARKED
        return BLOCKS * len(lines)

    def mark(self, x: int, y: int, coded: bool) -> None:
        at = self.index(x, y)
        if at is not None:
            self.code.bytes[at] = coded

    def changed_rows(self) -> Iterator[Piece]:
        """Where machine code wrote to, row by row."""
        return self._pieces(self.changed)

    def _pieces(self, marks: Memory, first: int = 0, last: int | None = None) -> Iterator[Piece]:
        """Where there are marks between two blocks."""
        left, top, width = self.frame.left, self.frame.top, self.frame.width
        for begin, end in marks.runs(first, last):
            at, end = begin * BLOCK, end * BLOCK
            while at < end:
                y, x = divmod(at, width)
                length = min(end - at, width - x)
                yield left + x, top + y, length
                at += length

    def changed_parts(self) -> Iterator[Part]:
        """The same, as parts of lines of tiles."""
        _, top, _, bottom = self.frame
        marks, row, at = self.changed.bytes, self.frame.width // BLOCK, 0
        while (at := marks.find(b"\1", at)) >= 0:
            y = (top + at // row) & -SIDE
            at, end = max(y - top, 0) * row, (min(y + SIDE, bottom) - top) * row
            yield from _side_by_side(self._pieces(self.changed, at, end))
            at = end

    def changed_tiles(self) -> Iterator[list[FlatTile]]:
        """The same of a narrow pane as whole tiles, some at a time. In those is more than has
        changed, which takes less time than looking for it."""
        tiles, across = self._tiles_with(self.changed), self.frame.width // SIDE
        left, top = self.frame.left >> SIDE_BITS, self.frame.top >> SIDE_BITS
        if not self._flat:
            self._flat, self._counts = array("Q", BLANK * FEW_TILES), array("q", [0] * FEW_TILES)
        flat, counts = self._flat, self._counts
        view = memoryview(flat).cast("B")
        for first in range(0, len(tiles), FEW_TILES):
            some = tiles[first : first + FEW_TILES]
            GATHER(self.cells.words, self.frame.width, some, len(some), flat, counts)
            yield [
                (
                    (left + tile % across, top + tile // across),
                    bytes(view[at : at + AREA]) if count else BLANK,
                    count,
                )
                for at, tile, count in zip(range(0, len(view), AREA), some, counts, strict=False)
            ]

    def _tiles_with(self, marks: Memory) -> array[int]:
        """The tiles of a narrow pane in which there are marks, counted line by line."""
        row, lines = self.frame.width // BLOCK, self.frame.height // SIDE
        tiles = array("q", bytes(8 * (row // BLOCKS) * lines))
        found = MARKED(marks.bytes, row, lines, BLOCKS, bytearray(row), tiles) if tiles else 0
        return tiles[:found]

    def rows(self, part: Bounds) -> Iterator[bytes]:
        """The cells of a rectangle in it, line by line."""
        cells, width, across = self.cells.bytes, self.frame.width, part.width
        at = self.index(part.left, part.top)
        assert at is not None
        for begin in range(at, at + part.height * width, width):
            yield cells[begin : begin + across]

    def rows_of(self, lines: Sequence[int], left: int, right: int) -> dict[int, bytes]:
        """The cells of some lines between two columns."""
        cells, (begin, top, _, _), width = self.cells.bytes, self.frame, self.frame.width
        rows = {y: (y - top) * width - begin for y in lines}
        return {y: cells[at + left : at + right] for y, at in rows.items()}

    def box(self) -> Box | None:
        """The smallest box around all its cells."""
        if UNITE.ready and not self.frame.is_broad():
            return self._narrow_box()
        rows = [*self._rows(self.changed), *self._rows(self.known)]
        if not rows:
            return None
        lines, lefts, rights = zip(*rows, strict=True)
        return min(lefts), min(lines), max(rights), max(lines)

    def _narrow_box(self) -> Box | None:
        """The same of a narrow pane: what is in any line, and the lines of the first and last cell
        of all."""
        left, top, right, bottom = self.frame
        ends = _ends(self.cells.bytes, 0, len(self.cells.bytes))
        if ends is None:
            return None
        together = Memory(right - left)
        UNITE(self.cells.words, (right - left) // 8, bottom - top, together.words)
        columns = _ends(together.bytes, 0, len(together.bytes))
        assert columns is not None
        first, last = (at // (right - left) for at in ends)
        return left + columns[0], top + first, left + columns[1], top + last

    def _rows(self, marks: Memory) -> Iterator[tuple[int, int, int]]:
        """Of cells in blocks with marks: lines, and where cells begin and end there."""
        left, top, right, _ = self.frame
        row = (right - left) // BLOCK
        for begin, end in marks.runs():
            while begin < end:
                y = begin // row
                stop = min(end, (y + 1) * row)
                ends = _ends(self.cells.bytes, begin * BLOCK, stop * BLOCK)
                if ends is not None:
                    first = left - y * row * BLOCK
                    yield top + y, first + ends[0], first + ends[1]
                begin = stop

    def memory(self) -> int:
        """Bytes that the cells take, and the tiles that changes will be left in; they are counted
        from time to time."""
        now = perf_counter()
        if now >= self._counted_again:
            changed, known = _pages(self.changed), _pages(self.known)
            pages = min(changed + known, len(self.cells.bytes) // PAGE + 1)
            # A page may be a row of tiles that have nothing else, or a part of a tile.
            tiles = changed * PAGE // SIDE if self.frame.is_broad() else changed
            self._memory = PAGE * pages + TILE_MEMORY * tiles
            self._counted_again = now + RARELY * (perf_counter() - now)
        return self._memory

    def settle(self) -> None:
        """Forget which blocks have changed: the plane has all of them now."""
        if SETTLE.ready and not self.frame.is_broad():
            SETTLE(self.changed.words, self.known.words, len(self.changed.words))
            return
        for begin, end in self.changed.runs():
            self.known.bytes[begin:end] = self.changed.bytes[begin:end]
            self.changed.bytes[begin:end] = bytes(end - begin)

    def copy_from(self, other: Pane) -> None:
        """Take over all that another one has; its frame is a part of this one's."""
        row, wider = other.frame.width // BLOCK, self.frame.width // BLOCK
        down, right = other.frame.top - self.frame.top, other.frame.left - self.frame.left
        first = down * wider + right // BLOCK
        for mine, its in ((self.known, other.known), (self.changed, other.changed)):
            if COPY_BLOCKS.ready and not other.frame.is_broad():
                COPY_BLOCKS(
                    its.bytes, row * other.frame.height, row, other.cells.words,
                    first, wider, mine.bytes, self.cells.words,
                )  # fmt: skip
                continue
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
