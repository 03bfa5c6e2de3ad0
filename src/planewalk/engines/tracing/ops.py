"""Every operation of traced code, in one table: what it means, and how each back end says it.

Operations on numbers alone have a row each, for whole numbers or for floats. `meaning` is a Python
function; the tests do the operation on every back end with numbers at all edges, and compare. The
columns of the back ends are templates of their languages, in which {0} and {1} are the operands:

- `python`: an expression.
- `llvm`: instructions one after the other, of which the last gives the value; names before `=` are
  those of values in between. Types are {real} for floats, {word} for whole numbers, {truth} for
  truths and {narrow} for floats of 32 bits: a vector of them in lanes, and {form} is how LLVM's own
  functions call such floats. So machine code, lanes and cards say it with the same words.
- `wgsl`: an expression, of 32-bit floats. Functions that shaders lack stand in `gpu/library.py`.

A column that is `BY_HAND` needs more than a template: there the back end has a function for it. One
that is None is refused: what needs it is left to other engines.

Operations on the state of a run have no such columns, since each back end keeps the state in its
own way: their rows say where they are known. So it is with effects, which change it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import copysign
from typing import Any

from ...core.base.named import NamedTuple
from ...core.numbers.float32 import f32
from ...core.numbers.pure import PURE, quotient
from ...core.plane import ANY_NUMBER, Range

INFINITE = float("inf")
LEAST, MOST = -(1 << 63), (1 << 63) - 1
WORD, WIDE = 64, 128
"""Bits of the whole numbers that machine code computes with: the second where the first are too
few."""
LONG = 1 << 2048
"""Numbers beyond this are left to the reference engine, which watches the memory limit."""
BY_HAND = "by hand"


class PureOp(NamedTuple):
    """An operation whose result depends on its operands alone."""

    name: str
    takes: str  # a letter for each operand: i for a whole number, f for a float, b for a truth
    gives: str  # `int`, `float` or `bool`
    meaning: Callable[..., Any]
    python: str | None = None
    llvm: str | tuple[str, ...] | None = None
    wgsl: str | None = None
    range: Callable[..., Range] | None = None
    """Between which numbers the result lies, given that of each operand."""
    idle: bool = True  # whether it does no harm to do it in vain, as lanes do that wait for others
    narrow: bool = False
    """Whether 32-bit floats give the rounded result of the same operation on 64-bit floats."""


class StateOp(NamedTuple):
    """An operation that looks at the state of a run."""

    name: str
    gives: str  # as above; `number` is what the stack holds, `pair` is two whole numbers
    where: str  # the back ends that know it
    changes: bool = False
    """Whether it depends on when it is done; all others give the same within one tree."""
    range: Callable[..., Range] | None = None
    narrow: bool = False  # whether a float that it gives has 32 bits


class Effect(NamedTuple):
    """Something that changes the state of a run, in its place among all others."""

    name: str
    changes: str
    where: str


# Ranges ------------------------------------------------------------------------------------------


def total(a: float, b: float) -> float:
    """Of two ends of ranges, which may be too long to become the floats that infinities are."""
    if abs(a) == INFINITE:
        return a
    return b if abs(b) == INFINITE else a + b


def _sum(one: Range, other: Range) -> Range:
    return total(one[0], other[0]), total(one[1], other[1])


def _difference(one: Range, other: Range) -> Range:
    return total(one[0], -other[1]), total(one[1], -other[0])


def _product(one: Range, other: Range) -> Range:
    if INFINITE in map(abs, (*one, *other)):
        return ANY_NUMBER
    corners = [a * b for a in one for b in other]
    return min(corners), max(corners)


def _quotient(one: Range, other: Range) -> Range:
    if other[0] != other[1] or other[0] == 0 or INFINITE in map(abs, one):
        return ANY_NUMBER
    ends = [quotient(int(end), int(other[0])) for end in one]
    return min(ends), max(ends)


def _remainder(one: Range, other: Range) -> Range:
    if other[0] != other[1]:
        return ANY_NUMBER
    most = abs(other[0]) - 1
    return (0 if one[0] >= 0 else -most), (0 if one[1] <= 0 else most)


def _modulo(one: Range, other: Range) -> Range:
    return (0, other[0] - 1) if 0 < other[0] == other[1] else ANY_NUMBER


def _common_bits(one: Range, other: Range) -> Range:
    return (0, other[0]) if 0 <= other[0] == other[1] else ANY_NUMBER


def _shifted(one: Range, other: Range) -> Range:
    if other[0] != other[1] or other[0] < 0:
        return ANY_NUMBER
    low, high = (end if abs(end) == INFINITE else int(end) >> int(other[0]) for end in one)
    return low, high


def _always(low: float, high: float) -> Callable[..., Range]:
    return lambda *_: (low, high)


# Operations on numbers ---------------------------------------------------------------------------


def fits(number: int) -> bool:
    """Whether a whole number has no more than 64 bits."""
    return LEAST <= number <= MOST


def range_of_bits(bits: int) -> tuple[int, int]:
    """The whole numbers of so many bits."""
    return -(1 << bits - 1), (1 << bits - 1) - 1


def _overflow(act: Callable[[int, int], int]) -> Callable[[int, int], bool]:
    return lambda a, b: not fits(act(a, b))


def _overflowing(name: str) -> tuple[str, ...]:
    called = f"@llvm.{name}.with.overflow.{{word}}({{word}} {{0}}, {{word}} {{1}})"
    return f"both = call {{{{{{word}}, i1}}}} {called}", "extractvalue {{{word}, i1}} {both}, 1"


def _call(name: str, operands: int = 1) -> str:
    """LLVM for a function of floats: one of LLVM's own, or one of `core/numbers/maths.py`."""
    name = f"{name}.{{form}}" if name.startswith("llvm.") else f"planewalk.{name}"
    return f"call {{real}} @{name}({', '.join(f'{{real}} {{{i}}}' for i in range(operands))})"


def _compared(symbol: str, meaning: Any, on_floats: str, on_whole: str = "") -> list[PureOp]:
    """Only two comparisons of whole numbers are ever made: others are these, turned round."""
    text = f"{{0}} {symbol} {{1}}"
    # Drivers take NaN for no different from anything.
    shown = "!({0} == {1})" if symbol == "!=" else f"({text})"
    rows = [
        PureOp(symbol, "ff", "bool", meaning, text,
               f"fcmp {on_floats} {{real}} {{0}}, {{1}}", shown),
    ]  # fmt: skip
    if on_whole:
        rows.append(
            PureOp(symbol, "ii", "bool", meaning, text,
                   f"icmp {on_whole} {{word}} {{0}}, {{1}}", shown)
        )  # fmt: skip
    return rows


def _is_short(value: int) -> bool:
    return -LONG < value < LONG


def same(a: float, b: float) -> bool:
    """Whether two floats are one number, sign of zero included."""
    return a == b and (a != 0 or copysign(1, a) == copysign(1, b))


_EXTREME = ("smallest = icmp eq {word} {0}, {least}", "minus = icmp eq {word} {1}, -1",
            "and i1 {smallest}, {minus}")  # fmt: skip

ROWS: list[PureOp] = [
    # Whole numbers, of any size in Python. In machine code they have 64 bits: where a result may
    # have more, `overflow` is asked before.
    PureOp("+", "ii", "int", operator.add, "{0} + {1}", "add {word} {0}, {1}", range=_sum),
    PureOp("-", "ii", "int", operator.sub, "{0} - {1}", "sub {word} {0}, {1}", range=_difference),
    PureOp("*", "ii", "int", operator.mul, "{0} * {1}", "mul {word} {0}, {1}", range=_product),
    PureOp("overflow +", "ii", "bool", _overflow(operator.add), llvm=_overflowing("sadd"),
           idle=False),
    PureOp("overflow -", "ii", "bool", _overflow(operator.sub), llvm=_overflowing("ssub"),
           idle=False),
    PureOp("overflow *", "ii", "bool", _overflow(operator.mul), llvm=_overflowing("smul"),
           idle=False),
    PureOp("overflow /", "ii", "bool", lambda y, x: (y, x) == (LEAST, -1), llvm=_EXTREME,
           idle=False),
    PureOp("&", "ii", "int", operator.and_, "{0} & {1}", "and {word} {0}, {1}", BY_HAND,
           range=_common_bits),
    PureOp(">>", "ii", "int", operator.rshift, "{0} >> {1}", BY_HAND, BY_HAND, range=_shifted),
    PureOp("%", "ii", "int", operator.mod, "{0} % {1}", BY_HAND, range=_modulo, idle=False),
    PureOp("//", "ii", "int", operator.floordiv, "{0} // {1}"),
    PureOp("quotient", "ii", "int", quotient, "quotient({0}, {1})", "sdiv {word} {0}, {1}",
           range=_quotient, idle=False),
    PureOp("remainder", "ii", "int", lambda y, x: y - quotient(y, x) * x,
           "{0} - quotient({0}, {1}) * {1}", "srem {word} {0}, {1}", range=_remainder, idle=False),
    PureOp("abs", "i", "int", abs, "abs({0})"),
    PureOp("long", "i", "bool", lambda x: not _is_short(x), "not -LONG < {0} < LONG"),
    PureOp("wide", "ii", "bool", lambda y, x: not (_is_short(y) and _is_short(x)),
           "not (-LONG < {0} < LONG and -LONG < {1} < LONG)"),
    PureOp("float", "i", "float", float, "float({0})", "sitofp {word} {0} to {real}", "f32({0})"),
    # Truths.
    PureOp("not", "b", "bool", operator.not_, "not {0}", "xor {truth} {0}, {true}", "!{0}"),
    PureOp("number", "b", "int", PURE["number"], "1 if {0} else 0",
           "zext {truth} {0} to {word}", range=_always(0, 1)),
    *_compared("<", operator.lt, "olt", "slt"),
    *_compared("<=", operator.le, "ole"),
    *_compared(">", operator.gt, "ogt"),
    *_compared(">=", operator.ge, "oge"),
    *_compared("==", operator.eq, "oeq", "eq"),
    *_compared("!=", operator.ne, "une"),
    PureOp("same", "ff", "bool", same, "same({0}, {1})",
           ("one = bitcast {real} {0} to {word}", "other = bitcast {real} {1} to {word}",
            "icmp eq {word} {one}, {other}"), BY_HAND),
    # Floats of 64 bits; what the stack keeps of one is rounded to 32.
    PureOp("+", "ff", "float", operator.add, "{0} + {1}", "fadd {real} {0}, {1}", "({0} + {1})",
           narrow=True),
    PureOp("-", "ff", "float", operator.sub, "{0} - {1}", "fsub {real} {0}, {1}", "({0} - {1})",
           narrow=True),
    PureOp("*", "ff", "float", operator.mul, "{0} * {1}", "fmul {real} {0}, {1}", "({0} * {1})",
           narrow=True),
    PureOp("%", "ff", "float", operator.mod, "{0} % {1}"),
    PureOp("//", "ff", "float", operator.floordiv, "{0} // {1}"),
    PureOp("round", "f", "float", f32, "f32({0})",
           ("short = fptrunc {real} {0} to {narrow}", "fpext {narrow} {short} to {real}"), "{0}"),
    PureOp("divide", "ff", "float", PURE["divide"], "divide({0}, {1})", "fdiv {real} {0}, {1}",
           "divide({0}, {1})", narrow=True),
    PureOp("modulo", "ff", "float", PURE["modulo"], "modulo({0}, {1})",
           ("share = fdiv {real} {0}, {1}",
            "whole = call {real} @llvm.floor.{form}({real} {share})",
            "product = fmul {real} {1}, {whole}", "fsub {real} {0}, {product}"),
           "modulo({0}, {1})"),
    PureOp("abs", "f", "float", abs, "abs({0})", _call("llvm.fabs"), "abs({0})", narrow=True),
    PureOp("absolute", "f", "float", PURE["absolute"], "absolute({0})", _call("llvm.fabs"),
           "abs({0})", narrow=True),
    PureOp("floor", "f", "float", PURE["floor"], "floor({0})", _call("llvm.floor"), "floor({0})",
           narrow=True),
    PureOp("sqrt", "f", "float", PURE["sqrt"], "sqrt({0})", _call("llvm.sqrt"), "root({0})",
           narrow=True),
    PureOp("least", "ff", "float", PURE["least"], "least({0}, {1})", _call("llvm.minimum", 2),
           "least({0}, {1})", narrow=True),
    PureOp("most", "ff", "float", PURE["most"], "most({0}, {1})", _call("llvm.maximum", 2),
           "most({0}, {1})", narrow=True),
    PureOp("defined", "f", "float", PURE["defined"], "defined({0})",
           ("known = fcmp ord {real} {0}, zeroinitializer",
            "select {truth} {known}, {real} {0}, {real} zeroinitializer"), narrow=True),
    PureOp("sin", "f", "float", PURE["sin"], "sin({0})", _call("sin"), "sine({0})"),
    PureOp("cos", "f", "float", PURE["cos"], "cos({0})", _call("cos"), "cosine({0})"),
    PureOp("exp", "f", "float", PURE["exp"], "exp({0})", _call("exp"), "exponential({0})"),
    PureOp("log", "f", "float", PURE["log"], "log({0})", _call("log"), "logarithm({0})"),
    PureOp("power", "ff", "float", PURE["power"], "power({0}, {1})", _call("power", 2),
           "power({0}, {1})"),
]  # fmt: skip

ON_FLOATS: dict[str, PureOp] = {row.name: row for row in ROWS if "f" in row.takes}
ON_OTHERS: dict[str, PureOp] = {row.name: row for row in ROWS if "f" not in row.takes}
PURE_OPS: dict[str, PureOp] = {**ON_FLOATS, **ON_OTHERS}
"""By name; where there are two rows, they mean the same in Python."""
COMPARING = {name for name, row in ON_FLOATS.items() if row.gives == "bool" and name != "same"}


# Operations on the state of a run ----------------------------------------------------------------


def _below(bound: Range, counter: Range) -> Range:
    return 0, total(bound[1], -1)


CODE, PIXELS, TICK = "python native interpreter", "lanes wgsl", "interpreter"
PLAIN = "python native"
COUNT = _always(0, INFINITE)

STATE_ROWS = [
    # Where values stand when a tree begins.
    StateOp("slot", "number", f"{PLAIN} {PIXELS}", narrow=True),
    StateOp("under", "number", CODE, narrow=True),
    StateOp("register", "number", f"{CODE} {PIXELS}", narrow=True),
    StateOp("either", "number", f"{CODE} {PIXELS}", narrow=True),
    StateOp("hand", "int", CODE),
    StateOp("given", "float", PIXELS, narrow=True),
    StateOp("place", "int", TICK),
    StateOp("width", "int", TICK),
    StateOp("sure", "int", TICK),
    StateOp("deep", "int", TICK),
    # Time and chance.
    StateOp("tick", "int", CODE, range=_always(0, MOST)),
    StateOp("draw", "int", f"{CODE} {PIXELS}", range=_always(0, (1 << 64) - 1)),
    StateOp("counter", "int", CODE, range=_always(0, MOST)),
    StateOp("below", "pair", CODE, range=_below),
    StateOp("drawn", "int", CODE, range=lambda pair: pair),
    StateOp("counted", "int", CODE, range=_always(0, MOST)),
    # What a program is given with, and lists to choose from.
    StateOp("sample", "float", f"{CODE} lanes", narrow=True),
    StateOp("text", "float", PIXELS, narrow=True),
    StateOp("chosen", "float", PIXELS, narrow=True),
    # The plane and the input: what may be something else a moment later.
    StateOp("cell", "int", CODE, changes=True),
    StateOp("height", "int", CODE, changes=True, range=COUNT),
    StateOp("count", "int", "python", changes=True, range=COUNT),
    StateOp("least_x", "int", "python", changes=True),
    StateOp("most_x", "int", "python", changes=True),
    StateOp("least_y", "int", "python", changes=True),
    StateOp("most_y", "int", "python", changes=True),
    StateOp("input", "int", CODE, changes=True, range=_always(0, 255)),
    # Questions that end in branches, asked there and nowhere else.
    StateOp("has", "bool", CODE),
    StateOp("near", "bool", TICK),
    StateOp("inside", "bool", TICK),
    StateOp("brisk", "bool", TICK),
    StateOp("coded", "bool", CODE),
    StateOp("roomy", "bool", CODE),
    StateOp("fed", "bool", CODE),
    StateOp("closed", "bool", CODE),
]
STATE_OPS: dict[str, StateOp] = {row.name: row for row in STATE_ROWS}
CHANGING = {row.name for row in STATE_ROWS if row.changes}
"""Operations that read what may change; all others give the same whenever they are done."""

NARROW = {"round", *(row.name for row in STATE_ROWS if row.narrow)}
"""Operations whose floats need not be rounded to 32 bits: they are."""

EFFECTS: dict[str, Effect] = {
    row.name: row
    for row in [
        Effect("let", "nothing, but computes a value now", CODE),
        Effect("put", "the plane", CODE),
        Effect("grow", "the plane", CODE),
        Effect("read", "the input", CODE),
        Effect("byte", "the output", CODE),
        Effect("bytes", "the output", CODE),
        Effect("number", "the output", CODE),
        Effect("poke", "the stack", TICK),
        Effect("pluck", "the stack", TICK),
    ]
}

RANGES: dict[str, Callable[..., Range]] = {
    name: known
    for name, known in [
        *((row.name, row.range) for row in ON_OTHERS.values()),
        *((row.name, row.range) for row in STATE_ROWS),
    ]
    if known is not None
}
