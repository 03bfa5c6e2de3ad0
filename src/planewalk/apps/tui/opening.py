"""The screen while a session is opened, with its progress and keys to quit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from time import monotonic
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ...debug.session import Session
from ...debug.walkfile import watching
from ...engines.base.threads import ThreadTask
from .allowance import BREAKING

SOON = 0.3
"""Seconds without a screen: most sessions are open by then."""
FRAME = 0.1


def opened(name: str, make: Callable[[], Session]) -> Session | None:
    """Open a session in a thread; None if the user does not wait for it."""
    progress = OpeningProgress()

    def watched() -> Session:
        with watching(progress.note):
            return make()

    context = copy_context()
    task = ThreadTask(lambda: context.run(watched))
    threading.Thread(target=task.work, name="opening", daemon=True).start()
    task.wait(SOON)
    if not task.ready and not OpeningApp(name, task, progress).run():
        return None
    return task.take()


class OpeningProgress:
    """The progress of opening a session."""

    def __init__(self) -> None:
        self.said = "at work"

    def note(self, tick: int, goal: int) -> None:
        self.said = f"tick {tick:,} of {goal:,}"


class OpeningApp(App[bool]):
    """A line about the progress, until the session is open (True) or a key is pressed."""

    CSS = "#opening { height: 1fr; content-align: center middle; text-align: center; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, "leave", priority=True) for key in BREAKING
    ]

    def __init__(self, name: str, task: ThreadTask[Session], progress: OpeningProgress) -> None:
        super().__init__()
        self.named, self.making, self.progress, self._began = name, task, progress, monotonic()

    def compose(self) -> ComposeResult:
        yield Static(id="opening")

    def on_mount(self) -> None:
        self.title = f"planewalk: {self.named}"
        self.show()
        self.set_interval(FRAME, self.show)

    def show(self) -> None:
        """Show the progress and the time, or end if the session is open."""
        if self.making.ready:
            self.exit(True)
        else:
            waited = monotonic() - self._began
            line = f"opening {self.named}\n\n{self.progress.said}, for {waited:.0f} s\n\nq leaves"
            self.query_one("#opening", Static).update(line)

    def action_leave(self) -> None:
        self.exit(False)
