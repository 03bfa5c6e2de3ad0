"""`planewalk graph`: a picture of the ways that a program takes."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from ...core.text import visible
from .alarm import in_time
from .files import write_file
from .options import add_kind, add_output, add_run
from .outcome import complain
from .program import kind_of, limits_of, start_program, stopped

SVG = ".svg"
EPILOG = """\
The program runs for at most --max-steps steps, and ends where it asks for input that --input does
not give. Each box is a straight stretch of the walk: its first and last place, the heading, and
the symbols in the order in which they were met. Lines lead from stretch to stretch; the thicker
and warmer a line, the more often it was taken. Boxes with a dashed border were rewritten on the
way.

examples:
  planewalk graph hello.mf -o hello.svg
  echo 50 | planewalk graph primes.mf --input - -o primes.svg
  planewalk graph counter.gemooy --max-steps 500 -o counter.png
  planewalk graph hello.mf -o - --as dot | dot -Tpdf -o hello.pdf"""


def add_arguments(parser: ArgumentParser) -> None:
    add_run(parser, steps=20_000)
    from ..insight import GRAPHS

    add_output(
        parser, ".svg and .png are pictures, .dot is for Graphviz, .json the data; - is stdout"
    )
    add_kind(parser, GRAPHS, SVG)


@in_time
def perform(arguments: Namespace) -> int:
    from ...view.flow.flow import flow_of
    from ..insight import GRAPHS, Graph

    kind = kind_of(arguments, GRAPHS, SVG)
    language, state = start_program(arguments)
    flow = flow_of(language, state, limits_of(arguments), time.monotonic)
    graph = Graph(flow, visible(arguments.file.replace("\\", "/").rpartition("/")[2]))
    write_file(arguments.output, graph.to_bytes(kind))
    if flow.status == "waiting":
        complain(
            f"{arguments.file}: asks for input after {flow.steps:,} steps; --input gives it some", 0
        )
    if flow.left_out:
        complain(
            f"{arguments.file}: {flow.left_out:,} stretches that were walked less are left out", 0
        )
    return stopped(arguments, flow.stop, flow.steps)
