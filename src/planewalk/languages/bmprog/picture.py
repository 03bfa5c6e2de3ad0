"""Pictures as boards and boards as pictures, through Pillow."""

from __future__ import annotations

import io
import struct
import sys
import warnings
from collections.abc import Iterator
from math import prod
from typing import Any

from ...core.errors import SourceError
from ...core.limits import DEFAULT_MEMORY
from ...core.plane import BoardPlane

COLOURS: dict[str, tuple[int, int, int]] = {
    "^": (255, 0, 0),
    "<": (0, 255, 0),
    ">": (0, 0, 255),
    "v": (255, 0, 255),
    "*": (0, 255, 255),
    "#": (0, 0, 0),
    ":": (255, 255, 0),
    ".": (255, 255, 255),
}
OTHER = "?"
OTHER_COLOUR = (128, 128, 128)

STARTS: tuple[tuple[bytes, int, bytes], ...] = (
    (b"\x89PNG\r\n\x1a\n", 0, b""),
    (b"GIF8", 0, b""),
    (b"BM", 6, b"\0\0\0\0"),
    (b"\xff\xd8\xff", 0, b""),
    (b"RIFF", 8, b"WEBP"),
    (b"II*\0", 0, b""),
    (b"MM\0*", 0, b""),
    (b"qoif", 0, b""),
)
"""How image files begin: a start, and what must stand at a place behind it."""

_BMP_HEADERS = [bytes([length, 0, 0, 0]) for length in (40, 52, 56, 64, 108, 124)]
"""Lengths of the headers in which sizes have four bytes, as they stand in the file."""

LOSSY = {"JPEG", "JPEG2000", "MPO", "WEBP", "AVIF"}
BYTES_PER_PIXEL = 25
"""Measured peak while a picture is read: 8 or 9 for PNG, BMP and GIF, 14 for grey of 16 bits, 17
for WebP, and this for JPEG 2000."""


def is_picture(source: bytes) -> bool:
    """Whether the file begins as images do."""
    return any(
        source.startswith(start) and source[at : at + len(mark)] == mark
        for start, at, mark in STARTS
    )


def read_picture(source: bytes) -> tuple[BoardPlane, tuple[str, ...]]:
    """The board a picture draws, and what its reader should be warned of."""
    image = _open(source)
    notes = _warnings(image, source)
    _load(image)
    return BoardPlane(image.width, _cells(image), ord(".")), notes


def _open(source: bytes) -> Any:
    """The picture, known by its header; its pixels are not decoded yet."""
    from PIL import Image

    if not source:
        raise SourceError("the file is empty; a BMProg program is a picture of at least one pixel")
    claimed = _size_in_header(source)
    _check_size(claimed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # sizes are checked by us, with our own message
            image = Image.open(io.BytesIO(source))
    except Image.DecompressionBombError:
        raise SourceError("the picture has far more pixels than a board can have") from None
    except Exception as error:
        reason = _reason(error)
        if 0 in claimed:
            reason = "its size is {} x {} pixels".format(*claimed)
        raise SourceError(
            f"this is not a picture that can be read ({reason}); "
            "BMProg programs are PNG, BMP, GIF or other image files"
        ) from None
    _check_size(image.size)
    return image


def _size_in_header(source: bytes) -> tuple[int, ...]:
    """The size a PNG, GIF or BMP file claims to have, else nothing.

    Pillow gives up on pictures without pixels and on gigantic ones before it tells their size.
    """
    if source.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"):
        at, form = 16, ">II"
    elif source.startswith((b"GIF87a", b"GIF89a")):
        at, form = 6, "<HH"
    elif source.startswith(b"BM") and source[14:18] in _BMP_HEADERS:
        at, form = 18, "<ii"
    else:
        return ()
    if len(source) < at + struct.calcsize(form):
        return ()
    # A BMP whose rows go downwards has a negative height.
    return tuple(map(abs, struct.unpack_from(form, source, at)))


def _check_size(size: tuple[int, ...]) -> None:
    if prod(size) * BYTES_PER_PIXEL > DEFAULT_MEMORY:
        most = DEFAULT_MEMORY // BYTES_PER_PIXEL
        across, down = size
        raise SourceError(
            f"the picture has {across:,} x {down:,} pixels; boards have at most {most:,} cells"
        )


def _load(image: Any) -> None:
    """Decode the first frame."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image.load()
    except Exception as error:
        raise SourceError(f"the picture is damaged ({_reason(error)})") from None


def _reason(error: Exception) -> str:
    from PIL import UnidentifiedImageError

    if isinstance(error, UnidentifiedImageError):
        return "unknown image format"
    return str(error).rstrip(".") or type(error).__name__


def _warnings(image: Any, source: bytes) -> tuple[str, ...]:
    kind = str(image.format)
    if kind == "TIFF" and "jpeg" in str(image.info.get("compression")):
        kind = "TIFF with JPEG compression"
    elif kind not in LOSSY or (kind == "WEBP" and _keeps_every_pixel(source)):
        return ()
    return (f"{kind} is lossy, so colours are probably no longer exact; use PNG or BMP",)


def _keeps_every_pixel(webp: bytes) -> bool:
    """Whether the first frame of a WebP file is stored without loss."""
    at = 12  # behind RIFF, the size of the file, and WEBP
    while at + 8 <= len(webp):
        kind = webp[at : at + 4]
        if kind in (b"VP8L", b"VP8 "):
            return kind == b"VP8L"
        if kind == b"ANMF":
            at += 8 + 16  # an animated frame: look inside, behind its place and size
        else:
            size = int.from_bytes(webp[at + 4 : at + 8], "little")
            at += 8 + size + size % 2
    return False


def _cells(image: Any) -> bytes:
    """One letter per pixel, by whole-picture operations: no loop over pixels in Python."""
    try:
        if image.mode.startswith("I"):
            return _cells_of_grey(image)
        if image.mode not in ("RGB", "RGBA", "RGBX"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # transparency is left out on purpose
                image = image.convert("RGB")
    except Exception as error:
        raise SourceError(
            f"the picture's colours cannot be read as RGB ({_reason(error)})"
        ) from None
    return _cells_of_rgb(image)


def _cells_of_rgb(image: Any) -> bytes:
    """Each channel becomes a bit (full), nothing (empty) or 64 (neither).

    The three together then are a number from 0 to 7 for the eight pure colours, and 64 or more
    for every other. Alpha, if there is any, is not looked at.
    """
    letters = bytearray(OTHER.encode() * 256)
    for letter, (red, green, blue) in COLOURS.items():
        letters[red // 255 + green // 255 * 2 + blue // 255 * 4] = ord(letter)
    digits = ([0] + [64] * 254 + [bit] for bit in (1, 2, 4))
    return _sum((image.getchannel(i).point(table) for i, table in enumerate(digits)), letters)


def _cells_of_grey(image: Any) -> bytes:
    """Grey with 16 bits, as numbers of four bytes: 0 is black, 65535 white."""
    from PIL import Image

    size, pixels = image.size, image.convert("I").tobytes()
    lanes = range(4) if sys.byteorder == "little" else range(3, -1, -1)
    low, high = [0] + [64] * 254 + [1], [0] + [64] * 255
    channels = (
        Image.frombytes("L", size, pixels[lane::4]).point(table)
        for lane, table in zip(lanes, (low, low, high, high), strict=True)
    )
    letters = bytearray(OTHER.encode() * 256)
    letters[0], letters[2] = ord("#"), ord(".")
    return _sum(channels, letters)


def _sum(channels: Iterator[Any], letters: bytes | bytearray) -> bytes:
    """Add pictures of small numbers, and write each sum as a letter."""
    from PIL import ImageChops

    total = next(channels)
    for channel in channels:
        total = ImageChops.add(total, channel)
    return bytes(total.tobytes()).translate(letters)
