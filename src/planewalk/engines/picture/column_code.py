"""Machine code that computes with whole columns of numbers: a list of operations, done for a row of
pixels each before the next.

It knows all operations and no program, so it can be there before any program is. A list costs
nothing to make, and is done at about half the speed of code for lanes.
"""

from __future__ import annotations

from string import Template

from ..native import maths
from ..native.values import ValueWriter, constant
from ..tracing.ops import ON_FLOATS
from .column_slots import (
    AT_ONCE,
    CHOOSE,
    COLOUR,
    COLUMN,
    FLOAT,
    LENGTH,
    NUMBERS,
    STEP,
    TRUTHS,
    WHOLE,
    WORDS,
    ColumnSlot,
)
from .frame import WIDE, vector

FRAME = Template("""
define i64 @unit(ptr noalias %w) $wide {
start:
$slots
  %code.from = inttoptr i64 %code to ptr
  %all = inttoptr i64 %columns to ptr
  %pixels.from = inttoptr i64 %pixels to ptr
  %ys = getelementptr i8, ptr %all, i64 $column
  br label %rows
rows:
  %y = phi i64 [ %top, %start ], [ %next.y, %row.done ]
  %row = phi ptr [ %pixels.from, %start ], [ %next.row, %row.done ]
  %more.rows = icmp slt i64 %y, %bottom
  br i1 %more.rows, label %row.begin, label %all.done
row.begin:
  %y.real = sitofp i64 %y to double
  %y.one = insertelement $real poison, double %y.real, i64 0
  %y.all = shufflevector $real %y.one, $real poison, <$lanes x i32> zeroinitializer
  br label %parts
parts:
  %x = phi i64 [ %left, %row.begin ], [ %next.x, %part.done ]
  %bytes = phi ptr [ %row, %row.begin ], [ %next.bytes, %part.done ]
  %left.over = sub i64 %right, %x
  %more.parts = icmp sgt i64 %left.over, 0
  br i1 %more.parts, label %part.begin, label %row.done
part.begin:
  %short = icmp slt i64 %left.over, $length
  %many = select i1 %short, i64 %left.over, i64 $length
  %raised = add i64 %many, $round_up
  %steps = sdiv i64 %raised, $lanes
  br label %places
places:
  %place = phi i64 [ 0, %part.begin ], [ %next.place, %places ]
  %place.first = mul i64 %place, $lanes
  %place.x = add i64 %x, %place.first
  %place.one = insertelement $word poison, i64 %place.x, i64 0
  %place.all = shufflevector $word %place.one, $word poison, <$lanes x i32> zeroinitializer
  %place.each = add $word %place.all, $ramp
  %place.real = sitofp $word %place.each to $real
  %x.to = getelementptr $real, ptr %all, i64 %place
  store $real %place.real, ptr %x.to, align 8
  %y.to = getelementptr $real, ptr %ys, i64 %place
  store $real %y.all, ptr %y.to, align 8
  %next.place = add i64 %place, 1
  %more.places = icmp slt i64 %next.place, %steps
  br i1 %more.places, label %places, label %operations
operations:
  %number = phi i64 [ 0, %places ], [ %next.number, %done ]
  %at = mul i64 %number, $words
  %op.from = getelementptr i64, ptr %code.from, i64 %at
  %op = load i64, ptr %op.from
$operands
  switch i64 %op, label %done [
$cases
  ]
$bodies
done:
  %next.number = add i64 %number, 1
  %more.operations = icmp slt i64 %next.number, %count
  br i1 %more.operations, label %operations, label %part.done
part.done:
  %next.x = add i64 %x, $length
  %next.bytes = getelementptr i8, ptr %bytes, i64 $part_bytes
  br label %parts
row.done:
  %next.y = add i64 %y, 1
  %stride.bytes = mul i64 %stride, 3
  %next.row = getelementptr i8, ptr %row, i64 %stride.bytes
  br label %rows
all.done:
  ret i64 0
}
""")
OPERANDS = "abc"
ON_BITS = {
    CHOOSE: "_choose", "whole": "_whole", "mix": "_mix", ">>": "_shift_right", "&": "_and",
    FLOAT: "_float",
}  # fmt: skip
"""Operations on truths and whole numbers, and the methods that write them."""


class ColumnWriter(ValueWriter):
    """Writes all operations, each as a loop over the numbers of its columns."""

    real, narrow = f"<{AT_ONCE} x double>", f"<{AT_ONCE} x float>"
    word, truth = f"<{AT_ONCE} x i64>", f"<{AT_ONCE} x i1>"
    bytes, counts = f"<{AT_ONCE} x i8>", f"<{AT_ONCE} x i32>"

    def source(self) -> str:
        for name, number in NUMBERS.items():
            self._emit(f"op{number}:")
            self._emit(f"  br label %op{number}.loop")
            self._emit(f"op{number}.loop:")
            self._emit(
                f"  %i{number} = phi i64 [ 0, %op{number} ], [ %n{number}, %op{number}.loop ]"
            )
            self._body(name, f"%i{number}")
            self._emit(f"  %n{number} = add i64 %i{number}, 1")
            self._emit(f"  %m{number} = icmp slt i64 %n{number}, %steps")
            self._emit(f"  br i1 %m{number}, label %op{number}.loop, label %done")
        frame = FRAME.substitute(
            wide=WIDE, real=self.real, word=self.word, lanes=AT_ONCE, round_up=AT_ONCE - 1,
            length=LENGTH, column=COLUMN, part_bytes=3 * LENGTH, words=WORDS,
            ramp=vector("i64", list(range(AT_ONCE))),
            slots="\n".join(line for slot in ColumnSlot for line in _loaded(slot)),
            operands="\n".join(_operands()),
            cases="\n".join(f"    i64 {n}, label %op{n}" for n in NUMBERS.values()),
            bodies="\n".join(self.lines),
        )  # fmt: skip
        own = maths.definitions(self._own_maths(), AT_ONCE, WIDE)
        return "\n".join([own, *self._declared_maths(), frame])

    def _body(self, name: str, at: str) -> None:
        """An operation on some numbers."""
        if name == COLOUR:
            self._colour([self._load(operand, at) for operand in OPERANDS], at)
            return
        if name in ON_BITS:
            value = getattr(self, ON_BITS[name])(at)
        else:
            row = ON_FLOATS[name]
            assert row.llvm is not None and set(row.takes) == {"f"}
            given = [self._load(operand, at) for operand in OPERANDS[: len(row.takes)]]
            value = self._expand(row.llvm, given, self.real)
        if name in TRUTHS:
            value = self._define(f"sext {self.truth} {value} to {self.word}")
        if name in (*TRUTHS, *WHOLE):
            value = self._define(f"bitcast {self.word} {value} to {self.real}")
        place = self._define(f"mul i64 {at}, {STEP}")
        to = self._define(f"getelementptr i8, ptr %out, i64 {place}")
        self._emit(f"  store {self.real} {value}, ptr {to}, align 8")

    def _choose(self, at: str) -> str:
        taken = self._define(f"icmp ne {self.word} {self._bits('a', at)}, zeroinitializer")
        sides = ", ".join(f"{self.real} {self._load(side, at)}" for side in "bc")
        return self._define(f"select {self.truth} {taken}, {sides}")

    def _whole(self, at: str) -> str:
        return self._define(f"fptosi {self.real} {self._load('a', at)} to {self.word}")

    def _mix(self, at: str) -> str:
        return self._mixed(self._stirred(self._bits("a", at)), self._bits("b", at))

    def _shift_right(self, at: str) -> str:
        return self._define(f"lshr {self.word} {self._bits('a', at)}, {self._bits('b', at)}")

    def _and(self, at: str) -> str:
        return self._define(f"and {self.word} {self._bits('a', at)}, {self._bits('b', at)}")

    def _float(self, at: str) -> str:
        return self._define(f"uitofp {self.word} {self._bits('a', at)} to {self.real}")

    def _bits(self, operand: str, at: str) -> str:
        return self._define(f"bitcast {self.real} {self._load(operand, at)} to {self.word}")

    def _load(self, operand: str, at: str) -> str:
        place = self._define(f"mul i64 {at}, %{operand}.step")
        begin = self._define(f"getelementptr i8, ptr %{operand}, i64 {place}")
        return self._define(f"load {self.real}, ptr {begin}, align 8")

    def _colour(self, channels: list[str], at: str) -> None:
        """Red, green and blue of some pixels, as bytes one behind the other."""
        levels = []
        for channel in channels:
            level = self._expand(_row("defined"), [channel], self.real)
            whole = self._define(f"fptosi {self.real} {level} to {self.counts}")
            levels.append(self._define(f"trunc {self.counts} {whole} to {self.bytes}"))
        red, green, blue = levels
        order = [lane + channel * AT_ONCE for lane in range(AT_ONCE) for channel in range(3)]
        everything, two = vector("i32", list(range(2 * AT_ONCE))), f"<{2 * AT_ONCE} x i8>"
        mask = f"<{2 * AT_ONCE} x i32> {everything}"
        first = self._define(f"shufflevector {self.bytes} {red}, {self.bytes} {green}, {mask}")
        last = self._define(f"shufflevector {self.bytes} {blue}, {self.bytes} {blue}, {mask}")
        mixed = self._define(
            f"shufflevector {two} {first}, {two} {last}, "
            f"<{3 * AT_ONCE} x i32> {vector('i32', order)}"
        )
        place = self._define(f"mul i64 {at}, {3 * AT_ONCE}")
        to = self._define(f"getelementptr i8, ptr %bytes, i64 {place}")
        self._emit(f"  store <{3 * AT_ONCE} x i8> {mixed}, ptr {to}, align 1")

    def _constant(self, value: object, floats: bool) -> str:
        kind = "double" if floats or isinstance(value, float) else "i64"
        kind = "i1" if isinstance(value, bool) else kind
        return f"splat ({kind} {constant(value, floats)})"


def _row(name: str) -> str | tuple[str, ...]:
    text = ON_FLOATS[name].llvm
    assert text is not None
    return text


def _loaded(slot: ColumnSlot) -> list[str]:
    name = slot.name.lower()
    return [
        f"  %{name}.word = getelementptr i64, ptr %w, i64 {slot.value}",
        f"  %{name} = load i64, ptr %{name}.word",
    ]


def _operands() -> list[str]:
    """Lines that find where the result and the operands of an operation are."""
    lines = []
    for number, name in enumerate(
        ["out", *(f"{one}{two}" for one in OPERANDS for two in ("", ".step"))]
    ):
        lines += [
            f"  %{name}.at = getelementptr i64, ptr %op.from, i64 {number + 1}",
            f"  %{name}.word = load i64, ptr %{name}.at",
        ]
    lines += [
        f"  %{name} = getelementptr i8, ptr %all, i64 %{name}.word" for name in ("out", *OPERANDS)
    ]
    lines += [f"  %{name}.step = add i64 %{name}.step.word, 0" for name in OPERANDS]
    return lines
