"""Running compiled units, and climbing to them: the reference engine does whatever is left.

A unit is all code reachable from a stance that proved hot. The engine enters it with the fuel it
has; the unit leaves on an exact state, and the reference engine performs at least one tick.
"""

from __future__ import annotations

from array import array
from typing import Any

from ..core.geometry import Stance
from ..core.language import Language
from ..core.limits import Limits
from ..core.pure import PURE
from ..core.state import State, Walker
from ..core.step import Stop
from .ir import Key
from .pysource import Source, Writer
from .reference import ReferenceEngine
from .trace import TooComplex, TooManyDepths, Tracer

LONG = 1 << 2048
"""Numbers beyond this are left to the reference engine, which watches the memory limit."""

STRETCH = 32
HOT = 4
PROFILE = 600
DEEPEST = 48


class Unit:
    """Compiled code with the cells it was made from, and how well it does."""

    def __init__(self, source: Source, code: Any, touched: set[Any]) -> None:
        self.source = source
        self.code = code
        self.touched = touched
        self.entered = 0
        self.ticks = 0


class Context:
    """What generated code works on."""

    S: Any
    R: Any
    out: bytearray
    hx: int
    hy: int
    data: Any
    code: Any
    W: int
    H: int
    cells: Any
    put: Any
    coded: Any
    columns: Any
    lines: Any
    room: float

    def __init__(self, state: State, coded: Any, limits: Limits) -> None:
        plane: Any = state.plane
        self.plane = plane
        self.S, self.R, self.out = state.stack, state.registers, state.output
        self.coded = self.code = coded
        self.room = float("inf") if limits.memory is None else limits.memory
        if plane.kind == "sparse":
            self.cells, self.put = plane.cells, plane.put
            self.columns, self.lines = plane.columns, plane.lines

    def enter(self, hand: tuple[int, int] | None) -> None:
        """Take over from the reference engine, under which the plane may have grown."""
        self.hx, self.hy = hand or (0, 0)
        if self.plane.kind == "bytes":
            self.data, self.W = self.plane.data, self.plane.width
            self.H = self.grow(self.plane.height)

    def grow(self, height: int) -> int:
        """More rows, none of them compiled; gives how many there are."""
        self.plane.grow(height)
        self.code.extend(bytes(len(self.plane.data) - len(self.code)))
        rows: int = self.plane.height
        return rows


def f32(value: float) -> float:
    """A value as a float32 keeps it."""
    return array("f", (value,))[0]


class PythonEngine:
    """Generated Python: the traces of hot code, written out and executed."""

    name = "python"

    def __init__(self, language: Language, state: State, limits: Limits | None = None) -> None:
        self.language = language
        self.limits = limits or Limits(memory=None)
        self.units: dict[Key, Unit] = {}
        self.visits: dict[Stance, int] = {}
        self.refused: set[Stance] = set()
        self.changes: dict[Any, int] = {}
        self.changed: set[Any] = set()
        self.coded: Any = bytearray() if state.plane.kind == "bytes" else set()
        self.restart(state)

    def restart(self, state: State) -> None:
        """Go on with another state of the same program; what is compiled stays."""
        self.state = state
        self.reference = ReferenceEngine(self.language, state, self.limits)
        self.context = Context(state, self.coded, self.limits)
        if state.plane.writable:
            self._watch(state.plane)

    def _watch(self, plane: Any) -> None:
        """Have the reference engine tell when it writes a cell that is compiled."""
        machine = self.reference._machine
        write, coded, changed = plane.put, self.coded, self.changed
        if plane.kind == "bytes":
            width = plane.width

            def put(x: int, y: int, value: int) -> None:
                at = y * width + x
                if at < len(coded) and coded[at] and plane.data[at] != value:
                    changed.add(at)
                write(x, y, value)
        else:

            def put(x: int, y: int, value: int) -> None:
                if (x, y) in coded and plane.cells.get((x, y), 0) != value:
                    changed.add((x, y))
                write(x, y, value)

        machine.put = put

    def advance(self, ticks: int) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        state = self.state
        target = state.tick + ticks
        if self.limits.output is not None or self.language.meet:
            return self.reference.advance(ticks)
        stop: Stop | None = None
        while stop is None and state.stop is None and state.tick < target:
            if len(state.walkers) != 1 or state.acted:
                stop = self.reference.advance(min(STRETCH, target - state.tick))
                continue
            stance, depth = state.walkers[0].stance, len(state.stack)
            key: Key = (stance, depth)
            unit = self.units.get(key)
            if unit is None:
                key = (stance, None)
                unit = self.units.get(key)
            if unit is not None and self._run(unit, key, target - state.tick):
                stop = self.reference.advance(1)
            elif unit is not None:
                stop = self.reference.advance(min(STRETCH, target - state.tick))
            else:
                stop = self._climb((stance, depth), target)
            if self.changed:
                self._drop_changed()
        if stop is None:
            stop = self.reference.advance(0)
        return stop

    def _run(self, unit: Unit, key: Key, fuel: int) -> bool:
        """Run a unit; says whether it made any tick."""
        state, m = self.state, self.context
        hand = state.walkers[0].hand
        m.enter(hand)
        number, left = unit.code(m, fuel, unit.source.entries[key])
        walker = Walker(unit.source.exits[number], None if hand is None else (m.hx, m.hy))
        state.walkers[0] = walker
        state.tick += fuel - left
        unit.entered += 1
        unit.ticks += fuel - left
        if unit.entered > 200 and unit.ticks < 12 * unit.entered:
            self._retire(unit)
        return bool(left < fuel)

    def _retire(self, unit: Unit) -> None:
        """Code that leaves too soon costs more than it brings."""
        self._forget(unit)
        self.refused.update(stance for stance, _ in unit.source.entries)

    def _forget(self, unit: Unit) -> None:
        self.units = {key: other for key, other in self.units.items() if other is not unit}

    def _climb(self, key: Key, target: int) -> Stop | None:
        """Run on the reference engine, and compile what is met often."""
        visits = self.visits[key[0]] = self.visits.get(key[0], 0) + 1
        if len(self.visits) > 20_000:
            self.visits.clear()
        if visits == HOT and key[0] not in self.refused:
            return self._profile(target)
        return self.reference.advance(min(STRETCH, target - self.state.tick))

    def _profile(self, target: int) -> Stop | None:
        """Watch where the program walks for a while, then compile it."""
        state = self.state
        entry, depth = state.walkers[0].stance, len(state.stack)
        may = None
        if state.plane.writable:
            may = {entry}
            for _ in range(min(PROFILE, target - state.tick)):
                stop = self.reference.advance(1)
                if stop is not None or len(state.walkers) != 1:
                    return stop
                may.add(state.walkers[0].stance)
            if entry != state.walkers[0].stance and self.changes:
                may = {stance for stance in may if not self._restless(stance)}
            entry, depth = state.walkers[0].stance, len(state.stack)
        self._compile((entry, depth), may)
        return None

    def _restless(self, stance: Any) -> bool:
        plane: Any = self.state.plane
        at = stance.y * plane.width + stance.x if plane.kind == "bytes" else (stance.x, stance.y)
        return self.changes.get(at, 0) > 3

    def _compile(self, key: Key, may: set[Any] | None) -> None:
        state = self.state
        known_depth = (key[1] or 0) <= DEEPEST
        while True:
            tracer = Tracer(self.language, state, may, known_depth)
            try:
                trees = tracer.explore(key[0], key[1] or 0)
                break
            except TooManyDepths:
                known_depth = False
            except TooComplex:
                self.refused.add(key[0])
                return
        hands = state.walkers[0].hand is not None
        writer = Writer(trees, state.plane.kind, not isinstance(state.stack, list), hands)
        source = writer.source()
        names: dict[str, Any] = {**PURE, "f32": f32, "array": array, "LONG": LONG}
        try:
            exec(compile(source.text, "<unit>", "exec"), names)
        except (SyntaxError, RecursionError, MemoryError):  # more than Python's compiler takes
            self.refused.add(key[0])
            return
        unit = Unit(source, names["unit"], tracer.touched)
        for entry in source.entries:
            self.units[entry] = unit
        if state.plane.kind == "bytes":
            self.context.enter(None)
            for at in tracer.touched:
                self.coded[at] = 1
        else:
            self.coded |= tracer.touched

    def _drop_changed(self) -> None:
        """Code made from cells that have changed is no longer true."""
        for at in self.changed:
            self.changes[at] = self.changes.get(at, 0) + 1
        stale = [unit for unit in set(self.units.values()) if unit.touched & self.changed]
        for unit in stale:
            self._forget(unit)
            for stance, _ in unit.source.entries:
                self.visits.pop(stance, None)
        self.changed.clear()
