"""Machine code for a sparse plane, which it sees through a window.

There are two functions. `unit` runs long trees. Where the fuel is not enough for one, or where it
is entered between their headers, `steps` goes on tick by tick, and back to `unit` when it can. So
such code begins and stops at any tick, and the plane need not take the cells back for that.

Before a tree begins, one test says that all it may look at lies within the window; if not, code
leaves by an exit of its own, and is entered again once the window has been moved.
"""

from __future__ import annotations

import ctypes
from typing import Any

from ...core.base.deadline import OutOfTime, Pause
from ...core.geometry import Stance
from ..native.abi import CONSTANTS, KEPT, POINTERS, Slot, UnitIR, WindowFacts
from ..native.code import NativeWriter
from ..native.function import UnitExits, UnitFunction
from ..native.state import CellAccess, StateParts, StateWriter
from ..native.state_values import StateValues
from ..native.unit import NativeUnit
from ..tracing.footprint import UnitLayout, blocks
from ..tracing.ir import ConditionalBranch, Exit, Goto, Key, Node, offset_of
from ..tracing.trees import Env, Tree
from .pane import BLOCK_BITS
from .window import Window

EFFORT_OF_A_VISIT = 128
"""So many rows and cells are looked at in the time that it takes to leave and come back."""


def reach(tree: Tree) -> tuple[int, int, int, int] | None:
    """How far left, up, right and down from the hand a tree looks; None if it does not look."""
    places: list[tuple[int, int]] = []
    for block in blocks(tree):
        asked = [op[1] for op in block.ops if op[0] == "let"]
        if isinstance(block.end, ConditionalBranch):
            asked.append(block.end.condition)
        elif isinstance(block.end, (Goto, Exit)):
            places += block.end.env.cells
        places += [_place(node) for node in asked if node.op in ("cell", "coded")]
    if not places:
        return None
    columns, lines = [x for x, _ in places], [y for _, y in places]
    return min(columns), min(lines), max(columns), max(lines)


def _place(node: Node) -> tuple[int, int]:
    """Which place a node asks about, seen from the hand at the head."""
    return offset_of(node.args[0]), offset_of(node.args[1])


def write_to_pane(ir: StateValues, cell: str, value: str) -> None:
    """Write the cell at an address, count it if it is new, and note which block it is in."""
    old, new = ir.define(f"load i8, ptr {cell}"), ir.define(f"trunc i64 {value} to i8")
    was, will_be = (ir.define(f"icmp ne i8 {byte}, 0") for byte in (old, new))
    less, more = (ir.define(f"zext i1 {there} to i64") for there in (was, will_be))
    count = ir.define("load i64, ptr %cells")
    rest = ir.define(f"sub i64 {count}, {less}")
    changed = ir.define(f"add i64 {rest}, {more}")
    ir.emit(f"  store i64 {changed}, ptr %cells")
    ir.emit(f"  store i8 {new}, ptr {cell}")
    address = ir.define(f"ptrtoint ptr {cell} to i64")
    number = ir.define(f"lshr i64 {address}, {BLOCK_BITS}")
    block = ir.define(f"getelementptr i8, ptr %written_blocks, i64 {number}")
    ir.emit(f"  store i8 1, ptr {block}")


class WindowCellAccess(CellAccess):
    """Cells around the hand, written at the end of a tree."""

    hand = "", ""
    """Where the hand is at the header."""

    def settle(self, env: Env, there: dict[int, str]) -> None:
        """Write the cells whose values wait for the end of a tree."""
        values = {
            place: self.ir.value(value, there)
            for place, value in env.cells.items()
            if not (isinstance(value, Node) and value.op == "cell" and place == _place(value))
        }
        for place, value in values.items():
            x, y = (self.ir.define(f"add i64 {self.hand[axis]}, {place[axis]}") for axis in (0, 1))
            write_to_pane(self.ir, self.place("data", x, y), value)

    def within(self, hand: str, begin: str, size: str, first: int, last: int) -> str:
        """Whether places from the first to the last, counted from the hand, are in the window."""
        offset = self.ir.define(f"sub i64 {hand}, {begin}")
        place = self.ir.define(f"add i64 {offset}, {first}")
        room = self.ir.define(f"sub i64 {size}, {last - first}")
        return self.ir.define(f"icmp ult i64 {place}, {room}")


WINDOW = StateParts(cells=WindowCellAccess)


class WindowExits(UnitExits):
    """The exits of both functions."""

    def __init__(self) -> None:
        super().__init__()
        self.edges: dict[int, int] = {}
        """Exits where the window ends, and the headers to go on from once it is larger."""
        self.alive: set[int] = set()
        """Exits for want of fuel, or of a window, on states that are surely not the end."""

    def note_whether_alive(self, tree: Tree) -> None:
        """The next exit is at the header of a tree."""
        if not isinstance(tree.root.end, Exit):  # else it may be the end
            self.alive.add(len(self.exits))


class WindowFunction(UnitFunction):
    """What both functions have in common."""

    pointers = {**POINTERS, "written_blocks": Slot.WRITTEN_BLOCKS}
    kept = {**KEPT, "cells": Slot.COUNT}
    constants = {**CONSTANTS, "left": Slot.LEFT, "top": Slot.TOP}
    exits: WindowExits

    def begin(self, number: int, tree: Tree) -> None:
        """Leave if a tree looks beyond the window."""
        cells: Any = self.state.cells
        ir = self.ir
        cells.hand = ir.define("load i64, ptr %hx"), ir.define("load i64, ptr %hy")
        needed = reach(tree)
        if needed is None:
            return
        left, up, right, down = needed
        across = cells.within(cells.hand[0], "%left", "%width", left, right)
        along = cells.within(cells.hand[1], "%top", "%rows", up, down)
        inside = ir.define(f"and i1 {across}, {along}")
        ir.emit(f"  br i1 {inside}, label %inside{number}, label %edge{number}")
        ir.emit(f"edge{number}:")
        self.exits.edges[len(self.exits.exits)] = number
        self.exits.note_whether_alive(tree)
        self.leave(self.at_head(tree), {})
        ir.emit(f"inside{number}:")

    def _call(self, function: str, head: int | str) -> None:
        """Go on in the other function, on the state in the block of words."""
        result = self.ir.define(f"musttail call i64 @{function}(ptr %w, i64 {head})")
        self.ir.emit(f"  ret i64 {result}")


class LongFunction(WindowFunction):
    """Writes `unit`, which goes on in `steps` where it cannot run a tree."""

    steps: StepFunction

    def _elsewhere(self) -> None:
        self._call("steps", "%head")

    def _run_out(self, tree: Tree) -> None:
        if tree.key in self.steps.heads:
            self.store(self.at_head(tree), {})
            self._call("steps", self.steps.heads[tree.key])
        else:
            super()._run_out(tree)


class StepFunction(WindowFunction):
    """Writes `steps`: a tick at a time, made quickly rather than well."""

    name, attributes = "steps", "noinline optnone "

    def __init__(self, trees: list[Tree], state: StateWriter, long: LongFunction) -> None:
        super().__init__(trees, state, long.exits)
        self.number_from(trees, len(long.trees))
        self.writer.blocks = long.writer.blocks
        self.long = long

    def _head(self, number: int, tree: Tree) -> None:
        long = self.long.heads.get(tree.key)
        if long is not None:
            ir = self.ir
            ir.emit(f"long.head{number}:")
            fuel = ir.define("load i64, ptr %fuel")
            enough = ir.define(f"icmp sge i64 {fuel}, {self.long.trees[long].longest}")
            ir.emit(f"  br i1 {enough}, label %long{number}, label %head{number}")
            ir.emit(f"long{number}:")
            self.store(self.at_head(tree), {})
            self._call("unit", long)
        super()._head(number, tree)

    def _label(self, key: Key) -> str:
        label = super()._label(key)
        return f"long.{label}" if key in self.long.heads else label

    def _run_out(self, tree: Tree) -> None:
        self.exits.note_whether_alive(tree)
        super()._run_out(tree)

    def leave(self, end: Exit, there: dict[int, str]) -> None:
        """All exits are on the state of a header, so they have one way out together."""
        assert end.ticks == 0
        self.exits.leave(self.ir, end)

    def _return(self) -> None:
        key = next(iter(self.heads))
        self.store(Exit(key, self.layout.untouched(self.layout.deepest), 0), {})
        self.ir.emit(f"  ret i64 {self.ir.define('load i64, ptr %exit')}")


class LongWriter(NativeWriter):
    """Writes a unit of both functions."""

    function: LongFunction

    def __init__(self, trees: list[Tree], single: list[Tree], floats: bool) -> None:
        super().__init__(trees, floats, True, parts=WINDOW)
        layout = UnitLayout(single)
        self.steps = StepFunction(
            single, StateWriter(layout, floats, True, 0, WINDOW), self.function
        )
        self.function.steps = self.steps
        _share(self.layout, layout)
        self.entries = {**self.steps.heads, **self.function.heads}
        needed = [far for tree in (*trees, *single) for far in reach(tree) or ()]
        self._furthest = max(map(abs, needed), default=0)

    def _function(self, trees: list[Tree], state: StateWriter) -> UnitFunction:
        return LongFunction(trees, state, WindowExits())

    def unit(self, highest: int, may: set[Stance] | None) -> WindowUnit:
        """What is written, for cells with numbers up to the highest."""
        written, exits = self.written(), self.function.exits
        facts = WindowFacts(exits.edges, exits.alive, self._furthest, highest, may)
        return WindowUnit(written, facts)

    def tree(self, number: int) -> Tree:
        return self.trees.get(number) or self.steps.trees[number]

    def source(self) -> str:
        lines = self.function.write()
        self.size = sum(map(len, lines))  # steps are made quickly anyway
        ir, steps = self.function.ir, self.steps.ir
        steps.count = ir.count
        lines += self.steps.write()
        ir.used |= steps.used
        return ir.module(lines)


def _share(*layouts: UnitLayout) -> None:
    """Give functions that go on in each other the same slots and registers."""
    registers = sorted({it for layout in layouts for it in layout.registers})
    stored = sorted({it for layout in layouts for it in layout.stored})
    for layout in layouts:
        layout.registers, layout.stored = registers, stored
        layout.low = min(layout.low for layout in layouts)
        layout.deepest_ever = max(layout.deepest_ever for layout in layouts)


class WindowUnit(NativeUnit):
    """Machine code for a window."""

    def __init__(self, written: UnitIR, facts: WindowFacts) -> None:
        super().__init__(written)
        self.window = self.facts = facts

    def run(self, window: Window, head: int, effort: int, pause: Pause) -> int:
        """Run until it leaves for another reason than the end of the window, or there is no time to
        move that. It took some effort to have the window where it begins."""
        words = self.words
        edges, furthest = self.facts.edges, self.facts.furthest
        window.highest = max(window.highest, self.facts.highest)
        while True:
            window.show(words)
            fuel = words[Slot.FUEL]
            number: int = self.call(ctypes.addressof(words), head)
            window.count = words[Slot.COUNT]
            if effort:
                self.left += 1 + effort // EFFORT_OF_A_VISIT
                self.ticks += fuel - words[Slot.FUEL]
            if number not in edges:
                return number
            head = edges[number]
            try:
                effort = window.cover(words[Slot.HAND_X], words[Slot.HAND_Y], furthest, pause)
            except OutOfTime:
                return number
