"""What `planewalk.render` gives: a picture, or the frames of a film."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...core.images.png import png_of
from ...engines.picture import PixelTally
from ...view.drawing.tally import trouble
from ..arguments import file_name
from ..library import PathLike
from ..writers import open_writer, write_all
from .frames import FPS, Count, draw_frames
from .picture_scene import PictureScene, Renderer, with_scale

if TYPE_CHECKING:
    from PIL import Image


class PixelReport:
    """How pixels ended: faults, and the step limit."""

    tally: PixelTally

    @property
    def faulted(self) -> int | None:
        """How many pixels faulted; None if a graphics processor drew, which does not report it."""
        return None if self.tally.untold else self.tally.faulted

    @property
    def limited(self) -> int | None:
        """How many pixels hit the step limit; None if that is not reported."""
        return None if self.tally.untold else self.tally.limited

    @property
    def trouble(self) -> str:
        """Both in words; empty if all pixels ended as they should."""
        return trouble(self.tally)


class Picture(PixelReport):
    """Rows of red, green and blue, from the top: `pixels` holds all of them.

    `faulted` and `limited` are how many pixels faulted or hit the step limit, `trouble` says it in
    words.

    `numpy.asarray(picture)` gives an array of height × width × 3 bytes without copying, `pil()` an
    image of Pillow; a notebook shows the picture.
    """

    def __init__(self, size: tuple[int, int], pixels: bytes, tally: PixelTally) -> None:
        self.size = size
        self.pixels = pixels
        self.tally = tally

    @property
    def width(self) -> int:
        return self.size[0]

    @property
    def height(self) -> int:
        return self.size[1]

    def pixel(self, x: int, y: int) -> tuple[int, int, int]:
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise IndexError(f"pixel {x},{y} lies outside the picture")
        at = 3 * (y * self.width + x)
        red, green, blue = self.pixels[at : at + 3]
        return red, green, blue

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {
            "version": 3,
            "shape": (self.height, self.width, 3),
            "typestr": "|u1",
            "data": self.pixels,
        }

    def pil(self) -> Image.Image:
        """The picture as an image of Pillow."""
        from PIL import Image

        return Image.frombytes("RGB", self.size, self.pixels)

    def save(self, path: PathLike) -> None:
        """Write a file; its suffix says which kind: .png, .gif, .webp and so on."""
        writer = open_writer(file_name(path), self.size, FPS, film=False)
        write_all(writer, [self.pixels])

    def _repr_png_(self) -> bytes:
        return png_of(self.size, self.pixels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Picture):
            return NotImplemented
        return self.size == other.size and self.pixels == other.pixels

    def __hash__(self) -> int:
        return hash((self.size, self.pixels))

    def __repr__(self) -> str:
        return f"<Picture of {self.width} x {self.height}>"


class Frames(PixelReport):
    """The frames of a film, drawn while one goes through them: `for picture in frames`.

    `times` says when each of them is. `save("film.mp4")` draws and writes all of them. `faulted`,
    `limited` and `trouble` are those of a picture, for all frames drawn so far.
    """

    def __init__(
        self,
        scene: PictureScene,
        studio: Callable[[], Renderer],
        times: Sequence[float],
        fps: Fraction,
    ) -> None:
        self.scene = scene
        self.studio = studio
        self.times = times
        self.fps = fps
        self.tally = PixelTally()

    @property
    def size(self) -> tuple[int, int]:
        return self.scene.size

    def __len__(self) -> int:
        return len(self.times)

    def __iter__(self) -> Iterator[Picture]:
        count, self.tally = Count(), PixelTally()
        for frame in self._drawn(count):
            count.tally = PixelTally()
            pixels = b"".join(frame)
            self.tally = self.tally.plus(count.tally)
            yield Picture(self.size, pixels, count.tally)

    def save(self, path: PathLike) -> None:
        """Write a film (.gif, .apng, .webp, .mp4, .webm) or a sequence (`frame-%04d.png`)."""
        count = Count()
        write_all(open_writer(file_name(path), self.size, self.fps), self._drawn(count))
        self.tally = count.tally

    def _drawn(self, count: Count) -> Iterator[Iterator[bytes]]:
        studio = self.studio()
        try:
            scene = with_scale(self.scene, studio, self.times[0])
            yield from draw_frames(scene, studio, self.times, count, film=len(self) > 1)
        finally:
            studio.close()

    def __repr__(self) -> str:
        width, height = self.size
        return f"<{len(self)} frames of {width} x {height}, {float(self.fps):g} a second>"
