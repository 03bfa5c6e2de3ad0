"""Letters as pixels, from the font that comes with Pillow."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

from .layout import ADVANCE, FONT, Words
from .theme import Colour

LEVELS = 5
"""Shades of a letter's edge: few, so that GIF files get along with their 256 colours."""
BOX = "▫"
"""Stands for a character that cannot be seen."""


class Letters:
    """Masks to paste ink through, each drawn once.

    The font has little more than ASCII. Other characters are shown by their codes, in hex digits
    that take the room of a letter.
    """

    def __init__(self) -> None:
        self.masks: dict[tuple[str, int, int], Any] = {}
        self.fonts: dict[int, Any] = {}

    def cell(self, text: str, side: int) -> Any:
        """A letter, or the digits of a code, in the middle of a square."""
        return self._mask(text, side, side, round(side * 0.82))

    def write(self, image: Any, words: Words, ink: Colour) -> None:
        """Write a line, in columns if it is exact or has letters that the font lacks."""
        if words.exact or not all(map(self._has, set(words.text))):
            self._columns(image, words, ink)
            return
        width = math.ceil(self._font(FONT).getlength(words.text)) + 2
        mask = few_levels(self._line(words.text, FONT, width, FONT + 6))
        image.paste(ink, (words.x - width * words.right, words.y - (FONT + 6) // 2), mask)

    def _columns(self, image: Any, words: Words, ink: Colour) -> None:
        x = words.x - len(words.text) * ADVANCE * words.right
        for at, letter in enumerate(words.text):
            if letter != " ":
                mask = self._mask(letter, ADVANCE, FONT + 4, FONT)
                image.paste(ink, (x + at * ADVANCE, words.y - (FONT + 4) // 2), mask)

    def _mask(self, text: str, width: int, height: int, size: int) -> Any:
        key = (text, width, height)
        if key not in self.masks:
            self.masks[key] = few_levels(self._draw(text, width, height, size))
        return self.masks[key]

    def _draw(self, text: str, width: int, height: int, size: int) -> Any:
        if text == BOX:
            return self._box(width, height)
        if len(text) > 1:
            return self._code(text, width, height)
        if self._has(text):
            return self._line(text, size, width, height)
        return self._code(f"{ord(text):02X}", width, height)

    def _line(self, text: str, size: int, width: int, height: int) -> Any:
        """Text in the middle of a mask, made narrower where it has too little room."""
        from PIL import Image, ImageDraw

        font = self._font(size)
        wide = max(width, math.ceil(font.getlength(text)))
        mask = Image.new("L", (wide, height))
        middle = (wide / 2, height / 2)
        ImageDraw.Draw(mask).text(middle, text, font=font, fill=255, anchor="mm")
        return mask.resize((width, height)) if wide > width else mask

    def _code(self, digits: str, width: int, height: int) -> Any:
        """Up to three digits in one line, more in two."""
        from PIL import Image

        middle = len(digits) if len(digits) < 4 else (len(digits) + 1) // 2
        lines = [part for part in (digits[:middle], digits[middle:]) if part]
        mask = Image.new("L", (width, height))
        step = height // len(lines)
        for at, line in enumerate(lines):
            size = max(round(min(1.3 * width / len(line), step)), 5)
            mask.paste(self._line(line, size, width, step), (0, at * step))
        return mask

    def _box(self, width: int, height: int) -> Any:
        from PIL import Image, ImageDraw

        mask = Image.new("L", (width, height))
        x, y, arm = width // 2, height // 2, max(min(width, height) // 4, 1)
        ImageDraw.Draw(mask).rectangle((x - arm, y - arm, x + arm, y + arm), outline=255)
        return mask

    def _font(self, size: int) -> Any:
        from PIL import ImageFont

        if size not in self.fonts:
            self.fonts[size] = ImageFont.load_default(size)
        return self.fonts[size]

    @cached_property
    def _missing(self) -> bytes:
        """What the font draws for a character that it does not have."""
        return bytes(self._font(20).getmask("\uffff"))

    def _has(self, letter: str) -> bool:
        return bytes(self._font(20).getmask(letter)) != self._missing


def few_levels(mask: Any) -> Any:
    """The same mask with fewer shades."""
    step = 255 / (LEVELS - 1)
    return mask.point([round(round(value / step) * step) for value in range(256)])
