"""`planewalk disasm`: the Python code that a long run is compiled to."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from ...core.limits import Limits
from ...engines.drive import drive
from .files import write_file
from .program import add_pixel, add_program, start_program
from .values import count

EPILOG = """\
The program runs on generated Python for at most --max-steps steps, and ends where it asks for
input that --input does not give. Then each unit of code that was made on the way is printed: the
places it starts at, how often it was entered and how many ticks ran in it, the cells it was made
from, and its source. In the source,

  fuel     is how many ticks may still be run
  head     says which part comes next; a comment says which place and heading that is
  s0, s1   are the values on the stack, t1, t2 values in between
  return   leaves the unit; the reference engine performs what stands at the place named there

examples:
  planewalk disasm mandelbrot.mf
  planewalk disasm sum.mf --input numbers.txt -o sum.py"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    add_program(parser)
    parser.add_argument("--input", metavar="F", help="the program's input; - is standard input")
    parser.add_argument("--arg", metavar="N", help="the integer input of BMProg")
    parser.add_argument(
        "--max-steps", metavar="N", type=count, default=100_000, help="run no further (100000)"
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", default="-", help="the file to write; else it is printed"
    )
    add_pixel(parser, pixel=True)


def perform(arguments: Namespace) -> int:
    from ...view.disasm import RecordingEngine, disassembly  # brings the compiler

    language, state = start_program(arguments)
    engine = RecordingEngine(language, state, Limits())
    stop = drive(engine, Limits(steps=arguments.max_steps), time.monotonic)
    text = "".join(f"{line}\n" for line in disassembly(engine, stop))
    write_file(arguments.output, text.encode())
    return 0
