"""Units in machine code, with the block of words they work on."""

from __future__ import annotations

import ctypes
import sys
from array import array
from collections.abc import Iterable
from typing import Any, ClassVar

from ...core.numbers import chance
from ...core.state import State
from ..base.addresses import address_of
from ..base.keeping import HEIGHT
from ..compiled.unit import CompiledUnit
from ..tracing.ir import Register
from ..tracing.ops import LEAST, MOST, WIDE, WORD
from .abi import ENTERING, OUTPUT_ROOM, STACK_ROOM, STACK_SEEN, Slot, UnitIR, WindowFacts
from .machine_code import Care, Store, assemble, best_care, recall

QUICK_FIRST = 20_000  # characters of text beyond which it becomes quick code at first


class NativeUnit(CompiledUnit):
    """A unit as IR, and once it is assembled, as machine code with the block it works on."""

    stack_room: ClassVar[int] = STACK_ROOM  # values that a stack of any depth has place for
    window: WindowFacts | None = None  # what is known of one that sees cells through a window

    def __init__(self, written: UnitIR) -> None:
        super().__init__()
        self.written = written
        self.text, self.entries, self.exits, self.spent, self.floats, self.deep = written[:6]
        self.low, self.size = written.low, written.size
        self.registers, self.stored = written.registers, written.stored
        self.bits, self.overflows = written.bits, written.overflows
        self.kind = ctypes.c_double if self.floats else ctypes.c_int64
        words = (ctypes.c_int64 * (Slot.SLOTS + self._slot_words()))()
        self.work_on(words, ctypes.create_string_buffer(OUTPUT_ROOM))
        self.call: Any = None
        self._owners: list[Any] = []
        self.best = best_care(self.size)
        self.care = self.best
        self.kept_as: str | None = None  # its name in the store, once it is there
        self.height = 0  # how many rows the plane had when it was made
        self.all_ticks = 0  # also those that other units of its chain led to

    def twin(self) -> NativeUnit:
        """The same code on a block of words of its own, for another run."""
        unit = type(self).__new__(type(self))
        vars(unit).update(vars(self))
        words = (ctypes.c_int64 * (Slot.SLOTS + self._slot_words()))()
        unit.work_on(words, ctypes.create_string_buffer(OUTPUT_ROOM))
        unit._owners = list(self._owners)
        unit.all_ticks = unit.entered = unit.missed = unit.left = unit.ticks = 0
        return unit

    def _slot_words(self) -> int:
        return self.written.slots * self.written.bits // WORD

    @property
    def works_on_words(self) -> bool:
        """Whether it works on a stack of any depth, of numbers that are words."""
        return self.deep and not self.floats and self.bits == WORD

    def suits_rows(self, rows: int) -> bool:
        """Whether a plane may have so many. They never shrink, so code may count on those there
        were when it was made."""
        return self.height == rows or (self.height < rows and HEIGHT not in self.touched)

    def work_on(self, words: Any, output: Any) -> None:
        """Use this block of words, and this room for output."""
        self.words, self.output = words, output
        words[Slot.OUTPUT] = ctypes.addressof(output)
        if self.deep:
            self.slots = (self.kind * (self.stack_room * self.bits // WORD))()
        else:
            slots = self.kind * (len(words) - Slot.SLOTS)
            self.slots = slots.from_buffer(words, 8 * Slot.SLOTS)
        self._numbers: Any = memoryview(self.slots).cast("B").cast("d" if self.floats else "q")

    def show(self, state: State, fuel: int, most_written: int, registers: int) -> None:
        """Show it a state, all but the plane, the stack, and the numbers in registers, of which it
        is given the address."""
        x, y = state.walkers[0].hand or (0, 0)
        given = state.input
        input_end = address_of(given.data) + len(given.data)
        ENTERING.pack_into(
            self.words, 0, fuel, x, y, 0, given.unread, state.draws, input_end, given.closed,
            most_written, state.tick + fuel, state.seed & chance.MASK, registers,
        )  # fmt: skip

    def fill(self, stack: Any, low: int | None = None) -> bool:
        """Show it a copy of the stack from `low` on, or else of a deep one of what stands on top;
        False if there are numbers of more bits than it has."""
        if low is None:
            low = max(len(stack) - STACK_SEEN, 0) if self.deep else self.low
        values = stack[low:]
        packed = self._packed(values)
        if packed is None:
            return False
        self._numbers[: len(packed)] = packed
        if self.deep:
            self.low = low
            self.show_stack(ctypes.addressof(self.slots), len(values), low, STACK_ROOM)
        return True

    def show_stack(self, address: int, depth: int, below: int, room: int) -> None:
        """Show it where so many values of a stack stand, with so many below them, and how many
        there may be."""
        words = self.words
        words[Slot.STACK], words[Slot.DEPTH], words[Slot.BELOW] = address, depth, below
        words[Slot.STACK_ROOM] = room

    def _packed(self, values: Any) -> Any:
        """Values as it finds them; none if that cannot be."""
        try:
            return array("d" if self.floats else "q", values)
        except (OverflowError, TypeError):  # too long, or no whole numbers at all
            return None

    def empty(self, stack: Any, size: int) -> None:
        """Bring the values that it left back to the stack."""
        values = self._unpacked(self.words[Slot.DEPTH] if self.deep else size)
        stack[self.low :] = array("f", values) if self.floats else values

    def _unpacked(self, count: int) -> list[Any]:
        values: list[Any] = self._numbers[:count].tolist()
        return values

    def assemble(self, store: Store | None) -> None:
        """Make machine code, or take it from the store. Of a long text it is quick code at first:
        it runs at about half the pace of good code, which takes five to ten times as long to
        make."""
        self.care = Care.QUICK if self.size > QUICK_FIRST else self.best
        self._take(*assemble(self.text, store, care=self.care))

    def recall(self, store: Store) -> bool:
        """Take machine code that is in the store, good code if there is; says if there is any."""
        for care in (self.best, Care.QUICK):
            found = recall(self.text, store, care=care)
            if found is not None:
                self.care = care
                self._take(*found)
                return True
        return False

    def improve(self, store: Store | None) -> None:
        """Make good code of quick code; the quick one may be running meanwhile."""
        self.care = self.best
        self._take(*assemble(self.text, store, care=self.care))

    def _take(self, owner: Any, call: Any) -> None:
        self._owners.append(owner)  # code lives as long as its owner
        self.call = call


class WideUnit(NativeUnit):
    """One whose numbers have 128 bits, two words each."""

    def _packed(self, values: list[int]) -> Any:
        try:
            parts = [value.to_bytes(16, sys.byteorder, signed=True) for value in values]
        except (OverflowError, AttributeError):  # too long, or no whole numbers at all
            return None
        return array("q", b"".join(parts))

    def _unpacked(self, count: int) -> list[int]:
        parts = self._numbers[: 2 * count].tobytes()
        places = range(0, len(parts), 16)
        return [int.from_bytes(parts[at : at + 16], sys.byteorder, signed=True) for at in places]


def unit_of(written: UnitIR) -> NativeUnit:
    """A unit for what was written, now or before."""
    return (WideUnit if written.bits == WIDE else NativeUnit)(written)


class RegisterWords:
    """Registers that hold whole numbers as machine code sees them: words, each at its place."""

    def __init__(self) -> None:
        self._words = array("q")

    def fill(self, held: Any, registers: Iterable[Register]) -> bool:
        """Show it these registers; False if one does not hold a number of 64 bits."""
        for name, number in registers:
            value = held.get(name)
            if type(value) is not int or not LEAST <= value <= MOST:
                return False
            if number >= len(self._words):
                self._words.extend([0] * (number + 1 - len(self._words)))
            self._words[number] = value
        return True

    def empty(self, held: Any, registers: Iterable[Register]) -> None:
        """Bring these registers back."""
        for name, number in registers:
            held[name] = self._words[number]

    def address(self, held: Any) -> int:
        """Where machine code finds registers; floats are where they always are."""
        words: array[Any] = held if isinstance(held, array) else self._words
        return words.buffer_info()[0]
