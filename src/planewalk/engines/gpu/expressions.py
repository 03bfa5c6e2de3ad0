"""Values as WGSL expressions, and which of them should have a name."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...core.errors import EngineRefused
from ...core.numbers.float32 import f32
from ..tracing.ir import Node, kind_of
from ..tracing.ops import COMPARING, ON_FLOATS, ON_OTHERS
from .library import INFINITY, NAN

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
    if value.kind == "int":
        return _part_of_chance(value.op, args)
    texts = [expression(arg, there, held) for arg in args]
    special = SPECIAL.get(value.op)
    return (special and special(value, args, texts)) or _as_the_table_says(value, texts)


def _as_the_table_says(node: Node, texts: list[str]) -> str:
    row = (ON_FLOATS if "float" in map(kind_of, node.args) else ON_OTHERS).get(node.op)
    if row is None or row.wgsl is None:
        raise EngineRefused(f"shaders have no word for {node.op!r}")
    brackets = row.wgsl.startswith(("(", "!"))
    return row.wgsl.format(*(texts if brackets else map(bare, texts)))


def _compared(node: Node, args: list[Any], texts: list[str]) -> str:
    first = texts[0]
    if args[0] is args[1]:  # only NaN is not itself, and compilers may not know
        return f"{'!' if node.op in ('==', '<=', '>=') else ''}is_nan({bare(first)})"
    plain = isinstance(args[1], int) and getattr(args[0], "kind", "int") == "int"
    return f"({first} {node.op} {args[1]}u)" if plain and not isinstance(args[0], float) else ""


def _same(node: Node, args: list[Any], texts: list[str]) -> str:
    bits = int.from_bytes(struct.pack(">f", args[1]), "big")
    return f"(bitcast<u32>({bare(texts[0])}) == 0x{bits:08x}u)"


def _negated(node: Node, args: list[Any], texts: list[str]) -> str:
    """A number taken from -0 is only turned round."""
    return f"(-{texts[1]})" if not isinstance(args[0], Node) and repr(args[0]) == "-0.0" else ""


def _divided(node: Node, args: list[Any], texts: list[str]) -> str:
    """Division by a number that is known not to be 0."""
    plain = not isinstance(args[1], Node) and args[1] != 0
    return f"({texts[0]} / {texts[1]})" if plain else ""


def _chosen(node: Node, args: list[Any], texts: list[str]) -> str:
    index, size, offset, *values = map(bare, texts)
    count = len(values)
    listed = f"array<f32, {count}>({', '.join(values)})"
    return f"choose{count}({index}, {size}, {offset}, {listed})"


SPECIAL: dict[str, Callable[[Node, list[Any], list[str]], str]] = {
    **dict.fromkeys(COMPARING, _compared), "same": _same, "-": _negated, "divide": _divided,
    "chosen": _chosen, "text": lambda node, args, texts: f"look({', '.join(map(bare, texts))})",
}  # fmt: skip
"""What is not said as the table says it, or not always."""
WHOLE = {">>", "&", "draw"}


def _part_of_chance(op: str, args: list[Any]) -> str:
    """Whole numbers are parts of the 64 bits that chance gives."""
    if op == "draw":
        raise EngineRefused("shaders have no whole numbers of 64 bits")
    first, second = args if op in WHOLE else (None, None)
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


def numeral(value: float) -> str:
    """The shortest numeral that is read as the same float of 32 bits, with a point in it."""
    rounded = f32(value)
    for digits in range(1, 10):
        text = f"{rounded:.{digits}g}"
        if f32(float(text)) == rounded:
            break
    return repr(float(text)).replace("e+", "e")
