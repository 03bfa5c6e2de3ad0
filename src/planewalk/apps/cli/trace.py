"""`planewalk trace`: what happened in each tick, a line for each walker."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace

from ...core.errors import OptionError
from ...core.step import STATUS, Spent
from ...core.text import visible
from ...engines.choose import choose_engine
from ...engines.stepping.drive import drive
from ...engines.stepping.observe import Observer, observe
from ...view.walk.stances import signs_of
from ...view.walk.telling import step_json, trace_lines
from .alarm import in_time
from .options import add, add_run
from .outcome import LIMIT, complain
from .program import limits_of, start_program, stopped
from .terminal import plain

SHOWN = 100

EPILOG = """\
Each line is a tick: its number (the first is 0), the place and heading of the walker, the sign in
that cell, and what the instruction did with which operands. With several walkers, each has a line,
with its number before its place.

examples:
  planewalk trace hello.mf
  planewalk trace hello.mf --steps 20:40
  planewalk trace mandelbrot.mf --steps 1000000:1000010
  planewalk trace duet.ref --format json | head -n 3"""


def steps(text: str) -> tuple[int, int | None]:
    """`A:B`, `A:`, `:B` or `A`."""
    first, colon, last = text.partition(":")
    try:
        begin = int(float(first)) if first else 0
        end = (int(float(last)) if last else None) if colon else begin + 1
    except (ValueError, OverflowError):
        begin, end = -1, None
    if begin < 0 or (end is not None and end <= begin):
        raise OptionError(f"--steps: expected ticks such as 20:40, not {text!r}")
    return begin, end


def add_arguments(parser: ArgumentParser) -> None:
    add_run(parser)
    rows = f"""
        --steps A:B  the ticks to show, from A up to B (default 0:{SHOWN}); A: goes on to the end
        --format KIND  lines, or an object a line
    """
    kind = {"choices": ("text", "json"), "default": "text"}
    add(parser, rows, steps=f"0:{SHOWN}", format=kind)


@in_time
def perform(arguments: Namespace) -> int:
    from time import monotonic

    from ..store import DiskStore

    first, last = steps(arguments.steps)
    language, state = start_program(arguments)
    limits = limits_of(arguments, language)
    if first:
        engine = choose_engine(arguments.engine, language, state, limits, DiskStore())
        stop = drive(engine, limits._replace(steps=first), monotonic, drain=state.take_output)
        if isinstance(stop, Spent) and stop.reason != "steps":
            return stopped(arguments, stop, state.tick)
        if state.tick < first:
            raise OptionError(
                f"there is no tick {first:,}: the program is {STATUS[type(stop)]} "
                f"after {state.tick:,} steps"
            )
    most = min((end for end in (last, limits.steps) if end is not None), default=None)
    observer = Observer(language, state, limits)
    steps_to_come = observe(observer, None if most is None else max(most - state.tick, 0))
    while True:
        signs = signs_of(language, state)
        step = next(steps_to_come, None)
        if step is None:
            break
        state.take_output()
        if arguments.format == "json":
            print(json.dumps(step_json(language, step, signs)))
        else:
            for line in trace_lines(language, step, signs):
                print(plain(visible(line)))
        limits.check_time()
    sys.stdout.flush()
    if state.stop is None and observer.pause is not None:
        return complain(f"{STATUS[type(observer.pause)]} after {state.tick:,} steps", LIMIT)
    return 0
