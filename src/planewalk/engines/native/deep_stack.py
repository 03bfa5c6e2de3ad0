"""A deep stack as machine code works on it: its numbers as words in one piece of memory.

To copy a stack whenever machine code is entered and left would cost what there is, not what has
changed. So a deep one is borrowed: its numbers stay where machine code works on them, the reference
engine finds them there as well, and they go back into the list when other code asks for it.
Numbers of more than 64 bits are kept beside; machine code sees what stands above the last of them.
"""

from __future__ import annotations

import ctypes
import mmap
from array import array
from bisect import bisect_left
from collections.abc import Iterable, MutableSequence, Sequence
from typing import TYPE_CHECKING, Any

from ...core.state import State
from ..base.memory import fresh_memory
from ..base.policy import policy_in_force
from ..tracing.ops import LEAST, MOST
from .abi import MOST_SHIFTED, STACK_ROOM, STACK_SEEN

if TYPE_CHECKING:
    from .unit import NativeUnit

SPARE = 1 << 16
"""Numbers that machine code may push before it leaves."""
DEAR = 1 << 10
"""Numbers that are borrowed in the time of a visit to machine code."""
QUICK = 8
"""Numbers that go back into the list in the time by which a tick of the reference engine is quicker
there."""
_WORD = 8


class StackDesk:
    """Decides whether machine code is shown a copy of what stands on top of a stack, or borrows it:
    that takes as long as there are numbers, so it has to be paid for by visits cut short."""

    def __init__(self) -> None:
        self._dear = DEAR if policy_in_force().deep_stacks else 0
        self._cut_short = 0
        """Visits that might have been longer if there had been more than a copy."""

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
            return _borrowed(state)
        return state.borrowed  # type: ignore[return-value]

    def note_visit(self, state: State, deep: DeepStack | None, fuel_left: int) -> None:
        """Machine code was left, with so much fuel."""
        if deep is None and fuel_left > 0 and len(state.held_stack) > STACK_SEEN:
            self._cut_short += 1


def rest(state: State, ticks: int) -> None:
    """The reference engine goes on for so many ticks: it is quicker if it has the list itself."""
    if state.borrowed is not None and len(state.held_stack) <= QUICK * ticks:
        state.borrowed.give_back()


def _borrowed(state: State) -> DeepStack | None:
    try:
        return DeepStack(state)
    except (TypeError, MemoryError):  # no whole numbers, or too many
        return None


class DeepStack(MutableSequence[Any]):
    """The numbers of a state's stack. Used as a list, it does what the list would do."""

    def __init__(self, state: State) -> None:
        """Borrow them. Raises `TypeError` if they are no whole numbers."""
        self.state: State | None = state
        self._list: list[Any] = state.stack
        words, self._long = _words_of(self._list)
        self._places = list(self._long)
        """Where the long ones stand, from the lowest on."""
        self.first, self.end = 0, len(words)
        self._shown = 0
        """From where on machine code sees it."""
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
            self._shift_long(0, -begin)
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
        """Have machine code work on what stands above the last long number, or on so many numbers
        at most."""
        self._make_room(max(SPARE, STACK_ROOM) + MOST_SHIFTED)
        low = self._lowest_seen()
        if most is not None:
            low = max(low, self.end - most)
        self._shown = low
        depth = self.end - low
        unit.show_stack(self.address + _WORD * low, depth, low - self.first, depth + SPARE)

    def take(self, depth: int, shifted: int = 0) -> None:
        """Machine code has left so many numbers, and its lower end came up by so many places."""
        low = self._shown
        self.end = low + shifted + depth
        if shifted and low == self.first:
            self.first += shifted
        elif shifted:
            self._close(low, shifted)

    def _lowest_seen(self) -> int:
        return self._places[-1] + 1 if self._places else self.first

    def _close(self, low: int, gap: int) -> None:
        """Have no gap there: what is above comes down, or what is below up if it is less."""
        above = self.end - low - gap
        if above <= low - self.first:
            self._move(low, low + gap, above)
            self.end -= gap
        else:
            self._move(self.first + gap, self.first, low - self.first)
            self._shift_long(0, gap)
            self.first += gap

    def _move(self, to: int, begin: int, count: int) -> None:
        ctypes.memmove(self.address + _WORD * to, self.address + _WORD * begin, _WORD * count)

    # Back to the list -------------------------------------------------------------------------

    def give_back(self) -> None:
        """See `core.state.BorrowedStack`."""
        if self.state is None:
            return
        self._list[:] = self[:]
        self.state.borrowed = None
        self.state, self.end = None, self.first  # from now on, all is asked of the list
        self._memory, self._room, self._words = None, self.first, None
        self._places, self._long = [], {}

    def long_numbers(self) -> Sequence[int]:
        """See `core.state.BorrowedStack`."""
        return tuple(self._long.values())

    # As a list --------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._list) if self.state is None else self.end - self.first

    def append(self, value: Any) -> None:
        at = self.end
        if at >= self._room:
            if self.state is None:
                self._list.append(value)
                return
            self._make_room(SPARE)
            at = self.end
        self._set(at, value)
        self.end = at + 1

    def pop(self, index: int = -1) -> Any:
        if self.state is None:
            return self._list.pop(index)
        at = self._at(index)
        value = self._get(at)
        if at == self.end - 1:
            if self._places and self._places[-1] == at:
                del self._long[self._places.pop()]
            self.end = at
        else:
            self._take_out(at)
        return value

    def _take_out(self, at: int) -> None:
        """All above come down."""
        self._forget(at)
        self._move(at, at + 1, self.end - at - 1)
        self._shift_long(at, -1)
        self.end -= 1

    def __getitem__(self, index: Any) -> Any:
        if self.state is None:
            return self._list[index]
        if not isinstance(index, slice):
            return self._get(self._at(index))
        begin, end, step = index.indices(len(self))
        if step != 1:
            return self[:][index]
        begin, end = self.first + begin, self.first + max(end, begin)
        values = self._words[begin:end].tolist()
        for at in self._places[bisect_left(self._places, begin) :]:
            if at >= end:
                break
            values[at - begin] = self._long[at]
        return values

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.state is None:
            self._list[index] = value
        elif not isinstance(index, slice):
            self._set(self._at(index), value)
        else:
            begin, end, step = index.indices(len(self))
            if step == 1 and end == len(self):
                value = list(value)
                self._cut(self.first + begin)
                self.extend(value)
            else:
                self._change(index, value)

    def __delitem__(self, index: Any) -> None:
        if isinstance(index, slice):
            self[index] = ()
        else:
            self.pop(index)

    def _change(self, index: slice, value: Iterable[Any]) -> None:
        """Change any part: what is rarely done goes through the list."""
        self.give_back()
        self._list[index] = value

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

    # Single numbers ---------------------------------------------------------------------------

    def _at(self, index: int) -> int:
        """Where a number stands."""
        at = (self.end if index < 0 else self.first) + index
        if not self.first <= at < self.end:
            raise IndexError("the stack has no such number")
        return at

    def _get(self, at: int) -> Any:
        return self._long[at] if at in self._long else self._words[at]

    def _set(self, at: int, value: Any) -> None:
        if self._long:
            self._forget(at)
        if type(value) is int and LEAST <= value <= MOST:
            self._words[at] = value
        else:
            self._places.insert(bisect_left(self._places, at), at)
            self._long[at] = value

    def _forget(self, at: int) -> None:
        """Have no long number there."""
        if self._long.pop(at, None) is not None:
            del self._places[bisect_left(self._places, at)]

    def _cut(self, end: int) -> None:
        """Have nothing from there on."""
        while self._places and self._places[-1] >= end:
            del self._long[self._places.pop()]
        self.end = end

    def _shift_long(self, begin: int, by: int) -> None:
        """Long numbers from there on stand elsewhere."""
        if not self._places or self._places[-1] < begin:
            return
        self._places = [at + by * (at >= begin) for at in self._places]
        self._long = {at + by * (at >= begin): value for at, value in self._long.items()}


def _words_of(values: list[Any]) -> tuple[array[int], dict[int, int]]:
    """Whole numbers as words, and those that have more bits by where they stand."""
    if not set(map(type, values)) <= {int}:
        raise TypeError("there is something else on the stack")
    try:
        return array("q", values), {}
    except OverflowError:
        long = {at: value for at, value in enumerate(values) if not LEAST <= value <= MOST}
        return array("q", [0 if at in long else value for at, value in enumerate(values)]), long


def _room_for(count: int) -> int:
    """Twice as much as is needed, so that it is seldom moved."""
    return 2 * (count + max(SPARE, STACK_ROOM) + MOST_SHIFTED)
