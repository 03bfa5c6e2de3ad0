"""The interpreter of a language as LLVM IR, made from what its instructions do in one tick.

Each tree is a function that performs one tick and ends by calling the next: which one stands in a
table for its posture, under what the next cell holds. Such calls are jumps, and what every tick
needs is handed on in registers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from ..native.abi import MOST_SHIFTED, Slot, UnitIR
from ..native.code import NativeWriter
from ..native.values import Unwritable
from ..tracing.ir import Exit, Goto, Key, Node, apart
from ..tracing.trees import Tree
from .abi import EXTRA, MOVED, PLACE_X, PLACE_Y, SHIFTED
from .tick_tracer import Ways

CALLED = "preserve_nonecc"
"""A way of calling that leaves all registers to what is called."""
MOST_MOVED = 1 << 25
"""Values that may be moved before it leaves."""

HANDED_ON = {
    "width": Slot.WIDTH, "px": PLACE_X, "py": PLACE_Y, "hx": Slot.HAND_X, "hy": Slot.HAND_Y,
    "fuel": Slot.FUEL, "depth": Slot.DEPTH,
}  # fmt: skip
CHANGING = {name: word for name, word in HANDED_ON.items() if name != "width"}
POINTERS = {
    "output": Slot.OUTPUT, "input_end": Slot.INPUT, "stack": Slot.STACK,
}  # fmt: skip
CONSTANTS = {
    "rows": Slot.ROWS, "closed": Slot.INPUT_CLOSED, "clock": Slot.CLOCK, "seed": Slot.SEED,
    "below": Slot.BELOW, "most_written": Slot.MOST_WRITTEN, "stack_room": Slot.STACK_ROOM,
}  # fmt: skip
COUNTERS = {
    "written": Slot.WRITTEN, "height": Slot.HEIGHT, "input_left": Slot.INPUT_LEFT,
    "draws": Slot.DRAWS,
}  # fmt: skip
NAME = re.compile(r"%(\w+)\b(?!\.)")


class InterpreterWriter(NativeWriter):
    """Writes the interpreter as text."""

    words_handed: ClassVar[int] = EXTRA - Slot.SLOTS
    """How many words it has beside those that all machine code has; ..."""
    its_pointers: ClassVar[Mapping[str, int]] = POINTERS
    its_constants: ClassVar[Mapping[str, int]] = CONSTANTS
    its_counters: ClassVar[Mapping[str, int]] = COUNTERS
    """... and what functions take from words if they use it."""

    def __init__(self, ways: list[Ways], hands: bool) -> None:
        self.ways = ways
        self.numbers: dict[Key, int] = {it.posture: number for number, it in enumerate(ways)}
        trees = dict.fromkeys(tree for it in ways for tree in it.trees if tree is not None)
        self.functions: dict[int, str] = {}
        self._lowest = "%stack"
        """Where the stack begins, as far as a tick has come."""
        self.listings: list[str] = []
        """Numbers that are part of the text."""
        super().__init__(list(trees), False, hands)
        self.entries = self.numbers

    def written(self) -> UnitIR:
        exits = [(posture, 0) for posture in self.numbers]
        text = self.source()
        registers, stored = self.layout.registers, self.layout.stored
        return UnitIR(
            text, self.entries, exits, set(), False, True, 0, self.words_handed, self.size,
            registers, stored,
        )  # fmt: skip

    def source(self) -> str:
        for number, tree in self.trees.items():
            self._one_tick(number, tree)
        for number, it in enumerate(self.ways):
            names = [self.functions.get(id(tree), f"leave{number}") for tree in it.trees]
            self._table(f"table{number}", names)
            self._end(number)
        self._unit()
        self.size = sum(map(len, self.lines))
        return self._module(self.lines)

    # Functions -------------------------------------------------------------------------------

    def _one_tick(self, number: int, tree: Tree) -> None:
        self.posture = self.numbers[tree.key]
        before, self.lines = self.lines, []
        try:
            self._body(number, tree)
        except Unwritable:  # the reference engine performs it
            self.lines = before
            return
        body, self.lines = self.lines, before
        self.functions[id(tree)] = f"tick{number}"
        self._begin_function(f"tick{number}")
        self._variables_from_parameters(tree, set(NAME.findall("\n".join(body))))
        self.lines += body
        self._emit("}")

    def _begin_function(self, name: str) -> None:
        parameters = ["ptr noalias %w", "ptr %data", *(f"i64 %{it}.0" for it in HANDED_ON)]
        self._emit(f"define internal {CALLED} i64 @{name}({', '.join(parameters)}) {{")
        self._emit("start:")

    def _body(self, number: int, tree: Tree) -> None:
        enough = self._enough(tree)
        self._emit(f"  br i1 {enough}, label %tree{number}, label %leave")
        self._emit("leave:")
        self._hand_over(f"@leave{self.posture}", self._as_they_came())
        self._walk(number, tree)

    def _enough(self, tree: Tree) -> str:
        if any(self.layout.reach(tree)) or self.layout.writes(tree):
            return super()._enough(tree)
        return self._define("icmp ne i64 %fuel.0, 0")

    def _variables_from_parameters(self, tree: Tree, used: set[str]) -> None:
        """What the body of a function uses, under its names."""
        for name, kind in self._variables_of(tree).items():
            if name in used:
                self._emit(f"  %{name} = alloca {kind}")
        for name in sorted(used & CHANGING.keys()):
            self._emit(f"  store i64 %{name}.0, ptr %{name}")
        for name in sorted(used & self.its_constants.keys()):
            self._emit(f"  %{name} = {self._word(self.its_constants[name])}")
        for name in sorted(used & self.its_pointers.keys()):
            self._emit(f"  %{name}.i = {self._word(self.its_pointers[name])}")
            self._emit(f"  %{name} = inttoptr i64 %{name}.i to ptr")
        registers = [f"r{number}" for _, number in self.layout.registers if f"r{number}" in used]
        if registers:
            self._emit(f"  %registers.i = {self._word(Slot.REGISTERS)}")
            self._emit("  %registers = inttoptr i64 %registers.i to ptr")
        for name in registers:
            self._emit(f"  %{name} = getelementptr i64, ptr %registers, i64 {name[1:]}")
        for name in sorted(used & self.its_counters.keys()):
            self._emit(f"  %{name} = getelementptr i64, ptr %w, i64 {self.its_counters[name]}")

    def _variables_of(self, tree: Tree) -> Mapping[str, str]:
        every, self.trees = self.trees, {0: tree}
        found = {**self._variables(), **dict.fromkeys(CHANGING, "i64")}
        self.trees = every
        kept_outside = {f"r{number}" for _, number in self.layout.registers}
        return {name: kind for name, kind in found.items() if name not in kept_outside}

    def _table(self, name: str, names: list[str]) -> None:
        """What is called for each byte that a cell may hold."""
        targets = ", ".join(f"ptr @{target}" for target in names)
        self._emit(f"@{name} = internal constant [{len(names)} x ptr] [{targets}]")

    def _end(self, number: int) -> None:
        """How it leaves in a posture: for want of fuel, or for the reference engine to act."""
        self._begin_function(f"leave{number}")
        for kept, word in CHANGING.items():
            self._emit(f"  store i64 %{kept}.0, ptr {self._at(word)}")
        self._emit(f"  ret i64 {number}")
        self._emit("}")

    def _unit(self) -> None:
        self._emit("define i64 @unit(ptr noalias %w, i64 %head) {")
        self._emit("start:")
        self._emit(f"  %data.i = {self._word(Slot.DATA)}")
        self._emit("  %data = inttoptr i64 %data.i to ptr")
        for name, word in HANDED_ON.items():
            self._emit(f"  %{name}.0 = {self._word(word)}")
        questions = self._questions()
        labels = " ".join(f"i64 {n}, label %enter{n}" for n in self.numbers.values())
        labels += "".join(f" i64 {number}, label %answer{number}" for number in questions)
        self._emit(f"  switch i64 %head, label %elsewhere [ {labels} ]")
        for number in self.numbers.values():
            self._emit(f"enter{number}:")
            came = self._as_they_came()
            target = self._next(number, came)
            result = self._define(f"call {CALLED} i64 {target}({self._arguments(came)})")
            self._emit(f"  ret i64 {result}")
        for number, answer in questions.items():
            self._emit(f"answer{number}:")
            self._emit(f"  ret i64 {answer}")
        self._emit("elsewhere:")
        self._emit("  unreachable")
        self._emit("}")
        self.lines += self.listings

    def _questions(self) -> dict[int, str]:
        """What it can be asked instead, and the answers."""
        return {}

    # Going on --------------------------------------------------------------------------------

    def _goto(self, end: Goto, there: dict[int, str]) -> None:
        px, py = self._value(end.env.x, there), self._value(end.env.y, there)
        _, x, y = self._settle(end.env, there)
        self._lowest = "%stack"
        values = self._as_they_came()
        values |= {"px": px, "py": py, "fuel": self._spend(end.ticks)}
        values["depth"] = self._define("load i64, ptr %depth")
        if self.hands:
            values |= {"hx": x, "hy": y}
        self._hand_over(self._next(self.numbers[end.key], values), values)

    def _next(self, number: int, values: Mapping[str, str]) -> str:
        """What to call for the cell at a place."""
        place = self._define(f"getelementptr i8, ptr %data, i64 {self._index_of(values)}")
        byte = self._define(f"load i8, ptr {place}")
        code = self._define(f"zext i8 {byte} to i64")
        entry = self._define(f"getelementptr ptr, ptr @table{number}, i64 {code}")
        return self._define(f"load ptr, ptr {entry}")

    def _index_of(self, values: Mapping[str, str]) -> str:
        """The number of the cell at a place."""
        row = self._define(f"mul i64 {values['py']}, {values['width']}")
        return self._define(f"add i64 {row}, {values['px']}")

    def _hand_over(self, target: str, values: Mapping[str, str]) -> None:
        result = self._define(f"musttail call {CALLED} i64 {target}({self._arguments(values)})")
        self._emit(f"  ret i64 {result}")

    def _as_they_came(self) -> dict[str, str]:
        return {name: f"%{name}.0" for name in HANDED_ON}

    def _arguments(self, values: Mapping[str, str]) -> str:
        return ", ".join(["ptr %w", "ptr %data", *(f"i64 {values[name]}" for name in HANDED_ON)])

    def _exit(self, end: Exit, there: dict[int, str]) -> None:
        """All decisions stand before the instruction, so nothing has happened yet."""
        self._emit("  br label %leave")

    # Values ----------------------------------------------------------------------------------

    by_hand: ClassVar[dict[str, str]] = {
        **NativeWriter.by_hand,
        "place": "_own_place", "width": "_width", "near": "_is_near", "deep": "_read_deep",
        "brisk": "_is_brisk",
    }  # fmt: skip

    def _own_place(self, node: Node, args: list[str]) -> str:
        return f"%p{node.args[0]}.0"

    def _width(self, node: Node, args: list[str]) -> str:
        return "%width.0"

    def _most_deep(self, pushes: int) -> int | str:
        """What there is room for; in single ticks there are no loops."""
        return self._define(f"sub i64 %stack_room, {pushes}")

    def _is_near(self, node: Node, args: list[str]) -> str:
        index = self._from_bottom(*args)
        return self._define(f"icmp sge i64 {index}, 0")

    def _is_brisk(self, node: Node, args: list[str]) -> str:
        moved = self._define(f"add i64 {self._define(self._word(MOVED))}, {args[0]}")
        few = self._define(f"icmp sle i64 {moved}, {MOST_MOVED}")
        shifted = self._define(self._word(SHIFTED))
        near = self._define(f"icmp slt i64 {shifted}, {MOST_SHIFTED}")
        return self._define(f"and i1 {few}, {near}")

    def _read_deep(self, node: Node, args: list[str]) -> str:
        index = self._from_bottom(args[0], args[1])
        return self._define(f"load i64, ptr {self._slot(index)}")

    def _needs(self, node: Node) -> tuple[object, ...]:
        return () if node.op == "place" else node.args

    def _place(self, array: str, x: str, y: str) -> str:
        row = self._define(f"mul i64 {y}, %width.0")
        index = self._define(f"add i64 {row}, {x}")
        return self._define(f"getelementptr i8, ptr %{array}, i64 {index}")

    def _from_bottom(self, index: str, shift: str) -> str:
        """Where a value stands, from its index and what has been taken or pushed before."""
        top = self._define(f"sub i64 %depth.0, {shift}")
        above = self._define(f"sub i64 {top}, {index}")
        return self._define(f"sub i64 {above}, 1")

    def _slot(self, index: str) -> str:
        return self._define(f"getelementptr i64, ptr {self._lowest}, i64 {index}")

    def _under(self, back: int) -> str:
        depth = self._define("load i64, ptr %depth")
        return self._slot(self._define(f"sub i64 {depth}, {back}"))

    effects: ClassVar[dict[str, str]] = {
        **NativeWriter.effects, "poke": "_poke", "pluck": "_pluck"
    }  # fmt: skip

    def _poke(self, index: str, shift: str, value: str) -> None:
        self._emit(f"  store i64 {value}, ptr {self._slot(self._from_bottom(index, shift))}")

    def _pluck(self, index: str, shift: str, above: str) -> None:
        """Take a value out. Those above it come down, or those below it up if they are fewer."""
        self.used.add("moved")
        under = self._from_bottom(index, shift)
        end = self._define(f"sub i64 %depth.0, {above}")
        over = self._define(f"sub i64 {self._define(f'sub i64 {end}, {under}')}, 1")
        up = self._define(f"icmp slt i64 {under}, {over}")
        place, second = self._slot(under), self._slot("1")
        behind = self._define(f"getelementptr i64, ptr {place}, i64 1")
        source = self._define(f"select i1 {up}, ptr {self._lowest}, ptr {behind}")
        target = self._define(f"select i1 {up}, ptr {second}, ptr {place}")
        count = self._define(f"select i1 {up}, i64 {under}, i64 {over}")
        size = self._define(f"shl i64 {count}, 3")
        self._emit(
            f"  call void @llvm.memmove.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 0)"
        )
        self._lowest = self._define(f"select i1 {up}, ptr {second}, ptr {self._lowest}")
        lowest = self._define(f"ptrtoint ptr {self._lowest} to i64")
        self._emit(f"  store i64 {lowest}, ptr {self._at(Slot.STACK)}")
        self._count(MOVED, count)
        self._count(SHIFTED, self._define(f"zext i1 {up} to i64"))
        fewer = self._define("sub i64 %depth.0, 1")
        self._emit(f"  store i64 {fewer}, ptr %depth")

    def _count(self, word: int, more: str) -> None:
        """Add to a word."""
        now = self._define(f"add i64 {self._define(self._word(word))}, {more}")
        self._emit(f"  store i64 {now}, ptr {self._at(word)}")

    def _declarations(self) -> list[str]:
        moving = "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)"
        return [*super()._declarations(), *([moving] if "moved" in self.used else [])]

    def _modulo(self, node: Node, args: list[str]) -> str:
        if not isinstance(node.args[1], Node):
            return super()._modulo(node, args)
        base, step = apart(node.args[0])
        graph: Any = node.graph
        if abs(step) == 1 and graph.fits(base, node.args[1]):
            return self._one_round(args[0], args[1], step)
        return self._rounded_down(args)

    def _one_round(self, value: str, size: str, step: int) -> str:
        """One step from inside leads round at most once."""
        if step > 0:
            beyond = self._define(f"icmp sge i64 {value}, {size}")
            return self._define(f"select i1 {beyond}, i64 0, i64 {value}")
        below = self._define(f"icmp slt i64 {value}, 0")
        last = self._define(f"sub i64 {size}, 1")
        return self._define(f"select i1 {below}, i64 {last}, i64 {value}")
