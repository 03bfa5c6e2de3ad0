"""`planewalk check-language`: whether a language obeys the laws of all languages."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable
from itertools import chain
from shlex import quote
from zlib import crc32

from ...core.language import Language
from ...core.program import fresh_seed
from ...languages import outside
from ...view.terminal.wrap import filled
from ..checking.check import Checker, Outcome
from ..checking.report import Report, conditions, trial_lines
from ..checking.trial import LIMITS, Trial
from .files import make_folder, read_file, write_file
from .options import JSON, add, add_any_language
from .outcome import FAULT, INTERRUPTED, complain
from .progress import StatusLine
from .terminal import bold, columns
from .values import count, whole

STOPPED = "interrupted: stopped before all was checked"

EPILOG = """\
Every instruction must have a description and examples, and the examples in the table must be true;
the example programs must do what their index says; any source starts, or is refused with a reason.
For all programs, all engines must reach the same complete states, at once and step by step; input
may arrive byte by byte; states survive JSON; copies are independent; seeds repeat; decode never
raises; states can be shown. Random programs are made from the table and the examples, and run with
options of an example, or none.

A program that breaks a law is made smaller, and printed. A check that takes more than about ten
seconds is stopped; a function that has not returned is named with its line. The report also says
which part of all ticks ran in compiled code, and which instructions are never compiled: that is no
mistake, only slower.
Exit codes: 0 all is well, 4 something is wrong with the language, 2 it cannot be loaded, 130
interrupted (143 by SIGTERM) before all was checked.

examples:
  planewalk check-language snails                      an installed language
  planewalk check-language src/snails                  one that is not installed yet
  planewalk check-language snails --seconds 60         longer
  planewalk check-language snails --save failing/      write the programs that break a law there"""


OPTIONS = f"""
    --seconds S  seconds for random programs (default 10)
    --seed N  repeat the random programs of this seed
    --save FOLDER  write the programs that break a law into this folder
    {JSON}
"""
PROGRAM = """
    --program FILE  the program
    --input F  its input
    --set KEY=VALUE ...  an option of the language; may be repeated
    --marks N,N  the steps after which states are compared (default 10,100,1000)
    --max-output BYTES  stop after that much output
"""


def add_arguments(parser: ArgumentParser) -> None:
    add_any_language(parser)
    add(parser, OPTIONS, seconds=10.0, seed=whole)
    again = parser.add_argument_group("to try one program instead of random ones")
    add(again, PROGRAM, marks={"type": marks, "default": (10, 100, 1_000)})


def marks(text: str) -> tuple[int, ...]:
    """Step numbers in ascending order."""
    found = tuple(map(count, text.split(",")))
    if list(found) != sorted(found):
        raise ArgumentTypeError(f"expected numbers in order, such as 10,100, not {text!r}")
    return found


def perform(arguments: Namespace) -> int:
    language = outside.load(arguments.language)
    seed = fresh_seed() if arguments.seed is None else arguments.seed
    report = Report(Checker(language, seed))
    try:
        _check(report, arguments)
    except KeyboardInterrupt:
        report.interrupted = True
    if arguments.json:
        print(json.dumps(report.to_dict()))
    else:
        _print(report)
    sys.stdout.flush()
    if arguments.save:
        _save(report, arguments)
    if report.interrupted:
        now = report.checker.now  # it may never end
        tried = [] if now is None else ["while trying", *trial_lines(now)]
        return complain("\n".join([STOPPED, *tried]), INTERRUPTED)
    if report.problems:
        return complain(f"{language.title} breaks its promises; see above", FAULT)
    return 0


def _check(report: Report, arguments: Namespace) -> None:
    checker = report.checker
    if arguments.program is not None:
        _follow(report, checker.program(_given(arguments, checker.language)))
    else:
        _follow(report, chain(checker.table(), checker.examples()))
        _follow(report, checker.random(), arguments.seconds)
    report.refusals = list(checker.refusals())


def _follow(report: Report, outcomes: Iterable[Outcome], seconds: float | None = None) -> None:
    """Record the outcome of each check, for a limited time if there is no end to them."""
    line = StatusLine(None)
    until = None if seconds is None else time.monotonic() + seconds
    try:
        for outcome in outcomes:
            report.note(outcome)
            now = time.monotonic()
            if until is not None and now >= until:
                return
            if line.due(now):
                left = "" if until is None else f", {until - now:.0f} s left"
                line.write(f"{sum(report.tried.values()):,} checks, {outcome.check}{left}", now)
    finally:
        line.end()


def _given(arguments: Namespace, language: Language) -> Trial:
    source = read_file(arguments.program)
    data = b"" if arguments.input is None else read_file(arguments.input, "file of input")
    text = source.decode(errors="replace")
    if language.sources.spell(text) != source:
        text = ""
    limits = LIMITS._replace(output=arguments.max_output)
    seed, marks, options = arguments.seed or 0, arguments.marks, dict(arguments.set)
    language.read_options(options)  # so that a wrong one is told as such
    return Trial(language, source, text, data, seed, marks, options, limits)


def _print(report: Report) -> None:
    language = report.checker.language
    for line in filled(f"{language.title}: {language.summary}", columns()):
        print(bold(line))
    for line in report.lines():
        print(line)
    for line in report.compiled_lines():
        print(*(filled(line, columns(), "    ") if sys.stdout.isatty() else [line]), sep="\n")
    for line in report.problem_lines():
        print(line)
    if not report.problems and not report.interrupted:
        print(f"All is well (--seed {report.checker.seed}).")


def _save(report: Report, arguments: Namespace) -> None:
    """Write the programs that break a law, and print the commands that try them again."""
    folder, language = arguments.save, report.checker.language
    make_folder(folder)
    for number, (_, problem) in enumerate(report.problems, 1):
        trial = problem.trial
        if trial is None:
            continue
        name = crc32(trial.source + trial.data)  # whatever has that name already is the same
        program = os.path.join(folder, f"{name:08x}{language.suffixes[0]}")
        words = ["planewalk", "check-language", arguments.language, "--program", program]
        write_file(program, trial.source)
        if trial.data:
            data = os.path.join(folder, f"{name:08x}.input")
            write_file(data, trial.data)
            words += ["--input", data]
        words += conditions(trial)
        complain(f"to try number {number} again: {' '.join(map(quote, words))}", 0)
