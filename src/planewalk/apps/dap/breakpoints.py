"""Breakpoints and log points of an editor."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from ...core.errors import OptionError, PlanewalkError
from ...core.instruction import Group
from ...debug.conditions.grammar import Wanted, parse
from ...debug.session import Session
from ...view.console.breakpoints import Breakpoints
from ..fields import Message, refusal

ACCESS = {"read": "read {0}", "write": "written {0}", "readWrite": "read {0} or written {0}"}
"""Kinds of data breakpoints, and the conditions that they are."""


class Numbering(NamedTuple):
    """The numbers that an editor gives the first row and the first column."""

    row: int = 1
    column: int = 1

    def cell(self, walk: Session, place: Message) -> tuple[int, int] | None:
        """The cell that an editor means; without a column, the first that does something."""
        row, column = place["line"] - self.row, place.get("column")
        x = first_in_row(walk, row) if column is None else column - self.column
        return None if x is None else (x, row)


class EditorBreakpoints:
    """Breakpoints and log points. An editor sends all of a kind when one changes; those that are
    unchanged keep their hit counts."""

    def __init__(self, walk: Callable[[], Session]) -> None:
        """`walk` gives the session, or raises if no program is launched."""
        self._walk = walk
        self.points = Breakpoints()
        self._places: list[dict[str, str]] = []
        """The condition of each breakpoint in a cell, and the message if it is a log point."""
        self._data: list[str] = []
        self._logs: dict[str, str] = {}
        self._set: dict[str, int] = {}
        """The numbers of breakpoints that the editor has set; others were typed."""

    def set_in_cells(self, wanted: list[Message], numbers: Numbering) -> list[Any]:
        """Set all breakpoints in cells; returns where each is, or why it is invalid."""
        self._places, answers = [], []
        for each in wanted:
            cell = numbers.cell(self._walk(), each)
            if cell is None:
                answers.append({"verified": False, "message": "nothing stands in this row"})
                continue
            text = f"at {cell[0]},{cell[1]}"
            text, answer = _understood(self._walk(), text, f"{text} and ({{condition}})", each)
            if answer["verified"]:
                answer |= {"line": cell[1] + numbers.row, "column": cell[0] + numbers.column}
                self._places.append({"text": text, "log": each.get("logMessage", "")})
            answers.append(answer)
        return answers

    def set_data(self, wanted: list[Message]) -> list[Any]:
        """Set all data breakpoints; returns whether each is valid."""
        self._data, answers = [], []
        for each in wanted:
            text = ACCESS[each.get("accessType", "write")].format(each["dataId"])
            text, answer = _understood(self._walk(), text, f"({text}) and ({{condition}})", each)
            self._data += [text] * answer["verified"]
            answers.append(answer)
        return answers

    def arm(self, pause: Callable[[], bool]) -> None:
        self._logs = {each["text"]: each["log"] for each in self._places if each["log"]}
        wanted = dict.fromkeys([*(each["text"] for each in self._places), *self._data])
        known = {text: one for text, one in self._set.items() if one in self.points.all}
        for text in known.keys() - wanted:
            self.points.remove(known[text])
        self._set = {text: known.get(text) or self.points.add(text).id for text in wanted}
        for point in self.points.all.values():
            self._walk().count(point.wanted, pause)

    def stopping(self) -> list[Wanted]:
        """The breakpoints that stop the run; log points do not."""
        wanted = [point.wanted for point in self.points.all.values()]
        return [each for each in wanted if each.text not in self._logs]

    def said(self) -> tuple[list[str], bool]:
        """The messages of the log points that are hit, and whether only log points are hit."""
        walk, points = self._walk(), self.points.all.values()
        hits = [point.wanted.text for point in points if walk.is_hit_now(point.wanted)]
        logs = [self._logs[text] for text in hits if text in self._logs]
        return logs, bool(hits) and len(logs) == len(hits)


def _understood(walk: Session, text: str, both: str, wanted: Message) -> tuple[str, Any]:
    """A condition, combined with those of the request, and whether it is valid."""
    try:
        if wanted.get("condition"):
            text = both.replace("{condition}", wanted["condition"])
        if wish := wanted.get("hitCondition", "").strip():
            every = re.fullmatch(r"(?:every|%|=|==|>=)?\s*(\d{1,18})", wish)
            if every is None:
                expected = "expected every how many hits it should stop, such as 3"
                raise OptionError(f"{expected}, not {wish!r}")
            text += f" every {every[1]}"
        parse(text, walk.language)
    except PlanewalkError as error:
        return text, {"verified": False, "message": refusal(error).splitlines()[0]}
    return text, {"verified": True}


def first_in_row(walk: Session, row: int) -> int | None:
    """The column of the first cell in a row that does something."""
    box = walk.state.plane.box()
    if box is None or not box[1] <= row <= box[3]:
        return None
    for x in range(box[0], box[2] + 1):
        known = walk.language.table.get(ord(walk.language.sign(walk.state.plane, x, row)))
        if known is not None and known.group is not Group.NOTHING:
            return x
    return None
