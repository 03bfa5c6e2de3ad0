"""`planewalk film`: a run as a moving picture."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from fractions import Fraction
from functools import partial

from ...core.errors import LimitReached
from ...core.limits import Limits
from ...core.state import State
from ...core.step import FINAL, Hungry, Stop
from ..films import FILMS, FRAMES, Film, View, film_suffix, reel_of, shot_of, title_of, watch_few
from .alarm import Interrupts
from .files import read_map
from .options import add, add_bounds, add_engine, add_input, add_output, add_pixel, add_program
from .outcome import INTERRUPTED, LIMIT, as_flags, complain
from .program import limits_of, start_program
from .progress import FilmProgress, StatusLine
from .values import count, rate

EPILOG = """\
A frame shows the cells, the walkers as arrows (each keeps its colour and shape), their hands as
brackets, the walkers' trails, and below the plane the stack, the value and the output, where a
language has them. The film ends with the program, or where it asks for input that --input does not
give. Ctrl-C keeps the finished frames.

examples:
  planewalk film hello.mf -o hello.gif
  planewalk film counter.gemooy --steps 0:20000 --every 100 --heat -o counter.svg
  planewalk film adder.png --arg 35 --theme dark --fps 20 -o adder.mp4
  planewalk film hello.ref -o hello.cast        then: asciinema play hello.cast
  planewalk film clock.png --crop 0,0,6,4 --scale 40 -o part.webp"""


OPTIONS = f"""
    --steps A:B  the first and the last step to show (default 0: and {FRAMES} frames)
    --every N  steps from frame to frame (default 1)
    --fps F  frames a second (default 10)
"""
VIEW = """
    --theme NAME  the colours
    --scale PIXELS  size of a cell; below 6, values are shades instead of letters
    --crop X,Y,W,H  only this part of the plane, not all that is used
    --trail K  length of the walkers' trails in steps (default 8)
    --heat  show how often cells were visited
    --[no-]panels  walkers, stack, registers, output
    --[no-]coordinates  numbers of columns and rows (where there is room)
    --[no-]grid  lines between cells (where there is room)
    --force  draw even what is very large
"""


def add_arguments(parser: ArgumentParser) -> None:
    add_program(parser)
    add_output(parser, ", ".join(FILMS))
    steps, fps = {"type": stretch, "default": (0, None)}, {"type": rate, "default": Fraction(10)}
    add(parser, OPTIONS, steps=steps, every=1, fps=fps)
    add_view(parser)


def add_view(parser: ArgumentParser) -> None:
    """The arguments that pictures and films share."""
    add_input(parser)
    add_engine(parser)
    add_bounds(parser)
    theme = {"choices": ("light", "dark"), "default": "light"}
    trail = {"type": count, "default": 8}
    view = parser.add_argument_group("what is drawn")
    add(view, VIEW, theme=theme, scale=count, trail=trail, panels=True)
    add_pixel(parser)


def stretch(text: str) -> tuple[int, int | None]:
    """The first step and the last, from A:B or A:."""
    first, colon, last = text.partition(":")
    try:
        if not colon:
            raise ArgumentTypeError
        found = (count(first or "0"), count(last) if last else None)
    except ArgumentTypeError:
        raise ArgumentTypeError(f"expected FIRST:LAST or FIRST:, not {text!r}") from None
    if found[1] is not None and found[1] < found[0]:
        raise ArgumentTypeError(f"{text!r} ends before it begins")
    return found


def view_of(arguments: Namespace) -> View:
    names = ("scale", "theme", "crop", "panels", "force", "coordinates", "grid")
    given = {name: getattr(arguments, name) for name in names}
    return View(origins=read_map(arguments.file), **given)


def perform(arguments: Namespace) -> int:
    film_suffix(arguments.output, arguments.fps)
    first, last = arguments.steps
    shot = shot_of(first, last, arguments.every, arguments.trail, arguments.heat)
    language, state = start_program(arguments)
    for note in state.notes:
        complain(f"{arguments.file}: {note}", 0)
    view, limits = view_of(arguments), limits_of(arguments)
    with Patience(limits) as patience:
        watch = patience.running if view.force else partial(watch_few, patience.running)
        reel = reel_of(language, state, shot, arguments.engine, watch, limits)
        film = Film(reel, title_of(arguments.file, language), view, arguments.fps)
        progress = patience.drawing(film.frames)
        try:
            film.save(arguments.output, lambda done: progress.count(1))
        except (KeyboardInterrupt, LimitReached) as error:
            if not film.done:
                raise
            progress.end()
            late = isinstance(error, LimitReached)
            why, code = (as_flags(str(error)), LIMIT) if late else ("interrupted", INTERRUPTED)
            there = f"{arguments.output} has {film.done:,} of {film.frames:,} frames"
            return complain(f"{why}; {there}", code)
        finally:
            progress.end()
    explain_end(arguments, film.stop, film.steps)
    return 0


def explain_end(arguments: Namespace, stop: Stop | None, steps: int) -> None:
    """Say why a film ends before the program does."""
    if isinstance(stop, Hungry):
        complain(
            f"{arguments.file}: asks for input after {steps:,} steps; --input gives it some", 0
        )
    elif stop is not None and not isinstance(stop, FINAL):
        complain(f"{arguments.file}: hit a limit after {steps:,} steps, which is the end here", 0)


class Patience(Interrupts):
    """A status line and Ctrl-C for long work, which is interrupted between two frames."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self.line = StatusLine(None)

    def __exit__(self, *error: object) -> None:
        self.line.end()
        super().__exit__(*error)

    def running(self, state: State) -> None:
        """Show the step that a run has reached."""
        self.check()
        now = self.line.clock()
        if self.line.due(now):
            self.line.write(f"step {state.tick:,}", now)

    def drawing(self, frames: int) -> FilmProgress:
        """Count frames from now on, instead of steps."""
        self.line.end()
        return FilmProgress(frames, 1, None)
