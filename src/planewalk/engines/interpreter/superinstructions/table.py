"""The superinstructions that are known in a run, and the machine code that performs them."""

from __future__ import annotations

from contextlib import suppress
from struct import Struct
from typing import Any

from ....core.limits import Limits
from ...addresses import address_of
from ...kernels.kernel import Kernel
from ...memory import fresh_memory
from ...native.llvm import Store
from ..abi import (
    ATTEND_CODE,
    EPOCH,
    INTERPRETER_CODE,
    LOOKUP,
    LOOKUP_MASK,
    NOTEBOOK,
    PATIENCE,
    PERFORM_CODE,
    SUPERS,
    SUPERS_ROOM,
    SUPERS_TAKEN,
    TICK_ROWS,
)  # fmt: skip
from .attend import attend
from .driver import driver
from .perform import perform
from .words import LINE, SIZE, STAMPS
from .words import NOTEBOOK as NOTEBOOK_SIZE

PERFORM, ATTEND = Kernel(perform, all_care=False), Kernel(attend, all_care=False)
WORDS_A_CELL, FEWEST, MOST = 16, 1 << 16, 1 << 23
"""Words of 32 bits for all superinstructions, by the size of a program."""
SHARE = 32
"""Which part of the memory that is allowed they may take."""
NEVER = Struct("i").pack(-1)


class Supers:
    """A table of superinstructions for one run."""

    def __init__(self, limits: Limits, cells: int) -> None:
        room = min(max(1 << (WORDS_A_CELL * cells).bit_length(), FEWEST), MOST)
        if limits.memory is not None:
            room = min(room, max(limits.memory // SHARE // 4, 2 * SIZE))
        self.room, self._taken, self._patience = room, LINE, 1
        self._table: Any = fresh_memory(4 * room)
        self._table[: len(NEVER)] = NEVER
        places = 1 << (room // SIZE).bit_length() + 2
        self._lookup: Any = fresh_memory(4 * places)
        self._mask = places - 1
        self._notebook = bytearray(4 * NOTEBOOK_SIZE)
        self._most_taken = self._age = 0

    def show(self, words: Any, rows: int, interpreter: int) -> None:
        """Tell machine code of them; `rows` and `interpreter` are addresses."""
        if words[EPOCH] > STAMPS and words[EPOCH] // (STAMPS + 1) != self._age:
            self._age = words[EPOCH] // (STAMPS + 1)
            self._lookup[:] = bytes(len(self._lookup))
            self._taken = LINE
        words[TICK_ROWS], words[INTERPRETER_CODE] = rows, interpreter
        words[PERFORM_CODE], words[ATTEND_CODE] = PERFORM.address, ATTEND.address
        words[SUPERS], words[SUPERS_ROOM] = address_of(self._table), self.room
        words[LOOKUP], words[LOOKUP_MASK] = address_of(self._lookup), self._mask
        words[NOTEBOOK] = address_of(self._notebook)
        words[SUPERS_TAKEN], words[PATIENCE] = self._taken, self._patience

    def take(self, words: Any) -> None:
        """See how many there are after machine code has run."""
        self._taken, self._patience = words[SUPERS_TAKEN], words[PATIENCE]
        self._most_taken = max(self._most_taken, self._taken)

    def memory(self) -> int:
        """Bytes that they take."""
        return 4 * self._most_taken


def is_ready() -> bool:
    """Whether all machine code is there that it takes."""
    return PERFORM.ready and ATTEND.ready


def recall(store: Store) -> None:
    """Have what is kept of it."""
    for kernel in (PERFORM, ATTEND):
        if not kernel.ready:
            kernel.recall(store)


def assemble(store: Store | None) -> None:
    """Have all of it, if the source of kernels is at hand."""
    with suppress(OSError):
        for kernel in (PERFORM, ATTEND):
            kernel.assemble(store)
        driver(store)
