"""A conversation with one editor, which can interrupt a run or a request."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..fields import Message
from .adapter import Adapter
from .inbox import Inbox
from .wire import BrokenMessage, EndOfStream, ForeignTraffic, Wire

SLICE_WAIT = 0.001
Report = Callable[[Exception], str]
"""Reports an internal error; returns a line that says where the report is."""


class Dialogue:
    """Serves one editor until it disconnects."""

    def __init__(self, adapter: Adapter, wire: Wire, report: Report) -> None:
        self.adapter, self.wire, self.report = adapter, wire, report
        self.faulty = False
        """Whether an internal error occurred."""
        self._inbox = Inbox()
        adapter.hurried, adapter.cancelled = self._inbox.presses, self._inbox.is_cancelled
        adapter.tell = wire.write

    def serve(self, first: Message | None = None) -> None:
        """Answer all messages, `first` that one; raises `ForeignTraffic`."""
        if first is not None:
            self._inbox.put(first)
        threading.Thread(target=self._listen, daemon=True).start()
        while not self.adapter.over:
            waiting = self._inbox.take(SLICE_WAIT if self.adapter.running else None)
            message = None if waiting is None else waiting.message
            if isinstance(message, ForeignTraffic):
                raise message
            if isinstance(message, EndOfStream):
                return
            for answer in self._work() if waiting is None else self._answers(message):
                self.wire.write(answer)

    def _work(self) -> list[Message]:
        try:
            return self.adapter.work()
        except Exception as error:
            return self.adapter.fail(self._reported(error))

    def _answers(self, message: Any) -> list[Message]:
        if isinstance(message, BrokenMessage):
            return self.adapter.complain(str(message))
        try:
            return self.adapter.receive(message)
        except Exception as error:
            return [self.adapter.refuse(message, self._reported(error))]

    def _reported(self, error: Exception) -> str:
        """Report an internal error; returns the line for the editor."""
        self.faulty = True
        return self.report(error)

    def _listen(self) -> None:
        """Read ahead, so that running work can be interrupted."""
        while True:
            try:
                self._inbox.put(*self.wire.read())
            except BrokenMessage as error:
                self._inbox.put(error)
            except EndOfStream as error:
                return self._inbox.put(error)
            except (OSError, ValueError) as error:  # it went away, or was closed here meanwhile
                return self._inbox.put(EndOfStream(str(error)))
