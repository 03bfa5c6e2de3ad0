"""Boards as plain text, one letter a cell, so that circuits can be written in an editor.

`^ < > v` are the directions, `*` splits, `#` is void, `.` is empty, `:` a comment and `?` any
other colour. A blank is empty too, short lines are filled up with empty cells, and blank lines
at the end do not count.
"""

from __future__ import annotations

import io
import re

from ...core.errors import SourceError
from ...core.images.png import png_of
from ...core.images.reading import needed
from ...core.limits import allowance, show_size
from ...core.plane import BoardPlane
from .picture import COLOURS, OTHER, OTHER_COLOUR, read_picture

_PAINT = {**COLOURS, OTHER: OTHER_COLOUR, " ": COLOURS["."]}
LETTERS = "".join(_PAINT)
_STRANGE = re.compile(f"[^{re.escape(LETTERS)}]")
BLANKS = b" \t\r\n"
SAMPLE = 1 << 16
STRANGE = 4  # of so many letters, fewer than one may be strange in what is meant as a board
FORMATS = {".bmp": "BMP", ".gif": "GIF"}
"""What Pillow calls those that it writes."""


def is_board(source: bytes) -> bool:
    """Whether this is meant as a board: all but a few of its letters are those of cells."""
    letters = source[:SAMPLE].translate(None, BLANKS)
    strange = letters.translate(None, LETTERS.encode())
    return len(strange) * STRANGE < len(letters)


def read_text(source: bytes) -> BoardPlane:
    width, cells = _cells(source)
    return BoardPlane(width, cells.replace(b" ", b"."), ord("."))


def text_to_picture(source: bytes, suffix: str) -> bytes:
    """The picture of a text board, in the format of the suffix."""
    width, cells = _cells(source)
    if suffix == ".png":
        pixels = bytearray(3 * len(cells))
        for channel in range(3):
            values = bytes(_PAINT[letter][channel] for letter in LETTERS)
            pixels[channel::3] = cells.translate(bytes.maketrans(LETTERS.encode(), values))
        return png_of((width, len(cells) // width), bytes(pixels))
    from PIL import Image

    # Letters become numbers of a palette, so that no colour is ever approximated.
    numbers = bytes.maketrans(LETTERS.encode(), bytes(range(len(LETTERS))))
    image = Image.frombytes("P", (width, len(cells) // width), cells.translate(numbers))
    image.putpalette([value for letter in LETTERS for value in _PAINT[letter]])
    file = io.BytesIO()
    picture = image if suffix == ".gif" else image.convert("RGB")
    picture.save(file, format=FORMATS[suffix])
    return file.getvalue()


def _cells(source: bytes) -> tuple[int, bytes]:
    """The width of a board, and its cells row by row."""
    lines = source.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").split("\n")
    while lines and not lines[-1].strip(" "):
        lines.pop()
    for y, line in enumerate(lines):
        if strange := _STRANGE.search(line):
            known = " ".join(LETTERS).strip()
            words = f"{strange[0]!r} is no cell; use {known} or a blank"
            raise SourceError(words, (strange.start(), y))
    width = max(map(len, lines), default=0)
    if not width:
        raise SourceError("the board is empty; write at least one cell")
    if needed((width, len(lines))) > allowance():
        raise SourceError(
            f"a board of {width:,} x {len(lines):,} cells is too large: that takes up to "
            f"{show_size(needed((width, len(lines))))}, and {show_size(allowance())} is allowed "
            "(max_memory=...)"
        )
    return width, "".join(line.ljust(width) for line in lines).encode("ascii")


def picture_to_text(source: bytes, suffix: str) -> bytes:
    board, _ = read_picture(source)
    rows = (board.data[at : at + board.width] for at in range(0, len(board.data), board.width))
    return b"".join(row + b"\n" for row in rows)
