"""Progress events of long requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SOON = 1.0
"""Seconds until the first progress event."""
OFTEN = 0.5
"""Seconds between progress events."""


class RequestProgress:
    """The progress of one request; it has the number of the request, by which an editor cancels
    it."""

    def __init__(
        self,
        request: dict[str, Any],
        clock: Callable[[], float],
        say: Callable[[str, dict[str, Any]], None],
    ) -> None:
        self._number, self._title = request.get("seq"), str(request.get("command"))
        self._clock, self._say = clock, say
        self._due = clock() + SOON
        self._begun = False

    def look(self, where: Callable[[], str]) -> None:
        """Send a progress event, if one is due."""
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
        """The request is over."""
        if self._begun:
            self._tell("progressEnd")

    def _tell(self, event: str, **more: Any) -> None:
        self._say(event, {"progressId": str(self._number), **more})
