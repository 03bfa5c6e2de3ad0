"""`planewalk run`: run a program with real input and output."""

from __future__ import annotations

import math
import os
import sys
import time
from argparse import ArgumentParser, Namespace

from ...core.base.deadline import NEVER
from ...core.base.named import NamedTuple
from ...core.engine import Engine
from ...core.errors import OptionError
from ...core.language import Language
from ...core.limits import Limits
from ...core.meta.blame import blaming
from ...core.state import State
from ...core.step import Fault, Halted, Stop
from ...core.stream import InputStream
from ...engines.choose import choose_engine, detour, shortfall
from ...engines.stepping.drive import drive
from ...engines.stepping.loops import LoopDetector
from ...view.walk.run_report import explain_stop, outline
from ..overdue import Overdue
from ..sources import NOT_WAITING, arrives
from ..store import DiskStore
from .files import read_file, write_file
from .options import JSON, add, add_run
from .outcome import FAULT, LIMIT, complain
from .program import limits_of, load_program, naming
from .progress import Progress
from .report import CUT, tell, told_in_time

EPILOG = """\
examples:
  planewalk run hello.ref
  echo 12 | planewalk run factorial.mf
  planewalk run adder.png --arg 35
  planewalk run half-adder.txt --arg 0b11     a board of letters; bits written as bits
  planewalk run half-adder.png --table        the value for every input
  planewalk run plasma.wf --pixel 10,20 --size 64x36 --time 1.5
  planewalk run hello.ref --set clear-mode=true --set nul=_
  planewalk run grow.gemooy --max-steps 1000 --json
  planewalk run loop.gemooy --detect-loops    exit code 3 if it is proven never to end
  planewalk run hello.mf --break "output contains w" --save-state hello.state
  planewalk run hello.mf --from-state hello.state

The program reads standard input (or --input) as it asks for it, and writes to standard output.
At a terminal, Ctrl-D ends the input and Ctrl-C the run."""


OPTIONS = f"""
    --exit-value  exit with the program's value, mod 256, if it ended; in languages with values
    --table  run the program for every input, and print its values
    --bits N  for --table: only the lowest N bits of input
    {JSON}
    --[no-]progress  show on standard error how far a run of more than a second is (default: at a
        terminal, until the program prints there)
    --detect-loops  end the run, as stalled, once it is proven that it never ends: its complete
        state repeats, apart from what it writes
"""
STATES = """
    --save-state F  write the state at the end of the run to this file
    --from-state F  go on from a state that was saved, of the same program
"""


def add_arguments(parser: ArgumentParser) -> None:
    add_run(parser)
    add(parser, OPTIONS)
    parser.add_argument(
        "--break", metavar="CONDITION", dest="stop_at",
        help='stop where this is true, such as "at 3,4", with exit code 3 (see planewalk help '
        "conditions)",
    )  # fmt: skip
    add(parser, STATES)


def perform(arguments: Namespace) -> int:
    program = load_program(arguments)
    language = program.language
    if arguments.exit_value and language.results.value is None:
        raise OptionError(f"--exit-value: {language.title} programs have no value")
    limits = limits_of(arguments, language)
    seed = program.seed_for(arguments.seed)
    with naming(arguments.file):
        state = program.start(seed)
    for note in state.notes:
        complain(f"{arguments.file}: {note}", 0)
    if arguments.table:
        from .table import print_table

        return print_table(arguments, program, state)
    if arguments.bits is not None:
        raise OptionError("--bits says how many bits a --table goes through; add --table")
    source = open_input(arguments)
    state.input = InputStream(closed=False)
    if arguments.from_state is not None:
        from ..statefile import read_state

        state = read_state(
            program, read_file(arguments.from_state, "saved state"), arguments.from_state
        )
        state.input.closed = False
    if arguments.save_state is None:
        program.source = b""  # it may be large, and the state has all that counts
    gone = go(arguments, language, state, limits, source)
    if arguments.save_state is not None:  # which is worth any time, and so is what is told of it
        limits = limits._replace(deadline=NEVER)
    complete = True
    if arguments.json:
        with memoryview(state.output)[: limits.output] as output, blaming(language):
            answer = outline(language, state, output=output, seed=seed, **gone._asdict())
            complete = tell(answer, limits)
    elif language.results.epilogue is not None:
        why = f"{arguments.file}: {explain_stop(gone.stop, state.tick, limits)}"
        with told_in_time(limits, why):
            epilogue = language.results.epilogue(state)
        write(epilogue.encode())
    sys.stdout.flush()
    if arguments.save_state is not None:
        from ..statefile import state_bytes

        write_file(arguments.save_state, state_bytes(program, state))
    code = finish(arguments, language, state, gone.stop, limits)
    return code if complete else complain(f"{arguments.file}: {CUT}", LIMIT)


class Gone(NamedTuple):
    """How a run ended, on which engine, and after how many seconds."""

    stop: Stop
    engine: str
    seconds: float


def go(
    arguments: Namespace, language: Language, state: State, limits: Limits, source: ProgramInput
) -> Gone:
    """Run the program. The memory of the engine is released afterwards."""
    engine: Engine = choose_engine(arguments.engine, language, state, limits, DiskStore())
    chosen = engine
    if lacking := shortfall(arguments.engine, chosen):
        complain(lacking, 0)
    if arguments.stop_at is not None:
        from ...debug.conditions.grammar import parse
        from ...debug.search.breaking import BreakingEngine

        engine = BreakingEngine(engine, language, parse(arguments.stop_at, language), limits)
    progress = Progress(engine, arguments.progress)
    drain = Drain(state, limits, arguments.json, progress)
    loops = None
    if arguments.detect_loops:
        loops = LoopDetector(language, state, limits, time.monotonic)

    def feed(seconds: float | None) -> bytes | None:
        progress.erase()  # what is typed would be mixed up with it
        return source.read(seconds)

    began = time.perf_counter()
    try:
        stop = drive(engine, limits, time.monotonic, feed=feed, drain=drain, loops=loops)
        progress.end()
    except KeyboardInterrupt:
        progress.end()
        drain()
        raise KeyboardInterrupt(f"interrupted after {state.tick:,} steps") from None
    except Overdue:
        progress.end()
        drain()
        raise
    if instead := detour(arguments.engine, chosen):
        complain(instead, 0)
    return Gone(stop, engine.name, time.perf_counter() - began)


def finish(
    arguments: Namespace, language: Language, state: State, stop: Stop, limits: Limits
) -> int:
    """The exit code, with a line that says why if the program did not halt."""
    if isinstance(stop, Halted):
        if arguments.exit_value and language.results.value is not None:
            return language.results.value(state) % 256
        return 0
    why = explain_stop(stop, state.tick, limits)
    return complain(f"{arguments.file}: {why}", FAULT if isinstance(stop, Fault) else LIMIT)


class Drain:
    """Writes output as raw bytes, up to the output limit."""

    def __init__(self, state: State, limits: Limits, hold: bool, progress: Progress) -> None:
        self.state = state
        self.left = limits.output
        self.hold = hold
        self.progress = progress

    def __call__(self) -> None:
        if self.state.output and not self.hold:
            self.progress.before_output()
            data = self.state.take_output()
            if self.left is not None:
                data = data[: self.left]
                self.left -= len(data)
            write(data)
        self.progress()


def write(data: bytes) -> None:
    """Write bytes to standard output without buffering."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


class ProgramInput:
    """Input from a file descriptor, as it arrives. A read error is the end of input."""

    def __init__(self, descriptor: int | None) -> None:
        self.descriptor = descriptor

    def read(self, seconds: float | None) -> bytes | None:
        if self.descriptor is None:
            return b""
        try:
            if not arrives(self.descriptor, math.inf if seconds is None else seconds):
                return None
            return os.read(self.descriptor, 1 << 16)
        except OSError:
            return b""


def open_input(arguments: Namespace) -> ProgramInput:
    """Standard input or `--input`; empty if the program itself came from standard input."""
    name = arguments.input
    if name is None or name == "-":
        if arguments.file == "-" or sys.stdin is None:
            return ProgramInput(None)
        return ProgramInput(sys.stdin.fileno())
    try:
        descriptor = os.open(name, os.O_RDONLY | NOT_WAITING)
        if os.path.isdir(name):
            raise IsADirectoryError
        return ProgramInput(descriptor)
    except OSError:
        read_file(name, "file of input")  # says what is wrong with it
        raise
