"""The state of a run in LLVM IR: values, cells, stack, streams and registers put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.base.named import NamedTuple
from ..tracing.footprint import UnitLayout
from ..tracing.ir import Node, Register
from ..tracing.trees import Env, Tree
from .access.cell_access import CellAccess
from .access.register_access import RegisterAccess
from .access.stack_access import StackAccess
from .access.state_values import StateValues, methods_by_operation
from .access.stream_access import StreamAccess
from .values import Unwritable


class StateParts(NamedTuple):
    """What the state in IR is put together from."""

    values: Callable[[], StateValues] = StateValues
    cells: Callable[[StateValues, int], CellAccess] = CellAccess
    stack: Callable[[StateValues, UnitLayout, str], StackAccess] = StackAccess


FLAT = StateParts()


class StateWriter:
    """Writes lines that work on the state of a run; see `Slot` for where it comes from.

    What reads the state is a method `read_...` of a part, what changes it a method `do_...`, each
    named after its operation.
    """

    def __init__(
        self, layout: UnitLayout, floats: bool, hands: bool, width: int, parts: StateParts
    ) -> None:
        self.layout, self.floats, self.hands = layout, floats, hands
        self.ir = ir = parts.values()
        self.kind = "double" if floats else ir.word
        self.cells = parts.cells(ir, width)
        self.stack = parts.stack(ir, layout, self.kind)
        self.streams, self.registers = StreamAccess(ir), RegisterAccess(ir)
        every = ir, self, self.cells, self.stack, self.streams, self.registers
        ir.reads = methods_by_operation(every, "read_")
        self.effects = methods_by_operation(every, "do_")

    def read_hand(self, node: Node, args: list[str]) -> str:
        """Where the hand is."""
        return self.ir.define(f"load i64, ptr %h{node.args[0]}")

    def read_either(self, node: Node, args: list[str]) -> str:
        """A value that depends on the branch that was taken."""
        return self.ir.define(f"load {self.ir.type_of(node)}, ptr %either{node.id}")

    def do_let(self, value: str) -> None:
        """The value is computed now, and that is all."""

    def perform(self, op: tuple[Any, ...], there: dict[int, str]) -> None:
        """Write an effect."""
        kind, *args = op
        if kind not in self.effects:
            raise Unwritable(f"machine code has no {kind!r}")
        values = [arg if isinstance(arg, bytes) else self.ir.value(arg, there) for arg in args]
        self.effects[kind](*values)

    def settle(self, env: Env, there: dict[int, str]) -> tuple[list[str], str, str]:
        """All values by name, registers stored: whatever is read was read before."""
        registers = {
            slot: self.ir.value(value, there, not isinstance(slot, Register))
            for slot, value in env.registers.items()
        }
        low = 0 if self.layout.deep else self.layout.low
        stack = [self.ir.value(value, there, self.floats) for value in env.stack[low:]]
        hand = (env.hand_x, env.hand_y) if self.hands else (0, 0)
        x, y = (self.ir.value(value, there) for value in hand)
        self.registers.store(registers)
        if self.layout.deep:
            self.stack.pile(env, stack)
            stack = []
        self.cells.settle(env, there)
        return stack, x, y

    def suffices(self, tree: Tree) -> str:
        """Whether there is all that a tree needs, whichever branches it takes."""
        ir = self.ir
        fuel = ir.define("load i64, ptr %fuel")
        # Without a sign, which fuel never has: else LLVM looks at what it was before as well.
        enough = ir.define(f"icmp uge i64 {fuel}, {tree.longest}")
        writes = self.layout.writes(tree, ir.longest_number)
        if writes:
            enough = ir.define(f"and i1 {enough}, {self.streams.have_room(writes)}")
        if self.layout.deep:
            enough = ir.define(f"and i1 {enough}, {self.stack.suffices(tree)}")
        return enough

    def spend(self, ticks: int) -> str:
        """The fuel that is left after so many ticks."""
        fuel = self.ir.define("load i64, ptr %fuel")
        return self.ir.define(f"sub i64 {fuel}, {ticks}")
