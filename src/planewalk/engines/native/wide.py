"""Trees as LLVM IR for numbers of 128 bits: for loops whose numbers have outgrown 64.

Longer numbers leave, and Python goes on with them. Divisions become calls of the compiler's runtime
library.
"""

from __future__ import annotations

from ...core.base.named import NamedTuple
from ..base.executable import address_of_function
from ..tracing.ir import Node
from ..tracing.ops import WIDE, range_of_bits
from ..tracing.trees import Tree
from .code import NativeWriter
from .state import StateParts
from .state_values import StateValues, digits_ir
from .values import Unwritable

LONGEST_NUMBER = len(str(range_of_bits(WIDE)[0]))
DIVISIONS = "__divti3", "__modti3", "__udivti3", "__umodti3"
"""The functions of the compiler's runtime library that LLVM calls to divide 128 bits."""


PRODUCT = """
define internal {i128, i1} @product(i128 %y, i128 %x) {
  %y.low = trunc i128 %y to i64
  %x.low = trunc i128 %x to i64
  %y.again = sext i64 %y.low to i128
  %x.again = sext i64 %x.low to i128
  %y.short = icmp eq i128 %y, %y.again
  %x.short = icmp eq i128 %x, %x.again
  %both.short = and i1 %y.short, %x.short
  br i1 %both.short, label %short, label %long
short:
  %small = mul i128 %y.again, %x.again
  %sure = insertvalue {i128, i1} undef, i128 %small, 0
  %surely = insertvalue {i128, i1} %sure, i1 false, 1
  ret {i128, i1} %surely
long:
  %found = call {i128, i1} @llvm.smul.with.overflow.i128(i128 %y, i128 %x)
  ret {i128, i1} %found
}
"""
"""A product, and whether it overflows: most factors fit in 64 bits and are easier to multiply."""

DIVISION = """
define internal {i128, i128} @division(i128 %y, i128 %x) {
  %either = or i128 %y, %x
  %once = icmp uge i128 %y, %x
  %once.wide = zext i1 %once to i128
  %taken = select i1 %once, i128 %x, i128 0, !unpredictable !0
  %left = sub i128 %y, %taken
  %signed = icmp slt i128 %either, 0
  %twice = icmp uge i128 %left, %x
  %far = or i1 %signed, %twice
  br i1 %far, label %long, label %done
long:
  %share = sdiv i128 %y, %x
  %product = mul i128 %share, %x
  %behind = sub i128 %y, %product
  br label %done
done:
  %quotient = phi i128 [ %once.wide, %0 ], [ %share, %long ]
  %rest = phi i128 [ %left, %0 ], [ %behind, %long ]
  %part = insertvalue {i128, i128} undef, i128 %quotient, 0
  %whole = insertvalue {i128, i128} %part, i128 %rest, 1
  ret {i128, i128} %whole
}
!0 = !{}
"""
"""A quotient and a remainder. Sums modulo a number have a quotient of 0 or 1, for which two
comparisons do."""


class Pair(NamedTuple):
    """Two values that one function finds, the first of them a number."""

    function: str
    second: str  # the type of the second
    ops: tuple[str, str]


class Found(NamedTuple):
    """A value that came with another one, and which node and name the other has."""

    name: str
    beside: int
    other: str


PAIRS = {
    op: pair
    for pair in (
        Pair("llvm.sadd.with.overflow.i128", "i1", ("+", "overflow +")),
        Pair("llvm.ssub.with.overflow.i128", "i1", ("-", "overflow -")),
        Pair("product", "i1", ("*", "overflow *")),
        Pair("division", "i128", ("quotient", "remainder")),
    )
    for op in pair.ops
}
"""Operations that come together."""
SINGLE = {"+", "-", "*"}  # those that are easier alone

KNOWN = {
    "+", "-", "*", "&", ">>", "%", "<", "==", "not", "number", "quotient", "remainder",
    "overflow +", "overflow -", "overflow *", "overflow /", "slot", "under", "either", "has",
    "input", "fed", "closed", "cell", "coded", "height", "roomy",
}  # fmt: skip
"""Operations that are written for 128 bits; what needs others stays with Python."""


class WideValues(StateValues):
    """Writes values of whole numbers of 128 bits."""

    word, bits = "i128", WIDE
    digits = digits_ir("i128", "udiv i128 {}, 10")
    longest_number = LONGEST_NUMBER

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[tuple[str, ...], Found] = {}
        """What came with something else, by operation and operands."""

    def _operation(self, node: Node, args: list[str], floats: bool) -> str:
        if node.op not in KNOWN:
            raise Unwritable(f"machine code for 128 bits has no {node.op!r}")
        return super()._operation(node, args, floats)

    def _constant(self, value: object, floats: bool) -> str:
        if type(value) is not int:
            return super()._constant(value, floats)
        least, most = range_of_bits(WIDE)
        if not least <= value <= most:
            raise Unwritable("it holds a number of more than 128 bits")
        return str(value)

    def index(self, value: str) -> str:
        return self.define(f"trunc i128 {value} to i64")

    def _compute(self, node: Node, there: dict[int, str]) -> str:
        pair = PAIRS.get(node.op)
        if pair is None:
            return super()._compute(node, there)
        args = [self.value(arg, there) for arg in node.args]
        found = self.found.get((node.op, *args))
        if found is not None and there.get(found.beside) == found.other:  # it is on this way
            return found.name
        if node.op in SINGLE:
            return super()._compute(node, there)
        values = self._both(pair, args)
        mine = pair.ops.index(node.op)
        self.found[pair.ops[1 - mine], *args] = Found(values[1 - mine], node.id, values[mine])
        return values[mine]

    def _both(self, pair: Pair, args: list[str]) -> list[str]:
        kind, (y, x) = f"{{i128, {pair.second}}}", args
        found = self.define(f"call {kind} @{pair.function}(i128 {y}, i128 {x})")
        return [self.define(f"extractvalue {kind} {found}, {place}") for place in (0, 1)]

    def read_has(self, node: Node, args: list[str]) -> str:
        """Whether there are so many values."""
        depth = self.define("load i64, ptr %depth")
        all_there = self.define(f"add i64 {depth}, %below")
        wide = self.define(f"zext i64 {all_there} to i128")
        return self.define(f"icmp sge i128 {wide}, {args[0]}")

    def read_height(self, node: Node, args: list[str]) -> str:
        """How many rows there are."""
        height = self.define("load i64, ptr %height")
        return self.define(f"zext i64 {height} to i128")

    def read_roomy(self, node: Node, args: list[str]) -> str:
        """Whether there is memory for so many rows."""
        rows = self.define("zext i64 %rows to i128")
        return self.define(f"icmp sle i128 {args[0]}, {rows}")

    def declarations(self) -> list[str]:
        return [PRODUCT, DIVISION, *super().declarations()]


class WideWriter(NativeWriter):
    """Writes one unit as text."""

    def __init__(self, trees: list[Tree], floats: bool, hands: bool, width: int = 0) -> None:
        super().__init__(trees, floats, hands, width, StateParts(WideValues))
        if floats or hands or self.layout.registers:
            raise Unwritable("only a stack of whole numbers can have 128 bits each")
        if any(address_of_function(name) is None for name in DIVISIONS):
            raise Unwritable("there is no function here that divides 128 bits")
