"""Text sources as rows of characters: UTF-8, one cell a code point, nothing ever refused."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from .errors import OptionError

SMALL = 1 << 20
"""Bytes of a source of which the rows are remembered, as it is probably started again."""
ROW = 64  # what a row takes beside its characters
_PIECE = 1 << 20


def decode_cells(source: bytes) -> str:
    """UTF-8 with each bad byte standing for itself, as the character with its value."""
    try:
        return source.decode()
    except UnicodeDecodeError:
        text = source.decode(errors="surrogateescape")
        return "".join(chr(ord(c) - 0xDC00) if "\udc80" <= c <= "\udcff" else c for c in text)


def bytes_of(text: str) -> bytes:
    """A text as UTF-8; what stands for a byte that was none is that byte again."""
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError as error:
        raise OptionError(f"character {error.start} of the text is half a character") from None


def split_rows(source: bytes) -> tuple[str, ...]:
    """Lines end at LF or CRLF and nowhere else; one final line end makes no row."""
    return _known_rows(source) if len(source) < SMALL else _split(source)


def _split(source: bytes) -> tuple[str, ...]:
    rows = decode_cells(source).split("\n")
    last = rows.pop()
    rows = [row.removesuffix("\r") for row in rows]
    return (*rows, last) if last else tuple(rows)


_known_rows = lru_cache(maxsize=8)(_split)


def size_of_text(source: bytes) -> int:
    """How many bytes the rows of a source take at most."""
    widest = 1 if source.isascii() else 4
    return widest * len(source) + ROW * (source.count(b"\n") + 1)


def lines_of(source: bytes) -> Iterator[list[bytes]]:
    """All lines, without their ends, many at a time: of a large source not all fit into memory."""
    rest, begin = [b""], 0
    while begin < len(source):
        lines = source[begin : begin + _PIECE].split(b"\n")
        begin += _PIECE
        rest.append(lines[0])
        if len(lines) > 1:
            yield [b"".join(rest), *lines[1:-1]]
            rest = [lines[-1]]
    yield [b"".join(rest)]


def visible(text: str) -> str:
    """Text of strangers as one line that a terminal can be given: what it would obey, and what has
    no sign of its own, is escaped. Names of files that are no UTF-8 have such characters, too."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
