"""The interpreter of a language as LLVM IR, made from what its instructions do in one tick.

Each tree is a function that performs one tick and ends by calling the next: which one stands in a
table for its posture, under what the next cell holds. Such calls are jumps, and what every tick
needs is handed on in registers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ...core.base.named import NamedTuple
from ..native.abi import KEPT, Slot, UnitIR
from ..native.function import TreeWriter, joined_values
from ..native.state import StateParts, StateWriter, cell_number
from ..native.state_values import StateValues
from ..native.values import Unwritable
from ..tracing.footprint import UnitLayout
from ..tracing.ir import Exit, Goto, Key
from ..tracing.trees import Tree
from .abi import ASK_ROWS, EXTRA, PLACE_X, PLACE_Y
from .superinstructions.rows import rows_of
from .tick_access import MarkedCellAccess, TickCellAccess, TickStackAccess, TickValues
from .tick_tracer import PostureTrees

CONVENTION = "preserve_nonecc"  # a way of calling that leaves all registers to what is called
HANDED_ON = {
    "width": Slot.WIDTH, "px": PLACE_X, "py": PLACE_Y, "hx": Slot.HAND_X, "hy": Slot.HAND_Y,
    "fuel": Slot.FUEL, "depth": Slot.DEPTH,
}  # fmt: skip
CHANGING = {name: word for name, word in HANDED_ON.items() if name != "width"}


class TickCalls:
    """Writes calls of what stands in the table of a posture, under what a cell holds."""

    def __init__(self, ir: StateValues, numbers: Mapping[Key, int]) -> None:
        self.ir = ir
        self.numbers = numbers  # those of postures

    def begin_function(self, name: str) -> None:
        """Begin a function that can be called so."""
        parameters = ["ptr noalias %w", "ptr %data", *(f"i64 %{it}.0" for it in HANDED_ON)]
        self.ir.emit(f"define internal {CONVENTION} i64 @{name}({', '.join(parameters)}) {{")
        self.ir.emit("start:")

    def as_they_came(self) -> dict[str, str]:
        """The parameters of the function that is written."""
        return {name: f"%{name}.0" for name in HANDED_ON}

    def code(self, values: Mapping[str, str]) -> str:
        """What stands in the cell at a place."""
        ir = self.ir
        index = cell_number(ir, values["px"], values["py"], values["width"])
        place = ir.define(f"getelementptr i8, ptr %data, i64 {index}")
        return ir.define(f"zext i8 {ir.define(f'load i8, ptr {place}')} to i64")

    def call(self, number: int, values: Mapping[str, str]) -> str:
        """Call what stands in the table of a posture, and come back with the one that it ended
        in."""
        target = self._next(number, values)
        return self.ir.define(f"call {CONVENTION} i64 {target}({self._arguments(values)})")

    def go_on(self, number: int, values: Mapping[str, str]) -> None:
        """End a function with the next tick, in a posture."""
        self._hand_over(self._next(number, values), values)

    def leave(self, number: int) -> None:
        """End a function with nothing done, in a posture."""
        self._hand_over(f"@leave{number}", self.as_they_came())

    def table(self, number: int, names: list[str]) -> None:
        """What is called in a posture for each byte that a cell may hold, and how it leaves: for
        want of fuel, or for the reference engine to act."""
        targets = ", ".join(f"ptr @{target}" for target in names)
        self.ir.emit(f"@table{number} = internal constant [{len(names)} x ptr] [{targets}]")
        self.begin_function(f"leave{number}")
        for kept, word in CHANGING.items():
            self.ir.emit(f"  store i64 %{kept}.0, ptr {self.ir.at(word)}")
        self.ir.emit(f"  ret i64 {number}\n}}")

    def _next(self, number: int, values: Mapping[str, str]) -> str:
        """What to call in a posture for the cell at a place."""
        entry = self.ir.define(f"getelementptr ptr, ptr @table{number}, i64 {self.code(values)}")
        return self.ir.define(f"load ptr, ptr {entry}")

    def _hand_over(self, target: str, values: Mapping[str, str]) -> None:
        """Go on in another function, and not come back."""
        given = self._arguments(values)
        result = self.ir.define(f"musttail call {CONVENTION} i64 {target}({given})")
        self.ir.emit(f"  ret i64 {result}")

    def _arguments(self, values: Mapping[str, str]) -> str:
        return ", ".join(["ptr %w", "ptr %data", *(f"i64 {values[name]}" for name in HANDED_ON)])


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


def write_entry(calls: TickCalls, questions: Mapping[int, str]) -> None:
    """Write `unit` for one walker. It can be asked questions instead, to which it has answers."""
    emit = calls.ir.emit
    emit("define i64 @unit(ptr noalias %w, i64 %head) {")
    emit("start:")
    emit(f"  %data.i = {calls.ir.load(Slot.DATA)}")
    emit("  %data = inttoptr i64 %data.i to ptr")
    for name, word in HANDED_ON.items():
        emit(f"  %{name}.0 = {calls.ir.load(word)}")
    labels = " ".join(f"i64 {n}, label %enter{n}" for n in calls.numbers.values())
    labels += "".join(f" i64 {number}, label %answer{number}" for number in questions)
    emit(f"  switch i64 %head, label %elsewhere [ {labels} ]")
    for number in calls.numbers.values():
        emit(f"enter{number}:")
        emit(f"  ret i64 {calls.call(number, calls.as_they_came())}")
    for number, answer in questions.items():
        emit(f"answer{number}:")
        emit(f"  ret i64 {answer}")
    emit("elsewhere:")
    emit("  unreachable")
    emit("}")


class InterpreterParts(NamedTuple):
    """What the writer of an interpreter is put together from."""

    state: StateParts = StateParts(TickValues, TickCellAccess, TickStackAccess)
    words_handed: int = EXTRA - Slot.SLOTS
    """How many words it has beside those that all machine code has."""
    pointers: Mapping[str, int] = POINTERS
    constants: Mapping[str, int] = CONSTANTS
    counters: Mapping[str, int] = COUNTERS
    """What functions load from words if they use it: pointers, constants, and counters in place."""
    calls: type[TickCalls] = TickCalls
    write_entry: Callable[[Any, Mapping[int, str]], None] = write_entry
    has_rows: bool = False
    """Whether it can be asked for the rows of its ticks: superinstructions are made of those."""


READ_ONLY = InterpreterParts()
MARKED = InterpreterParts(StateParts(TickValues, MarkedCellAccess, TickStackAccess), has_rows=True)


class InterpreterWriter:
    """Writes the interpreter as text."""

    def __init__(
        self, by_posture: list[PostureTrees], hands: bool, parts: InterpreterParts
    ) -> None:
        self.by_posture, self.parts = by_posture, parts
        self.numbers: dict[Key, int] = {it.posture: number for number, it in enumerate(by_posture)}
        trees = dict.fromkeys(tree for it in by_posture for tree in it.trees if tree is not None)
        self.trees = dict(enumerate(trees))
        self.layout = UnitLayout(list(trees))
        self.state = StateWriter(self.layout, False, hands, 0, parts.state)
        self.ir = self.state.ir
        self.calls = parts.calls(self.ir, self.numbers)
        self.writer = TreeWriter(self.state, self)
        self.functions: dict[int, str] = {}
        self.posture = 0  # that of the function that is written

    def written(self) -> UnitIR:
        """The interpreter, and how to run it."""
        exits = [(posture, 0) for posture in self.numbers]
        text = self.source()
        size = sum(map(len, self.ir.lines))
        return UnitIR(
            text, self.numbers, exits, set(), False, True, 0, self.parts.words_handed, size,
            self.layout.registers, self.layout.stored,
        )  # fmt: skip

    def source(self) -> str:
        """The interpreter as text."""
        for number, tree in self.trees.items():
            self._one_tick(number, tree)
        for number, it in enumerate(self.by_posture):
            names = [self.functions.get(id(tree), f"leave{number}") for tree in it.trees]
            self.calls.table(number, names)
        listings, questions = self._questions()
        self.parts.write_entry(self.calls, questions)
        self.ir.lines += listings
        return self.ir.module(self.ir.lines)

    def _questions(self) -> tuple[list[str], dict[int, str]]:
        """What it can be asked, with the answers, and listings that these are about."""
        if not self.parts.has_rows:
            return [], {}
        rows = rows_of(self.by_posture) if self.state.hands else []
        if not rows:
            return [], {ASK_ROWS: "0"}
        given = ", ".join(f"i32 {number}" for number in rows)
        listing = f"@rows = internal constant [{len(rows)} x i32] [{given}]"
        return [listing], {ASK_ROWS: "ptrtoint (ptr @rows to i64)"}

    def _one_tick(self, number: int, tree: Tree) -> None:
        self.posture = self.numbers[tree.key]
        try:
            with self.ir.aside() as body:
                self._body(number, tree)
        except Unwritable:  # the reference engine performs it
            return
        self.functions[id(tree)] = f"tick{number}"
        self.calls.begin_function(f"tick{number}")
        self._variables_from_parameters(tree, set(NAME.findall("\n".join(body))))
        self.ir.lines += body
        self.ir.emit("}")

    def _body(self, number: int, tree: Tree) -> None:
        emit = self.ir.emit
        needs_more = any(self.layout.reach(tree)) or self.layout.writes(tree)
        state = self.state
        suffices = state.suffices(tree) if needs_more else self.ir.define("icmp ne i64 %fuel.0, 0")
        emit(f"  br i1 {suffices}, label %tree{number}, label %leave")
        emit("leave:")
        self.calls.leave(self.posture)
        self.writer.write(number, tree)

    def _variables_from_parameters(self, tree: Tree, used: set[str]) -> None:
        """What the body of a function uses, under its names."""
        emit, parts = self.ir.emit, self.parts
        changing = dict.fromkeys(CHANGING, "i64")
        variables = {**dict.fromkeys(KEPT, "i64"), **joined_values(self.ir, [tree]), **changing}
        for name, kind in variables.items():
            if name in used:
                emit(f"  %{name} = alloca {kind}")
        for name in sorted(used & CHANGING.keys()):
            emit(f"  store i64 %{name}.0, ptr %{name}")
        for name in sorted(used & parts.constants.keys()):
            emit(f"  %{name} = {self.ir.load(parts.constants[name])}")
        for name in sorted(used & parts.pointers.keys()):
            emit(f"  %{name}.i = {self.ir.load(parts.pointers[name])}")
            emit(f"  %{name} = inttoptr i64 %{name}.i to ptr")
        registers = [f"r{number}" for _, number in self.layout.registers if f"r{number}" in used]
        if registers:
            emit(f"  %registers.i = {self.ir.load(Slot.REGISTERS)}")
            emit("  %registers = inttoptr i64 %registers.i to ptr")
        for name in registers:
            emit(f"  %{name} = getelementptr i64, ptr %registers, i64 {name[1:]}")
        for name in sorted(used & parts.counters.keys()):
            emit(f"  %{name} = getelementptr i64, ptr %w, i64 {parts.counters[name]}")

    # The ends of trees -----------------------------------------------------------------------

    def begin(self, number: int, tree: Tree) -> None:
        """Nothing comes before a tree."""

    def go_on(self, end: Goto, there: dict[int, str]) -> None:
        """Call the next tick."""
        ir = self.ir
        px, py = ir.value(end.env.x, there), ir.value(end.env.y, there)
        _, x, y = self.state.settle(end.env, there)
        values = self.calls.as_they_came()
        values |= {"px": px, "py": py, "fuel": self.state.spend(end.ticks)}
        values["depth"] = ir.define("load i64, ptr %depth")
        if self.state.hands:
            values |= {"hx": x, "hy": y}
        self.calls.go_on(self.numbers[end.key], values)

    def leave(self, end: Exit, there: dict[int, str]) -> None:
        """All decisions stand before the instruction, so nothing has happened yet."""
        self.ir.emit("  br label %leave")
