"""A state as the machine code of an interpreter sees it: shown to it, and taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.base.named import NamedTuple
from ...core.limits import Limits
from ...core.state import State, Walker
from ..base.addresses import address_of
from ..base.keeping import keeping_of
from ..native.abi import LEAVING, MOST_SHIFTED, OUTPUT_ROOM, STACK_ROOM, STACK_SEEN, Slot
from ..native.deep_stack import DeepStack, StackDesk
from ..native.unit import NativeUnit, RegisterWords
from ..tracing.ops import LEAST, MOST
from .abi import LARGEST, MOVED, SHIFTED

if TYPE_CHECKING:
    from .surroundings import Surroundings

SPARE_BYTES = 1 << 20
"""Cells below the plane that it may grow by before machine code leaves, at most."""


class InterpreterUnit(NativeUnit):
    """Its block of words; the lower end of the stack may come up."""

    stack_room = STACK_ROOM + MOST_SHIFTED

    def empty(self, stack: Any, size: int) -> None:
        """Bring the values that it left, so many places up, back to the stack."""
        depth = self.words[Slot.DEPTH]
        stack[self.low :] = self._numbers[size : size + depth].tolist()


class Left(NamedTuple):
    """What machine code has left: the fuel, and where the hand is."""

    fuel: int
    hand: tuple[int, int]


class Marshaller:
    """Hands a state over to machine code, again and again."""

    def __init__(self, state: State, limits: Limits, around: Surroundings | None = None) -> None:
        """`around` is what it sees of a plane without edges."""
        self.state, self.limits, self.around = state, limits, around
        self.keeping = keeping_of(state.plane)
        self.flat: bytearray | None = None  # the cells of a read-only plane, flat in memory
        self.desk = StackDesk()
        self.deep: DeepStack | None = None
        """The stack, if machine code works on it, and not on a copy."""
        self.spare = 0  # rows that the plane may grow by
        self._registers = RegisterWords()

    def flatten(self) -> bool:
        """Have the cells flat in memory; False if that is not possible."""
        if not self.state.plane.writable and self.flat is None:
            self.flat = self.keeping.flattened()
            return self.flat is not None
        return True

    def memory(self) -> int:
        """Bytes that the cells take once more."""
        return 0 if self.flat is None else len(self.flat)

    def is_inside(self, walker: Walker) -> bool:
        """Whether a walker and its hand are where machine code expects them."""
        plane: Any = self.state.plane
        (x, y, *_), hand = walker
        if self.around is not None:
            pause = self.limits.deadline.check
            return [*map(type, hand or ())] in ([], [int, int]) and self.around.cover(walker, pause)
        if not (0 <= x < plane.width < LARGEST and 0 <= y < plane.height < LARGEST):
            return False
        if hand is None:
            return True
        return type(hand[0]) is type(hand[1]) is int and self.keeping.is_near(hand)

    def begin(self, unit: NativeUnit, fuel: int) -> bool:
        """Show all but the walkers; False if machine code cannot work with it."""
        state, words = self.state, unit.words
        if not self._fill(unit):
            return False
        most = self.limits.output
        room = OUTPUT_ROOM if most is None else min(max(most - state.written, 0), OUTPUT_ROOM)
        unit.show(state, fuel, room, self._registers.address(state.registers))
        words[MOVED] = words[SHIFTED] = 0
        self._show_plane(words, state.plane)
        return True

    def end(self, unit: NativeUnit) -> Left:
        """Take back what machine code has changed, all but the walkers and the tick."""
        state, words = self.state, unit.words
        fuel, x, y, written, unread, state.draws = LEAVING.unpack_from(words)
        self._registers.empty(state.registers, unit.stored)
        if state.plane.writable:
            self._take_plane(words, state.plane)
        if self.deep is not None:
            self.deep.take(words[Slot.DEPTH], words[SHIFTED])
        else:
            unit.empty(state.held_stack, words[SHIFTED])
        self.desk.note_visit(state, self.deep, fuel)
        state.output += unit.output[:written]
        state.input.position += state.input.unread - unread
        return Left(fuel, (x, y))

    def _fill(self, unit: NativeUnit) -> bool:
        """Show registers and the upper part of the stack, down to the first number of more than 64
        bits; False if there is something else in them."""
        if not self._registers.fill(self.state.registers, unit.registers):
            return False
        self.deep = self.desk.deep(self.state)
        if self.deep is not None:
            self.deep.show(unit)
            return True
        return self._copy(unit, self.state.held_stack)

    def _copy(self, unit: NativeUnit, stack: Any) -> bool:
        """Show what stands on top of a stack."""
        if unit.fill(stack):
            return True
        some = stack[-STACK_SEEN:]
        if not all(isinstance(value, int) for value in some):
            return False
        short = next(i for i, value in enumerate(reversed(some)) if not LEAST <= value <= MOST)
        return unit.fill(stack, len(stack) - short)

    def _show_plane(self, words: Any, plane: Any) -> None:
        if self.around is not None:
            self.around.show(words)
            return
        words[Slot.WIDTH], words[Slot.HEIGHT] = plane.width, plane.height
        words[Slot.ROWS] = plane.height
        if self.flat is not None:
            words[Slot.DATA] = address_of(self.flat)
            return
        most = self.limits.memory
        size = (plane.height + self.spare) * plane.width
        size = min(size, len(plane.data) + SPARE_BYTES, LARGEST if most is None else most)
        rows = max(size // plane.width, plane.height)
        plane.data.extend(bytes(rows * plane.width - len(plane.data)))
        words[Slot.ROWS], words[Slot.DATA] = rows, address_of(plane.data)

    def _take_plane(self, words: Any, plane: Any) -> None:
        if self.around is not None:
            self.around.take(words)
            return
        plane.height = words[Slot.HEIGHT]
        del plane.data[plane.height * plane.width :]
