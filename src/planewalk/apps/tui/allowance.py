"""How long a command may take, and what breaks it off before that."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from textual import events
from textual.driver import Driver
from textual.message import Message

BREAKING = ("ctrl+c", "escape", "q")
"""Keys that break off what takes long."""
TELLING = 0.4
"""Seconds after which, and in which, it is told that something takes long."""


class Allowance:
    """Asked again and again by whatever takes long: it has to end if `is_over` says so."""

    def __init__(self, seconds: float, tell: Callable[[str], None]) -> None:
        """`tell` shows a line at once, although nothing else is drawn meanwhile."""
        self.seconds, self.tell = seconds, tell
        self.broken_off = False
        """Whether such a key was pressed since it began."""
        self._began = self._told = monotonic()
        self._late = False

    def begin(self) -> None:
        """From now on."""
        self.broken_off = self._late = False
        self._began = self._told = monotonic()

    def is_over(self) -> bool:
        """Whether it takes too long, or a key broke it off."""
        now = monotonic()
        if now - self._told > TELLING:
            self._told = now
            self.tell(f"at work for {now - self._began:.0f} s; Escape breaks it off")
        self._late = now - self._began > self.seconds
        return self.broken_off or self._late

    def told(self) -> list[str]:
        """Why it has ended, if not by itself."""
        if self.broken_off:
            return ["broken off here"]
        return [f"this is how far it came in {self.seconds:g} s (--max-time)"] * self._late

    def listen(self, driver: Driver) -> None:
        """Hear keys also while a command takes long: they are read in a thread of their own."""
        process = driver.process_message

        def hear(event: Message) -> None:
            if isinstance(event, events.Key) and event.key in BREAKING:
                self.broken_off = True
            process(event)

        vars(driver)["process_message"] = hear
