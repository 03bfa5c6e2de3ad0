"""`planewalk render`: the picture of a program that colours pixels."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from ...core.errors import OptionError, PlanewalkError
from ...core.limits import Limits
from ...engines.picture import render_rows
from .files import write_with
from .program import add_engine, add_pixel, add_program, at_file, load_program
from .values import count

MOST_PIXELS = 1 << 26

EPILOG = """\
examples:
  planewalk render plasma.wf -o plasma.png
  planewalk render plasma.wf --size 320x180 --time 1.5 -o plasma.png"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    add_program(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT.png", required=True, help="the picture to write; - is stdout"
    )
    parser.add_argument(
        "--max-steps", metavar="N", type=count, help="steps a pixel may take (default 10000)"
    )
    add_engine(parser)
    add_pixel(parser, pixel=False)


def perform(arguments: Namespace) -> int:
    if arguments.output != "-" and not arguments.output.lower().endswith(".png"):
        raise OptionError(f"-o: pictures are PNG files, so {arguments.output!r} must end in .png")
    program = load_program(arguments)
    if program.language.colour is None:
        raise PlanewalkError(
            f"{program.language.title} programs do not colour pixels; planewalk run runs them"
        )
    width, height = program.options["size"]
    if width * height > MOST_PIXELS:
        raise OptionError(f"--size: {width} x {height} is more than {MOST_PIXELS:,} pixels")
    steps = arguments.max_steps
    limits = Limits(steps=program.language.default_steps if steps is None else steps)
    try:
        rows = render_rows(program, limits, arguments.seed)
        pixels = b"".join(with_progress(rows, height))
    except OptionError as error:
        raise at_file(arguments.file, error) from None

    from PIL import Image

    image = Image.frombytes("RGB", (width, height), pixels)
    write_with(arguments.output, lambda file: image.save(file, format="PNG"))
    return 0


def with_progress(rows: Iterator[bytes], height: int) -> Iterator[bytes]:
    """The rows as they are, with a line at the terminal when they take long."""
    began = shown = time.monotonic()
    talking = False
    for done, row in enumerate(rows, 1):
        yield row
        now = time.monotonic()
        if sys.stderr.isatty() and now - shown > 0.2 and now - began > 1:
            shown, talking = now, True
            left = (now - began) / done * (height - done)
            text = f"\rrow {done} of {height}, {100 * done // height} %, {left:.0f} s left  "
            print(text, end="", file=sys.stderr, flush=True)
    if talking:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
