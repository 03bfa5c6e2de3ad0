"""The queue of messages: which interrupt the current request, and which were cancelled."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, NamedTuple

from .wire import EndOfStream

PRESSING = ("pause", "disconnect", "terminate", "restart")
"""Requests that interrupt a long request or tick."""
MOST_MESSAGES = 1_000
MOST_BYTES = 32 << 20
"""Limits of the queue; further messages stay in the stream."""


class Waiting(NamedTuple):
    """A message with its length, or the error in its place."""

    message: Any
    size: int = 0

    @property
    def command(self) -> Any:
        return self.message.get("command") if isinstance(self.message, dict) else None

    @property
    def presses(self) -> bool:
        return isinstance(self.message, EndOfStream) or self.command in PRESSING

    @property
    def number(self) -> int | None:
        found = self.message.get("seq") if isinstance(self.message, dict) else None
        return found if type(found) is int else None


class Inbox:
    """A queue of messages between the reading thread and the serving one."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Waiting] = deque()
        self._size = 0
        self._now: int | None = None
        """The number of the current request."""
        self._cancelled: set[int] = set()
        self._presses = False

    def put(self, message: Any, size: int = 0) -> None:
        """Add a message; blocks while the queue is full."""
        with self._changed:
            self._changed.wait_for(self._has_room)
            arrived = Waiting(message, size)
            self._waiting.append(arrived)
            self._size += size
            if arrived.command == "cancel":
                meant = cancelled_number(message.get("arguments"))
                known = {self._now, *(each.number for each in self._waiting)}
                if meant is not None and meant in known:  # else it is over
                    self._cancelled.add(meant)
            self._look()
            self._changed.notify_all()

    def _has_room(self) -> bool:
        return len(self._waiting) < MOST_MESSAGES and self._size < MOST_BYTES

    def take(self, seconds: float | None) -> Waiting | None:
        """The next message, which becomes the current request; None if none comes in time."""
        with self._changed:
            if self._now is not None:
                self._cancelled.discard(self._now)
            self._now = None
            if not self._changed.wait_for(lambda: self._waiting, seconds):
                self._look()
                return None
            taken = self._waiting.popleft()
            self._size -= taken.size
            self._now = taken.number
            self._look()
            self._changed.notify_all()
            return taken

    def _look(self) -> None:
        self._presses = self.is_cancelled() or any(each.presses for each in self._waiting)

    def is_cancelled(self) -> bool:
        return self._now is not None and self._now in self._cancelled

    def presses(self) -> bool:
        return self._presses


def cancelled_number(arguments: Any) -> int | None:
    """The number of the request to cancel; progress has the number of its request."""
    if not isinstance(arguments, dict):
        return None
    meant = arguments.get("requestId")
    if meant is None and str(arguments.get("progressId")).isdecimal():
        meant = int(str(arguments["progressId"])[:20])
    return meant if type(meant) is int else None
