"""Checks end, also of a language with a function that never comes back, and of endless programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...core.language import Language
from ..overdue import BUSY, Overdue, Overseer

Answer = TypeVar("Answer")

SECONDS, AGAIN, LOOKS = 2.0, 1.0, 10
"""Of the processor's time: what a check has, then how long a single call may go on, and how often
another call may be at work when that is looked at. All others are broken off."""
HASTE = 0.1
"""The part of that which a check has first once something has not come back."""


class NotDone(Exception):
    """A check was broken off; it says what has not come back, or that there was no end to it."""


def in_time(language: Language, ask: Callable[[], Answer], share: float = 1.0) -> Answer:
    """The answer to a question; raises `NotDone` if there is none in that share of the time."""
    seconds, again = SECONDS * share, AGAIN * share
    try:
        with Overseer(lambda: [language], LOOKS, all_work=True).after(seconds, BUSY, again):
            return ask()
    except Overdue as late:
        words = f"no end to it within {seconds + again * LOOKS:g} seconds"
        raise NotDone(str(late) or words) from None
