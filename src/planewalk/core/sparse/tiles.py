"""Cells of a plane without edges in square tiles: few bytes a cell, shared by copies until written.

A tile is kept in the smallest form that has room for its numbers:

- as codes in ascending order, one for each cell: its place in the tile, then its number, in 16, 32
  or 64 bits;
- as a byte for each place, if there are many small numbers;
- as a dictionary, if a number is below zero or longer than a code can tell;
- as such bytes, compressed, if many of them are written at once. Most are written once and
  looked at rarely, and many are alike; the first that writes a single cell has another form again.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import ItemsView, Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import cache, lru_cache
from itertools import chain, compress, groupby, repeat
from operator import itemgetter, or_
from struct import iter_unpack
from typing import Any

Place = tuple[int, int]
Bounds = tuple[int, int, int, int]
"""Left, top, right and bottom; what is said about rectangles says whether the last are inside."""
Tile = Any
"""An `array` of codes, a `bytearray`, a dict from places in the tile to numbers, or compressed
`bytes`, which never change."""

SIDE_BITS = 7
SIDE = 1 << SIDE_BITS  # cells along each side of a tile
INSIDE = SIDE - 1
AREA = SIDE * SIDE
PLACE_BITS = 2 * SIDE_BITS

CODES = "HIQ"  # types of codes, from short to long
LONGEST = 64 - PLACE_BITS  # bits of the longest number that a code can tell
SMALL_BITS = 16 - PLACE_BITS
LOW_BYTES = slice(sys.byteorder == "big", None, 2)  # of codes of 16 bits
_SMALL = bytes(byte & ((1 << SMALL_BITS) - 1) for byte in range(256))
BLANK = bytes(AREA)
_BLANK_ROW = bytes(SIDE)
AT_ONCE = 1 << 12  # cells that are told together, or a few more
FINE = 3  # bits of squares that are small enough to be found by their cells
SPARE = AREA // 8  # with fewer cells than these, a tile of bytes is not worth it
COMPRESSION = {"level": 1, "wbits": -zlib.MAX_WBITS}  # the quickest, without a header
COUNT = 2  # bytes before compressed ones, which say how many cells there are
MANY_TILES = 1 << 10  # so many that are new are taken over together with all others
FEW_LINES, MOST_ALIKE = 16, 1 << 10
"""Lines of tiles written at once up to which it is worth looking whether another one is like it,
and how many are remembered for that."""

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
    return int(tile.get(at, 0) if isinstance(tile, dict) else flat_of(tile)[at])


@lru_cache(64)
def _unzipped(tile: bytes) -> bytes:
    return zlib.decompress(tile[COUNT:], COMPRESSION["wbits"], AREA)


def flat_of(tile: bytes | bytearray) -> bytes | bytearray:
    """The bytes of a tile that has one for each place."""
    return _unzipped(tile) if isinstance(tile, bytes) else tile


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
    flat = flat_of(tile) if tile else b""
    return zip(compress(range(AREA), flat), flat.translate(None, b"\0"), strict=True)


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
    places = compress(_codes_of_nothing(1 << number_bits(codes)), flat)
    codes.extend(map(or_, places, numbers))
    return codes


def zipped(flat: bytes, cells: int) -> Tile:
    """A tile with so many cells that takes little memory and is made quickly."""
    if not cells:
        return b""
    tile = _zipped(flat, cells)
    return tile if len(tile) < AREA // 2 else bytearray(flat)


@lru_cache(64)
def _zipped(flat: bytes, cells: int) -> bytes:
    """Many are like one of the last."""
    return cells.to_bytes(COUNT, "big") + zlib.compress(flat, **COMPRESSION)


def _filled(flat: bytes | bytearray) -> int:
    """How many bytes are not 0."""
    return len(flat.translate(None, b"\0"))


@cache
def _codes_of_nothing(step: int) -> list[int]:
    return list(range(0, AREA * step, step))


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
    if isinstance(tile, bytes):
        return written(from_bytes(flat_of(tile)), at, numbers)
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


_codes_again = lru_cache(1 << 12)(_codes)  # rows of small numbers are often like others


def _repacked(tile: Tile, at: int, numbers: Sequence[int]) -> Tile:
    return packed(sorted(written(dict(entries(tile)), at, numbers).items()))


def row_of(tile: Tile, at: int, length: int) -> bytes:
    """Numbers from a place on, as bytes; of longer ones the last byte."""
    if isinstance(tile, (bytes, bytearray)):
        return bytes(flat_of(tile)[at : at + length])
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
    if isinstance(tile, (bytes, bytearray)) or number_bits(tile) <= 8:
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


def filled(tile: Tile, at: int, length: int) -> int:
    """How many of the places from one on have cells."""
    if isinstance(tile, array):
        bits = number_bits(tile)
        begin = bisect_left(tile, at << bits)
        return bisect_left(tile, (at + length) << bits, begin) - begin
    if isinstance(tile, dict):
        return sum(place in tile for place in range(at, at + length))
    return length - flat_of(tile)[at : at + length].count(0)


def squares_of(tile: Tile, bits: int) -> Iterable[tuple[int, int, int]]:
    """Column and row of each square of cells in a tile that is not blank, counted in squares of
    2**bits cells a side, and the number of one of its cells."""
    if bits < FINE or not isinstance(tile, (bytes, bytearray)):
        found = {((at & INSIDE) >> bits, at >> SIDE_BITS >> bits): n for at, n in entries(tile)}
        return [(*square, number) for square, number in found.items()]
    flat = flat_of(tile)
    side, rows, squares = 1 << bits, range(0, AREA, SIDE), []
    for row in range(0, SIDE, side):
        for column in range(0, SIDE, side):
            lines = (flat[at + column : at + column + side] for at in rows[row : row + side])
            if held := b"".join(lines).lstrip(b"\0"):
                squares.append((column >> bits, row >> bits, held[0]))
    return squares


def size_of(tile: Tile) -> int:
    """Bytes of its cells."""
    if isinstance(tile, array):
        return len(tile) * tile.itemsize
    if isinstance(tile, dict):
        return LOOSE_MEMORY * len(tile)
    return len(tile)


def cells_in(tile: Tile) -> int:
    """How many cells it has."""
    if isinstance(tile, bytes):
        return int.from_bytes(tile[:COUNT], "big")
    return _filled(tile) if isinstance(tile, bytearray) else len(tile)


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
        except TypeError:  # no whole numbers: as a dictionary would find it
            x, y = (int(at) if isinstance(at, float) and at.is_integer() else at for at in place)
            whole = isinstance(x, int) and isinstance(y, int)
            return self.get((x, y), default) if whole else default
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

    def squares(self, bits: int) -> Iterator[tuple[Place, int]]:
        """The first place of each square of 2**bits cells a side that is not blank, and a number in
        it: much quicker than all cells."""
        for (column, line), tile in self.tiles.items():
            left, top = column << SIDE_BITS, line << SIDE_BITS
            for x, y, number in squares_of(tile, bits):
                yield (left + (x << bits), top + (y << bits)), number

    def in_reading_order(self) -> Iterator[list[tuple[int, int, int]]]:
        """Columns, rows and numbers of all cells, row by row, some at a time."""
        lines: dict[int, list[int]] = {}
        for column, line in self.tiles:
            lines.setdefault(line, []).append(column)
        for line in sorted(lines):
            rows: list[list[tuple[int, Sequence[int]]]] = [[] for _ in range(SIDE)]
            for column in sorted(lines[line]):
                for row, numbers in _filled_rows(self.tiles[column, line]):
                    rows[row].append((column << SIDE_BITS, numbers))
            some: list[tuple[int, int, int]] = []
            for y, pieces in enumerate(rows, line << SIDE_BITS):
                for left, numbers in pieces:
                    some += _cells_of(left, y, numbers)
                    if len(some) >= AT_ONCE:
                        yield some
                        some = []
            yield some

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

    def different(self, other: Tiles) -> Iterator[Place]:
        """Where there is another number, in reading order, found as they are asked for."""
        lines: dict[int, list[Place]] = {}
        for key in self.different_tiles(other):
            lines.setdefault(key[1], []).append(key)
        for line in sorted(lines):
            found: list[Place] = []
            for key in lines[line]:
                ours, theirs = (dict(self.entries_of(key)), dict(other.entries_of(key)))
                found += {place for place, _ in ours.items() ^ theirs.items()}
            yield from sorted(found, key=itemgetter(1, 0))

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
        lines: dict[int, list[Place]] = {}
        for key in self.tiles:
            lines.setdefault(key[axis], []).append(key)
        for line in sorted(lines, reverse=outermost is max):
            found = [
                it for key in lines[line] for it in self._lines_outside(key, axis, outermost, but)
            ]
            if found:
                return int(outermost(found))
        return None

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
        before, owned = 0 if old is None else size_of(old), self.own is None or key in self.own
        tile = array(CODES[0]) if old is None else old if owned else copied(old)
        self.count += len(row) - row.count(0) - filled(tile, at, len(row))
        self._keep(key, written(tile, at, row), before)

    def put_lines(self, x: int, lines: Mapping[int, bytes]) -> None:
        """Write rows of small numbers, by their y, all in one line of tiles; they are as long as
        each other and take the whole width of tiles. Tiles that are like one before share it."""
        column, line = x >> SIDE_BITS, next(iter(lines)) >> SIDE_BITS
        places = [(y & INSIDE) << SIDE_BITS for y in lines]
        pieces = zip(*(iter_unpack(f"{SIDE}s", row) for row in lines.values()), strict=True)
        alike: dict[Any, tuple[Tile, int]] = {}
        for number, rows in enumerate(pieces, column):
            key = number, line
            old = self.tiles.get(key)
            change = old, rows
            compare = len(places) <= FEW_LINES and (old is None or isinstance(old, bytes))
            found = alike.get(change) if compare else None
            if found is None:
                found = _with_lines(old, places, rows)
                if compare and len(alike) < MOST_ALIKE:
                    alike[change] = found
            tile, more = found
            self.count += more
            self._keep(key, tile, 0 if old is None else size_of(old))

    def put_rows(self, rows: Iterable[bytes]) -> None:
        """Write rows of small numbers, of any lengths, from (0, 0) on."""
        numbered = enumerate(row.ljust(-(-len(row) // SIDE) * SIDE, b"\0") for row in rows)
        for _, some in groupby(numbered, lambda row: row[0] >> SIDE_BITS):
            lines, left = dict(some), 0
            for right in sorted({len(row) for row in lines.values()} - {0}):
                lines = {y: row for y, row in lines.items() if len(row) >= right}
                self.put_lines(left, {y: row[left:right] for y, row in lines.items()})
                left = right

    def put_tiles(self, flats: Iterable[tuple[Place, bytes, int]]) -> None:
        """Write whole tiles, of which it is known how many cells each has."""
        for key, flat, cells in flats:
            old = self.tiles.get(key)
            if old is None and not cells:
                continue
            self.count += cells - (0 if old is None else cells_in(old))
            self._keep(key, zipped(flat, cells), 0 if old is None else size_of(old))

    def _keep(self, key: Place, tile: Tile, before: int) -> None:
        """Have a tile in the place of one that took so many bytes."""
        self._size -= before
        if not tile or tile == BLANK:
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

    def adopt(self, twin: Tiles) -> None:
        """Have all cells of a copy, which knows what it has changed since then; both go on to share
        them."""
        changed = twin.own or set()
        if len(changed) > MANY_TILES:
            self.tiles = twin.tiles.copy()
        else:
            for key in changed:
                if key in twin.tiles:
                    self.tiles[key] = twin.tiles[key]
                else:
                    self.tiles.pop(key, None)
        self.count, self._size = twin.count, twin._size
        self.own, twin.own = (self.own or set()) - changed, set()

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


def _filled_rows(tile: Tile) -> Iterator[tuple[int, Sequence[int]]]:
    """Rows of a tile that are not blank, with their numbers."""
    if isinstance(tile, (bytes, bytearray)):
        flat = bytes(flat_of(tile))
        for at in range(0, AREA, SIDE):
            if (row := flat[at : at + SIDE]) != _BLANK_ROW:
                yield at >> SIDE_BITS, row
        return
    rows: dict[int, list[int]] = {}
    for at, number in entries(tile):
        rows.setdefault(at >> SIDE_BITS, [0] * SIDE)[at & INSIDE] = number
    yield from rows.items()


def _cells_of(left: int, y: int, row: Sequence[int]) -> Iterable[tuple[int, int, int]]:
    """The cells of a row that is not blank."""
    if isinstance(row, bytes):
        first = SIDE - len(row.lstrip(b"\0"))
        row = row.strip(b"\0")
        if len(row) == 1:
            return ((left + first, y, row[0]),)
        left += first
    places = compress(range(left, left + len(row)), row)
    return zip(places, repeat(y), filter(None, row), strict=False)


def _with_lines(
    tile: Tile | None, places: list[int], rows: Iterable[tuple[bytes]]
) -> tuple[Tile, int]:
    """A tile with lines that begin at these places, and how many more cells it has."""
    flat = bytearray(AREA) if tile is None else bytearray(row_of(tile, 0, AREA))
    for at, (row,) in zip(places, rows, strict=True):
        flat[at : at + SIDE] = row
    cells, before = _filled(flat), 0 if tile is None else cells_in(tile)
    return zipped(bytes(flat), cells), cells - before


def _highest(tile: Tile) -> int:
    if isinstance(tile, (bytes, bytearray)):
        return max(flat_of(tile))
    numbers = [number for _, number in entries(tile)]
    return max(numbers) if min(numbers) >= 0 else max(256, *numbers)


class _Items(ItemsView[Place, int]):
    """The cells of tiles, gone through tile by tile."""

    _mapping: Tiles

    def __iter__(self) -> Iterator[tuple[Place, int]]:
        for key in list(self._mapping.tiles):
            yield from self._mapping.entries_of(key)


# How far they reach -------------------------------------------------------------------------------


class Border:
    """The outermost line on one side, found on the first read, and how many cells are on it."""

    def __init__(self, tiles: Tiles, axis: int, outwards: int) -> None:
        self.tiles, self.axis, self.outwards = tiles, axis, outwards
        self._line, self._cells = 0, 0  # without cells on it, the line is not known

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
    if isinstance(tile, (bytes, bytearray)):
        box = _box_of(tile) if isinstance(tile, bytes) else _box_around(tile)
        return box[axis if outermost is min else axis + 2]
    if axis and isinstance(tile, array):
        place: int = outermost(tile[0], tile[-1]) >> number_bits(tile)
        return place >> SIDE_BITS
    return int(outermost(lines_of(tile, axis)))


@lru_cache(1 << 10)
def _box_of(tile: bytes) -> Bounds:
    """The box of a compressed tile; many are alike."""
    return _box_around(flat_of(tile))


def _box_around(flat: bytes | bytearray) -> Bounds:
    """The smallest box, all included, around the cells of a tile, of which there are some."""
    top = (AREA - len(flat.lstrip(b"\0"))) >> SIDE_BITS
    bottom = (len(flat.rstrip(b"\0")) - 1) >> SIDE_BITS
    left = next(line for line in range(SIDE) if any(_line(flat, 0, line)))
    right = next(line for line in range(INSIDE, -1, -1) if any(_line(flat, 0, line)))
    return left, top, right, bottom


def _line(flat: bytes | bytearray, axis: int, line: int) -> bytes | bytearray:
    return flat[line << SIDE_BITS : (line + 1) << SIDE_BITS] if axis else flat[line::SIDE]


def _first_and_last_row(tile: Tile) -> Place:
    """Rows of a tile around all of its cells: the narrowest, where that is seen at once."""
    if isinstance(tile, bytes):
        _, top, _, bottom = _box_of(tile)
        return top, bottom
    if not isinstance(tile, array):
        return 0, INSIDE
    bits = number_bits(tile)
    return tile[0] >> bits >> SIDE_BITS, tile[-1] >> bits >> SIDE_BITS


def cells_on(tile: Tile, axis: int, line: int) -> int:
    """How many cells of a tile are on one of its lines."""
    if axis:
        return filled(tile, line << SIDE_BITS, SIDE)
    if isinstance(tile, (bytes, bytearray)):
        return SIDE - _line(flat_of(tile), axis, line).count(0)
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
