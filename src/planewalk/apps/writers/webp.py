"""Animated WebP without loss, written frame by frame; Pillow packs each of them."""

from __future__ import annotations

import io
from fractions import Fraction

from ...core.errors import OptionError, PlanewalkError
from .base import Bands, DraftWriter, Size, check_side, delay, joined

ANIMATED = 0x02
NO_BLENDING = 0x02


def chunk(kind: bytes, body: bytes) -> bytes:
    return kind + len(body).to_bytes(4, "little") + body + bytes(len(body) & 1)


class WebpWriter(DraftWriter):
    """A RIFF file of frames that are lossless WebP pictures each."""

    def __init__(self, path: str, size: Size, fps: Fraction) -> None:
        check_side(size, 16383, "WebP")
        if fps > 1000:
            raise OptionError(f"WebP files show at most 1000 frames a second, not {float(fps):g}")
        from PIL import features

        if not features.check("webp"):
            raise PlanewalkError("this Pillow cannot write WebP files; pip install -U pillow")
        super().__init__(path, size, fps)
        self.file.write(b"RIFF\0\0\0\0WEBP")
        self.file.write(chunk(b"VP8X", bytes([ANIMATED, 0, 0, 0]) + self._sides()))
        self.file.write(chunk(b"ANIM", bytes(6)))

    def _sides(self) -> bytes:
        return b"".join((side - 1).to_bytes(3, "little") for side in self.size)

    def write(self, frame: Bands) -> None:
        from PIL import Image

        file = io.BytesIO()
        image = Image.frombytes("RGB", self.size, joined(frame))
        image.save(file, format="WEBP", lossless=True, quality=50)
        picture = file.getvalue()[12:]  # without the RIFF around it
        shown = delay(self.frames, self.fps, 1000).to_bytes(3, "little")
        place = bytes(6) + self._sides() + shown + bytes([NO_BLENDING])
        self.file.write(chunk(b"ANMF", place + picture))

    def finish(self) -> None:
        length = self.file.tell()
        self.file.seek(4)
        self.file.write((length - 8).to_bytes(4, "little"))
