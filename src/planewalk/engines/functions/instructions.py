"""Single operations of the subset on values, as lines of LLVM IR."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NoReturn

from .subset import COMPARISONS, TYPES, Computed, Function, constant, kind_of, refuse, tree_of

ONES = f"<{', '.join(['i64 -1'] * 8)}>"  # eight words of ones, as text


class InstructionWriter:
    """Writes the instructions of one function, for one number or a vector of them."""

    def __init__(self, function: Function, lanes: int) -> None:
        self.function = function
        """Where mistakes are reported: a function that is inlined, while it is."""
        self.lanes = lanes  # how many numbers are computed at once
        self.lines: list[str] = []
        self.count = 0
        self.block = "start"

    # Kinds -----------------------------------------------------------------------------------

    def scalar(self, node: ast.AST, value: Any) -> str:
        """The text of an int or a word; refuses other kinds."""
        if kind_of(value) not in ("int", "word", "literal"):
            self.refuse(node, f"expected a whole number, not {kind_of(value)}")
        return self.text(value, "int")

    def common(self, node: ast.AST, *values: Any) -> str:
        """The kind that all these values have."""
        kinds = {value.kind for value in values if isinstance(value, Computed)} - {"literal"}
        if kinds != {"float"}:  # else numbers that are known are floats as well
            kinds |= {kind_of(value) for value in values} - {"literal"}
        if len(kinds) > 1:
            self.refuse(node, f"{' and '.join(sorted(kinds))} do not mix")
        return kinds.pop() if kinds else "literal"

    # Operations ------------------------------------------------------------------------------

    def operate(self, name: str, kind: str, left: Any, right: Any) -> Computed:
        """An instruction with two operands of one kind."""
        sides = f"{self.text(left, kind)}, {self.text(right, kind)}"
        return self.define(f"{name} {self.type_of(kind)} {sides}", kind)

    def floor_division(self, node: ast.AST, name: str, left: Any, right: Any) -> Computed:
        """Division or remainder that rounds towards minus infinity, as in Python: LLVM's rounds
        towards 0, so it is corrected where the signs differ."""
        rest = self.operate("srem", "int", left, right)
        some = self.operate("icmp ne", "int", rest, 0)._replace(kind="truth")
        signs = self.operate("xor", "int", rest, right)
        differ = self.operate("icmp slt", "int", signs, 0)._replace(kind="truth")
        down = self.operate("and", "truth", some, differ)
        if name == "srem":
            more = self.select(node, down, right, 0)
            return self.operate("add", "int", rest, more)
        quotient = self.operate("sdiv", "int", left, right)
        truths, whole = self.type_of("truth"), self.type_of("int")
        less = self.define(f"sext {truths} {down.text} to {whole}", "int")
        return self.operate("add", "int", quotient, less)

    def compare(self, node: ast.AST, op: ast.cmpop, left: Any, right: Any) -> Computed:
        if type(op) not in COMPARISONS:
            self.refuse(node, "no such comparison")
        kind = self.common(node, left, right)
        name: str = getattr(COMPARISONS[type(op)], "int" if kind == "literal" else kind, "")
        if not name:
            self.refuse(node, f"{kind} are not compared")
        return self.operate(name, kind, left, right)._replace(kind="truth")

    def truth(self, value: Any) -> Computed:
        """Whether a value is not 0; of lanes, whether any bit is set."""
        kind = kind_of(value)
        if kind == "truth":
            return Computed(value.text, kind)
        if kind != "lanes":
            return self.operate("icmp ne", "int", value, 0)._replace(kind="truth")
        each = self.define(f"icmp ne <8 x i64> {value.text}, zeroinitializer", "").text
        bits = self.define(f"bitcast <8 x i1> {each} to i8", "").text
        return self.define(f"icmp ne i8 {bits}, 0", "truth")

    def select(self, node: ast.AST, condition: Computed, yes: Any, no: Any) -> Computed:
        kind = self.common(node, yes, no)
        sides = ", ".join(f"{self.type_of(kind)} {self.text(side, kind)}" for side in (yes, no))
        return self.define(f"select {self.type_of('truth')} {condition.text}, {sides}", kind)

    def shift_lanes(self, value: str, up: bool) -> Computed:
        """Eight words, of which every bit is the lane of a word, shifted by one lane: the words
        rotate by one, and the one that wraps round is shifted itself."""
        lanes = [(lane + (-1 if up else 1)) % 8 for lane in range(8)]
        order = ", ".join(f"i32 {lane}" for lane in lanes)
        text = f"shufflevector <8 x i64> {value}, <8 x i64> poison, <8 x i32> <{order}>"
        bits = ", ".join(f"i64 {int(lane == (7 if up else 0))}" for lane in lanes)
        moved = self.define(text, "lanes").text
        return self.define(f"{'shl' if up else 'lshr'} <8 x i64> {moved}, <{bits}>", "lanes")

    # Lanes -----------------------------------------------------------------------------------

    def each_lane(self, compute: Callable[[int], Computed]) -> Computed:
        """A vector of values that are computed lane by lane."""
        if self.lanes == 1:
            return compute(0)
        result = "poison"
        for lane in range(self.lanes):
            text, kind = compute(lane)
            into = f"insertelement {self.type_of(kind)} {result}, {TYPES[kind]} {text}, i64 {lane}"
            result = self.define(into, kind).text
        return Computed(result, kind)

    def extract(self, value: Any, kind: str, lane: int) -> str:
        if not isinstance(value, Computed) or self.lanes == 1:
            return value.text if isinstance(value, Computed) else str(constant(value, kind))
        vector = f"{self.type_of(kind)} {value.text}"
        return self.define(f"extractelement {vector}, i64 {lane}", kind).text

    # Text ------------------------------------------------------------------------------------

    def type_of(self, kind: str) -> str:
        return TYPES[kind] if self.lanes == 1 else f"<{self.lanes} x {TYPES[kind]}>"

    def text(self, value: Any, kind: str) -> str:
        if isinstance(value, Computed):
            return value.text
        text = constant(value, kind)
        if text is None:
            self.refuse(tree_of(self.function), f"expected a number of 64 bits, not {value!r:.60}")
        return text if self.lanes == 1 else f"splat ({TYPES[kind]} {text})"

    def define(self, text: str, kind: str) -> Computed:
        """Name the result of an instruction."""
        self.count += 1
        self.emit(f"%.{self.count} = {text}")
        return Computed(f"%.{self.count}", kind)

    def label(self) -> str:
        self.count += 1
        return f".{self.count}"

    def begin(self, label: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{label}:")
        self.block = label

    def emit(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        refuse(self.function, node, why)
