"""The frames of a run, each as what is new in it, for a page that plays them."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ...core.language import Language
from ...core.plane import Box
from ...core.state import State
from ...core.step import Stop
from ...debug.course import Course
from ...debug.session import Session
from ...view.follow import Follower
from ...view.frame import Frame, Lens
from . import describe
from .bundle import film_page

CLOSE = 64
"""Ticks that are walked one by one, so that every walker keeps its number."""


class FilmRecorder:
    """Sees one moment after the other, all in one box."""

    def __init__(self, language: Language, box: Box) -> None:
        self.box, self.lens = box, Lens(language)
        self.before: Frame | None = None
        self.written = 0
        self.visits: Counter[tuple[int, int]] = Counter()

    def look(
        self, state: State, follower: Follower, output: bytes, stop: Stop | None
    ) -> dict[str, Any]:
        """A moment; `output` is all that was written, or at least its end."""
        frame = self.lens.look(state, self.box, numbers=follower.numbers, stop=stop)
        delta = frame.delta(self.before)
        fresh = output[max(len(output) - (state.written - self.written), 0) :]
        if fresh:
            delta["written"] = base64.b64encode(fresh).decode()
        if follower.visits is not None:
            newer = follower.visits - self.visits
            delta["visits"] = [[x, y, times] for (x, y), times in newer.items()]
            self.visits = follower.visits.copy()
        self.before, self.written = frame, state.written
        return delta


def page_of(
    title: str, language: Language, fps: float, trail: int, frames: Iterable[dict[str, Any]]
) -> str:
    """The page that plays these frames, and shows for so many ticks where walkers were."""
    described = describe.describe(language)
    return film_page({
        "title": title, "language": described, "fps": fps, "trail": trail, "frames": list(frames)
    })  # fmt: skip


def through(session: Session, ticks: range, box: Box) -> Iterator[dict[str, Any]]:
    """The moments of a session at some ticks, without going there."""
    course = session.aside(ticks.start)
    recorder = FilmRecorder(session.language, box)
    follower = Follower(session.language, session.limits._replace(steps=None), 0)
    follower.follow(course.state)
    for tick in ticks:
        if course.branch is session.branch_at(tick) and tick - course.tick < CLOSE:
            _walk(course, follower, tick)
        else:
            course = session.aside(tick)
            follower.follow(course.state)
        output = course.branch.output.read(recorder.written, course.state.written)
        yield recorder.look(course.state, follower, output, course.stop)
        if course.tick < tick:
            return


def _walk(course: Course, follower: Follower, tick: int) -> None:
    """Go on tick by tick, as far as the run goes."""
    stop = None
    while course.tick < tick and stop is None:
        course.feed()
        course.stop = stop = follower.advance(1)
        course.note(stop)
