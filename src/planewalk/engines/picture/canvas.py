"""Where a part of a picture is drawn, in whole blocks of pixels."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from ..base.addresses import address_of
from .lane_code import LaneSlot
from .single import Pixel, PixelTally

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels; the last two lie outside."""


class Canvas:
    """Colours of pixels, and if wanted their steps; and a word for each block, with a bit for each
    of its pixels: what is still to be drawn, and what came to the step limit."""

    def __init__(self, box: Box, across: int, down: int, heat: bool) -> None:
        self.left, self.top, self.right, self.bottom = self.box = box
        self.width, self.height = self.right - self.left, self.bottom - self.top
        self.across, self.down = across, down
        self.columns, self.rows = -(-self.width // across), -(-self.height // down)
        self.stride = self.columns * across
        size = self.stride * self.rows * down
        self.heat = heat
        self.pixels = bytearray(3 * size)
        self.steps = array("I", bytes(4 * size if heat else 0))
        self.limited = bytearray(size if heat else 0)
        self.undone = array("Q", [(1 << across * down) - 1]) * (self.columns * self.rows)
        self.over = array("Q", bytes(8 * self.columns * self.rows))
        self.spent: list[int] = []
        """Pixels at the step limit that are drawn in lanes, counted for each of some rows."""
        self.alone = PixelTally()
        """How pixels that were drawn singly ended."""

    @property
    def tally(self) -> PixelTally:
        """How all pixels ended, once all are drawn: those in lanes do not fault."""
        return self.alone._replace(
            pixels=self.width * self.height, limited=self.alone.limited + sum(self.spent)
        )

    def part(self, rows: range) -> Canvas:
        """A canvas of its own for some rows of blocks: what is over the limit here is to do."""
        top, bottom = self.top + rows.start * self.down, self.top + rows.stop * self.down
        box = (self.left, top, self.right, min(bottom, self.bottom))
        part = Canvas(box, self.across, self.down, self.heat)
        part.undone = self.over[rows.start * self.columns : rows.stop * self.columns]
        return part

    def words(self, rows: range) -> dict[LaneSlot, int | float]:
        """What machine code has to know about some rows of blocks."""
        first, block = rows.start * self.down * self.stride, rows.start * self.columns
        top = self.top + rows.start * self.down
        return {
            LaneSlot.PIXELS: address_of(self.pixels) + 3 * first,
            LaneSlot.STEPS: address_of(self.steps) + 4 * first if self.heat else 0,
            LaneSlot.UNDONE: address_of(self.undone) + 8 * block,
            LaneSlot.OVER: address_of(self.over) + 8 * block,
            LaneSlot.STRIDE: self.stride,
            LaneSlot.LEFT: self.left,
            LaneSlot.TOP: top,
            LaneSlot.RIGHT: self.right,
            LaneSlot.BOTTOM: min(self.bottom, top + len(rows) * self.down),
        }

    def put(self, x: int, y: int, pixel: Pixel) -> None:
        at = self._at(x, y)
        self.pixels[3 * at : 3 * at + 3] = pixel.colour
        if self.heat:
            self.steps[at], self.limited[at] = pixel.steps, pixel.limited

    def get(self, x: int, y: int) -> Pixel:
        at = self._at(x, y)
        colour = bytes(self.pixels[3 * at : 3 * at + 3])
        return Pixel(colour, self.steps[at] if self.heat else 0, True)

    def _at(self, x: int, y: int) -> int:
        return (y - self.top) * self.stride + x - self.left

    def places(self, words: array[int], rows: range) -> Iterator[tuple[int, int]]:
        """The pixels whose bits are set, in some rows of blocks."""
        for block in range(rows.start * self.columns, rows.stop * self.columns):
            bits = words[block]
            while bits:
                lane = (bits & -bits).bit_length() - 1
                bits &= bits - 1
                x = self.left + block % self.columns * self.across + lane % self.across
                yield x, self.top + block // self.columns * self.down + lane // self.across

    def cropped(self, values: bytearray | memoryview, size: int) -> bytes:
        """The values of the picture alone, of `size` bytes for each pixel."""
        view = memoryview(values)
        if self.stride == self.width:
            return bytes(view[: size * self.width * self.height])
        begins = range(0, self.height * self.stride * size, self.stride * size)
        return b"".join([view[at : at + self.width * size] for at in begins])
