"""`planewalk diff`: where two runs part, and in what."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from ...core.difference import told
from ...core.language import Language
from ...core.observation import Step
from ...core.step import Spent
from ...core.text import visible
from ...debug.asking.compare import Parting, parting
from ...engines.stepping.observe import Observer
from ...view.walk.telling import step_json, trace_lines
from .alarm import in_time
from .options import JSON, add, add_run
from .program import limits_of, start_program, stopped
from .values import whole

MOST_STEPS = 1_000_000
MOST_CHANGES = 1_000
"""Changes that the JSON output lists."""

EPILOG = """\
Compares two programs, or one program with two inputs (--input, --input2) or two seeds (--seed,
--seed2), tick by tick, and shows the first tick in which they differ, and the differences of their
states after it. The exit code is 0 if they never differ, 1 if they do.

examples:
  planewalk diff hello.mf hello2.mf
  planewalk diff cat.mf cat.mf --input a.txt --input2 b.txt
  planewalk diff dice.mf dice.mf --seed 1 --seed2 2"""


def add_arguments(parser: ArgumentParser) -> None:
    add_run(parser, steps=MOST_STEPS)
    parser.add_argument("second", metavar="FILE2", help="the other program, or the same")
    rows = f"""
        --input2 F  the input of the second run
        --seed2 N  the seed of the second run
        {JSON}
    """
    add(parser, rows, seed2=whole)


@in_time
def perform(arguments: Namespace) -> int:
    if arguments.seed is None:
        arguments.seed = 0  # without a seed, chance would part them
    second = Namespace(**vars(arguments))
    second.file = arguments.second
    second.input = arguments.input2 or arguments.input
    second.seed = arguments.seed if arguments.seed2 is None else arguments.seed2
    runs = [start_program(each) for each in (arguments, second)]
    limits = limits_of(arguments)
    each = limits._replace(memory=None if limits.memory is None else limits.memory // 2)
    observers = [Observer(language, state, each) for language, state in runs]
    found = parting(observers[0], observers[1], limits.steps)
    cut = next((one for one in observers if isinstance(one.pause, Spent)), None)
    if cut is not None and found is not None and None in (found.first, found.second):
        found = None  # it is not over by itself
    languages = [language for language, _ in runs]
    if arguments.json:
        print(json.dumps(_as_json(found, languages)))
    elif found is None:
        print(f"the same in all {runs[0][1].tick:,} steps that were compared")
    else:
        print(f"they part at tick {found.tick:,}: {', '.join(found.differences)}")
        for name, language, step in zip(
            (arguments.file, second.file), languages, (found.first, found.second), strict=True
        ):
            print(visible(f"--- {name}"))
            print("\n".join(map(visible, _lines(language, step))))
        if found.changes:
            print("--- their states after it")
            one, other = (language.looks for language in languages)
            lines = told(found.changes, looks=one, others=other)
            print("\n".join(visible(f"         {line}") for line in lines))
    if found is not None:
        return 1
    return 0 if cut is None else stopped(arguments, cut.pause, cut.state.tick)


def _lines(language: Language, step: Step | None) -> list[str]:
    return ["         the run is over"] if step is None else list(trace_lines(language, step))


def _as_json(found: Parting | None, languages: list[Language]) -> dict[str, object]:
    if found is None:
        return {"parts": False}
    return {
        "parts": True,
        "tick": found.tick,
        "differences": list(found.differences),
        "changes": [
            {"part": change.part, "at": change.at, "words": str(change)}
            for change in found.changes[:MOST_CHANGES]
        ],
        "steps": [
            None if step is None else step_json(language, step)
            for language, step in zip(languages, (found.first, found.second), strict=True)
        ],
    }
