"""The subset of Python that becomes machine code: what functions may say, and what it means.

There are two kinds of such functions. *Kernels* work on whole numbers and buffers, with loops and
all; `kernels/kernel.py` has what they use. *Functions of floats* (one of their annotations is
`float`) only compute; so they are there for many numbers at once as well, a lane for each. Those of
`core/numbers/maths.py` are the ones that programs use.

Values have 64 bits, and are of kinds that do not mix:

- `int`, signed. As Python as long as results fit; beyond that machine code wraps silently.
- `float`. Every operation is rounded by itself, as in Python.
- words, unsigned: what is read from a `U64` buffer, and what `word(x)` gives, the low 64 bits of
  anything. Python does not wrap words: say `word(a << 1)`, `word(a + b)`; `~a` belongs inside an
  `&`. `int(a)` is the same bits as an `int`.
- `Lanes`, eight words at once, for vector instructions: `lanes(buffer, at)` reads them,
  `put_lanes(buffer, at, value)` stores them.

What is known before anything runs (numbers, numbers of the module by name, those of a module that
it imports, and what is computed from such) is computed by Python.

Parameters are `int`, `float`, or buffers: I8 U8 I32 I64 U64, anything writable of that item size
(array, bytearray, ctypes array). Reads widen and stores cut off. An index outside a buffer is
not noticed, and the buffers of one call must not overlap.

- Statements: `=` (also `a, b = b, a`) and `return`. In kernels also `+=` and the like, `if`,
  `while`, `for i in range(...)` with a step that never changes, `break`, `continue`, `pass`. In
  functions of floats, `if ...: return function(...)` is for what is rare.
- `+ - * & | ^ ~`; `//` and `%` round down as in Python, and must not divide by 0; `<<` and `>>`
  take 0 to 63 bits, and `>>` keeps the sign of an `int`. Floats have `+ - * /`.
- Comparisons, in kernels also chained; `and`, `or`, `not` in conditions; `a if c else b`. Kernels
  compute no more of these than Python does, functions of floats all, and take one.
- `min`, `max` of two, `word`, `int`, `ctz` (64 for 0) and `popcount`; of floats `abs`, `bits`,
  `from_bits` and `float`; `TABLE[i]` of a list of the module.
- Calls of other such functions. What functions of floats call only computes, too, and may give a
  tuple.
"""

from __future__ import annotations

import ast
import inspect
import operator
import struct
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, NoReturn

Function = Callable[..., Any]

BUFFERS = {
    "I8": ("sext", 8), "U8": ("zext", 8), "I32": ("sext", 32), "I64": ("", 64), "U64": ("", 64)
}  # fmt: skip
"""How an item becomes a number of 64 bits, and how many it has."""
TYPES = {
    "int": "i64", "word": "i64", "literal": "i64", "lanes": "<8 x i64>", "float": "double",
    "truth": "i1",
}  # fmt: skip
"""Of values, by kind."""


class Operator(NamedTuple):
    """What an operator is: for numbers that are known, and the instruction for each kind."""

    known: Callable[[Any, Any], Any]
    int: str = ""
    word: str = ""
    float: str = ""
    truth: str = ""


OPERATIONS: dict[type[ast.operator], Operator] = {
    ast.Add: Operator(operator.add, "add", "add", "fadd"),
    ast.Sub: Operator(operator.sub, "sub", "sub", "fsub"),
    ast.Mult: Operator(operator.mul, "mul", "mul", "fmul"),
    ast.Div: Operator(operator.truediv, float="fdiv"),
    ast.FloorDiv: Operator(operator.floordiv, "sdiv", "udiv"),
    ast.Mod: Operator(operator.mod, "srem", "urem"),
    ast.Pow: Operator(operator.pow),
    ast.BitAnd: Operator(operator.and_, "and", "and"),
    ast.BitOr: Operator(operator.or_, "or", "or"),
    ast.BitXor: Operator(operator.xor, "xor", "xor"),
    ast.LShift: Operator(operator.lshift, "shl", "shl"),
    ast.RShift: Operator(operator.rshift, "ashr", "lshr"),
}
COMPARISONS: dict[type[ast.cmpop], Operator] = {
    ast.Eq: Operator(operator.eq, "icmp eq", "icmp eq", "fcmp oeq", "icmp eq"),
    ast.NotEq: Operator(operator.ne, "icmp ne", "icmp ne", "fcmp une", "icmp ne"),
    ast.Lt: Operator(operator.lt, "icmp slt", "icmp ult", "fcmp olt"),
    ast.LtE: Operator(operator.le, "icmp sle", "icmp ule", "fcmp ole"),
    ast.Gt: Operator(operator.gt, "icmp sgt", "icmp ugt", "fcmp ogt"),
    ast.GtE: Operator(operator.ge, "icmp sge", "icmp uge", "fcmp oge"),
}
BUILTIN = {
    "ctz": ("llvm.cttz.i64(i64 {}, i1 false)",) * 2,
    "popcount": ("llvm.ctpop.i64(i64 {})",) * 2,
    "min": ("llvm.smin.i64(i64 {}, i64 {})", "llvm.umin.i64(i64 {}, i64 {})"),
    "max": ("llvm.smax.i64(i64 {}, i64 {})", "llvm.umax.i64(i64 {}, i64 {})"),
}
"""For an `int`, and for a word."""


class SubsetError(Exception):
    """Something in a function that is not part of the subset."""


class Computed(NamedTuple):
    """A value that machine code computes: its name in the text, and its kind. What is known
    before is a plain number of Python instead."""

    text: str
    kind: str  # one of `TYPES`; `literal` may be an int or a word


class Signature(NamedTuple):
    """What can be told of a function before it is looked at closely."""

    parameters: dict[str, str]  # `int`, `float`, or the type of a buffer
    of_floats: bool
    straight: bool  # whether it only computes: assignments, a `return`, and what is rare before


@cache
def tree_of(function: Function) -> Any:
    return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]


@cache
def signature_of(function: Function) -> Signature:
    tree = tree_of(function)
    given = {arg.arg: _parameter(function, arg) for arg in tree.args.args}
    returns = ast.unparse(tree.returns) if tree.returns else ""
    of_floats = "float" in returns or "float" in given.values()
    body = [statement for statement in tree.body if not is_docstring(statement)]
    straight = not BUFFERS.keys() & set(given.values()) and all(
        isinstance(statement, ast.Assign) or (of_floats and is_rare(statement))
        for statement in body[:-1]
    )
    ends = bool(body) and isinstance(body[-1], ast.Return) and body[-1].value is not None
    return Signature(given, of_floats, straight and ends)


def _parameter(function: Function, arg: ast.arg) -> str:
    name: str = getattr(arg.annotation, "id", "")
    if name not in ("int", "float") and name not in BUFFERS:
        refuse(function, arg, "a parameter is an int, a float or a buffer such as U8")
    return name


def is_docstring(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(statement, ast.Expr) and isinstance(getattr(value, "value", None), str)


def is_rare(statement: ast.stmt) -> bool:
    """Whether it is `if ...: return function(...)`."""
    if not isinstance(statement, ast.If) or statement.orelse or len(statement.body) > 1:
        return False
    only = statement.body[0]
    return isinstance(only, ast.Return) and isinstance(only.value, ast.Call)


def kind_of(value: Any) -> str:
    if isinstance(value, Computed):
        return value.kind
    if isinstance(value, float):
        return "float"
    return "int" if value < 0 else "word" if value >= 1 << 63 else "literal"


def parts_of(value: Any) -> tuple[Any, ...]:
    """The values of a tuple, or the only one."""
    return value if isinstance(value, tuple) and not isinstance(value, Computed) else (value,)


def constant(value: Any, kind: str) -> str | None:
    """A plain number as text; None if it has not that kind."""
    if kind == "float":
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    if not isinstance(value, int) or not -(1 << 63) <= value < 1 << 64:
        return None
    if kind == "truth":
        return str(bool(value)).lower()
    return str(value - (1 << 64) if value >= 1 << 63 else int(value))


def refuse(function: Function, node: ast.AST, why: str) -> NoReturn:
    """Say where something is that cannot be."""
    line = function.__code__.co_firstlineno + getattr(node, "lineno", 1) - 1
    raise SubsetError(f"{function.__code__.co_filename}:{line}: {why}")
