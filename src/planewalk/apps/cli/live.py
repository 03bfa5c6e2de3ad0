"""`planewalk live`: a program that colours pixels, in a window, while it is being written."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, Namespace

from ...core.errors import OptionError, PlanewalkError
from ...core.limits import Limits
from ...core.program import Program
from ...core.text import visible
from ..pictures.devices import AUTO, DEVICES, make_device
from ..pictures.picture_scene import Artist, make_scene
from ..sources import stamp_of
from .options import add, add_painting
from .outcome import complain
from .program import load_program

EPILOG = """\
The program is loaded again whenever its file is saved; a mistake in it is shown at the foot of the
window, and the last good program goes on.

  space                 pause, and play on
  left, right           one second back or on; down, up: ten
  drag with the mouse   scrub through time
  mouse over a pixel    its exact colour, and what it logs
  s                     save the picture beside the program
  q, escape             close the window

examples:
  planewalk live plasma.wf
  planewalk live plasma.wf --size 1280x720 --device cpu"""


def add_arguments(parser: ArgumentParser) -> None:
    add_painting(parser)
    device = {"choices": DEVICES, "default": AUTO}
    add(parser, "--device KIND  what draws it (default auto)", device=device)


def perform(arguments: Namespace) -> int:
    if arguments.file == "-":
        raise OptionError("live watches a file; standard input cannot be watched")
    seen = stamp_of(arguments.file)
    program = load_program(arguments).drawing()
    language = program.language
    if language.drawing.colour is None:
        raise PlanewalkError(f"{language.title} programs do not colour pixels")
    steps = language.rules.default_steps if arguments.max_steps is None else arguments.max_steps
    limits = Limits(steps=steps)

    from ..live.player import FilmClock, Player
    from ..live.window import PlayerWindow, why_no_window
    from ..pictures.local import cores, new_painter

    if reason := why_no_window():
        raise PlanewalkError(reason)

    device = make_device(arguments.device, fast=False, tell=lambda line: complain(line, 0))

    def make_painter(program: Program) -> Artist:
        return new_painter(make_scene(program, limits, arguments.seed), cores(), device)

    player = Player(
        program,
        seen,
        lambda: load_program(arguments).drawing(),
        lambda: stamp_of(arguments.file),
        make_painter,
        limits,
        arguments.seed,
        FilmClock(time.monotonic, program.time),
    )
    name = visible(os.path.basename(arguments.file))
    try:
        PlayerWindow(player, f"{name} - planewalk", os.path.splitext(arguments.file)[0]).run()
    finally:
        player.close()
    return 0
