"""`planewalk.render`."""

from __future__ import annotations

import time
from functools import partial
from typing import Any, overload

from ...core.errors import OptionError
from ...core.limits import DEFAULT_MEMORY, Limits, allowing
from ...core.program import Program
from .. import arguments
from ..arguments import checked
from ..library import LanguageName, PathLike, Source, load_for, read_names
from ..writers.base import Rate, read_rate
from .devices import CPU, Device, make_device
from .frames import FPS, count_frames, film_times
from .local import LocalStudio
from .picture_scene import make_scene
from .rendered import Frames, Picture


@overload
def render(
    path: PathLike | Program | None = None, *, frames: None = None, duration: None = None,
    **more: Any,
) -> Picture: ...  # fmt: skip
@overload
def render(
    path: PathLike | Program | None = None, *, frames: int, duration: None = None, **more: Any
) -> Frames: ...
@overload
def render(
    path: PathLike | Program | None = None, *, frames: None = None, duration: float, **more: Any
) -> Frames: ...


@checked(heat=arguments.text)
def render(
    path: PathLike | Program | None = None,
    *,
    source: Source = None,
    language: LanguageName = None,
    frames: int | None = None,
    duration: float | None = None,
    fps: Rate = FPS,
    crop: tuple[int, int, int, int] | None = None,
    supersample: int = 1,
    heat: str | None = None,
    seed: int | None = None,
    max_steps: int | None = None,
    max_time: float | None = None,
    max_memory: int | None = DEFAULT_MEMORY,
    threads: int | None = None,
    device: str = CPU,
    fast: bool = False,
    **options: Any,
) -> Picture | Frames:
    """Draw the picture of a program that colours pixels, exactly if not told otherwise.

    `path` is a file or a `Program` from `load`; or give `source` and `language`. Further keywords
    are the language's options: `size=(1280, 720)` (640 x 360 if nothing is said), `time=1.5`,
    `texture=[...]`.

    With `frames` or `duration` (seconds) it gives the frames of a film, drawn one by one as they
    are asked for, from `time` on, `fps` of them a second.

    - `crop`: only this part of the picture: left, top, width, height
    - `supersample`: the mean of that many samples in both directions for each pixel
    - `heat`: `"steps"` or `"limit"`: the steps each pixel took, or which reached the limit
    - `max_steps`: how many steps a pixel may take
    - `max_time`: how many seconds drawing may take, for a film from its first frame to its last
    - `max_memory`: how many bytes a pixel may hold, and the textures
    - `threads`: all cores if not given; the picture is the same
    - `device`: `"cuda"` draws on an NVIDIA card, with the same bytes, or with `fast` more quickly
      and some levels off by one; `"gpu"` on any graphics processor, with such levels; `"auto"` on
      what is there. A warning says why where it must be the CPU.

    >>> render(source="0y1y4y@", language="webfunge", size=(2, 2), time=0.5).pixel(1, 0)
    (255, 0, 127)
    """
    limits = Limits(None, None, max_time, max_memory).begun(time.monotonic)
    with allowing(limits):
        program = _program_of(path, source, language, options)
    if max_steps is None:
        max_steps = program.language.rules.default_steps
    each = Limits(max_steps, memory=max_memory)
    scene = make_scene(program, each, seed, crop=crop, supersample=supersample, heat=heat)
    drawn_on = make_device(device, fast)
    rate = read_rate(fps)
    shown = count_frames(frames, duration, rate)
    times = film_times(program.time, shown or 1, rate)
    own = limits if shown is None else Limits(seconds=max_time)
    film = Frames(scene, partial(_studio, threads, drawn_on, own), times, rate)
    return next(iter(film)) if shown is None else film


def _program_of(
    path: PathLike | Program | None, source: Source, language: LanguageName, options: dict[str, Any]
) -> Program:
    """The program to draw; a loaded one may be given other options."""
    if not isinstance(path, Program):
        return load_for(render, path, source, language, options)
    if source is not None or language is not None:
        raise OptionError("a loaded program has its source and language already")
    given = {**path.given, **read_names(render, path.language, options)}
    return Program(path.language, path.source, given)


def _studio(threads: int | None, device: Device, limits: Limits) -> LocalStudio:
    """Where frames are drawn; time that is not running yet begins now."""
    return LocalStudio(threads, device, limits.begun(time.monotonic).check_time)
