"""What the window shows: frames of a program that is loaded again whenever its file changes, at the
time of a film that is played, paused and scrubbed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from ...core.errors import PlanewalkError
from ...core.limits import Limits
from ...core.program import Program
from ...engines.stepping.drive import drive
from ...engines.stepping.reference import ReferenceEngine


class Paints(Protocol):
    def paint(self, time: float | None = None) -> bytes: ...

    def close(self) -> None: ...


class ProbedPixel(NamedTuple):
    """One pixel, run exactly: its colour, and what it logged."""

    place: tuple[int, int]
    rgb: tuple[int, int, int]
    log: list[Any]

    def lines(self, most: int = 8) -> list[str]:
        """The colour and the latest log entries, as lines."""
        x, y = self.place
        red, green, blue = self.rgb
        entries = [str(entry) for entry in self.log[-most:]]
        return [f"pixel {x},{y} is {red} {green} {blue}", *entries]


class FilmClock:
    """The time of a film in seconds, 0 or more."""

    def __init__(self, clock: Callable[[], float], start: float = 0.0) -> None:
        self._clock = clock
        self._at = start
        self._since = clock()
        self.playing = True

    @property
    def now(self) -> float:
        gone = self._clock() - self._since if self.playing else 0.0
        return max(self._at + gone, 0.0)

    def toggle(self) -> None:
        """Pause, or play on from here."""
        self._set(self.now)
        self.playing = not self.playing

    def scrub(self, seconds: float) -> None:
        """Move on or back, whether it plays or not."""
        self._set(max(self.now + seconds, 0.0))

    def _set(self, seconds: float) -> None:
        self._at, self._since = seconds, self._clock()


class Player:
    """The last version of a program that could be loaded, and its time. `load` loads the program
    again, `stamp` changes when its file does; `seen` is the stamp from before `program` was loaded.
    `make_painter` makes a painter for a program."""

    def __init__(
        self,
        program: Program,
        seen: object,
        load: Callable[[], Program],
        stamp: Callable[[], object],
        make_painter: Callable[[Program], Paints],
        limits: Limits,
        seed: int | None,
        timeline: FilmClock,
    ) -> None:
        self._load, self._stamp, self._make_painter = load, stamp, make_painter
        self.limits, self.seed, self.timeline = limits, seed, timeline
        self.error: str | None = None
        """Why the current file cannot be shown."""
        self._seen = seen
        self.program = program
        self._painter = make_painter(self.program)

    @property
    def size(self) -> tuple[int, int]:
        return self.program.size

    def frame(self) -> bytes:
        """The picture of this moment, as rows of red, green and blue."""
        return self._painter.paint(self.timeline.now)

    def refresh(self) -> bool:
        """Load the program again if its file has changed; says whether. The last good one stays."""
        stamp = self._stamp()
        if stamp == self._seen:
            return False
        self._seen = stamp
        try:
            program = self._load()
            painter = self._make_painter(program)
        except PlanewalkError as error:
            self.error = str(error)
            return True
        self._painter.close()
        self.program, self._painter, self.error = program, painter, None
        return True

    def close(self) -> None:
        self._painter.close()

    def probe(self, x: int, y: int) -> ProbedPixel | None:
        """The exact run of one pixel at this moment; None outside the picture."""
        width, height = self.size
        language = self.program.language
        if not (0 <= x < width and 0 <= y < height) or language.drawing.colour is None:
            return None
        options = language.pictures.of_pixel(self.program.options, x, y, self.timeline.now)
        state = Program(language, self.program.source, options).start(self.seed)
        drive(ReferenceEngine(language, state, self.limits), self.limits, lambda: 0.0)
        log = list(language.results.log(state)) if language.results.log is not None else []
        return ProbedPixel((x, y), language.drawing.colour(state), log)
