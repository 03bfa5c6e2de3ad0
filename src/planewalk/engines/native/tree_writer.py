"""The blocks of a tree as LLVM IR."""

from __future__ import annotations

from typing import Protocol

from ..tracing.ir import Block, ConditionalBranch, Exit, Goto, Join
from ..tracing.trees import Tree
from .state import StateWriter


class TreeEnds(Protocol):
    """What comes before the blocks of a tree, and after them."""

    def begin(self, number: int, tree: Tree) -> None:
        """Write what comes before a tree that there is fuel for."""

    def go_on(self, end: Goto, there: dict[int, str]) -> None:
        """Go on with another tree."""

    def leave(self, end: Exit, there: dict[int, str]) -> None:
        """Leave the unit."""


class TreeWriter:
    """Writes all blocks of trees, and has others write how they begin and end."""

    def __init__(self, state: StateWriter, ends: TreeEnds) -> None:
        self.state, self.ends = state, ends
        self.blocks: dict[str, Block] = {}
        """Which block each label stands before."""
        self._labels: dict[int, str] = {}

    def write(self, number: int, tree: Tree) -> None:
        """All blocks of a tree."""
        # Each with what has a name already, and where branches that join go on.
        work: list[tuple[Block, dict[int, str], str]] = [(tree.root, {}, "")]
        self._labels = {id(tree.root): f"tree{number}"}
        while work:
            block, there, after = work.pop()
            self._begin(block)
            if block is tree.root:
                self.ends.begin(number, tree)
            for op in block.ops:
                self.state.perform(op, there)
            end = block.end
            if isinstance(end, ConditionalBranch):
                self._branch(end, there)
                if end.join is not None:
                    work.append((end.join, dict(there), after))
                    after = self._labels[id(end.join)]
                for side in (end.yes, end.no):
                    work.append((side, dict(there), after))
            elif isinstance(end, Join):
                self._join(end, there, after)
            elif isinstance(end, Goto):
                self.ends.go_on(end, there)
            else:
                assert end is not None
                self.ends.leave(end, there)

    def _begin(self, block: Block) -> None:
        label = self._labels[id(block)]
        self.blocks[label] = block
        self.state.ir.emit(f"{label}:")

    def _branch(self, end: ConditionalBranch, there: dict[int, str]) -> None:
        ir = self.state.ir
        condition = ir.value(end.condition, there)
        for side in (end.yes, end.no, end.join):
            ir.count += 1
            self._labels[id(side)] = f"b{ir.count}"
        yes, no = self._labels[id(end.yes)], self._labels[id(end.no)]
        ir.emit(f"  br i1 {condition}, label %{yes}, label %{no}")

    def _join(self, end: Join, there: dict[int, str], after: str) -> None:
        ir = self.state.ir
        values = [
            (node, ir.value(value, there, node.kind == "float")) for node, value in end.values
        ]
        for node, name in values:
            ir.emit(f"  store {ir.type_of(node)} {name}, ptr %either{node.id}")
        ir.emit(f"  br label %{after}")
