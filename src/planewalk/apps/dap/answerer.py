"""Requests, responses and events of the protocol, and the end of long requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...core.base.deadline import never
from ...core.errors import PlanewalkError
from ...core.meta.blame import blaming
from ...languages import foreign
from ..fields import Message, refusal
from .requests import checked

PATIENCE = 30.0
"""Seconds that one request may take."""
CANCELLED = "cancelled"
"""The error message of a cancelled request, as the protocol has it."""
SHOWN_THERE = ("evaluate", "completions")
"""Requests whose errors editors show in place, without a pop-up."""
SOON = 1.0
"""Seconds until the first progress event."""
OFTEN = 0.5
"""Seconds between progress events."""


class Answerer:
    """Calls `on_COMMAND(arguments, events)`, which returns the body of the response."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.hurried: Callable[[], bool] = never
        """Whether the current request has to end, even within a tick."""
        self.cancelled: Callable[[], bool] = never
        """Whether the current request was cancelled."""
        self.tell: Callable[[Message], object] = lambda event: None
        """Sends an event to the editor while a request is served."""
        self.reports = False
        """Whether the editor supports progress events."""
        self._progress: RequestProgress | None = None
        self._broken_off = False
        self._sequence = 0
        self._asked = 0.0

    def receive(self, request: Any) -> list[Message]:
        """The response to a request, also to an invalid one, and its events."""
        if not isinstance(request, dict) or not isinstance(request.get("command"), str):
            said = "a request is an object with a command"
            if not isinstance(request, dict) or type(request.get("seq")) is not int:
                return self.complain(said)
            return [self.refuse({"seq": request["seq"], "command": ""}, said)]
        command = request["command"]
        after: list[Message] = []
        self.begin()
        if self.cancelled():
            return [self.refuse(request, CANCELLED)]
        body = why = None
        try:
            with blaming(others=foreign.loaded), self._at_work(request):
                arguments = checked(command, request.get("arguments"))
                body = self.serve(command, arguments, after)
        except PlanewalkError as error:
            why = refusal(error)
        if self._broken_off and (self.cancelled() or (why is not None and self.hurried())):
            why = CANCELLED
        return [self._response(request, why is None, body, why), *after]

    def serve(self, command: str, arguments: Message, after: list[Message]) -> Any:
        """The body of the response to a request; events that come of it are added to `after`."""
        return getattr(self, f"on_{command}")(arguments, after)

    @contextmanager
    def _at_work(self, request: Message) -> Iterator[None]:
        if self.reports:
            self._progress = RequestProgress(request, self.clock, self._tell_event)
        try:
            yield
        finally:
            if self._progress is not None:
                self._progress.end()
            self._progress = None

    def _tell_event(self, name: str, body: Message) -> None:
        self.tell(self.event(name, body))

    def must_end(self) -> bool:
        """Whether the current request has to end; long work asks this again and again."""
        if self._progress is not None:
            self._progress.look(self.where)
        ends = self.hurried() or self.clock() - self._asked > PATIENCE
        self._broken_off |= ends
        return ends

    def begin(self) -> None:
        self._asked, self._broken_off = self.clock(), False

    def where(self) -> str:
        """The position of the current request, for progress events."""
        return "at work"

    def refuse(self, request: Message, why: str) -> Message:
        return self._response(request, False, None, why)

    def complain(self, message: str) -> list[Message]:
        """An output event for messages that have no response."""
        return [self.event("output", {"category": "stderr", "output": f"planewalk: {message}\n"})]

    def _number(self) -> int:
        self._sequence += 1
        return self._sequence

    def _response(self, request: Message, success: bool, body: Any, why: str | None) -> Message:
        number = request.get("seq", 0)
        response: Message = {
            "seq": self._number(),
            "type": "response",
            "request_seq": number if type(number) is int else 0,
            "success": success,
            "command": request["command"],
        }
        if body is not None:
            response["body"] = body
        if why is not None:
            response["message"] = why
            pops_up = why != CANCELLED and request["command"] not in SHOWN_THERE
            response["body"] = {"error": {"id": 1, "format": why, "showUser": pops_up}}
        return response

    def event(self, name: str, body: Message | None = None) -> Message:
        return {"seq": self._number(), "type": "event", "event": name, "body": body or {}}


class RequestProgress:
    """The progress of a request, with the number by which an editor cancels it."""

    def __init__(
        self, request: Message, clock: Callable[[], float], say: Callable[[str, Message], None]
    ) -> None:
        self._number, self._title = request.get("seq"), str(request.get("command"))
        self._clock, self._say = clock, say
        self._due = clock() + SOON
        self._begun = False

    def look(self, where: Callable[[], str]) -> None:
        now = self._clock()
        if now < self._due:
            return
        self._due = now + OFTEN
        if self._begun:
            self._tell("progressUpdate", message=where())
            return
        self._begun = True
        self._tell(
            "progressStart",
            title=f"planewalk: {self._title}",
            requestId=self._number,
            cancellable=True,
            message=where(),
        )

    def end(self) -> None:
        if self._begun:
            self._tell("progressEnd")

    def _tell(self, event: str, **more: Any) -> None:
        self._say(event, {"progressId": str(self._number), **more})
