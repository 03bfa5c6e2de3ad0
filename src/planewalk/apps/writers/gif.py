"""Animated GIF, written frame by frame; Pillow chooses the colours and packs the pixels."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ...core.errors import OptionError
from .base import ChangedPart, FilmWriter, Size, check_side, delay

SLOWEST, FASTEST = Fraction(1, 655), 50
"""Frames a second; programs that show GIF slow faster ones down to a crawl."""
COLOURS = 256
UNIT = 100
CONTROL = b"\x21\xf9\x04"
KEPT, TRANSPARENT = 1 << 2, 1
"""Flags of a frame: keep it below the next; one of its colours is transparent."""
LOOP = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"


class GifWriter(FilmWriter):
    """Every frame has up to 256 colours of its own; with no more than that it is exact."""

    ending = b"\x3b"

    def __init__(self, path: str, size: Size, fps: Fraction, **more: Any) -> None:
        check_side(size, 0xFFFF, "GIF")
        super().__init__(path, size, fps, **more)

    def begin(self) -> None:
        self.file.write(b"GIF89a" + _pairs(*self.size) + b"\0\0\0" + LOOP)

    def write_part(self, part: ChangedPart) -> None:
        image, nothing = _with_few_colours(part.image)
        table = bytes(image.getpalette())
        bits = max((len(table) // 3 - 1).bit_length(), 2)
        shown = _pairs(delay(self.frames, self.fps, UNIT))
        kept = KEPT if nothing is None else KEPT | TRANSPARENT
        self.file.write(CONTROL + bytes([kept]) + shown + bytes([nothing or 0, 0]))
        self.file.write(b"\x2c" + _pairs(part.x, part.y, *image.size) + bytes([0x80 | bits - 1]))
        self.file.write(table.ljust(3 << bits, b"\0"))
        self.file.write(b"\x08" + image.tobytes("gif", "P") + b"\0")  # 8 bits, packed, the end

    def finish(self) -> None:
        self.file.write(self.ending)
        if self.frames:
            self.file.seek(self.last_at + len(CONTROL) + 1)
            self.file.write(_pairs(self.held(UNIT)))


def check_gif(fps: Fraction) -> None:
    """Refuse rates that GIF cannot say."""
    if not SLOWEST <= fps <= FASTEST:
        raise OptionError(
            f"GIF files show at most {FASTEST} frames a second and each for at most "
            f"{1 / SLOWEST} seconds, not {float(fps):g} a second; write .webp, .apng or .mp4"
        )


def _pairs(*numbers: int) -> bytes:
    """Numbers of two bytes each."""
    return b"".join(number.to_bytes(2, "little") for number in numbers)


def _with_few_colours(image: Any) -> tuple[Any, int | None]:
    """A picture of at most 256 colours, its own or the best that stand for them.

    The second is the number of the colour that stands for transparent pixels, if there are any.
    """
    from PIL import Image

    if image.getcolors(COLOURS) is None:
        return _quantized(image)
    image = image.convert("RGBA")
    colours = sorted(bytes(colour) for _, colour in image.getcolors(COLOURS))
    numbers = {memoryview(colour).cast("I")[0]: at for at, colour in enumerate(colours)}
    dots = memoryview(image.tobytes()).cast("I")  # a whole pixel is one number
    exact = Image.frombytes("P", image.size, bytes(map(numbers.__getitem__, dots)))
    exact.putpalette(b"".join(colour[:3] for colour in colours))
    return exact, numbers.get(0)


def _quantized(image: Any) -> tuple[Any, int | None]:
    from PIL import Image

    best, smooth = Image.Quantize.MEDIANCUT, Image.Dither.FLOYDSTEINBERG
    if image.mode == "RGB":
        return image.quantize(COLOURS, best, dither=smooth), None
    few = image.convert("RGB").quantize(COLOURS - 1, best, dither=Image.Dither.NONE)
    palette = few.getpalette()
    nothing = len(palette) // 3
    few.paste(nothing, mask=image.getchannel("A").point([255] + [0] * 255))
    few.putpalette([*palette, 0, 0, 0])
    return few, nothing
