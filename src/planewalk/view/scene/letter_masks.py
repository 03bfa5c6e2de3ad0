"""Letters as pixel masks to paste ink through, each drawn once."""

from __future__ import annotations

from itertools import pairwise
from math import hypot
from typing import Any

from ..drawing.letters import Place, Strokes, drawing
from ..drawing.theme import Colour
from .film_layout import TextLine

LEVELS = 5
"""Shades of an edge: few, since GIF files have 256 colours."""
SMOOTH = 12
"""In boxes of fewer pixels slanted lines are steps: they are clearer than smooth ones there."""
FINE = 8
"""Larger letters are drawn so many times larger still, and made smaller."""


class LetterMasks:
    """A cache of the masks of letters."""

    def __init__(self) -> None:
        self.masks: dict[tuple[str, int, int], Any] = {}

    def get(self, text: str, width: int, height: int) -> Any:
        """A letter, or the digits of a code, in the middle of a box."""
        key = (text, width, height)
        if key not in self.masks:
            self.masks[key] = mask_of(drawing(text, width, height), width, height)
        return self.masks[key]

    def write(self, image: Any, words: TextLine, ink: Colour) -> None:
        width, height = words.box
        x = words.x - len(words.text) * width * words.right
        for at, letter in enumerate(words.text):
            if letter != " ":
                mask = self.get(letter, width, height)
                image.paste(ink, (x + at * width, words.y - height // 2), mask)


def mask_of(drawn: Strokes, width: int, height: int) -> Any:
    from PIL import Image, ImageDraw

    fine = FINE if height >= SMOOTH else 1
    mask = Image.new("L", (width * fine, height * fine))
    draw, pen = ImageDraw.Draw(mask), drawn.pen * fine
    for line in drawn.lines:
        places = [(x * fine, y * fine) for x, y in line]
        for begin, end in pairwise(places):
            if pen > 1:
                _stretch(draw, begin, end, pen)
            else:
                draw.line((begin, end), fill=255)
    return few_levels(mask.reduce(fine))


def _stretch(draw: Any, begin: Place, end: Place, pen: int) -> None:
    """Draw the stroke of a square pen: its square at both ends, and a line of that width."""
    for x, y in (begin, end):
        draw.rectangle((x, y, x + pen - 1, y + pen - 1), fill=255)
    (x, y), (right, down) = sorted((begin, end))
    if x == right or y == down:
        draw.rectangle((x, min(y, down), right + pen - 1, max(y, down) + pen - 1), fill=255)
        return
    length = hypot(right - x, down - y)
    aside = (pen * (down - y) / length / 2, -pen * (right - x) / length / 2)
    ends = [(x + pen / 2, y + pen / 2), (right + pen / 2, down + pen / 2)]
    outline = [(a + aside[0], b + aside[1]) for a, b in ends]
    outline += [(a - aside[0], b - aside[1]) for a, b in reversed(ends)]
    draw.polygon(outline, fill=255)


def few_levels(mask: Any) -> Any:
    """The same mask with fewer shades."""
    step = 255 / (LEVELS - 1)
    return mask.point([round(round(value / step) * step) for value in range(256)])
