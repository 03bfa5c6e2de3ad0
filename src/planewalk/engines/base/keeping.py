"""How each kind of plane stores its cells, for engines that compile.

Such an engine addresses a cell by an index, marks the cells that code was made from, notices when
one of them changes, and writes code that reads, writes and guards cells. A `Keeping` does that for
one plane, so that engines do not depend on the kind of plane.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...core.plane import ANY_NUMBER, Range
from .leave import Leave
from .lending import called_back
from .memory import growing_memory, lengthen, taken

FURTHEST = 1 << 60  # further than any hand gets
HEIGHT = "height"  # stands among the cells that code was made from if it counts on the height, too

CODES = 256
OTHER = CODES - 1  # where text lies flat in memory: a character that is not one of the first
ROOMY = 64  # times as much memory as a text takes, at most, for it to lie flat

Put = Callable[[Any, Any, Any], None]


def cells_of(touched: Iterable[Any]) -> Iterator[Any]:
    """Of what code was made from, the cells alone."""
    return (at for at in touched if at != HEIGHT)


class Keeping:
    """Cells that cannot be written: code that was made from them stays valid."""

    names: tuple[str, ...] = ()
    """What generated Python calls the parts of the plane; attributes of what it works on."""
    windowed = False
    """Whether machine code sees the cells through a window."""
    grows = False
    """Whether there may come to be more rows."""
    settles = False
    """Whether numbers that are known of a cell are worth ways of their own, since there are few."""

    flat = False
    """Whether all its cells can lie in memory, a byte each, row by row."""
    codes = CODES
    """Below this are the numbers of cells that such bytes tell; others are all `OTHER`."""
    confined = False
    """Whether hands stay between the columns, and below the first row."""

    def __init__(self, plane: Any, marks: Any = None) -> None:
        """`marks` are those that there are already."""
        self.plane = plane
        self.marks: Any = self.no_marks() if marks is None else marks
        """Which cells are code, by index; always the same object, since others look into it."""

    def no_marks(self) -> Any:
        """No cell is code."""
        return set()

    @property
    def reach(self) -> tuple[Range, Range]:
        """Between which columns and rows the hand is when code is entered, and stays."""
        return ANY_NUMBER, ANY_NUMBER

    def is_near(self, hand: tuple[int, int]) -> bool:
        """Whether a hand is where machine code that is made for any plane expects it."""
        return max(map(abs, hand)) < FURTHEST

    def flattened(self) -> bytearray | None:
        """The cells of a plane that cannot be written, as bytes; None if they take too much."""
        raise TypeError("this plane does not lie flat in memory")

    def fits(self, memory: int) -> bool:
        """Whether there is room for marks beside the cells."""
        return True

    def memory(self) -> int:
        """Bytes that the marks take, or rather how many there are."""
        return len(self.marks)

    def size(self) -> int:
        """How many cells there are; rather more than less, as that is quicker to tell."""
        return int(self.plane.memory())

    def content(self) -> bytes | None:
        """All that code for the plane may depend on; None if it depends on more."""
        return repr(self.plane.to_json()).encode()

    def index(self, x: Any, y: Any) -> Any:
        """By what a cell is known."""
        return x, y

    def indices(self, places: Iterable[tuple[Any, Any]]) -> set[Any]:
        """The same for those of some places where there are cells now."""
        return set(places)

    def held(self, at: Any) -> int:
        """What a cell holds that may be written."""
        raise TypeError("this plane cannot be written")

    def holds(self, touched: dict[Any, Any]) -> bool:
        """Whether cells still hold what they held."""
        return True

    def mark(self, cells: Iterable[Any]) -> None:
        """From now on these are code."""
        self.marks.update(cells)

    def unmark(self, cells: set[Any]) -> None:
        """They are no longer."""
        self.marks.difference_update(cells)

    def noticing(self, changed: set[Any]) -> Put:
        """A way to write that adds to `changed` what was code and is something else then."""
        raise TypeError("this plane cannot be written")

    def begin(self, context: Any) -> None:
        """Show generated Python the parts that stay the same."""

    def enter(self, context: Any) -> None:
        """Show it those that may be others since it last ran."""

    def view(self, noted: Callable[[Any, Any], Any]) -> Any:
        """The cells as `decode` may look into them by itself; `noted` hears what it sees."""
        raise TypeError("this plane cannot be written")

    def standing(self, places: Iterable[tuple[Any, Any]] | None) -> dict[Any, Any]:
        """The cells there, or anywhere, that hold something, if a plane reaches as far as those."""
        return {}

    # How code that is made says it, in Python ---------------------------------------------------

    def read_text(self, x: str, y: str) -> str:
        """What a cell holds."""
        return f"cells.get(({x}, {y}), 0)"

    def marked_text(self, x: str, y: str) -> str:
        """Whether it is code."""
        return f"({x}, {y}) in coded"

    def write_text(self, x: str, y: str, value: str) -> str:
        """A line that writes it."""
        return f"put({x}, {y}, {value})"


class TextKeeping(Keeping):
    """Rows of characters, of which there are more than a byte can tell."""

    flat = True
    codes = OTHER

    def flattened(self) -> bytearray | None:
        plane = self.plane
        if plane.width * plane.height > ROOMY * (plane.memory() + 1024):
            return None
        blank = bytes([min(plane.blank, OTHER)])
        rows = (row.encode("latin-1", "planewalk.other") for row in plane.rows)
        return bytearray(b"".join(row.ljust(plane.width, blank) for row in rows))


def _other(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    return bytes([OTHER]) * (error.end - error.start), error.end


codecs.register_error("planewalk.other", _other)


class BoardKeeping(Keeping):
    """A board of bytes that never change."""

    flat = True

    def flattened(self) -> bytearray | None:
        return bytearray(self.plane.data)


class FieldKeeping(Keeping):
    """A field of bytes that grows downwards: cells by number, row by row."""

    names = ("data", "code", "W", "H")
    grows = True
    flat = True
    confined = True

    def __init__(self, plane: Any, marks: Any = None) -> None:
        super().__init__(plane, marks)
        self._marked = 0 if marks is None else len(marks)  # no cell from there on has a mark

    def no_marks(self) -> Any:
        return growing_memory()

    @property
    def reach(self) -> tuple[Range, Range]:
        return (0, self.plane.width - 1), (0, FURTHEST)

    def is_near(self, hand: tuple[int, int]) -> bool:
        return 0 <= hand[0] < self.plane.width and 0 <= hand[1] < FURTHEST

    def fits(self, memory: int) -> bool:
        return len(self.plane.data) + self.memory() <= memory

    def memory(self) -> int:
        return taken(self.marks, self._marked)

    def content(self) -> bytes | None:
        return bytes(self.plane.data)

    def index(self, x: Any, y: Any) -> Any:
        return y * self.plane.width + x

    def indices(self, places: Iterable[tuple[Any, Any]]) -> set[Any]:
        width, height = self.plane.width, self.plane.height
        return {y * width + x for x, y in places if 0 <= x < width and 0 <= y < height}

    def held(self, at: Any) -> int:
        return int(self.plane.data[at])

    def holds(self, touched: dict[Any, Any]) -> bool:
        data, rows = self.plane.data, self.plane.height
        size = len(data)  # kept code may stand on rows that are not there yet
        return touched.get(HEIGHT, rows) == rows and all(
            at < size and data[at] == touched[at] for at in cells_of(touched)
        )

    def mark(self, cells: Iterable[Any]) -> None:
        self.grow(self.plane.height)
        for at in cells_of(cells):
            self.marks[at] = 1
            self._marked = max(self._marked, at + 1)

    def unmark(self, cells: set[Any]) -> None:
        for at in cells_of(cells):
            self.marks[at] = 0

    def noticing(self, changed: set[Any]) -> Put:
        plane, marks = self.plane, self.marks
        width, write = plane.width, plane.put

        def put(x: int, y: int, value: int) -> None:
            at = y * width + x
            known = type(at) is int and at < len(marks)  # else `write` says what is wrong
            if known and marks[at] and plane.data[at] != value:
                changed.add(at)
            write(x, y, value)

        return put

    def begin(self, context: Any) -> None:
        context.code, context.W, context.grow = self.marks, self.plane.width, self.grow

    def enter(self, context: Any) -> None:
        context.data = self.plane.data
        context.H = self.grow(self.plane.height)

    def grow(self, height: int) -> int:
        """More rows, none of them compiled; gives how many there are."""
        plane, marks = self.plane, self.marks
        plane.grow(height)
        lengthen(marks, len(plane.data))
        return int(plane.height)

    def view(self, noted: Callable[[Any, Any], Any]) -> Any:
        return _FieldView(self.plane, noted)

    def read_text(self, x: str, y: str) -> str:
        return f"data[{y} * W + {x}]"

    def marked_text(self, x: str, y: str) -> str:
        return f"code[{y} * W + {x}]"

    def write_text(self, x: str, y: str, value: str) -> str:
        return f"data[{y} * W + {x}] = {value}"


class SparseKeeping(Keeping):
    """A plane without edges: cells by place."""

    names = ("cells", "put", "coded", "columns", "lines")
    windowed = True
    settles = True

    def size(self) -> int:
        return len(called_back(self.plane))

    def content(self) -> bytes | None:
        cells = called_back(self.plane)
        many = len(cells) > self.plane.many // 4  # which take too long to look at
        return None if many else repr(sorted(cells.items())).encode()

    def held(self, at: Any) -> int:
        return int(self.plane.cell(*at))

    def holds(self, touched: dict[Any, Any]) -> bool:
        cells = called_back(self.plane)
        return all(cells.get(at, 0) == value for at, value in touched.items())

    def noticing(self, changed: set[Any]) -> Put:
        plane, marks, write = self.plane, self.marks, self.plane.put

        def put(x: int, y: int, value: int) -> None:
            if (x, y) in marks and plane.cells.get((x, y), 0) != value:
                changed.add((x, y))
            write(x, y, value)

        return put

    def begin(self, context: Any) -> None:
        context.coded, context.put = self.marks, self.plane.put

    def enter(self, context: Any) -> None:
        plane = self.plane
        context.cells = called_back(plane)
        context.columns, context.lines = plane.columns, plane.lines

    def view(self, noted: Callable[[Any, Any], Any]) -> Any:
        return _SparseView(self.plane.remembered, noted)

    def standing(self, places: Iterable[tuple[Any, Any]] | None) -> dict[Any, Any]:
        cells = self.plane.remembered
        wanted = cells if places is None else places
        return {place: cell for place in wanted if (cell := cells.get(place))}


class _FieldView:
    """A field of bytes whose reader is noted."""

    def __init__(self, plane: Any, noted: Callable[[Any, Any], Any]) -> None:
        self.width, self.data = plane.width, _Noted(plane.data, noted)

    def cell(self, x: Any, y: Any) -> Any:
        try:
            return self.data[y * self.width + x]
        except IndexError:
            raise Leave from None  # a row that is yet to come


class _SparseView:
    """The cells of a plane without edges, likewise: as they were before they were lent."""

    def __init__(self, cells: Any, noted: Callable[[Any, Any], Any]) -> None:
        self.cells = _Noted(cells, noted)

    def cell(self, x: Any, y: Any) -> Any:
        return self.cells.get((x, y), 0)


class _Noted:
    """A container whose reader is noted."""

    def __init__(self, real: Any, noted: Callable[[Any, Any], Any]) -> None:
        self.real, self.noted = real, noted

    def __getitem__(self, index: Any) -> Any:
        return self.noted(index, self.real[index])

    def get(self, place: Any, default: Any = None) -> Any:
        return self.noted(place, self.real.get(place, default))


_KEEPINGS: dict[str, type[Keeping]] = {
    "text": TextKeeping,
    "board": BoardKeeping,
    "bytes": FieldKeeping,
    "sparse": SparseKeeping,
}


def keeping_of(plane: Any, marks: Any = None) -> Keeping:
    """How a plane keeps its cells."""
    return _KEEPINGS[plane.kind](plane, marks)
