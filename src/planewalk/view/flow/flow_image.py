"""A control-flow graph as pixels, through Pillow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ..drawing.theme import hexadecimal
from ..scene.film_layout import TextLine
from ..scene.letter_masks import LetterMasks
from .drawing import (
    PAPER,
    RADIUS,
    BoxShape,
    FlowPicture,
    Shape,
    TipShape,
    WayShape,
    WordsShape,
    towards,
)
from .layered import Point

SHARP = 4_000_000
"""Larger pictures have a pixel for each unit, others two in both directions."""
FINE = 2
"""Shapes are drawn so many times larger and made smaller, which makes their edges smooth."""
BAND = 128
"""Units that are drawn at once, to bound the memory of large pictures."""
CURVE = 12
"""Straight lines that a curve is drawn as."""
DASH, PAUSE = 5.0, 3.0


def scale_of(picture: FlowPicture) -> int:
    """Pixels of a unit."""
    return 2 if picture.width * picture.height <= SHARP else 1


def flow_size(picture: FlowPicture) -> tuple[int, int]:
    """Width and height in pixels."""
    scale = scale_of(picture)
    return round(picture.width) * scale, round(picture.height) * scale


def flow_image(picture: FlowPicture) -> Any:
    """The picture for Pillow: shapes band by band, then all letters."""
    from PIL import Image

    scale, size = scale_of(picture), flow_size(picture)
    image = Image.new("RGB", size, PAPER)
    shapes = [(shape, 0, 0) for shape in picture.around]
    shapes += [(shape, picture.across, picture.down) for shape in picture.inner]
    for top in range(0, round(picture.height), BAND):
        high = min(BAND, round(picture.height) - top)
        band = Image.new("RGB", (size[0] * FINE, high * scale * FINE), PAPER)
        painter = _Painter(band, scale * FINE)
        for shape, across, down in shapes:
            painter.draw(shape, across, down - top)
        image.paste(band.reduce(FINE), (0, top * scale))
    masks = LetterMasks()
    for shape, across, down in shapes:
        if isinstance(shape, WordsShape):
            _write(image, masks, shape, (across, down), scale)
    return image


def _write(image: Any, masks: LetterMasks, shape: WordsShape, by: Point, scale: int) -> None:
    """A line of text; its halo is a patch of paper."""
    wide, high = shape.letter[0] * scale, shape.letter[1] * scale
    x, y = round(shape.x + by[0]) * scale, round(shape.y + by[1]) * scale
    if shape.halo:
        box = (x - scale, y - high // 2, x + wide * len(shape.text) + scale, y + high // 2)
        image.paste(PAPER, box)
    line = TextLine(x, y, shape.text, box=(wide, high))
    masks.write(image, line, hexadecimal(shape.colour[1:]))


class _Painter:
    """Draws shapes on a band, with `scale` pixels a unit."""

    def __init__(self, band: Any, scale: int) -> None:
        from PIL import ImageDraw

        self.pen, self.scale = ImageDraw.Draw(band), scale

    def draw(self, shape: Shape, across: float, down: float) -> None:
        """Draw a shape, shifted; text is drawn later."""
        if isinstance(shape, BoxShape):
            self.box(shape._replace(x=shape.x + across, y=shape.y + down))
        elif isinstance(shape, WayShape):
            self.line([(x + across, y + down) for x, y in _outline(shape)], shape)
        elif isinstance(shape, TipShape):
            x, y, half = shape.x + across, shape.y + down, shape.size / 2
            points = [(x, y), (x - half, y - shape.size), (x + half, y - shape.size)]
            self.pen.polygon(self._scaled(points), shape.colour)

    def box(self, shape: BoxShape) -> None:
        """A box; a broken border is drawn in dashes."""
        x, y, radius = shape.x, shape.y, shape.radius
        corners = self._scaled([(x, y), (x + shape.width, y + shape.height)])
        solid, scale = None if shape.broken else shape.stroke, self.scale
        thick = round(shape.thick * scale)
        self.pen.rounded_rectangle(corners, radius * scale, shape.fill, solid, thick)
        if shape.broken:
            for dash in _dashes(_border(shape)):
                self.pen.line(self._scaled(dash), shape.stroke, thick)

    def line(self, points: list[Point], shape: WayShape) -> None:
        places, thick = self._scaled(points), shape.thick * self.scale
        self.pen.line(places, shape.colour, round(thick), "curve")
        for x, y in (places[0], places[-1]):
            ends = (x - thick / 2, y - thick / 2, x + thick / 2, y + thick / 2)
            self.pen.ellipse(ends, shape.colour)

    def _scaled(self, points: list[Point]) -> list[Point]:
        return [(x * self.scale, y * self.scale) for x, y in points]


def _outline(shape: WayShape) -> list[Point]:
    """The points of an edge, close enough to be joined by straight lines."""
    points = shape.points
    found = [points[0]]
    if shape.bent:
        for before, corner, after in zip(points, points[1:], points[2:], strict=False):
            enter, leave = towards(corner, before, RADIUS), towards(corner, after, RADIUS)
            found += [enter, *_curve(enter, corner, corner, leave)]
        return [*found, points[-1]]
    for (x, y), (a, b) in pairwise(points):
        half = (y + b) / 2
        found += _curve((x, y), (x, half), (a, half), (a, b))
    return found


def _curve(start: Point, first: Point, second: Point, end: Point) -> Iterator[Point]:
    """Points of a cubic Bézier curve, without its start."""
    for step in range(1, CURVE + 1):
        t = step / CURVE
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
        four = (start, first, second, end)
        x = sum(weight * point[0] for weight, point in zip(weights, four, strict=True))
        y = sum(weight * point[1] for weight, point in zip(weights, four, strict=True))
        yield x, y


def _border(shape: BoxShape) -> list[Point]:
    x, y, right, bottom = shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
    corners = [(x, y), (right, y), (right, bottom), (x, bottom)]
    found = []
    for at, corner in enumerate(corners):
        enter = towards(corner, corners[at - 1], shape.radius)
        leave = towards(corner, corners[(at + 1) % 4], shape.radius)
        found += [enter, *_curve(enter, corner, corner, leave)]
    return [*found, found[0]]


def _dashes(points: list[Point]) -> Iterator[list[Point]]:
    """Short pieces of a line, with pauses between."""
    left, drawn, dash = DASH, True, [points[0]]
    for (x, y), (a, b) in pairwise(points):
        length, done = math.hypot(a - x, b - y), 0.0
        while length - done >= left:
            done += left
            place = (x + (a - x) * done / length, y + (b - y) * done / length)
            if drawn:
                yield [*dash, place]
            drawn, dash = not drawn, [place]
            left = DASH if drawn else PAUSE
        left -= length - done
        dash.append((a, b))
