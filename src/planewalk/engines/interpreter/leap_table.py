"""The leaps that are known in a run, and the cells they pass: what `leaps.py` looks into."""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import Any

from ...core.limits import Limits
from ..base.addresses import address_of
from ..base.keeping import cells_of, keeping_of
from ..base.memory import fresh_memory, growing_memory, lengthen, taken
from ..native.abi import Slot
from ..stepping.reference import ReferenceEngine
from .abi import (
    CODE_WRITTEN,
    EPOCH,
    FOUND,
    FOUND_MASK,
    LEAPS,
    LEAPT,
    LOWEST,
    PASSED,
    PASSED_MASK,
    RIGHTMOST,
    TAKEN,
    TAKEN_MASK,
)  # fmt: skip

FEWEST_LEAPS, MOST_LEAPS = 1 << 12, 1 << 18
"""How many a table has room for: one after the other as they are met, so that those stand together
that come together; then they take the place of the first."""
SHARE = 1 << 9
"""Bytes of memory that must be allowed for each of them beyond the fewest."""
ENTRY_BYTES = 64
"""Of each: a line of the processor's cache."""
FOUND_BYTES = 8
"""Of two numbers for each, so that few are looked up at the same place."""
TAG, MADE_IN, CALLS, PLACE, TICKS, HAND, BOUNDS, NEXT = range(0, ENTRY_BYTES, 8)
"""Where in an entry: from where, the epoch, what is called, where that is (a pair of 32 bits) and
after how many ticks; how the hand moves, and how far it goes on the way (numbers of 16 bits); and
the leap that came next the last time."""
WALKED, RESTLESS, CODE = 1, 2, 4
"""What is noted of cells: leaps pass them; they were written then, so that leaps end before; other
engines have code that was made from them."""

IS_WALKED = bytes(noted & WALKED for noted in range(256))
WORD = Struct("Q")


class Leaps:
    """A table of leaps for one run. What was recorded in another epoch is not true any more."""

    def __init__(self, reference: ReferenceEngine, limits: Limits) -> None:
        self.state, self.limits = reference.state, limits
        self.epoch = 1
        self.passed = growing_memory()
        self._table: Any = b""
        self._found: Any = b""
        """The leaps, and their numbers by where they begin."""
        self._room = self._taken = self._most_taken = 0
        self._changed: set[Any] = set()
        """Cells that leaps pass and the reference engine has written."""
        self._true_for: tuple[Any, ...] = ()
        """The machine code, and the height that it knows of."""
        self._rightmost = self._lowest = -1
        """Beyond that column, and beyond that row, no cell is marked."""
        self._code_written = False
        self._left_at = -1
        """The tick up to which nobody else has run."""
        if self.state.plane.writable:
            keeping = keeping_of(self.state.plane, self.passed)
            reference.machine.listen({"put": keeping.noticing(self._changed)})

    def mark(self, places: Iterable[Any], coded: bool) -> None:
        """Somebody else has made code from these cells, or has no more. See `Marking`."""
        plane: Any = self.state.plane
        if not self._has_room(len(plane.data)):
            return
        lengthen(self.passed, len(plane.data))
        for at in cells_of(places):
            self.passed[at] = self.passed[at] | CODE if coded else self.passed[at] & ~CODE
            self._note_extent(*divmod(at, plane.width))

    def _note_extent(self, y: int, x: int) -> None:
        """Note how far right and down cells are marked."""
        self._rightmost, self._lowest = max(self._rightmost, x), max(self._lowest, y)

    def has_written_code(self) -> bool:
        """Whether such cells may have been written since this was asked last."""
        if self._changed:
            self._begin_epoch()
        written, self._code_written = self._code_written, False
        return written

    def cells_walked(self) -> bytes:
        """For each cell of the rows that the program has walked, whether leaps have passed it."""
        plane: Any = self.state.plane
        return bytes(self.passed[: (self._lowest + 1) * plane.width].translate(IS_WALKED))

    def count_walked(self) -> int:
        """How many cells leaps have passed: those that are marked, or else all that they lead
        over."""
        if self.notes_cells:
            return self.cells_walked().count(WALKED)
        if not self._most_taken:
            return 0
        with memoryview(self._table)[: self._most_taken * ENTRY_BYTES].cast("Q") as words:
            ticks = words[TICKS // 8 :: ENTRY_BYTES // 8].tolist()
        return sum(ticks) + len(ticks)

    @property
    def notes_cells(self) -> bool:
        """Whether it is noted which cells leaps pass."""
        return bool(self._true_for) and bool(self._true_for[-1])

    def memory(self) -> int:
        """Bytes beside those that every run takes."""
        more = max(self._most_taken - FEWEST_LEAPS, 0)
        return self._marked() + (ENTRY_BYTES + FOUND_BYTES) * more

    def _marked(self) -> int:
        """Bytes that the marks of cells take."""
        plane: Any = self.state.plane
        return taken(self.passed, (self._lowest + 1) * plane.width if plane.writable else 0)

    def begin(self) -> None:
        """Nothing is known if somebody else has run meanwhile."""
        if self.state.tick != self._left_at:
            self.epoch += 1

    def end(self) -> None:
        """From here on somebody else may run."""
        self._left_at = self.state.tick

    def show(self, words: Any, call: Any) -> None:
        """Tell machine code what is known of the state as it is now."""
        plane: Any = self.state.plane
        cells = words[Slot.ROWS] * plane.width
        noting = plane.writable and self._has_room(cells)
        true_for = call, plane.height, noting
        if true_for != self._true_for or self._changed:
            self._begin_epoch()
            self._true_for = true_for
        lengthen(self.passed, cells if noting else 1)
        self._code_written |= plane.writable and not noting
        self._show_table(words, cells)
        words[PASSED], words[PASSED_MASK] = address_of(self.passed), -int(noting)
        words[RIGHTMOST], words[LOWEST] = self._rightmost, self._lowest
        words[EPOCH], words[CODE_WRITTEN] = self.epoch, 0

    def _show_table(self, words: Any, cells: int) -> None:
        if not self._table:
            self._room = self._room_for(cells)
            self._table = fresh_memory(ENTRY_BYTES * (self._room + 1))
            self._found = fresh_memory(FOUND_BYTES * self._room)
        end = ENTRY_BYTES * self._room
        words[LEAPS] = address_of(self._table)
        words[LEAPT] = words[LEAPS] + end
        WORD.pack_into(self._table, end + NEXT, words[LEAPT])
        words[FOUND], words[FOUND_MASK] = address_of(self._found), 2 * self._room - 1
        words[TAKEN], words[TAKEN_MASK] = self._taken, self._room - 1

    def _room_for(self, cells: int) -> int:
        """As many as there are cells, up to a power of two, if there is memory for so many."""
        most, memory = MOST_LEAPS, self.limits.memory
        if memory is not None:
            most = min(most, 1 << (memory // SHARE).bit_length())
        return max(min(1 << cells.bit_length(), most), FEWEST_LEAPS)

    def _has_room(self, cells: int) -> bool:
        """Whether cells may be marked."""
        memory = self.limits.memory
        return memory is None or cells + self._marked() <= memory

    def _begin_epoch(self) -> None:
        self.epoch += 1
        for at in self._changed:
            noted = self.passed[at]
            self._code_written |= bool(noted & CODE)
            self.passed[at] = noted + (noted & WALKED)
        self._changed.clear()

    def take(self, words: Any) -> None:
        """See which leaps are still true after machine code has run."""
        plane: Any = self.state.plane
        self.epoch = words[EPOCH]
        self._rightmost, self._lowest = words[RIGHTMOST], words[LOWEST]
        self._most_taken = max(self._most_taken, min(words[TAKEN], self._room))
        self._taken = words[TAKEN] % self._room
        self._code_written |= bool(words[CODE_WRITTEN])
        self._true_for = (self._true_for[0], plane.height, *self._true_for[2:])
