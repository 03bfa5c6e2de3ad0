"""The report of a run, printed within the time that the run has."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from ...core.base.deadline import OutOfTime
from ...core.errors import LimitReached
from ...core.limits import Limits
from ...core.plane import ToldCells
from ...view.walk.run_report import JsonList, json_object
from .alarm import MOMENT, alarm

CUT = "the report has only a part of the state: the time was over (--max-time)"
END = object()
BRIEF = 0.1
"""Seconds for output that cannot be cut."""


def tell(answer: dict[str, Any], limits: Limits) -> bool:
    """Print a report; False if its lists were cut because the time was over."""
    watch = TimedLists()
    answer["state"] = {key: watch.over(value) for key, value in answer["state"].items()}
    answer = {key: watch.over(value) for key, value in answer.items()}
    with alarm(limits, watch.ring, MOMENT):
        sys.stdout.writelines(json_object(watch.finally_told(answer)))
    sys.stdout.write("\n")
    return not watch.cut


@contextmanager
def told_in_time(limits: Limits, why: str) -> Iterator[None]:
    """Raise `LimitReached` if the epilogue of a program takes too long."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise LimitReached(f"{why}; there was no time to show what it left", "time")

    with alarm(limits, ring, BRIEF):
        yield


class TimedLists:
    """Cuts lists between two items when the time is over: what is printed is valid JSON."""

    def __init__(self) -> None:
        self.making = self.rung = self.cut = False

    def ring(self, number: int, frame: FrameType | None) -> None:
        first, self.rung = not self.rung, True
        if first and self.making:
            raise OutOfTime

    def over(self, value: Any) -> Any:
        """The same value; a list may end early."""
        if isinstance(value, ToldCells):
            return JsonList(self._items(value.texts()))
        return self._items(value) if isinstance(value, Iterator) else value

    def finally_told(self, answer: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        yield from answer.items()
        if self.cut:
            yield "cut", "time"

    def _items(self, items: Iterator[Any]) -> Iterator[Any]:
        while (item := self._next(items)) is not END:
            yield item

    def _next(self, items: Iterator[Any]) -> Any:
        try:
            self.making = True
            item = END if self.rung else next(items, END)
            self.making = False
        except OutOfTime:
            item = END
        self.making = False
        self.cut = self.cut or self.rung
        return item
