"""The steps of each pixel as colours with a legend.

The colours grow lighter all the way, so that they can be told apart without seeing hues.
"""

from __future__ import annotations

from array import array
from functools import cache

from .theme import DARK, Colour

LADDER: tuple[Colour, ...] = (
    (68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37),
)  # fmt: skip
"""From few steps to many; colours between these are mixed."""
ENDED: Colour = (44, 50, 66)
LIMITED: Colour = (255, 176, 0)
PAPER, INK = DARK.paper, DARK.ink

LEGEND = 30
"""The height of the strip with the legend."""
BAR = 10
MARGIN = 6


@cache
def ladder() -> tuple[bytes, bytes, bytes]:
    """Red, green and blue of 256 levels of heat."""
    colours = []
    for level in range(256):
        rung, part = divmod(level * (len(LADDER) - 1), 255)
        both = zip(LADDER[rung], LADDER[min(rung + 1, len(LADDER) - 1)], strict=True)
        colours.append(
            [(below * (255 - part) + above * part + 127) // 255 for below, above in both]
        )
    red, green, blue = map(bytes, zip(*colours, strict=True))
    return red, green, blue


def paint_steps(steps: array[int], scale: int) -> bytes:
    """Pixels by their steps; those of `scale` and more have the last colour."""
    levels = bytes(255 * min(step, scale) // scale for step in steps)
    return _coloured(levels, ladder())


def paint_limited(limited: bytes) -> bytes:
    """Pixels by whether they ran into the limit."""
    red, green, blue = (
        bytes([ended]) + bytes([ran]) * 255 for ended, ran in zip(ENDED, LIMITED, strict=True)
    )
    return _coloured(limited, (red, green, blue))


def _coloured(levels: bytes, tables: tuple[bytes, bytes, bytes]) -> bytes:
    pixels = bytearray(3 * len(levels))
    for channel, table in enumerate(tables):
        pixels[channel::3] = levels.translate(table)
    return bytes(pixels)


def steps_legend(width: int, scale: int, *, more: bool) -> bytes:
    """A strip of the colours with numbers of steps; other frames may take `more` than the scale."""
    from PIL import Image, ImageDraw

    strip = Image.new("RGB", (width, LEGEND), PAPER)
    pen = ImageDraw.Draw(strip)
    left, right = (MARGIN, width - MARGIN - 1) if width > 4 * MARGIN else (0, width - 1)
    for x in range(left, right + 1):
        level = 255 * (x - left) // max(right - left, 1)
        pen.line((x, 4, x, 4 + BAR), tuple(table[level] for table in ladder()))
    free = float(left)  # where the next label may begin
    last = f"{scale:,}{'+' if more else ''} steps"
    end = right - pen.textlength(last)
    if end < left + pen.textlength("0") + MARGIN:
        last, end = f"{scale:,}", right - pen.textlength(f"{scale:,}")
    for number in range(0, scale, _round_step(scale)):
        at = left + (right - left) * number // scale
        text = f"{number:,}"
        begin = max(left, at - pen.textlength(text) / 2)
        if begin >= free and begin + pen.textlength(text) + MARGIN <= end:
            pen.line((at, 4 + BAR, at, 7 + BAR), INK)
            pen.text((begin, 17), text, INK)
            free = begin + pen.textlength(text) + MARGIN
    if end >= 0:
        pen.text((end, 17), last, INK)
    return strip.tobytes()


def limit_legend(width: int, steps: int | None) -> bytes:
    """A strip that says what the two colours mean."""
    from PIL import Image, ImageDraw

    strip = Image.new("RGB", (width, LEGEND), PAPER)
    pen = ImageDraw.Draw(strip)
    at = float(MARGIN)
    told = "no limit" if steps is None else f"limit of {steps:,} steps"
    for colour, words in ((ENDED, "ended"), (LIMITED, told)):
        pen.rectangle((at, 10, at + BAR, 10 + BAR), colour, INK)
        pen.text((at + BAR + 5, 9), words, INK)
        at += BAR + 5 + pen.textlength(words) + 2 * MARGIN
    return strip.tobytes()


def _round_step(scale: int) -> int:
    """The largest round number that goes into the scale four times or more."""
    rounds = [part * 10**zeros for zeros in range(len(str(scale))) for part in (1, 2, 5)]
    return max((step for step in rounds if scale // step >= 4), default=1)
