"""`planewalk picture`: one moment of a run."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from ..arguments import END
from ..films import PICTURES, picture_of, title_of
from ..writers import suffix_of
from .film import Patience, add_view, explain_end, view_of
from .main import complain
from .program import add_output, add_program, limits_of, start_program
from .values import count

EPILOG = """\
What is drawn is what a frame of `planewalk film` shows. Heat is counted from the first step on.

examples:
  planewalk picture hello.mf --at 20 -o hello.svg
  planewalk picture adder.png --arg 35 --at 40 --theme dark -o step40.png
  planewalk picture fuse.ref --at end -o end.png
  planewalk picture sierpinski.gemooy --at 50000 --heat -o heat.svg
  planewalk picture hello.ref --at 9 -o hello.txt      .ansi is the same with colours"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    add_program(parser)
    add_output(parser, ", ".join(PICTURES))
    parser.add_argument(
        "--at",
        metavar="STEP",
        type=step,
        default=0,
        help=f"after this step (0: the beginning); {END} is where the program ends or asks for "
        "input",
    )
    add_view(parser)


def step(text: str) -> int | str:
    """A step, or the end."""
    if text == END:
        return END
    try:
        return count(text)
    except ArgumentTypeError:
        raise ArgumentTypeError(f"expected a step or {END!r}, not {text!r}") from None


def perform(arguments: Namespace) -> int:
    suffix_of(arguments.output, PICTURES)
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
        picture.save(arguments.output)
    if arguments.at == END:
        explain_end(arguments, picture.stop, picture.steps)
    return 0
