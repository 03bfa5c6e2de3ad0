"""Pictures on an NVIDIA card: one thread for each pixel, exact or fast."""

from __future__ import annotations

from ctypes import byref
from functools import partial
from typing import Any

from ...core.limits import Limits
from ...core.program import Program
from ..native.machine_code import Store
from ..native.values import Unwritable, signed
from .canvas import Box
from .driver import Card, c_double, c_int, c_int64, c_uint64
from .kernel import PixelWriter
from .lane_code import MOST_STEPS
from .painter import Heat, Painter
from .ptx import assemble_ptx
from .single import PixelTally
from .write import write

GROUP = (16, 8)
"""Threads side by side and below each other: pixels that are near take like ways."""


MOST_LEFT_OVER = 2_000
"""Pixels that are drawn singly where the card could not; if more are left, all are."""


class CudaPainter:
    """See `Painter`. Exact pictures have the same bytes; fast ones differ by a level here and
    there. Raises `Unwritable` or `NoCard` if it cannot be."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        seed: int | None = None,
        store: Store | None = None,
        *,
        fast: bool = False,
    ) -> None:
        self.program = program
        self.limits = limits
        self.fast = fast
        self.exact = Painter(program, limits, seed, store=store)
        self._room = 0
        self._pixels = self._marks = self._count = self._samples = 0
        self._here: Any = None
        self._tally = PixelTally()
        self.card = Card()
        try:
            text = kernel_text(program, self.exact, fast)
            self._paint = self.card.load(assemble_ptx(text, self.card.chip), "paint")
        except BaseException:
            self.close()
            raise

    def paint(self, time: float | None = None, box: Box | None = None) -> bytes:
        """The rows of a picture or a part of it from the top, as bytes of red, green and blue."""
        left, top, right, bottom = box or (0, 0, *self.program.size)
        columns, rows = right - left, bottom - top
        if not columns or not rows:
            return b""
        left_over = self.draw(time, (left, top, right, bottom))
        if left_over > MOST_LEFT_OVER:
            return self.exact.paint(time, box)
        card, here, size = self.card, self._here, columns * rows
        self._tally = self._tally.plus(PixelTally(size - left_over))
        marks = b""
        if left_over:
            card.fetch(here, self._marks, size)
            marks = bytes(memoryview(here)[:size])
        card.fetch(here, self._pixels, 3 * size)
        if not left_over:
            return bytes(memoryview(here)[: 3 * size])
        colours = bytearray(memoryview(here)[: 3 * size])
        at = marks.find(1)
        while at >= 0:  # what the card cannot do, or comes to the step limit
            pixel = self.exact.single.run(left + at % columns, top + at // columns, time)
            colours[3 * at : 3 * at + 3] = pixel.colour
            self._tally = self._tally.plus(pixel.tally)
            at = marks.find(1, at + 1)
        return bytes(colours)

    def draw(self, time: float | None, box: Box) -> int:
        """Draw a part of the picture into the card's memory; says how many pixels it leaves."""
        left, top, right, bottom = box
        columns, rows = right - left, bottom - top
        self._make_room(columns * rows)
        program, steps = self.program, self.limits.steps
        groups = (-(-columns // GROUP[0]), -(-rows // GROUP[1]))
        self.card.enter()
        self.card.clear(self._count, 1)
        self.card.launch(
            self._paint,
            groups,
            GROUP,
            c_uint64(self._pixels),
            c_uint64(self._marks),
            c_uint64(self._count),
            *map(c_int, (left, top, columns, rows, *program.size)),
            c_double(program.time if time is None else time),
            c_int(MOST_STEPS if steps is None else min(steps, MOST_STEPS)),
            c_int64(signed(self.exact.seed & (1 << 64) - 1)),
            c_uint64(self._samples),
        )
        self.card.wait()
        left_over = c_int()
        self.card.fetch(byref(left_over), self._count, 4)
        return left_over.value

    def heat(self, time: float | None = None, box: Box | None = None) -> Heat:
        """How many steps each pixel takes; not a matter of the card."""
        return self.exact.heat(time, box)

    def take_tally(self) -> PixelTally:
        """How the pixels ended; those that the card finishes end as they should."""
        taken, self._tally = self._tally.plus(self.exact.take_tally()), PixelTally()
        return taken

    def close(self) -> None:
        """Give back what was taken from the card: memory, code, and the card itself."""
        self._here = None
        self.card.close()
        self.exact.close()

    def _make_room(self, pixels: int) -> None:
        if pixels <= self._room:
            return
        self.card.enter()
        self._room = 0
        self.card.free()
        sizes = (3 * pixels, pixels, 4)
        self._pixels, self._marks, self._count = map(self.card.allocate, sizes)
        samples = self.exact.samples
        if samples:
            self._samples = self.card.allocate(len(samples))
            self.card.send(self._samples, samples)
        self._here = self.card.allocate_here(3 * pixels)
        self._room = pixels


def kernel_text(program: Program, painter: Painter, fast: bool) -> str:
    """The program as IR for a card. Raises `Unwritable` if it is not for one."""
    if program.language.drawing.shading is None:
        raise Unwritable("its pixels are drawn one by one")
    start = painter.single.start(0, 0)
    return write(program, start, painter.watch, partial(PixelWriter, fast=fast))[1]
