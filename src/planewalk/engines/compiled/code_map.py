"""Units that may run, and the cells they depend on: a write to one of those drops them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ...core.barriers import ANY
from ...core.geometry import Stance
from ..base.keeping import HEIGHT, Keeping, cells_of, keeping_of
from ..tracing.ir import Key, Register
from .run import LiveRun
from .unit import CompiledUnit

if TYPE_CHECKING:
    from ...core.barriers import Barriers

MARKED = frozenset({(ANY, ANY)})  # cells that are read, whichever are marked
OFTEN = 3  # how often code of a cell may be dropped because it changes; then it is left to others


AnyUnit = TypeVar("AnyUnit", bound=CompiledUnit)


class Marking(Protocol):
    """Another part of the run that has to know which cells are code."""

    def mark(self, places: Iterable[Any], coded: bool) -> None:
        """These are from now on, or no longer."""


class CodeMap:
    """Which cells are code: units depend on them, or barriers watch them."""

    def __init__(self, run: LiveRun) -> None:
        self.run = run
        self.sets: list[UnitSet[Any]] = []
        self.changed: set[Any] = set()  # cells that were code when something else was written there
        self.changes: dict[Any, int] = {}  # how often that was so
        self.guarded: set[Any] = set()  # cells that are watched, marked as code is
        self.armed: Barriers | None = None  # what code is made to leave at
        self.others: Marking | None = None
        self.grew: Callable[[], object] | None = None  # called when there are more rows
        self.marks: Any = None
        self._landings: set[Stance] | None = None
        self.begin()

    def begin(self) -> None:
        """Have a look at the state that the run is at now."""
        plane = self.run.state.plane
        self.keeping: Keeping = keeping_of(plane, self.marks)
        self.marks, self.reach = self.keeping.marks, self.keeping.reach
        self.others = None
        self._height = getattr(plane, "height", 0)
        if plane.writable:  # have the reference engine tell when it writes what is compiled
            self.run.reference.machine.listen({"put": self.keeping.noticing(self.changed)})

    # Whether code is true -----------------------------------------------------------------------

    def admits(self, unit: CompiledUnit) -> bool:
        """Whether a unit that was made beside the run may run: nothing is different by now."""
        return (
            unit.armed == self.armed
            and self.keeping.holds(unit.touched)
            and _are_there(unit.registers, self.run.state.registers)
        )

    def has_room(self) -> bool:
        """Whether cells may be marked as code."""
        memory = self.run.limits.memory
        return memory is None or self.keeping.fits(memory)

    def keep_true(self) -> None:
        """Drop code that is no longer true of the plane."""
        before = self._height
        if self.keeping.grows:
            self._note_growth(self.run.state.plane)
        if not self.changed:
            return
        for at in self.changed:
            self.changes[at] = self.changes.get(at, 0) + 1
        for units in self.sets:
            units.drop_depending_on(self.changed)
        self.changed.clear()
        if self._height != before and self.grew is not None:
            self.grew()

    def _note_growth(self, plane: Any) -> None:
        if plane.height != self._height:
            self._height = plane.height
            self.changed.add(HEIGHT)
            if self.run.barriers is not None:  # a cell that is watched may be there now
                self.guard(self.run.barriers)

    @contextmanager
    def looking(self, may_have_written: Callable[[], bool] = lambda: True) -> Iterator[None]:
        """See afterwards which cells that are code hold something else; for those who write them
        without telling, and may know that they have not."""
        yield
        if self.run.state.plane.writable and may_have_written():
            held = self.keeping.held
            for touched in self.in_use():
                self.changed.update(at for at in cells_of(touched) if held(at) != touched[at])

    def is_restless(self, stance: Stance) -> bool:
        """Whether code made from this cell had to be dropped again and again."""
        return self.changes.get(self.keeping.index(stance.x, stance.y), 0) > OFTEN

    # Marks --------------------------------------------------------------------------------------

    def mark(self, cells: Iterable[Any]) -> None:
        """Mark cells as code, so that writes to them are noticed."""
        self.keeping.mark(cells)
        if self.others is not None:
            self.others.mark(cells, True)

    def unmark(self, cells: set[Any]) -> None:
        """Unmark cells that no unit and no barrier depends on."""
        cells = cells - self.guarded
        for touched in self.in_use():
            cells -= touched.keys()
        self.keeping.unmark(cells)
        if self.others is not None:
            self.others.mark(cells, False)

    def needed(self, barriers: Barriers) -> Barriers:
        """Those that code has to know of. Cells that are there need no more than a mark, and output
        no more than an end of the room for it. Where code looks for marks as it reads, it need not
        know which cells have one."""
        beyond = frozenset(at for at in barriers.written if not self.keeping.indices([at]))
        marked = barriers.read and self.run.state.plane.writable and not self.keeping.grows
        read = MARKED if marked else barriers.read
        return barriers._replace(written=beyond, read=read, output=False)

    def rearm(self, barriers: Barriers | None) -> None:
        """All code is made anew, to leave at these."""
        self.armed = barriers
        self.guard(None)
        for units in self.sets:
            units.drop(units.all())

    def guard(self, barriers: Barriers | None) -> None:
        """Mark watched cells as code is, so that compiled code leaves before it writes one."""
        if not self.run.state.plane.writable:
            return
        places = frozenset() if barriers is None else barriers.written | barriers.read
        cells = self.keeping.indices(places)
        if cells != self.guarded:
            gone, self.guarded = self.guarded - cells, cells
            self.unmark(gone)
            self.mark(cells)

    def in_use(self) -> list[dict[Any, Any]]:
        """The cells of all code there is."""
        return [unit.touched for units in self.sets for unit in units.all()]

    @property
    def landings(self) -> set[Stance]:
        """Where there is code to go on with."""
        if self._landings is None:
            self._landings = {key.stance for units in self.sets for key in units.at}
        return self._landings

    def forget_landings(self) -> None:
        """There is more code now, or less."""
        self._landings = None


def _are_there(registers: list[Register], held: Any) -> bool:
    """Whether registers are where code expects them."""
    names = list(held) if registers else []
    return all(names[number : number + 1] == [name] for name, number in registers)


class UnitSet(Generic[AnyUnit]):
    """The units of a tier that may run, by where they are entered."""

    def __init__(self, code_map: CodeMap) -> None:
        self.at: dict[Key, AnyUnit] = {}
        self.version = 0  # counts how often there were others than before
        self._code_map = code_map
        code_map.sets.append(self)

    def all(self) -> set[AnyUnit]:
        """Each of them once."""
        return set(self.at.values())

    def adopt(self, unit: AnyUnit) -> None:
        """From now on this unit runs."""
        self.at.update(dict.fromkeys(unit.entries, unit))
        self._code_map.forget_landings()
        self._code_map.mark(unit.touched)
        self.version += 1

    def drop(self, units: set[AnyUnit]) -> None:
        """They no longer do; cells that were code for them alone are free again."""
        self.at = {key: unit for key, unit in self.at.items() if unit not in units}
        self._code_map.forget_landings()
        self._code_map.unmark(set().union(*(unit.touched for unit in units)))
        self.version += 1

    def drop_depending_on(self, cells: set[Any]) -> None:
        """The same for those that were made from one of these cells."""
        units = {unit for unit in self.all() if not cells.isdisjoint(unit.touched)}
        if units:
            self.drop(units)
