"""What every writer promises, and what writers of one file have in common."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Protocol

from ...core.errors import OptionError
from ..draft import Draft, cannot_write

Bands = bytes | Iterable[bytes]
"""A frame: all of its rows of red, green and blue, or pieces of some rows each, from the top."""

Size = tuple[int, int]


class Writer(Protocol):
    """Takes frames, all of one size, one after the other.

    `add` takes a frame whole or not at all: when it raises, the frames before it are still good,
    and `close` makes a file of them. `abandon` leaves nothing under the final name.
    """

    frames: int
    """How many there are so far."""

    def add(self, frame: Bands) -> None: ...

    def close(self) -> None: ...

    def abandon(self) -> None: ...


def joined(frame: Bands) -> bytes:
    """All rows of a frame in one piece."""
    return frame if isinstance(frame, bytes) else b"".join(frame)


def pieces(frame: Bands) -> Iterable[bytes]:
    """A frame as pieces, even if there is only one."""
    return (frame,) if isinstance(frame, bytes) else frame


def check_side(size: Size, most: int, what: str) -> None:
    """Refuse pictures that a format cannot hold."""
    if max(size) > most:
        raise OptionError(
            f"{what} files hold at most {most:,} pixels a side, not {size[0]} x {size[1]}; "
            "a numbered sequence (frame-%04d.png) holds any size"
        )


def delay(frame: int, fps: Fraction, unit: int) -> int:
    """How long a frame is shown, in parts of a second.

    It is the difference of two rounded moments, so that errors do not add up in long films.
    """
    return round(Fraction(unit * (frame + 1)) / fps) - round(Fraction(unit * frame) / fps)


class DraftWriter:
    """A writer of one file: keeps its frames whole, whatever happens while one is added."""

    def __init__(self, path: str, size: Size, fps: Fraction) -> None:
        self.size = size
        self.fps = fps
        self.frames = 0
        self.draft = Draft(path)
        self.file = self.draft.file

    def add(self, frame: Bands) -> None:
        began = self.file.tell()
        try:
            self.write(frame)
            self.frames += 1
        except BaseException as error:
            self.file.seek(began)
            self.file.truncate()
            if isinstance(error, OSError):
                raise cannot_write(self.draft.path, error) from None
            raise

    def close(self) -> None:
        try:
            self.finish()
        except OSError as error:
            self.draft.discard()
            raise cannot_write(self.draft.path, error) from None
        self.draft.publish()

    def abandon(self) -> None:
        self.draft.discard()

    def write(self, frame: Bands) -> None:
        """Put one more frame at the end of the file."""
        raise NotImplementedError

    def finish(self) -> None:
        """Put after the frames what makes the file complete."""
