"""The engine that climbs once more: units that run long in generated Python become machine code."""

from __future__ import annotations

import ctypes
import threading
from array import array
from typing import Any

from ..core.language import Language
from ..core.limits import Limits
from ..core.state import State, Walker
from .compiled import DEEPEST, PythonEngine, Unit
from .ir import LEAST, MOST, Key
from .llvm import NativeUnit, Store, Unwritable, Words, why_not
from .trace import TooComplex, TooManyDepths, Tracer

WORTH_IT = 200_000
"""Ticks in generated Python before a unit is worth machine code."""
SLICE, SHORT_SLICE = 20_000, 400
MOST_TRIED = 200
MOST_MISSES = 16
"""Slices in a row that ended where there is no machine code, before some is made for there."""
WORTH_A_VISIT = 400
"""Ticks that machine code must run on average before it leaves."""
SPARE_ROWS = 4_096


BACKGROUND = True
"""Whether the run goes on while machine code is made; tests that want it at once say no."""


class Assembly(threading.Thread):
    """The making of machine code. Not a daemon: LLVM must not be torn down while it works."""

    def __init__(self, native: NativeUnit, store: Store | None) -> None:
        super().__init__(name="planewalk-assembly")
        self.native = native
        self.store = store

    def run(self) -> None:
        if why_not() is None:
            self.native.assemble(self.store)


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
        self.coming: list[Assembly] = []
        self.native_ticks = 0
        self.worth_it = WORTH_IT
        self.misses = 0
        super().__init__(language, state, limits)

    def _run(self, unit: Unit, key: Key, fuel: int) -> bool:
        if self.coming:
            self._receive()
        native = self.natives.get(key)
        if native is not None and self._fits(native):
            return self._run_native(unit, native, key, fuel)
        self.misses += 1
        earned = unit.ticks > self.worth_it or (self.natives and self.misses > MOST_MISSES)
        if earned and key not in self.tried and len(self.tried) < MOST_TRIED:
            self._order(unit, key)
            self.worth_it = unit.ticks + WORTH_IT  # the next place must earn it anew
            self.misses = 0
        # In slices, to come by a place that has machine code.
        return super()._run(unit, key, min(fuel, SHORT_SLICE if self.natives else SLICE))

    def _fits(self, native: NativeUnit) -> bool:
        """Whether all numbers it works on have at most 64 bits."""
        if native.floats:
            return True
        return all(LEAST <= value <= MOST for value in self.state.stack[native.low :])

    def _run_native(self, unit: Unit, native: NativeUnit, key: Key, fuel: int) -> bool:
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
        slots, low = native.slots, native.low
        size = len(state.stack) - low
        slots[:size] = state.stack[low:].tolist() if native.floats else state.stack[low:]
        number = native.call(ctypes.addressof(words), native.entries[key])
        if plane.kind == "bytes":
            plane.height = words[Words.HEIGHT]
            del plane.data[plane.height * plane.width :]
        stance, size = native.exits[number]
        left = slots[:size]
        state.stack[low:] = array("f", left) if native.floats else left
        state.output += native.output.raw[: words[Words.WRITTEN]]
        if hand is not None:
            hand = (words[Words.HAND_X], words[Words.HAND_Y])
        state.walkers[0] = Walker(stance, hand)
        used = fuel - words[Words.FUEL]
        state.tick += used
        unit.entered += 1
        unit.ticks += used
        self.native_ticks += used
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

    def _make_room(self, words: Any, plane: Any) -> None:
        """Show native code the plane, with rows to spare below it for as long as it runs."""
        rows = min(2 * plane.height, plane.height + SPARE_ROWS)
        rows = max(plane.height, min(rows, int(min(self.context.room, 1 << 40)) // plane.width))
        for buffer in (plane.data, self.coded):
            buffer.extend(bytes(max(rows * plane.width - len(buffer), 0)))
        words[Words.DATA], words[Words.CODE] = _address(plane.data), _address(self.coded)
        words[Words.WIDTH], words[Words.HEIGHT] = plane.width, plane.height
        words[Words.ROWS] = rows

    def _order(self, unit: Unit, key: Key) -> None:
        """Trace once more, for 64 bits, and have it assembled while the run goes on."""
        self.tried.add(key)
        stance, depth = key
        if depth is None or depth > DEEPEST or self.state.plane.kind == "sparse":
            return
        tracer = Tracer(self.language, self.state, unit.may, True, room=self._room(), native=True)
        hands = self.state.walkers[0].hand is not None
        floats = not isinstance(self.state.stack, list)
        try:
            native = NativeUnit(tracer.explore(stance, depth), floats, hands)
        except (TooManyDepths, TooComplex, Unwritable):
            return
        # From another entry, with less known, other cells may have been decoded than by the unit.
        native.touched = tracer.touched
        self._mark(tracer.touched)
        assembly = Assembly(native, self.store)
        self.coming.append(assembly)
        assembly.start()
        if not BACKGROUND:
            assembly.join()

    def _receive(self) -> None:
        """Take over the machine code that is ready."""
        for assembly in [assembly for assembly in self.coming if not assembly.is_alive()]:
            self.coming.remove(assembly)
            if assembly.native.call is not None:
                self.natives.update(dict.fromkeys(assembly.native.entries, assembly.native))

    def _drop_changed(self) -> None:
        """Machine code answers for its own cells, ready or still coming."""
        changed = self.changed
        kept = {key: n for key, n in self.natives.items() if not n.touched & changed}
        self.tried -= self.natives.keys() - kept.keys()
        self.natives = kept
        self.coming = [a for a in self.coming if not a.native.touched & changed]
        super()._drop_changed()


def _address(buffer: bytearray) -> int:
    """Where the bytes are; nothing must resize the buffer while native code runs."""
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer)) if buffer else 0
