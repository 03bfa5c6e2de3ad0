"""Trees as LLVM IR for numbers of 128 bits: for loops whose numbers have outgrown 64.

Longer numbers leave, and Python goes on with them. Division is written out, since what LLVM would
call for it is not everywhere.
"""

from __future__ import annotations

from ..tracing.ir import Node
from ..tracing.ops import WIDE, range_of_bits
from ..tracing.trees import Tree
from .code import NativeWriter
from .state import digits_ir
from .values import Unwritable

HALF = 1 << 32
LONGEST_NUMBER = len(str(range_of_bits(WIDE)[0]))

DIVISION = f"""
define internal i64 @corrected(i64 %guess, i64 %rest, i64 %high, i64 %low, i64 %next) {{
  %far = icmp uge i64 %guess, {HALF}
  %product = mul i64 %guess, %low
  %shifted = shl i64 %rest, 32
  %there = or i64 %shifted, %next
  %above = icmp ugt i64 %product, %there
  %wrong = or i1 %far, %above
  %less = sub i64 %guess, 1
  %more = add i64 %rest, %high
  %fits = icmp ult i64 %more, {HALF}
  %far.still = icmp uge i64 %less, {HALF}
  %product.less = sub i64 %product, %low
  %shifted.more = shl i64 %more, 32
  %there.more = or i64 %shifted.more, %next
  %above.still = icmp ugt i64 %product.less, %there.more
  %wrong.still = or i1 %far.still, %above.still
  %twice = and i1 %fits, %wrong.still
  %least = sub i64 %less, 1
  %lower = select i1 %twice, i64 %least, i64 %less
  %found = select i1 %wrong, i64 %lower, i64 %guess
  ret i64 %found
}}
define internal i64 @divided(i128 %y, i64 %x) {{
  %unused = call i64 @llvm.ctlz.i64(i64 %x, i1 false)
  %by = shl i64 %x, %unused
  %unused.wide = zext i64 %unused to i128
  %scaled = shl i128 %y, %unused.wide
  %scaled.high = lshr i128 %scaled, 64
  %top = trunc i128 %scaled.high to i64
  %bottom = trunc i128 %scaled to i64
  %high = lshr i64 %by, 32
  %low = and i64 %by, {HALF - 1}
  %third = lshr i64 %bottom, 32
  %fourth = and i64 %bottom, {HALF - 1}
  %guess = udiv i64 %top, %high
  %rest = urem i64 %top, %high
  %first = call i64 @corrected(i64 %guess, i64 %rest, i64 %high, i64 %low, i64 %third)
  %top.shifted = shl i64 %top, 32
  %middle = or i64 %top.shifted, %third
  %taken = mul i64 %first, %by
  %left = sub i64 %middle, %taken
  %guess.2 = udiv i64 %left, %high
  %rest.2 = urem i64 %left, %high
  %second = call i64 @corrected(i64 %guess.2, i64 %rest.2, i64 %high, i64 %low, i64 %fourth)
  %first.shifted = shl i64 %first, 32
  %both = add i64 %first.shifted, %second
  ret i64 %both
}}
define internal i128 @share(i128 %y, i128 %x) noinline {{
  %y.high.wide = lshr i128 %y, 64
  %x.high.wide = lshr i128 %x, 64
  %y.high = trunc i128 %y.high.wide to i64
  %x.high = trunc i128 %x.high.wide to i64
  %x.low = trunc i128 %x to i64
  %large = icmp ne i64 %x.high, 0
  br i1 %large, label %by.large, label %by.small
by.small:
  %begun = icmp ne i64 %y.high, 0
  br i1 %begun, label %two, label %one
one:
  %y.low = trunc i128 %y to i64
  %only = udiv i64 %y.low, %x.low
  %only.wide = zext i64 %only to i128
  ret i128 %only.wide
two:
  %upper = udiv i64 %y.high, %x.low
  %over = urem i64 %y.high, %x.low
  %over.wide = zext i64 %over to i128
  %over.high = shl i128 %over.wide, 64
  %low.mask = and i128 %y, {(1 << 64) - 1}
  %rest = or i128 %over.high, %low.mask
  %lower = call i64 @divided(i128 %rest, i64 %x.low)
  %upper.wide = zext i64 %upper to i128
  %upper.high = shl i128 %upper.wide, 64
  %lower.wide = zext i64 %lower to i128
  %both = or i128 %upper.high, %lower.wide
  ret i128 %both
by.large:
  %unused = call i64 @llvm.ctlz.i64(i64 %x.high, i1 false)
  %unused.wide = zext i64 %unused to i128
  %x.scaled = shl i128 %x, %unused.wide
  %x.top.wide = lshr i128 %x.scaled, 64
  %x.top = trunc i128 %x.top.wide to i64
  %y.half = lshr i128 %y, 1
  %about = call i64 @divided(i128 %y.half, i64 %x.top)
  %back = sub i64 63, %unused
  %scaled = lshr i64 %about, %back
  %some = icmp ne i64 %scaled, 0
  %some.wide = zext i1 %some to i64
  %surely = sub i64 %scaled, %some.wide
  %surely.wide = zext i64 %surely to i128
  %product = mul i128 %surely.wide, %x
  %left = sub i128 %y, %product
  %once.more = icmp uge i128 %left, %x
  %more = zext i1 %once.more to i128
  %found = add i128 %surely.wide, %more
  ret i128 %found
}}
define internal i128 @quotient(i128 %y, i128 %x) {{
  %y.low = trunc i128 %y to i64
  %x.low = trunc i128 %x to i64
  %y.again = sext i64 %y.low to i128
  %x.again = sext i64 %x.low to i128
  %y.short = icmp eq i128 %y, %y.again
  %x.short = icmp eq i128 %x, %x.again
  %both.short = and i1 %y.short, %x.short
  %turning = icmp eq i64 %x.low, -1
  %still = xor i1 %turning, true
  %short = and i1 %both.short, %still
  br i1 %short, label %quick, label %long
quick:
  %shared = sdiv i64 %y.low, %x.low
  %shared.wide = sext i64 %shared to i128
  ret i128 %shared.wide
long:
  %y.negative = icmp slt i128 %y, 0
  %x.negative = icmp slt i128 %x, 0
  %y.turned = sub i128 0, %y
  %x.turned = sub i128 0, %x
  %y.size = select i1 %y.negative, i128 %y.turned, i128 %y
  %x.size = select i1 %x.negative, i128 %x.turned, i128 %x
  %size = call i128 @share(i128 %y.size, i128 %x.size)
  %negative = xor i1 %y.negative, %x.negative
  %turned = sub i128 0, %size
  %found = select i1 %negative, i128 %turned, i128 %size
  ret i128 %found
}}
define internal i128 @remainder(i128 %y, i128 %x) {{
  %shared = call i128 @quotient(i128 %y, i128 %x)
  %product = mul i128 %shared, %x
  %rest = sub i128 %y, %product
  ret i128 %rest
}}
"""
"""Quotients cut off towards zero, by the school's method with two digits of 32 bits each: the first
guess from the upper digit of what is divided by is too large by two at most."""

KNOWN = {
    "+", "-", "*", "&", ">>", "%", "<", "==", "not", "number", "quotient", "remainder",
    "overflow +", "overflow -", "overflow *", "overflow /", "slot", "under", "either", "has",
    "input", "fed", "closed", "cell", "coded", "height", "roomy",
}  # fmt: skip
"""Operations that are written for 128 bits; what needs others stays with Python."""
WRITTEN_ANEW = {
    "quotient": "_quotient", "remainder": "_remainder", "has": "_has", "height": "_height",
    "roomy": "_roomy",
}  # fmt: skip
"""Those that are not the same with other types, and the methods that write them."""


class WideWriter(NativeWriter):
    """Writes one unit as text."""

    word, bits = "i128", WIDE
    digits = digits_ir("i128", "call i128 @share(i128 {}, i128 10)")
    longest_number = LONGEST_NUMBER

    def __init__(self, trees: list[Tree], floats: bool, hands: bool, width: int = 0) -> None:
        super().__init__(trees, floats, hands, width)
        if floats or hands or self.layout.registers:
            raise Unwritable("only a stack of whole numbers can have 128 bits each")
        self.kind = self.word

    def _operation(self, node: Node, args: list[str], floats: bool) -> str:
        if node.op not in KNOWN:
            raise Unwritable(f"machine code for 128 bits has no {node.op!r}")
        if node.op in WRITTEN_ANEW:
            written: str = getattr(self, WRITTEN_ANEW[node.op])(*args)
            return written
        return super()._operation(node, args, floats)

    def _constant(self, value: object, floats: bool) -> str:
        if type(value) is not int:
            return super()._constant(value, floats)
        least, most = range_of_bits(WIDE)
        if not least <= value <= most:
            raise Unwritable("it holds a number of more than 128 bits")
        return str(value)

    def _index(self, value: str) -> str:
        return self._define(f"trunc i128 {value} to i64")

    def _quotient(self, y: str, x: str) -> str:
        return self._define(f"call i128 @quotient(i128 {y}, i128 {x})")

    def _remainder(self, y: str, x: str) -> str:
        return self._define(f"call i128 @remainder(i128 {y}, i128 {x})")

    def _rest(self, division: str, args: list[str]) -> str:
        return self._remainder(*args)

    def _has(self, count: str) -> str:
        depth = self._define("load i64, ptr %depth")
        all_there = self._define(f"add i64 {depth}, %below")
        wide = self._define(f"zext i64 {all_there} to i128")
        return self._define(f"icmp sge i128 {wide}, {count}")

    def _height(self, grown: str) -> str:
        height = self._define("load i64, ptr %height")
        return self._define(f"zext i64 {height} to i128")

    def _roomy(self, height: str) -> str:
        rows = self._define("zext i64 %rows to i128")
        return self._define(f"icmp sle i128 {height}, {rows}")

    def _declarations(self) -> list[str]:
        counting = "declare i64 @llvm.ctlz.i64(i64, i1)"
        return [DIVISION, counting, *super()._declarations()]
