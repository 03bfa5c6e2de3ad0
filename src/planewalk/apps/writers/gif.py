"""Animated GIF, written frame by frame; Pillow chooses the colours and packs the pixels."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

from ...core.errors import OptionError
from .base import Bands, DraftWriter, Size, check_side, delay, joined

FASTEST = 50
"""Frames a second; programs that show GIF slow faster ones down to a crawl."""
COLOURS = 256
LOOP = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
END = b"\x3b"


class GifWriter(DraftWriter):
    """Every frame has up to 256 colours of its own; with no more than that it is exact."""

    def __init__(self, path: str, size: Size, fps: Fraction) -> None:
        check_side(size, 0xFFFF, "GIF")
        if fps > FASTEST:
            raise OptionError(
                f"GIF files show at most {FASTEST} frames a second, not {float(fps):g}; "
                "write .webp, .apng or .mp4"
            )
        super().__init__(path, size, fps)
        sides = b"".join(side.to_bytes(2, "little") for side in size)
        self.file.write(b"GIF89a" + sides + b"\0\0\0" + LOOP)

    def write(self, frame: Bands) -> None:
        table, packed = _take_apart(_as_gif(_with_few_colours(self.size, joined(frame))))
        shown = delay(self.frames, self.fps, 100).to_bytes(2, "little")
        bits = (len(table) // 3).bit_length() - 2
        sides = b"".join(side.to_bytes(2, "little") for side in self.size)
        self.file.write(b"\x21\xf9\x04\0" + shown + b"\0\0")
        self.file.write(b"\x2c" + bytes(4) + sides + bytes([0x80 | bits]) + table + packed)

    def finish(self) -> None:
        self.file.write(END)


def _with_few_colours(size: Size, frame: bytes) -> Any:
    """The frame as a picture of at most 256 colours: its own, or the best that stand for them."""
    from PIL import Image

    image = Image.frombytes("RGB", size, frame)
    found: Any = image.getcolors(COLOURS)
    if found is None:
        return image.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG)
    colours = sorted(colour for _, colour in found)
    numbers = {colour: number for number, colour in enumerate(colours)}
    dots = zip(frame[0::3], frame[1::3], frame[2::3], strict=True)
    exact = Image.frombytes("P", size, bytes(map(numbers.__getitem__, dots)))
    exact.putpalette(b"".join(map(bytes, colours)))
    return exact


def _as_gif(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, format="GIF", interlace=0, optimize=False)
    return file.getvalue()


def _take_apart(gif: bytes) -> tuple[bytes, bytes]:
    """The colour table and the packed pixels of a GIF with one frame."""
    flags, at = gif[10], 13
    table = b""
    if flags & 0x80:
        length = 3 << (flags & 7) + 1
        table, at = gif[at : at + length], at + length
    while gif[at] == 0x21:  # what stands before the picture
        at = _after_blocks(gif, at + 2)
    flags, at = gif[at + 9], at + 10
    if flags & 0x80:
        length = 3 << (flags & 7) + 1
        table, at = gif[at : at + length], at + length
    return table, gif[at : _after_blocks(gif, at + 1)]


def _after_blocks(gif: bytes, at: int) -> int:
    """Where a chain of blocks ends: each begins with its length, and the last has none."""
    while gif[at]:
        at += gif[at] + 1
    return at + 1
