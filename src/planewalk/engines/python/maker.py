"""Makes units of generated Python. Runs beside the run: nothing here changes the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.geometry import Stance
from ...core.language import Language
from ...core.named import NamedTuple
from ..keeping import keeping_of
from ..policy import Policy
from ..tiering.task import Task, TreeFinder
from ..tracing.explore import MOST_BLOCKS
from ..tracing.ir import Exit, Key, Leave, Undecided
from ..tracing.layout import blocks
from ..tracing.trace import Tracer
from ..tracing.trees import Tree
from .source import NAMES, Source, SourceWriter
from .unit import Unit

WriteUnit = Callable[[Task, Key, Tracer, list[Tree]], Unit | None]
"""Makes a unit of trees; none if that cannot be done."""


class Tried(NamedTuple):
    """What came of compiling: a unit, or none, and places that are not for compiling."""

    unit: Unit | None
    refused: list[Stance]
    work: int
    """How many instructions were performed to find it."""
    failed: bool = False


class PythonMaker:
    """Finds a good place to begin at, and has a unit written from there."""

    def __init__(self, finder: TreeFinder, write: WriteUnit) -> None:
        self.finder, self.write = finder, write

    def make(self, task: Task, entries: list[Key]) -> Tried:
        """A unit from one of these places; if something goes wrong, they are refused for good."""
        try:
            return self._try(task, entries)
        except (Exception, Leave, Undecided) as error:
            self.finder.refusals.note(error)
            return Tried(None, [entry.stance for entry in entries], 0, failed=True)

    def _try(self, task: Task, entries: list[Key]) -> Tried:
        refused: list[Stance] = []
        work = 0
        for entry in entries:
            tracer, trees = self.finder.find(task, entry)
            work += tracer.work
            if not trees:
                return Tried(None, [*refused, entry.stance], work)
            if task.state.plane.writable or not _leaves_at_once(trees[0]):
                break
            # Standing between a constant and its use, the use would have to leave every time.
            refused.append(entry.stance)
        unit = self.write(task, entry, tracer, trees)
        tracer.forget()
        return Tried(unit, refused if unit is not None else [*refused, entry.stance], work)


class UnitWriter:
    """Writes units as Python."""

    def __init__(self, language: Language, policy: Policy) -> None:
        self.language, self.policy = language, policy

    def write(self, task: Task, entry: Key, tracer: Tracer, trees: list[Tree]) -> Unit | None:
        """A unit that does what the trees say; none if it is more than Python can take."""
        state = task.state
        writer = SourceWriter(trees, keeping_of(state.plane), state.floats, task.hands)
        source = writer.source()
        names = {**NAMES, "samples": self.language.rules.samples(state.options)}
        try:
            exec(compile(source.text, "<unit>", "exec"), names)
        except (SyntaxError, RecursionError, MemoryError):  # more than Python's compiler takes
            return None
        return self.unit(task, entry, tracer, source, names["unit"])

    def unit(self, task: Task, entry: Key, tracer: Tracer, source: Source, code: Any) -> Unit:
        """Code as a unit, with what is known of it."""
        unit = Unit(entry, source, code, tracer.touched, task.may)
        unit.armed = task.armed
        if tracer.acted > self.policy.most_instructions or tracer.blocks > MOST_BLOCKS:
            unit.frontier = tracer.frontier
            for key in unit.frontier:
                source.entries.pop(key, None)  # it would leave at once
        elif tracer.acted > tracer.room:
            unit.outgrown_at = 4 * task.ordered_at
        return unit


def _leaves_at_once(tree: Tree) -> bool:
    """Whether the first instruction may be one that generated code cannot do."""
    ends = (block.end for block in blocks(tree))
    return any(isinstance(end, Exit) and end.ticks == 0 for end in ends)
