"""Machine code for a sparse plane, which it sees through a window.

There are two functions. `unit` runs long trees. Where the fuel is not enough for one, or where it
is entered between their heads, `steps` goes on tick by tick, and back to `unit` when it can. So
such code begins and stops at any tick by itself, and nobody has to look at the cells for that.

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
from ..native.unit import NativeUnit
from ..tracing.footprint import blocks
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


class PaneWriter(NativeWriter):
    """Code that writes cells of a pane."""

    def _write_cell(self, cell: str, value: str) -> None:
        """Write the cell at an address, count it if it is new, and note which block it is in."""
        old, new = self._define(f"load i8, ptr {cell}"), self._define(f"trunc i64 {value} to i8")
        was, will_be = (self._define(f"icmp ne i8 {byte}, 0") for byte in (old, new))
        less, more = (self._define(f"zext i1 {there} to i64") for there in (was, will_be))
        count = self._define("load i64, ptr %cells")
        rest = self._define(f"sub i64 {count}, {less}")
        changed = self._define(f"add i64 {rest}, {more}")
        self._emit(f"  store i64 {changed}, ptr %cells")
        self._emit(f"  store i8 {new}, ptr {cell}")
        address = self._define(f"ptrtoint ptr {cell} to i64")
        number = self._define(f"lshr i64 {address}, {BLOCK_BITS}")
        block = self._define(f"getelementptr i8, ptr %written_blocks, i64 {number}")
        self._emit(f"  store i8 1, ptr {block}")


class WindowWriter(PaneWriter):
    """What both functions have in common."""

    pointers = {**POINTERS, "written_blocks": Slot.WRITTEN_BLOCKS}
    kept = {**KEPT, "cells": Slot.COUNT}
    constants = {**CONSTANTS, "left": Slot.LEFT, "top": Slot.TOP}

    edges: dict[int, int]
    """Exits where the window ends, and the heads to go on from once it is larger."""
    alive: set[int]
    """Exits for want of fuel, or of a window, on states that are surely not the end."""

    def _begin(self, number: int, tree: Tree) -> None:
        self.hand = self._define("load i64, ptr %hx"), self._define("load i64, ptr %hy")
        needed = reach(tree)
        if needed is None:
            return
        left, up, right, down = needed
        across = self._within(self.hand[0], "%left", "%width", left, right)
        along = self._within(self.hand[1], "%top", "%rows", up, down)
        inside = self._define(f"and i1 {across}, {along}")
        self._emit(f"  br i1 {inside}, label %inside{number}, label %edge{number}")
        self._emit(f"edge{number}:")
        self.edges[len(self.exits)] = number
        self._note_whether_alive(tree)
        self._exit(self._at_head(tree), {})
        self._emit(f"inside{number}:")

    def _note_whether_alive(self, tree: Tree) -> None:
        """The next exit is at the head of a tree."""
        if not isinstance(tree.root.end, Exit):  # else nobody knows yet whether it is the end
            self.alive.add(len(self.exits))

    def _within(self, hand: str, begin: str, size: str, first: int, last: int) -> str:
        """Whether places from the first to the last, counted from the hand, are in the window."""
        offset = self._define(f"sub i64 {hand}, {begin}")
        place = self._define(f"add i64 {offset}, {first}")
        room = self._define(f"sub i64 {size}, {last - first}")
        return self._define(f"icmp ult i64 {place}, {room}")

    def _settle(self, env: Env, there: dict[int, str]) -> tuple[list[str], str, str]:
        settled = super()._settle(env, there)
        values = {
            place: self._value(value, there)
            for place, value in env.cells.items()
            if not _is_cell(value, place)
        }
        for place, value in values.items():
            self._put(place, value)
        return settled

    def _put(self, place: tuple[int, int], value: str) -> None:
        x, y = (self._define(f"add i64 {self.hand[axis]}, {place[axis]}") for axis in (0, 1))
        self._write_cell(self._place("data", x, y), value)

    def _go(self, function: str, head: int | str) -> None:
        """Go on in the other function, on the state in the block of words."""
        result = self._define(f"musttail call i64 @{function}(ptr %w, i64 {head})")
        self._emit(f"  ret i64 {result}")


class LongWriter(WindowWriter):
    """Writes `unit`, and `steps` with it."""

    def __init__(self, trees: list[Tree], single: list[Tree], floats: bool) -> None:
        super().__init__(trees, floats, hands=True)
        self.edges, self.alive = {}, set()
        self.steps = StepWriter(single, self)
        layouts = self.layout, self.steps.layout
        registers = sorted({it for layout in layouts for it in layout.registers})
        stored = sorted({it for layout in layouts for it in layout.stored})
        for layout in layouts:
            layout.registers, layout.stored = registers, stored  # one may go on in the other
            layout.low = min(layout.low for layout in layouts)
            layout.deepest_ever = max(layout.deepest_ever for layout in layouts)
        self.entries = {**self.steps.entries, **self.entries}
        needed = [far for tree in (*trees, *single) for far in reach(tree) or ()]
        self._furthest = max(map(abs, needed), default=0)

    def unit(self, highest: int, may: set[Stance] | None) -> WindowUnit:
        """What is written, for cells with numbers up to the highest."""
        written = self.written()
        facts = WindowFacts(self.edges, self.alive, self._furthest, highest, may)
        return WindowUnit(written, facts)

    def tree(self, number: int) -> Tree:
        return self.trees.get(number) or self.steps.tree(number)

    def source(self) -> str:
        self._function("unit")
        self.size = sum(map(len, self.lines))  # steps are made quickly anyway
        self.steps.count = self.count
        self.steps._function("steps")
        self.used |= self.steps.used
        return self._module([*self.lines, *self.steps.lines])

    def _elsewhere(self) -> None:
        self._go("steps", "%head")

    def _run_out(self, tree: Tree) -> None:
        if tree.key in self.steps.entries:
            self._store(self._at_head(tree), {})
            self._go("steps", self.steps.entries[tree.key])
        else:
            super()._run_out(tree)


class StepWriter(WindowWriter):
    """Writes `steps`: a tick at a time, made quickly rather than well."""

    attributes = "noinline optnone "

    def __init__(self, trees: list[Tree], main: LongWriter) -> None:
        super().__init__(trees, main.floats, hands=True)
        self.main = main
        first = len(main.trees)
        self.trees = dict(enumerate(trees, first))
        self.entries = self.layout.heads = {tree.key: at for at, tree in self.trees.items()}
        self.exits, self.spent, self.blocks = main.exits, main.spent, main.blocks
        self.edges, self.alive = main.edges, main.alive

    def _head(self, number: int, tree: Tree) -> None:
        main = self.main.layout.heads.get(tree.key)
        if main is not None:
            self._emit(f"long.head{number}:")
            fuel = self._define("load i64, ptr %fuel")
            enough = self._define(f"icmp sge i64 {fuel}, {self.main.trees[main].longest}")
            self._emit(f"  br i1 {enough}, label %long{number}, label %head{number}")
            self._emit(f"long{number}:")
            self._store(self._at_head(tree), {})
            self._go("unit", main)
        super()._head(number, tree)

    def _label(self, key: Key) -> str:
        label = super()._label(key)
        return f"long.{label}" if key in self.main.layout.heads else label

    def _run_out(self, tree: Tree) -> None:
        self._note_whether_alive(tree)
        super()._run_out(tree)

    def _exit(self, end: Exit, there: dict[int, str]) -> None:
        """All exits are on the state of a head, so they have one way out together."""
        assert end.ticks == 0
        self._emit(f"  store i64 {len(self.exits)}, ptr %exit")
        self._emit("  br label %leave")
        self.exits.append(end)

    def _leave(self) -> None:
        key = next(iter(self.entries))
        self._store(Exit(key, self.layout.untouched(self.layout.deepest), 0), {})
        self._emit(f"  ret i64 {self._define('load i64, ptr %exit')}")


def _is_cell(value: Any, place: tuple[int, int]) -> bool:
    """Whether a value is what the cell there held at the head."""
    return isinstance(value, Node) and value.op == "cell" and place == _place(value)


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
