"""Animated WebP without loss, written frame by frame; Pillow packs each of them."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

from ...core.errors import OptionError, PlanewalkError
from .base import ChangedPart, FilmWriter, Size, check_side, delay

ANIMATED, ALPHA = 0x02, 0x10
NO_BLENDING = 0x02
UNIT = 1000
SHOWN_AT = 20
"""Offset of the duration in the chunk of a frame."""


def chunk(kind: bytes, body: bytes) -> bytes:
    return kind + len(body).to_bytes(4, "little") + body + bytes(len(body) & 1)


class WebpWriter(FilmWriter):
    """A RIFF file of frames that are lossless WebP pictures each."""

    def __init__(self, path: str, size: Size, fps: Fraction, **more: Any) -> None:
        check_side(size, 16383, "WebP")
        super().__init__(path, size, fps, **more)

    def begin(self) -> None:
        flags = ANIMATED | ALPHA if self.steady else ANIMATED
        self.file.write(b"RIFF\0\0\0\0WEBP")
        self.file.write(chunk(b"VP8X", bytes([flags, 0, 0, 0]) + _sides(self.size)))
        self.file.write(chunk(b"ANIM", bytes(6)))

    def write_part(self, part: ChangedPart) -> None:
        file = io.BytesIO()
        part.image.save(file, format="WEBP", lossless=True, quality=50)
        picture = file.getvalue()[12:]  # without the RIFF around it
        place = _triples(part.x // 2, part.y // 2) + _sides(part.image.size)
        shown = _triples(delay(self.frames, self.fps, UNIT))
        blending = bytes([0 if self.steady else NO_BLENDING])
        self.file.write(chunk(b"ANMF", place + shown + blending + picture))

    def finish(self) -> None:
        length = self.file.tell()
        self.file.seek(4)
        self.file.write((length - 8).to_bytes(4, "little"))
        if self.frames:
            self.file.seek(self.last_at + SHOWN_AT)
            self.file.write(_triples(self.held(UNIT)))


def check_webp(fps: Fraction) -> None:
    """Refuse rates that WebP cannot say, and a Pillow without it."""
    if fps > 1000:
        raise OptionError(f"WebP files show at most 1000 frames a second, not {float(fps):g}")
    from PIL import features

    if not features.check("webp"):
        raise PlanewalkError("this Pillow cannot write WebP files; pip install -U pillow")


def _triples(*numbers: int) -> bytes:
    """Numbers of three bytes each."""
    return b"".join(number.to_bytes(3, "little") for number in numbers)


def _sides(size: Size) -> bytes:
    width, height = size
    return _triples(width - 1, height - 1)
