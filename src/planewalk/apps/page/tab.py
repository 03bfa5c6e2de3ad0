"""The conversation of a page, as the worker that runs Python there calls it.

The worker hears nothing while Python is at work. So it calls `work` for a few milliseconds, hears
what the page has sent meanwhile, and calls it again.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from importlib.metadata import MetadataPathFinder
from math import inf
from time import monotonic

from ...core.limits import Limits
from ..studio.conversation import Conversation, Means
from ..studio.mailbox import Mailbox

SLICE = 0.008
"""Seconds of work between two turns of the worker, where it does not say otherwise."""
MEMORY = 512 << 20
"""Bytes that all of a tab may take."""


def means(memory: int = MEMORY) -> Means:
    """A half for the run, a quarter each for its past and for other branches of it."""
    limits = Limits(memory=memory // 2, output=16 << 20)
    return Means(SLICE, SLICE, limits, history=memory // 8, branches=memory // 4)


def warm_up() -> None:
    """Import what every session needs and every run that lasts, before a snapshot of Python's
    memory is taken; machine code itself is nothing that can be in one."""
    from ...engines.interpreter import engine  # noqa: F401
    from ...engines.native.cache_key import digest
    from ...engines.scheduling import tiers  # noqa: F401

    digest()  # of our own files, by which machine code is found
    talk = Conversation(monotonic)
    for example in talk.receive({"do": "hello"})[0]["hello"]["examples"][:1]:
        talk.receive({"do": "example", "file": example["file"]})
        talk.receive({"do": "step"})
    MetadataPathFinder.invalidate_caches()  # or it keeps the archive of Python's own modules open,
    gc.collect()  # whose number means nothing where the snapshot is restored


class PageTab(Mailbox):
    """A conversation whose messages are JSON texts."""

    def __init__(self, memory: int = MEMORY, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(Conversation(clock, means=means(memory)))

    def receive(self, text: str) -> None:
        """Take a message, which `work` answers."""
        self.put(text)

    def work(self, milliseconds: float = 1000 * SLICE) -> str:
        """Answer what waits, or else run for so long; gives a JSON array of messages."""
        talk = self.conversation
        seconds = milliseconds / 1000
        talk.means = talk.means._replace(slice=seconds, longest_slice=seconds)
        return json.dumps(self.answers(), separators=(",", ":"))

    def rest(self) -> float:
        """Milliseconds until `work` has something to do; infinity if that takes a message."""
        if self.inbox:
            return 0.0
        talk = self.conversation
        return 1000 * talk.rest() if talk.running else inf
