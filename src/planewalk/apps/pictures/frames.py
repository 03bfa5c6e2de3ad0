"""Frames and contact sheets, put together from pieces as these arrive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, islice

from ...core.errors import OptionError
from ...engines.picture import PixelTally
from ...view.drawing.heat import PAPER
from .picture_scene import Drawn, PictureScene, Renderer, paint_piece

GAP = 4
"""Pixels between the pictures of a contact sheet, and around them."""
GROUND = bytes(PAPER)
EXTREMES = b"\x00\xff"

FPS = Fraction(25)
"""Frames a second by default: 40 ms each, which every format can say exactly."""


def film_times(start: float, frames: int, fps: Fraction) -> list[float]:
    return [start + float(number / fps) for number in range(frames)]


def sheet_times(start: float, frames: int, fps: Fraction, shown: int) -> list[float]:
    """Times spread evenly from the first frame of a film to its last."""
    span = (frames - 1) / fps
    return [start + float(span * number / max(shown - 1, 1)) for number in range(shown)]


def count_frames(frames: int | None, duration: float | None, fps: Fraction) -> int | None:
    """How many frames a film has, by their number or its seconds; None for a picture."""
    if frames is not None and duration is not None:
        raise OptionError("give either frames or a duration")
    if frames is not None:
        if frames < 1:
            raise OptionError("a film has at least one frame")
        return frames
    if duration is None:
        return None
    if not 0 < duration < 1e9:
        raise OptionError(f"a film cannot last {duration} seconds")
    return max(1, round(Fraction(duration) * fps))


class Count:
    """The tally of all pixels that were handed out so far."""

    def __init__(self) -> None:
        self.tally = PixelTally()
        self.extreme = True
        """Whether every channel of every pixel is as dark, or as bright, as can be."""

    def rows(self, pieces: Iterable[Drawn]) -> Iterator[bytes]:
        """The rows of pieces, which are counted."""
        for piece in pieces:
            self.tally = self.tally.plus(piece.tally)
            self.extreme = self.extreme and not piece.rows.translate(None, EXTREMES)
            yield piece.rows


def draw_frames(
    scene: PictureScene, studio: Renderer, times: Sequence[float], count: Count, *, film: bool
) -> Iterator[Iterator[bytes]]:
    """Every frame, as rows from the top in pieces; each must be consumed before the next."""
    legend = scene.legend(film=film)
    size = studio.piece_size
    each = len(scene.pieces(0.0, size))
    pieces = (piece for time in times for piece in scene.pieces(time, size))
    drawn = studio.each(paint_piece, scene, pieces)
    for _ in times:
        yield chain(count.rows(islice(drawn, each)), [legend] if legend else [])


def sheet_size(scene: PictureScene, columns: int, rows: int) -> tuple[int, int]:
    from ...view.scene.captions import HEIGHT

    width, height = scene.size
    return columns * (width + GAP) + GAP, rows * (height + HEIGHT + GAP) + GAP


def draw_sheet(
    scene: PictureScene, studio: Renderer, times: Sequence[float], count: Count, columns: int
) -> Iterator[bytes]:
    """One picture of many frames side by side, each above its time, as rows in pieces."""
    from ...view.scene.captions import HEIGHT, captions

    width, _ = scene.size
    across = GROUND * (columns * (width + GAP) + GAP)
    legend = scene.legend(film=True)
    shelves = [times[at : at + columns] for at in range(0, len(times), columns)]
    told = captions(times, width)
    size = studio.piece_size
    by_rows = (
        piece
        for row in shelves
        for beside in zip(*(scene.pieces(time, size) for time in row), strict=True)
        for piece in beside
    )
    drawn = count.rows(studio.each(paint_piece, scene, by_rows))
    yield across * GAP
    for number in range(len(shelves)):
        for piece in scene.pieces(0.0, size):
            rows = piece.bottom - piece.top
            yield _side_by_side(list(islice(drawn, columns)), rows, 3 * width)
        if legend:
            rows = len(legend) // (3 * width)
            yield _side_by_side([legend] * columns, rows, 3 * width)
        yield _side_by_side(told[number * columns : (number + 1) * columns], HEIGHT, 3 * width)
        yield across * GAP


def _side_by_side(pieces: list[bytes], rows: int, length: int) -> bytes:
    """Pieces of the same rows next to each other, with gaps between and around."""
    gap = GROUND * GAP
    return b"".join(
        gap + gap.join(piece[at : at + length] for piece in pieces) + gap
        for at in range(0, rows * length, length)
    )
