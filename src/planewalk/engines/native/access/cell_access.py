"""Cells as LLVM IR reads and writes them."""

from __future__ import annotations

from ...tracing.ir import Node
from ...tracing.trees import Env
from .state_values import StateValues


class CellAccess:
    """Cells that lie in memory row by row."""

    def __init__(self, ir: StateValues, width: int) -> None:
        self.ir = ir
        self.width = width
        """That of the plane, if it is known."""
        self.known: dict[tuple[str, str, str], str] = {}
        """Addresses that are known along this path: in which array, column and row."""

    def read_cell(self, node: Node, args: list[str]) -> str:
        """What a cell holds."""
        byte = self.ir.define(f"load i8, ptr {self.place('data', *args[:2])}")
        return self.ir.define(f"zext i8 {byte} to {self.ir.word}")

    def read_coded(self, node: Node, args: list[str]) -> str:
        """Whether code was made from a cell."""
        byte = self.ir.define(f"load i8, ptr {self.place('code', args[0], args[1])}")
        return self.ir.define(f"icmp ne i8 {byte}, 0")

    def do_put(self, x: str, y: str, value: str) -> None:
        """Write a cell."""
        byte = self.ir.define(f"trunc {self.ir.word} {value} to i8")
        self.ir.emit(f"  store i8 {byte}, ptr {self.place('data', x, y)}")

    def do_grow(self, height: str) -> None:
        """Give the plane another height."""
        self.ir.emit(f"  store i64 {self.ir.index(height)}, ptr %height")

    def settle(self, env: Env, there: dict[int, str]) -> None:
        """Write the cells whose values wait for the end of a tree: none here."""

    def place(self, array: str, x: str, y: str) -> str:
        """The address of a cell, counted from one in the same column that is known already."""
        base, rows = self.ir.sums.get(y, (y, 0)) if self.width else (y, 0)
        known = self.known.get((array, x, base))
        if known is None:
            known = self.ir.define(f"getelementptr i8, ptr %{array}, i64 {self._number(x, base)}")
            self.known[array, x, base] = known
        if not rows:
            return known
        return self.ir.define(f"getelementptr i8, ptr {known}, i64 {rows * self.width}")

    def _number(self, x: str, y: str) -> str:
        """The number of a cell, row by row."""
        ir = self.ir
        row = self.known.get(("", "", y))
        if row is None:
            row = ir.define(f"mul i64 {ir.index(y)}, {self.width or '%width'}")
            self.known["", "", y] = row
        found = self.known.get(("", x, y))
        if found is None:
            found = self.known["", x, y] = ir.define(f"add i64 {row}, {ir.index(x)}")
        return found
