"""What is drawn of one moment of a run, as plain data for all painters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from ...core.instruction import Group
from ...core.language import Language
from ...core.plane import Box, Plane
from ..drawing.theme import Colour, Theme, mix
from ..walk.follow import Footprint


class Look(NamedTuple):
    """What a cell looks like: a character, or the code of one that cannot be seen, in hex."""

    text: str
    group: Group
    fill: Colour | None = None


Shown = TypeVar("Shown")
MOST_KNOWN = 1 << 12
"""Limit on the cached looks: most planes have few different cells, some have no two alike."""
OUTSIDE = Look("", Group.NOTHING)
ZERO = "·"
"""Stands for the character with code 0."""


class Mark(NamedTuple):
    """A walker on the plane: its cell, its heading, and the number that gives colour and shape."""

    x: int
    y: int
    dx: float
    dy: float
    number: int


class Hand(NamedTuple):
    """The hand of a walker."""

    x: int
    y: int
    number: int


class Warmth(NamedTuple):
    """How often a cell was visited, relative to the most visited one."""

    x: int
    y: int
    share: float


class Line(NamedTuple):
    """A line of a panel, with the mark of a walker or a colour before it."""

    text: str
    walker: int | None = None
    colour: Colour | None = None

    @property
    def signed(self) -> bool:
        """Whether there is something before its text."""
        return self.walker is not None or self.colour is not None


class Panel(NamedTuple):
    """Lines below the plane. One without a label continues the panel before it."""

    label: str
    lines: tuple[Line, ...]

    @property
    def signed(self) -> bool:
        """Whether there is something before its lines, or before those that were broken."""
        return any(line.signed for line in self.lines)


class ColumnPort(NamedTuple):
    """What comes in above a column and what goes out below it, in words."""

    x: int
    into: str
    out: str


class Scene(NamedTuple):
    """One moment of a run. `rows` are the cells of `box`, the rest are places of the plane."""

    title: str
    caption: str
    box: Box
    rows: tuple[tuple[Look, ...], ...]
    heat: tuple[Warmth, ...] = ()
    trail: tuple[Footprint, ...] = ()
    length: int = 0
    """How many ticks a trail may be old."""
    hands: tuple[Hand, ...] = ()
    marks: tuple[Mark, ...] = ()
    panels: tuple[Panel, ...] = ()
    ports: tuple[ColumnPort, ...] = ()

    def look(self, x: int, y: int) -> Look:
        return self.rows[y - self.box[1]][x - self.box[0]]

    def freshness(self, foot: Footprint) -> float:
        """1 for the newest footprints, less for older ones."""
        return 1 - (foot.age - 1) / max(self.length, 1)


def changed_rows(before: Sequence[Any], after: Sequence[Any]) -> Iterator[tuple[int, Any, Any]]:
    """Rows that are different, with their numbers and both values; rows may be added at the end."""
    for y, row in enumerate(after):
        old = before[y] if y < len(before) else None
        if old is not row and old != row:
            yield y, old, row


def changed_cells(
    before: Sequence[Sequence[Any]], after: Sequence[Sequence[Any]]
) -> Iterator[tuple[int, int, Any, Any]]:
    """Cells that look different, counted from the corner of the box, with both looks."""
    for y, old, new in changed_rows(before, after):
        for x, (was, now) in enumerate(zip(old, new, strict=True)):
            if was != now:
                yield x, y, was, now


class CellReader(Generic[Shown]):
    """Reads boxes of planes row by row; `learn` is asked once for each number in a cell."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.outside = self.learn(OUTSIDE)
        self.known: dict[int, Shown] = {}
        self._still: tuple[Plane, Box, tuple[tuple[Shown, ...], ...]] | None = None

    def learn(self, look: Look) -> Shown:
        """What stands for cells that look like that."""
        raise NotImplementedError

    def rows(self, plane: Plane, inner: Box | None, box: Box) -> tuple[tuple[Shown, ...], ...]:
        """The cells of a box; those of an unwritable plane are looked up once. `inner` is the
        plane's own box, which may take a while to find."""
        if self._still is not None and self._still[0] is plane and self._still[1] == box:
            return self._still[2]
        left, top, right, bottom = box
        first, last = (0, -1) if inner is None else (max(left, inner[0]), min(right, inner[2]))
        columns, blank = range(first, last + 1), (self.outside,) * (right + 1 - left)
        before, behind = blank[: columns.start - left], blank[: right + 1 - columns.stop]
        rows = tuple(
            (*before, *self._row(plane, y, columns), *behind)
            if inner and columns and inner[1] <= y <= inner[3]
            else blank
            for y in range(top, bottom + 1)
        )
        self._still = None if plane.writable else (plane, box, rows)
        return rows

    def _row(self, plane: Plane, y: int, columns: range) -> list[Shown]:
        numbers = plane.row(columns.start, y, len(columns))
        try:
            return [*map(self.known.__getitem__, numbers)]
        except KeyError:
            if len(self.known) > MOST_KNOWN:
                self.known.clear()
        for x, number in zip(columns, numbers, strict=True):
            if number not in self.known:
                self.known[number] = self.learn(
                    look_of(self.language, self.language.sign(plane, x, y))
                )
        return [*map(self.known.__getitem__, numbers)]


class CellLooks(CellReader[Look]):
    """The look of every cell."""

    def learn(self, look: Look) -> Look:
        return look


def block(theme: Theme, look: Look) -> Colour:
    """The colour of a cell that has no room for a letter: another one for each value."""
    if look.fill is not None:
        return look.fill
    if not look.text:
        return theme.ground
    if look.text == ZERO:
        return mix(theme.ground, theme.edge, 0.4)
    value = ord(look.text) if len(look.text) == 1 else int(look.text, 16)
    return theme.shade(look.group, value)


def look_of(language: Language, glyph: str) -> Look:
    group = next((row.group for _, row in language.meanings(glyph)), Group.NOTHING)
    if language.looks.swatch is not None:
        fill = language.looks.swatch(glyph)
        return Look("" if group is Group.NOTHING else glyph, group, fill)
    if glyph == " ":
        return Look("", group)
    if glyph == "\0":
        return Look(ZERO, Group.NOTHING)
    return Look(glyph if glyph.isprintable() and glyph != ZERO else f"{ord(glyph):02X}", group)
