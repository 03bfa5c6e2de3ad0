"""Messages of one tab as text: they wait, are read, and answered for a slice of time."""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from ..fields import Message
from .conversation import Conversation, takes_long

LOG = logging.getLogger(__name__)


class Mailbox:
    """A conversation and the messages that wait for it; its owner knows where they come from."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.inbox: deque[str | bytes] = deque()
        self._came = self._went = 0
        self._read_before: tuple[str | bytes, bool] = "", False

    def put(self, message: str | bytes) -> None:
        """Have a message wait."""
        self._came += len(message)
        self.inbox.append(message)

    @property
    def waiting(self) -> int:
        """Characters of messages that wait."""
        return self._came - self._went

    def takes_long(self, message: str | bytes) -> bool:
        """Whether a message may take long to answer; each is parsed only once for this."""
        if message is not self._read_before[0]:
            self._read_before = message, takes_long(_read(message))
        return self._read_before[1]

    def answers(self) -> list[Message]:
        """The answers to messages for a slice of time, or else what the run has to show."""
        talk = self.conversation
        if not self.inbox:
            return self._safely(talk.work)
        answers: list[Message] = []
        until, first = talk.clock() + talk.means.slice, True
        while self.inbox and (first or talk.clock() < until):
            if not first and self.takes_long(self.inbox[0]):
                break  # the answers so far are sent first
            text = self.inbox.popleft()
            self._went += len(text)
            message, first = _read(text), False
            answers += self._safely(talk.receive, message, bool(self.inbox))
        return answers + self._safely(talk.settle)

    def _safely(self, do: Callable[..., list[Message]], *given: Any) -> list[Message]:
        """Report internal errors in the tab, which goes on."""
        try:
            return do(*given)
        except MemoryError:
            return self._ended("the memory that a tab may take is full; open the program again")
        except Exception as error:
            LOG.exception("a tab of the studio met a bug")
            return self._ended(f"this is a bug in planewalk ({type(error).__name__}: {error})")

    def _ended(self, why: str) -> list[Message]:
        """The run goes on no more: where it is, if that can be shown, and why."""
        try:
            shown = self.conversation.halt()
        except Exception:
            shown = []
        return [*shown, {"error": why}]


def _read(message: str | bytes) -> Any:
    """A message parsed as JSON; None if it is invalid."""
    try:
        return json.loads(message)
    except (ValueError, RecursionError):
        return None
