"""Cells as LLVM IR reads and writes them."""

from __future__ import annotations

from ...tracing.ir import Node
from ...tracing.trees import Env
from .state_values import StateValues


class CellAccess:
    """Cells that lie in memory row by row."""

    def __init__(self, ir: StateValues, width: int) -> None:
        self.ir = ir
        self.columns = str(width or "%width")

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
        """The address of a cell; LLVM finds those that it has already."""
        number = cell_number(self.ir, x, y, self.columns)
        return self.ir.define(f"getelementptr i8, ptr %{array}, i64 {number}")


def cell_number(ir: StateValues, x: str, y: str, columns: str) -> str:
    """The number of a cell, row by row."""
    row = ir.define(f"mul i64 {ir.index(y)}, {columns}")
    return ir.define(f"add i64 {row}, {ir.index(x)}")
