"""A scene as lines for a terminal, with colours or without."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter

from ...core.plane import Box
from ..drawing.theme import Colour, Theme, contrast, cover, mix
from ..terminal.paint import RESET
from .film_layout import LABEL, LEAST_LETTERS, cut, digits, marks
from .panels import SIGN
from .scene import Line, Look, Mark, Scene

ARROWS = "→↘↓↙←↖↑↗"
USUAL_WIDTH = 80
"""Columns of a terminal, in which coordinates have room or not."""


class TextPainter:
    """Draws scenes as text, one character for each cell.

    With colours walkers stand on a ground of theirs, and hands on a fainter one, underlined.
    Without, an arrow stands below each walker, and below each hand a `^`, in lines of their own,
    which have no bar on their left.
    """

    def __init__(self, scene: Scene, theme: Theme | None, coordinates: bool | None = None) -> None:
        self.theme = theme
        self.gutter = gutter_of(scene.box, coordinates)
        self.width = width_of(scene.box, coordinates)
        self.height = len(list(self.lines(scene)))

    def lines(self, scene: Scene) -> Iterator[str]:
        room = self.width - len(scene.caption) - 1
        title = cut(scene.title, room)
        yield self._paint(f"{title:{room}} {scene.caption}", None, None)
        ports = scene.ports if self.gutter else ()
        if self.gutter:
            yield self._ruler(scene.box)
        yield from self._words({port.x: port.into for port in ports}, scene.box, str.rjust)
        yield from self._plane(scene)
        yield from self._words({port.x: port.out for port in ports}, scene.box, str.ljust)
        for panel in scene.panels:
            for at, line in enumerate(panel.lines):
                yield self._panel_line("" if at else panel.label, line, panel.signed)

    def _ruler(self, box: Box) -> str:
        """Numbers of columns; each begins above its column."""
        line = ""
        for x in marks(box[0], box[2], 1, digits(box[0], box[2]) + 2):
            line += f"{'':{x - box[0] - len(line)}}{x}"
        return self._faint(f"{'':{self.gutter}} {line}")

    def _words(
        self, words: dict[int, str], box: Box, just: Callable[[str, int], str]
    ) -> Iterator[str]:
        """What goes in or out at columns, letter below letter, just beside the plane."""
        length = max(map(len, words.values()), default=0)
        columns = [just(words.get(x, ""), length) for x in range(box[0], box[2] + 1)]
        for letters in zip(*columns, strict=True):
            yield self._faint(f"{'':{self.gutter}} {''.join(letters)}".rstrip())

    def _plane(self, scene: Scene) -> Iterator[str]:
        left, top = scene.box[:2]
        walkers = {(mark.x, mark.y): mark for mark in reversed(scene.marks)}
        hands = {(hand.x, hand.y): hand.number for hand in reversed(scene.hands)}
        grounds = self._grounds(scene)
        for y, row in enumerate(scene.rows, top):
            cells = []
            for x, look in enumerate(row, left):
                mark = walkers.get((x, y))
                text = arrow(mark) if self.theme and mark and not look.text else one_column(look)
                style = self._colours(look, mark, hands.get((x, y)), grounds.get((x, y)))
                cells.append((text, *style, (x, y) in hands))
            number = f"{y:>{self.gutter}}" if self.gutter else ""
            line = self._faint(f"{number}│") if self.gutter or self.theme is None else ""
            for style, alike in groupby(cells, itemgetter(1, 2, 3)):
                line += self._paint("".join(text for text, *_ in alike), *style)
            yield line.rstrip(" ")
            if self.theme is None:
                yield from self._below(
                    {x: arrow(walkers[x, at]) for x, at in walkers if at == y}, left
                )
                yield from self._below({x: "^" for x, at in hands if at == y}, left)

    def _below(self, signs: dict[int, str], left: int) -> Iterator[str]:
        """A line of signs below the cells that they mean."""
        if signs:
            line = "".join(signs.get(x, " ") for x in range(left, max(signs) + 1))
            yield f"{'':{self.gutter}} {line}"

    def _grounds(self, scene: Scene) -> dict[tuple[int, int], Colour]:
        """What lies below the letters: heat, and footprints upon it."""
        if self.theme is None:
            return {}
        grounds = {}
        for x, y, share in scene.heat:
            grounds[x, y] = self.theme.warmth(scene.look(x, y).fill, share)
        for foot in scene.trail:
            place = foot.x, foot.y
            below = grounds.get(place) or scene.look(*place).fill or self.theme.ground
            share = cover(scene.freshness(foot))
            grounds[place] = mix(below, self.theme.walker(foot.number), share)
        return grounds

    def _colours(
        self, look: Look, mark: Mark | None, hand: int | None, ground: Colour | None
    ) -> tuple[Colour | None, Colour | None]:
        if self.theme is None:
            return None, None
        if mark is not None:
            ground = self.theme.walker(mark.number)
            return contrast(ground), ground
        if hand is not None:
            below = ground or look.fill or self.theme.ground
            ground = mix(below, self.theme.walker(hand), 0.3)
        if look.fill is not None:
            return contrast(look.fill), ground or look.fill
        return self.theme.ink_of(look.group) if look.text else None, ground or self.theme.ground

    def _panel_line(self, label: str, line: Line, signed: bool) -> str:
        sign = ""
        if self.theme is not None and signed:
            ground = line.colour
            if line.walker is not None:
                ground = self.theme.walker(line.walker)
            sign = self._paint(" ", None, ground) + self._paint(" " * (SIGN - 1), None, None)
        words = self._paint("".join(map(_column, line.text)), None, None)
        return (self._faint(f"{label:{LABEL}}") + sign + words).rstrip(" ")

    def _faint(self, text: str) -> str:
        return self._paint(text, None if self.theme is None else self.theme.faint, None)

    def _paint(
        self, text: str, ink: Colour | None, ground: Colour | None, underlined: bool = False
    ) -> str:
        if self.theme is None or not text:
            return text
        codes = ["0", *(["1", "4"] if underlined else [])]
        codes += ["38", "2", *map(str, ink or self.theme.ink)]
        codes += ["48", "2", *map(str, ground or self.theme.paper)]
        return f"\x1b[{';'.join(codes)}m{text}{RESET}"


def gutter_of(box: Box, coordinates: bool | None) -> int:
    """Columns for the numbers of rows, none if they are not wanted, or have no room."""
    gutter = digits(box[1], box[3])
    wide = box[2] - box[0] + 1 + gutter >= USUAL_WIDTH
    return gutter if coordinates or (coordinates is None and not wide) else 0


def width_of(box: Box, coordinates: bool | None) -> int:
    """Columns that a picture of that part of the plane takes."""
    return max(box[2] - box[0] + 2 + gutter_of(box, coordinates), LEAST_LETTERS)


def room_of(box: Box, coordinates: bool | None) -> int:
    """How many letters a line of a panel has room for."""
    return width_of(box, coordinates) - LABEL


def one_column(look: Look) -> str:
    """A look in one column: a box for what has no character of that width."""
    if not look.text:
        return " "
    return _column(look.text) if len(look.text) == 1 else "▫"


def _column(letter: str) -> str:
    narrow = unicodedata.east_asian_width(letter) not in "WF" and not unicodedata.combining(letter)
    return letter if narrow and unicodedata.bidirectional(letter) not in ("R", "AL") else "▫"


def arrow(mark: Mark) -> str:
    """The arrow nearest to a heading."""
    from math import atan2, pi

    if not mark.dx and not mark.dy:
        return "◆"
    return ARROWS[round(atan2(mark.dy, mark.dx) / (pi / 4)) % 8]
