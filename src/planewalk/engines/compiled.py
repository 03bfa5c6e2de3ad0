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
from .ir import Exit, Key
from .layout import blocks
from .pysource import Source, Writer
from .reference import ReferenceEngine
from .trace import MOST_INSTRUCTIONS, TooComplex, TooManyDepths, Tracer, Tree

LONG = 1 << 2048
"""Numbers beyond this are left to the reference engine, which watches the memory limit."""

STRETCH = 32
HOT, AGAIN = 4, 40
"""Visits to a place before it is compiled: the first one, and others beside compiled code."""
PROFILE = 600
DEEPEST = 48
GOOD_ENTRIES = 12
"""How many places are tried for one from which a unit does not leave at once."""


class Unit:
    """Compiled code with the cells it was made from, and how well it does."""

    def __init__(self, source: Source, code: Any, touched: set[Any], may: Any) -> None:
        self.source = source
        self.may = may
        self.outgrown_at = 0
        """The tick from which on a unit that ran out of room is worth making again, larger."""
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
        self.code.extend(bytes(max(len(self.plane.data) - len(self.code), 0)))
        rows: int = self.plane.height
        return rows


def f32(value: float) -> float:
    """A value as a float32 keeps it."""
    return array("f", (value,))[0]


def _leaves_at_once(tree: Tree) -> bool:
    """Whether the first instruction may be one that generated code cannot do."""
    ends = (block.end for block in blocks(tree))
    return any(isinstance(end, Exit) and end.ticks == 0 for end in ends)


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
        self.earlier = -state.tick  # ticks of the states before this one
        self.state = state
        self.restart(state)

    def restart(self, state: State) -> None:
        """Go on with another state of the same program; what is compiled stays.

        Only on a plane nobody can write: another state of it would not be what was compiled.
        """
        if state.plane.writable and self.units:
            raise ValueError("code for a plane that changes belongs to one state")
        self.earlier += self.state.tick
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
            if unit is None:
                stop = self._climb((stance, depth), target)
            else:
                stop = self._use(unit, key, target)
            if self.changed:
                self._drop_changed()
        if stop is None:
            stop = self.reference.advance(0)
        return stop

    def _use(self, unit: Unit, key: Key, target: int) -> Stop | None:
        """Run a unit, then let the reference engine do what the unit could not."""
        state = self.state
        before = state.tick
        if 0 < unit.outgrown_at < self.earlier + before:
            self._forget(unit)
            self.visits.clear()
            return self._climb((key[0], len(state.stack)), target)
        spent = self._run(unit, key, target - before)
        if not spent:
            return self.reference.advance(1)
        if state.tick == before:  # fewer ticks are left than its shortest way round takes
            return self.reference.advance(min(STRETCH, target - state.tick))
        return None

    def _run(self, unit: Unit, key: Key, fuel: int) -> bool:
        """Run a unit; says whether it stopped for want of fuel alone."""
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
        return number in unit.source.spent

    def _retire(self, unit: Unit) -> None:
        """Code that leaves too soon costs more than it brings."""
        self._forget(unit)
        self.refused.update(stance for stance, _ in unit.source.entries)

    def _forget(self, unit: Unit) -> None:
        self.units = {key: other for key, other in self.units.items() if other is not unit}

    def _climb(self, key: Key, target: int) -> Stop | None:
        """Run on the reference engine, and compile what is met often."""
        state, stance = self.state, key[0]
        visits = self.visits[stance] = self.visits.get(stance, 0) + 1
        if len(self.visits) > 20_000:
            self.visits.clear()
        if visits == (AGAIN if self.units else HOT) and stance not in self.refused:
            return self._profile(target)
        if not self.units:
            return self.reference.advance(min(STRETCH, target - state.tick))
        for _ in range(min(STRETCH, target - state.tick)):  # a way back in is probably near
            stop = self.reference.advance(1)
            if stop is not None or len(state.walkers) != 1:
                return stop
            stance = state.walkers[0].stance
            if (stance, len(state.stack)) in self.units or (stance, None) in self.units:
                return None
        return None

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
        for _ in range(GOOD_ENTRIES):
            trees = self._trace((entry, depth), may)
            if trees is None or state.plane.writable or not _leaves_at_once(trees[0]):
                break
            # Standing between a constant and its use, the use would have to leave every time.
            self.refused.add(entry)
            stop = self.reference.advance(1)
            if stop is not None or state.tick >= target:
                return stop
            entry, depth = state.walkers[0].stance, len(state.stack)
        if trees is not None:
            self._compile(entry, trees, may)
        return None

    def _restless(self, stance: Any) -> bool:
        plane: Any = self.state.plane
        at = stance.y * plane.width + stance.x if plane.kind == "bytes" else (stance.x, stance.y)
        return self.changes.get(at, 0) > 3

    def _trace(self, key: Key, may: set[Any] | None) -> list[Tree] | None:
        """The trees reachable from a key; None if it is not for compiling."""
        known_depth = (key[1] or 0) <= DEEPEST
        while True:
            self.tracer = Tracer(self.language, self.state, may, known_depth, room=self._room())
            try:
                return self.tracer.explore(key[0], key[1] or 0)
            except TooManyDepths:
                known_depth = False
            except TooComplex:
                self.refused.add(key[0])
                return None

    def _compile(self, entry: Stance, trees: list[Tree], may: set[Any] | None) -> None:
        state, tracer = self.state, self.tracer
        hands = state.walkers[0].hand is not None
        writer = Writer(trees, state.plane.kind, not isinstance(state.stack, list), hands)
        source = writer.source()
        names: dict[str, Any] = {**PURE, "f32": f32, "array": array, "LONG": LONG}
        try:
            exec(compile(source.text, "<unit>", "exec"), names)
        except (SyntaxError, RecursionError, MemoryError):  # more than Python's compiler takes
            self.refused.add(entry)
            return
        unit = Unit(source, names["unit"], tracer.touched, may)
        if tracer.acted > tracer.room < MOST_INSTRUCTIONS:
            unit.outgrown_at = 4 * (self.earlier + state.tick)
        self.units.update(dict.fromkeys(source.entries, unit))
        self._mark(tracer.touched)

    def _mark(self, touched: set[Any]) -> None:
        """From now on these cells are code: whoever writes one is noticed."""
        if self.state.plane.kind == "bytes":
            self.context.enter(None)
            for at in touched:
                self.coded[at] = 1
        else:
            self.coded |= touched

    def _room(self) -> int:
        """How much may be traced: no more than the run so far makes seem worth it."""
        return min(MOST_INSTRUCTIONS, 600 + (self.earlier + self.state.tick) // 20)

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
