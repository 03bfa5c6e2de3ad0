"""Pictures that anybody may have made: one rule for reading all of them.

Only the formats named here are tried, whatever a file is called: for others Pillow may start
programs, such as Ghostscript. The size is looked at before anything is decoded, and what decoding
takes must fit into the memory that is allowed.
"""

from __future__ import annotations

import io
import struct
import warnings
from typing import Any

from ..errors import SourceError
from ..limits import allowance, show_size
from . import png

FORMATS = (
    "PNG", "BMP", "GIF", "JPEG", "JPEG2000", "WEBP", "AVIF", "TIFF", "QOI", "PPM", "TGA", "PCX",
    "SGI",
)  # fmt: skip

SIMPLE = ("PNG", "BMP", "GIF")  # formats that take little memory, and whose headers tell their size
BYTES_PER_PIXEL = {True: 15, False: 25}
"""Measured peak while a picture is read, in a simple format or not: 8 to 10 for those, 12 for grey
with alpha, 14 for grey of 16 bits; 17 for WebP, and 25 for JPEG 2000."""
BYTES_PER_ROW = 100
"""The same for a row, however short: measured on pictures of 1, 2 and 8 pixels a row."""

_BMP_HEADERS = [bytes([length, 0, 0, 0]) for length in (40, 52, 56, 64, 108, 124)]
"""Lengths of the headers in which sizes have four bytes, as they stand in the file."""
_TIFF_TILES = (322, 323)
"""The tags with width and length of tiles, which may be larger than the picture."""


class NoPicture(SourceError):
    """The file is of no kind that is read."""


def open_png(source: bytes, room: int | None = None) -> png.Png:
    """A PNG picture that is known by its header, and may be decoded within so much memory. It
    takes no Pillow."""
    room = allowance() if room is None else room
    claimed = size_in_header(source)
    if claimed is not None:
        _check_size(claimed, room, True)
    try:
        found = png.opened(source)
    except png.NoPng as error:
        raise _unreadable(str(error), claimed) from None
    _check_size(found.size, room, True)
    return found


def _unreadable(said: str, claimed: tuple[int, int] | None) -> NoPicture:
    if claimed is not None and 0 in claimed:
        said = "its size is {} x {} pixels".format(*claimed)
    return NoPicture(f"this is not a picture that can be read ({said})")


def read_picture(source: bytes, room: int | None = None) -> Any:
    """The first frame of a picture as Pillow has it, decoded within so much memory."""
    room = allowance() if room is None else room
    image = _open(source, room)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image.load()
    except Exception as error:
        raise SourceError(f"the picture is damaged ({reason(error)})") from None
    return image


def needed(size: tuple[int, int], simple: bool = True) -> int:
    """How much memory reading a picture of that size takes at most."""
    return BYTES_PER_PIXEL[simple] * size[0] * size[1] + BYTES_PER_ROW * size[1]


def reason(error: Exception) -> str:
    """What Pillow has against a picture, for the end of a line."""
    from PIL import UnidentifiedImageError

    if isinstance(error, UnidentifiedImageError):
        return "unknown image format"
    return str(error).rstrip(".") or type(error).__name__


def _open(source: bytes, room: int) -> Any:
    """The picture, known by its header; its pixels are not decoded yet."""
    try:
        from PIL import Image
    except ImportError:
        raise NoPicture(
            "this picture is not a PNG, and other kinds need Pillow, which is not there"
        ) from None
    claimed, simple = size_in_header(source), not source.startswith(b"RIFF")
    if claimed is not None:
        _check_size(claimed, room, simple)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # sizes are checked by us, with our own message
            image = _opened(source, claimed is not None and simple)
    except Image.DecompressionBombError:
        raise SourceError("the picture has far more pixels than can be read") from None
    except Exception as error:
        raise _unreadable(reason(error), claimed) from None
    _check_size(image.size, room, image.format in SIMPLE)
    tile = [getattr(image, "tag_v2", {}).get(tag, 0) for tag in _TIFF_TILES]
    _check_size((tile[0], tile[1]), room, False)
    return image


def _opened(source: bytes, any_size: bool) -> Any:
    """What Pillow makes of a header. It refuses large pictures, however much memory there is;
    those whose size was looked at by us are of any size."""
    from PIL import Image

    try:
        return Image.open(io.BytesIO(source), formats=FORMATS)
    except Image.DecompressionBombError:
        if not any_size:
            raise
        kind = {b"\x89": "PNG", b"G": "GIF", b"B": "BMP"}[source[:1]]
        return Image.OPEN[kind][0](io.BytesIO(source), "")


def _check_size(size: tuple[int, int], room: int, simple: bool) -> None:
    if needed(size, simple) > room:
        across, down = size
        raise SourceError(
            f"the picture has {across:,} x {down:,} pixels; reading it takes up to "
            f"{show_size(needed(size, simple))}, and {show_size(room)} is allowed (max_memory=...)"
        )


def size_in_header(source: bytes) -> tuple[int, int] | None:
    """The size that a PNG, GIF, BMP or WebP file claims to have, else nothing.

    Pillow gives up on pictures without pixels and on gigantic ones before it tells their size, and
    takes memory for WebP pictures as soon as they are opened.
    """
    try:
        if source.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"):
            return struct.unpack_from(">II", source, 16)
        if source.startswith((b"GIF87a", b"GIF89a")):
            return struct.unpack_from("<HH", source, 6)
        if source.startswith(b"BM") and source[14:18] in _BMP_HEADERS:
            width, height = struct.unpack_from("<ii", source, 18)
            return abs(width), abs(height)  # a BMP whose rows go downwards has a negative height
        if source.startswith(b"RIFF") and source[8:16] == b"WEBPVP8X":
            sides = source[24:30].ljust(6, b"\0")
            width, height = (int.from_bytes(side, "little") for side in (sides[:3], sides[3:]))
            return width + 1, height + 1
    except struct.error:  # it ends before that
        pass
    return None
