"""PNG pictures, animated ones and numbered sequences, compressed row by row."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from fractions import Fraction
from typing import IO, Any

from ...core.errors import OptionError, PlanewalkError
from ...core.images import png
from ...core.images.png import (
    AS_IT_IS,
    RGB,
    RGBA,
    SIGNATURE,
    Size,
    chunk,
    compressed,
    gathered,
    header,
)
from ...core.images.reading import size_in_header
from ..draft import cannot_write
from .base import Bands, ChangedPart, DraftWriter, FilmWriter, pieces, write_all

HEADER = 33
"""Bytes up to the end of the chunk that has the size."""

PATTERN = re.compile(r"%0?\d{0,2}d")
"""The place of the number in the name of a sequence: `frame-%04d.png`. It has at most 99 digits."""


def compressed_part(image: Any) -> Iterator[bytes]:
    """The rows of a picture that is transparent for the most part; these need no filter."""
    squeeze = zlib.compressobj(png.LEVEL)
    length, pixels = 4 * image.width, image.tobytes()
    for at in range(0, len(pixels), length):
        yield squeeze.compress(bytes([AS_IT_IS]) + pixels[at : at + length])
    yield squeeze.flush()


def write_png(file: IO[bytes], size: Size, frame: Bands) -> None:
    png.write(file, size, pieces(frame))


class PngWriter(DraftWriter):
    """One picture."""

    def begin(self) -> None:
        """Nothing: `write` writes a complete file."""

    def write(self, frame: Bands) -> None:
        write_png(self.file, self.size, frame)

    def finish(self) -> None:
        """Nothing: `write` writes a complete file."""


class ApngWriter(FilmWriter):
    """An animated PNG: a PNG with further frames in it, which old programs do not see."""

    ending = chunk(b"IEND", b"")

    def __init__(self, path: str, size: Size, fps: Fraction, **more: Any) -> None:
        self.sequence = 0
        self.control = b""
        """The control chunk of the last frame, without its duration."""
        super().__init__(path, size, said_rate(fps), **more)

    def begin(self) -> None:
        self.file.write(SIGNATURE + header(self.size, RGBA if self.steady else RGB))
        self.count_at = self.file.tell()
        self.file.write(self._counted())

    def _counted(self) -> bytes:
        """The chunk with the number of frames; rewritten at the end."""
        return chunk(b"acTL", self.frames.to_bytes(4, "big") + bytes(4))

    def _controlled(self, shown: Fraction) -> bytes:
        parts = shown.numerator.to_bytes(2, "big") + shown.denominator.to_bytes(2, "big")
        return chunk(b"fcTL", self.control + parts + bytes([0, self.steady]))

    def _next(self) -> bytes:
        self.sequence += 1
        return (self.sequence - 1).to_bytes(4, "big")

    def write_whole(self, frame: Bands) -> None:
        self._write(self.size, (0, 0), compressed(self.size, pieces(frame)))

    def write_part(self, part: ChangedPart) -> None:
        self._write(part.image.size, (part.x, part.y), compressed_part(part.image))

    def _write(self, size: Size, place: Size, rows: Iterator[bytes]) -> None:
        self.control = self._next() + b"".join(n.to_bytes(4, "big") for n in (*size, *place))
        self.file.write(self._controlled(1 / self.fps))
        for part in gathered(rows):
            if self.frames == 0:
                self.file.write(chunk(b"IDAT", part))
            else:
                self.file.write(chunk(b"fdAT", self._next() + part))

    def finish(self) -> None:
        self.file.write(self.ending)
        self.file.seek(self.count_at)
        self.file.write(self._counted())
        if self.frames:
            self.file.seek(self.last_at)
            self.file.write(self._controlled(max(1 / self.fps, Fraction(self.hold))))


def said_rate(fps: Fraction) -> Fraction:
    """The rate as animated PNG can say it: a fraction of numbers of two bytes."""
    if max(fps.numerator, fps.denominator) > 0xFFFF:
        fps = fps.limit_denominator(0xFFFF)
    if fps.numerator > 0xFFFF:
        raise OptionError(f"animated PNG files cannot show {float(fps):g} frames a second")
    return fps


class SequenceWriter:
    """One PNG file for each frame, numbered from 0; `frames` is the number of the next."""

    def __init__(self, path: str, size: Size) -> None:
        self.path = path
        self.size = size
        self.frames = 0
        if not os.path.isdir(os.path.dirname(path) or "."):
            raise cannot_write(path, FileNotFoundError(2, "No such file or directory"))

    def add(self, frame: Bands) -> None:
        write_all(PngWriter(numbered(self.path, self.frames), self.size), [frame])
        self.frames += 1

    def flush(self) -> None:
        """Every frame is complete already."""

    def close(self) -> None:
        """Every frame is complete already."""

    def abandon(self) -> None:
        """Every frame is complete already, and stays."""


def numbered(path: str, number: int) -> str:
    return PATTERN.sub(lambda found: found[0] % number, path)


def is_sequence(path: str) -> bool:
    """Whether a name stands for many: exactly one number in it."""
    return len(PATTERN.findall(os.path.basename(path))) == 1


def is_done(path: str, size: Size) -> bool:
    """Whether a frame is there and whole; one of another size is refused."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            there = size_in_header(file.read(HEADER))
            file.seek(len(SIGNATURE))
            whole = there == size and _is_whole(file)
    except OSError as error:
        raise PlanewalkError(f"--resume: {path!r} cannot be read: {error.strerror}") from None
    if there is not None and there != size:
        raise OptionError(
            f"--resume: {path!r} has {there[0]} x {there[1]} pixels, not {size[0]} x {size[1]}; "
            "render at that size, or begin again without --resume"
        )
    return whole


def _is_whole(file: IO[bytes]) -> bool:
    """Whether every chunk from here on is as it was written, to the last; nothing is unpacked."""
    while True:
        start = file.read(8)
        left, check = int.from_bytes(start[:4], "big"), zlib.crc32(start[4:])
        while left > 0 and (piece := file.read(min(left, 1 << 16))):
            left -= len(piece)
            check = zlib.crc32(piece, check)
        if left or file.read(4) != check.to_bytes(4, "big"):
            return False
        if start[4:] == b"IEND":
            return True
