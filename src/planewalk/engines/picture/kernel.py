"""Trees as LLVM IR for graphics cards: one thread for each pixel.

The same code as for lanes, of which there is one here. The exact form computes what all other
engines compute; the fast form uses 32-bit floats throughout, and the card's own functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log, nan, tau
from string import Template
from typing import Any

from ...core.numbers.float32 import f32
from ..native import maths
from ..native.values import constant
from ..tracing.ir import Node
from .lane_tracer import LaneTracer
from .lane_values import is_exact
from .lanes import CHANNELS, LaneWriter

FRAME = Template("""
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

define ptx_kernel void @paint(ptr addrspace(1) noalias %pixels, ptr addrspace(1) noalias %marks,
    ptr addrspace(1) noalias %count, i32 %left, i32 %top, i32 %columns, i32 %rows, i32 %width,
    i32 %height, double %time, i32 %limit.all, i64 %seed.all,
    ptr addrspace(1) noalias readonly %to.samples) {
start:
$variables
  %group.x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %group.y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %across = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %down = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %inner.x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inner.y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %first.x = mul i32 %group.x, %across
  %first.y = mul i32 %group.y, %down
  %column = add i32 %first.x, %inner.x
  %row = add i32 %first.y, %inner.y
  %column.inside = icmp slt i32 %column, %columns
  %row.inside = icmp slt i32 %row, %rows
  %active = and i1 %column.inside, %row.inside
  br i1 %active, label %inside, label %outside
outside:
  ret void
inside:
  %x = add i32 %left, %column
  %y = add i32 %top, %row
  %x.words = sext i32 %x to i64
  %y.words = sext i32 %y to i64
  %given.x = sitofp i32 %x to float
  %given.y = sitofp i32 %y to float
  %given.width = sitofp i32 %width to float
  %given.height = sitofp i32 %height to float
  %given.time = fptrunc double %time to float
$clearing
$trees
  %row.begin = mul i32 %row, %columns
  %at.short = add i32 %row.begin, %column
  %at = zext i32 %at.short to i64
  %at.byte = mul i64 %at, 3
$colours
  %ticks.now = load i32, ptr %ticks
  %too.long = icmp sgt i32 %ticks.now, %limit.all
  %limited.before = load i1, ptr %limited
  %marked.before = load i1, ptr %marked
  %either = or i1 %limited.before, %marked.before
  %again = or i1 %either, %too.long
  %mark = zext i1 %again to i8
  %mark.at = getelementptr i8, ptr addrspace(1) %marks, i64 %at
  store i8 %mark, ptr addrspace(1) %mark.at
  br i1 %again, label %counted, label %done
counted:
  %before = atomicrmw add ptr addrspace(1) %count, i32 1 monotonic
  br label %done
done:
  ret void
}
""")

LOOSE = {
    "fadd": "contract", "fsub": "contract", "fmul": "contract", "fdiv": "contract arcp afn",
    "call": "contract afn",
}  # fmt: skip
"""What the fast form allows: products that are added unrounded, quick quotients and roots."""


def fast_maths(names: Iterable[str]) -> str:
    """The functions as cards have them: quick, and right to some six digits."""
    return "\n".join([FAST_DECLARATIONS, *(FAST[name] for name in names)]) if names else ""


def _number(value: float) -> str:
    return constant(f32(value), True)


FAST_DECLARATIONS = """
declare float @llvm.nvvm.sin.approx.f(float)
declare float @llvm.nvvm.cos.approx.f(float)
declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.nvvm.lg2.approx.f(float)
declare float @llvm.rint.f32(float)
declare float @llvm.fma.f32(float, float, float)
"""

_WAVE = Template("""
define internal float @planewalk.$name(float %x) alwaysinline {
  %turns.real = fmul float %x, $per_turn
  %turns = call float @llvm.rint.f32(float %turns.real)
  %back = fneg float %turns
  %near = call float @llvm.fma.f32(float %back, float $turn, float %x)
  %nearer = call float @llvm.fma.f32(float %back, float $turn_rest, float %near)
  %result = call float @llvm.nvvm.$name.approx.f(float %nearer)
  ret float %result
}""")
_TURN = f32(tau)
_TURNS = {"per_turn": _number(1 / tau), "turn": _number(_TURN), "turn_rest": _number(tau - _TURN)}
FAST = {
    "sin": _WAVE.substitute(_TURNS, name="sin"),
    "cos": _WAVE.substitute(_TURNS, name="cos"),
    "exp": f"""
define internal float @planewalk.exp(float %x) alwaysinline {{
  %exponent = fmul float %x, {_number(1 / log(2))}
  %result = call float @llvm.nvvm.ex2.approx.f(float %exponent)
  ret float %result
}}""",
    "log": f"""
define internal float @planewalk.log(float %x) alwaysinline {{
  %exponent = call float @llvm.nvvm.lg2.approx.f(float %x)
  %result = fmul float %exponent, {_number(log(2))}
  ret float %result
}}""",
    "power": f"""
define internal float @planewalk.power(float %x, float %y) alwaysinline {{
  %minus = fneg float %x
  %below = fcmp olt float %x, 0.0
  %size = select i1 %below, float %minus, float %x
  %exponent = call float @llvm.nvvm.lg2.approx.f(float %size)
  %product = fmul float %exponent, %y
  %raised = call float @llvm.nvvm.ex2.approx.f(float %product)
  %whole = call float @llvm.rint.f32(float %y)
  %is.whole = fcmp oeq float %whole, %y
  %half = fmul float %y, 0.5
  %half.whole = call float @llvm.rint.f32(float %half)
  %is.even = fcmp oeq float %half.whole, %half
  %turned = fneg float %raised
  %signed = select i1 %is.even, float %raised, float %turned
  %for.below = select i1 %is.whole, float %signed, float {_number(nan)}
  %usual = select i1 %below, float %for.below, float %raised
  %is.one = fcmp oeq float %x, 1.0
  %is.none = fcmp oeq float %y, 0.0
  %always = or i1 %is.one, %is.none
  %result = select i1 %always, float 1.0, float %usual
  ret float %result
}}""",
}


class PixelWriter(LaneWriter):
    """Writes all trees of a program for one pixel."""

    to_samples = "ptr addrspace(1) %to.samples"

    def __init__(self, tracer: LaneTracer, fast: bool) -> None:
        super().__init__(tracer, 1, careful=False)
        self.fast = fast
        if fast:
            self.most_samples = 1 << 24  # from there on, floats of 32 bits leave numbers out
        self.real, self.narrow = ("float" if fast else "double"), "float"
        self.word, self.truth, self.bytes, self.counts = "i64", "i1", "i8", "i32"

    def source(self) -> str:
        parts = self._parts()
        parts["colours"] = [line for at, name in enumerate(CHANNELS) for line in _stored(at, name)]
        texts = {name: "\n".join(lines) for name, lines in parts.items()}
        return "\n".join([*self._declarations(), FRAME.substitute(texts)])

    def _written_maths(self, names: list[str]) -> str:
        return fast_maths(names) if self.fast else maths.definitions(names, 1)

    # One lane is no vector -------------------------------------------------------------------

    def _all(self, kind: str, value: str) -> str:
        return value

    def _any(self, lanes: str) -> str:
        return lanes

    def _cells_at(self, cells: str, inside: str, blank: str) -> str:
        found = self.define(f"load float, ptr {cells}")  # the first cell, if it is outside
        return self.define(f"select i1 {inside}, float {found}, float {blank}")

    def _bytes_at(self, places: str) -> str:
        return self.define(f"load i8, ptr addrspace(1) {places}")

    # The fast form has one kind of float -----------------------------------------------------

    def _constant(self, value: Any, floats: bool) -> str:
        if self.fast and not isinstance(value, bool) and (floats or isinstance(value, float)):
            return constant(f32(value), True)
        return super()._constant(value, floats)

    def _widened(self, node: Node, there: dict[int, str]) -> str:
        return there[node.id] if self.fast else super()._widened(node, there)

    def _compute(self, node: Node, there: dict[int, str]) -> str:
        if self.fast and node.op == "round" and not is_exact(node):
            return there[node.args[0].id]
        if self.fast and node.op == "same":
            both = ", ".join(self._narrowed(arg, there) for arg in node.args)
            return self.define(f"fcmp oeq float {both}")
        return super()._compute(node, there)

    def define(self, text: str) -> str:
        if self.fast:
            for op, flags in LOOSE.items():
                text = text.replace(f"{op} float ", f"{op} {flags} float ")
        return super().define(text)


def _stored(at: int, name: str) -> list[str]:
    """Lines that store one channel of the pixel."""
    return [
        f"  %{name}.now = load i8, ptr %{name}",
        f"  %{name}.byte = add i64 %at.byte, {at}",
        f"  %{name}.at = getelementptr i8, ptr addrspace(1) %pixels, i64 %{name}.byte",
        f"  store i8 %{name}.now, ptr addrspace(1) %{name}.at",
    ]
