"""The engine that climbs once more: units that run long in generated Python become machine code."""

from __future__ import annotations

import ctypes
from array import array
from functools import partial
from typing import Any

from ..core import chance
from ..core.engine import Crowd
from ..core.language import Language
from ..core.limits import Limits
from ..core.state import State
from ..core.step import Stop
from .compiled import PythonEngine, Task, Unit
from .ir import Key
from .llvm import NativeUnit, Store, Unwritable, Words, why_not
from .orders import Order
from .trace import Tracer, Tree

WORTH_IT = 100_000
"""Ticks in generated Python before a unit is worth machine code."""
WORTH_MORE = 50_000_000
"""Ticks in quick machine code before good code is made of it."""
SLICE, SHORT_SLICE = 20_000, 400
MOST_TRIED = 200
LINE_PRICE = 800
"""Ticks more for each line of it."""
WORTH_A_VISIT = 400
"""Ticks that machine code must run on average before it leaves."""
SPARE_ROWS = 4_096
WORTH_A_CROWD = 20_000
"""Steps of single walkers, where there are several, before those are worth machine code."""
WORTH_GATHERING = 256
"""The same for which it pays to hand walkers over, and back."""


def trace_for_native(engine: PythonEngine, task: Task, entry: Key) -> tuple[Tracer, list[Tree]]:
    """What is reachable from a key, recorded for 64 bits.

    Raises `Unwritable`, with the reason, if it is not for machine code.
    """
    if task.state.plane.kind == "sparse":
        raise Unwritable("the plane has no edges")
    tracer, trees = engine._trace(task, entry, native=True)
    if not trees:
        raise Unwritable("no end to its ways is in sight")
    return tracer, trees


class LLVMEngine(PythonEngine):
    """Machine code through LLVM for what runs long; the same traces as generated Python."""

    name = "llvm"

    def __init__(
        self,
        language: Language,
        state: State,
        limits: Limits | None = None,
        store: Store | None = None,
    ) -> None:
        self.store = store
        self.natives: dict[Key, NativeUnit] = {}
        self.tried: set[Key] = set()
        self.coming: Order[NativeUnit | None] | None = None
        self.native_ticks = 0
        self.worth_it = WORTH_IT
        self.slice = SHORT_SLICE
        self.loading: Order[str | None] | None = None
        self.crowd: Crowd | None = None
        self.gathering: Order[None] | None = None
        self.steps_of_many = 0
        super().__init__(language, state, limits)

    def _run(self, unit: Unit, key: Key, fuel: int) -> bool:
        if self.coming is not None and self.coming.ready:
            self._take_over()
        native = self.natives.get(key)
        if native is not None:
            values = native.values(self.state.stack)
            if values is not None:
                return self._run_native(unit, native, key, values, fuel)
        if self.coming is None and unit.earned > self._price(unit):
            # First where the unit begins, which is the same place in every run.
            entry = key if unit.entry in self.tried else unit.entry
            if entry not in self.tried and len(self.tried) < MOST_TRIED:
                self._order_native(unit, entry)
            unit.earned = 0  # the next place must earn it anew
        # In slices, to come by a place that has machine code; longer ones while it has no use.
        self.slice = min(2 * self.slice, SLICE)
        before = self.state.tick
        spent = super()._run(unit, key, min(fuel, self.slice if self.natives else SLICE))
        unit.earned += self.state.tick - before
        return spent

    def _compile_here(self, target: int) -> Stop | None:
        if self.loading is None:  # importing LLVM takes long; it will probably be needed
            self.loading = Order(why_not, self.background)
        return super()._compile_here(target)

    def _price(self, unit: Unit) -> int:
        """Ticks in generated Python that take about as long as machine code does to make."""
        return self.worth_it + LINE_PRICE * len(unit.source.text) // 40

    def _advance_many(self, target: int) -> Stop | None:
        state, ticks = self.state, target - self.state.tick
        worth_it = ticks * len(state.walkers) >= WORTH_GATHERING
        if worth_it and self.crowd is not None and self.crowd.ready:
            return self._advance_crowd(self.crowd, ticks)
        before, walkers = state.tick, max(len(state.walkers), 1)
        stop = super()._advance_many(min(target, before + max(WORTH_A_CROWD // walkers, 1)))
        self.steps_of_many += (state.tick - before) * walkers
        if self.crowd is None and self.steps_of_many > WORTH_A_CROWD and self.language.crowd:
            self.crowd = self.language.crowd(state, self.limits)
            self.gathering = Order(partial(self._gather, self.crowd), self.background)
        return stop

    def _gather(self, crowd: Crowd) -> None:
        """Make the machine code for many walkers. Runs beside the run."""
        if why_not() is None:
            crowd.assemble(self.store)

    def _advance_crowd(self, crowd: Crowd, ticks: int) -> Stop | None:
        """Run many walkers in machine code, and see what they did to the code of one alone."""
        state = self.state
        plane: Any = state.plane
        code = {at: plane.data[at] for touched in self._in_use() for at in touched}
        before = state.tick
        going = crowd.advance(ticks)
        self.native_ticks += state.tick - before
        self.changed.update(at for at, value in code.items() if plane.data[at] != value)
        if going or state.tick == before + ticks:
            return None
        return self.reference.advance(1)

    def _run_native(
        self, unit: Unit, native: NativeUnit, key: Key, values: array[Any], fuel: int
    ) -> bool:
        state, words = self.state, native.words
        hand = state.walkers[0].hand
        self.context.enter(hand)
        plane: Any = state.plane
        if plane.kind == "bytes":
            self._make_room(words, plane)
        if native.floats:
            words[Words.REGISTERS] = state.registers.buffer_info()[0]
        if hand is not None:
            words[Words.HAND_X], words[Words.HAND_Y] = hand
        words[Words.FUEL], words[Words.WRITTEN] = fuel, 0
        words[Words.CLOCK] = state.tick + fuel
        words[Words.STIRRED_SEED] = chance.stir(state.seed)
        unread = state.input.unread
        words[Words.INPUT_LEFT], words[Words.INPUT_CLOSED] = unread, state.input.closed
        words[Words.INPUT] = _address(state.input.data) + len(state.input.data)
        native.fill(values, len(state.stack))
        number = native.call(ctypes.addressof(words), native.entries[key])
        if plane.kind == "bytes":
            plane.height = words[Words.HEIGHT]
            del plane.data[plane.height * plane.width :]
        left, size = native.exits[number]
        native.empty(state.stack, size)
        state.output += native.output.raw[: words[Words.WRITTEN]]
        state.input.position += unread - words[Words.INPUT_LEFT]
        if hand is not None:
            hand = (words[Words.HAND_X], words[Words.HAND_Y])
        used = fuel - words[Words.FUEL]
        self._leave(left, hand, used)
        unit.entered += 1
        unit.ticks += used
        self.native_ticks += used
        self.compiled_ticks += used
        if used > WORTH_A_VISIT:
            self.slice = SHORT_SLICE
        native.all_ticks += used
        if native.quick and native.all_ticks > WORTH_MORE and self.coming is None:
            self.coming = Order(partial(self._improve, native), self.background)
        spent = number in native.spent
        if not spent:
            native.left += 1
            native.ticks += used
            if native.left > 50 and native.ticks < WORTH_A_VISIT * native.left:
                self._dismiss(native)
        return spent

    def _dismiss(self, native: NativeUnit) -> None:
        """Going there and back costs more than staying in generated Python."""
        self.natives = {key: other for key, other in self.natives.items() if other is not native}
        self.tried.update(native.entries)
        self.worth_it *= 8  # what is beside it will hardly do better
        self._unmark(set(native.touched))

    def _make_room(self, words: Any, plane: Any) -> None:
        """Show native code the plane, with rows to spare below it for as long as it runs."""
        rows = min(2 * plane.height, plane.height + SPARE_ROWS)
        rows = max(plane.height, min(rows, int(min(self.context.room, 1 << 40)) // plane.width))
        for buffer in (plane.data, self.coded):
            buffer.extend(bytes(max(rows * plane.width - len(buffer), 0)))
        words[Words.DATA], words[Words.CODE] = _address(plane.data), _address(self.coded)
        words[Words.WIDTH], words[Words.HEIGHT] = plane.width, plane.height
        words[Words.ROWS] = rows

    def _order_native(self, unit: Unit, entry: Key) -> None:
        """Have machine code made while the run goes on."""
        self.tried.add(entry)
        make = partial(self._make_native, self._task(unit.may), entry)
        self.coming = Order(make, self.background)
        if self.coming.ready:
            self._take_over()

    def _make_native(self, task: Task, entry: Key) -> NativeUnit | None:
        """Trace once more, for 64 bits, and assemble it. Runs beside the run."""
        if why_not() is not None:
            return None
        hands = task.state.walkers[0].hand is not None
        try:
            tracer, trees = trace_for_native(self, task, entry)
            native = NativeUnit(trees, not isinstance(task.state.stack, list), hands)
        except Unwritable:
            return None
        # From another entry, with less known, other cells may have been decoded than by the unit.
        native.touched = tracer.touched
        native.assemble(self.store)
        return native

    def _improve(self, native: NativeUnit) -> None:
        native.improve(self.store)

    def _take_over(self) -> None:
        """Take over the machine code that is ready."""
        assert self.coming is not None
        order, self.coming = self.coming, None
        try:
            native = order.take()
        except Exception:
            if not self.background:
                raise
            return
        if native is not None and self._is_true(native.touched):
            self.natives.update(dict.fromkeys(native.entries, native))
            self._mark(native.touched)

    def _in_use(self) -> list[dict[Any, Any]]:
        return [*super()._in_use(), *(native.touched for native in set(self.natives.values()))]

    def _drop_changed(self) -> None:
        """Machine code answers for its own cells."""
        kept = {
            key: native
            for key, native in self.natives.items()
            if self.changed.isdisjoint(native.touched)
        }
        self.tried -= self.natives.keys() - kept.keys()
        gone = set(self.natives.values()) - set(kept.values())
        self.natives = kept
        self._unmark(set().union(*(native.touched for native in gone)))
        super()._drop_changed()


def _address(buffer: bytearray) -> int:
    """Where the bytes are; nothing must resize the buffer while native code runs."""
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer)) if buffer else 0
