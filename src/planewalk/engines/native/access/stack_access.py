"""The stack as LLVM IR reads and writes it."""

from __future__ import annotations

from ...tracing.footprint import UnitLayout
from ...tracing.ir import Node
from ...tracing.trees import Env, Tree
from ..abi import STACK_ROOM
from .state_values import StateValues


class StackAccess:
    """Slots of known depth in variables, or a stack of any depth in memory."""

    def __init__(self, ir: StateValues, layout: UnitLayout, kind: str) -> None:
        self.ir, self.layout = ir, layout
        self.kind = kind
        """The type of its values."""

    def read_slot(self, node: Node, args: list[str]) -> str:
        """A value of known depth."""
        return self.ir.define(f"load {self.kind}, ptr %s{node.args[0]}")

    def read_under(self, node: Node, args: list[str]) -> str:
        """A value counted from the top of a stack of any depth."""
        return self.ir.define(f"load {self.kind}, ptr {self._under(node.args[0])}, align 8")

    def pile(self, env: Env, values: list[str]) -> None:
        """Store what stands on a stack of any depth now."""
        ir = self.ir
        for i, value in enumerate(values):
            ir.emit(f"  store {self.kind} {value}, ptr {self._under(env.drop - i)}, align 8")
        if len(values) != env.drop:
            depth = ir.define("load i64, ptr %depth")
            now = ir.define(f"add i64 {depth}, {len(values) - env.drop}")
            ir.emit(f"  store i64 {now}, ptr %depth")

    def suffices(self, tree: Tree) -> str:
        """Whether a tree finds all it takes, or all there is, and has room for what it pushes."""
        takes, pushes = self.layout.reach(tree)
        ir, enough = self.ir, []
        depth = ir.define("load i64, ptr %depth")
        if takes > 0:
            found = ir.define(f"icmp sge i64 {depth}, {takes}")
            all_there = ir.define("icmp eq i64 %below, 0")
            enough.append(ir.define(f"or i1 {found}, {all_there}"))
        if pushes > 0:
            enough.append(ir.define(f"icmp sle i64 {depth}, {self._most_deep(pushes)}"))
        all_of = "true"
        for more in enough:
            all_of = ir.define(f"and i1 {all_of}, {more}")
        return all_of

    def _most_deep(self, pushes: int) -> int | str:
        """How many values there may be for so many more. This is a plain number, since LLVM would
        divide by others with 128 bits to tell how often a loop goes round."""
        return STACK_ROOM - pushes

    def _under(self, back: int) -> str:
        """The address of a value, counted from the top of a stack of any depth."""
        depth = self.ir.define("load i64, ptr %depth")
        index = self.ir.define(f"sub i64 {depth}, {back}")
        return self.ir.define(f"getelementptr {self.kind}, ptr %stack, i64 {index}")
