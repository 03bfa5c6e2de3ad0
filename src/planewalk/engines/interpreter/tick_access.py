"""What single ticks reach of a run, as LLVM IR: they stand at a place that is a parameter."""

from __future__ import annotations

from typing import Any

from ..native.abi import MOST_SHIFTED, Slot
from ..native.state import CellAccess, StackAccess, cell_number
from ..native.state_values import StateValues
from ..tracing.ir import Node, apart
from ..tracing.trees import Env
from .abi import CODE_WRITTEN, EPOCH, MARKS, MARKS_MASK, MOVED, SHIFTED
from .marks import CODE, WALKED

MOST_MOVED = 1 << 25  # values that may be moved before it leaves


class TickValues(StateValues):
    """Values on a plane whose size is not known."""

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
            beyond = self.define(f"icmp sge i64 {value}, {size}")
            return self.define(f"select i1 {beyond}, i64 0, i64 {value}")
        below = self.define(f"icmp slt i64 {value}, 0")
        last = self.define(f"sub i64 {size}, 1")
        return self.define(f"select i1 {below}, i64 {last}, i64 {value}")

    def declarations(self) -> list[str]:
        moving = "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)"
        return [*super().declarations(), *([moving] if "moved" in self.used else [])]


class TickCellAccess(CellAccess):
    """Cells row by row; how many columns there are is a parameter."""

    def __init__(self, ir: StateValues, width: int) -> None:
        super().__init__(ir, width)
        self.columns = "%width.0"

    def read_place(self, node: Node, args: list[str]) -> str:
        """Where the walker stands."""
        return f"%p{node.args[0]}.0"

    def read_width(self, node: Node, args: list[str]) -> str:
        """How many columns there are."""
        return self.columns


class MarkedCellAccess(TickCellAccess):
    """Cells of a plane that programs write. A write to one that superinstructions pass begins a new
    epoch, in which none is known, and from then on they end before that cell; see `marks.py`."""

    def do_put(self, x: str, y: str, value: str) -> None:
        """Write a cell, and look at its mark."""
        super().do_put(x, y, value)
        ir = self.ir
        index = cell_number(ir, x, y, self.columns)
        masked = ir.define(f"and i64 {index}, {ir.define(ir.load(MARKS_MASK))}")
        at = ir.define(f"add i64 {masked}, {ir.define(ir.load(MARKS))}")
        place = ir.define(f"inttoptr i64 {at} to ptr")
        mark = ir.define(f"load i8, ptr {place}")
        heeded = ir.define(f"and i8 {mark}, {WALKED | CODE}")
        matters = ir.define(f"icmp ne i8 {heeded}, 0")
        ir.count += 1
        here = ir.count
        ir.emit(f"  br i1 {matters}, label %matters{here}, label %written{here}")
        ir.emit(f"matters{here}:")
        walked = ir.define(f"and i8 {mark}, {WALKED}")
        ir.emit(f"  store i8 {ir.define(f'add i8 {mark}, {walked}')}, ptr {place}")
        more = ir.define(f"zext i8 {walked} to i64")
        later = ir.define(f"add i64 {ir.define(ir.load(EPOCH))}, {more}")
        ir.emit(f"  store i64 {later}, ptr {ir.at(EPOCH)}")
        code = ir.define(f"zext i8 {ir.define(f'and i8 {mark}, {CODE}')} to i64")
        before = ir.define(ir.load(CODE_WRITTEN))
        either = ir.define(f"or i64 {before}, {code}")
        ir.emit(f"  store i64 {either}, ptr {ir.at(CODE_WRITTEN)}")
        ir.emit(f"  br label %written{here}")
        ir.emit(f"written{here}:")


class TickStackAccess(StackAccess):
    """A stack of any depth, of which values are read, changed and taken out anywhere."""

    lowest = "%stack"
    """Where it begins, as far as a tick has come."""

    def read_near(self, node: Node, args: list[str]) -> str:
        """Whether there is a value at an index."""
        return self.ir.define(f"icmp sge i64 {self._from_bottom(*args)}, 0")

    def read_brisk(self, node: Node, args: list[str]) -> str:
        """Whether so many values may be moved."""
        ir = self.ir
        moved = ir.define(f"add i64 {ir.define(ir.load(MOVED))}, {args[0]}")
        few = ir.define(f"icmp sle i64 {moved}, {MOST_MOVED}")
        shifted = ir.define(ir.load(SHIFTED))
        near = ir.define(f"icmp slt i64 {shifted}, {MOST_SHIFTED}")
        return ir.define(f"and i1 {few}, {near}")

    def read_deep(self, node: Node, args: list[str]) -> str:
        """The value at an index."""
        return self.ir.define(f"load i64, ptr {self._slot(self._from_bottom(*args[:2]))}")

    def pile(self, env: Env, values: list[str]) -> None:
        super().pile(env, values)
        self.lowest = "%stack"  # other paths begin at the start of the tick

    def do_poke(self, index: str, shift: str, value: str) -> None:
        """Change the value at an index."""
        self.ir.emit(f"  store i64 {value}, ptr {self._slot(self._from_bottom(index, shift))}")

    def do_pluck(self, index: str, shift: str, above: str) -> None:
        """Take a value out. Those above it come down, or those below it up if they are fewer."""
        ir = self.ir
        ir.used.add("moved")
        under = self._from_bottom(index, shift)
        end = ir.define(f"sub i64 %depth.0, {above}")
        over = ir.define(f"sub i64 {ir.define(f'sub i64 {end}, {under}')}, 1")
        up = ir.define(f"icmp slt i64 {under}, {over}")
        place, second = self._slot(under), self._slot("1")
        behind = ir.define(f"getelementptr i64, ptr {place}, i64 1")
        source = ir.define(f"select i1 {up}, ptr {self.lowest}, ptr {behind}")
        target = ir.define(f"select i1 {up}, ptr {second}, ptr {place}")
        count = ir.define(f"select i1 {up}, i64 {under}, i64 {over}")
        size = ir.define(f"shl i64 {count}, 3")
        ir.emit(
            f"  call void @llvm.memmove.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 0)"
        )
        self.lowest = ir.define(f"select i1 {up}, ptr {second}, ptr {self.lowest}")
        lowest = ir.define(f"ptrtoint ptr {self.lowest} to i64")
        ir.emit(f"  store i64 {lowest}, ptr {ir.at(Slot.STACK)}")
        self._count(MOVED, count)
        self._count(SHIFTED, ir.define(f"zext i1 {up} to i64"))
        fewer = ir.define("sub i64 %depth.0, 1")
        ir.emit(f"  store i64 {fewer}, ptr %depth")

    def _count(self, word: int, more: str) -> None:
        """Add to a word."""
        now = self.ir.define(f"add i64 {self.ir.define(self.ir.load(word))}, {more}")
        self.ir.emit(f"  store i64 {now}, ptr {self.ir.at(word)}")

    def _most_deep(self, pushes: int) -> int | str:
        """What there is room for; in single ticks there are no loops."""
        return self.ir.define(f"sub i64 %stack_room, {pushes}")

    def _under(self, back: int) -> str:
        depth = self.ir.define("load i64, ptr %depth")
        return self._slot(self.ir.define(f"sub i64 {depth}, {back}"))

    def _from_bottom(self, index: str, shift: str) -> str:
        """Where a value stands, from its index and what has been taken or pushed before."""
        top = self.ir.define(f"sub i64 %depth.0, {shift}")
        above = self.ir.define(f"sub i64 {top}, {index}")
        return self.ir.define(f"sub i64 {above}, 1")

    def _slot(self, index: str) -> str:
        return self.ir.define(f"getelementptr i64, ptr {self.lowest}, i64 {index}")
