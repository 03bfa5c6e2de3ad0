"""`planewalk picture`: one moment of a run."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from ...core.errors import OptionError
from ..arguments import END
from ..films import PICTURES, picture_of, title_of
from .files import write_file
from .film import Patience, add_view, explain_end, view_of
from .options import SHOW, add, add_kind, add_output, add_program
from .outcome import complain
from .program import kind_of, limits_of, start_program
from .show import show_moment
from .values import count

PNG = ".png"

EPILOG = """\
What is drawn is what a frame of `planewalk film` shows. Heat is counted from the first step on.

examples:
  planewalk picture hello.mf --at 20 -o hello.svg
  planewalk picture adder.png --arg 35 --at 40 --theme dark -o step40.png
  planewalk picture fuse.ref --at end -o end.png
  planewalk picture sierpinski.gemooy --at 50000 --heat -o heat.svg
  planewalk picture hello.ref --at 9 -o hello.txt      .ansi is the same with colours
  planewalk picture adder.png --at 40 --show           in the terminal
  planewalk picture hello.mf --at 20 -o - --as svg | gzip > hello.svgz"""


def add_arguments(parser: ArgumentParser) -> None:
    add_program(parser)
    add_output(parser, f"{', '.join(PICTURES)}; - is standard output", required=False)
    add_kind(parser, PICTURES, PNG)
    add(parser, SHOW)
    words = f"after this step (0: the beginning); {END} is where the program ends or asks for input"
    add(parser, f"--at STEP  {words}", at={"type": step, "default": 0})
    add_view(parser)


def step(text: str) -> int | str:
    if text == END:
        return END
    try:
        return count(text)
    except ArgumentTypeError:
        raise ArgumentTypeError(f"expected a step or {END!r}, not {text!r}") from None


def wanted(arguments: Namespace) -> str | None:
    """The suffix of the file to write; None if the picture is only shown."""
    output = arguments.output
    if output is None:
        if arguments.show and arguments.kind is None:
            return None
        raise OptionError("-o says which file to write; or --show shows the picture here")
    if output == "-" and arguments.show:
        raise OptionError("--show and -o - both want standard output")
    kind = kind_of(arguments, PICTURES, PNG)
    if output == "-" and kind == PNG and sys.stdout.isatty():
        raise OptionError("-o -: a PNG file is for a pipe or a file; --show shows it here")
    return kind


def perform(arguments: Namespace) -> int:
    kind = wanted(arguments)
    language, state = start_program(arguments)
    for note in state.notes:
        complain(f"{arguments.file}: {note}", 0)
    limits = limits_of(arguments)
    with Patience(limits) as patience:
        picture = picture_of(
            language,
            state,
            arguments.at,
            title_of(arguments.file, language),
            view_of(arguments),
            trail=arguments.trail,
            heat=arguments.heat,
            engine=arguments.engine,
            watch=patience.running,
            limits=limits,
        )
        if kind is not None:
            write_file(arguments.output, picture.to_bytes(kind))
    if arguments.show:
        show_moment(picture)
    if arguments.at == END:
        explain_end(arguments, picture.stop, picture.steps)
    return 0
