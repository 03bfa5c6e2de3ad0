"""`planewalk explain`: what each cell that a program reaches does, in words."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser, Namespace
from typing import Any

from ...view.terminal.wrap import filled
from ...view.walk.explain import Explanation, explain, explain_lines, summary
from .alarm import in_time
from .files import read_map
from .options import JSON, add, add_run
from .outcome import as_flags
from .program import limits_of, start_program, stopped
from .terminal import colour_wanted, columns, plain

EPILOG = """\
The program is run for at most --max-steps steps, or until it asks for more input than --input has.
Each line is a cell in reading order: its place, its sign, the headings it was entered by, what it
does, what it did (ticks are numbered from 0, as in `planewalk trace`), and, if `planewalk convert
--map` made the program, what it was made from. Letters of a loaded table are named with that table.

examples:
  planewalk explain hello.mf
  echo 3 1 2 | planewalk explain sort.mf --input - --unreached"""


def add_arguments(parser: ArgumentParser) -> None:
    add_run(parser, steps=10_000)
    rows = f"""
        --unreached  also list the instructions never reached
        --blanks  also list cells that do nothing
        {JSON}
    """
    add(parser, rows)


@in_time
def perform(arguments: Namespace) -> int:
    language, state = start_program(arguments)
    explanation = explain(language, state, limits_of(arguments), time.monotonic)
    explanation = explanation._replace(origins=read_map(arguments.file))
    if arguments.json:
        print(json.dumps(as_json(explanation)))
    else:
        for line in explain_lines(
            explanation,
            unreached=arguments.unreached,
            blanks=arguments.blanks,
            width=columns(),
            colour=colour_wanted(),
        ):
            print(plain(line))
        print(*filled(as_flags(summary(explanation)), columns()), sep="\n")
    return stopped(arguments, explanation.stop, explanation.steps)


def as_json(explanation: Explanation) -> dict[str, object]:
    origins = explanation.origins

    def cell(x: Any, y: Any, sign: str, name: str, table: str, **more: Any) -> dict[str, object]:
        found = None if origins is None else origins.cells.get((x, y))
        told = {"place": [x, y], "symbol": sign, "name": name}
        told |= {"table": table} if table else {}
        return told | more | ({} if found is None else {"origin": found._asdict()})

    reached = [
        cell(
            visit.x, visit.y, visit.sign, visit.instruction.name, visit.table,
            headings=list(visit.headings), times=visit.times, doc=visit.instruction.words,
            did=[deed._asdict() for deed in visit.did],
        )
        for visit in explanation.visits
    ]  # fmt: skip
    unreached = [
        cell(x, y, instruction.symbol, instruction.name, table)
        for x, y, instruction, table in explanation.unreached
    ]
    return {"steps": explanation.steps, "reached": reached, "unreached": unreached}
