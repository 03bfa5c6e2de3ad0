"""Text sources as rows of characters: UTF-8, one cell a code point, nothing ever refused."""

from __future__ import annotations

from functools import lru_cache


def decode_cells(source: bytes) -> str:
    """UTF-8 with each bad byte standing for itself, as the character with its value."""
    try:
        return source.decode()
    except UnicodeDecodeError:
        text = source.decode(errors="surrogateescape")
        return "".join(chr(ord(c) - 0xDC00) if "\udc80" <= c <= "\udcff" else c for c in text)


@lru_cache(maxsize=8)
def split_rows(source: bytes) -> tuple[str, ...]:
    """Lines end at LF or CRLF and nowhere else; one final line end makes no row."""
    rows = decode_cells(source).split("\n")
    last = rows.pop()
    rows = [row.removesuffix("\r") for row in rows]
    return (*rows, last) if last else tuple(rows)


def visible(text: str) -> str:
    """Text of strangers as one line that a terminal can be given: what it would obey, and what has
    no sign of its own, is escaped. Names of files that are no UTF-8 have such characters, too."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
