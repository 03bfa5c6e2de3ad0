"""What an engine knows of its run when it has code made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.geometry import Stance
from ...core.step import Stop
from ..tracing.profile import Profile
from .code_map import CodeMap, UnitSet
from .run import LiveRun
from .task import Task

FIRST_ROOM, MORE_ROOM = 600, 20
"""Instructions that may be traced at first, and after how many ticks one more."""


class StancesAndCells(set[Stance]):
    """Stances, and all that there are on some cells. They are equal if their own stances are."""

    def __init__(
        self, stances: set[Stance], cells: bytes, index: Callable[[int, int], int]
    ) -> None:
        """`cells` say for each whether it is one of them."""
        super().__init__(stances)
        self._cells, self._index = cells, index

    def __contains__(self, stance: object) -> bool:
        if super().__contains__(stance):
            return True
        if not isinstance(stance, Stance):
            return False
        at = self._index(stance.x, stance.y)
        return 0 <= at < len(self._cells) and self._cells[at] != 0


class Survey:
    """Where the run has walked, and tasks for compile jobs."""

    def __init__(self, run: LiveRun, code_map: CodeMap, units: UnitSet[Any]) -> None:
        self.run, self.code_map, self.units = run, code_map, units
        self.profile = Profile()
        self.cells_walked: Callable[[], bytes] | None = None
        """Another engine's marks of the cells that the program walks."""

    @property
    def full(self) -> bool:
        """Whether the program is too large for one unit."""
        return any(unit.frontier for unit in self.units.at.values())

    def watch(self, ticks: int) -> Stop | None:
        """Run some ticks, and learn from them."""
        return self.profile.watch(self.run.reference, ticks, self.run.barriers)

    def walked(self) -> set[Stance]:
        """Where the program was seen, but for cells that keep changing."""
        walked = self.run.reference.places_walked()
        walked |= self.profile.walked
        if self.code_map.changes:
            walked = {stance for stance in walked if not self.code_map.is_restless(stance)}
        if self.cells_walked is not None:
            return StancesAndCells(walked, self.cells_walked(), self.code_map.keeping.index)
        return walked

    def task(self, may: set[Stance] | None) -> Task:
        """What the tracer is to know."""
        run, units = self.run, self.units
        heads = list(units.at)
        # No more is traced than the run so far makes seem worth it.
        room = min(run.policy.most_instructions, FIRST_ROOM + run.now // MORE_ROOM)
        task = Task(
            run.state, may, self.profile.answers(), self.profile.growing, room,
            set(), [], heads, self.code_map.armed, run.hands, run.now,
        )  # fmt: skip
        ends = set().union(*(unit.frontier for unit in units.at.values()))
        if not ends:
            return task
        open_ends = [key for key in ends - set(heads) if may is None or key.stance in may]
        return task._replace(foreign=set(heads), beginnings=sorted(open_ends, key=repr), hints=[])
