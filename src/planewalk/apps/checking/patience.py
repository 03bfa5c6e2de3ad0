"""Time limits of checks, also for functions that never return and for endless programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...core.language import Language
from ..overdue import BUSY, Overdue, Overseer

Answer = TypeVar("Answer")

SECONDS, AGAIN, LOOKS = 2.0, 1.0, 10
"""Seconds of CPU time of a check and then of a single call, and the number of looks at which other
calls may be running before everything is aborted."""
HASTE = 0.1
"""The share of that time for a first try, once a function has not returned."""


class NotDone(Exception):
    """A check was aborted; says which function has not returned, or that there was no end."""


def in_time(language: Language, ask: Callable[[], Answer], share: float = 1.0) -> Answer:
    """The result of a check; raises `NotDone` after that share of the time."""
    seconds, again = SECONDS * share, AGAIN * share
    try:
        with Overseer(lambda: [language], LOOKS, all_work=True).after(seconds, BUSY, again):
            return ask()
    except Overdue as late:
        words = f"no end to it within {seconds + again * LOOKS:g} seconds"
        raise NotDone(str(late) or words) from None
