"""Numbers of columns and rows beside the plane, for commands that take places."""

from __future__ import annotations

from rich.text import Text
from textual.widget import Widget

from .board import PlaneView

MOST_DIGITS = 12
STEPS = [digit * 10**zeros for zeros in range(MOST_DIGITS) for digit in (5, 10, 20)]
"""Possible distances in columns between two numbers."""
APART = 4
"""Blanks between two numbers, at least."""
HERE, ELSEWHERE = "bold", "dim"


class RowRuler(Widget):
    """The numbers of the rows, to the left of the plane."""

    DEFAULT_CSS = "RowRuler { width: 3; height: 1fr; }"

    def __init__(self, board: PlaneView) -> None:
        super().__init__()
        self.board = board
        board.rulers.append(self)

    def fit(self) -> None:
        """Set the width to that of the longest number."""
        _, top, _, bottom = self.board.extent
        width = min(max(len(str(top)), len(str(bottom))), MOST_DIGITS) + 1
        if self.styles.width is None or self.styles.width.value != width:
            self.styles.width = width

    def render(self) -> Text:
        """A number for each row."""
        top, width = self.board.window()[1], self.size.width
        text = Text(no_wrap=True)
        for row in range(top, top + self.size.height):
            style = HERE if row == self.board.cursor[1] else ELSEWHERE
            text.append(f"{row:>{width - 1}} \n", style)
        return text


class ColumnRuler(Widget):
    """The numbers of some columns above the plane, always with that of the cursor."""

    DEFAULT_CSS = "ColumnRuler { height: 1; }"

    def __init__(self, board: PlaneView, rows: RowRuler) -> None:
        super().__init__()
        self.board, self.rows = board, rows
        board.rulers.append(self)

    def render(self) -> Text:
        """Each number begins above its column."""
        left, _, right, _ = self.board.window()
        room, wide = max(self.size.width - self.rows.size.width, 1), self.board.cell_width
        line, here = [" "] * room, self.board.cursor[0]
        longest = max(len(str(left)), len(str(right)))
        step = next(step for step in STEPS if step * wide > longest + APART)
        for column in range(left + -left % step, right, step):
            _write(line, (column - left) * wide, str(column))
        start, label = (here - left) * wide, str(here)
        text = Text(" " * self.rows.size.width, no_wrap=True, overflow="crop")
        if not 0 <= start < room:
            return text.append("".join(line), ELSEWHERE)
        start = min(start, max(room - len(label), 0))
        _clear(line, start, start + len(label))
        _write(line, start, label)
        text.append("".join(line), ELSEWHERE)
        text.stylize(HERE, self.rows.size.width + start, self.rows.size.width + start + len(label))
        return text


def _write(line: list[str], start: int, label: str) -> None:
    """Write a number, if all of it fits."""
    if start + len(label) <= len(line):
        line[start : start + len(label)] = label


def _clear(line: list[str], start: int, end: int) -> None:
    """Remove the numbers that would touch this range."""
    while start > 0 and line[start - 1] != " ":
        start -= 1
    while end < len(line) and line[end] != " ":
        end += 1
    line[start:end] = " " * (end - start)
