"""A deep stack as machine code works on it: its numbers as words in one piece of memory.

To copy a stack whenever machine code is entered and left would cost what there is, not what has
changed. So a deep one is borrowed: its numbers stay where machine code works on them, the reference
engine finds them there as well, and they go back into the list when other code asks for it, or one
of them gets more than 64 bits.
"""

from __future__ import annotations

import ctypes
import mmap
from array import array
from collections.abc import Iterable, MutableSequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...core.state import State
from ..base.memory import fresh_memory
from ..base.policy import policy_in_force
from ..tracing.ops import LEAST, MOST
from .abi import MOST_SHIFTED, STACK_ROOM, STACK_SEEN

if TYPE_CHECKING:
    from .unit import NativeUnit

SPARE = 1 << 16  # numbers that machine code may push before it leaves
DEAR = 1 << 10  # numbers that are borrowed in the time of a visit to machine code
QUICK = 8
"""Numbers that go back into the list in the time by which a tick of the reference engine is quicker
there."""
_WORD = 8


class StackDesk:
    """Decides whether machine code is shown a copy of what stands on top of a stack, or borrows it:
    that takes as long as there are numbers, so it has to be paid for by visits cut short."""

    def __init__(self) -> None:
        self._dear = DEAR if policy_in_force().deep_stacks else 0
        self._cut_short = 0  # visits that might have been longer if there had been more than a copy

    def deep(self, state: State) -> DeepStack | None:
        """The stack as machine code works on it; None if that is a copy."""
        held: Any = state.borrowed
        size = len(state.held_stack)
        if held is not None and size <= STACK_SEEN // 4:
            held.give_back()
        elif (
            held is None and STACK_SEEN < size <= self._dear * self._cut_short and not state.floats
        ):
            self._cut_short = 0
            # Not if some are no whole numbers, or long ones, or there are too many.
            with suppress(TypeError, OverflowError, MemoryError):
                return DeepStack(state)
        return state.borrowed  # type: ignore[return-value]

    def note_visit(self, state: State, deep: DeepStack | None, fuel_left: int) -> None:
        """Machine code was left, with so much fuel."""
        if deep is None and fuel_left > 0 and len(state.held_stack) > STACK_SEEN:
            self._cut_short += 1


def rest(state: State, ticks: int) -> None:
    """The reference engine goes on for so many ticks: it is quicker if it has the list itself."""
    if state.borrowed is not None and len(state.held_stack) <= QUICK * ticks:
        state.borrowed.give_back()


class DeepStack(MutableSequence[Any]):
    """The numbers of a state's stack. Used as a list, it does what the list would do."""

    def __init__(self, state: State) -> None:
        """Borrow them. Raises `TypeError` or `OverflowError` if some are no numbers of 64 bits."""
        self.state: State | None = state
        self._list: list[Any] = state.stack
        words = _words_of(self._list)
        self.first, self.end = 0, len(words)
        self._shown = 0  # from where on machine code sees it
        self._memory: mmap.mmap | None = None
        self._have(_room_for(len(words)))
        self._words[: len(words)] = words
        self._list.clear()
        state.borrowed = self

    def _have(self, room: int) -> None:
        """Have memory for so many numbers, those there are at its beginning."""
        before, begin, end = self._memory, self.first, self.end
        try:
            memory = fresh_memory(_WORD * room)
        except OSError as refused:
            raise MemoryError("there is no memory for so deep a stack") from refused
        if before is not None:
            memory[: _WORD * (end - begin)] = before[_WORD * begin : _WORD * end]
            self.first, self.end = 0, end - begin
        self._memory, self._room = memory, room
        self._words: Any = memoryview(memory).cast("q")
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(memory))

    def _make_room(self, more: int) -> None:
        """Have place for so many more numbers above."""
        if self.end + more > self._room:
            self._have(_room_for(len(self) + more))

    # Machine code -----------------------------------------------------------------------------

    def show(self, unit: NativeUnit, most: int | None = None) -> None:
        """Have machine code work on all numbers, or on so many at most."""
        self._make_room(max(SPARE, STACK_ROOM) + MOST_SHIFTED)
        low = self.first if most is None else max(self.first, self.end - most)
        self._shown = low
        depth = self.end - low
        unit.show_stack(self.address + _WORD * low, depth, low - self.first, depth + SPARE)

    def take(self, depth: int, shifted: int = 0) -> None:
        """Machine code has left so many numbers; the lower end of all came up by so many places."""
        self.end = self._shown + shifted + depth
        self.first += shifted

    # Back to the list -------------------------------------------------------------------------

    def give_back(self) -> None:
        """See `core.state.BorrowedStack`."""
        if self.state is None:
            return
        self._list[:] = self[:]
        self.state.borrowed = None
        self.state, self.end = None, self.first  # from now on, all is asked of the list
        self._memory, self._room, self._words = None, self.first, None

    # As a list --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._list) if self.state is None else self.end - self.first

    def append(self, value: Any) -> None:
        if self.end >= self._room and self.state is not None:
            self._make_room(SPARE)
        if self._holds(value):
            self._words[self.end] = value
            self.end += 1
        else:
            self._list.append(value)

    def pop(self, index: int = -1) -> Any:
        if self.state is None:
            return self._list.pop(index)
        at = self._at(index)
        value = self._words[at]
        self.end -= 1
        if at < self.end:  # all above come down
            to = self.address + _WORD * at
            ctypes.memmove(to, to + _WORD, _WORD * (self.end - at))
        return value

    def __getitem__(self, index: Any) -> Any:
        if self.state is None:
            return self._list[index]
        if not isinstance(index, slice):
            return self._words[self._at(index)]
        begin, end, step = index.indices(len(self))
        values: list[int] = self._words[self.first + begin : self.first + max(end, begin)].tolist()
        return values if step == 1 else self[:][index]

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, slice):
            if self._holds(value):
                self._words[self._at(index)] = value
            else:
                self._list[index] = value
            return
        begin, end, step = index.indices(len(self))
        if self.state is not None and step == 1 and end == len(self):
            value = list(value)
            self.end = self.first + begin
            self.extend(value)
        else:  # what is rarely done goes through the list
            self.give_back()
            self._list[index] = value

    def __delitem__(self, index: Any) -> None:
        if isinstance(index, slice):
            self[index] = ()
        else:
            self.pop(index)

    def insert(self, index: int, value: Any) -> None:
        self[index:index] = (value,)

    def extend(self, values: Iterable[Any]) -> None:
        for value in values:
            self.append(value)

    def clear(self) -> None:
        self[:] = ()

    def __eq__(self, other: object) -> bool:
        return bool(self[:] == (other[:] if isinstance(other, DeepStack) else other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self[:])

    def _at(self, index: int) -> int:
        """Where a number stands."""
        at = (self.end if index < 0 else self.first) + index
        if not self.first <= at < self.end:
            raise IndexError("the stack has no such number")
        return at

    def _holds(self, value: Any) -> bool:
        """Whether a value can stand with the others; else all of them go back into the list."""
        if type(value) is not int or not LEAST <= value <= MOST:
            self.give_back()
        return self.state is not None


def _room_for(count: int) -> int:
    """Twice as much as is needed, so that it is seldom moved."""
    return 2 * (count + max(SPARE, STACK_ROOM) + MOST_SHIFTED)


def _words_of(values: list[Any]) -> array[int]:
    """Whole numbers as words."""
    if not set(map(type, values)) <= {int}:
        raise TypeError("there is something else on the stack")
    return array("q", values)
