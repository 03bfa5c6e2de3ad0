"""The plane in a terminal, of which only the visible part is read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from ...core.plane import Box
from ...debug.session import Session
from ...view.drawing.theme import DARK, Theme, contrast, hexadecimal, mix, web
from ...view.scene.frame import Frame, Lens
from ...view.walk.follow import cell_of, lies_in

MARGIN = 1
"""Cells shown around the plane."""
ARROWS = {(1, 0): "→", (0, 1): "↓", (-1, 0): "←", (0, -1): "↑",
          (1, 1): "↘", (-1, 1): "↙", (-1, -1): "↖", (1, -1): "↗"}  # fmt: skip
TRAIL = 12

Place = tuple[int, int]


class PlaneView(ScrollView, can_focus=True, inherit_bindings=False):
    """The cells, walkers, hands, trails, heat, breakpoints, and a cursor that can be moved."""

    class Chosen(Message):
        """A breakpoint at the cursor was toggled."""

    class Pointed(Message):
        """The cursor was moved."""

    def __init__(self, session: Session, lens: Lens, theme: Theme = DARK) -> None:
        super().__init__(id="board")
        self.session, self.lens, self.colours = session, lens, theme
        self.cell_width = 2 if session.language.looks.swatch is not None else 1
        self.cursor: Place = (0, 0)
        self.breakpoints: set[Place] = set()
        self.heat: dict[Place, float] = {}
        self.trail: list[set[Place]] = []
        self.following = True
        self.extent: Box = (0, 0, 0, 0)
        self.frame: Frame | None = None
        self.rulers: list[Widget] = []
        """Widgets that are drawn again when other cells become visible."""
        self._walkers: dict[Place, Any] = {}
        self._hands: dict[Place, int] = {}
        self._ages: dict[Place, int] = {}
        """How many frames ago a walker was at a place."""
        self._lively: set[Place] = set()
        """Cells with walkers, hands, trails or breakpoints."""
        self._plain: dict[tuple[int, bool], tuple[str, Style]] = {}
        self._inks = {key.name.lower(): colour for key, colour in theme.groups.items()}

    # What is shown ---------------------------------------------------------------------------

    def show(self) -> None:
        self._measure()
        if self.following:
            self._follow()
        self._look()
        self.refresh()

    def _measure(self) -> None:
        """Measure what can be seen: the plane, and the walkers beside it."""
        state = self.session.state
        left, top, right, bottom = state.plane.box() or (0, 0, 0, 0)
        for walker in state.walkers[:50]:
            for place in (cell_of(walker.stance.x, walker.stance.y), walker.hand):
                if place is not None and max(map(abs, place)) < 1 << 40:
                    left, right = min(left, place[0]), max(right, place[0])
                    top, bottom = min(top, place[1]), max(bottom, place[1])
        self.extent = (left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN)
        width, height = right - left + 1 + 2 * MARGIN, bottom - top + 1 + 2 * MARGIN
        self.virtual_size = Size(width * self.cell_width, height)

    def _follow(self) -> None:
        """Keep the first walker on the screen, and the cursor on it."""
        walkers = self.session.state.walkers
        place = cell_of(walkers[0].stance.x, walkers[0].stance.y) if walkers else None
        if place is not None:
            self.cursor = place
            self.reveal(place)

    def reveal(self, place: Place) -> None:
        column, row = self._column(place[0]), place[1] - self.extent[1]
        spot = Region(column - 8, row - 3, 17, 7)
        self.scroll_to_region(spot, animate=False, force=True)

    def _column(self, x: int) -> int:
        return (x - self.extent[0]) * self.cell_width

    def window(self) -> Box:
        left = self.extent[0] + int(self.scroll_offset.x) // self.cell_width
        top = self.extent[1] + int(self.scroll_offset.y)
        width = max(self.size.width // self.cell_width, 1)
        return left, top, left + width, top + max(self.size.height, 1)

    def _look(self) -> None:
        self.frame = self.lens.look(self.session.state, self.window(), stop=self.session.stop)
        self._walkers = {(walker.x, walker.y): walker for walker in reversed(self.frame.walkers)}
        self._hands = {w.hand: w.number for w in self.frame.walkers if w.hand is not None}
        pairs = enumerate(reversed(self.trail), 1)
        self._ages = {place: age for age, places in reversed(list(pairs)) for place in places}
        self._lively = {*self._walkers, *self._hands, *self._ages, *self.breakpoints}
        for ruler in self.rulers:
            ruler.refresh()

    def leave_trail(self) -> None:
        """Add the walkers' places to the trail before they move."""
        self.trail = [*self.trail, set(self._walkers)][-TRAIL:]

    def render_line(self, y: int) -> Strip:
        if self.frame is None or self.frame.box != self.window():
            self._look()
        frame = self.frame
        assert frame is not None
        left, top, _, _ = frame.box
        if y >= len(frame.rows):
            return Strip.blank(self.size.width)
        return Strip(list(self._segments(left, top + y, frame.rows[y]))).adjust_cell_length(
            self.size.width
        )

    def _segments(self, left: int, row: int, looks: tuple[int, ...]) -> Iterator[Segment]:
        """The cells of a row, grouped by style."""
        text, style = "", None
        for column, look in enumerate(looks, left):
            shown, other = self._cell((column, row), look)
            if other is not style and style is not None:
                yield Segment(text, style)
                text = ""
            text, style = text + shown, other
        yield Segment(text, style)

    def _cell(self, place: Place, look: int) -> tuple[str, Style]:
        """The text and style of a cell, cached for plain cells."""
        if place in self._lively or place in self.heat or place == self.cursor:
            return self._lively_cell(place, look)
        key = look, self._is_inside(place)
        known = self._plain.get(key)
        if known is None:
            known = self._plain[key] = self._lively_cell(place, look)
        return known

    def _lively_cell(self, place: Place, look: int) -> tuple[str, Style]:
        """The text and style of a cell with walkers, hands, trails and heat."""
        assert self.frame is not None
        text, group, fill = self.frame.looks[look]
        ink, ground, bold = self._ink(group), self.colours.ground, False
        shown = text if len(text) == 1 else "▫" if text else " "
        if fill is not None:
            ground = hexadecimal(fill[1:])
            ink = contrast(ground)
        elif not self._is_inside(place):
            ground = self.colours.paper
        warmth = self.heat.get(place)
        if warmth is not None:
            ground = mix(ground, self.colours.heat[-1], 0.2 + 0.6 * warmth)
        age = self._ages.get(place)
        if age is not None:
            ground = mix(ground, self.colours.walkers[0], 0.5 / age)
        second = " "
        hand = self._hands.get(place)
        if hand is not None:
            ground = mix(ground, self._walker_colour(hand), 0.45)
            second = "]"
            shown = shown if shown != " " else "▯"
        walker = self._walkers.get(place)
        if walker is not None:
            ground, bold = self._walker_colour(walker.number), True
            ink = contrast(ground)
            arrow = ARROWS.get((_sign(walker.dx), _sign(walker.dy)), "•")
            shown, second = (shown, arrow) if shown != " " else (arrow, " ")
        broken = place in self.breakpoints
        style = _style(ink, ground, bold, broken, place == self.cursor and self.has_focus)
        if broken and shown == " ":
            shown = "●"
        return (shown + second if self.cell_width == 2 else shown), style

    def _is_inside(self, place: Place) -> bool:
        return self.frame is not None and lies_in(place, self.frame.plane)

    def _ink(self, group: str) -> Any:
        return self._inks.get(group, self.colours.ink)

    def _walker_colour(self, number: int) -> Any:
        return self.colours.walkers[number % len(self.colours.walkers)]

    # The cursor ------------------------------------------------------------------------------

    def point(self, place: Place) -> None:
        self.cursor = place
        for widget in (self, *self.rulers):
            widget.refresh()
        self.post_message(self.Pointed())

    def move_cursor(self, dx: int, dy: int) -> None:
        """Move the cursor, and the view with it."""
        self.following = False
        self.point((self.cursor[0] + dx, self.cursor[1] + dy))
        self.reveal(self.cursor)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor by a click; a double click toggles a breakpoint."""
        left, top, _, _ = self.window()
        self.following = False
        self.point((left + event.x // self.cell_width, top + event.y))
        if event.chain == 2:
            self.post_message(self.Chosen())


@lru_cache(4096)
def _style(ink: Any, ground: Any, bold: bool, underline: bool, reverse: bool) -> Style:
    """A style, cached so that equal looks share one."""
    return Style(
        color=web(ink), bgcolor=web(ground), bold=bold, underline=underline, reverse=reverse
    )


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
