"""What a program does, cell by cell: which are reached, from which headings, and what each does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...core.base.deadline import Clock
from ...core.geometry import Stance
from ...core.instruction import Group, Instruction
from ...core.language import Language
from ...core.limits import Limits
from ...core.observation import Action, Step
from ...core.plane import Plane
from ...core.state import State
from ...core.step import FINAL, Fault, Hungry, Spent, Stop
from ...engines.stepping.observe import Observer
from ...engines.stepping.scales import Scales
from ..terminal.paint import painted
from ..terminal.wrap import labelled
from .origins import Origins
from .stances import heading_name, signs_of
from .telling import deeds

MOST_VISITS = 2_000_000
"""Limit on walkers times ticks, since crowds act often."""


class CellDeed(NamedTuple):
    """What an instruction did in one tick, with its operands: `takes 3 and 4, gives 7`."""

    tick: int
    mode: str
    """The mode of the walker, if the language has a word for it."""
    words: str

    def __str__(self) -> str:
        return f"Tick {self.tick:,}{self.mode and f' ({self.mode})'}: {self.words}."


class CellVisit(NamedTuple):
    """One meaning of one cell, and how often walkers met it from which headings."""

    x: Any
    y: Any
    instruction: Instruction
    headings: tuple[str, ...]
    times: int
    sign: str
    """The character that stood there."""
    table: str
    """The name of the loaded table that gives it this meaning, or nothing."""
    did: tuple[CellDeed, ...] = ()
    """What it did the first time, and the last time if that was something else."""


class Unreached(NamedTuple):
    """A cell that no walker came to, and one of its meanings."""

    x: int
    y: int
    instruction: Instruction
    table: str


class Explanation(NamedTuple):
    """The cells reached in reading order, those never reached, and how the run went."""

    visits: list[CellVisit]
    unreached: list[Unreached]
    stop: Stop
    steps: int
    origins: Origins | None = None
    """Where cells come from, if that is known."""

    def __str__(self) -> str:
        return "\n".join([*explain_lines(self, unreached=False, blanks=False), summary(self)])

    def __repr__(self) -> str:
        return f"<Explanation: {summary(self)}>"


def explain(language: Language, state: State, limits: Limits, clock: Clock) -> Explanation:
    """Run within limits, and gather what was met."""
    observer = Observer(language, state, limits)
    scales = Scales(observer, limits, clock)
    before = state.plane.copy()
    met: dict[_Key, _Meeting] = {}
    loaded: set[str] = set()
    stop: Stop | None = None
    looked = 0
    while stop is None and (limits.steps is None or state.tick < limits.steps):
        looked += len(state.walkers)
        if looked > MOST_VISITS:
            break
        signs = signs_of(language, state)
        step = observer.step()
        stop = observer.pause or scales.look()
        if step is not None:
            _note(met, language, signs, step)
            loaded.update(name for stance in signs for name in language.rules.loaded(stance))
    visits = [
        CellVisit(x, y, there.instruction, tuple(sorted(there.headings)), there.times, sign,
                  _table(language, there.instruction), there.did(language))
        for (x, y, _, _, sign), there in met.items()
    ]  # fmt: skip
    visits.sort(key=lambda visit: (visit.y, visit.x))
    places = {(visit.x, visit.y) for visit in visits}
    unreached = [cell for cell in _cells(language, before, loaded) if cell[:2] not in places]
    return Explanation(visits, unreached, stop or Spent("steps"), state.tick)


def _note(
    met: dict[_Key, _Meeting], language: Language, signs: Mapping[Stance, str], step: Step
) -> None:
    stood = step.stood()
    for action in step.actions:
        row = action.instruction
        for number in action.walkers:
            stance = stood[number]
            key = (stance.x, stance.y, row.name, row.code, signs[stance])
            heading = heading_name(language, stance.dx, stance.dy)
            met.setdefault(key, _Meeting(row)).note(heading, action, step)


_Key = tuple[Any, Any, str, int, str]


class _Meeting:
    """The visits to one meaning of one cell."""

    def __init__(self, instruction: Instruction) -> None:
        self.instruction, self.times = instruction, 0
        self.headings: set[str] = set()
        self._first: tuple[Action, Step] | None = None
        self._last: tuple[Action, Step] | None = None

    def note(self, heading: str, action: Action, step: Step) -> None:
        self.headings.add(heading)
        self.times += 1
        self._last = action, step
        self._first = self._first or self._last

    def did(self, language: Language) -> tuple[CellDeed, ...]:
        """Its first and its last deed, if they have effects and are different."""
        different = {}
        for seen in (self._last, self._first):
            if seen and (words := ", ".join(deeds(language, *seen))):
                action, step = seen
                told = CellDeed(step.tick, language.looks.manner(action.stance), words)
                different[told[1:]] = told
        return tuple(reversed(different.values()))


def _table(language: Language, instruction: Instruction) -> str:
    """The loadable table that an instruction is from, if it is from one."""
    for table, row in language.meanings(instruction.symbol):
        if (row.name, row.doc) == (instruction.name, instruction.doc):
            return table
    return ""


MOST_CELLS = 1_000_000


def _cells(language: Language, plane: Plane, loaded: set[str]) -> Iterator[Unreached]:
    """The cells of the source that hold an instruction, in reading order; letters may have a
    meaning in each table that was ever loaded."""
    box = plane.box()
    if box is None or (box[2] - box[0] + 1) * (box[3] - box[1] + 1) > MOST_CELLS:
        return
    left, top, right, bottom = box
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            for table, row in language.meanings(language.sign(plane, x, y)):
                if row.group is not Group.NOTHING and (not table or table in loaded):
                    yield Unreached(x, y, row, table)


def explain_lines(
    explanation: Explanation,
    *,
    unreached: bool,
    blanks: bool,
    width: int | None = None,
    colour: bool = False,
) -> Iterator[str]:
    """The explanation as text, an entry for each meaning of each cell: a line, or several where a
    width is given that it does not fit into."""
    for place, name, group, words in _entries(explanation, unreached, blanks):
        label = f"{place:10} {name:19}"
        lines = [f"{label} {words}"]
        if width is not None:
            lines = list(labelled(label, words, width, len(label) + 1))
        if colour:
            lines[0] = lines[0].replace(name, painted(name, group), 1)
        yield from lines


def _entries(
    explanation: Explanation, unreached: bool, blanks: bool
) -> Iterator[tuple[str, str, Group, str]]:
    """The place of an entry, sign and name of what stands there, what it is about, what it says."""
    origins = explanation.origins
    shown = [v for v in explanation.visits if blanks or v.instruction.group is not Group.NOTHING]
    for x, y, instruction, headings, times, sign, table, did in shown:
        ways = ", ".join(headings)
        words = f"heading {ways}; {times:,} time{'' if times == 1 else 's'}{_from(origins, x, y)}."
        name = _named(sign, instruction, table)
        words = " ".join([words, instruction.words, *map(str, did)])
        yield f"({x:g}, {y:g})", name, instruction.group, words
    if unreached:
        for x, y, instruction, table in explanation.unreached:
            words = f"NOT REACHED{_from(origins, x, y)}. {instruction.words}"
            name = _named(instruction.symbol, instruction, table)
            yield f"({x}, {y})", name, instruction.group, words


def _named(sign: str, instruction: Instruction, table: str) -> str:
    """What stands in a cell, and what it is called: `N  normalise of V`."""
    shown = (sign or " ") if sign.isprintable() else "·"
    return f"{shown}  {instruction.name}" + (f" of {table}" if table else "")


def _from(origins: Origins | None, x: Any, y: Any) -> str:
    words = "" if origins is None else origins.words(x, y)
    return f"; from {words}" if words else ""


def summary(explanation: Explanation) -> str:
    """One line on how far the run got."""
    places = len({(visit.x, visit.y) for visit in explanation.visits})
    left = len({(cell.x, cell.y) for cell in explanation.unreached})
    if isinstance(explanation.stop, FINAL):
        how = f"the program ended after {explanation.steps:,} steps"
        if isinstance(explanation.stop, Fault):
            how += f": {explanation.stop.reason}"
    elif isinstance(explanation.stop, Hungry):
        how = f"the program asks for input after {explanation.steps:,} steps (input=... gives some)"
    else:
        how = f"looked at the first {explanation.steps:,} steps"
    return f"{places:,} cells reached, {left:,} instructions not; {how}"
