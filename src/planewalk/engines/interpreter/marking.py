"""Machine code of an interpreter that looks at the marks of the cells it writes.

Whoever writes a cell that superinstructions pass begins a new epoch, in which none is known, and
from then on they end before that cell. See `marks.py`.
"""

from __future__ import annotations

from .abi import ASK_ROWS, CODE_WRITTEN, EPOCH, MARKS, MARKS_MASK
from .code import InterpreterWriter
from .marks import CODE, WALKED
from .superinstructions.rows import rows_of


class MarkingWriter(InterpreterWriter):
    """Writes an interpreter for a plane that programs write."""

    def _questions(self) -> dict[int, str]:
        """Where the rows of ticks are: superinstructions are made of those."""
        rows = rows_of(self.ways) if self.hands else []
        if not rows:
            return {ASK_ROWS: "0"}
        given = ", ".join(f"i32 {number}" for number in rows)
        self.listings.append(f"@rows = internal constant [{len(rows)} x i32] [{given}]")
        return {ASK_ROWS: "ptrtoint (ptr @rows to i64)"}

    def _put_cell(self, x: str, y: str, value: str) -> None:
        super()._put_cell(x, y, value)
        place = self._mark_of(self._index_of({"px": x, "py": y, "width": "%width.0"}))
        mark = self._define(f"load i8, ptr {place}")
        heeded = self._define(f"and i8 {mark}, {WALKED | CODE}")
        matters = self._define(f"icmp ne i8 {heeded}, 0")
        self.count += 1
        here = self.count
        self._emit(f"  br i1 {matters}, label %matters{here}, label %written{here}")
        self._emit(f"matters{here}:")
        walked = self._define(f"and i8 {mark}, {WALKED}")
        self._emit(f"  store i8 {self._define(f'add i8 {mark}, {walked}')}, ptr {place}")
        more = self._define(f"zext i8 {walked} to i64")
        later = self._define(f"add i64 {self._define(self._word(EPOCH))}, {more}")
        self._emit(f"  store i64 {later}, ptr {self._at(EPOCH)}")
        code = self._define(f"zext i8 {self._define(f'and i8 {mark}, {CODE}')} to i64")
        before = self._define(self._word(CODE_WRITTEN))
        either = self._define(f"or i64 {before}, {code}")
        self._emit(f"  store i64 {either}, ptr {self._at(CODE_WRITTEN)}")
        self._emit(f"  br label %written{here}")
        self._emit(f"written{here}:")

    def _mark_of(self, index: str) -> str:
        """Where the mark of a cell is."""
        masked = self._define(f"and i64 {index}, {self._define(self._word(MARKS_MASK))}")
        at = self._define(f"add i64 {masked}, {self._define(self._word(MARKS))}")
        return self._define(f"inttoptr i64 {at} to ptr")
