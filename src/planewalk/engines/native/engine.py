"""The engine that climbs once more: units that run long in generated Python become machine code."""

from __future__ import annotations

import ctypes
from functools import partial
from typing import TYPE_CHECKING, Any

from ...core.engine import Crowd
from ...core.geometry import Stance
from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State
from ...core.step import Stop
from ..keeping import FURTHEST, HEIGHT, cells_of, lengthen
from ..policy import Policy, policy_in_force
from ..python.engine import PythonEngine, Task, Unit, has_known_depth
from ..python.source import Source
from ..tiering.jobs import CompileJob, CompileQueue
from ..tracing.explore import TooComplex
from ..tracing.ir import Key, Leave, Register, Undecided
from ..tracing.trace import TooManyDepths, Tracer
from ..tracing.trees import Tree
from ..window.code import LongWriter, WindowUnit
from ..window.engine import HIGHEST, Window
from ..window.trace import WindowTracer
from . import code_cache
from .abi import LEAVING, OUTPUT_ROOM, Slot
from .code import NativeWriter
from .linker import Chain, driver
from .llvm import Care, Store, why_not
from .shelf import Shelf
from .unit import NativeUnit, RegisterWords, address_of, address_of_bytes
from .values import Unwritable

if TYPE_CHECKING:
    from ...core.barriers import Barriers

SPARE = 1 << 20
"""At most so many bytes are held ready below a field that grows, or else a row."""
MOST_FUEL = 1 << 62
"""Together with the ticks before, it fits into a word."""
LAST_TICK = (1 << 63) - 1
"""Machine code counts no further."""


def write_native(
    engine: PythonEngine, task: Task, entry: Key, highest: int
) -> tuple[Tracer, NativeWriter]:
    """What is reachable from a key, recorded for 64 bits, and its writer.

    No cell of a plane without edges holds a greater number than the `highest`. Raises
    `Unwritable`, with the reason, if it is not for machine code.
    """
    floats = task.state.floats
    if engine.keeping.windowed:
        return _write_for_window(engine, task, entry, highest, floats)
    tracer, trees = engine._trace(task, entry, native=True)
    if not trees:
        raise Unwritable("no end to its ways is in sight")
    return tracer, NativeWriter(trees, floats, engine.hands)


def _write_for_window(
    engine: PythonEngine, task: Task, entry: Key, highest: int, floats: bool
) -> tuple[WindowTracer, LongWriter]:
    if highest > HIGHEST:
        raise Unwritable("its cells hold numbers that are no bytes")
    for known_depth in (True, False) if has_known_depth(entry) else (False,):
        tracer = WindowTracer(engine.language, *task[:-4], known_depth=known_depth, native=True)
        tracer.armed = task.armed
        tracer.refusals = engine.refusals
        try:
            trees, single = tracer.explore_twice(entry, highest)
        except TooManyDepths:
            continue
        except TooComplex:
            break
        return tracer, LongWriter(trees, single, floats)
    raise Unwritable("no end to its ways is in sight")


class LLVMEngine(PythonEngine):
    """Machine code through LLVM for what runs long; the same traces as generated Python."""

    name = "llvm"

    def __init__(
        self,
        language: Language,
        state: State,
        limits: Limits | None = None,
        store: Store | None = None,
        policy: Policy | None = None,
        queue: CompileQueue | None = None,
    ) -> None:
        self.policy = policy or policy_in_force()
        self.store = store
        # held as long as machine code reads them
        self.samples = language.rules.samples(state.options)
        self.samples_at = address_of_bytes(self.samples)
        self.natives: dict[Key, NativeUnit] = {}
        self.chain: Chain | None = None
        self.tried: set[Key] = set()
        self.coming: CompileJob[NativeUnit | None] | None = None
        self.orders = 0
        self.window: Window | None = None
        self.strays, self.most_strays = 0, self.policy.most_strays
        self.alive_at = -1
        self.native_ticks = 0
        self.registers = RegisterWords()
        self.counts_rows = False
        """Whether there may be machine code that is true for one height alone; then no other may
        change it, since one may lead to the other."""
        self.worth_it = self.policy.worth_it
        self.slice = self.policy.short_slice
        self.loading: CompileJob[str | None] | None = None
        self.crowd: Crowd | None = None
        self.steps_of_many = 0
        super().__init__(language, state, limits, self.policy, queue)
        self.shelf = store if isinstance(store, Shelf) else Shelf(None)
        first = store is not None and not self.shelf
        self.name_of_kept = code_cache.name_of(language, state) if first else None
        if store is not None and self.name_of_kept is not None and self._has_room():
            rows = getattr(state.plane, "height", 0)
            self._adopt_all(code_cache.recall(store, self.name_of_kept, rows))
        self._take_from_shelf()

    def _adopt_all(self, natives: list[NativeUnit]) -> None:
        """Take over machine code that was made for other runs, as far as it is true here."""
        for native in natives:
            if self._is_true(native.touched) and self._has(native.registers):
                self._adopt_native(native)
        self._link()

    def _take_from_shelf(self) -> None:
        """Take over what other engines of this program have left."""
        if self.shelf and self._has_room():
            plane: Any = self.state.plane
            if self.keeping.windowed and self.window is None:
                self.window = Window(plane, self.coded)
            self._adopt_all(self.shelf.fitting(self.armed, self.state))

    def _has(self, registers: list[Register]) -> bool:
        """Whether the registers of kept code are those that are there."""
        names = list(self.state.registers) if registers else []
        return all(names[number : number + 1] == [name] for name, number in registers)

    def restart(self, state: State) -> None:
        super().restart(state)
        self.window = None

    def _run(self, unit: Unit, key: Key, fuel: int) -> bool:
        if self.coming is not None and self.coming.ready:
            self._take_over()
        native = self.natives.get(key)
        if native is not None and self._suits(native):
            before = self.state.tick
            spent = self._run_native(native, key, fuel)
            unit.entered += 1
            unit.ticks += self.state.tick - before
            return spent
        if unit.code is None:  # there was machine code once
            self._forget({unit})
            return False
        if self.coming is None and unit.earned > self._price(unit):
            # First where the unit begins, which is the same place in every run.
            entry = key if unit.entry in self.tried else unit.entry
            if entry not in self.tried and self.orders < self.policy.most_orders:
                self._order_native(unit.may, entry, unit)
            unit.earned = 0  # the next place must earn it anew
        # In slices, to come by a place that has machine code; longer ones while it has no use.
        self.slice = min(2 * self.slice, self.policy.slice)
        before = self.state.tick
        spent = super()._run(
            unit, key, min(fuel, self.slice if self.natives else self.policy.slice)
        )
        unit.earned += self.state.tick - before
        return spent

    def _compile_here(self, target: int) -> Stop | None:
        if self.loading is None:  # importing LLVM takes long; it will probably be needed
            self.loading = self.queue.begin("LLVM", why_not)
        return super()._compile_here(target)

    def _price(self, unit: Unit) -> int:
        """Ticks in generated Python that take about as long as machine code does to make."""
        floats = self.state.floats
        worth_it = self.worth_it // 4 if floats else self.worth_it
        return worth_it + self.policy.line_price * len(unit.source.text) // 40

    def _advance_many(self, target: int) -> Stop | None:
        state, ticks = self.state, target - self.state.tick
        worth_it = (
            ticks * len(state.walkers) >= self.policy.worth_gathering and self.limits.output is None
        )
        worth_it = worth_it and self.barriers is None
        if worth_it and self.crowd is not None and self.crowd.ready:
            return self._advance_crowd(self.crowd, ticks)
        before, walkers = state.tick, max(len(state.walkers), 1)
        stop = super()._advance_many(
            min(target, before + max(self.policy.worth_a_crowd // walkers, 1))
        )
        self.steps_of_many += (state.tick - before) * walkers
        if (
            self.crowd is None
            and self.steps_of_many > self.policy.worth_a_crowd
            and self.language.engines.crowd
        ):
            self.crowd = self.language.engines.crowd(state, self.limits)
            self.queue.begin("a crowd", partial(self._gather, self.crowd))
        return stop

    def _gather(self, crowd: Crowd) -> None:
        """Make the machine code for many walkers. Runs beside the run."""
        if why_not() is not None:
            return
        try:
            crowd.assemble(self.store)
        except Exception as error:
            self.refusals.note(error)

    def _advance_crowd(self, crowd: Crowd, ticks: int) -> Stop | None:
        """Run many walkers in machine code, and see what they did to the code of one alone."""
        state = self.state
        plane: Any = state.plane
        code = {at: plane.data[at] for touched in self._in_use() for at in cells_of(touched)}
        before = state.tick
        going = crowd.advance(ticks)
        self.native_ticks += state.tick - before
        self.changed.update(at for at, value in code.items() if plane.data[at] != value)
        if going or state.tick == before + ticks:
            return None
        return self._step(1)

    def _climb(self, target: int) -> Stop | None:
        """Machine code can be entered where the unit that it was ordered for cannot."""
        state = self.state
        if self.coming is not None and self.coming.ready:
            self._take_over()
        key = Key(state.walkers[0].stance, len(state.stack), tuple(state.calls))
        native = self.natives.get(key)
        if native is None or not self._suits(native):
            return super()._climb(target)
        before = state.tick
        return self._go_on(self._run_native(native, key, target - before), before, target)

    def _suits(self, native: NativeUnit) -> bool:
        """Show machine code the numbers it works on; False if some are not as it expects them."""
        if isinstance(native, WindowUnit):
            window, hand = self.window, self.state.walkers[0].hand or (0, 0)
            if window is None or max(map(abs, hand)) >= FURTHEST:
                return False
            window.open()
            if window.highest > native.highest:
                return False
        state, used = self.state, self._linked(native).registers
        if max(state.tick, state.draws) >= LAST_TICK:
            return False
        return self.registers.fill(state.registers, used) and native.fill(state.stack)

    def _linked(self, native: NativeUnit) -> NativeUnit | Chain:
        """The code that may run once this one does."""
        return self.chain if self.chain is not None and native in self.chain else native

    def _run_native(self, first: NativeUnit, key: Key, fuel: int) -> bool:
        state, words, native = self.state, first.words, first
        chain = self.chain if self.chain is not None and native in self.chain else None
        hand = state.walkers[0].hand
        plane: Any = state.plane
        if self.keeping.grows:
            self.context.enter(hand)
            self._make_room(words, plane)
        room = OUTPUT_ROOM
        room = int(min(self._output_left(), room))
        fuel = min(fuel, MOST_FUEL, LAST_TICK - state.tick)
        native.show(state, fuel, room, self.registers.address(state.registers))
        words[Slot.SAMPLES] = self.samples_at
        if isinstance(native, WindowUnit):
            assert self.window is not None
            number = native.run(self.window, native.entries[key])
        elif chain is not None:
            native, number = chain.run(native, native.entries[key])
        else:
            number = native.call(ctypes.addressof(words), native.entries[key])
        fuel_left, x, y, written, unread, state.draws = LEAVING.unpack_from(words)
        self.registers.empty(state.registers, self._linked(first).stored)
        used = fuel - fuel_left
        if chain is None:  # which counts by itself
            native.all_ticks += used
        if self.keeping.grows:
            plane.height = words[Slot.HEIGHT]
            del plane.data[plane.height * plane.width :]
        left, size = native.exits[number]
        native.empty(state.stack, size)
        state.output += native.output[:written]
        state.input.position += state.input.unread - unread
        self._leave(left, None if hand is None else (x, y), used)
        self.native_ticks += used
        self.compiled_ticks += used
        if used > self.policy.worth_a_visit:
            self.slice = self.policy.short_slice
        if (
            native.all_ticks > self.policy.worth_more
            and native.care is Care.QUICK
            and self.coming is None
        ):
            self.coming = self.queue.begin("better code", partial(self._improve, native))
        spent = number in native.spent
        if isinstance(native, WindowUnit):
            self.alive_at = state.tick if number in native.alive else -1
            if not spent:
                self._note_stray(native, left)
        if spent or (used > 0 and self._goes_on_elsewhere(native, left)):
            return True
        first.left += 1
        first.ticks += used
        slow = native.floats or first.large
        worth_it = self.policy.worth_a_visit // 10 if slow else self.policy.worth_a_visit
        if first.left > 50 and first.ticks < worth_it * first.left:
            self._dismiss(first)
        return False

    def _goes_on_elsewhere(self, native: NativeUnit, key: Key) -> bool:
        """Whether other code begins where this machine code has left."""
        other = self.natives.get(key)
        return other is not native if other is not None else key in self.units

    def _note_stray(self, native: WindowUnit, key: Key) -> None:
        """If code leaves again and again for ways that were not walked before, make it anew."""
        self.strays += native.may is not None and key.stance not in native.may
        if (
            self.strays > self.most_strays
            and self.coming is None
            and self.orders < self.policy.most_orders
        ):
            self.strays, self.most_strays = 0, 2 * self.most_strays
            may = self._walked() | {key.stance}
            if may != native.may:
                self._order_native(may, key)

    def _surely_alive(self) -> bool:
        return self.alive_at == self.state.tick

    def _dismiss(self, native: NativeUnit) -> None:
        """Going there and back costs more than staying in generated Python."""
        self.natives = {key: other for key, other in self.natives.items() if other is not native}
        self._link()
        self.tried.update(native.entries)
        self.worth_it *= 8  # what is beside it will hardly do better
        self._unmark(set(native.touched))

    def _make_room(self, words: Any, plane: Any) -> None:
        """Show native code the plane, with rows to spare below it for as long as it runs."""
        rows = plane.height
        if self.profile.ever_grew and not self.counts_rows:
            rows = min(2 * plane.height, plane.height + 1 + SPARE // plane.width)
        rows = max(plane.height, min(rows, int(min(self.context.room, 1 << 40)) // plane.width))
        for buffer in (plane.data, self.coded):
            lengthen(buffer, rows * plane.width)
        words[Slot.DATA], words[Slot.CODE] = address_of(plane.data), address_of(self.coded)
        words[Slot.WIDTH], words[Slot.HEIGHT] = plane.width, plane.height
        words[Slot.ROWS] = rows

    def _order_native(self, may: set[Stance] | None, entry: Key, unit: Unit | None = None) -> None:
        """Have machine code made while the run goes on."""
        self.tried.add(entry)
        self.orders += 1
        plane: Any = self.state.plane
        if self.keeping.windowed and self.window is None:
            self.window = Window(plane, self.coded)
        if unit is not None and unit.trees is not None:
            self.tried.update(unit.source.entries)
            make = partial(self._assemble_trees, unit, unit.trees)
            unit.trees = None
        else:
            make = partial(self._make_native, self._task(may, unit), entry)
        self.coming = self.queue.begin("machine code", make)
        if self.coming.ready:
            self._take_over()

    def _write(self, task: Task, entry: Key, tracer: Tracer, trees: list[Tree]) -> Unit | None:
        portable = not self.keeping.windowed and not tracer.graph.wide
        if portable and tracer.acted > self.policy.large and why_not() is None:
            unit = self._write_large(task, entry, tracer, trees)
            if unit is not None:
                return unit
        unit = super()._write(task, entry, tracer, trees)
        if unit is not None and portable:
            unit.trees = trees  # good for machine code as they are
        return unit

    def _write_large(
        self, task: Task, entry: Key, tracer: Tracer, trees: list[Tree]
    ) -> Unit | None:
        """A unit that never is generated Python: compiling that would stop the run for a while,
        which making machine code does not."""
        try:
            native = NativeUnit(NativeWriter(trees, task.state.floats, self.hands))
        except Unwritable:
            return None
        exits = [key for key, _ in native.exits]
        source = Source(native.text, native.entries, exits, native.spent)
        unit = self._unit(task, entry, tracer, source, None)
        self._finish(native, tracer.touched, unit.frontier, task.armed)
        native.large = True
        unit.native = native
        return unit

    def _make_native(self, task: Task, entry: Key) -> NativeUnit | None:
        """Trace once more, for 64 bits, and assemble it. Runs beside the run."""
        if why_not() is not None:
            return None
        highest = self.window.highest if self.window is not None else 0
        try:
            tracer, writer = write_native(self, task, entry, highest)
            if isinstance(tracer, WindowTracer) and isinstance(writer, LongWriter):
                native: NativeUnit = WindowUnit(writer, tracer.highest, task.may)
            else:
                native = NativeUnit(writer)
        except Unwritable:
            return None
        # From another entry, with less known, other cells may have been decoded than by the unit.
        self._finish(native, tracer.touched, tracer.frontier, task.armed)
        tracer.forget()
        return native

    def _assemble_trees(self, unit: Unit, trees: list[Tree]) -> NativeUnit | None:
        """Machine code from what the unit was written from. Runs beside the run."""
        if why_not() is not None:
            return None
        try:
            native = NativeUnit(NativeWriter(trees, self.state.floats, self.hands))
        except Unwritable:
            return None
        self._finish(native, unit.touched, unit.frontier, unit.armed)
        return native

    def _finish(
        self,
        native: NativeUnit,
        touched: dict[Any, Any],
        frontier: set[Key],
        armed: Barriers | None,
    ) -> None:
        native.touched, native.armed = touched, armed
        native.height = getattr(self.state.plane, "height", 0)  # it may have grown meanwhile
        for key in frontier:
            native.entries.pop(key, None)  # it would leave at once
        native.assemble(self.store)
        if frontier:
            driver()  # it will be linked to other code, which is done in the run
        self.shelf.lay(native, self.state)
        if self.store is not None and self.name_of_kept is not None and native.armed is None:
            natives = dict.fromkeys([*self.natives.values(), native])
            code_cache.keep(self.store, self.name_of_kept, list(natives))

    def _improve(self, native: NativeUnit) -> None:
        native.improve(self.store)

    def _take_over(self) -> None:
        """Take over the machine code that is ready."""
        assert self.coming is not None
        order, self.coming = self.coming, None
        try:
            native = order.take()
        except (Exception, Leave, Undecided) as error:
            self.refusals.note(error)
            return
        if native is not None and native.armed == self.armed and self._is_true(native.touched):
            self._adopt_native(native)
        self._link()  # also to code that has been improved

    def _adopt(self, unit: Unit) -> None:
        super()._adopt(unit)
        if unit.native is not None:
            self._adopt_native(unit.native)
            self._link()

    def _adopt_native(self, native: NativeUnit) -> None:
        self.natives.update(dict.fromkeys(native.entries, native))
        self.landings = self._find_landings()
        self.counts_rows = self.counts_rows or HEIGHT in native.touched
        self._mark(native.touched)

    def _link(self) -> None:
        """Let machine code lead to other machine code."""
        chain = Chain(self.natives)
        self.chain = chain if chain.linked else None

    def _find_landings(self) -> set[Stance]:
        return super()._find_landings() | {key.stance for key in self.natives}

    def _rearm(self, barriers: Barriers | None) -> None:
        gone = set(self.natives.values())
        self.natives = {}
        self.tried.clear()
        self._link()
        super()._rearm(barriers)
        self._unmark(set().union(*(native.touched for native in gone)))
        self._take_from_shelf()

    def _mark(self, touched: dict[Any, Any]) -> None:
        super()._mark(touched)
        if self.window is not None:
            self.window.mark(touched, True)

    def _unmark(self, cells: set[Any]) -> None:
        super()._unmark(cells)
        if self.window is not None:
            self.window.mark(cells - self.coded, False)

    def _in_use(self) -> list[dict[Any, Any]]:
        return [*super()._in_use(), *(native.touched for native in set(self.natives.values()))]

    def _drop_changed(self) -> None:
        """Machine code answers for its own cells."""
        still_true = {
            key: native
            for key, native in self.natives.items()
            if self.changed.isdisjoint(native.touched)
        }
        self.tried -= self.natives.keys() - still_true.keys()
        gone = set(self.natives.values()) - set(still_true.values())
        self.natives = still_true
        self._link()
        self._unmark(set().union(*(native.touched for native in gone)))
        super()._drop_changed()
