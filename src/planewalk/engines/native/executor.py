"""Runs machine code on the state of a run."""

from __future__ import annotations

import ctypes
from typing import Any, Protocol

from ..base.addresses import address_of, address_of_bytes
from ..base.memory import lengthen
from ..compiled.run import LiveRun
from ..compiled.survey import Survey
from ..tracing.ir import Key
from .abi import LEAVING, OUTPUT_ROOM, STACK_ROOM, Slot
from .deep_stack import DeepStack, StackDesk
from .unit import NativeUnit, RegisterWords

SPARE = 1 << 20  # at most so many bytes are held ready below a field that grows, or else a row
LONG_VISIT = 128
"""Ticks after which machine code might have gone on if it had seen all of the stack."""
LAST_TICK = (1 << 63) - 1  # machine code counts no further


class NativeCells(Protocol):
    """The cells of a plane as machine code finds them."""

    counts_rows: bool
    """Whether there may be machine code that is true for one height alone; then no other may
    change it, since one may lead to the other."""

    def begin(self) -> None:
        """There is another state now."""

    def open(self) -> int:
        """Get ready for machine code; gives the greatest number in any cell if it must know."""

    def prepare(self, native: Any) -> bool:
        """Whether the cells are as a unit expects them."""

    def call(self, native: Any, head: int) -> int:
        """Run a unit; gives the exit by which it was left."""


class FlatCells:
    """Those of most planes, where they are."""

    def __init__(self, survey: Survey) -> None:
        self.run, self.code_map, self.profile = survey.run, survey.code_map, survey.profile
        self.counts_rows = False

    def begin(self) -> None:
        """Nothing is known of the state beside it."""

    def open(self) -> int:
        return 0  # no code must know what is in cells that it was not made from

    def prepare(self, native: NativeUnit) -> bool:
        return True

    def call(self, native: NativeUnit, head: int) -> int:
        grows = self.code_map.keeping.grows
        if grows:
            self.make_room(native.words)
        number: int = native.call(ctypes.addressof(native.words), head)
        if grows:
            plane: Any = self.run.state.plane
            plane.height = native.words[Slot.HEIGHT]
            del plane.data[plane.height * plane.width :]
        return number

    def make_room(self, words: Any) -> None:
        """Show machine code the plane, with rows to spare below it for as long as it runs."""
        plane: Any = self.run.state.plane
        marks, memory = self.code_map.marks, self.run.limits.memory
        rows = plane.height
        if self.profile.ever_grew and not self.counts_rows:
            rows = min(2 * plane.height, plane.height + 1 + SPARE // plane.width)
        most = 1 << 40 if memory is None else min(memory, 1 << 40)
        rows = max(plane.height, min(rows, most // plane.width))
        for buffer in (plane.data, marks):
            lengthen(buffer, rows * plane.width)
        words[Slot.DATA], words[Slot.CODE] = address_of(plane.data), address_of(marks)
        words[Slot.WIDTH], words[Slot.HEIGHT] = plane.width, plane.height
        words[Slot.ROWS] = rows


class NativeExecutor:
    """Shows machine code a state, and brings back what it made of it."""

    def __init__(self, run: LiveRun, cells: NativeCells) -> None:
        self.run, self.cells = run, cells
        self.registers = RegisterWords()
        self.desk = StackDesk()
        self.deep: DeepStack | None = None
        """The stack, if machine code works on it, and not on a copy."""
        # held as long as code reads them
        self.samples = run.language.rules.samples(run.state.options)
        self.samples_at = address_of_bytes(self.samples)

    def prepare(self, native: NativeUnit) -> bool:
        """Show a unit the numbers it works on; False if some are not as it expects them."""
        if not self.cells.prepare(native):
            return False
        state = self.run.state
        if max(state.tick, state.draws) >= LAST_TICK:
            return False
        if not self.registers.fill(state.registers, native.registers):
            return False
        self.deep = self.desk.deep(state) if native.works_on_words else None
        if self.deep is None:
            return native.fill(state.held_stack)
        self.deep.show(native, STACK_ROOM // 2)
        return True

    def enter(self, native: NativeUnit, key: Key, fuel: int) -> tuple[int, Key, int]:
        """Run a unit that is prepared; gives the exit by which it was left, where that leads, and
        after how many ticks."""
        run, words, registers = self.run, native.words, self.registers
        state = run.state
        hand = state.walkers[0].hand
        fuel = min(fuel, LAST_TICK - state.tick)
        room = int(min(run.output_left(), OUTPUT_ROOM))
        native.show(state, fuel, room, registers.address(state.registers))
        words[Slot.SAMPLES] = self.samples_at
        number = self.cells.call(native, native.entries[key])
        fuel_left, x, y, written, unread, state.draws = LEAVING.unpack_from(words)
        registers.empty(state.registers, native.stored)
        used = fuel - fuel_left
        native.all_ticks += used
        left, size = native.exits[number]
        if self.deep is not None:
            self.deep.take(words[Slot.DEPTH])
        else:
            native.empty(state.held_stack, size)
        if native.works_on_words and used >= LONG_VISIT:  # else it does not go on for want of more
            self.desk.note_visit(state, self.deep, fuel_left)
        state.output += native.output[:written]
        state.input.position += state.input.unread - unread
        run.leave(left, None if hand is None else (x, y), used)
        return number, left, used
