"""Cells of a plane without edges in square tiles: few bytes a cell, shared by copies until written.

A tile is kept in the smallest form that has room for its numbers:

- as codes in ascending order, one for each cell: its place in the tile, then its number, in 16, 32
  or 64 bits;
- as a byte for each place, if there are many small numbers;
- as a dictionary, if a number is below zero or longer than a code can tell.
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_left
from collections.abc import ItemsView, Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import cache, lru_cache
from itertools import chain, compress
from operator import itemgetter, or_
from typing import Any

Place = tuple[int, int]
Bounds = tuple[int, int, int, int]
"""Left, top, right and bottom; what is said about rectangles says whether the last are inside."""
Tile = Any
"""An `array` of codes, a `bytearray`, or a dict from places in the tile to numbers."""

SIDE_BITS = 7
SIDE = 1 << SIDE_BITS
"""Cells along each side of a tile."""
INSIDE = SIDE - 1
AREA = SIDE * SIDE
PLACE_BITS = 2 * SIDE_BITS

CODES = "HIQ"
"""Types of codes, from short to long."""
LONGEST = 64 - PLACE_BITS
"""Bits of the longest number that a code can tell."""
SMALL_BITS = 16 - PLACE_BITS
LOW_BYTES = slice(sys.byteorder == "big", None, 2)
"""Of codes of 16 bits."""
_SMALL = bytes(byte & ((1 << SMALL_BITS) - 1) for byte in range(256))
_ALL_SMALL = bytes(range(1, 1 << SMALL_BITS))
BLANK = bytes(AREA)
_CELL = re.compile(rb"[^\0]")
SPARE, SCATTERED = AREA // 8, AREA // 64
"""With fewer cells than these, a tile of bytes is not worth it, and cells are looked for by one."""

TILE_MEMORY, LOOSE_MEMORY = 240, 120
"""Bytes that a tile takes beside its cells, and a cell of a dictionary. Measured."""


# One tile -----------------------------------------------------------------------------------------


def read(tile: Tile, at: int) -> int:
    """The number at a place in a tile."""
    if isinstance(tile, array):
        bits = number_bits(tile)
        here = bisect_left(tile, at << bits)
        found = tile[here : here + 1]  # at once, since others may write at the same time
        return found[0] & ((1 << bits) - 1) if found and found[0] >> bits == at else 0
    number: int = tile.get(at, 0) if isinstance(tile, dict) else tile[at]
    return number


def number_bits(codes: array[int]) -> int:
    """How many bits of each code are the number."""
    return 8 * codes.itemsize - PLACE_BITS


def entries(tile: Tile) -> Iterable[tuple[int, int]]:
    """Places and numbers of all its cells, in order."""
    if isinstance(tile, array):
        bits = number_bits(tile)
        mask = (1 << bits) - 1
        return [(code >> bits, code & mask) for code in tile]
    if isinstance(tile, dict):
        return sorted(tile.items())
    return [(at, number) for at, number in enumerate(tile) if number]


def packed(cells: Iterable[tuple[int, int]]) -> Tile:
    """The smallest tile for these cells, which are in order."""
    cells = list(cells)
    numbers = [number for _, number in cells]
    most = max(numbers, default=0)
    if min(numbers, default=0) < 0 or most >> LONGEST:
        return dict(cells)
    bits, kind = next(
        (bits, kind)
        for kind in CODES
        if not most >> (bits := 8 * array(kind).itemsize - PLACE_BITS)
    )
    if most > 255 or len(cells) * array(kind).itemsize < AREA:
        return array(kind, [at << bits | number for at, number in cells])
    flat = bytearray(AREA)
    for at, number in cells:
        flat[at] = number
    return flat


def from_bytes(flat: bytes | bytearray) -> Tile:
    """The smallest tile for numbers that are given for all places."""
    numbers = flat.translate(None, b"\0")
    kind = CODES[0] if max(numbers, default=0) < 1 << number_bits(array(CODES[0])) else CODES[1]
    codes = array(kind)
    if len(numbers) * codes.itemsize >= AREA:
        return bytearray(flat)
    step = 1 << number_bits(codes)
    if len(numbers) < SCATTERED:
        places: Iterable[int] = [found.start() * step for found in _CELL.finditer(flat)]
    else:
        places = compress(_codes_of_nothing(step), flat)
    codes.extend(map(or_, places, numbers))
    return codes


@cache
def _codes_of_nothing(step: int) -> list[int]:
    return list(range(0, AREA * step, step))


def _small_codes(at: int, row: bytes) -> bytes:
    """The codes of small numbers, none of them 0, that fill rows of tiles from a place on."""
    wide = bytearray(2 * len(row))
    wide[LOW_BYTES] = row
    places = array(CODES[0], range(at << SMALL_BITS, (at + SIDE) << SMALL_BITS, 1 << SMALL_BITS))
    all_places = places.tobytes() * (len(row) >> SIDE_BITS)
    codes = int.from_bytes(wide, sys.byteorder) | int.from_bytes(all_places, sys.byteorder)
    return codes.to_bytes(len(wide), sys.byteorder)


def written(tile: Tile, at: int, numbers: Sequence[int]) -> Tile:
    """The tile with these numbers from a place on: the same one, or in another form."""
    if isinstance(tile, array):
        return _written_codes(tile, at, numbers)
    if isinstance(tile, dict):
        for place, number in enumerate(numbers, at):
            if number:
                tile[place] = number
            else:
                tile.pop(place, None)
        return tile
    if min(numbers) >= 0 and max(numbers) <= 255:
        tile[at : at + len(numbers)] = bytes(numbers)
        return tile
    return _repacked(tile, at, numbers)


def _written_codes(tile: array[int], at: int, numbers: Sequence[int]) -> Tile:
    bits = number_bits(tile)
    if min(numbers) < 0 or max(numbers) >> bits:
        return _repacked(tile, at, numbers)
    begin = bisect_left(tile, at << bits)
    end = bisect_left(tile, (at + len(numbers)) << bits, begin)
    before, full = len(tile), AREA // tile.itemsize
    small = max(numbers) <= 255
    tile[begin:end] = (
        _codes_again(tile.typecode, at, bytes(numbers))
        if small
        else _codes(tile.typecode, at, numbers)
    )
    return packed(entries(tile)) if before < full <= len(tile) else tile


def _codes(kind: str, at: int, numbers: Sequence[int]) -> array[int]:
    """Numbers in a row as codes."""
    bits = number_bits(array(kind))
    return array(
        kind, [place << bits | number for place, number in enumerate(numbers, at) if number]
    )


_codes_again = lru_cache(1 << 12)(_codes)
"""Rows of small numbers are often like others."""


def _repacked(tile: Tile, at: int, numbers: Sequence[int]) -> Tile:
    return packed(sorted(written(dict(entries(tile)), at, numbers).items()))


def row_of(tile: Tile, at: int, length: int) -> bytes:
    """Numbers from a place on, as bytes; of longer ones the last byte."""
    if isinstance(tile, bytearray):
        return bytes(tile[at : at + length])
    row = bytearray(length)
    if isinstance(tile, dict):
        for place in range(length):
            row[place] = tile.get(at + place, 0) & 255
        return bytes(row)
    bits = number_bits(tile)
    begin = bisect_left(tile, at << bits)
    codes = tile[begin : bisect_left(tile, (at + length) << bits, begin)]
    if len(codes) == length and bits == SMALL_BITS:  # no place is blank
        return bytes(codes.tobytes()[LOW_BYTES]).translate(_SMALL)
    for code in codes:
        row[(code >> bits) - at] = code & ((1 << bits) - 1) & 255
    return bytes(row)


def numbers_of(tile: Tile, at: int, length: int) -> Sequence[int]:
    """Numbers from a place on, however long they are."""
    if isinstance(tile, dict):
        return [tile.get(place, 0) for place in range(at, at + length)]
    if isinstance(tile, bytearray) or number_bits(tile) <= 8:
        return row_of(tile, at, length)
    bits = number_bits(tile)
    row, begin = [0] * length, bisect_left(tile, at << bits)
    for code in tile[begin : bisect_left(tile, (at + length) << bits, begin)]:
        row[(code >> bits) - at] = code & ((1 << bits) - 1)
    return row


def aligned(x: int, length: int) -> Iterator[tuple[int, int]]:
    """Pieces of a row, each in one tile."""
    end = x + length
    while x < end:
        some = min(end - x, SIDE - (x & INSIDE))
        yield x, some
        x += some


def rows_in(tile: Tile, length: int) -> Iterator[tuple[int, bytes]]:
    """All pieces of rows, of a length, in which there are cells, and where they begin."""
    if isinstance(tile, array):
        yield from _rows_of_codes(tile, length)
        return
    flat, blank = row_of(tile, 0, AREA), bytes(length)
    for at in range(0, AREA, length):
        row = flat[at : at + length]
        if row != blank:
            yield at, row


def _rows_of_codes(tile: array[int], length: int) -> Iterator[tuple[int, bytes]]:
    bits, at = number_bits(tile), 0
    while at < len(tile):
        begin = (tile[at] >> bits) // length * length
        yield begin, row_of(tile, begin, length)
        at = bisect_left(tile, (begin + length) << bits, at)


def filled(tile: Tile, at: int, length: int) -> int:
    """How many of the places from one on have cells."""
    if isinstance(tile, array):
        bits = number_bits(tile)
        begin = bisect_left(tile, at << bits)
        return bisect_left(tile, (at + length) << bits, begin) - begin
    if isinstance(tile, dict):
        return sum(place in tile for place in range(at, at + length))
    blank: int = tile[at : at + length].count(0)
    return length - blank


def is_blank(tile: Tile) -> bool:
    """Whether it has no cells."""
    return tile == BLANK if isinstance(tile, bytearray) else not tile


def size_of(tile: Tile) -> int:
    """Bytes of its cells."""
    if isinstance(tile, array):
        return len(tile) * tile.itemsize
    return LOOSE_MEMORY * len(tile) if isinstance(tile, dict) else AREA


def cells_in(tile: Tile) -> int:
    """How many cells it has."""
    return AREA - tile.count(0) if isinstance(tile, bytearray) else len(tile)


def copied(tile: Tile) -> Tile:
    """A tile of one's own with the same cells."""
    if isinstance(tile, bytearray) and cells_in(tile) < SPARE:
        return packed(entries(tile))
    return tile.copy() if isinstance(tile, dict) else tile[:]


def are_same(one: Tile, other: Tile) -> bool:
    """Whether two tiles have the same cells, in whatever form."""
    if one is other or (type(one) is type(other) and one == other):
        return True
    return list(entries(one)) == list(entries(other))


def lines_of(tile: Tile, axis: int) -> list[int]:
    """Of each cell, the column in the tile, or the row."""
    if axis:
        return [at >> SIDE_BITS for at, _ in entries(tile)]
    return [at & INSIDE for at, _ in entries(tile)]


def _has(bounds: Bounds, place: Place) -> bool:
    left, top, right, bottom = bounds
    return left <= place[0] < right and top <= place[1] < bottom


# All of them --------------------------------------------------------------------------------------


class Tiles(MutableMapping[Place, int]):
    """Cells by their places; those that hold 0 are not there. Copies share tiles until one of them
    writes there."""

    def __init__(self, cells: Mapping[Place, int] | None = None) -> None:
        self.tiles: dict[Place, Tile] = {}
        self.count = self._size = 0
        self.own: set[Place] | None = None
        """The tiles that have been written since they were shared; None if they never were."""
        loose: dict[Place, dict[int, int]] = {}
        for (x, y), number in (cells or {}).items():
            key = x >> SIDE_BITS, y >> SIDE_BITS
            loose.setdefault(key, {})[(y & INSIDE) << SIDE_BITS | x & INSIDE] = number
        for key, tile in loose.items():
            self._keep(key, packed(sorted(tile.items())), 0)
            self.count += len(tile)

    def get(self, place: Any, default: Any = None) -> Any:
        x, y = place
        try:
            tile = self.tiles.get((x >> SIDE_BITS, y >> SIDE_BITS))
        except TypeError:  # no whole numbers
            return _near(self, place, default)
        if tile is None:
            return default
        return read(tile, (y & INSIDE) << SIDE_BITS | x & INSIDE) or default

    def __getitem__(self, place: Any) -> int:
        number: int = self.get(place, 0)
        if not number:
            raise KeyError(place)
        return number

    def __contains__(self, place: Any) -> bool:
        return bool(self.get(place, 0))

    def __setitem__(self, place: Place, number: int) -> None:
        self.put_row(*place, (number,))

    def __delitem__(self, place: Place) -> None:
        if place not in self:
            raise KeyError(place)
        self.put_row(*place, (0,))

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Place]:
        return (place for place, _ in self.items())

    def items(self) -> ItemsView[Place, int]:
        return _Items(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        if len(self) != len(other):
            return False
        if isinstance(other, Tiles):
            return not any(self.different_tiles(other))
        return all(self.get(place, 0) == number for place, number in other.items())

    __hash__ = None  # type: ignore[assignment]

    def different_tiles(self, other: Tiles) -> Iterator[Place]:
        """Which tiles have other cells there."""
        for key, tile in self.tiles.items():
            twin = other.tiles.get(key)
            if twin is None or not are_same(tile, twin):
                yield key
        yield from (key for key in other.tiles if key not in self.tiles)

    def different(self, other: Tiles) -> set[Place]:
        """Where there is another number."""
        found: set[Place] = set()
        for key in self.different_tiles(other):
            ours, theirs = (dict(self.entries_of(key)), dict(other.entries_of(key)))
            found |= {place for place, _ in ours.items() ^ theirs.items()}
        return found

    def entries_of(self, key: Place) -> Iterator[tuple[Place, int]]:
        """The cells of one tile."""
        left, top = key[0] << SIDE_BITS, key[1] << SIDE_BITS
        for at, number in entries(self.tiles.get(key, ())):
            yield (left + (at & INSIDE), top + (at >> SIDE_BITS)), number

    def among(self, left: int, top: int, right: int, bottom: int) -> list[Place]:
        """The tiles that have places in a rectangle; right and bottom are the first outside."""
        columns = range(left >> SIDE_BITS, -(-right >> SIDE_BITS))
        rows = range(top >> SIDE_BITS, -(-bottom >> SIDE_BITS))
        if len(columns) * len(rows) < len(self.tiles):
            return [(x, y) for y in rows for x in columns if (x, y) in self.tiles]
        return [key for key in self.tiles if key[0] in columns and key[1] in rows]

    def box(self, but: Bounds) -> Bounds | None:
        """The smallest box, all included, around the cells that are not in a rectangle."""
        left, top, right, bottom = (
            self._outermost(axis, outermost, but) for outermost in (min, max) for axis in (0, 1)
        )
        if left is None or top is None or right is None or bottom is None:
            return None
        return left, top, right, bottom

    def _outermost(self, axis: int, outermost: Any, but: Bounds) -> int | None:
        best: int | None = None
        for key in sorted(self.tiles, key=itemgetter(axis), reverse=outermost is max):
            if best is not None and key[axis] != best >> SIDE_BITS:
                break
            lines = self._lines_outside(key, axis, outermost, but)
            best = outermost(lines if best is None else [best, *lines], default=None)
        return best

    def _lines_outside(self, key: Place, axis: int, outermost: Any, but: Bounds) -> list[int]:
        """Lines of cells of a tile that are not in a rectangle, the outermost one among them."""
        left, top = key[0] << SIDE_BITS, key[1] << SIDE_BITS
        first, last = _first_and_last_row(self.tiles[key])
        if _has(but, (left, top + first)) and _has(but, (left + INSIDE, top + last)):
            return []
        if left < but[2] and but[0] < left + SIDE and top < but[3] and but[1] < top + SIDE:
            return [place[axis] for place, _ in self.entries_of(key) if not _has(but, place)]
        return [(key[axis] << SIDE_BITS) + _end(self.tiles[key], axis, outermost)]

    # Rows ------------------------------------------------------------------------------------

    def row(self, x: int, y: int, length: int) -> bytes:
        """Numbers in a row, all in one tile, as bytes."""
        tile = self.tiles.get((x >> SIDE_BITS, y >> SIDE_BITS))
        if tile is None:
            return bytes(length)
        return row_of(tile, (y & INSIDE) << SIDE_BITS | x & INSIDE, length)

    def numbers(self, x: int, y: int, length: int) -> Sequence[int]:
        """Numbers in a row, in any tiles."""
        pieces = []
        for begin, some in aligned(x, length):
            tile = self.tiles.get((begin >> SIDE_BITS, y >> SIDE_BITS))
            at = (y & INSIDE) << SIDE_BITS | begin & INSIDE
            pieces.append(bytes(some) if tile is None else numbers_of(tile, at, some))
        return pieces[0] if len(pieces) == 1 else [*chain.from_iterable(pieces)]

    def flat(self, key: Place) -> bytes:
        """All numbers of a tile, as bytes."""
        return row_of(self.tiles[key], 0, AREA) if key in self.tiles else BLANK

    def put_row(self, x: int, y: int, row: Sequence[int]) -> None:
        """Write numbers in a row, all in one tile."""
        key, at = (x >> SIDE_BITS, y >> SIDE_BITS), (y & INSIDE) << SIDE_BITS | x & INSIDE
        old = self.tiles.get(key)
        before = 0 if old is None else size_of(old)
        tile = array(CODES[0]) if old is None else old if self._owns(key) else copied(old)
        self.count += len(row) - row.count(0) - filled(tile, at, len(row))
        self._keep(key, written(tile, at, row), before)

    def put_long_row(self, x: int, y: int, row: bytes) -> None:
        """Write numbers in a row that takes the whole width of tiles."""
        column, line, at = x >> SIDE_BITS, y >> SIDE_BITS, (y & INSIDE) << SIDE_BITS
        quick = None if row.translate(None, _ALL_SMALL) else _small_codes(at, row)
        for number in range(len(row) >> SIDE_BITS):
            key, begin = (column + number, line), number << SIDE_BITS
            if quick is None or key in self.tiles:
                piece = row[begin : begin + SIDE]
                if self.row(x + begin, y, SIDE) != piece:
                    self.put_row(x + begin, y, piece)
                continue
            tile = array(CODES[0])
            tile.frombytes(quick[2 * begin : 2 * (begin + SIDE)])
            self.count += SIDE
            self._keep(key, tile, 0)

    def put_tile(self, key: Place, flat: bytes | bytearray) -> None:
        """Write all numbers of a tile."""
        old, new = self.tiles.get(key), from_bytes(flat)
        if old is not None:
            self.count -= cells_in(old)
        self.count += cells_in(new)
        self._keep(key, new, 0 if old is None else size_of(old))

    def _owns(self, key: Place) -> bool:
        return self.own is None or key in self.own

    def _keep(self, key: Place, tile: Tile, before: int) -> None:
        """Have a tile in the place of one that took so many bytes."""
        self._size -= before
        if is_blank(tile):
            self.tiles.pop(key, None)
        else:
            self.tiles[key] = tile
            self._size += size_of(tile)
        if self.own is not None:
            self.own.add(key)

    # Sharing ---------------------------------------------------------------------------------

    def copy(self) -> Tiles:
        """The same cells, which take memory of their own only where one of both is written."""
        twin = Tiles()
        twin.tiles, twin.count, twin._size = self.tiles.copy(), self.count, self._size
        self.own, twin.own = set(), set()
        return twin

    def adopt(self, key: Place, tile: Tile | None) -> None:
        """Have the tile of a copy, which goes on to share it."""
        old = self.tiles.pop(key, None)
        if old is not None:
            self._size -= size_of(old)
            self.count -= cells_in(old)
        if tile is not None:
            self.tiles[key] = tile
            self._size += size_of(tile)
            self.count += cells_in(tile)
        self.own = set() if self.own is None else self.own
        self.own.discard(key)

    def memory(self) -> int:
        """Bytes that it takes, if nothing of it is shared."""
        return TILE_MEMORY * len(self.tiles) + self._size

    def highest(self) -> int:
        """The greatest number in any cell; more than a byte tells if one is below zero."""
        return max(map(_highest, self.tiles.values()), default=0)

    def long_numbers(self) -> Iterator[int]:
        """Numbers that may be of more than ordinary size."""
        for tile in self.tiles.values():
            if isinstance(tile, dict):
                yield from tile.values()


def _highest(tile: Tile) -> int:
    numbers = tile if isinstance(tile, bytearray) else [number for _, number in entries(tile)]
    return max(numbers) if min(numbers) >= 0 else max(256, *numbers)


class _Items(ItemsView[Place, int]):
    """The cells of tiles, gone through tile by tile."""

    _mapping: Tiles

    def __iter__(self) -> Iterator[tuple[Place, int]]:
        for key in list(self._mapping.tiles):
            yield from self._mapping.entries_of(key)


def _near(cells: Tiles, place: Any, default: Any) -> Any:
    """A cell whose place is not said in whole numbers, as a dictionary would find it."""
    x, y = (int(at) if isinstance(at, float) and at.is_integer() else at for at in place)
    return cells.get((x, y), default) if isinstance(x, int) and isinstance(y, int) else default


# How far they reach -------------------------------------------------------------------------------


class Border:
    """The outermost line on one side, found when somebody asks, and how many cells are on it."""

    def __init__(self, tiles: Tiles, axis: int, outwards: int) -> None:
        self.tiles, self.axis, self.outwards = tiles, axis, outwards
        self._line, self._cells = 0, 0
        """Without cells on it, nobody knows which line it is."""

    @property
    def line(self) -> int:
        """The line."""
        if not self._cells and self.tiles.tiles:
            self._find()
        return self._line

    def place(self) -> Place:
        """Where a cell is on that line."""
        axis, line = self.axis, self.line
        return next(
            place
            for key in self.tiles.tiles
            if key[axis] == line >> SIDE_BITS
            for place, _ in self.tiles.entries_of(key)
            if place[axis] == line
        )

    def _find(self) -> None:
        axis, outermost = self.axis, max if self.outwards > 0 else min
        number = outermost(key[axis] for key in self.tiles.tiles)
        tiles = [tile for key, tile in self.tiles.tiles.items() if key[axis] == number]
        ends = [_end(tile, axis, outermost) for tile in tiles]
        last = outermost(ends)
        self._line = (number << SIDE_BITS) + last
        self._cells = sum(
            cells_on(tile, axis, last) for tile, end in zip(tiles, ends, strict=True) if end == last
        )

    def add(self, line: int) -> None:
        """There is one cell more on a line."""
        if not self._cells:
            return
        if line == self._line:
            self._cells += 1
        elif (line - self._line) * self.outwards > 0:
            self._line, self._cells = line, 1

    def remove(self, line: int) -> None:
        """There is one cell less on it."""
        if line == self._line and self._cells:
            self._cells -= 1

    def exchange(self, key: Place, old: Tile | None, new: Tile | None) -> None:
        """There is another tile now."""
        if not self._cells or (key[self.axis] - (self._line >> SIDE_BITS)) * self.outwards < 0:
            return
        if new is not None:
            end = _end(new, self.axis, max if self.outwards > 0 else min)
            line = (key[self.axis] << SIDE_BITS) + end
            if (line - self._line) * self.outwards > 0:
                self._line, self._cells = line, cells_on(new, self.axis, end)
                return
            self._cells += cells_on(new, self.axis, self._line & INSIDE)
        if old is not None:
            self._cells -= cells_on(old, self.axis, self._line & INSIDE)

    def copy(self, tiles: Tiles) -> Border:
        """The same for a copy of the cells."""
        twin = Border(tiles, self.axis, self.outwards)
        twin._line, twin._cells = self._line, self._cells
        return twin


def _end(tile: Tile, axis: int, outermost: Any) -> int:
    """The outermost line of a tile."""
    if axis and isinstance(tile, array):
        place: int = outermost(tile[0], tile[-1]) >> number_bits(tile)
        return place >> SIDE_BITS
    end: int = outermost(lines_of(tile, axis))
    return end


def _first_and_last_row(tile: Tile) -> Place:
    """Rows of a tile around all of its cells: the narrowest, where that is seen at once."""
    if not isinstance(tile, array):
        return 0, INSIDE
    bits = number_bits(tile)
    return tile[0] >> bits >> SIDE_BITS, tile[-1] >> bits >> SIDE_BITS


def cells_on(tile: Tile, axis: int, line: int) -> int:
    """How many cells of a tile are on one of its lines."""
    if axis:
        return filled(tile, line << SIDE_BITS, SIDE)
    return lines_of(tile, axis).count(line)


class TileExtent:
    """The least and greatest line in use along one axis."""

    def __init__(self, tiles: Tiles, axis: int) -> None:
        self.borders = Border(tiles, axis, -1), Border(tiles, axis, 1)

    @property
    def least(self) -> int:
        return self.borders[0].line

    @property
    def most(self) -> int:
        return self.borders[1].line

    def places(self) -> list[Place]:
        """A cell on each of both."""
        return [border.place() for border in self.borders]

    def add(self, line: int) -> None:
        for border in self.borders:
            border.add(line)

    def remove(self, line: int) -> None:
        for border in self.borders:
            border.remove(line)

    def exchange(self, key: Place, old: Tile | None, new: Tile | None) -> None:
        for border in self.borders:
            border.exchange(key, old, new)

    def copy(self, tiles: Any) -> TileExtent:
        """The same for a copy of the cells."""
        twin = TileExtent.__new__(TileExtent)
        twin.borders = self.borders[0].copy(tiles), self.borders[1].copy(tiles)
        return twin
