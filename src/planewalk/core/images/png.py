"""PNG pictures, read and written with zlib alone.

What can be read, and what is said about what cannot, is what Pillow says: it reads all other kinds
of pictures.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from struct import Struct
from typing import IO

from ..base.named import NamedTuple
from ..errors import SourceError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
DEPTHS = {
    GREY: (1, 2, 4, 8, 16), RGB: (8, 16), PALETTE: (1, 2, 4, 8), GREY_ALPHA: (8, 16), RGBA: (8, 16)
}  # fmt: skip
AS_IT_IS, SUB, UP, AVERAGE, PAETH = range(5)
"""The filters of rows: how a row is told from what came before."""
LEVEL = 6
PIECE = 1 << 16  # bytes that are unpacked, or written, at a time

Size = tuple[int, int]
Pass = tuple[int, int, int, int]
PASSES: tuple[Pass, ...] = (
    (0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2)
)  # fmt: skip
"""Of an interlaced picture: its first column, every how many, and the same of rows."""
_HEADER = Struct(">IIBBBBB")
_CHUNK = Struct(">I4s")
_KIND = re.compile(rb"\w{4}")
_DATA = (b"IDAT", b"DDAT", b"fdAT")
_PLACE = Struct(">IIIII")


class NoPng(Exception):
    """A picture cannot be known by what comes before its pixels."""


class PngRow(NamedTuple):
    """Pixels of a row, one in every few, as samples of a byte, or of two in pictures of 16 bits."""

    y: int
    columns: slice
    samples: bytes


class Png(NamedTuple):
    """A picture that is known by its header."""

    source: bytes
    size: Size
    depth: int
    kind: int
    interlaced: bool
    palette: bytes
    start: int
    """Where the chunk begins that has the first pixels."""

    def rows(self) -> Iterator[PngRow]:
        """All pixels; raises `SourceError` where the picture is damaged."""
        width, height = self.size
        bits = self.depth * CHANNELS[self.kind]
        inflated = _Inflated(self.source, self.start)
        for left, right, top, down in PASSES if self.interlaced else ((0, 1, 0, 1),):
            across = len(range(left, width, right))
            length = (across * bits + 7) // 8
            before = bytes(length)
            for y in range(top, height, down) if across else ():
                filtered = inflated.take(length + 1)
                before = _unfiltered(filtered[0], filtered[1:], before, max(bits // 8, 1))
                columns = slice(left, width, right)
                yield PngRow(y, columns, _samples(before, self.depth, across))
        inflated.finish()


def opened(source: bytes) -> Png:
    """A picture up to its pixels; raises `NoPng`."""
    header, palette, at = None, b"", len(SIGNATURE)
    if not source.startswith(SIGNATURE):
        raise NoPng("unknown image format")
    while True:
        size, kind = _chunk(source, at, NoPng("unknown image format"))
        if kind in _DATA or kind == b"IEND":
            break
        body = source[at + 8 : at + 8 + size]
        if len(body) < size:
            raise NoPng("Truncated File Read")
        if kind == b"IHDR":
            header = _header(body)
        elif kind == b"PLTE":
            palette = body
        elif kind == b"fcTL" and header is not None and size == 26:
            _, *place = _PLACE.unpack_from(body)
            if tuple(place) != (*header[:2], 0, 0):  # the first frame is not the whole picture
                raise NoPng("unknown image format")
        at += 8 + size
        if source[at : at + 4] != zlib.crc32(body, zlib.crc32(kind)).to_bytes(4, "big"):
            raise NoPng("unknown image format")
        at += 4
    if header is None or 0 in header[:2] or header[2] not in DEPTHS.get(header[3], ()):
        raise NoPng("unknown image format")
    width, height, depth, colours, _, _, interlaced = header
    return Png(source, (width, height), depth, colours, interlaced > 0, palette, at)


def _header(body: bytes) -> tuple[int, ...]:
    if len(body) < _HEADER.size:
        raise NoPng("Truncated IHDR chunk")
    header: tuple[int, ...] = _HEADER.unpack_from(body)
    if header[5]:
        raise NoPng("unknown image format")
    return header


def _chunk(source: bytes, at: int, wrong: Exception) -> tuple[int, bytes]:
    """The size and the kind of a chunk; raises `wrong` where there is none."""
    if at + _CHUNK.size > len(source):
        raise wrong
    size, kind = _CHUNK.unpack_from(source, at)
    if not _KIND.match(kind):
        raise wrong
    return size, kind


def damaged(why: str) -> SourceError:
    """What to raise for a picture whose pixels cannot be read."""
    return SourceError(f"the picture is damaged ({why})")


class _Inflated:
    """The unpacked bytes of all chunks with pixels, as many at a time as are asked for."""

    def __init__(self, source: bytes, at: int) -> None:
        self._source, self._at, self._left = source, at + 8, int.from_bytes(source[at : at + 4])
        self._unpacker = zlib.decompressobj()
        self._packed = b""

    def take(self, size: int) -> bytes:
        """The next so many bytes."""
        taken = b""
        while len(taken) < size:
            if not self._packed:
                self._packed = self._more()
            try:  # no more than that: what comes behind may be damaged, and does not matter
                taken += self._unpacker.decompress(self._packed, size - len(taken))
            except zlib.error:
                raise damaged("broken data stream when reading image file") from None
            self._packed = self._unpacker.unconsumed_tail
            if self._unpacker.eof and len(taken) < size:
                raise damaged("image file is truncated (0 bytes not processed)")
        return taken

    def _more(self) -> bytes:
        """Some bytes of the chunk at hand, or of the next one."""
        while self._left == 0:
            self._at += 4  # its checksum
            start = self._source[self._at : self._at + 8]
            size, kind = int.from_bytes(start[:4]), start[4:]
            if len(start) < 4:
                raise damaged("image file is truncated")
            if not _KIND.match(kind):
                raise damaged(f"broken PNG file (chunk {kind!r})")
            if kind not in _DATA:
                raise damaged("image file is truncated (0 bytes not processed)")
            self._at, self._left = self._at + 8, size
        size = min(self._left, PIECE)
        some = self._source[self._at : self._at + size]
        if not some:
            raise damaged("image file is truncated (0 bytes not processed)")
        self._at += len(some)
        self._left -= size
        return some

    def finish(self) -> None:
        """See whether the chunks behind are whole."""
        at = self._at + self._left
        while at + 4 + _CHUNK.size <= len(self._source):
            size, kind = _CHUNK.unpack_from(self._source, at + 4)
            if not _KIND.match(kind) or kind in (b"IEND", b"fcTL"):
                return
            at += 12 + size
            if at > len(self._source):
                raise damaged("Truncated File Read")


# Filters ------------------------------------------------------------------------------------------


def _unfiltered(kind: int, row: bytes, before: bytes, step: int) -> bytes:
    """A row, from its differences to what came before; `step` is the bytes of a pixel."""
    if kind == AS_IT_IS:
        return row
    if kind == SUB:
        return _summed(row, step)
    if kind == UP:
        return _sum(row, before)
    if kind == AVERAGE:
        return _averaged(row, before, step)
    if kind == PAETH:
        return _predicted(row, before, step)
    raise damaged("unrecognized data stream contents when reading image file")


def _sum(some: bytes, others: bytes) -> bytes:
    """The sums of bytes, all at once: carries stop at the high bits, which are added apart."""
    size = len(some)
    high = int.from_bytes(b"\x80" * size, "little")
    low = high ^ ((1 << 8 * size) - 1)
    a, b = int.from_bytes(some, "little"), int.from_bytes(others, "little")
    return ((a & low) + (b & low) ^ (a ^ b) & high).to_bytes(size, "little")


def _summed(row: bytes, step: int) -> bytes:
    """Each byte with all of its channel before it: in steps of one pixel, two, four and so on."""
    size = len(row)
    high = int.from_bytes(b"\x80" * size, "little")
    every = (1 << 8 * size) - 1
    low = high ^ every
    total, shift = int.from_bytes(row, "little"), 8 * step
    while shift < 8 * size:
        before = total << shift & every
        total = (total & low) + (before & low) ^ (total ^ before) & high
        shift *= 2
    return total.to_bytes(size, "little")


def _averaged(row: bytes, before: bytes, step: int) -> bytes:
    made = bytearray(row)
    for at in range(min(step, len(made))):
        made[at] = made[at] + before[at] // 2 & 255
    for at in range(step, len(made)):
        made[at] = made[at] + (made[at - step] + before[at]) // 2 & 255
    return bytes(made)


_CHANGE = re.compile(rb"[^\0]")


def _predicted(row: bytes, before: bytes, step: int) -> bytes:
    """The filter of Alan W. Paeth: whatever of left, above and left above is nearest to where they
    lead. Behind a pixel that is as the one above it, that is the one above."""
    made = bytearray(row)
    at, size = 0, len(row)
    left = above = bytes(step)
    while at < size:
        if left == above:
            change = _CHANGE.search(row, at)
            end = size if change is None else change.start() - (change.start() - at) % step
            made[at:end] = before[at:end]
            at = end
            if at == size:
                break
            made[at : at + step] = _sum(row[at : at + step], before[at : at + step])
        else:
            for place in range(at, min(at + step, size)):
                a, b, c = made[place - step], before[place], before[place - step]
                there = a + b - c
                far_a, far_b, far_c = abs(there - a), abs(there - b), abs(there - c)
                nearest = a if far_a <= far_b and far_a <= far_c else b if far_b <= far_c else c
                made[place] = made[place] + nearest & 255
        left, above = bytes(made[at : at + step]), before[at : at + step]
        at += step
    return bytes(made)


def _samples(row: bytes, depth: int, count: int) -> bytes:
    """Samples of fewer bits as bytes."""
    return row if depth >= 8 else b"".join(map(_parts(depth).__getitem__, row))[:count]


@cache
def _parts(depth: int) -> list[bytes]:
    """The samples in each byte."""
    most, shifts = (1 << depth) - 1, range(8 - depth, -1, -depth)
    return [bytes(byte >> by & most for by in shifts) for byte in range(256)]


# Writing ------------------------------------------------------------------------------------------


def chunk(kind: bytes, body: bytes) -> bytes:
    """A part of a file."""
    check = zlib.crc32(body, zlib.crc32(kind))
    return len(body).to_bytes(4, "big") + kind + body + check.to_bytes(4, "big")


def header(size: Size, kind: int = RGB) -> bytes:
    """A picture of 8 bits a channel."""
    return chunk(b"IHDR", _HEADER.pack(*size, 8, kind, 0, 0, 0))


def compressed(size: Size, pieces: Iterable[bytes], level: int = LEVEL) -> Iterator[bytes]:
    """The rows of a picture as PNG has them, in pieces.

    Every row is kept as differences to the pixel before it, which compresses as well as the more
    elaborate choices do on smooth pictures, and needs no other row.
    """
    length = 3 * size[0]
    ones = int.from_bytes(b"\x01" * length, "little")
    high, every = 0x80 * ones, 0xFF * ones
    squeeze = zlib.compressobj(level)
    for piece in pieces:
        for at in range(0, len(piece), length):
            row = int.from_bytes(piece[at : at + length], "little")
            before = row << 24 & every
            # All bytes are subtracted at once: borrows stop at the high bits, which are set.
            sub = ((row | high) - (before & ~high)) ^ ((row ^ ~before) & high)
            yield squeeze.compress(bytes([SUB]) + sub.to_bytes(length, "little"))
    yield squeeze.flush()


def gathered(parts: Iterable[bytes], size: int = PIECE) -> Iterator[bytes]:
    """The same bytes in fewer pieces."""
    kept = bytearray()
    for part in parts:
        kept += part
        if len(kept) >= size:
            yield bytes(kept)
            kept.clear()
    if kept:
        yield bytes(kept)


def write(file: IO[bytes], size: Size, pieces: Iterable[bytes], level: int = LEVEL) -> None:
    """A complete file of rows of red, green and blue, in pieces of some rows each."""
    file.write(SIGNATURE + header(size))
    for part in gathered(compressed(size, pieces, level)):
        file.write(chunk(b"IDAT", part))
    file.write(chunk(b"IEND", b""))


def png_of(size: Size, pixels: bytes, level: int = LEVEL) -> bytes:
    """The same, as bytes."""
    parts = gathered(compressed(size, (pixels,), level))
    data = b"".join(chunk(b"IDAT", part) for part in parts)
    return SIGNATURE + header(size) + data + chunk(b"IEND", b"")
