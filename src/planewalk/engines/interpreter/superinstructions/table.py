"""The superinstructions that are known in a run, and the machine code that performs them."""

from __future__ import annotations

import os
from contextlib import suppress
from struct import Struct
from typing import Any

from ....core.limits import Limits
from ...base.addresses import address_of
from ...base.executable import PatchableMemory
from ...base.memory import fresh_memory
from ...base.policy import Policy
from ...kernels.kernel import Kernel
from ...native.machine_code import Store, patchable_memory
from ..abi import *
from .attend import attend
from .driver import driver, keep_driver
from .frame import FRAME, write_frame
from .layout import FIRST, SIZE, STAMPS
from .layout import NOTEBOOK as NOTEBOOK_SIZE
from .perform import perform

PERFORM, ATTEND = Kernel(perform, all_care=False), Kernel(attend, all_care=False)
WORDS_A_CELL, FEWEST, MOST = 16, 1 << 16, 1 << 23
"""Words of 32 bits for all superinstructions, by the size of a program."""
WORD_BYTES, CODE_BYTES = 6, 2
"""Bytes for each of them, and those of that which are for machine code."""
SHARE = 32  # which part of the memory that is allowed they may take
NEVER = Struct("i").pack(-1)


class Supers:
    """A table of superinstructions for one run."""

    def __init__(self, limits: Limits, cells: int, policy: Policy) -> None:
        room = min(max(1 << (WORDS_A_CELL * cells).bit_length(), FEWEST), MOST)
        if limits.memory is not None:
            room = min(room, max(limits.memory // SHARE // WORD_BYTES, 2 * SIZE))
        self.room, self._taken, self._patience = room, FIRST, 1
        self._table: Any = fresh_memory(4 * room)
        self._table[: len(NEVER)] = NEVER
        places = 1 << (room // SIZE).bit_length() + 2
        self._lookup: Any = fresh_memory(4 * places)
        self._mask = places - 1
        self._notebook = bytearray(4 * NOTEBOOK_SIZE)
        self._most_taken = self._age = 0
        self._hot = policy.hot_superinstruction, policy.hotter_superinstruction
        self._compiles = policy.templates
        self._begin_templates()

    def _begin_templates(self) -> None:
        """Have memory for machine code. A process that was forked off has its own: both would write
        to the same."""
        self._process = os.getpid()
        self._templates = _templates(CODE_BYTES * self.room) if self._compiles else None
        self._room_for_code = 0 if self._templates is None else self._templates.size
        self._forget_code()

    def _forget_code(self) -> None:
        self._code_end, self._stubs, self._last = FRAME, self._room_for_code, 0

    def _forget(self) -> None:
        """Know no superinstructions any more."""
        self._lookup[:] = bytes(len(self._lookup))
        self._taken = FIRST
        self._forget_code()

    def show(self, words: Any, rows: int, interpreter: int) -> None:
        """Tell machine code of them; `rows` and `interpreter` are addresses."""
        if words[EPOCH] > STAMPS and words[EPOCH] // (STAMPS + 1) != self._age:
            self._age = words[EPOCH] // (STAMPS + 1)
            self._forget()
        if self._process != os.getpid():
            self._begin_templates()
            self._forget()
        words[TICK_ROWS], words[INTERPRETER_CODE] = rows, interpreter
        words[PERFORM_CODE], words[ATTEND_CODE] = PERFORM.address, ATTEND.address
        words[SUPERS], words[SUPERS_ROOM] = address_of(self._table), self.room
        words[LOOKUP], words[LOOKUP_MASK] = address_of(self._lookup), self._mask
        words[NOTEBOOK] = address_of(self._notebook)
        words[SUPERS_TAKEN], words[PATIENCE] = self._taken, self._patience
        words[HOT], words[HOTTER] = self._hot
        if self._templates is not None:
            writable: Any = self._templates.writable
            words[TEMPLATES] = address_of(writable)
            words[TEMPLATES_RUN] = self._templates.address
        words[TEMPLATES_ROOM] = self._room_for_code
        words[TEMPLATES_END], words[STUBS_BEGIN] = self._code_end, self._stubs
        words[LAST_TEMPLATE] = self._last

    def take(self, words: Any) -> None:
        """See how many there are after machine code has run."""
        self._taken, self._patience = words[SUPERS_TAKEN], words[PATIENCE]
        self._code_end, self._stubs = words[TEMPLATES_END], words[STUBS_BEGIN]
        self._last = words[LAST_TEMPLATE]
        code = self._code_end + self._room_for_code - self._stubs
        self._most_taken = max(self._most_taken, 4 * self._taken + code)

    def memory(self) -> int:
        """Bytes that they take."""
        return self._most_taken


def _templates(room: int) -> PatchableMemory | None:
    """Memory for machine code, if this is a machine for which some can be written."""
    memory = patchable_memory(room)
    if memory is not None:
        write_frame(memory.writable)
    return memory


def is_ready() -> bool:
    """Whether all machine code is there that it takes. Other machine code calls it, so kernels
    that are ready but run as Python, with fences, are not enough."""
    return PERFORM.address != 0 and ATTEND.address != 0 and driver(None, make=False) is not None


def recall(store: Store) -> None:
    """Have what is kept of it."""
    for kernel in (PERFORM, ATTEND):
        if not kernel.ready:
            kernel.recall(store)
    driver(store, make=False)


def keep(store: Store) -> None:
    """Have all of it in a store."""
    for kernel in (PERFORM, ATTEND):
        kernel.keep(store)
    keep_driver(store)


def assemble(store: Store | None) -> None:
    """Have all of it, if the source of kernels is at hand."""
    with suppress(OSError):
        for kernel in (PERFORM, ATTEND):
            kernel.assemble(store)
        driver(store)
