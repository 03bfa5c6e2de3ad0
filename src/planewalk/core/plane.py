"""The grids programs are written on, one class per way of keeping cells.

Each plane knows its cells, how to copy itself, how much memory it takes, and how to turn into
JSON and back. What a cell means, and where a walker goes next, is the language's business.
"""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from operator import itemgetter
from sys import getsizeof
from typing import Any, ClassVar, Protocol

from .numbers.numerals import from_decimal, to_decimal
from .sparse.tiles import MANY_TILES, TileExtent, Tiles

Place = tuple[int, int]

Box = tuple[int, int, int, int]  # least x, least y, greatest x, greatest y, all included

Range = tuple[float, float]
"""The least and the greatest number, both included; infinite where there is none."""
ANY_NUMBER: Range = (-math.inf, math.inf)
BYTE: Range = (0, 255)


class Plane(Protocol):
    """What every tool may ask of a plane."""

    kind: ClassVar[str]
    writable: ClassVar[bool]

    @property
    def holds(self) -> Range:
        """Between which numbers all cells are, now and later. Compiled code relies on it."""

    def cell(self, x: Any, y: Any) -> int: ...

    def row(self, x: int, y: int, length: int) -> Sequence[int]:
        """What so many cells from one on hold, to the right: much quicker than one by one."""

    def copy(self) -> Plane: ...

    def memory(self) -> int: ...

    def long_numbers(self) -> Iterable[int]:
        """Cells that may hold numbers of more than ordinary size, which `memory` leaves out."""

    def to_json(self) -> dict[str, Any]: ...

    def box(self) -> Box | None:
        """The part of the plane worth looking at; None if there is none."""

    def places(self, other: Plane) -> Iterable[Place]:
        """Where another plane may hold something else, in reading order."""


class Comparable:
    """Planes that can tell in what they differ, and what is in a row."""

    def row(self, x: int, y: int, length: int) -> Sequence[int]:
        """What so many cells from one on hold, to the right."""
        cell = self.cell  # type: ignore[attr-defined]
        return [cell(at, y) for at in range(x, x + length)]

    def places(self, other: Plane) -> Iterable[Place]:
        """Every place of both; planes that can tell sooner do."""
        one: Any = self
        boxes = [box for box in (one.box(), other.box()) if box is not None]
        if not boxes:
            return ()
        left, top, right, bottom = zip(*boxes, strict=True)
        columns = range(min(left), max(right) + 1)
        return ((x, y) for y in range(min(top), max(bottom) + 1) for x in columns)


class Field(Comparable):
    """Planes that keep their cells in one row of bytes."""

    width: int
    height: int
    data: Any

    def memory(self) -> int:
        return len(self.data)

    def long_numbers(self) -> Iterable[int]:
        return ()

    def box(self) -> Box | None:
        return (0, 0, self.width - 1, self.height - 1)

    def places(self, other: Plane) -> Iterable[Place]:
        """The rows that differ, if both are as wide."""
        width = self.width
        if not isinstance(other, Field) or other.width != width:
            return super().places(other)
        ends = range(0, max(len(self.data), len(other.data)), width)
        rows = (at for at in ends if self.data[at : at + width] != other.data[at : at + width])
        return ((x, at // width) for at in rows for x in range(width))


def range_of(plane: object) -> Range:
    """Between which numbers the cells of a plane are: any, unless it says so."""
    declared: Range = getattr(plane, "holds", ANY_NUMBER)
    return declared


class TextPlane(Comparable):
    """Rows of characters that never change. Cells outside are blank.

    Rows keep their own length: padding a file of one long and a million short lines would turn
    a few megabytes into terabytes.
    """

    kind: ClassVar[str] = "text"
    writable: ClassVar[bool] = False

    def __init__(self, rows: list[str], blank: int = 32) -> None:
        self.rows = rows
        self.blank = blank
        self.width = max(map(len, rows), default=0)
        self.height = len(rows)
        self._memory = sum(map(getsizeof, rows))

    @cached_property
    def holds(self) -> Range:
        characters = set().union(*self.rows)
        codes = [self.blank, *map(ord, characters)]
        return min(codes), max(codes)

    def cell(self, x: Any, y: Any) -> int:
        if 0 <= y < self.height and 0 <= x < len(self.rows[y]):
            return ord(self.rows[y][x])
        return self.blank

    def at(self, x: float, y: float) -> int:
        """The cell at a place that may lie anywhere, also between cells."""
        if not (0 <= y < self.height and 0 <= x < self.width) or x != int(x) or y != int(y):
            return self.blank
        return self.cell(int(x), int(y))

    def copy(self) -> TextPlane:
        return self  # it cannot change

    def with_cell(self, x: int, y: int, value: int) -> TextPlane:
        """The same text with another character somewhere on it."""
        rows = [*self.rows]
        row = rows[y].ljust(x + 1, chr(self.blank))
        rows[y] = row[:x] + chr(value) + row[x + 1 :]
        return TextPlane(rows, self.blank)

    def places(self, other: Plane) -> Iterable[Place]:
        """Those of the rows that are not the same."""
        if not isinstance(other, TextPlane) or self.height != other.height:
            return super().places(other)
        pairs = enumerate(zip(self.rows, other.rows, strict=True))
        return ((x, y) for y, (a, b) in pairs if a != b for x in range(max(len(a), len(b))))

    def memory(self) -> int:
        return self._memory

    def long_numbers(self) -> Iterable[int]:
        return ()

    def box(self) -> Box | None:
        return (0, 0, self.width - 1, self.height - 1) if self.width else None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TextPlane) and self.rows == other.rows and self.blank == other.blank
        )

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "rows": self.rows, "blank": self.blank}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> TextPlane:
        return cls(data["rows"], data["blank"])


class BytePlane(Field):
    """A field of bytes with a fixed width that grows downwards, all zero below its last row.

    Columns are asked for within the width and rows from 0 on; moving round is the walker's job.
    """

    kind: ClassVar[str] = "bytes"
    writable: ClassVar[bool] = True
    holds: Range = BYTE

    def __init__(self, width: int, data: bytearray) -> None:
        self.width = width
        self.height = len(data) // width
        self.data: bytearray = data

    def cell(self, x: int, y: int) -> int:
        try:
            return self.data[y * self.width + x]
        except IndexError:
            return 0

    def put(self, x: int, y: int, value: int) -> None:
        self.data[y * self.width + x] = value

    def grow(self, height: int) -> None:
        """Make sure that there are at least that many rows."""
        if height > self.height:
            self.data.extend(bytes((height - self.height) * self.width))
            self.height = height

    def copy(self) -> BytePlane:
        return BytePlane(self.width, self.data[:])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BytePlane) and self.width == other.width and self.data == other.data
        )

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        data = base64.b64encode(self.data).decode()
        return {"kind": self.kind, "width": self.width, "data": data}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BytePlane:
        width, cells = data["width"], bytearray(base64.b64decode(data["data"]))
        if type(width) is not int or not 0 < width <= len(cells) or len(cells) % width:
            raise ValueError("the 'width' of the plane does not fit its cells")
        return cls(width, cells)


CELL_MEMORY = 350
"""What a cell of a small sparse plane takes. Measured: dict entry, key, line counts and heaps."""
Cells = dict[Place, int] | Tiles


class SparsePlane(Comparable):
    """An unbounded plane that keeps its non-zero cells and the smallest box around them.

    Cells hold any whole number, or only those that `holds` says: `SparsePlane(cells, (0, 2))`.
    Others cannot be put then, and compiled code is better for it.

    `cells` are a dict if they are few. The box is kept up to date then at every change, so asking
    for it costs nothing: each axis counts the cells per line. Many cells are kept in tiles, which
    look like a dict and are shared by copies. Cells come from one into the other when a plane is
    made, copied, or given back; never when one is put, since callers may have hold of them.

    Engines may have something else stand for `cells` for a while, with which numbers can only be
    short; `remembered` are always the cells themselves. `watcher` hears of what is put.
    """

    kind: ClassVar[str] = "sparse"
    writable: ClassVar[bool] = True
    many: ClassVar[int] = 1 << 16
    """With more of them, cells are kept in tiles, which take less memory and more time."""

    def __init__(
        self, cells: dict[tuple[int, int], int] | None = None, holds: Range = ANY_NUMBER
    ) -> None:
        if not holds[0] <= 0 <= holds[1]:
            raise ValueError(f"a cell that nobody has put holds 0, which is not in {holds}")
        self.holds = holds
        self.cells: Cells = {}
        self.remembered: Cells = self.cells
        self.columns: _Extent | TileExtent = _Extent()
        self.lines: _Extent | TileExtent = _Extent()
        self.watcher: Callable[[int, int, int], None] | None = None
        for (x, y), value in (cells or {}).items():
            self.put(x, y, value)
        self.arrange()

    @classmethod
    def of_rows(cls, rows: Iterable[bytes], holds: Range = BYTE) -> SparsePlane:
        """One that has these numbers from (0, 0) on, row by row: for many, which take little memory
        from the beginning."""
        plane, tiles = cls(holds=holds), Tiles()
        tiles.put_rows(rows)
        plane.keep_tiles(tiles)
        plane.arrange()
        return plane

    @property
    def width(self) -> int:
        """There is none; the error tells what to do instead."""
        raise AttributeError(
            "a SparsePlane has no edges, and so no width and height: walk with `unbounded`, or "
            "with a `move` of your own, which may look at `plane.box()`"
        )

    height = width

    def cell(self, x: Any, y: Any) -> int:
        return self.cells.get((x, y), 0)

    def row(self, x: int, y: int, length: int) -> Sequence[int]:
        """What so many cells from one on hold, to the right, also while they are lent."""
        cells: Any = self.cells
        if isinstance(cells, dict):
            return [cells.get((at, y), 0) for at in range(x, x + length)]
        held: Sequence[int] = cells.numbers(x, y, length)
        return held

    def put(self, x: int, y: int, value: int) -> None:
        if not (isinstance(x, int) and isinstance(y, int) and isinstance(value, int)):
            raise TypeError("cells hold whole numbers, and are at whole places")
        place = (x, y)
        if value:
            least, most = self.holds
            if not least <= value <= most:
                raise ValueError(f"the number for cell ({x}, {y}) is not from {least} to {most}")
            if place not in self.cells:
                self.columns.add(x)
                self.lines.add(y)
            self.cells[place] = value
        elif self.cells.pop(place, 0):
            self.columns.remove(x)
            self.lines.remove(y)
        if self.watcher is not None:
            self.watcher(x, y, value)

    def arrange(self) -> None:
        """Keep cells in tiles if they are many, and in a dict if they are few."""
        cells = self.cells
        if isinstance(cells, dict) and len(cells) > self.many:
            self.keep_tiles(Tiles(cells))
        elif isinstance(cells, Tiles) and len(cells) < self.many // 4:
            self.keep_dict(dict(cells.items()))

    def keep_dict(self, cells: dict[Place, int]) -> None:
        """Have these cells, in a dict."""
        self.cells = self.remembered = cells
        self.recount()

    def recount(self) -> None:
        """Find the box anew, of cells in a dict."""
        self.columns = _Extent(x for x, _ in self.cells)
        self.lines = _Extent(y for _, y in self.cells)

    def keep_tiles(self, tiles: Tiles) -> None:
        """Have these cells, in tiles."""
        self.cells = self.remembered = tiles
        self.columns, self.lines = TileExtent(tiles, 0), TileExtent(tiles, 1)

    def adopt(self, tiles: Tiles) -> None:
        """Have the cells of a copy of its tiles, of which it knows what has changed."""
        own, changed = self.cells, tiles.own
        assert isinstance(own, Tiles) and changed is not None
        exchanged = []
        if len(changed) <= MANY_TILES:
            exchanged = [(key, own.tiles.get(key), tiles.tiles.get(key)) for key in changed]
        else:
            self.columns, self.lines = TileExtent(own, 0), TileExtent(own, 1)
        own.adopt(tiles)
        for extent in (self.columns, self.lines):
            assert isinstance(extent, TileExtent)
            for exchange in exchanged:
                extent.exchange(*exchange)

    def copy(self) -> SparsePlane:
        twin = SparsePlane(holds=self.holds)
        cells = twin.cells = twin.remembered = self.cells.copy()
        twin.columns, twin.lines = self.columns.copy(cells), self.lines.copy(cells)
        twin.arrange()
        return twin

    def memory(self) -> int:
        cells: Any = self.cells
        return int(CELL_MEMORY * len(cells) if isinstance(cells, dict) else cells.memory())

    def long_numbers(self) -> Iterable[int]:
        if self.holds != ANY_NUMBER:
            return ()
        cells = self.remembered
        return cells.long_numbers() if isinstance(cells, Tiles) else cells.values()

    def box(self) -> Box | None:
        cells: Any = self.cells
        if not isinstance(cells, (dict, Tiles)):
            lent: Box | None = cells.box()
            return lent
        if not cells:
            return None
        columns, lines = self.columns, self.lines
        return (columns.least, lines.least, columns.most, lines.most)

    def outermost(self) -> Iterable[Place]:
        """A cell on each side of the box, if there are any."""
        cells, line = self.cells, itemgetter(1)
        if isinstance(cells, Tiles):
            extents: Any = self.columns, self.lines
            return [place for extent in extents for place in extent.places()]
        return [min(cells), max(cells), min(cells, key=line), max(cells, key=line)] if cells else []

    def places(self, other: Plane) -> Iterable[Place]:
        """The cells that only one has, or that hold another number."""
        if not isinstance(other, SparsePlane):
            return super().places(other)
        items = self.cells.items(), other.cells.items()  # cells that are lent come back
        one, two = self.remembered, other.remembered
        if isinstance(one, Tiles) and isinstance(two, Tiles):
            return one.different(two)
        different = {place for place, _ in set(items[0]) ^ set(items[1])}
        return sorted(different, key=itemgetter(1, 0))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SparsePlane) and self.cells == other.cells

    __hash__ = None  # type: ignore[assignment]

    def in_reading_order(self) -> Iterator[list[tuple[int, int, int]]]:
        """Columns, rows and numbers of all cells, row by row, some at a time."""
        tiles: Any = getattr(self.cells, "in_reading_order", None)  # they may be lent
        if tiles is not None:
            ordered: Iterator[list[tuple[int, int, int]]] = tiles()
            return ordered
        cells = sorted(((y, x), number) for (x, y), number in self.cells.items())
        return iter([[(x, y, number) for (y, x), number in cells]])

    def to_json(self) -> dict[str, Any]:
        # Long numbers as text: not all who read JSON take them, and Python only up to a length.
        cells = sorted(
            [x, y, to_decimal(value) if abs(value) >> 53 else value]
            for (x, y), value in self.cells.items()
        )
        described: dict[str, Any] = {"kind": self.kind, "cells": cells}
        if self.holds != ANY_NUMBER:
            described["holds"] = [None if math.isinf(end) else int(end) for end in self.holds]
        return described

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SparsePlane:
        least, most = data.get("holds", (None, None))
        numbers = (
            (x, y, from_decimal(n) if isinstance(n, str) else n) for x, y, n in data["cells"]
        )
        return cls(
            {(x, y): number for x, y, number in numbers},
            (-math.inf if least is None else least, math.inf if most is None else most),
        )


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
        import json  # only where JSON is asked for

        names = [*map(json.dumps, self._names)]
        for batch in self._batches:
            if batch:
                yield ", ".join([f"[{x}, {y}, {names[number]}]" for x, y, number in batch])


class _Extent:
    """The least and greatest line in use along one axis, under adding and removing cells."""

    def __init__(self, lines: Iterable[int] = ()) -> None:
        self.counts = Counter(lines)
        self.least, self.most = min(self.counts, default=0), max(self.counts, default=0)

    def add(self, line: int) -> None:
        self.counts[line] += 1
        if len(self.counts) == 1:
            self.least = self.most = line
        elif line < self.least:
            self.least = line
        elif line > self.most:
            self.most = line

    def remove(self, line: int) -> None:
        self.counts[line] -= 1
        if self.counts[line]:
            return
        del self.counts[line]
        if self.counts and line == self.least:
            self.least = self._next(line, 1)
        elif self.counts and line == self.most:
            self.most = self._next(line, -1)

    def _next(self, line: int, inwards: int) -> int:
        """The next line in use: mostly a near one, so others are looked at only far from it."""
        for near in range(line, line + inwards * len(self.counts), inwards):
            if near in self.counts:
                return near
        return min(self.counts) if inwards > 0 else max(self.counts)

    def copy(self, _: Any) -> _Extent:
        twin = _Extent()
        twin.counts, twin.least, twin.most = self.counts.copy(), self.least, self.most
        return twin


class BoardPlane(Field):
    """A rectangle of cells that never change, one byte each; nothing is outside."""

    kind: ClassVar[str] = "board"
    writable: ClassVar[bool] = False

    def __init__(self, width: int, data: bytes, nothing: int = 0) -> None:
        self.width = width
        self.data: bytes = data
        self.nothing = nothing
        self.height = len(data) // width

    @property
    def holds(self) -> Range:
        return min(0, self.nothing), max(255, self.nothing)

    def cell(self, x: int, y: int) -> int:
        if 0 <= x < self.width and 0 <= y < self.height:
            return self.data[y * self.width + x]
        return self.nothing

    def copy(self) -> BoardPlane:
        return self  # it cannot change

    def with_cell(self, x: int, y: int, value: int) -> BoardPlane:
        """The same board with another cell somewhere on it."""
        at = y * self.width + x
        data = self.data[:at] + bytes([value]) + self.data[at + 1 :]
        return BoardPlane(self.width, data, self.nothing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoardPlane) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        data = base64.b64encode(self.data).decode()
        return {"kind": self.kind, "width": self.width, "data": data, "nothing": self.nothing}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BoardPlane:
        return cls(data["width"], base64.b64decode(data["data"]), data["nothing"])


PLANES = {plane.kind: plane for plane in (TextPlane, BytePlane, SparsePlane, BoardPlane)}


def plane_from_json(data: dict[str, Any]) -> Plane:
    """The plane that `to_json` described."""
    return PLANES[data["kind"]].from_json(data)
