"""Values as LLVM IR that also come from the state of a run, read by parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from ..tracing.footprint import LONGEST_NUMBER
from ..tracing.ir import Node
from .values import ValueWriter, below_ir


def digits_ir(word: str, tenth: str) -> str:
    """Writes a number of that type in decimal; gives how many bytes it took. What a tenth of a
    number from 0 on is, rounded down, is given."""
    return f"""
define internal i64 @digits(ptr %out, {word} %value) noinline {{
start:
  %negative = icmp slt {word} %value, 0
  %turned = sub {word} 0, %value
  %size = select i1 %negative, {word} %turned, {word} %value
  %sign = zext i1 %negative to i64
  br i1 %negative, label %minus, label %measure
minus:
  store i8 45, ptr %out
  br label %measure
measure:
  %rest = phi {word} [ %size, %start ], [ %size, %minus ], [ %shorter, %measure ]
  %length = phi i64 [ %sign, %start ], [ %sign, %minus ], [ %longer, %measure ]
  %shorter = {tenth.format("%rest")}
  %longer = add i64 %length, 1
  %more = icmp ne {word} %shorter, 0
  br i1 %more, label %measure, label %write
write:
  %left = phi {word} [ %size, %measure ], [ %next, %write ]
  %behind = phi i64 [ %longer, %measure ], [ %at, %write ]
  %at = sub i64 %behind, 1
  %next = {tenth.format("%left")}
  %tens = mul {word} %next, 10
  %digit = sub {word} %left, %tens
  %small = trunc {word} %digit to i8
  %character = add i8 %small, 48
  %place = getelementptr i8, ptr %out, i64 %at
  store i8 %character, ptr %place
  %again = icmp ne {word} %next, 0
  br i1 %again, label %write, label %done
done:
  ret i64 %longer
}}"""


DIGITS = digits_ir("i64", "udiv i64 {}, 10")

STATE: dict[str, str | tuple[str, ...]] = {
    "height": "load i64, ptr %height",
    "roomy": "icmp sle i64 {0}, %rows",
    "closed": "icmp ne i64 %closed, 0",
    "counter": "load i64, ptr %draws",
    "drawn": "extractvalue {{i64, i64}} {0}, 0",
    "counted": "extractvalue {{i64, i64}} {0}, 1",
    "fed": ("left = load i64, ptr %input_left", "icmp sgt i64 {left}, 0"),
    "has": ("depth = load i64, ptr %depth", "all = add i64 {depth}, %below",
            "icmp sge i64 {all}, {0}"),
    "input": ("left = load i64, ptr %input_left", "back = sub i64 0, {left}",
              "place = getelementptr i8, ptr %input_end, i64 {back}",
              "byte = load i8, ptr {place}", "zext i8 {byte} to {word}"),
}  # fmt: skip
"""What is read of the state of a run, as rows of the table say it."""


@cache
def methods_of(kind: Any, prefix: str) -> list[tuple[str, str]]:
    """The operations that a part has methods for, and the names of these."""
    return [(name.removeprefix(prefix), name) for name in dir(kind) if name.startswith(prefix)]


def methods_by_operation(parts: Iterable[Any], prefix: str) -> dict[str, Callable[..., Any]]:
    """The methods of all parts, by the operations that they are named after."""
    kinds: list[tuple[Any, Any]] = [(part, type(part)) for part in parts]
    return {
        op: getattr(part, name) for part, kind in kinds for op, name in methods_of(kind, prefix)
    }


class StateValues(ValueWriter):
    """Writes values of one number each; what is read of the state is written by parts."""

    digits, longest_number = DIGITS, LONGEST_NUMBER
    """What writes a whole number in decimal, and how many bytes it takes at most."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: dict[str, Callable[[Node, list[str]], str]] = {}
        """What writes the operations that read the state."""

    def _operation(self, node: Node, args: list[str], floats: bool) -> str:
        if node.op in self.reads:
            return self.reads[node.op](node, args)
        if node.op in STATE:
            return self._expand(STATE[node.op], args, self.real)
        return super()._operation(node, args, floats)

    def index(self, value: str) -> str:
        """A whole number that surely has 64 bits, as such."""
        return value

    def type_of(self, node: Node) -> str:
        """The type of a value."""
        return "double" if node.kind == "float" else self.word

    def at(self, word: int) -> str:
        """The address of a word of the block."""
        return self.define(f"getelementptr i64, ptr %w, i64 {word}")

    def load(self, word: int) -> str:
        """What reads a word of the block."""
        return f"load i64, ptr {self.at(word)}"

    def declarations(self) -> list[str]:
        """Functions that values call."""
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

    def module(self, lines: list[str]) -> str:
        """Functions with all that they call."""
        from . import maths  # which takes long to import, and kept code does without

        functions = maths.definitions(self._own_maths(), 1)
        return "\n".join([*self.declarations(), *lines, functions])
