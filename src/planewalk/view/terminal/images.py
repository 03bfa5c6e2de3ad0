"""Pictures for terminals: half blocks, letters, and three image protocols."""

from __future__ import annotations

import binascii
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

RESET = "\x1b[0m"
SHADES = " .:-=+*#%@"
CUBE = (0, 95, 135, 175, 215, 255)
"""The levels of red, green and blue that terminals with 256 colours have."""
WEAVE = ((0, 8, 2, 10), (12, 4, 14, 6), (3, 11, 1, 9), (15, 7, 13, 5))
"""An ordered dithering matrix, in sixteenths."""
HUELESS = 8
"""Channels that differ by less look grey."""
KITTY_PIECE = 4096
SIXEL_COLOURS = 256

MILLIONS, MANY, NONE = 1 << 24, 256, 0
"""How many colours a terminal has."""


def paint_blocks(rows: Sequence[bytes], colours: int) -> Iterator[str]:
    """Rows of red, green and blue as half blocks, two rows a line, or in shades of letters."""
    for y in range(0, len(rows), 2):
        below = rows[y + 1] if y + 1 < len(rows) else None
        yield _line(y, rows[y], below, colours) if colours else _letters(rows[y], below)


def _line(y: int, above: bytes, below: bytes | None, colours: int) -> str:
    """One line of half blocks; a colour is said only where it changes."""
    line, last = "", ("", "")
    for x in range(len(above) // 3):
        front = _colour(38, above[3 * x : 3 * x + 3], colours, x, y)
        back = _colour(48, below[3 * x : 3 * x + 3], colours, x, y + 1) if below else ""
        line += (front if front != last[0] else "") + (back if back != last[1] else "") + "▀"
        last = front, back
    return line + RESET


def _colour(ground: int, pixel: bytes, colours: int, x: int, y: int) -> str:
    red, green, blue = pixel
    return colour_code(ground, (red, green, blue), colours, WEAVE[y % 4][x % 4])


def colour_code(ground: int, colour: tuple[int, int, int], colours: int, part: int = 7) -> str:
    """The escape sequence for a foreground (38) or background colour (48)."""
    if colours == MILLIONS:
        return "\x1b[{};2;{};{};{}m".format(ground, *colour)
    return f"\x1b[{ground};5;{one_of_256(*colour, part)}m"


def one_of_256(red: int, green: int, blue: int, part: int = 7) -> int:
    """The number of a colour: a grey for what is grey, else one of 6 × 6 × 6.

    Between two of these it is the lower one for so many sixteenths of the way; with a part that
    changes from pixel to pixel, the eye sees what lies between.
    """
    if max(red, green, blue) - min(red, green, blue) < HUELESS:
        light = (red + green + blue) // 3
        return 16 if light < 4 else 231 if light > 246 else 232 + min((light - 3) // 10, 23)
    return 16 + sum(
        weight * _rung(value, part)
        for weight, value in zip((36, 6, 1), (red, green, blue), strict=True)
    )


def _rung(value: int, part: int) -> int:
    """Which level of the cube a channel has."""
    lower = max(rung for rung in range(6) if CUBE[rung] <= value)
    above = CUBE[min(lower + 1, 5)]
    return lower + (16 * (value - CUBE[lower]) > part * (above - CUBE[lower]))


def _letters(above: bytes, below: bytes | None) -> str:
    line = ""
    for at in range(0, len(above), 3):
        light = sum(above[at : at + 3]) + sum((below or above)[at : at + 3])
        line += SHADES[light * (len(SHADES) - 1) // (6 * 255)]
    return line


def kitty(png: bytes) -> str:
    """The image protocol of kitty and others: PNG in pieces of base64."""
    data = binascii.b2a_base64(png, newline=False).decode()
    words = []
    for at in range(0, len(data), KITTY_PIECE):
        more = int(at + KITTY_PIECE < len(data))
        keys = f"f=100,a=T,m={more}" if at == 0 else f"m={more}"
        words.append(f"\x1b_G{keys};{data[at : at + KITTY_PIECE]}\x1b\\")
    return "".join(words)


def iterm(png: bytes) -> str:
    """The image protocol of iTerm2 and others."""
    data = binascii.b2a_base64(png, newline=False).decode()
    return f"\x1b]1337;File=inline=1;size={len(png)}:{data}\x07"


def sixel(image: Any) -> str:
    """A Pillow image as sixels: bands of six rows, for each colour in them a line of columns."""
    few = image.quantize(SIXEL_COLOURS)
    width, height = few.size
    palette, cells = few.getpalette(), few.tobytes()
    words = [f'\x1bPq"1;1;{width};{height}']
    for number in sorted(set(cells)):
        red, green, blue = (value * 100 // 255 for value in palette[3 * number : 3 * number + 3])
        words.append(f"#{number};2;{red};{green};{blue}")
    for top in range(0, height, 6):
        band = [cells[y * width : (y + 1) * width] for y in range(top, min(top + 6, height))]
        for number in sorted(set(b"".join(band))):
            columns = [0] * width
            for bit, row in enumerate(band):
                at = row.find(number)
                while at >= 0:
                    columns[at] |= 1 << bit
                    at = row.find(number, at + 1)
            words.append(f"#{number}{_runs(columns)}$")
        words.append("-")
    return "".join(words) + "\x1b\\"


def _runs(columns: list[int]) -> str:
    """Columns of six dots as letters; long repetitions are counted."""
    words = ""
    for dots, alike in groupby(columns):
        count, letter = len(list(alike)), chr(63 + dots)
        words += f"!{count}{letter}" if count > 3 else letter * count
    return words
