"""Pictures, heat maps and films of programs that colour pixels, and the run of one pixel."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...core.base.deadline import Clock, Deadline, never
from ...core.errors import LimitReached, OptionError
from ...core.images.png import png_of
from ...core.limits import Limits
from ...core.program import Program
from ...debug.replay.course import Pause
from ...debug.replay.replay import given_up
from ...debug.session import Session
from ...view.drawing.heat import LEGEND, paint_steps, steps_legend
from ..fields import Message
from ..pictures.local import LocalStudio, cores
from ..stock import FOLDER, ShippedCode
from .encoding import encoded

if TYPE_CHECKING:
    from ...engines.picture import Painter

MOST = (1920, 1080)
MOST_PIXELS = 40_000_000
"""Pixels of a film, all frames together."""
PATIENCE = 5.0
"""Seconds that one picture may take."""
MEMORY = 256 << 20
"""Bytes that drawing a picture may take."""
KINDS = {"gif": "image/gif", "mp4": "video/mp4"}


def read_size(size: Sequence[int]) -> tuple[int, int]:
    """Width and height, unless they are too large for the studio."""
    width, height = size
    if not (0 < width <= MOST[0] and 0 < height <= MOST[1]):
        raise OptionError(f"pictures in the studio are at most {MOST[0]} x {MOST[1]}")
    return width, height


class _Patience(Deadline):
    """The deadline of a picture, which is over at once if another message waits."""

    urged: Callable[[], bool] = never

    def left(self) -> float:
        """See `Deadline`."""
        return 0.0 if self.urged() else super().left()


class Easel:
    """Draws exact pictures. Code is compiled quickly, since every edit needs it anew, and serves
    all sizes. Waiting messages abort pictures that are not `quick`."""

    def __init__(self, clock: Clock, urged: Callable[[], bool]) -> None:
        self._end, self._urged = _Patience(clock, math.inf), urged
        self._known: tuple[Program, int] | None = None
        self._painter: Painter | None = None

    def picture(self, session: Session, size: tuple[int, int], time: float, quick: bool) -> Message:
        """A PNG in base64; None if it was aborted. `quick` is for the first, small picture after an
        edit: if it takes too long, it becomes a sketch."""
        painter = self._set_up(session, size, quick)
        pixels = painter.paint(time, sketch=quick)
        broken = None if quick else self._broken_off()
        return broken or {"picture": _png(size, pixels), "sketch": painter.guessed > 0}

    def heat(self, session: Session, size: tuple[int, int], time: float) -> Message:
        """How many steps each pixel took, with a legend."""
        steps = self._set_up(session, size, False).heat(time).steps
        scale = max(*steps, 1)
        pixels = paint_steps(steps, scale) + steps_legend(size[0], scale, more=False)
        return self._broken_off() or {"picture": _png((size[0], size[1] + LEGEND), pixels)}

    def _set_up(self, session: Session, size: tuple[int, int], quick: bool) -> Painter:
        program, painter = session.program, self._painter
        if painter is None or self._known != (program, session.seed):
            if painter is not None:
                painter.close()
            painter = self._painter = _new_painter(program, session.seed, self._end)
            self._known = program, session.seed
        painter.resize(_sized(program, size))
        self._end.urged = never if quick else self._urged
        self._end.until = math.inf if quick else self._end.clock() + PATIENCE
        return painter

    def _broken_off(self) -> Message | None:
        """The answer in place of a picture that was aborted; None if it is complete."""
        if self._end.urged():
            return {"picture": None}
        if self._end.left() > 0:
            return None
        raise LimitReached(
            f"this picture is not drawn within {PATIENCE:g} s; fewer rows may be", "time"
        )


def _new_painter(program: Program, seed: int, end: Deadline) -> Painter:
    from ...engines.native.machine_code import why_not
    from ...engines.picture import Painter

    limits = Limits(program.language.rules.default_steps, memory=MEMORY, deadline=end)
    store = None if why_not() is None else ShippedCode(FOLDER)  # quick code is not for others
    return Painter(program, limits, seed, cores(), store, quick=True)


def _sized(program: Program, size: tuple[int, int]) -> Program:
    options = {**program.given, "size": f"{size[0]}x{size[1]}"}
    return Program(program.language, program.source, options)


def _png(size: tuple[int, int], pixels: bytes) -> str:
    return encoded(png_of(size, pixels))


def film(
    session: Session,
    kind: str,
    size: tuple[int, int],
    time: float,
    seconds: float,
    fps: int,
    pause: Pause,
) -> dict[str, str]:
    """A film from a point in time on, as a file in base64; given up when `pause` returns true."""
    from ..pictures.library import render

    if kind not in KINDS:
        raise OptionError(f"films are {' or '.join(KINDS)}, not {kind!r}")
    if not 0 < fps <= 60 or not 0 < seconds * fps * size[0] * size[1] <= MOST_PIXELS:
        raise OptionError("this film is too long or too large for the studio; see planewalk render")
    frames = render(
        session.program, size=size, time=time, seed=session.seed, duration=seconds, fps=fps,
        max_memory=MEMORY,
    )  # fmt: skip

    def check() -> None:
        if pause():
            raise given_up()

    frames.studio = lambda: LocalStudio(check=check)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"film.{kind}")
        frames.save(path)
        with open(path, "rb") as made:
            data = encoded(made.read())
    return {"name": f"film.{kind}", "type": KINDS[kind], "data": data}


def pixel_program(
    session: Session, at: Sequence[int], size: tuple[int, int], time: float
) -> Program:
    """The program as it runs for one pixel."""
    program = session.program
    x, y = at
    options = {"pixel": f"{x},{y}", "size": f"{size[0]}x{size[1]}", "time": time}
    return Program(program.language, program.source, {**program.given, **options})
