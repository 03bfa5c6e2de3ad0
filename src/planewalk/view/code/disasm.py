"""Listings of generated code, with comments on its cells, its entries and its exits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ...core.barriers import Barriers
from ...core.geometry import Stance
from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State
from ...core.step import FINAL, Hungry, Stop
from ...engines.base.policy import policy_in_force
from ...engines.compiled.task import Task
from ...engines.python.python_engine import PythonEngine, Unit
from ...engines.tracing.footprint import blocks
from ...engines.tracing.ir import Key
from ...engines.tracing.tracer import Tracer
from ...engines.tracing.trees import Tree
from ..walk.follow import row_runs
from ..walk.stances import heading_name

MOST_HEADS = 6
"""Places named in the header of a unit."""


class Listing(NamedTuple):
    """The code of a unit as lines, and the trees it was written from."""

    lines: list[str]
    trees: list[Tree]


class RecordingEngine(PythonEngine):
    """The engine of generated Python, which lists every unit as soon as it is made, before the
    program rewrites its cells.
    """

    def __init__(
        self, language: Language, state: State, limits: Limits, form: ListingStyle
    ) -> None:
        super().__init__(language, state, limits, policy_in_force()._replace(background=False))
        self.form = form
        self._write = self.backend.write
        self.backend.write = self._list  # type: ignore[method-assign]
        self.made: list[tuple[Unit, Listing]] = []
        self.crowd = len(state.walkers)

    @property
    def walked(self) -> int:
        """Ticks in all its runs."""
        return self.run.now

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        target = self.state.tick + ticks
        # In short pieces until something is compiled, to see how many walkers are in the way.
        while not self.made and self.state.tick + self.policy.stretch < target:
            stop = super().advance(self.policy.stretch, barriers)
            self.crowd = max(self.crowd, len(self.state.walkers))
            if stop is not None:
                return stop
        return super().advance(target - self.state.tick, barriers)

    def _list(self, task: Task, entry: Key, tracer: Tracer, trees: list[Tree]) -> Unit | None:
        unit = self._write(task, entry, tracer, trees)
        if unit is not None:
            self.made.append((unit, self.form.list(self, task, unit, trees)))
        return unit


class ListingStyle(NamedTuple):
    """A way of listing units: what begins a comment, and how one is written."""

    mark: str
    list: Callable[[RecordingEngine, Task, Unit, list[Tree]], Listing]


def disassembly(engine: RecordingEngine, stop: Stop | None) -> Iterator[str]:
    """Lines of code with comments; one line that says why if nothing was compiled."""
    mark = engine.form.mark
    refused = [f"{mark} {why.told(times)}" for why, times in engine.refusals.items()]
    if not engine.made:
        yield f"{mark} nothing was compiled: {_why_nothing(engine, stop)}"
        yield from refused
        return
    inside = sum(unit.ticks for unit, _ in engine.made)
    units = "1 unit" if len(engine.made) == 1 else f"{len(engine.made)} units"
    yield f"{mark} {units}; {inside:,} of {engine.walked:,} steps ran in compiled code"
    yield from refused
    for number, (unit, listing) in enumerate(engine.made, 1):
        yield ""
        yield ""
        for line in _header(engine, number, unit, listing.trees):
            yield f"{mark} {line}"
        yield from listing.lines


def _why_nothing(engine: RecordingEngine, stop: Stop | None) -> str:
    steps = f"{engine.walked:,} step{'' if engine.walked == 1 else 's'}"
    if engine.language.rules.meet:
        runs = "an engine of its own" if engine.language.engines.special else "the reference engine"
        return f"{engine.language.title}, where walkers act as the groups that meet, runs on {runs}"
    if isinstance(stop, Hungry):
        return f"the program waits for input after {steps}; --input gives it some"
    if engine.crowd > 1:
        return f"several walkers ({engine.crowd:,}) share the plane; only one alone is compiled"
    if engine.hot_spots.refused:
        return f"what is hot in its {steps} cannot be compiled"
    longer = "" if isinstance(stop, FINAL) else "; --max-steps makes it longer"
    return f"the run is too short: in its {steps} no place was met often enough{longer}"


def _header(engine: RecordingEngine, number: int, unit: Unit, trees: list[Tree]) -> Iterator[str]:
    named = []
    for key in (tree.key for tree in trees[:MOST_HEADS]):
        stack = stack_name(key.depth)
        place = stance_name(engine.language, key.stance)
        named.append(f"{place} with {stack}" if stack else place)
    if len(trees) > MOST_HEADS:
        named.append(f"and {len(trees) - MOST_HEADS} more")
    times = "once" if unit.entered == 1 else f"{unit.entered:,} times"
    share = 100 * unit.ticks / max(engine.walked, 1)
    gone = "" if unit in engine.units.all() else "; dropped since"
    yield f"unit {number}: starts at {named[0]}"
    for name in named[1:]:
        yield f"  {'' if name.startswith('and') else 'or '}{name}"
    ticks = "1 tick" if unit.ticks == 1 else f"{unit.ticks:,} ticks"
    yield f"entered {times}, {ticks} ran in it ({share:.3g} %){gone}"
    places = set().union(*(places_of(tree) for tree in trees))
    yield f"made from {cells(places)}{':' if places else ''}"
    for line in place_ranges(places):
        yield f"  {line}"


# Words for places --------------------------------------------------------------------------------


def places_of(tree: Tree) -> set[tuple[Any, Any]]:
    """The places of the instructions that a tree performs."""
    return {(stance.x, stance.y) for block in blocks(tree) for stance, _ in block.walked}


def cells(places: set[tuple[Any, Any]]) -> str:
    """`1 cell`, `2 cells`."""
    return f"{len(places):,} cell{'' if len(places) == 1 else 's'}"


def place_ranges(places: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """Places row by row, neighbours put together: `row 2: 0 to 7, 9`."""
    rows: dict[Any, list[str]] = {}
    for y, first, count in row_runs(places):
        shown = f"{first:g}" if count == 1 else f"{first:g} to {first + count - 1:g}"
        rows.setdefault(y, []).append(shown)
    for y, runs in rows.items():
        yield f"row {y:g}: {', '.join(runs)}"


def stance_name(language: Language, stance: Stance) -> str:
    """`(3, 0) heading right`."""
    return f"({stance.x:g}, {stance.y:g}) heading {heading_name(language, stance.dx, stance.dy)}"


def stance_with_sign(language: Language, state: State, stance: Stance) -> str:
    """A stance, with what stands there: `(3, 0) heading right: + add`."""
    instruction = language.decode(state.plane, stance)
    symbol = instruction.symbol
    sign = f"{symbol} " if symbol.isprintable() and symbol != " " else ""
    return f"{stance_name(language, stance)}: {sign}{instruction.name}"


def stack_name(depth: int | None) -> str:
    """`2 values on the stack`; nothing if it is empty, which many languages' stacks always are."""
    if depth is None:
        return "a stack of any depth"
    values = "value" if depth == 1 else "values"
    return f"{depth} {values} on the stack" if depth else ""


# Python ------------------------------------------------------------------------------------------

_LEAVE = re.compile(r" *return (\d+), ")
_ON = re.compile(r" *head = (\d+)$")
_TOP = re.compile(r" +while True:$")


def _python(engine: RecordingEngine, task: Task, unit: Unit, trees: list[Tree]) -> Listing:
    """The source of a unit, indented for people, with the stances that heads and exits mean."""
    language, state, listed = engine.language, engine.state, []
    lines = unit.source.text.splitlines()
    heads, exits = list(unit.source.entries), unit.source.exits
    deepest = max((_depth(line) for line in lines), default=0)
    indent = 4 if deepest <= 12 else 2
    number = -1
    for at, line in enumerate(lines):
        room = " " * (indent * _depth(line))
        text = line.strip()
        after = lines[at + 1].strip() if at + 1 < len(lines) else ""
        # A head's loop begins by looking at the fuel.
        if _TOP.match(line) and after.startswith("if fuel <") and number + 1 < len(heads):
            number += 1
            begins = stance_with_sign(language, state, heads[number].stance)
            listed.append(f"{room}# head {number}: {begins}")
        if (leave := _LEAVE.match(line)) and int(leave[1]) < len(exits):
            why = "out of fuel" if int(leave[1]) in unit.source.spent else "leave"
            text += f"  # {why} at {stance_with_sign(language, state, exits[int(leave[1])].stance)}"
        elif (on := _ON.match(line)) and int(on[1]) < len(heads):
            text += f"  # on to {stance_name(language, heads[int(on[1])].stance)}"
        elif text == "continue" and 0 <= number < len(heads):
            text += f"  # again from {stance_name(language, heads[number].stance)}"
        listed.append(room + text)
    return Listing(listed, trees)


PYTHON = ListingStyle("#", _python)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
