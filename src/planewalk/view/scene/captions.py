"""Strips below the pictures of a contact sheet, with the time of each."""

from __future__ import annotations

from collections.abc import Sequence

from ..drawing.heat import INK, PAPER
from .film_layout import TextLine
from .letter_masks import LetterMasks

HEIGHT = 16
LARGE, SMALL, TINY = (7, 12), (6, 10), (4, 6)
"""The room of each letter: as large as the picture is wide enough for."""
MOST_DECIMALS = 6


def captions(times: Sequence[float], width: int) -> list[bytes]:
    """The strip of each time, as rows of red, green and blue."""
    from PIL import Image

    masks, strips = LetterMasks(), []
    for words in told(times):
        strip = Image.new("RGB", (width, HEIGHT), PAPER)
        bare = words.removesuffix(" s")
        ways = ((words, LARGE), (words, SMALL), (bare, LARGE), (bare, SMALL), (bare, TINY))
        text, box = next((way for way in ways if len(way[0]) * way[1][0] <= width), ("", TINY))
        left = (width - len(text) * box[0]) // 2
        masks.write(strip, TextLine(left, HEIGHT // 2, text, box=box), INK)
        strips.append(strip.tobytes())
    return strips


def told(times: Sequence[float]) -> list[str]:
    """Times with the fewest decimals that tell them apart, at least two if they are not round."""
    for decimals in range(MOST_DECIMALS + 1):
        words = [f"{time:.{decimals}f} s" for time in times]
        exact = all(abs(round(time, decimals) - time) < 1e-9 for time in times)
        if exact or (decimals >= 2 and len(set(words)) == len(set(times))):
            break
    return words
