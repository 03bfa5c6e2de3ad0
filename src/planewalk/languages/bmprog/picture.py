"""Pictures as boards and boards as pictures, through Pillow."""

from __future__ import annotations

import io
import warnings
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

LOSSY = {"JPEG", "JPEG2000", "MPO", "WEBP", "AVIF"}
BYTES_PER_PIXEL = 16
"""Measured peak while a picture is read."""


def read_picture(source: bytes) -> tuple[BoardPlane, tuple[str, ...]]:
    """The board a picture draws, and what its reader should be warned of."""
    image = _open(source)
    width, height = image.size
    if width * height * BYTES_PER_PIXEL > DEFAULT_MEMORY:
        most = DEFAULT_MEMORY // BYTES_PER_PIXEL
        raise SourceError(
            f"the picture has {width:,} x {height:,} pixels; boards have at most {most:,} cells"
        )
    if not width * height:
        raise SourceError("the picture has no pixels")
    notes: tuple[str, ...] = ()
    if image.format in LOSSY and not _lossless(source):
        notes = (
            f"{image.format} is lossy, so colours are probably no longer exact; use PNG or BMP",
        )
    return BoardPlane(width, _cells(_load(image)), ord(".")), notes


def _open(source: bytes) -> Any:
    from PIL import Image

    if not source:
        raise SourceError("the file is empty; a BMProg program is a picture of at least one pixel")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # sizes are checked by us, with our own message
            return Image.open(io.BytesIO(source))
    except Image.DecompressionBombError:
        raise SourceError("the picture has far more pixels than a board can have") from None
    except Exception as error:
        raise SourceError(
            f"this is not a picture that can be read ({_reason(error)}); "
            "BMProg programs are PNG, BMP, GIF or other image files"
        ) from None


def _reason(error: Exception) -> str:
    from PIL import UnidentifiedImageError

    if isinstance(error, UnidentifiedImageError):
        return "unknown image format"
    return str(error).rstrip(".") or type(error).__name__


def _lossless(source: bytes) -> bool:
    """Whether a WebP file says that it keeps every pixel."""
    return source[8:16] == b"WEBPVP8L"


def _load(image: Any) -> Any:
    """Decode the first frame: grey of 16 bits as numbers, everything else as RGB without alpha."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image.load()
            return image.convert("I" if image.mode.startswith("I") else "RGB")
    except Exception as error:
        raise SourceError(f"the picture is damaged ({_reason(error)})") from None


def _cells(image: Any) -> bytes:
    """One letter per pixel, by whole-picture operations: no loop over pixels in Python."""
    pixels = image.tobytes()
    return _cells_of_grey(pixels) if image.mode == "I" else _cells_of_rgb(pixels)


def _cells_of_grey(pixels: bytes) -> bytes:
    """Four bytes a pixel, of which 16-bit pictures use two: 0 is black, 65535 white."""
    low, high, *rest = (int.from_bytes(pixels[i::4], "little") for i in range(4))
    count = len(pixels) // 4
    dark = (low | high | rest[0] | rest[1]).to_bytes(count, "little")
    bright = (low & high).to_bytes(count, "little")
    void, empty, other = ord("#"), ord("."), ord(OTHER)
    marks = dark.translate(bytes([void]) + bytes([0]) * 255)
    lights = bright.translate(bytes([0]) * 255 + bytes([empty]))
    marked = int.from_bytes(marks, "little") | int.from_bytes(lights, "little")
    return marked.to_bytes(count, "little").replace(b"\0", bytes([other]))


def _cells_of_rgb(pixels: bytes) -> bytes:
    """Each channel becomes a bit (full), nothing (empty) or 8 (neither).

    The three together then are a number from 0 to 7 for the eight pure colours, and 8 or more
    for every other.
    """
    total = 0
    for channel, bit in enumerate((1, 2, 4)):
        digits = bytes([0]) + bytes([8]) * 254 + bytes([bit])
        total |= int.from_bytes(pixels[channel::3].translate(digits), "little")
    letters = bytearray(OTHER.encode() * 256)
    for letter, (red, green, blue) in COLOURS.items():
        letters[red // 255 + green // 255 * 2 + blue // 255 * 4] = ord(letter)
    return total.to_bytes(len(pixels) // 3, "little").translate(bytes(letters))
