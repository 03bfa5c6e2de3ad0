"""`planewalk bench`: how fast each engine runs a program, and that all of them agree."""

from __future__ import annotations

import math
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from typing import Any, NamedTuple

from ...core.base.deadline import NEVER, Deadline
from ...core.engine import Engine
from ...core.errors import LimitReached, OptionError
from ...core.limits import allowed, allowing
from ...core.program import Program
from ...core.state import State
from ...core.stream import InputStream
from ...core.text import visible
from ...engines.base.policy import PATIENT
from ...engines.bench import Racer, disagreements
from ...engines.choose import NAMES, choose_engine
from ...engines.interpreter.abi import why_not
from ...engines.native.machine_code import Store
from ...engines.tracing.refusal import Refusal
from ...view.code.bench_table import Measured, ratios, table_lines
from ..stock import FOLDER, NewCode
from .alarm import in_time
from .files import read_file
from .options import INPUT, JSON, SEED, add, add_bounds, add_language, add_pixel
from .outcome import FAULT, complain
from .program import limits_of, load_program, naming
from .progress import ERASE
from .terminal import columns, unicode_wanted
from .values import whole

ROUNDS = 5
BASELINE = "reference"

EPILOG = """\
Each engine runs each program for about --seconds, in alternating rounds, so that other load on the
machine affects all engines alike. Two speeds are measured. In a whole run all code is compiled on
the way, except for what comes with planewalk, as when a program is run once. With its code there, a
program reaches its full speed, as in later runs or in the best part of a long one. A program that
ends sooner is started again, and the quickest run counts. Finally the complete states and outputs
of the engines are compared at a step that all of them have reached: if they differ, a line says so,
and the exit code is 4. If an instruction raises an error in the compiler, a line says which and
where; the reference engine performs it.

examples:
  planewalk bench collatz.mf mandelbrot.mf
  echo 2000 | planewalk bench primes.mf --input - --seconds 3
  planewalk bench counter.gemooy --engines reference,auto --json
  planewalk bench collatz.mf --engines auto --why"""


OPTIONS = f"""
    {SEED}
    --engines E,E  the engines to compare: {", ".join(NAMES)} (default: all that the language has)
    --seconds S  seconds for each engine on each program (default 1)
    {INPUT.strip().replace("program's", "programs'")}
    --max-steps N  start again after N steps
    --why  say which tiers auto and llvm ran on for how long, and why each was left
    {JSON}
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="the programs")
    add_language(parser)
    add(parser, OPTIONS, seed=whole, seconds=1.0, arg={"type": None})
    add_pixel(parser)
    add_bounds(parser)


def perform(arguments: Namespace) -> int:
    found = Findings([], [])
    late: LimitReached | None = None
    try:
        in_time(lambda given: _find(given, found))(arguments)
    except LimitReached as error:
        if not any(racer.whole.rate for _, racers in found.races for racer in racers):
            raise
        late = error
    _say_where("")
    _tell(found, late, arguments)
    if late is not None:
        raise LimitReached(f"{late}; the table has what was measured by then", late.reason)
    for difference in found.differences:
        one, other = difference["engines"]
        complain(
            f"{difference['program']}: {other} and {one} DISAGREE at step {difference['step']:,}: "
            f"different {', '.join(difference['parts'])}",
            FAULT,
        )
    return FAULT if found.differences else 0


def _tell(found: Findings, late: LimitReached | None, arguments: Namespace) -> None:
    """Print the table, the history of each tier, and what could not be compiled."""
    measured = [(t, r) for t, racers in found.races for r in racers if not late or r.whole.rate]
    rows = [
        Measured(t, r.name, r.whole.steps, r.runs, r.whole.seconds, r.ended, r.pace.rate)
        for t, r in measured
    ]
    refused = [(t, r.name, why, n) for t, r in measured for why, n in r.refusals.items()]
    tiers = [(t, r.name, r.told()) for t, r in measured] if arguments.why else []
    if arguments.json:
        _print_json(rows, refused, None if late else found.differences, tiers)
    else:
        for line in table_lines(rows, BASELINE, blocks=unicode_wanted(), width=columns()):
            print(line)
        for title, engine, told in tiers:
            for tier, became in told:
                print(f"{title}: {engine}: {tier}: {became}")
    sys.stdout.flush()
    for title, engine, why, times in refused:
        complain(f"{title}: {engine}: {why.told(times)}", 0)


class Findings(NamedTuple):
    """The results so far, which are reported even if the time runs out."""

    races: list[tuple[str, list[Racer]]]
    differences: list[dict[str, Any]]


def _find(arguments: Namespace, found: Findings) -> int:
    """Race all engines on all programs, and compare the states they reach."""
    asked = None if arguments.engines is None else _engine_names(arguments.engines)
    data = b"" if arguments.input is None else read_file(arguments.input, "file of input")
    for file, program in _load_all(arguments):
        racers = _racers(program, asked or _all_engines(program), data, arguments)
        title = visible(os.path.basename(file))
        found.races.append((title, racers))
        for number in range(ROUNDS):
            for racer in racers:
                _say_where(f"{title}: round {number + 1} of {ROUNDS}, {racer.name}")
                allowed().check_time()
                with allowing(allowed()._replace(deadline=NEVER)):  # programs may start again
                    racer.race(arguments.seconds / ROUNDS)
        _say_where("")
        longest = max(racer.reached()[0].tick for racer in racers)
        if longest < PATIENT.short:  # most of these only lack input
            hint = "; if it waits for input, give it some with --input"
            hint = hint if arguments.input is None else ""
            complain(f"{title} ends after {longest:,} steps, too soon to compare engines{hint}", 0)
        for one, other, tick, parts in disagreements(racers):
            told = {"program": title, "engines": [one, other], "step": tick, "parts": parts}
            found.differences.append(told)
    return 0


def _say_where(text: str) -> None:
    """Replace the status line at the terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(ERASE + text)
        sys.stderr.flush()


def _engine_names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise OptionError("--engines: name at least one engine")
    return list(dict.fromkeys(names))


def _all_engines(program: Program) -> list[str]:
    """The engines of a language; not every language has an interpreter in machine code."""
    names = [BASELINE, "interpreter", "python", "llvm", "auto"]
    if why_not(program.language, program.start(0)) is not None:
        names.remove("interpreter")
    return names


def _load_all(arguments: Namespace) -> list[tuple[str, Program]]:
    """Load and start every program before any of them is timed."""
    found = []
    for file in arguments.files:
        one = Namespace(**{**vars(arguments), "file": file})
        program = load_program(one)
        with naming(file):
            program.start(0)
        found.append((file, program))
    return found


def _racers(program: Program, names: list[str], data: bytes, arguments: Namespace) -> list[Racer]:
    language = program.language
    steps = language.rules.default_steps if arguments.max_steps is None else arguments.max_steps
    limits = limits_of(arguments)._replace(steps=steps)
    seed = program.seed_for(arguments.seed)  # the same for all, or they could not agree

    def start() -> State:
        state = program.start(seed)
        state.input = InputStream(data)
        return state

    def racer(name: str) -> Racer:
        patience = Deadline(time.perf_counter, math.inf)
        own = limits._replace(deadline=patience)

        def make(state: State, store: Store) -> Engine:
            return choose_engine(name, language, state, own, store)

        make(start(), NewCode(FOLDER))  # refuses now, rather than after others have run
        return Racer(name, start, make, own, lambda: NewCode(FOLDER))

    return [racer(name) for name in names]


def _print_json(
    rows: list[Measured],
    refused: list[tuple[str, str, Refusal, int]],
    told: list[dict[str, Any]] | None,
    tiers: list[tuple[str, str, list[tuple[str, str]]]],
) -> None:
    import json

    measured = []
    for row in rows:
        whole, there = ratios(row, rows, BASELINE) or (None, None)
        told_of = {**row._asdict(), "seconds": round(row.seconds, 6), "pace": round(row.pace, 1)}
        rate = {"steps_per_second": round(row.rate, 1)}
        measured.append({**told_of, **rate, "ratio": whole, "pace_ratio": there})
    not_compiled = [
        {"program": program, "engine": engine, **why._asdict(), "times": times}
        for program, engine, why, times in refused
    ]
    answer = {"measured": measured, "not_compiled": not_compiled, "disagreements": told}
    if tiers:
        answer["tiers"] = [
            {"program": program, "engine": engine, "tier": tier, "told": became}
            for program, engine, told in tiers
            for tier, became in told
        ]
    print(json.dumps(answer))
