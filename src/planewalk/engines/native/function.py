"""A function in LLVM IR that runs trees, from header to header, and the blocks of these trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from ..tracing.footprint import blocks
from ..tracing.ir import Block, ConditionalBranch, Exit, Goto, Join, Key
from ..tracing.ops import WORD
from ..tracing.trees import Tree
from .abi import CONSTANTS, COUNTERS, KEPT, POINTERS, Slot
from .state import StateWriter
from .state_values import StateValues


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
        self.blocks: dict[str, Block] = {}  # which block each label stands before
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


class UnitExits:
    """The exits of a unit, numbered as they are written."""

    def __init__(self) -> None:
        self.exits: list[Exit] = []
        self.spent: set[int] = set()  # those for want of fuel, or whatever else a tree needs
        self.overflows: set[int] = set()
        """Those by which it leaves since numbers have too many bits."""

    def leave(self, ir: StateValues, end: Exit) -> None:
        """Leave with everything in the block of words."""
        ir.emit(f"  store i64 {len(self.exits)}, ptr %exit")
        ir.emit("  br label %leave")
        if end.overflow:
            self.overflows.add(len(self.exits))
        self.exits.append(end)


class UnitFunction:
    """Writes a function that works on the block of words, see `Slot`."""

    pointers: Mapping[str, Slot] = POINTERS
    constants: Mapping[str, Slot] = CONSTANTS
    kept: Mapping[str, Slot] = KEPT  # what goes back to its word at the end
    name, attributes = "unit", ""

    def __init__(self, trees: list[Tree], state: StateWriter, exits: UnitExits) -> None:
        self.state, self.ir, self.layout = state, state.ir, state.layout
        self.exits = exits
        self.writer = TreeWriter(state, self)
        self.number_from(trees, 0)

    def number_from(self, trees: list[Tree], first: int) -> None:
        """Give the trees numbers."""
        self.trees = dict(enumerate(trees, first))
        self.heads: dict[Key, int] = {tree.key: number for number, tree in self.trees.items()}

    def write(self) -> list[str]:
        """The lines of the function."""
        emit = self.ir.emit
        emit(f"define i64 @{self.name}(ptr noalias %w, i64 %head) {self.attributes}{{")
        emit("start:")
        self._take_state()
        entries = " ".join(f"i64 {number}, label %enter{number}" for number in self.heads.values())
        emit(f"  switch i64 %head, label %elsewhere [ {entries} ]")
        for number, tree in self.trees.items():
            self._enter(number, tree)
            self._head(number, tree)
        emit("elsewhere:")
        self._elsewhere()
        emit("leave:")
        self._return()
        emit("}")
        return self.ir.lines

    def _take_state(self) -> None:
        """Make variables of the block of words."""
        ir = self.ir
        for name, kind in self._variables().items():
            ir.emit(f"  %{name} = alloca {kind}")
        for name, word in self.constants.items():
            ir.emit(f"  %{name} = {ir.load(word)}")
        for name, word in self.pointers.items():
            ir.emit(f"  %{name}.i = {ir.load(word)}")
            ir.emit(f"  %{name} = inttoptr i64 %{name}.i to ptr")
        for name, word in COUNTERS.items():
            ir.emit(f"  %{name} = getelementptr i64, ptr %w, i64 {word}")
        for name, word in self.kept.items():
            value = ir.define(ir.load(word))
            ir.emit(f"  store i64 {value}, ptr %{name}")
        for _, number in self.layout.registers:
            value = ir.define(f"load i64, ptr {self.state.registers.at(number)}")
            ir.emit(f"  store i64 {value}, ptr %r{number}")

    def _variables(self) -> dict[str, str]:
        """What machine code keeps beside the block of words, by name and type."""
        found = dict.fromkeys([*self.kept, "exit"], "i64")
        slots = range(self.layout.low, self.layout.deepest)
        found |= {f"s{i}": self.state.kind for i in slots}
        found |= {f"r{number}": "i64" for _, number in self.layout.registers}
        return found | joined_values(self.ir, self.trees.values())

    def _enter(self, number: int, tree: Tree) -> None:
        self.ir.emit(f"enter{number}:")
        for i in range(self.layout.low, tree.key.depth or 0):
            place = self.ir.at(self._slot_word(i - self.layout.low))
            value = self.ir.define(f"load {self.state.kind}, ptr {place}, align 8")
            self.ir.emit(f"  store {self.state.kind} {value}, ptr %s{i}")
        self.ir.emit(f"  br label %head{number}")

    def _head(self, number: int, tree: Tree) -> None:
        self.ir.emit(f"head{number}:")
        enough = self.state.suffices(tree)
        self.ir.emit(f"  br i1 {enough}, label %tree{number}, label %spent{number}")
        self.ir.emit(f"spent{number}:")
        self._run_out(tree)
        self.writer.write(number, tree)

    def _elsewhere(self) -> None:
        """What to do from the start if there is no such header."""
        self.ir.emit("  unreachable")

    def _return(self) -> None:
        """The way out that all exits have in common."""
        self._store_kept()
        self.ir.emit(f"  ret i64 {self.ir.define('load i64, ptr %exit')}")

    def _run_out(self, tree: Tree) -> None:
        """Leave at the header of a tree, for want of what it needs."""
        self.exits.spent.add(len(self.exits.exits))
        self.leave(self.at_head(tree), {})

    def at_head(self, tree: Tree) -> Exit:
        """An exit at the header of a tree, where nothing has happened yet."""
        return Exit(tree.key, self.layout.untouched(tree.key.depth or 0), 0)

    # The ends of trees -----------------------------------------------------------------------

    def begin(self, number: int, tree: Tree) -> None:
        """Write what comes before a tree that there is fuel for."""

    def go_on(self, end: Goto, there: dict[int, str]) -> None:
        """Go on at another header."""
        stack, x, y = self.state.settle(end.env, there)
        for i, value in enumerate(stack, self.layout.low):
            self.ir.emit(f"  store {self.state.kind} {value}, ptr %s{i}")
        self._keep(x, y, end.ticks)
        self.ir.emit(f"  br label %{self._label(end.key)}")

    def _label(self, key: Key) -> str:
        return f"head{self.heads[key]}"

    def leave(self, end: Exit, there: dict[int, str]) -> None:
        """Leave with everything in the block of words."""
        self._store_numbers(end, there)
        self.exits.leave(self.ir, end)

    # To the block of words -------------------------------------------------------------------

    def store(self, end: Exit, there: dict[int, str]) -> None:
        """Bring everything back to the block of words."""
        self._store_numbers(end, there)
        self._store_kept()

    def _store_numbers(self, end: Exit, there: dict[int, str]) -> None:
        """Bring the stack and registers back, and the hand and fuel to where they are kept."""
        stack, x, y = self.state.settle(end.env, there)
        for i, value in enumerate(stack):
            place = self.ir.at(self._slot_word(i))
            self.ir.emit(f"  store {self.state.kind} {value}, ptr {place}, align 8")
        for _, number in self.layout.stored:
            value = self.ir.define(f"load i64, ptr %r{number}")
            self.ir.emit(f"  store i64 {value}, ptr {self.state.registers.at(number)}")
        self._keep(x, y, end.ticks)

    def _keep(self, x: str, y: str, ticks: int) -> None:
        """Keep the hand and the fuel as they are now."""
        if self.state.hands:
            self.ir.emit(f"  store i64 {x}, ptr %hx")
            self.ir.emit(f"  store i64 {y}, ptr %hy")
        self.ir.emit(f"  store i64 {self.state.spend(ticks)}, ptr %fuel")

    def _store_kept(self) -> None:
        for name, word in self.kept.items():
            value = self.ir.define(f"load i64, ptr %{name}")
            self.ir.emit(f"  store i64 {value}, ptr {self.ir.at(word)}")

    def _slot_word(self, number: int) -> int:
        """The word where a value of the stack begins, of those that code works on."""
        return Slot.SLOTS + number * self.ir.bits // WORD


def joined_values(ir: StateValues, trees: Iterable[Tree]) -> dict[str, str]:
    """Variables for values that depend on the branch that was taken, by name and type."""
    return {
        f"either{node.id}": ir.type_of(node)
        for tree in trees
        for block in blocks(tree)
        for node, _ in (block.end.values if isinstance(block.end, Join) else ())
    }
