"""Pictures of programs that colour pixels: one moment, its heat, films of them, and one pixel."""

from __future__ import annotations

import io
import math
import os
import tempfile
from typing import TYPE_CHECKING, Any

from ...core.deadline import Clock, Deadline
from ...core.errors import LimitReached, OptionError
from ...core.limits import DEFAULT_MEMORY, Limits
from ...core.program import Program
from ...debug.session import Session
from ..pictures.local import cores
from ..store import DiskStore
from ..writers.png import write_png
from .encoding import encoded

if TYPE_CHECKING:
    from ...engines.picture import Painter

MOST = (1920, 1080)
MOST_PIXELS = 40_000_000
"""Pixels of a film, all frames together."""
PATIENCE = {True: 1.0, False: 5.0}
"""Seconds that one picture may take: the first after an edit, and a better one."""
KINDS = {"gif": "image/gif", "mp4": "video/mp4"}


def read_size(size: Any) -> tuple[int, int]:
    """Width and height, if they are not too large to be drawn while somebody waits."""
    width, height = (int(value) for value in size)
    if not (0 < width <= MOST[0] and 0 < height <= MOST[1]):
        raise OptionError(f"pictures in the studio are at most {MOST[0]} x {MOST[1]}")
    return width, height


class Easel:
    """Draws exact pictures; the painter of one is kept for the next of the same program."""

    def __init__(self, clock: Clock) -> None:
        self._end = Deadline(clock, math.inf)
        self._painters: dict[bool, tuple[Any, Painter]] = {}

    def picture(self, session: Session, size: tuple[int, int], time: float, quick: bool) -> str:
        """A PNG in base64. `quick` is for the first after an edit, best if it is a small one."""
        painter, seconds = self._painter(session, size, quick), PATIENCE[quick]
        self._end.until = self._end.clock() + seconds
        pixels = painter.paint(time)
        if self._end.left() <= 0:
            raise LimitReached(
                f"this picture is not drawn within {seconds:g} s; fewer rows may be", "time"
            )
        return _png(size, pixels)

    def _painter(self, session: Session, size: tuple[int, int], quick: bool) -> Painter:
        program = session.program
        key = (program, size, session.seed)
        known, painter = self._painters.get(quick, (None, None))
        if painter is None or known != key:
            if painter is not None:
                painter.close()
            painter = _new_painter(_sized(program, size), session.seed, quick, self._end)
            self._painters[quick] = key, painter
        return painter


def _new_painter(program: Program, seed: int, quick: bool, end: Deadline) -> Painter:
    from ...engines.picture import Painter

    steps = program.language.rules.default_steps
    limits = Limits(steps, memory=DEFAULT_MEMORY, deadline=end)
    if quick:
        return Painter(program, limits, seed, quick=True)
    return Painter(program, limits, seed, cores(), DiskStore())


def _sized(program: Program, size: tuple[int, int]) -> Program:
    options = {**program.given, "size": f"{size[0]}x{size[1]}"}
    return Program(program.language, program.source, options)


def heat(session: Session, size: tuple[int, int], time: float) -> str:
    """How many steps each pixel took, as a PNG in base64."""
    from ..pictures.library import render

    picture = render(session.program, size=size, time=time, seed=session.seed, heat="steps")
    return _png(picture.size, picture.pixels)


def _png(size: tuple[int, int], pixels: bytes) -> str:
    file = io.BytesIO()
    write_png(file, size, pixels)
    return encoded(file.getvalue())


def film(
    session: Session, kind: str, size: tuple[int, int], time: float, seconds: float, fps: int
) -> dict[str, str]:
    """A film from some time on, as a file in base64."""
    from ..pictures.library import render

    if kind not in KINDS:
        raise OptionError(f"films are {' or '.join(KINDS)}, not {kind!r}")
    if not 0 < fps <= 60 or not 0 < seconds * fps * size[0] * size[1] <= MOST_PIXELS:
        raise OptionError("this film is too long or too large for the studio; see planewalk render")
    frames = render(
        session.program, size=size, time=time, seed=session.seed, duration=seconds, fps=fps
    )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"film.{kind}")
        frames.save(path)
        with open(path, "rb") as made:
            data = encoded(made.read())
    return {"name": f"film.{kind}", "type": KINDS[kind], "data": data}


def pixel_program(session: Session, at: Any, size: tuple[int, int], time: float) -> Program:
    """The program as it runs for one pixel."""
    program = session.program
    x, y = (int(value) for value in at)
    options = {"pixel": f"{x},{y}", "size": f"{size[0]}x{size[1]}", "time": time}
    return Program(program.language, program.source, {**program.given, **options})
