"""What a program does, cell by cell: which are reached, from which headings, and what each does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core.geometry import Stance
from ..core.instruction import Group, Instruction
from ..core.language import Language
from ..core.limits import Limits
from ..core.plane import Plane
from ..core.state import State
from ..core.step import FINAL, Hungry, Spent, Stop
from ..engines.reference import ReferenceEngine
from .origins import Origins
from .wrap import labelled


class Visit(NamedTuple):
    """One meaning of one cell, and how often walkers met it from which headings."""

    x: Any
    y: Any
    instruction: Instruction
    headings: tuple[str, ...]
    times: int


class Explanation(NamedTuple):
    """The cells reached in reading order, those never reached, and how the run went."""

    visits: list[Visit]
    unreached: list[tuple[int, int, Instruction]]
    stop: Stop
    steps: int
    origins: Origins | None = None
    """Where cells come from, if that is known."""

    def __str__(self) -> str:
        return "\n".join([*explain_lines(self, unreached=False, blanks=False), summary(self)])

    def __repr__(self) -> str:
        return f"<Explanation: {summary(self)}>"


def explain(language: Language, state: State, steps: int) -> Explanation:
    """Run at most that many steps and tell what was met on the way."""
    engine = ReferenceEngine(language, state, Limits())
    before = state.plane.copy()
    met: dict[tuple[Any, Any, str, int], tuple[Instruction, set[str], int]] = {}
    stop: Stop | None = None
    while stop is None and state.tick < steps:
        seen = [(walker.stance, language.decode(state.plane, walker.stance))
                for walker in state.walkers]  # fmt: skip
        tick = state.tick
        stop = engine.advance(1)
        if state.tick > tick:
            for stance, instruction in seen:
                heading = heading_name(language, stance.dx, stance.dy)
                _note(met, stance, instruction, heading)
    visits = [
        Visit(x, y, instruction, tuple(sorted(headings)), times)
        for (x, y, _, _), (instruction, headings, times) in met.items()
    ]
    visits.sort(key=lambda visit: (visit.y, visit.x))
    places = {(visit.x, visit.y) for visit in visits}
    unreached = [cell for cell in _cells(language, before) if cell[:2] not in places]
    stop = stop or Spent("steps")
    return Explanation(visits, unreached, stop, state.tick)


def _note(
    met: dict[tuple[Any, Any, str, int], tuple[Instruction, set[str], int]],
    stance: Stance,
    instruction: Instruction,
    heading: str,
) -> None:
    key = (stance.x, stance.y, instruction.name, instruction.code)
    known, headings, times = met.get(key, (instruction, set(), 0))
    headings.add(heading)
    met[key] = (known, headings, times + 1)


def heading_name(language: Language, dx: Any, dy: Any) -> str:
    """`right`, `southeast`, or the delta itself where the language has no word for it."""
    if dx == 0 and dy == 0:
        return "nowhere"
    return language.headings.get((dx, dy)) or f"({dx:g}, {dy:g})"


MOST_CELLS = 1_000_000


def _cells(language: Language, plane: Plane) -> Iterator[tuple[int, int, Instruction]]:
    """The cells of the source that hold an instruction, in reading order."""
    box = plane.box()
    if box is None or (box[2] - box[0] + 1) * (box[3] - box[1] + 1) > MOST_CELLS:
        return
    left, top, right, bottom = box
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            row = language.table.get(ord(language.glyph(plane, x, y)))
            if row is not None and row.group is not Group.NOTHING:
                yield x, y, row


def explain_lines(
    explanation: Explanation, *, unreached: bool, blanks: bool, width: int | None = None
) -> Iterator[str]:
    """The explanation as text, an entry for each meaning of each cell: a line, or several where a
    width is given that it does not fit into."""
    for label, words in _entries(explanation, unreached, blanks):
        if width is None:
            yield f"{label} {words}"
        else:
            yield from labelled(label, words, width, len(label) + 1)


def _entries(explanation: Explanation, unreached: bool, blanks: bool) -> Iterator[tuple[str, str]]:
    """What an entry is about, and what it says."""
    origins = explanation.origins
    shown = [v for v in explanation.visits if blanks or v.instruction.group is not Group.NOTHING]
    for visit in shown:
        x, y, instruction, headings, times = visit
        ways = ", ".join(headings)
        words = f"heading {ways}; {times:,} time{'' if times == 1 else 's'}{_from(origins, x, y)}."
        yield _label(f"({x:g}, {y:g})", instruction), f"{words} {instruction.doc}"
    if unreached:
        for column, row, instruction in explanation.unreached:
            words = f"NOT REACHED{_from(origins, column, row)}. {instruction.doc}"
            yield _label(f"({column}, {row})", instruction), words


def _label(place: str, instruction: Instruction) -> str:
    return f"{place:10} {_symbol(instruction)}  {instruction.name:16}"


def _from(origins: Origins | None, x: Any, y: Any) -> str:
    words = "" if origins is None else origins.words(x, y)
    return f"; from {words}" if words else ""


def _symbol(instruction: Instruction) -> str:
    return instruction.symbol if instruction.symbol.isprintable() else "·"


def summary(explanation: Explanation) -> str:
    """One line on how far the run got."""
    places = len({(visit.x, visit.y) for visit in explanation.visits})
    left = len(explanation.unreached)
    if isinstance(explanation.stop, FINAL):
        how = f"the program ended after {explanation.steps:,} steps"
    elif isinstance(explanation.stop, Hungry):
        how = f"the program asks for input after {explanation.steps:,} steps (input=... gives some)"
    else:
        how = f"looked at the first {explanation.steps:,} steps"
    return f"{places:,} cells reached, {left:,} instructions not; {how}"
