"""Light pictures: drawn by machine code that knows no program and comes with planewalk.

Code of a program's own takes as long to make as a light picture takes to draw in other ways. So the
operations that a picture consists of are written down as bytecode, which machine code for columns
performs; code for lanes is made once that has drawn enough.
"""

from __future__ import annotations

import ctypes
from math import inf
from typing import TYPE_CHECKING, Any

from ..addresses import address_of
from .column_bytecode import Bytecode
from .column_recorder import ColumnRecorder
from .column_slots import AT_ONCE, WORDS, ColumnSlot
from .columns import NotForColumns
from .slots import LaneSlot

if TYPE_CHECKING:
    from ..native.llvm import Store
    from .single import SinglePixels

PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
WORTH_LANES = 300_000_000
"""Additions of single numbers that take about half as long as code for lanes does to make."""


class LightCode:
    """Draws one program at one time, as `LaneCode` does."""

    across, down = AT_ONCE, 1

    def __init__(self, machine: tuple[Any, Any], code: Bytecode) -> None:
        """`machine` is what owns the machine code for columns, and its function."""
        (self._owner, self._call), self.bytecode = machine, code

    def paint(self, values: dict[LaneSlot, int | float]) -> int:
        """Draw a part of a picture, all of it: see `LaneCode.paint`."""
        code = self.bytecode
        buffer, columns = code.room()
        words = (ctypes.c_int64 * len(ColumnSlot))()
        words[ColumnSlot.CODE] = address_of(code.words)
        words[ColumnSlot.COUNT] = len(code.words) // WORDS
        words[ColumnSlot.COLUMNS] = columns
        for slot in PLACES:
            words[slot] = int(values[LaneSlot[slot.name]])
        self._call(ctypes.addressof(words))
        del buffer  # which was in use until now
        return 0


PLACES = [slot for slot in ColumnSlot if slot.name in LaneSlot.__members__]


class LightPictures:
    """Light pictures of one program, as long as they are worth no code of its own."""

    def __init__(self, single: SinglePixels, store: Store | None, pictures: float = 1) -> None:
        """So many pictures will be drawn, as far as anybody knows."""
        self.single, self.store = single, store
        self._ahead = pictures
        self.left = 0 if store is None or pictures == inf else WORTH_LANES
        """Additions that may still be done."""
        self._machine: tuple[Any, Any] | None = None
        self._made: tuple[Any, LightCode | None] = None, None

    def code(self, time: float | None, pixels: int) -> LightCode | None:
        """Code for so many pixels of a picture, if it is a light one."""
        wanted = program, _ = self.single.program, time
        if self.left <= 0 or not self._found():
            return None
        if self._made[0] != wanted:
            self._made = wanted, self._new(time)
        code = self._made[1]
        width, height = program.size
        ahead, self._ahead = max(self._ahead * width * height, pixels), 0
        if code is None or code.bytecode.cost * ahead > self.left:
            self.left = 0
            return None
        self.left -= code.bytecode.cost * pixels
        return code

    def _new(self, time: float | None) -> LightCode | None:
        assert self._machine is not None
        try:
            recorder = ColumnRecorder(self.single, time)
            return LightCode(self._machine, Bytecode(recorder.sheet, recorder.colour()))
        except NotForColumns:
            return None

    def _found(self) -> bool:
        """Whether there is machine code for columns; none is made here."""
        from ..native.llvm import recall_named

        name = _name() if self._machine is None else None
        if self.store is not None and name is not None:
            self._machine = recall_named(self.store, name, PROTOTYPE)
        if self._machine is None:
            self.left = 0
        return self._machine is not None


def assemble(store: Store) -> None:
    """Make the machine code for columns, to be found by all."""
    from ..native import llvm
    from .column_code import ColumnWriter

    text, name = ColumnWriter().source(), _name()
    llvm.assemble(text, store, prototype=PROTOTYPE)
    if name is not None:
        llvm.remember(store, name, text)


def _name() -> str | None:
    """Under which it is kept."""
    from ..native.cache_key import digest
    from ..native.llvm import Care, key_of

    made_from = digest()
    return made_from and key_of(f"columns 1 {made_from}", Care.ALL)
