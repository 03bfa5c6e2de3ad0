"""What is to be drawn, and drawing it in pieces.

A piece is some rows of one frame. Pieces are drawn one by one, here or on other machines, and
always come back in order; so memory holds a few of them, never a film.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from ...core.base.named import NamedTuple
from ...core.errors import OptionError
from ...core.limits import Limits
from ...core.program import Program
from ...engines.picture import Box, Heat, PixelTally
from ...view.drawing import heat

PIECE = 1 << 18
"""How many samples are drawn at once, or one row: enough for many threads."""

WEIGHT, WEIGHT_OF_HEAT = 30, 270
"""Bytes of memory for each sample of a piece while it is drawn and handed on, as measured."""

MOST_SAMPLES = 1000
"""Limit for one pixel in each direction."""

STEPS, LIMIT = "steps", "limit"
HEATS = (STEPS, LIMIT)

Result = TypeVar("Result")
Begun = TypeVar("Begun")


class Piece(NamedTuple):
    """Rows of the frame at one time, from `top` to before `bottom`."""

    time: float
    top: int
    bottom: int


class PictureScene(NamedTuple):
    """Everything that determines a frame, except its time.

    The program draws `supersample` times as many pixels in both directions as a frame has, so its
    size is already that of the samples. `part` is what is seen of the picture, in pixels of the
    frame. `hottest` is the number of steps with the last colour of the ladder.
    """

    program: Program
    limits: Limits
    seed: int | None
    part: Box
    supersample: int = 1
    heat: str | None = None
    hottest: int = 1

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a frame, with the legend if it has one."""
        left, top, right, bottom = self.part
        return right - left, bottom - top + (heat.LEGEND if self.heat else 0)

    def pieces(self, time: float, most: int) -> list[Piece]:
        """The pieces of a frame, from the top; the legend is none of them."""
        left, top, right, bottom = self.part
        rows = max(1, most // ((right - left) * self.supersample**2))
        return [Piece(time, y, min(y + rows, bottom)) for y in range(top, bottom, rows)]

    def memory(self, most: int) -> int:
        """Bytes that drawing takes, beside what the program itself holds."""
        left, top, right, bottom = self.samples(self.pieces(0.0, most)[0])
        samples = (right - left) * (bottom - top)
        weight = WEIGHT_OF_HEAT if self.heat else WEIGHT
        return weight * samples + len(self.program.language.rules.samples(self.program.options))

    def samples(self, piece: Piece) -> Box:
        """The part of the program's picture that a piece is made of."""
        left, _, right, _ = self.part
        box = (left, piece.top, right, piece.bottom)
        return tuple(edge * self.supersample for edge in box)  # type: ignore[return-value]

    def legend(self, *, film: bool) -> bytes:
        """The rows below the picture, if there are any."""
        width, _ = self.size
        if self.heat == STEPS:
            return heat.steps_legend(width, self.hottest, more=film)
        if self.heat == LIMIT:
            return heat.limit_legend(width, self.limits.steps)
        return b""


class Artist(Protocol):
    """Draws a program, exactly or nearly so: see `engines.picture.Painter`."""

    def paint(self, time: float | None = None, box: Box | None = None) -> bytes: ...

    def heat(self, time: float | None = None, box: Box | None = None) -> Heat: ...

    def take_tally(self) -> PixelTally: ...

    def close(self) -> None: ...


class Drawn(NamedTuple):
    """The rows of a piece, as red, green and blue, and how its pixels ended."""

    rows: bytes
    tally: PixelTally


def make_scene(
    program: Program,
    limits: Limits,
    seed: int | None,
    *,
    crop: tuple[int, int, int, int] | None = None,
    supersample: int = 1,
    heat: str | None = None,
) -> PictureScene:
    """A scene, with all that was asked for checked; `crop` is left, top, width and height."""
    program, language = program.drawing(), program.language
    if language.drawing.colour is None:
        raise OptionError(
            f"{language.title} programs do not colour pixels; a film or a picture shows their runs"
        )
    if supersample < 1:
        raise OptionError(f"supersample: expected 1 or more, not {supersample}")
    if supersample > MOST_SAMPLES:
        raise OptionError(f"supersample: {supersample:,} is more than {MOST_SAMPLES:,}")
    if heat is not None and heat not in HEATS:
        raise OptionError(f"heat: expected {' or '.join(HEATS)}, not {heat!r}")
    if heat is not None and supersample > 1:
        raise OptionError("heat: it is about single pixels, so it cannot be supersampled")
    width, height = program.size
    left, top, across, down = (0, 0, width, height) if crop is None else crop
    if not (left >= 0 and top >= 0 and across > 0 and down > 0):
        raise OptionError(f"crop: {left},{top},{across},{down} has no pixels")
    if left + across > width or top + down > height:
        raise OptionError(
            f"crop: {left},{top},{across},{down} reaches beyond the picture of {width} x {height}"
        )
    if supersample > 1:
        samples = (width * supersample, height * supersample)
        options = language.pictures.sized(program.options, samples)
        program = Program(language, program.source, options)
    return PictureScene(
        program, limits, seed, (left, top, left + across, top + down), supersample, heat
    )


def paint_piece(scene: PictureScene, painter: Artist, piece: Piece) -> Drawn:
    rows = _rows(scene, painter, piece)
    return Drawn(rows, painter.take_tally())


def _rows(scene: PictureScene, painter: Artist, piece: Piece) -> bytes:
    box = scene.samples(piece)
    if scene.heat == STEPS:
        return heat.paint_steps(painter.heat(piece.time, box).steps, scene.hottest)
    if scene.heat == LIMIT:
        return heat.paint_limited(painter.heat(piece.time, box).limited)
    left, _, right, _ = scene.part
    pixels = painter.paint(piece.time, box)
    if scene.supersample == 1:
        return pixels
    from ...view.drawing.shrink import shrink  # which needs a kernel

    return shrink(pixels, right - left, scene.supersample)


def most_steps(scene: PictureScene, painter: Artist, piece: Piece) -> int:
    """The steps of the pixel of a piece that took longest."""
    steps = max(painter.heat(piece.time, scene.samples(piece)).steps)
    painter.take_tally()  # these pixels will be drawn, and are counted then
    return steps


Work = Callable[[PictureScene, Artist, Piece], Result]


class Renderer(Protocol):
    """A place to draw: this process, child processes, or a cluster."""

    piece_size: int
    """Samples to draw at once."""

    def each(
        self, work: Work[Result], scene: PictureScene, pieces: Iterable[Piece]
    ) -> Iterator[Result]:
        """Do work on every piece; lazily, with the results in order."""

    def close(self) -> None: ...


def in_order(
    pieces: Iterable[Piece],
    ahead: int,
    begin: Callable[[Piece], Begun],
    end: Callable[[Begun], Result],
) -> Iterator[Result]:
    """The results of pieces in order, with at most `ahead` more begun."""
    waiting: deque[Begun] = deque()
    for piece in pieces:
        waiting.append(begin(piece))
        if len(waiting) > ahead:
            yield end(waiting.popleft())
    while waiting:
        yield end(waiting.popleft())


def with_scale(scene: PictureScene, studio: Renderer, time: float) -> PictureScene:
    """The scene with the scale of its heat: the steps of the longest pixel at that time."""
    if scene.heat != STEPS:
        return scene
    pieces = scene.pieces(time, studio.piece_size)
    return scene._replace(hottest=max(1, *studio.each(most_steps, scene, pieces)))
