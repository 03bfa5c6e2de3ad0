"""A line of Refunge made of Brainfuck, folded onto the plane. Its shapes are in `brainfuck.py`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ...core.language_groups import Origin
from ...core.limits import allowance, allowed

HALF = 36  # cells of code in a row before it folds
TIED = 128  # added to a cell that must stay in one row with the one before it
PLAIN = bytes(cell % TIED for cell in range(256))
COMMENTS = bytes(set(range(256)) - set(b"+-<>,.[]"))

Span = tuple[int, int]
"""A part of the source: where it begins, and where it has ended."""
Run = tuple[int, Span | None]
"""Where a run of cells has ended, and what it comes from, if from anywhere."""


class Straight(NamedTuple):
    """A straight piece of code, and the runs that it is made of."""

    code: bytes
    runs: list[Run]


class Folded(NamedTuple):
    """Cells of a straight piece on the plane, from the first one to the right or to the left."""

    x: int
    y: int
    step: int
    first: int
    last: int
    runs: list[Run]


def whole(code: bytes) -> bytes:
    """Code that must stay in one row."""
    return code[:1] + bytes(cell + TIED for cell in code[1:])


def place_of(source: bytes, at: int) -> tuple[int, int]:
    """Column and row of a byte, from 0."""
    return at - source.rfind(b"\n", 0, at) - 1, source.count(b"\n", 0, at)


def origin_of(source: bytes, span: Span) -> Origin:
    """The place where a part of the source begins, and what it says."""
    x, y = place_of(source, span[0])
    return Origin(y + 1, x + 1, _signs(source, span)).shortened()


def _signs(source: bytes, span: Span) -> str:
    return source[slice(*span)].translate(None, COMMENTS).decode()


class PlaneLayout:
    """Puts code on the plane, from the top down."""

    def __init__(self, source: bytes) -> None:
        self.rows: list[bytearray] = []
        self.size, self.most = 0, allowance()  # loops in loops are wide: short programs may be huge
        self.marks: list[Folded] = []
        self.origins = CellOrigins(source, self.marks)
        self.y = 0
        self.spine = 0
        self.entering = True  # heading right on the spine, not down
        self.pending = Straight(b"", [])  # what follows decides how it ends

    def straight(self, piece: Straight) -> None:
        """Go on with that."""
        code, runs = self.pending
        if code:
            runs = runs + [(end + len(code), span) for end, span in piece.runs]
            piece = Straight(code + piece.code, runs)
        self.pending = piece

    def open(self, span: Span) -> None:
        """The beginning of a loop; its body comes next."""
        s = self.spine
        if self.pending.code:
            self._fold(s + 3)
            self._put(s + 2, self.y, b"#", span)
        else:
            if self.entering:
                self._put(s, self.y, b"\\", span)
                self.y += 1
            self._put(s, self.y, b"#", span)
            self.y += 1
        self._put(s, self.y, b"/\\", span)
        self._put(s, self.y + 1, b"@", span)
        self._put(s, self.y + 2, b"\\", span)
        self.y += 2
        self.spine = s + 2
        self.entering = True

    def close(self, span: Span) -> None:
        """The end of the loop's body: its way back goes up beside the outer spine."""
        s = self.spine
        if self.pending.code:
            self._fold(s)
        else:
            if self.entering:
                self._put(s, self.y, b"\\", span)
                self.y += 1
            self._put(s, self.y, b"/", span)
        self._put(s - 1, self.y, b"\\", span)
        self.y += 1
        self.spine = s - 2
        self.entering = False

    def text(self, message: str) -> bytes:
        """All of it, with the mark of the tape in the last columns, below the message."""
        if self.pending.code:
            self._fold(self.spine + 1)
            self._put(self.spine, self.y, b"/")
        width = max(map(len, self.rows)) + 3
        for y, letter in enumerate(reversed(message)):
            self._put(width - 1, y, letter.encode())
        self._put(width - 2, len(message), b"10")
        return b"".join(row + b"\n" for row in self.rows).translate(PLAIN)

    def _put(self, x: int, y: int, code: bytes, span: Span | None = None) -> None:
        while len(self.rows) <= y:
            self.rows.append(bytearray())
        row = self.rows[y]
        self.size += max(x + len(code) - len(row), 0)
        if self.size > self.most:
            allowed().allow(self.size, "what is made of this program")
        if code:
            row += b" " * (x - len(row))
            row[x : x + len(code)] = code
        if span is not None:
            self.marks.append(Folded(x, y, 1, 0, len(code), [(len(code), span)]))

    def _fold(self, end: int) -> None:
        """Write the pending piece to the right and back. It ends on row y, heading left, and
        leaves the cells before column `end` free there."""
        piece, self.pending = self.pending, Straight(b"", [])
        code, at = piece.code, 0
        while len(code) - at > 2 * HALF:
            at = self._there_and_back(piece, at, self.spine + 1 + HALF, self.spine + 1)
            self._put(self.spine, self.y, b"/")
            self.y += 1
        first = self.spine if self.entering else self.spine + 1
        corner = max(end, (len(code) - at + first + end + 1) // 2)
        while len(code) - _cut(code, at, corner - first) > corner - end:
            corner += 1  # what must stay in one row did not fit into the first
        self._there_and_back(piece, at, corner, end)

    def _there_and_back(self, piece: Straight, at: int, corner: int, end: int) -> int:
        """Write as much as goes into two rows, from a cell of the piece; gives the next one."""
        code, runs = piece
        first = self.spine
        if not self.entering:
            self._put(first, self.y, b"\\")
            first += 1
        self.entering = False
        middle = _cut(code, at, corner - first)
        last = _cut(code, middle, corner - end)
        self._put(first, self.y, code[at:middle])
        self._put(corner, self.y, b"\\")
        self.marks.append(Folded(first, self.y, 1, at, middle, runs))
        self.y += 1
        self._put(corner - (last - middle), self.y, code[middle:last][::-1] + b"/")
        self.marks.append(Folded(corner - 1, self.y, -1, middle, last, runs))
        return last


def _cut(code: bytes, at: int, room: int) -> int:
    """Where that room ends for code, or what must stay in one row begins."""
    end = at + room
    if end >= len(code):
        return len(code)
    while code[end] >= TIED:
        end -= 1
    return end


class CellOrigins(Mapping[tuple[int, int], Origin]):
    """Where cells come from, computed on the first lookup, since few runs ask."""

    def __init__(self, source: bytes, marks: list[Folded]) -> None:
        self._source, self._marks = source, marks

    @cached_property
    def _cells(self) -> dict[tuple[int, int], Origin]:
        cells: dict[tuple[int, int], Origin] = {}
        lengths = (len(line) + 1 for line in self._source.split(b"\n"))
        lines = [*accumulate(lengths, initial=0)]
        for x, y, step, first, last, runs in self._marks:
            at = first
            while at < last:
                end, span = runs[bisect_right(runs, at, key=lambda run: run[0])]
                if span is not None:
                    line = bisect_right(lines, span[0])
                    signs = _signs(self._source, span)
                    origin = Origin(line, span[0] - lines[line - 1] + 1, signs).shortened()
                    for cell in range(at, min(end, last)):
                        cells[x + (cell - first) * step, y] = origin
                at = end
        return cells

    def __getitem__(self, place: tuple[int, int]) -> Origin:
        return self._cells[place]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)
