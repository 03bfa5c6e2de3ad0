"""Wrapping of paragraphs, labelled entries and pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

NARROWEST = 24
"""Columns that words behind a label get at least; else they stand below it."""
_COLUMNS = re.compile(r"( *)(\S(?:.*?\S)??)( {2,})(\S.*)")


def filled(words: str, width: int, indent: str = "") -> list[str]:
    """A paragraph; the lines after its first are indented."""
    return _wrapped(words, width, "", indent)


def labelled(label: str, words: str, width: int, column: int) -> Iterator[str]:
    """A label, and words that begin in a column of their own, or below it if there is no room."""
    if width - column < NARROWEST:
        yield label.rstrip()
        column = len(label) - len(label.lstrip()) + 4
        label = ""
    first = label.ljust(column) if len(label) < column else f"{label} "
    yield from _wrapped(words, width, first, " " * column) or [label.rstrip()]


def page(text: str, width: int) -> str:
    """A page for readers: paragraphs are filled, lists and tables (which are indented) are kept
    and wrapped within their columns."""
    return "\n".join(line for block in _blocks(text) for line in _block(block, width))


def _blocks(text: str) -> Iterator[list[str]]:
    """The lines of each paragraph, and of each entry of a list."""
    block: list[str] = []
    for line in text.split("\n"):
        if block and not _goes_on(block, line):
            yield block
            block = []
        block.append(line)
    yield block


def _goes_on(block: list[str], line: str) -> bool:
    if not line or not block[0]:
        return False
    if not line.startswith(" "):
        return not block[0].startswith(" ")
    columns = _COLUMNS.fullmatch(block[0])
    return columns is not None and len(line) - len(line.lstrip()) == columns.start(4)


def _block(lines: list[str], width: int) -> list[str]:
    if max(map(len, lines)) <= width and lines[0].startswith(" "):
        return lines
    text = " ".join([lines[0], *map(str.strip, lines[1:])])
    columns = _COLUMNS.fullmatch(text) if text.startswith(" ") else None
    if columns is None:
        indent = " " * (len(text) - len(text.lstrip()))
        return _wrapped(text.strip(), width, indent, indent and indent + "  ") or [""]
    head = text[: columns.end(2)]
    return list(labelled(head, columns[4], width, columns.start(4)))


def _wrapped(words: str, width: int, first: str, rest: str) -> list[str]:
    return wrap(
        words,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
