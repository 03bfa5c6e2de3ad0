"""`planewalk run --table`: the value of a program for every input, bit by bit."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator

from ...core.errors import OptionError
from ...core.numbers.numerals import to_decimal
from ...core.program import Program
from ...core.state import State
from ...view.walk.run_report import dumps
from ..library import Run, run
from .outcome import FAULT, LIMIT, complain
from .program import limits_of

FEW = 8
"""Input bits in the table unless --bits says otherwise."""


def print_table(arguments: Namespace, program: Program, state: State) -> int:
    """Run the program for every input, and print each with its value."""
    bits = bits_of(arguments, program, state)
    answers = answers_of(arguments, program, bits)
    if arguments.json:
        found = list(answers)
        rows = [
            {"arg": number, "value": run.value, "status": run.status, "steps": run.steps}
            for number, run in enumerate(found)
        ]
        print(dumps({"language": program.language.name, "bits": bits, "table": rows}))
    else:
        found = []
        print(heading(bits))
        for argument, answer in enumerate(answers):
            print(table_line(argument, bits, answer), flush=True)
            found.append(answer)
    return finish(arguments, found)


def bits_of(arguments: Namespace, program: Program, state: State) -> int:
    language = program.language
    if language.results.inputs is None:
        raise OptionError(f"--table: {language.title} programs have no bits of input to go through")
    for option in ("arg", "exit_value", "detect_loops"):
        if getattr(arguments, option):
            written = option.replace("_", "-")
            raise OptionError(f"--table goes through all inputs; leave out --{written}")
    there = language.results.inputs(state)
    if arguments.bits is None:
        if there > FEW:
            complain(
                f"{arguments.file}: the table takes the lowest {FEW} of {there:,} input bits; "
                "--bits N takes as many as you like",
                0,
            )
        return min(there, FEW)
    if arguments.bits > there:
        raise OptionError(f"--bits: the program has {there:,} input bits, not {arguments.bits:,}")
    bits: int = arguments.bits
    return bits


def answers_of(arguments: Namespace, program: Program, bits: int) -> Iterator[Run]:
    """One run for each input; the limits apply to each of them."""
    limits = limits_of(arguments, program.language)
    for argument in range(1 << bits):
        yield run(
            Program(program.language, program.source, {**program.options, "arg": argument}),
            seed=arguments.seed,
            max_steps=limits.steps,
            max_output=limits.output,
            max_time=limits.seconds,
            max_memory=limits.memory,
            engine=arguments.engine,
        )


def heading(bits: int) -> str:
    return f"{'arg':>{_digits(bits)}}  {'bits':>{max(bits, 4)}}  value"


def table_line(argument: int, bits: int, answer: Run) -> str:
    shown = f"{argument:0{bits}b}" if bits else ""
    result = f"{answer.status} after {answer.steps:,} steps"
    if answer.status == "halted":
        assert answer.value is not None
        result = to_decimal(answer.value)
    return f"{argument:>{_digits(bits)}}  {shown:>{max(bits, 4)}}  {result}"


def _digits(bits: int) -> int:
    return max(len(str((1 << bits) - 1)), 3)


def finish(arguments: Namespace, answers: list[Run]) -> int:
    """The exit code, with a line if the program did not halt for some input."""
    sys.stdout.flush()
    others = [answer.status for answer in answers if answer.status != "halted"]
    if not others:
        return 0
    why = ", ".join(sorted(set(others)))
    message = f"{arguments.file}: {len(others):,} of {len(answers):,} runs did not end: {why}"
    return complain(message, FAULT if "fault" in others else LIMIT)
