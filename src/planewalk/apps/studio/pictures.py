"""Pictures of programs that colour pixels: one moment, its heat, films of them, and one pixel."""

from __future__ import annotations

import base64
import io
import os
import tempfile
from typing import Any

from ...core.errors import OptionError
from ...core.program import Program
from ...debug.session import Session

MOST = (1920, 1080)
MOST_PIXELS = 40_000_000
"""Pixels of a film, all frames together."""
KINDS = {"gif": "image/gif", "mp4": "video/mp4"}


def read_size(size: Any) -> tuple[int, int]:
    """Width and height, if they are not too large to be drawn while somebody waits."""
    width, height = (int(value) for value in size)
    if not (0 < width <= MOST[0] and 0 < height <= MOST[1]):
        raise OptionError(f"pictures in the studio are at most {MOST[0]} x {MOST[1]}")
    return width, height


def exact(session: Session, size: tuple[int, int], time: float, heat: bool) -> str:
    """A PNG in base64: the picture, or how many steps each pixel took."""
    from ..pictures.library import render

    program, file = session.program, io.BytesIO()
    picture = render(
        program, size=size, time=time, seed=session.seed, heat="steps" if heat else None
    )
    picture.pil().save(file, format="PNG")
    return base64.b64encode(file.getvalue()).decode()


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
            data = base64.b64encode(made.read()).decode()
    return {"name": f"film.{kind}", "type": KINDS[kind], "data": data}


def pixel_program(session: Session, at: Any, size: tuple[int, int], time: float) -> Program:
    """The program as it runs for one pixel."""
    program = session.program
    x, y = (int(value) for value in at)
    options = {"pixel": f"{x},{y}", "size": f"{size[0]}x{size[1]}", "time": time}
    return Program(program.language, program.source, {**program.given, **options})
