"""Values as LLVM IR: single numbers here, many at once in other writers.

Whole numbers are 64 bits wide (128 in `wide.py`); whatever would overflow leaves before it happens.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, ClassVar

from ...core.base.named import NamedTuple
from ...core.numbers import chance
from ..compiled.unit import NotCompilable
from ..tracing.ir import Node, Register, bounds_of, kind_of
from ..tracing.ops import (  # fmt: skip
    BY_HAND,
    INFINITE,
    LEAST,
    MOST,
    ON_FLOATS,
    ON_OTHERS,
    ROWS,
    WORD,
    range_of_bits,
)

PURE_CALL = "nounwind willreturn memory(none)"
OURS = "planewalk."
STEP = re.compile(r"(?:(\w+) = )?(.+)")
CALL = re.compile(r"call {real} @([\w.{}]+)\((.*)\)")


class LineOfIR(NamedTuple):
    """One instruction of a row of the table: the name of its value, and the text."""

    name: str
    text: str
    calls: str  # the function that it calls, if there is one that has to be declared or defined


@cache
def steps(text: str | tuple[str, ...]) -> list[LineOfIR]:
    """The instructions that a row has for machine code."""
    found = []
    for line in (text,) if isinstance(text, str) else text:
        step = STEP.fullmatch(line)
        assert step is not None
        call = CALL.fullmatch(step[2])
        found.append(LineOfIR(step[1] or "", step[2], call[1] if call else ""))
    return found


OPERANDS = {
    call[1].removesuffix(".{form}"): call[2].count("{real}")
    for row in ROWS
    for line in ((row.llvm,) if isinstance(row.llvm, str) else row.llvm or ())
    for call in CALL.finditer(line)
}
"""How many each of the functions takes that rows call."""


class Unwritable(NotCompilable):
    """These trees need something that native code does not have; the words say what."""


class ValueWriter:
    """Writes lines that compute values, each under a name of its own."""

    real, narrow, word, truth = "double", "float", "i64", "i1"
    """The types of values; other writers compute many values at once."""
    bits = WORD  # how many a whole number has

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.used: set[str] = set()  # functions that have to be declared or defined
        self.count = 0

    def value(self, value: Any, there: dict[int, str], floats: bool = False) -> str:
        """The name of a value; whatever it needs is computed first, in the order of making."""
        if not isinstance(value, Node):
            return self._constant(value, floats)
        if _is_unsigned(value):
            raise Unwritable("it uses all 64 bits of chance as a number")
        needed, work, seen = [], [value], {value.id}
        while work:
            node = work.pop()
            if node.id in there:
                continue
            needed.append(node)
            for arg in self._needs(node):
                if isinstance(arg, Node) and arg.id not in seen:
                    seen.add(arg.id)
                    work.append(arg)
        for node in sorted(needed, key=lambda node: node.id):
            there[node.id] = self._compute(node, there)
        return there[value.id]

    def _needs(self, node: Node) -> tuple[Any, ...]:
        """What has to be there before a node is computed."""
        return node.args

    def _compute(self, node: Node, there: dict[int, str]) -> str:
        """The name of a value whose operands are there."""
        op = node.op
        floats = "float" in map(kind_of, node.args)
        whole = any(isinstance(a, Node) and a.kind == "int" for a in node.args)
        if whole and (floats or (op in ON_FLOATS and op not in ON_OTHERS)):
            raise Unwritable("it mixes whole numbers and floats")
        if op not in ("&", ">>", "%") and any(map(_is_unsigned, node.args)):
            raise Unwritable("it uses all 64 bits of chance as a number")
        args = [there[a.id] if isinstance(a, Node) else a for a in node.args]
        args = [a if isinstance(a, (str, Register)) else self._constant(a, floats) for a in args]
        return self._operation(node, args, floats)

    by_hand: ClassVar[dict[str, str]] = {">>": "_shift", "%": "_modulo"}
    """Operations that need more than a template, and the methods that write them."""

    def _operation(self, node: Node, args: list[str], floats: bool) -> str:
        """An operation on operands with these names; `floats` says if any of them is a float."""
        row = (ON_FLOATS if floats else ON_OTHERS).get(node.op)
        method = self.by_hand.get(node.op) if row is None or row.llvm == BY_HAND else None
        if method is not None:
            written: str = getattr(self, method)(node, args)
            return written
        if row is None or row.llvm is None:
            raise Unwritable(f"machine code has no {node.op!r}")
        return self._expand(row.llvm, args, self.real)

    def _real(self, op: str, args: list[str], real: str) -> str:
        """An operation on floats of that type."""
        text = ON_FLOATS[op].llvm
        assert text is not None
        return self._expand(text, args, real)

    def _expand(self, text: str | tuple[str, ...], args: list[str], real: str) -> str:
        """What a row of the table says, with these operands."""
        names = {
            "real": real, "narrow": self.narrow, "word": self.word, "truth": self.truth,
            "form": _suffix(real), "true": self._constant(True, False),
            "least": str(range_of_bits(self.bits)[0]),
        }  # fmt: skip
        value = ""
        for step in steps(text):
            if step.calls:
                self.used.add(step.calls.format(**names))
            value = names[step.name] = self.define(step.text.format(*args, **names))
        return value

    def mixed(self, stirred_seed: str, counter: str) -> str:
        """`chance.mix` of a seed that has been stirred and a counter."""
        word, number = self.word, partial(self._constant, floats=False)
        steps = self.define(f"mul {word} {counter}, {number(signed(chance.STRIDE))}")
        return self.stirred(self.define(f"add {word} {stirred_seed}, {steps}"))

    def stirred(self, bits: str) -> str:
        """`chance.stir`."""
        word, number = self.word, partial(self._constant, floats=False)
        for shift, factor in chance.STIRS:
            high = self.define(f"lshr {word} {bits}, {number(shift)}")
            folded = self.define(f"xor {word} {bits}, {high}")
            bits = self.define(f"mul {word} {folded}, {number(signed(factor))}")
        high = self.define(f"lshr {word} {bits}, {number(chance.LAST_SHIFT)}")
        return self.define(f"xor {word} {bits}, {high}")

    def _shift(self, node: Node, args: list[str]) -> str:
        by = node.args[1]
        if not isinstance(by, int) or not 0 <= by < 64:  # LLVM may make anything of it
            raise Unwritable("it shifts by more than 63 bits, or by a number that is not known")
        number = node.args[0]
        logical = isinstance(number, Node) and number.low >= 0  # all 64 bits may be in use
        shift = "lshr" if logical else "ashr"
        return self.define(f"{shift} {self.word} {args[0]}, {args[1]}")

    def _modulo(self, node: Node, args: list[str]) -> str:
        dividend, divisor = node.args
        if not isinstance(divisor, int) or divisor <= 0:
            raise Unwritable(f"machine code has no {node.op!r}")
        if divisor & (divisor - 1) == 0:
            return self.define(f"and {self.word} {args[0]}, {divisor - 1}")
        low, high = bounds_of(dividend)
        if -divisor <= low and high < 2 * divisor:  # one round beyond at most
            return self._wrapped(args[0], low, high, divisor)
        if low < 0:
            return self._rounded_down(args)
        return self.define(f"urem {self.word} {args[0]}, {args[1]}")

    def _rounded_down(self, args: list[str]) -> str:
        """What is left after a division that rounds down, by a number above 0."""
        rest = self.define(f"srem {self.word} {args[0]}, {args[1]}")
        below = self.define(f"icmp slt {self.word} {rest}, 0")
        raised = self.define(f"add {self.word} {rest}, {args[1]}")
        return self.define(f"select i1 {below}, {self.word} {raised}, {self.word} {rest}")

    def _wrapped(self, value: str, low: float, high: float, size: int) -> str:
        word = self.word
        if low < 0:
            below = self.define(f"icmp slt {word} {value}, 0")
            raised = self.define(f"add {word} {value}, {size}")
            value = self.define(f"select i1 {below}, {word} {raised}, {word} {value}")
        if high >= size:
            beyond = self.define(f"icmp sge {word} {value}, {size}")
            lowered = self.define(f"sub {word} {value}, {size}")
            value = self.define(f"select i1 {beyond}, {word} {lowered}, {word} {value}")
        return value

    def _constant(self, value: Any, floats: bool) -> str:
        return constant(value, floats)

    def _own_maths(self) -> list[str]:
        """Those of our own functions that were used."""
        return [name[len(OURS) :] for name in sorted(self.used) if name.startswith(OURS)]

    def _declared_maths(self) -> list[str]:
        """Lines that declare LLVM's own functions that were used."""
        lines = []
        for name in sorted(self.used):
            if name.startswith("llvm."):
                kind = self.narrow if name.endswith("f32") else self.real
                given = ", ".join([kind] * OPERANDS[name.rpartition(".")[0]])
                lines.append(f"declare {kind} @{name}({given}) {PURE_CALL}")
        return lines

    def define(self, text: str) -> str:
        """Give what is computed a name."""
        self.count += 1
        self.emit(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def emit(self, line: str) -> None:
        """Write a line."""
        self.lines.append(line)

    @contextmanager
    def aside(self) -> Iterator[list[str]]:
        """Gives what is written meanwhile, which does not become part of the lines."""
        before, self.lines = self.lines, []
        try:
            yield self.lines
        finally:
            self.lines = before


def below_ir() -> str:
    """`chance.below` for bounds of 64 bits; takes a seed that has been stirred."""
    loop = ValueWriter()
    bits = loop.mixed("%seed", "%counter")
    return f"""
define internal {{i64, i64}} @below(i64 %seed, i64 %bound, i64 %first) noinline {PURE_CALL} {{
start:
  %last = sub i64 %bound, 1
  %alone = icmp eq i64 %last, 0
  %surplus = call i64 @llvm.ctlz.i64(i64 %last, i1 false)
  %shift = select i1 %alone, i64 0, i64 %surplus
  br label %draw
draw:
  %counter = phi i64 [ %first, %start ], [ %next, %draw ]
{chr(10).join(loop.lines)}
  %next = add i64 %counter, 1
  %shifted = lshr i64 {bits}, %shift
  %drawn = select i1 %alone, i64 0, i64 %shifted
  %fits = icmp ult i64 %drawn, %bound
  br i1 %fits, label %done, label %draw
done:
  %one = insertvalue {{i64, i64}} undef, i64 %drawn, 0
  %both = insertvalue {{i64, i64}} %one, i64 %next, 1
  ret {{i64, i64}} %both
}}"""


def _is_unsigned(value: Any) -> bool:
    """Whether a number may need all 64 bits, where others have a sign."""
    return isinstance(value, Node) and value.op in ("draw", ">>") and MOST < value.high < INFINITE


@cache
def _suffix(real: str) -> str:
    """How LLVM's own functions on floats of that type are called."""
    count, _, kind = real.strip("<>").rpartition(" x ")
    return (f"v{count}" if count else "") + {"double": "f64", "float": "f32"}[kind]


def signed(bits: int) -> int:
    """64 bits as a number with a sign."""
    return bits - (1 << 64) if bits > MOST else bits


def constant(value: Any, floats: bool) -> str:
    """A plain number as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if floats or isinstance(value, float):
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    if not LEAST <= value <= MOST:
        raise Unwritable("it holds a number of more than 64 bits")
    return str(value)
