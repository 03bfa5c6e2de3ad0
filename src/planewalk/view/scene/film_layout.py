"""The places of all parts of a scene in pixels, for the SVG and the pixel painter."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from ...core.plane import Box
from ..walk.follow import Footprint
from .panels import SIGN
from .scene import ColumnPort, Hand, Line, Mark, Panel, Scene

Point = tuple[float, float]
Bar = tuple[int, int, int, int]
"""The upper left corner of a rectangle, its width and its height."""

MARGIN = 12
ADVANCE = 8
LETTER = 14
LINE = 18
"""The room of a letter in captions and panels, across and down, and that of a line."""
GAP = 6
"""Room between panels."""
LABEL = 10
"""Letters that the name of a panel has room for."""
LEAST_LETTERS = 52
"""Letters that there is always room for across a picture."""
SCALES = (28, 24, 20, 16, 14, 12, 10, 8, 4, 3, 2, 1)
ROOM = (1200, 720)
"""A plane is drawn as large as it can be within this room, unless a scale is asked for."""
LEAST_LEGIBLE = 10
MORE_ROOM = (2000, 1400)
"""What a plane may take so that its letters can be read."""
READABLE = 6
"""Cells of fewer pixels are drawn as plain blocks."""
RULER = (6, 7)
"""The room of a digit beside the plane."""
PORTS = RULER[1] + 4
"""The room of words above columns, and of those below them."""
GRID_ROOM = 16
"""Cells of so many pixels have room for lines between them, unless others are asked for."""
LEAST_GRID = 4
"""In smaller cells there would be little else than lines."""

BODIES: tuple[tuple[Point, ...], ...] = (
    ((-0.44, -0.44), (0.14, -0.44), (0.52, 0.0), (0.14, 0.44), (-0.44, 0.44)),
    ((-0.44, -0.5), (0.52, -0.16), (0.52, 0.16), (-0.44, 0.5)),
    ((-0.5, -0.44), (0.2, -0.44), (0.52, 0.0), (0.2, 0.44), (-0.5, 0.44), (-0.24, 0.0)),
)
"""Outlines of walkers that head right, in cells: a house, a wedge, an arrow with a notch."""
RESTING: tuple[Point, ...] = ((-0.5, 0.0), (0.0, -0.5), (0.5, 0.0), (0.0, 0.5))
"""The outline of one that heads nowhere."""


def best_scale(box: Box) -> int:
    """The largest cells, in pixels, with which the whole box has room."""
    width, height = box[2] - box[0] + 1, box[3] - box[1] + 1
    for scale in SCALES:
        room = MORE_ROOM if scale == LEAST_LEGIBLE else ROOM
        if width * scale <= room[0] and height * scale <= room[1]:
            return scale
    return 1


class TextLine(NamedTuple):
    """A line of text: where it begins, or where it ends if it is `right`."""

    x: int
    y: int
    text: str
    faint: bool = False
    right: bool = False
    box: tuple[int, int] = (ADVANCE, LETTER)
    """The room of each letter."""


class FilmLayout(NamedTuple):
    """The layout of all frames of a film, which have the same size."""

    cell: int
    box: Box
    width: int
    height: int
    left: int
    top: int
    coordinates: bool = False
    grid: bool = False
    ports: tuple[ColumnPort, ...] = ()

    @classmethod
    def of(cls, box: Box, cell: int, coordinates: bool, grid: bool) -> FilmLayout:
        """The layout of a part of the plane without panels, with so many pixels for each cell."""
        columns, lines = box[2] - box[0] + 1, box[3] - box[1] + 1
        gutter = RULER[0] * digits(box[1], box[3]) if coordinates else 0
        width = max(columns * cell + gutter, LEAST_LETTERS * ADVANCE) + 2 * MARGIN
        width += width % 2  # films in common formats cannot have odd sizes
        left = (width - columns * cell + gutter) // 2
        top = MARGIN + LINE + (RULER[1] + 6 if coordinates else 4)
        height = top + lines * cell + MARGIN
        return cls(cell, box, width, height, left, top, coordinates, grid)

    def with_ports(self, ports: tuple[ColumnPort, ...]) -> FilmLayout:
        """The layout of a film with words above and below columns."""
        if not ports:
            return self
        top, height = self.top + PORTS, self.height + 2 * PORTS
        return self._replace(ports=ports, top=top, height=height)

    def with_panels(self, panels: tuple[Panel, ...]) -> FilmLayout:
        """The layout of a film whose scenes have panels like these."""
        below = sum(len(panel.lines) * LINE + GAP * bool(panel.label) for panel in panels)
        height = self.height + (below + MARGIN // 2 if below else 0)
        return self._replace(height=height + height % 2)

    @property
    def room(self) -> int:
        """How many letters a line of a panel has room for."""
        return (self.width - 2 * MARGIN) // ADVANCE - LABEL

    @property
    def readable(self) -> bool:
        """Whether cells are large enough for letters."""
        return self.cell >= READABLE

    @property
    def columns(self) -> int:
        return self.box[2] - self.box[0] + 1

    @property
    def lines(self) -> int:
        return self.box[3] - self.box[1] + 1

    def corner(self, x: int, y: int) -> tuple[int, int]:
        """The upper left corner of a cell."""
        return self.left + (x - self.box[0]) * self.cell, self.top + (y - self.box[1]) * self.cell

    def bar(self, x: int, y: int) -> Bar:
        return *self.corner(x, y), self.cell, self.cell

    def print_bar(self, foot: Footprint, freshness: float) -> Bar:
        """A footprint: the older, the smaller."""
        side = max(1, round(self.cell * (0.3 + 0.5 * freshness)))
        x, y = (corner + (self.cell - side) // 2 for corner in self.corner(foot.x, foot.y))
        return x, y, side, side

    def hand_bars(self, hand: Hand) -> Iterator[Bar]:
        """Four corners round a cell, or a thin line where these have no room."""
        (x, y), cell = self.corner(hand.x, hand.y), self.cell
        if not self.readable:
            yield from ((x, y, cell, 1), (x, y + cell - 1, cell, 1))
            yield from ((x, y, 1, cell), (x + cell - 1, y, 1, cell))
            return
        arm, far = max(round(cell / 3), 2), cell - 2
        for right in (False, True):
            for below in (False, True):
                a, b = x + far * right, y + far * below
                yield a - (arm - 2) * right, b, arm, 2
                yield a, b - (arm - 2) * below, 2, arm

    def body(self, mark: Mark) -> list[Point]:
        """The outline of a walker in its cell."""
        x, y = self.corner(mark.x, mark.y)
        return outline(mark, x + self.cell / 2, y + self.cell / 2, self.cell)

    def words(self, scene: Scene) -> Iterator[TextLine]:
        """All lines of text but those of rulers."""
        y = MARGIN + LETTER // 2
        room = (self.width - 2 * MARGIN) // ADVANCE - len(scene.caption) - 2
        yield TextLine(MARGIN, y, cut(scene.title, room))
        yield TextLine(self.width - MARGIN, y, scene.caption, right=True)
        for panel, at, y in self._panel_lines(scene):
            if not at and panel.label:
                yield TextLine(MARGIN, y, panel.label, faint=True)
            text = panel.lines[at].text
            if text:
                yield TextLine(MARGIN + (LABEL + SIGN * panel.signed) * ADVANCE, y, text)

    def rulers(self) -> Iterator[TextLine]:
        """Numbers of columns above the plane and of rows on its left, and ports."""
        yield from self._port_lines()
        if not self.coordinates:
            return
        left, top, right, bottom = self.box
        letter, height = RULER
        for x in marks(left, right, self.cell, letter * (digits(left, right) + 1)):
            begin = self.corner(x, top)[0] + (self.cell - letter * len(str(x))) // 2
            if begin >= 0 and begin + letter * len(str(x)) <= self.width:
                at = self.top - height + 1 - self._port_room
                yield TextLine(begin, at, str(x), faint=True, box=RULER)
        for y in marks(top, bottom, self.cell, height + 3):
            middle = self.corner(left, y)[1] + self.cell // 2
            yield TextLine(self.left - 4, middle, str(y), faint=True, right=True, box=RULER)

    @property
    def _port_room(self) -> int:
        return PORTS if self.ports else 0

    def _port_lines(self) -> Iterator[TextLine]:
        """What comes in and goes out, as far as the words do not overlap."""
        letter, height = RULER
        above, below = self.top - height + 1, self.top + self.lines * self.cell + height - 1
        free = {above: 0, below: 0}
        for x, *words in self.ports:
            end = self.corner(x, self.box[1])[0] + self.cell
            for y, word in zip((above, below), words, strict=True):
                width = letter * len(word)
                begin = end - max((self.cell + width) // 2, width)
                if word and begin >= free[y]:
                    free[y] = begin + width + letter
                    yield TextLine(begin, y, word, faint=True, box=RULER)

    def lines_between(self) -> Iterator[Bar]:
        """The grid, if there is one."""
        if self.grid:
            x, y = self.corner(self.box[0], self.box[1])
            width, height = self.columns * self.cell, self.lines * self.cell
            yield from ((x + at * self.cell, y, 1, height) for at in range(1, self.columns))
            yield from ((x, y + at * self.cell, width, 1) for at in range(1, self.lines))

    def signs(self, scene: Scene) -> Iterator[tuple[Line, int, int]]:
        """Lines with a mark or a colour before their text, and the middle of where that goes."""
        for panel, at, y in self._panel_lines(scene):
            if panel.lines[at].signed:
                yield panel.lines[at], MARGIN + LABEL * ADVANCE + 4, y

    def _panel_lines(self, scene: Scene) -> Iterator[tuple[Panel, int, int]]:
        """The lines of all panels by their numbers, and the middle of each."""
        y = self.top + self.lines * self.cell + self._port_room + MARGIN - GAP + LINE // 2
        for panel in scene.panels:
            y += GAP if panel.label else 0
            for at in range(len(panel.lines)):
                yield panel, at, y
                y += LINE


def digits(first: int, last: int) -> int:
    """The width of the longest number in a range, with its minus sign."""
    return max(len(str(first)), len(str(last)))


def marks(first: int, last: int, cell: int, room: int) -> Iterator[int]:
    """Every column or row, or every 2nd, 5th, 10th and so on, so that numbers do not overlap."""
    steps = (factor * 10**power for power in count() for factor in (1, 2, 5))
    step = next(step for step in steps if step * cell >= room)
    return iter(range(-(-first // step) * step, last + 1, step))


def cut(text: str, room: int) -> str:
    """At most so many letters, with dots where some are left out."""
    return text if len(text) <= room else f"{text[: max(room - 1, 0)]}…"


def outline(mark: Mark, x: float, y: float, cell: float) -> list[Point]:
    """The outline of a walker whose middle is at (x, y)."""
    if not mark.dx and not mark.dy:
        return [(x + cell * px, y + cell * py) for px, py in RESTING]
    length = math.hypot(mark.dx, mark.dy)
    cos, sin = mark.dx / length, mark.dy / length
    points = BODIES[mark.number % len(BODIES)]
    return [
        (x + cell * (px * cos - py * sin), y + cell * (px * sin + py * cos)) for px, py in points
    ]


def sign_outline(walker: int, x: int, y: int) -> list[Point]:
    """The outline of the mark that stands for a walker before a line of a panel."""
    return outline(Mark(0, 0, 1, 0, walker), x, y, 1.4 * ADVANCE)
