"""The frames of a run, each as what is new in it, for a page that plays them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ...core.errors import LimitReached
from ...core.language import Language
from ...core.plane import Box
from ...core.state import State
from ...core.step import Stop
from ...debug.replay.course import Course, Pause
from ...debug.replay.replay import given_up
from ...debug.session import Session
from ...view.scene.frame import Frame, Lens, named_ends
from ...view.walk.follow import Follower
from . import describe
from .bundle import film_page
from .encoding import encoded

MOST_TOLD = 4_000_000
"""Changed cells in all frames of a film together."""
CLOSE = 64
"""Ticks between frames up to which each is observed, so that walkers keep their numbers."""


class FilmRecorder:
    """Records the moments of a run in one box, each as what is new."""

    def __init__(self, language: Language, box: Box) -> None:
        self.language, self.box, self.lens = language, box, Lens(language)
        self.before: Frame | None = None
        self.written = 0
        self.visits: Counter[tuple[int, int]] = Counter()

    def look(
        self, state: State, follower: Follower, output: bytes, stop: Stop | None
    ) -> dict[str, Any]:
        """Record a moment; `output` is all that was written, or its end."""
        frame = self.lens.look(state, self.box, numbers=follower.numbers, stop=stop)
        delta = frame.delta(self.before)
        if "rows" in delta:
            delta |= named_ends(self.language, state, self.box)
        fresh = output[max(len(output) - (state.written - self.written), 0) :]
        if fresh:
            delta["written"] = encoded(fresh)
        if follower.visits is not None:
            newer = follower.visits - self.visits
            delta["visits"] = [[x, y, times] for (x, y), times in newer.items()]
            self.visits = follower.visits.copy()
        self.before, self.written = frame, state.written
        return delta


def page_of(
    title: str, language: Language, fps: float, trail: int, frames: Iterable[dict[str, Any]]
) -> str:
    """The page that plays these frames, with trails of `trail` ticks."""
    described = describe.describe(language)
    run = {"title": title, "language": described, "fps": fps, "trail": trail}
    return film_page(run, frames)


def limited(frames: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The frames, up to the number of cells that a page can take."""
    told = 0
    for frame in frames:
        rows = frame.get("rows", ())
        told += sum(map(len, rows)) + len(frame.get("cells", ()))
        if told > MOST_TOLD:
            raise LimitReached(f"a film tells of at most {MOST_TOLD:,} cells; fewer frames may do")
        yield frame


def through(session: Session, ticks: range, box: Box, pause: Pause) -> Iterator[dict[str, Any]]:
    """The moments of a session at some ticks, without moving the session; given up when `pause`
    returns true, however long a tick takes."""
    recorder = FilmRecorder(session.language, box)
    follower = Follower(session.language, session.running, 0, asks=True)
    with session.asking(pause):
        course = session.aside(ticks.start)
        follower.follow(course.state)
        for tick in ticks:
            if course.branch is session.branch_at(tick) and tick - course.tick < CLOSE:
                _walk(course, follower, tick, pause)
            else:
                course = session.aside(tick)
                follower.follow(course.state)
            _check(pause)
            output = course.branch.output.read(recorder.written, course.state.written)
            yield recorder.look(course.state, follower, output, course.stop)
            if course.tick < tick:
                return


def _walk(course: Course, follower: Follower, tick: int, pause: Pause) -> None:
    """Go on tick by tick to a tick or the end of the run."""
    stop = None
    while course.tick < tick and stop is None:
        course.feed()
        stop = follower.advance(1)
        _check(pause)  # or it has stopped for that, in the midst of a tick
        course.stop = stop
        course.note(stop)


def _check(pause: Pause) -> None:
    if pause():
        raise given_up()
