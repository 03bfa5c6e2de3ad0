"""Machine code of an interpreter that looks at the marks of the cells it writes.

A write to a cell that superinstructions pass begins a new epoch, in which none is known, and from
then on they end before that cell. See `marks.py`.
"""

from __future__ import annotations

from ..native.state import StateParts, cell_number
from .abi import CODE_WRITTEN, EPOCH, MARKS, MARKS_MASK
from .code import InterpreterParts
from .marks import CODE, WALKED
from .tick_access import TickCellAccess, TickStackAccess, TickValues


class MarkedCellAccess(TickCellAccess):
    """Cells of a plane that programs write."""

    def do_put(self, x: str, y: str, value: str) -> None:
        """Write a cell, and look at its mark."""
        super().do_put(x, y, value)
        ir = self.ir
        index = cell_number(ir, x, y, self.columns)
        masked = ir.define(f"and i64 {index}, {ir.define(ir.load(MARKS_MASK))}")
        at = ir.define(f"add i64 {masked}, {ir.define(ir.load(MARKS))}")
        place = ir.define(f"inttoptr i64 {at} to ptr")
        mark = ir.define(f"load i8, ptr {place}")
        heeded = ir.define(f"and i8 {mark}, {WALKED | CODE}")
        matters = ir.define(f"icmp ne i8 {heeded}, 0")
        ir.count += 1
        here = ir.count
        ir.emit(f"  br i1 {matters}, label %matters{here}, label %written{here}")
        ir.emit(f"matters{here}:")
        walked = ir.define(f"and i8 {mark}, {WALKED}")
        ir.emit(f"  store i8 {ir.define(f'add i8 {mark}, {walked}')}, ptr {place}")
        more = ir.define(f"zext i8 {walked} to i64")
        later = ir.define(f"add i64 {ir.define(ir.load(EPOCH))}, {more}")
        ir.emit(f"  store i64 {later}, ptr {ir.at(EPOCH)}")
        code = ir.define(f"zext i8 {ir.define(f'and i8 {mark}, {CODE}')} to i64")
        before = ir.define(ir.load(CODE_WRITTEN))
        either = ir.define(f"or i64 {before}, {code}")
        ir.emit(f"  store i64 {either}, ptr {ir.at(CODE_WRITTEN)}")
        ir.emit(f"  br label %written{here}")
        ir.emit(f"written{here}:")


MARKED = InterpreterParts(StateParts(TickValues, MarkedCellAccess, TickStackAccess), has_rows=True)
