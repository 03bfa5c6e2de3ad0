"""The table that a benchmark prints, and its command line."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Protocol

from . import Yardsticks
from .installed import have_stock
from .rows import TITLES, Finding, Row

NONE: Mapping[str, str] = MappingProxyType({})


class Benchmark(Protocol):
    """Rows to measure, and the C programs they are measured by."""

    c: Yardsticks

    def rows(self) -> Iterator[Row]: ...


def measured(rows: list[Row], show: bool) -> Iterator[tuple[Row, Finding]]:
    for row in rows:
        finding = row.measure()
        if show:
            print(row.to_line(finding), flush=True)
        yield row, finding


def perform(benchmark: Benchmark, words: list[str], as_json: bool) -> int:
    names = [word.lower() for word in words]
    rows = [row for row in benchmark.rows() if all(name in row.work.lower() for name in names)]
    if benchmark.c.compiler is None:
        print("no C compiler: rows that need one are left out", file=sys.stderr)
        rows = [row for row in rows if not row.needs_c]
    if not as_json:
        print(TITLES)
    found = list(measured(rows, not as_json))
    if as_json:
        print(json.dumps([row.to_json(finding) for row, finding in found], indent=1))
    else:
        verdicts = [row.met(finding) for row, finding in found]
        print(f"{verdicts.count(True)} targets met, {verdicts.count(False)} missed")
    return 1 if any(finding.problem for _, finding in found) else 0


def main(
    description: str | None, make: Callable[..., Benchmark], switches: Mapping[str, str] = NONE
) -> int:
    """Run a benchmark that `make` makes, given a folder for files, whether to be quick, and more of
    such switches, each with words about it."""
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=style)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="rows with all words")
    parser.add_argument("--quick", action="store_true", help="once, and shorter: rough ratios")
    parser.add_argument("--json", action="store_true", help="one JSON array instead of a table")
    for name, words in switches.items():
        parser.add_argument(f"--{name}", action="store_true", help=words)
    arguments = parser.parse_args()
    have_stock()
    chosen = [arguments.quick, *(getattr(arguments, name) for name in switches)]
    with tempfile.TemporaryDirectory() as folder:
        try:
            return perform(make(folder, *chosen), arguments.only, arguments.json)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            return 130
