"""Pictures as boards: PNG by our own reader, other kinds through Pillow."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

from ...core.errors import SourceError
from ...core.images import png, reading
from ...core.images.reading import NoPicture, reason
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

_BITS = [bytes([0] + [64] * 254 + [bit]) for bit in (1, 2, 4)]
"""A channel as a bit if it is full, as nothing if it is empty, and as 64 if it is neither: the sum
of three is a number from 0 to 7 for the eight pure colours, and 64 or more for every other."""


def _letters(known: dict[int, str]) -> bytes:
    """A letter for each sum of such channels."""
    return bytes(ord(known.get(total, OTHER)) for total in range(256))


_COLOUR_LETTERS = _letters(
    {sum(bit for bit, full in zip((1, 2, 4), colour, strict=True) if full): letter
     for letter, colour in COLOURS.items()}
)  # fmt: skip
_GREYS = _letters({0: "#", 2: "."})

PIECE = 1 << 14
"""Pixels that become letters at once."""
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
        if source.startswith(png.SIGNATURE):
            picture = reading.open_png(source)
            return BoardPlane(picture.size[0], _cells_of_png(picture), ord(".")), ()
        image = reading.read_picture(source)
    except NoPicture as error:
        raise SourceError(
            f"{error}; BMProg programs are PNG, BMP, GIF or other image files"
        ) from None
    notes = _warnings(image, source)
    return BoardPlane(image.width, _cells(image), ord(".")), notes


def _cells_of_png(picture: png.Png) -> bytes:
    """One letter per pixel, row by row."""
    width, height = picture.size
    letters_of = _letters_of(picture)
    if not picture.interlaced:
        return b"".join(letters_of(row.samples) for row in picture.rows())
    found = bytearray(width * height)
    for row in picture.rows():
        begin = row.y * width
        left, _, right = row.columns.start, row.columns.stop, row.columns.step
        found[begin + left : begin + width : right] = letters_of(row.samples)
    return bytes(found)


def _letters_of(picture: png.Png) -> Callable[[bytes], bytes]:
    """What makes letters of the samples of a row; alpha is not looked at, and of 16 bits those of
    grey alone count to the last."""
    step = png.CHANNELS[picture.kind]
    if picture.kind == png.PALETTE:
        known = {bytes(colour): ord(letter) for letter, colour in COLOURS.items()}
        colours = picture.palette.ljust(3 * 256, b"\0")  # numbers behind its end are black
        table = bytes(known.get(colours[i : i + 3], ord(OTHER)) for i in range(0, 3 * 256, 3))
        return lambda row: row.translate(table)
    if picture.kind == png.GREY and picture.depth == 16:
        low, high = bytes([0] + [64] * 254 + [1]), _BITS[0]
        return lambda row: _added([row[::2].translate(high), row[1::2].translate(low)], _GREYS)
    if picture.kind in (png.GREY, png.GREY_ALPHA):
        white = (1 << min(picture.depth, 8)) - 1
        table = bytes(ord({0: "#", white: "."}.get(grey, OTHER)) for grey in range(256))
        return lambda row: row[:: step * max(picture.depth // 8, 1)].translate(table)
    wide = picture.depth // 8
    starts = [wide * channel for channel in range(3)]
    return lambda row: _added(
        [row[at :: step * wide].translate(bits) for at, bits in zip(starts, _BITS, strict=True)],
        _COLOUR_LETTERS,
    )


def _added(channels: list[bytes], letters: bytes) -> bytes:
    """Add rows of small numbers, all at once, and write each sum as a letter."""
    total = sum(int.from_bytes(channel, "little") for channel in channels)
    return total.to_bytes(len(channels[0]), "little").translate(letters)


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
    """One letter per pixel. Alpha, if there is any, is not looked at; grey with 16 bits comes as
    numbers of four bytes."""
    try:
        if image.mode.startswith("I"):
            pixels, letters = image.convert("I").tobytes(), _GREYS
            low, high = bytes([0] + [64] * 254 + [1]), bytes([0] + [64] * 255)
            tables = [low, low, high, high][:: 1 if sys.byteorder == "little" else -1]
        else:
            if image.mode not in ("RGB", "RGBA", "RGBX"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # transparency is left out on purpose
                    image = image.convert("RGB")
            pixels, letters, tables = image.tobytes(), _COLOUR_LETTERS, _BITS
    except Exception as error:
        raise SourceError(
            f"the picture's colours cannot be read as RGB ({reason(error)})"
        ) from None
    step = len(pixels) // (image.width * image.height)
    pieces = (pixels[at : at + PIECE * step] for at in range(0, len(pixels), PIECE * step))
    return b"".join(
        _added([piece[at::step].translate(table) for at, table in enumerate(tables)], letters)
        for piece in pieces
    )
