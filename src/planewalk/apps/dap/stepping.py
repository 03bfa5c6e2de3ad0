"""The steps of an editor on a plane: each moves a session, and returns why it stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.instruction import Group
from ...core.step import Stop
from ...debug.replay.course import Pause
from ...debug.session import Session

FAR = 1_000_000
"""Ticks after which a step that finds no end is given up."""
MOST_WALKERS = 50
"""Walkers that an editor is shown, as threads."""


def step_over(walk: Session, pause: Pause) -> Stop | None:
    """On to the next cell that does something."""
    return _step_while(_stands_on_nothing, walk, pause)


def step_out(walk: Session, pause: Pause) -> Stop | None:
    """On to where a walker leaves its straight way."""
    before = _headings(walk)
    return _step_while(lambda walk: _headings(walk) == before, walk, pause)


STEPS: dict[str, Callable[[Session, Pause], Stop | None]] = {
    "stepIn": lambda walk, pause: walk.forward(1, pause),
    "next": step_over,
    "stepOut": step_out,
    "stepBack": lambda walk, pause: walk.back(1, pause),
}
"""By the names of their requests."""


def _step_while(goes_on: Callable[[Session], bool], walk: Session, pause: Pause) -> Stop | None:
    """A tick, and more of them while the condition holds."""
    stop, ticks = walk.forward(1, pause), 0
    while stop is None and ticks < FAR and goes_on(walk) and not pause():
        stop = walk.forward(1, pause)
        ticks += 1
    return stop


def _stands_on_nothing(walk: Session) -> bool:
    """Whether no walker stands on a cell that does something."""
    decode, plane = walk.language.decode, walk.state.plane
    return all(decode(plane, each.stance).group is Group.NOTHING for each in walk.state.walkers)


def _headings(walk: Session) -> list[tuple[Any, Any]]:
    return [(w.stance.dx, w.stance.dy) for w in walk.state.walkers[:MOST_WALKERS]]
