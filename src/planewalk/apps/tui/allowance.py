"""The time limit of a command, and the keys that interrupt it."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from textual import events
from textual.driver import Driver
from textual.message import Message

BREAKING = ("ctrl+c", "escape", "q")
"""Keys that break off what takes long."""
TELLING = 0.4
"""Seconds until a long command is reported, and between reports."""


class Allowance:
    """Tells long work, which asks again and again, when it has to end."""

    def __init__(self, seconds: float, tell: Callable[[str], None]) -> None:
        """`tell` shows a line at once, without waiting for the next frame."""
        self.seconds, self.tell = seconds, tell
        self.broken_off = False
        """Whether the current command was interrupted by a key."""
        self._began = self._told = monotonic()
        self._late = False

    def begin(self) -> None:
        self.broken_off = self._late = False
        self._began = self._told = monotonic()

    def is_over(self) -> bool:
        """Whether the command takes too long, or was interrupted by a key."""
        now = monotonic()
        if now - self._told > TELLING:
            self._told = now
            self.tell(f"at work for {now - self._began:.0f} s; Escape breaks it off")
        self._late = now - self._began > self.seconds
        return self.broken_off or self._late

    def told(self) -> list[str]:
        """Why the command was cut short, if it was."""
        if self.broken_off:
            return ["broken off here"]
        return [f"this is how far it came in {self.seconds:g} s (--max-time)"] * self._late

    def listen(self, driver: Driver) -> None:
        """Notice keys while a command runs: they are read in a thread of their own."""
        process = driver.process_message

        def hear(event: Message) -> None:
            if isinstance(event, events.Key) and event.key in BREAKING:
                self.broken_off = True
            process(event)

        vars(driver)["process_message"] = hear
