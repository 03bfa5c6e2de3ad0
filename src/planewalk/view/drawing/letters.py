"""Letters of any size, from strokes: as lines between whole pixels, which every painter draws.

Each letter has a box of its own, so that text stands in columns. A character that there are no
strokes for is shown by its code, in hex digits, or in dots where digits have no room.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from .strokes import SMALL, TINY, large

Place = tuple[int, int]
Line = tuple[Place, ...]

LEAST_LARGE = 8
"""The large letters have room in boxes of that height."""
DOTS = 5
"""Dots in a row, and rows, of a character whose code has no room: one for each bit of a code."""


class Cut(NamedTuple):
    """A size of letters: columns and rows of strokes in pixels, and the width of the pen."""

    strokes: Callable[[str], str | None]
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    pen: int

    @property
    def size(self) -> Place:
        return self.columns[-1] + self.pen, self.rows[-1] + self.pen

    def lines(self, letter: str, x: int, y: int) -> Iterator[Line]:
        """The strokes of a letter whose upper left corner is there; none if it is not known."""
        for stroke in (self.strokes(letter) or "").split():
            yield tuple(
                (x + self.columns["abcde".index(column)], y + self.rows[int(row)])
                for column, row in zip(stroke[::2], stroke[1::2], strict=True)
            )


class Strokes(NamedTuple):
    """The lines that a square pen is moved along; places are its upper left corner."""

    lines: tuple[Line, ...]
    pen: int


def cut_of(
    strokes: Callable[[str], str | None], columns: int, rows: int, unit: float, pen: int
) -> Cut:
    """Strokes in a size. Columns lie evenly on both sides of the middle one."""
    half = [_round(unit * away) for away in range(columns // 2 + 1)]
    across = [half[-1] - away for away in reversed(half)] + [half[-1] + away for away in half[1:]]
    return Cut(strokes, tuple(across), tuple(_round(unit * row) for row in range(rows)), pen)


def cut_for(height: int) -> Cut:
    """Letters that fill a box of that height."""
    if height < LEAST_LARGE:
        return cut_of(SMALL.get, 5, 6, 1, 1)
    unit = max((0.78 * height - 1) / 7, 1.0)
    return cut_of(large, 5, 8, unit, max(_round(unit * 0.8), 1))


@lru_cache(maxsize=4096)
def drawing(text: str, width: int, height: int) -> Strokes:
    """A letter, or the digits of a code, in the middle of a box."""
    cut = cut_for(min(height, width * 2))
    x, y = (width - cut.size[0]) // 2, (height - cut.size[1]) // 2
    lines = tuple(cut.lines(text, x, y))
    if lines:
        return Strokes(lines, cut.pen)
    digits = text if len(text) > 1 else f"{ord(text):02X}"
    return _code(digits, width, height) or _dots(int(digits, 16), width, height)


def _code(digits: str, width: int, height: int) -> Strokes | None:
    """Digits as large as there is room: up to three in one line, more in two."""
    half = len(digits) if len(digits) < 4 else (len(digits) + 1) // 2
    words = [part for part in (digits[:half], digits[half:]) if part]
    for unit in range(height // 5, 0, -1):
        cut = cut_of(TINY.get, 3, 5, unit, max(_round(unit * 0.6), 1))
        step = (cut.size[0] + cut.pen, cut.size[1] + cut.pen)
        room = (half * step[0] - cut.pen, len(words) * step[1] - cut.pen)
        if room[0] < width and room[1] < height:
            x, y = (width - room[0]) // 2, (height - room[1]) // 2
            lines = (
                line
                for down, word in enumerate(words)
                for across, digit in enumerate(word)
                for line in cut.lines(digit, x + across * step[0], y + down * step[1])
            )
            return Strokes(tuple(lines), cut.pen)
    return None


def _dots(code: int, width: int, height: int) -> Strokes:
    """A pattern that no other character has: the bits of its code."""
    pen = max((min(width, height) - 1) // DOTS, 1)
    x, y = (width - DOTS * pen) // 2, (height - DOTS * pen) // 2
    places = (
        (x + bit % DOTS * pen, y + bit // DOTS * pen) for bit in range(DOTS**2) if code >> bit & 1
    )
    return Strokes(tuple((place, place) for place in places), pen)


class PenPath(NamedTuple):
    """The path of the pen's middle as SVG, from the place where it starts."""

    begin: Place
    path: str
    pen: int

    def at(self, x: int, y: int) -> str:
        """The path for a letter in a box whose upper left corner is there."""
        half = ".5" if self.pen % 2 else ""
        across, down = x + self.begin[0] + self.pen // 2, y + self.begin[1] + self.pen // 2
        return f"M{across}{half} {down}{half}{self.path}"


@lru_cache(maxsize=4096)
def way(text: str, width: int, height: int) -> PenPath:
    """The path of what `drawing` gives."""
    lines, pen = drawing(text, width, height)
    path, here = "", lines[0][0]
    for line in lines:
        if line is not lines[0]:
            path += f"m{_pair(line[0][0] - here[0], line[0][1] - here[1])}"
        for (x, y), (right, down) in pairwise(line):
            path += _stretch(right - x, down - y)
        here = line[-1]
    return PenPath(lines[0][0], path, pen)


def words(text: str, x: int, y: int, box: Place) -> Iterator[str]:
    """The path of each word of a line whose upper left corner is there, one box for each letter."""
    for found in re.finditer(r"[^ ]+", text):
        yield "".join(
            way(letter, *box).at(x + at * box[0], y)
            for at, letter in enumerate(found[0], found.start())
        )


def _stretch(dx: int, dy: int) -> str:
    if dx == dy == 0:
        return "h.01"  # not every program draws what has no length at all
    if not dy:
        return f"h{dx}"
    return f"l{_pair(dx, dy)}" if dx else f"v{dy}"


def _pair(x: int, y: int) -> str:
    return f"{x}{y}" if y < 0 else f"{x} {y}"


def _round(value: float) -> int:
    """To the nearest whole number; halves go up, where `round` takes the even one."""
    return int(value + 0.5)
