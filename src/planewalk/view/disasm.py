"""Generated code made readable: what each unit was made from, and where it comes and goes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..core.geometry import Stance
from ..core.instruction import Instruction
from ..core.language import Language
from ..core.limits import Limits
from ..core.state import State
from ..core.step import Hungry, Stop
from ..engines.compiled import STRETCH, PythonEngine, Task, Tried, Unit
from ..engines.ir import Key
from .explain import heading_name

MOST_HEADS = 6
"""Places named in the header of a unit."""


class RecordingEngine(PythonEngine):
    """The engine of generated Python, which also keeps the units it has dropped."""

    def __init__(self, language: Language, state: State, limits: Limits) -> None:
        super().__init__(language, state, limits)
        self.made: list[tuple[Unit, set[Stance]]] = []
        self.crowd = len(state.walkers)

    def advance(self, ticks: int) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        target = self.state.tick + ticks
        # In short pieces until something is compiled, to see how many walkers are in the way.
        while not self.made and self.state.tick + STRETCH < target:
            stop = super().advance(STRETCH)
            self.crowd = max(self.crowd, len(self.state.walkers))
            if stop is not None:
                return stop
        return super().advance(target - self.state.tick)

    background = False

    def _make(self, task: Task, entries: list[Key]) -> Tried:
        language = self.language
        seen: set[Stance] = set()

        def decode(plane: Any, stance: Stance) -> Instruction:
            seen.add(stance)
            return language.decode(plane, stance)

        self.language = language._replace(decode=decode)
        try:
            tried = super()._make(task, entries)
        finally:
            self.language = language
        if tried.unit is not None:
            self.made.append((tried.unit, seen))
        return tried


def disassembly(engine: RecordingEngine, stop: Stop | None) -> Iterator[str]:
    """Lines of Python with comments; one line that says why if nothing was compiled."""
    state = engine.state
    if not engine.made:
        yield f"# nothing was compiled: {_why_nothing(engine, stop)}"
        return
    inside = sum(unit.ticks for unit, _ in engine.made)
    many = "" if len(engine.made) == 1 else "s"
    yield (
        f"# {len(engine.made)} unit{many}; {inside:,} of {state.tick:,} steps ran in compiled code"
    )
    for number, (unit, seen) in enumerate(engine.made, 1):
        yield ""
        yield ""
        yield from _header(engine, number, unit, seen)
        yield from annotated(engine.language, state, unit)


def _why_nothing(engine: RecordingEngine, stop: Stop | None) -> str:
    steps = f"{engine.state.tick:,} step{'' if engine.state.tick == 1 else 's'}"
    if engine.language.meet:
        return "several walkers act as the groups that meet, which is left to the reference engine"
    if isinstance(stop, Hungry):
        return f"the program waits for input after {steps}; --input gives it some"
    if engine.crowd > 1:
        return f"several walkers ({engine.crowd:,}) share the plane; only one alone is compiled"
    if engine.refused:
        return f"what is hot in its {steps} cannot be compiled"
    return f"the run is too short; in its {steps} no place was met often enough"


def _header(engine: RecordingEngine, number: int, unit: Unit, seen: set[Stance]) -> Iterator[str]:
    heads = list(unit.source.entries)
    named = [_head_name(engine.language, key) for key in heads[:MOST_HEADS]]
    if len(heads) > MOST_HEADS:
        named.append(f"and {len(heads) - MOST_HEADS} more")
    times = "once" if unit.entered == 1 else f"{unit.entered:,} times"
    share = 100 * unit.ticks / max(engine.state.tick, 1)
    gone = "" if unit in engine.units.values() else "; dropped since"
    yield f"# unit {number}: starts at {named[0]}"
    for name in named[1:]:
        yield f"#   {'' if name.startswith('and') else 'or '}{name}"
    ticks = "1 tick" if unit.ticks == 1 else f"{unit.ticks:,} ticks"
    yield f"# entered {times}, {ticks} ran in it ({share:.3g} %){gone}"
    places = {(stance.x, stance.y) for stance in seen}
    yield f"# made from {len(places):,} cell{'' if len(places) == 1 else 's'}:"
    for line in place_ranges(places):
        yield f"#   {line}"


def place_ranges(places: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    """Places row by row, neighbours put together: `row 2: 0-7, 9`."""
    rows: dict[Any, list[Any]] = {}
    for x, y in sorted(places, key=lambda place: (place[1], place[0])):
        rows.setdefault(y, []).append(x)
    for y, columns in rows.items():
        runs: list[list[Any]] = []
        for x in columns:
            if runs and x == runs[-1][1] + 1:
                runs[-1][1] = x
            else:
                runs.append([x, x])
        shown = ", ".join(f"{a:g}" if a == b else f"{a:g} to {b:g}" for a, b in runs)
        yield f"row {y:g}: {shown}"


def stance_name(language: Language, stance: Stance) -> str:
    """`(3, 0) heading right`."""
    return f"({stance.x:g}, {stance.y:g}) heading {heading_name(language, stance.dx, stance.dy)}"


def _head_name(language: Language, key: Key) -> str:
    stance, depth, _ = key
    values = "value" if depth == 1 else "values"
    deep = f" with {depth} {values} on the stack" if depth else ""
    return stance_name(language, stance) + deep


_LEAVE = re.compile(r" *return (\d+), ")
_ON = re.compile(r" *head = (\d+)$")
_TOP = re.compile(r" +while True:$")


def annotated(language: Language, state: State, unit: Unit) -> Iterator[str]:
    """The source of a unit, indented for people, with the stances that heads and exits mean."""
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
            yield f"{room}# head {number}: {_with_sign(language, state, heads[number][0])}"
        if (leave := _LEAVE.match(line)) and int(leave[1]) < len(exits):
            why = "out of fuel" if int(leave[1]) in unit.source.spent else "leave"
            text += f"  # {why} at {_with_sign(language, state, exits[int(leave[1])].stance)}"
        elif (on := _ON.match(line)) and int(on[1]) < len(heads):
            text += f"  # on to {stance_name(language, heads[int(on[1])][0])}"
        elif text == "continue" and 0 <= number < len(heads):
            text += f"  # again from {stance_name(language, heads[number][0])}"
        yield room + text


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _with_sign(language: Language, state: State, stance: Stance) -> str:
    """A stance, with what stands there now."""
    instruction = language.decode(state.plane, stance)
    symbol = instruction.symbol
    sign = f"{symbol} " if symbol.isprintable() and symbol != " " else ""
    return f"{stance_name(language, stance)}: {sign}{instruction.name}"
