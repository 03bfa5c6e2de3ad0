"""Trees as LLVM IR.

One function runs all trees of a unit, as in `python/source.py`. It works on a block of 64-bit words
(see `Slot`): fuel, the hand, pointers into the plane and the registers, and the stack slots the
unit uses. Here is where it goes on; `values.py` has the values, `state.py` the state.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..tracing.footprint import LONGEST_NUMBER, blocks
from ..tracing.ir import Block, ConditionalBranch, Exit, Goto, Join, Key
from ..tracing.trees import Tree
from .abi import CONSTANTS, COUNTERS, OUTPUT_ROOM, POINTERS, STACK_ROOM, Slot, UnitIR
from .state import DIGITS, StateWriter
from .values import Unwritable, below_ir


class NativeWriter(StateWriter):
    """Writes one unit as text."""

    pointers: Mapping[str, Slot] = POINTERS
    constants: Mapping[str, Slot] = CONSTANTS
    attributes = ""
    digits, longest_number = DIGITS, LONGEST_NUMBER
    """What writes a whole number in decimal, and how many bytes it takes at most."""

    def __init__(self, trees: list[Tree], floats: bool, hands: bool, width: int = 0) -> None:
        """`width` is that of the plane, if it never changes."""
        super().__init__(trees, floats, hands)
        self.width = width
        self.entries: dict[Key, int] = self.layout.heads
        self.trees = dict(enumerate(trees))
        self.blocks: dict[str, Block] = {}
        """Which block each label stands before."""
        self.exits: list[Exit] = []
        self.spent: set[int] = set()
        self.overflows: set[int] = set()
        self.size = 0
        """Characters of what is worth good code."""

    def tree(self, number: int) -> Tree:
        """The tree of a head."""
        return self.trees[number]

    def source(self) -> str:
        self._function("unit")
        self.size = sum(map(len, self.lines))
        return self._module(self.lines)

    def _module(self, lines: list[str]) -> str:
        """Functions with all that they need."""
        from . import maths  # which takes long to import, and kept code does without

        functions = maths.definitions(self._own_maths(), 1)
        return "\n".join([*self._declarations(), *lines, functions])

    def written(self) -> UnitIR:
        """The unit, and how to run it."""
        layout = self.layout
        text = self.source()
        exits = [(end.key, len(end.env.stack) - layout.low) for end in self.exits]
        slots = layout.deepest_ever - layout.low + 1
        return UnitIR(
            text,
            self.entries,
            exits,
            self.spent,
            self.floats,
            layout.deep,
            layout.low,
            slots,
            self.size,
            layout.registers,
            layout.stored,
            frozenset(self.overflows),
            self.bits,
        )

    def _function(self, function: str) -> None:
        head = self.layout.heads
        self._emit(f"define i64 @{function}(ptr noalias %w, i64 %head) {self.attributes}{{")
        self._emit("start:")
        for name, kind in self._variables().items():
            self._emit(f"  %{name} = alloca {kind}")
        for name, word in self.constants.items():
            self._emit(f"  %{name} = {self._word(word)}")
        for name, word in self.pointers.items():
            self._emit(f"  %{name}.i = {self._word(word)}")
            self._emit(f"  %{name} = inttoptr i64 %{name}.i to ptr")
        for name, word in COUNTERS.items():
            self._emit(f"  %{name} = getelementptr i64, ptr %w, i64 {word}")
        for name, word in self.kept.items():
            value = self._define(self._word(word))
            self._emit(f"  store i64 {value}, ptr %{name}")
        for _, number in self.layout.registers:
            value = self._define(f"load i64, ptr {self._register_at(number)}")
            self._emit(f"  store i64 {value}, ptr %r{number}")
        entries = " ".join(f"i64 {number}, label %enter{number}" for number in head.values())
        self._emit(f"  switch i64 %head, label %elsewhere [ {entries} ]")
        for number, tree in self.trees.items():
            self._enter(number, tree)
            self._head(number, tree)
        self._emit("elsewhere:")
        self._elsewhere()
        self._emit("leave:")
        self._leave()
        self._emit("}")

    def _elsewhere(self) -> None:
        """What to do from the start if there is no such head."""
        self._emit("  unreachable")

    def _leave(self) -> None:
        """The way out that all exits have in common."""
        self._store_kept()
        self._emit(f"  ret i64 {self._define('load i64, ptr %exit')}")

    def _variables(self) -> dict[str, str]:
        """What native code keeps beside the block of words, by name and type."""
        found = dict.fromkeys([*self.kept, "exit"], "i64")
        found |= {f"s{i}": self.kind for i in range(self.layout.low, self.layout.deepest)}
        found |= {f"r{number}": "i64" for _, number in self.layout.registers}
        for tree in self.trees.values():
            for block in blocks(tree):
                for node, _ in block.end.values if isinstance(block.end, Join) else ():
                    found[f"either{node.id}"] = self._type(node)
        return found

    def _declarations(self) -> list[str]:
        word = self.word
        lines = [
            f"declare {{{word}, i1}} @llvm.{name}.with.overflow.{word}({word}, {word})"
            for name in ("sadd", "ssub", "smul")
        ]
        if "digits" in self.used:
            lines.append(self.digits)
        if "below" in self.used:
            lines += [below_ir(), "declare i64 @llvm.ctlz.i64(i64, i1)"]
        return lines + self._declared_maths()

    def _enter(self, number: int, tree: Tree) -> None:
        self._emit(f"enter{number}:")
        for i in range(self.layout.low, tree.key.depth or 0):
            place = self._at(self._slot_word(i - self.layout.low))
            value = self._define(f"load {self.kind}, ptr {place}, align 8")
            self._emit(f"  store {self.kind} {value}, ptr %s{i}")
        self._emit(f"  br label %head{number}")

    def _head(self, number: int, tree: Tree) -> None:
        self._emit(f"head{number}:")
        self.places = {}
        enough = self._enough(tree)
        self._emit(f"  br i1 {enough}, label %tree{number}, label %spent{number}")
        self._emit(f"spent{number}:")
        self._run_out(tree)
        self._walk(number, tree)

    def _enough(self, tree: Tree) -> str:
        """Whether there is all that a tree needs, whichever way it takes."""
        fuel = self._define("load i64, ptr %fuel")
        # Without a sign, which fuel never has: else LLVM looks at what it was before as well.
        enough = self._define(f"icmp uge i64 {fuel}, {tree.longest}")
        writes = self.layout.writes(tree, self.longest_number)
        if writes > OUTPUT_ROOM:
            raise Unwritable("too much output at once")
        if writes:
            written = self._define("load i64, ptr %written")
            most = self._define(f"sub i64 %most_written, {writes}")
            room = self._define(f"icmp sle i64 {written}, {most}")
            enough = self._define(f"and i1 {enough}, {room}")
        if self.layout.deep:
            enough = self._define(f"and i1 {enough}, {self._stack_suffices(tree)}")
        return enough

    def _stack_suffices(self, tree: Tree) -> str:
        """Whether a tree finds all it takes, or all there is, and has room for what it pushes."""
        takes, pushes = self.layout.reach(tree)
        depth, enough = self._define("load i64, ptr %depth"), []
        if takes > 0:
            found = self._define(f"icmp sge i64 {depth}, {takes}")
            all_there = self._define("icmp eq i64 %below, 0")
            enough.append(self._define(f"or i1 {found}, {all_there}"))
        if pushes > 0:
            enough.append(self._define(f"icmp sle i64 {depth}, {self._most_deep(pushes)}"))
        return self._all_of(enough)

    def _most_deep(self, pushes: int) -> int | str:
        """How many values there may be for so many more. This is a plain number, since LLVM would
        divide by others with 128 bits to tell how often a loop goes round."""
        return STACK_ROOM - pushes

    def _all_of(self, conditions: list[str]) -> str:
        """Whether all of these are true."""
        found = "true"
        for more in conditions:
            found = self._define(f"and i1 {found}, {more}")
        return found

    def _walk(self, number: int, tree: Tree) -> None:
        """All blocks of a tree."""
        # Each with what has a name already, and where ways that join go on.
        Way = tuple[Block, dict[int, str], dict[tuple[str, str, str], str], str]
        work: list[Way] = [(tree.root, {}, {}, "")]
        labels = {id(tree.root): f"tree{number}"}
        while work:
            block, there, self.places, after = work.pop()
            label = labels[id(block)]
            self.blocks[label] = block
            self._emit(f"{label}:")
            if block is tree.root:
                self._begin(number, tree)
            for op in block.ops:
                self._op(op, there)
            end = block.end
            if isinstance(end, ConditionalBranch):
                condition = self._value(end.condition, there)
                for side in (end.yes, end.no, end.join):
                    self.count += 1
                    labels[id(side)] = f"b{self.count}"
                yes, no = labels[id(end.yes)], labels[id(end.no)]
                self._emit(f"  br i1 {condition}, label %{yes}, label %{no}")
                if end.join is not None:
                    work.append((end.join, dict(there), dict(self.places), after))
                    after = labels[id(end.join)]
                for side in (end.yes, end.no):
                    work.append((side, dict(there), dict(self.places), after))
            elif isinstance(end, Join):
                values = [
                    (node, self._value(value, there, node.kind == "float"))
                    for node, value in end.values
                ]
                for node, name in values:
                    self._emit(f"  store {self._type(node)} {name}, ptr %either{node.id}")
                self._emit(f"  br label %{after}")
            elif isinstance(end, Goto):
                self._goto(end, there)
            else:
                assert end is not None
                self._exit(end, there)

    def _run_out(self, tree: Tree) -> None:
        """There is not enough fuel for a tree, or whatever else it needs: leave at its head."""
        self.spent.add(len(self.exits))
        self._exit(self._at_head(tree), {})

    def _at_head(self, tree: Tree) -> Exit:
        return Exit(tree.key, self.layout.untouched(tree.key.depth or 0), 0)

    def _begin(self, number: int, tree: Tree) -> None:
        """What comes before a tree that there is fuel for."""

    def _goto(self, end: Goto, there: dict[int, str]) -> None:
        stack, x, y = self._settle(end.env, there)
        for i, value in enumerate(stack, self.layout.low):
            self._emit(f"  store {self.kind} {value}, ptr %s{i}")
        self._keep(x, y, end.ticks)
        self._emit(f"  br label %{self._label(end.key)}")

    def _label(self, key: Key) -> str:
        return f"head{self.layout.heads[key]}"

    def _exit(self, end: Exit, there: dict[int, str]) -> None:
        self._store_numbers(end, there)
        self._leave_by(end)

    def _leave_by(self, end: Exit) -> None:
        """Leave with everything in the block of words."""
        self._emit(f"  store i64 {len(self.exits)}, ptr %exit")
        self._emit("  br label %leave")
        if end.overflow:
            self.overflows.add(len(self.exits))
        self.exits.append(end)
