"""Values as WGSL expressions, and which of them should have a name."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any

from ...core.errors import EngineRefused
from ..tracing.ir import COMPARING, Node
from .library import INFINITY, NAN
from .numerals import numeral

FUNCTIONS = {
    "divide": "divide",
    "floor": "floor",
    "modulo": "modulo",
    "sqrt": "root",
    "sin": "sine",
    "cos": "cosine",
    "exp": "exponential",
    "log": "logarithm",
    "power": "power",
    "least": "least",
    "most": "most",
    "absolute": "abs",
    "abs": "abs",
    "text": "look",
}
"""Words, and the functions that they are in a shader."""

LONGEST = 70
"""Letters of an expression before a part of it gets a name."""

OPEN = ("slot", "register", "either")


def unrounded(value: Any) -> Any:
    """Everything is rounded to 32 bits here, so rounding says nothing."""
    while isinstance(value, Node) and value.op == "round":
        value = value.args[0]
    return value


def open_in(values: list[Any], there: set[int]) -> Iterator[Node]:
    """The slots and registers that an expression reads itself, not through a name."""
    work = [unrounded(value) for value in values]
    while work:
        value = work.pop()
        if isinstance(value, Node) and value.id not in there:
            if value.op in ("slot", "register"):
                yield value
            work += [unrounded(arg) for arg in value.args]


def named(wanted: list[Any], there: set[int]) -> list[Node]:
    """What should have a name: what is used more than once, and parts of long expressions."""
    uses: dict[int, int] = {}
    found: dict[int, Node] = {}
    work = [unrounded(value) for value in wanted]
    while work:
        node = work.pop()
        if isinstance(node, Node) and node.id not in there and node.op not in OPEN:
            uses[node.id] = uses.get(node.id, 0) + 1
            if node.id not in found:
                found[node.id] = node
                work += [unrounded(arg) for arg in node.args]
    ordered = sorted(found.values(), key=lambda node: node.id)
    lengths: dict[int, int] = {}
    named = []
    for node in ordered:
        args = (unrounded(arg) for arg in node.args)
        length = 4 + sum(lengths.get(arg.id, 4) + 2 if isinstance(arg, Node) else 5 for arg in args)
        if node.kind != "bool" and (uses[node.id] > 1 or length > LONGEST):
            named.append(node)
            length = 4
        lengths[node.id] = length
    return named


def name_of(node: Node) -> str:
    if node.op == "slot":
        return f"s{node.args[0]}"
    if node.op == "register":
        return f"r{node.args[0]}"
    return f"e{node.id}" if node.op == "either" else f"t{node.id}"


def vector(values: list[Any], there: set[int]) -> str:
    return f"vec3<f32>({', '.join(bare(expression(value, there)) for value in values)})"


def bare(text: str) -> str:
    """An expression without the brackets around all of it."""
    if not text.startswith("("):
        return text
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return text[1:-1] if at == len(text) - 1 else text
    return text


def expression(value: Any, there: Iterable[int] = (), held: dict[str, str] | None = None) -> str:
    """A value as WGSL; what is `there` already is called by its name."""
    value = unrounded(value)
    if not isinstance(value, Node):
        return _constant(value)
    if value.op == "given":
        return str(value.args[0])
    if value.op in OPEN or value.id in there:
        name = name_of(value)
        return (held or {}).get(name, name)
    args = [unrounded(arg) for arg in value.args]
    if value.op in (*COMPARING, "same", "not"):
        return _condition(value.op, args, there)
    if value.kind == "int":
        return _whole(value.op, args)
    texts = [expression(arg, there, held) for arg in args]
    if value.op == "-" and not isinstance(args[0], Node) and repr(args[0]) == "-0.0":
        return f"(-{texts[1]})"
    if value.op in ("+", "-", "*"):
        return f"({texts[0]} {value.op} {texts[1]})"
    if value.op == "divide" and not isinstance(args[1], Node) and args[1] != 0:
        return f"({texts[0]} / {texts[1]})"
    if value.op == "float":
        return f"f32({texts[0]})"
    if value.op == "chosen":
        index, size, offset, *values = map(bare, texts)
        count = len(values)
        listed = f"array<f32, {count}>({', '.join(values)})"
        return f"choose{count}({index}, {size}, {offset}, {listed})"
    if value.op not in FUNCTIONS:
        raise EngineRefused(f"shaders have no word for {value.op!r}")
    return f"{FUNCTIONS[value.op]}({', '.join(map(bare, texts))})"


def _condition(op: str, args: list[Any], there: Iterable[int]) -> str:
    if op == "not":
        return f"!{expression(args[0], there)}"
    first, second = (expression(arg, there) for arg in args)
    if op == "same":
        bits = int.from_bytes(struct.pack(">f", args[1]), "big")
        return f"(bitcast<u32>({bare(first)}) == 0x{bits:08x}u)"
    if args[0] is args[1]:  # only NaN is not itself, and compilers may not know
        return f"{'!' if op in ('==', '<=', '>=') else ''}is_nan({bare(first)})"
    if all(getattr(arg, "kind", "int") == "int" and not isinstance(arg, float) for arg in args):
        second = f"{args[1]}u" if isinstance(args[1], int) else second
    return f"({first} {op} {second})"


def _whole(op: str, args: list[Any]) -> str:
    """Whole numbers are parts of the 64 bits that chance gives."""
    if op == "draw":
        raise EngineRefused("shaders have no whole numbers of 64 bits")
    first, second = args
    if isinstance(first, Node) and first.op == "draw" and isinstance(second, int):
        drawn = f"mixed(seed, steps + {first.args[0]}u)"
        if op == ">>" and second >= 32:
            return f"({drawn}.y >> {second - 32}u)"
        if op == "&" and second < 1 << 32:
            return f"({drawn}.x & {second}u)"
    raise EngineRefused(f"shaders have no word for {op!r} of whole numbers")


def _constant(value: Any) -> str:
    value = float(value)
    if value != value:
        return NAN
    text = numeral(value)
    if "inf" in text:
        return INFINITY if value > 0 else f"(-{INFINITY})"
    return f"({text})" if text.startswith("-") else text
