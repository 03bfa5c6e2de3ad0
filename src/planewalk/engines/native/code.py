"""Units as LLVM IR.

One function runs all trees of a unit, as in `python/source.py`. It works on a block of 64-bit words
(see `Slot`): fuel, the hand, pointers into the plane and the registers, and the stack slots the
unit uses. It is put together from a value writer, access to cells, stack, streams and registers
(`state.py`), the blocks of trees and what is around them (`function.py`).
"""

from __future__ import annotations

from ..tracing.footprint import UnitLayout
from ..tracing.ir import Key
from ..tracing.trees import Tree
from .abi import UnitIR
from .function import UnitExits, UnitFunction
from .state import FLAT, StateParts, StateWriter


class NativeWriter:
    """Writes one unit as text."""

    def __init__(
        self,
        trees: list[Tree],
        floats: bool,
        hands: bool,
        width: int = 0,
        parts: StateParts = FLAT,
    ) -> None:
        """`width` is that of the plane, if it never changes."""
        self.layout = UnitLayout(trees)
        self.floats = floats
        state = StateWriter(self.layout, floats, hands, width, parts)
        self.function = self._function(trees, state)
        self.entries: dict[Key, int] = self.function.heads
        self.trees = self.function.trees
        self.exits, self.spent = self.function.exits.exits, self.function.exits.spent
        """By number; and which of them are for want of fuel, or whatever else a tree needs."""
        self.blocks = self.function.writer.blocks  # which block each label stands before
        self.size = 0  # characters of what is worth good code

    def _function(self, trees: list[Tree], state: StateWriter) -> UnitFunction:
        return UnitFunction(trees, state, UnitExits())

    def tree(self, number: int) -> Tree:
        """The tree of a header."""
        return self.trees[number]

    def source(self) -> str:
        """The unit as text."""
        lines = self.function.write()
        self.size = sum(map(len, lines))
        return self.function.ir.module(lines)

    def written(self) -> UnitIR:
        """The unit, and how to run it."""
        layout, text = self.layout, self.source()
        exits = [(end.key, len(end.env.stack) - layout.low) for end in self.exits]
        slots = layout.deepest_ever - layout.low + 1
        return UnitIR(
            text, self.entries, exits, self.spent, self.floats, layout.deep, layout.low, slots,
            self.size, layout.registers, layout.stored,
            frozenset(self.function.exits.overflows), self.function.ir.bits,
        )  # fmt: skip
