"""Raw frames, one after the other, for a pipe."""

from __future__ import annotations

import io
from typing import IO

from .base import Bands, Size, pieces
from .png import write_png


class RawWriter:
    """Rows of red, green and blue bytes, without anything around them."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.frames = 0

    def add(self, frame: Bands) -> None:
        for piece in pieces(frame):
            self.file.write(piece)
        self.flush()
        self.frames += 1

    def flush(self) -> None:
        self.file.flush()

    def close(self) -> None:
        self.flush()

    def abandon(self) -> None:
        """Written frames cannot be taken back."""


class PipedPng(RawWriter):
    """One picture to a pipe, as a PNG file."""

    weight = 8
    """Bytes of memory for each pixel."""

    def __init__(self, file: IO[bytes], size: Size) -> None:
        super().__init__(file)
        self.size = size

    def add(self, frame: Bands) -> None:
        whole = io.BytesIO()  # a reader gets all of it or nothing
        write_png(whole, self.size, frame)
        super().add(whole.getvalue())
