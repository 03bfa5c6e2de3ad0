"""Pictures as boards and boards as pictures, through Pillow."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

from ...core import pictures
from ...core.errors import SourceError
from ...core.pictures import NoPicture, reason
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

LOSSY = {"JPEG", "JPEG2000", "MPO", "WEBP", "AVIF"}


def is_picture(source: bytes) -> bool:
    """Whether the file begins as images do."""
    return any(
        source.startswith(start) and source[at : at + len(mark)] == mark
        for start, at, mark in STARTS
    )


def read_picture(source: bytes) -> tuple[BoardPlane, tuple[str, ...]]:
    """The board a picture draws, and what its reader should be warned of."""
    if not source:
        raise SourceError("the file is empty; a BMProg program is a picture of at least one pixel")
    try:
        image = pictures.read_picture(source)
    except NoPicture as error:
        raise SourceError(
            f"{error}; BMProg programs are PNG, BMP, GIF or other image files"
        ) from None
    notes = _warnings(image, source)
    return BoardPlane(image.width, _cells(image), ord(".")), notes


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
            f"the picture's colours cannot be read as RGB ({reason(error)})"
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
