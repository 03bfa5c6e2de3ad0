"""`planewalk disasm`: the code that a long run is compiled to."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from ...core.errors import EngineRefused, OptionError
from ...core.limits import Limits
from ...core.step import FINAL, Stop
from ...engines.stepping.drive import drive
from .alarm import in_time
from .files import write_file
from .options import PRINTED, add, add_run
from .program import limits_of, start_program, stopped

if TYPE_CHECKING:
    from ...view.code.disasm import ListingStyle, RecordingEngine

EPILOG = """\
The program runs on generated Python for at most --max-steps steps, and ends where it asks for
input that --input does not give; a program that colours a pixel runs repeatedly, as for a picture.
Then each unit of code made on the way is printed: the places it starts at, how often it was
entered and how many ticks ran in it, the cells it was made from, and its source. In the source,

  fuel     is the number of ticks that may still be run
  head     says which part comes next; a comment gives its place and heading
  s0, s1   are the values on the stack, t1, t2 intermediate values
  return   leaves the unit; the reference engine performs what stands at the place named there

With --as llvm or --as asm each unit is listed as the LLVM IR or the machine code that it becomes
in a longer run. Comments show the symbols of each stretch, in the order in which they are walked
over, before the code for them. Values are named as in Python; %w points to the state of the run.
Optimising merges code, and drops some comments. Unoptimised IR needs nothing but planewalk; the
rest needs llvmlite.

examples:
  planewalk disasm mandelbrot.mf
  echo 3 1 2 | planewalk disasm sum.mf --input - -o sum.py
  echo 27 | planewalk disasm collatz.mf --as llvm --input -
  echo 27 | planewalk disasm collatz.mf --as llvm --optimised --input -"""


def add_arguments(parser: ArgumentParser) -> None:
    add_run(parser, steps=100_000)
    parser.add_argument(
        "--as", dest="form", choices=("python", "llvm", "asm"), default="python",
        help="list it as Python, LLVM IR or this machine's assembly (default python)",
    )  # fmt: skip
    add(parser, f"--optimised  LLVM IR as optimised by LLVM\n{PRINTED}", output="-")


@in_time
def perform(arguments: Namespace) -> int:
    from ...view.code.disasm import RecordingEngine, disassembly  # brings the compiler

    form = _form(arguments.form, arguments.optimised)
    language, state = start_program(arguments)
    limits = limits_of(arguments)
    engine = RecordingEngine(language, state, limits, form)
    stop = _run(engine, limits)
    text = "".join(f"{line}\n" for line in disassembly(engine, stop))
    write_file(arguments.output, text.encode())
    return stopped(arguments, stop, engine.state.tick)


def _run(engine: RecordingEngine, limits: Limits) -> Stop:
    """Run a program; one that colours pixels is run repeatedly, as for a picture."""

    def standing_clock() -> float:
        return 0.0  # time would decide how a run is cut into pieces, and listings would differ

    first = engine.state.copy()
    while True:
        left = (limits.steps or 0) - engine.run.earlier
        stop = drive(engine, limits._replace(steps=left), standing_clock)
        again = engine.language.drawing.colour is not None and not engine.state.plane.writable
        if not again or not isinstance(stop, FINAL) or not 0 < engine.state.tick < left:
            return stop
        engine.restart(first.copy())


def _form(name: str, optimised: bool) -> ListingStyle:
    from ...engines.native.machine_code import why_not
    from ...view.code import disasm, disasm_native

    if optimised and name != "llvm":
        raise OptionError("--optimised goes with --as llvm")
    if name == "python":
        return disasm.PYTHON
    if name == "llvm" and not optimised:
        return disasm_native.LLVM
    if reason := why_not():
        raise EngineRefused(f"{'--optimised' if optimised else '--as asm'}: {reason}")
    return disasm_native.OPTIMISED if optimised else disasm_native.ASSEMBLY
