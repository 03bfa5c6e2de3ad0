"""A scene as lines for a terminal, with colours or without."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from ..core.plane import Box
from .layout import LABEL, LEAST_LETTERS, cut
from .paint import RESET
from .panels import SIGN
from .scene import Line, Look, Mark, Scene
from .theme import Colour, Theme, contrast, mix

ARROWS = "→↘↓↙←↖↑↗"


class TextPainter:
    """Draws scenes as text, one character for each cell.

    With colours walkers stand on a ground of theirs, and hands are underlined. Without, a walker is
    seen only where its cell is blank, as an arrow; the panels tell the rest.
    """

    def __init__(self, scene: Scene, theme: Theme | None) -> None:
        self.theme = theme
        self.width = width_of(scene.box)
        self.height = len(list(self.lines(scene)))

    def lines(self, scene: Scene) -> Iterator[str]:
        """All lines of a frame, from the top."""
        room = self.width - len(scene.caption) - 1
        title = cut(scene.title, room)
        yield self._paint(f"{title:{room}} {scene.caption}", None, None)
        yield from self._plane(scene)
        for panel in scene.panels:
            for at, line in enumerate(panel.lines):
                yield self._panel_line("" if at else panel.label, line, panel.signed)

    def _plane(self, scene: Scene) -> Iterator[str]:
        left, top = scene.box[:2]
        marks = {(mark.x, mark.y): mark for mark in reversed(scene.marks)}
        grounds, hands = self._grounds(scene), {(hand.x, hand.y) for hand in scene.hands}
        for y, row in enumerate(scene.rows, top):
            cells = []
            for x, look in enumerate(row, left):
                mark = marks.get((x, y))
                text = one_column(look) if look.text or mark is None else arrow(mark)
                ink, ground = self._colours(look, mark, grounds.get((x, y)))
                cells.append((text, ink, ground, (x, y) in hands))
            line = ""
            for style, alike in groupby(cells, itemgetter(1, 2, 3)):
                line += self._paint("".join(text for text, *_ in alike), *style)
            yield line.rstrip(" ")

    def _grounds(self, scene: Scene) -> dict[tuple[int, int], Colour]:
        """What lies below the letters: heat, and footprints upon it."""
        if self.theme is None:
            return {}
        left, top = scene.box[:2]
        grounds = {}
        for x, y, share in scene.heat:
            grounds[x, y] = self.theme.warmth(scene.rows[y - top][x - left].fill, share)
        for x, y, number, age in scene.trail:
            fill = scene.rows[y - top][x - left].fill
            below = grounds.get((x, y)) or fill or self.theme.ground
            share = 0.12 + 0.38 * (1 - (age - 1) / max(scene.length, 1))
            grounds[x, y] = mix(below, self.theme.walker(number), share)
        return grounds

    def _colours(
        self, look: Look, mark: Mark | None, ground: Colour | None
    ) -> tuple[Colour | None, Colour | None]:
        if self.theme is None:
            return None, None
        if mark is not None:
            ground = self.theme.walker(mark.number)
            return contrast(ground), ground
        if look.fill is not None:
            return contrast(look.fill), ground or look.fill
        return self.theme.ink_of(look.group) if look.text else None, ground

    def _panel_line(self, label: str, line: Line, signed: bool) -> str:
        sign, faint = "", None
        if self.theme is not None:
            faint = self.theme.faint
            if signed:
                ground = line.colour
                if line.walker is not None:
                    ground = self.theme.walker(line.walker)
                sign = self._paint(" ", None, ground) + self._paint(" " * (SIGN - 1), None, None)
        words = self._paint("".join(map(_column, line.text)), None, None)
        return (self._paint(f"{label:{LABEL}}", faint, None) + sign + words).rstrip(" ")

    def _paint(
        self, text: str, ink: Colour | None, ground: Colour | None, underlined: bool = False
    ) -> str:
        if self.theme is None or not text:
            return text
        codes = ["0", *(["1", "4"] if underlined else [])]
        codes += ["38", "2", *map(str, ink or self.theme.ink)]
        codes += ["48", "2", *map(str, ground or self.theme.ground)]
        return f"\x1b[{';'.join(codes)}m{text}{RESET}"


def width_of(box: Box) -> int:
    """Columns that a picture of that part of the plane takes."""
    return max(box[2] - box[0] + 1, LEAST_LETTERS)


def room_of(box: Box) -> int:
    """How many letters a line of a panel has room for."""
    return width_of(box) - LABEL


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
