"""The protocol of writers, and the base classes of those that write one file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Protocol

from ...core.base.named import NamedTuple
from ...core.errors import OptionError
from ..draft import Draft, cannot_write

Bands = bytes | Iterable[bytes]
"""A frame: all of its rows of red, green and blue, or pieces of some rows each, from the top."""

Size = tuple[int, int]
Seconds = int | Fraction
Rate = int | float | Fraction | str


class FrameWriter(Protocol):
    """Takes frames, all of one size, one after the other.

    `add` takes a frame whole or not at all: when it raises, the frames before it are still good,
    and `close` makes a file of them. Some writers keep frames back; `flush` has them written, and
    when a full disk takes no more, `frames` says how many are good. `abandon` leaves nothing under
    the final name.
    """

    frames: int
    """How many there are so far."""

    def add(self, frame: Bands) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def abandon(self) -> None: ...


def write_all(writer: FrameWriter, frames: Iterable[Bands]) -> None:
    """Write a file of all frames, or none."""
    try:
        for frame in frames:
            writer.add(frame)
        writer.flush()
    except BaseException:
        writer.abandon()
        raise
    writer.close()


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


def read_rate(value: Rate) -> Fraction:
    """Frames a second: a number, or a fraction such as 30000/1001."""
    try:
        rate = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        rate = Fraction(0)
    if not Fraction(1, 1000) <= rate <= 1000:
        raise OptionError(f"expected frames a second, from 1/1000 to 1000, not {value!r}")
    return rate


def delay(frame: int, fps: Fraction, unit: int) -> int:
    """Duration of a frame, in parts of a second.

    It is the difference of two rounded moments, so that errors do not add up in long films.
    """
    return round(Fraction(unit * (frame + 1)) / fps) - round(Fraction(unit * frame) / fps)


class ChangedPart(NamedTuple):
    """The part of a frame that has changed, which is small in films of runs, and where it is.

    `image` has alpha: pixels that are as before are transparent, and take hardly any room.
    """

    image: Any
    x: int
    y: int


def changed_part(before: Any, image: Any) -> ChangedPart:
    """The part to lay over the frame before; the whole frame if there is none."""
    from PIL import Image, ImageChops

    if before is None:
        return ChangedPart(image.convert("RGBA"), 0, 0)
    red, green, blue = ImageChops.difference(before, image).split()
    greatest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    changed = greatest.point([0] + [255] * 255)
    left, top, right, bottom = changed.getbbox() or (0, 0, 1, 1)
    left, top = left & ~1, top & ~1  # even, because WebP knows no other places
    fresh = Image.new("RGBA", image.size)
    fresh.paste(image, mask=changed)
    return ChangedPart(fresh.crop((left, top, right, bottom)), left, top)


class DraftWriter(ABC):
    """A writer of one file; a failure while a frame is added leaves the frames before it intact."""

    ending = b""
    """The bytes after the last frame; room for them is reserved with every frame."""

    def __init__(self, path: str, size: Size) -> None:
        self.size = size
        self.frames = 0
        self.draft = Draft(path)
        self.file = self.draft.file
        self.last_at = 0
        """Where the last frame begins."""
        self.spare = 0
        """Bytes reserved after the last frame for the ending."""
        try:
            self.begin()
        except OSError as error:
            self.draft.discard()
            raise cannot_write(path, error) from None

    def add(self, frame: Bands) -> None:
        began, known = self.file.tell(), vars(self).copy()
        try:
            self.write(frame)
            self.frames += 1
            self.last_at = began
            at = self.file.tell()
            self.file.write(self.ending)
            self.file.seek(at)
            self.spare = len(self.ending)
        except BaseException as error:
            vars(self).update(known)  # as if this frame had never been
            self.file.seek(began)
            self.file.truncate(began + self.spare)
            if isinstance(error, OSError):
                raise cannot_write(self.draft.path, error) from None
            raise

    def flush(self) -> None:
        """Every frame is in the file already, since it has no buffer."""
        self.file.flush()

    def close(self) -> None:
        try:
            self.finish()
        except OSError as error:
            self.draft.discard()
            raise cannot_write(self.draft.path, error) from None
        self.draft.publish()

    def abandon(self) -> None:
        self.draft.discard()

    @abstractmethod
    def begin(self) -> None:
        """Write the header."""

    @abstractmethod
    def write(self, frame: Bands) -> None:
        """Append a frame."""

    @abstractmethod
    def finish(self) -> None:
        """Write the trailer."""


class FilmWriter(DraftWriter):
    """A writer of a film in one file.

    Of a `steady` film, in which most pixels stay as they are, only changes are stored. The last
    frame is shown for `hold` seconds at least.
    """

    def __init__(
        self, path: str, size: Size, fps: Fraction, *, steady: bool = False, hold: Seconds = 0
    ) -> None:
        self.fps = fps
        self.steady = steady
        self.hold = hold
        self.before: Any = None
        super().__init__(path, size)

    def write(self, frame: Bands) -> None:
        if self.steady:
            image = self._image(frame)
            self.write_part(changed_part(self.before, image))
            self.before = image
        else:
            self.write_whole(frame)

    def _image(self, frame: Bands) -> Any:
        from PIL import Image

        return Image.frombytes("RGB", self.size, joined(frame))

    def write_whole(self, frame: Bands) -> None:
        self.write_part(ChangedPart(self._image(frame), 0, 0))

    @abstractmethod
    def write_part(self, part: ChangedPart) -> None:
        """Append a frame that is laid over the one before."""

    def held(self, unit: int) -> int:
        """Duration of the last frame, in parts of a second."""
        return max(delay(self.frames - 1, self.fps, unit), round(self.hold * unit))
