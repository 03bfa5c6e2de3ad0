"""Manual pages for a terminal: Markdown as plain text, no wider than it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest
from textwrap import wrap

from ...core.instruction import InstructionTable
from ...core.language import Language
from .manual import INSTRUCTIONS, WALK, functions_by_group

Style = Callable[[str], str]
"""How headings are shown."""
INDENT = " " * 6
NARROWEST = 8
"""Columns are not made narrower."""
BLOCK = re.compile(r"^```.*?(?:^```[^\n]*|\Z)|(?:^(?!```)[^\n]*\S[^\n]*(?:\n|\Z))+", re.M | re.S)
"""What lies between fences, or lines without a blank one between them."""
ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def plain_page(language: Language, guide: str, width: int, heading: Style = str) -> Iterator[str]:
    """A guide as text, with its instructions. Walks through programs are left out."""
    before, hole, after = re.sub(WALK, "", guide).partition(INSTRUCTIONS)
    yield from plain_lines(before, width, heading)
    for table in language.tables if hole else ():
        if table is not language.table:
            yield from (heading(table.name), "", *wrap(table.doc, width), "")
        yield from _table_lines(table, width, heading)
    yield from plain_lines(after, width, heading)


def _table_lines(table: InstructionTable, width: int, heading: Style) -> Iterator[str]:
    for group, functions in functions_by_group(table):
        yield from (heading(group), "")
        for rows in functions:
            first = rows[0]
            cells = " ".join("blank" if row.symbol == " " else row.symbol for row in rows)
            head = f"  {cells}   {first.name}"
            yield f"{head}   {first.effect}" if first.effect else head
            shown = (text.replace("\n", "⏎").replace(" => ", " gives ") for text in first.examples)
            for text in (first.doc, *(f"Example: {example}" for example in shown)):
                yield from wrap(text, width, initial_indent=INDENT, subsequent_indent=INDENT)
            yield ""


def plain_lines(markdown: str, width: int, heading: Style = str) -> Iterator[str]:
    """Paragraphs, lists and tables, each as wide as there is room."""
    for found in BLOCK.finditer(markdown):
        block = found[0].rstrip("\n").split("\n")
        first = block[0]
        if first.startswith("```"):
            yield from (f"    {line}" for line in block[1:-1])
        elif first.startswith("|"):
            yield from _columns(block, width)
        elif first.startswith("#"):
            yield heading(unmarked(first.lstrip("# ")))
        else:
            for item in _items(block):
                hanging = ITEM.match(item)
                indent = " " * len(hanging[0]) if hanging else ""
                yield from wrap(unmarked(item), width, subsequent_indent=indent)
        yield ""


def _items(block: list[str]) -> list[str]:
    """The items of a list, or the one paragraph, each on a line of its own."""
    items: list[str] = []
    for line in block:
        if not items or ITEM.match(line.strip()):
            items.append(line.strip())
        else:
            items[-1] += " " + line.strip()
    return items


def _columns(block: list[str], width: int) -> Iterator[str]:
    """A table in columns; the widest are wrapped where there is not room for all."""
    rows = [_cells(line) for line in block if not re.fullmatch(r"[|\-: ]+", line)]
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    while sum(widths) + 2 * len(widths) - 2 > width and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
    for row in rows:
        cells = [wrap(cell, size or 1) for cell, size in zip(row, widths, strict=False)]
        for parts in zip_longest(*cells, fillvalue=""):
            padded = (part.ljust(size) for part, size in zip(parts, widths, strict=False))
            yield "  ".join(padded).rstrip()


def _cells(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip())[1:-1]
    return [unmarked(cell.strip().replace("\\|", "|")) for cell in cells]


def unmarked(text: str) -> str:
    """Text without the marks for bold print and links; code keeps its quotes."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return text.replace("**", "").replace("<br>", "; ")
