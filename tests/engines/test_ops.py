"""Every row of the table of operations, on every back end, against what it means in Python.

LLVM may answer a wrong operation with anything, even the end of the process: none goes untested.
"""

from __future__ import annotations

import ctypes
import math
import re
import struct
from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from planewalk.core.errors import EngineRefused
from planewalk.core.numbers.float32 import f32
from planewalk.core.numbers.pure import PURE
from planewalk.engines.gpu.expressions import OPEN, SPECIAL, WHOLE, expression
from planewalk.engines.gpu.library import needed
from planewalk.engines.gpu.painter import find_adapter
from planewalk.engines.interpreter.unbounded import UNBOUNDED
from planewalk.engines.native import maths
from planewalk.engines.native.machine_code import assemble, why_not
from planewalk.engines.native.state import (
    FLAT,
    RegisterAccess,
    StateParts,
    StateWriter,
    StreamAccess,
)
from planewalk.engines.native.state_values import STATE as NATIVE_STATE
from planewalk.engines.native.state_values import methods_of
from planewalk.engines.native.values import Unwritable, ValueWriter
from planewalk.engines.picture.driver import Card, NoCard, c_uint64
from planewalk.engines.picture.frame import WIDE
from planewalk.engines.picture.kernel import PixelWriter, fast_maths
from planewalk.engines.picture.lane_values import LaneValues
from planewalk.engines.picture.ptx import assemble_ptx
from planewalk.engines.python import source as python_source
from planewalk.engines.tracing import ops
from planewalk.engines.tracing.ir import Block, Node, NodeGraph
from planewalk.engines.tracing.ops import BY_HAND, ROWS, PureOp
from tests.engines.operations import FLOATS, NARROW, Machine, PythonUnit, alike
from tests.engines.operations import WHOLE as EDGES
from tests.graphics import need_adapter
from tests.marks import plainly

HUGE = [
    sign * (bound + more) for sign in (1, -1) for bound in (2**64, ops.LONG) for more in (-1, 0)
]
"""Beyond what machine code has; Python's whole numbers go on."""
machine_code = pytest.mark.skipif(why_not() is not None, reason="there is no machine code here")
KINDS = {"i": "int", "f": "float", "b": "bool"}
TRUTHS = [True, False]


def name_of(row: PureOp) -> str:
    return f"{row.name} of {row.takes}"


def can_be_asked(row: PureOp, values: tuple[Any, ...]) -> bool:
    """Whether the operation is ever done on such operands: others leave before."""
    if row.name in ("quotient", "remainder", "%", "//"):
        return bool(values[1] != 0)
    if row.name == ">>":
        return 0 <= values[1] < 64
    if row.name == "float":
        return abs(values[0]) <= 2**53
    if row.name == "same":
        return values[0] == values[0] and values[1] == values[1]
    return True


def operands(row: PureOp, whole: list[int], floats: list[float]) -> list[tuple[Any, ...]]:
    numbers = {"i": whole, "f": floats, "b": TRUTHS}
    found = product(*(numbers[letter] for letter in row.takes))
    return [values for values in found if can_be_asked(row, values)]


def fits_machines(row: PureOp, values: tuple[Any, ...]) -> bool:
    """Whether 64 bits hold the result, and all that the machine computes on the way there."""
    if row.name in ("quotient", "remainder") and values == (ops.LEAST, -1):
        return False
    return row.gives != "int" or ops.fits(row.meaning(*values))


def must_be_known(row: PureOp) -> bool:
    """Whether machine code has it for a second operand alone that is a plain number, above 0."""
    return row.llvm == BY_HAND


# Generated Python and machine code ---------------------------------------------------------------


def compare(row: PureOp, make_unit: Any, given: list[tuple[Any, ...]], ways: list[Any]) -> None:
    """The operation on these operands: all of them open, and, of two, either one known."""

    def build(known: int | None, values: Any, graph: NodeGraph, block: Block, *slots: Any) -> Node:
        args: list[Any] = list(slots)
        if row.takes == "b":
            args = [graph.make("==", (slots[0], 1), "bool")]
        elif make_unit is Machine and row.name == "float":
            args = [graph.make("hand", ("x",), "int")]
        elif known is not None:
            args[known] = values[known]
        return graph.make(row.name, tuple(args), row.gives)

    def named(known: int | None, values: Any) -> Any:
        return None if known is None else (known, repr(values[known]))

    builds = {named(k, values): partial(build, k, values) for values in given for k in ways}
    floats = "f" in row.takes or row.gives == "float"
    unit = make_unit(builds.values(), len(row.takes), floats=floats)
    numbers = {name: number for number, name in enumerate(builds)}
    for values, known in product(given, ways):
        if make_unit is Machine and row.name == "float":
            unit.lend(hand_x=values[0])
        found = unit(numbers[named(known, values)], *values)
        assert alike(row.meaning(*values), found), (row.name, known, values, found)


@pytest.mark.parametrize("row", [row for row in ROWS if row.python], ids=name_of)
def test_python(row: PureOp) -> None:
    ways = [None] if len(row.takes) == 1 else [None, 0, 1]
    compare(row, PythonUnit, operands(row, EDGES + HUGE, FLOATS + NARROW), ways)


@machine_code
@pytest.mark.parametrize("row", [row for row in ROWS if row.llvm], ids=name_of)
def test_machine_code(row: PureOp) -> None:
    whole = [*EDGES, *range(64)] if row.name == ">>" else EDGES
    given = [
        values for values in operands(row, whole, FLOATS + NARROW) if fits_machines(row, values)
    ]
    ways = [None] if len(row.takes) == 1 else [None, 0, 1]
    if must_be_known(row):
        given, ways = [values for values in given if values[1] > 0 or row.name == ">>"], [1]
    compare(row, Machine, given, ways)


@pytest.mark.parametrize("row", [row for row in ROWS if not row.llvm], ids=name_of)
def test_what_machine_code_refuses(row: PureOp) -> None:
    def build(graph: NodeGraph, block: Block, *slots: Any) -> Node:
        return graph.make(row.name, slots, row.gives)

    with pytest.raises(Unwritable, match=re.escape(repr(row.name))):
        Machine([build], len(row.takes), floats="f" in row.takes)


# Lanes and cards ---------------------------------------------------------------------------------

LANES = 8
CONSTANTS = {"f": [2.5, -0.0, math.inf], "i": [3, -1]}


class Piece(NamedTuple):
    """Code for one operation on a, on b or on both, and what it should give."""

    row: PureOp
    node: Node
    uses: str
    act: Callable[[Any, Any], Any]
    """None where the operation is never done on such operands."""


def pieces(graph: NodeGraph, letter: str, a: Any, b: Any, narrow: bool) -> Iterator[Piece]:
    """All that lanes can do with operands of that kind, also with plain numbers; `narrow` are those
    that give floats of 32 bits."""
    for row in ROWS:
        if not row.llvm or not row.idle or must_be_known(row) or set(row.takes) != {letter}:
            continue
        ways: list[tuple[Any, ...]] = [(a,)] if len(row.takes) == 1 else [(a, b)]
        if len(row.takes) == 2:
            ways += [pair for c in CONSTANTS[letter] for pair in ((a, c), (c, b))]
        for args in ways:
            uses = "".join(
                name for name, one in (("a", a), ("b", b)) if any(one is arg for arg in args)
            )
            known = tuple(None if isinstance(arg, Node) else arg for arg in args)
            act = partial(performed, row, known)
            node = graph.make(row.name, args, row.gives)
            if narrow and row.gives == "float":
                if row.name != "round":
                    whole = graph.make("round", (node,), "float")
                    yield Piece(row, whole, uses, partial(rounded, act))
            else:
                yield Piece(row, node, uses, act)


def performed(row: PureOp, known: tuple[Any, ...], a: Any, b: Any) -> Any:
    given = [other if one is None else one for one, other in zip(known, (a, b), strict=False)]
    return row.meaning(*given) if can_be_asked(row, tuple(given)) else None


def rounded(act: Callable[..., Any], a: Any, b: Any) -> float:
    return f32(act(a, b))


def truths(graph: NodeGraph, a: Any, b: Any) -> Iterator[Piece]:
    """Operations on truths."""
    less = graph.make("<", (a, b), "bool")
    for name, row in ops.ON_OTHERS.items():
        if row.takes == "b":
            act = partial(on_order, row)
            yield Piece(row, graph.make(name, (less,), row.gives), "ab", act)


def on_order(row: PureOp, a: Any, b: Any) -> Any:
    return row.meaning(a < b)


class Written:
    """Pieces as the text of one function, for lanes or for one thread of a card."""

    def __init__(self, writer: LaneValues, letter: str, narrow: bool) -> None:
        self.writer, graph = writer, NodeGraph()
        op, kind = ("given", "float") if narrow else ("operand", KINDS[letter])
        a, b = (graph.make(op, (name,), kind) for name in "ab")
        there = {} if narrow else {a.id: "%a", b.id: "%b"}
        self.pieces = [*pieces(graph, letter, a, b, narrow), *truths(graph, a, b)]
        self.results = [
            self._wide(node, writer.value(node, there), there) for _, node, *_ in self.pieces
        ]

    def _wide(self, node: Node, name: str, there: dict[int, str]) -> tuple[str, str]:
        writer = self.writer
        if node.kind == "bool":
            return writer.word, writer.define(f"zext {writer.truth} {name} to {writer.word}")
        if node.kind == "int":
            return writer.word, name
        return writer.real, writer._widened(node, there)

    def check(
        self, answer: Callable[[int, int], Any], given: list[tuple[Any, Any]], first: Any
    ) -> None:
        """Compare what the code gave for each piece and each pair; for those that use one operand
        alone, only where the other is the first of all."""
        for number, piece in enumerate(self.pieces):
            for at, pair in enumerate(given):
                if not is_needed(piece, pair, first):
                    continue
                expected, found = piece.act(*pair), answer(number, at)
                usable = expected is not None and (piece.node.kind != "int" or ops.fits(expected))
                assert not usable or alike(expected, found), (piece.row, pair, expected, found)


def is_needed(piece: Piece, pair: tuple[Any, Any], first: Any) -> bool:
    unused = [value for name, value in zip("ab", pair, strict=True) if name not in piece.uses]
    return all(value is first for value in unused)


@machine_code
@pytest.mark.parametrize(("letter", "narrow"), plainly([("f", True), ("i", False)], [("f", False)]))
def test_lanes(letter: str, narrow: bool) -> None:
    writer = LaneValues(SimpleNamespace(), LANES)  # type: ignore[arg-type]
    written = Written(writer, letter, narrow)
    kind = writer.word if letter == "i" else writer.real
    lines = [f"define i64 @unit(ptr %pa, ptr %pb, ptr %out) {WIDE} {{"]
    for name in "ab":
        lines.append(f"  %{name} = load {kind}, ptr %p{name}, align 8")
        if letter == "f":
            lines.append(f"  %given.{name} = fptrunc {kind} %{name} to {writer.narrow}")
    lines += writer.lines
    for number, (kind, result) in enumerate(written.results):
        lines.append(f"  %to{number} = getelementptr {kind}, ptr %out, i64 {number}")
        lines.append(f"  store {kind} {result}, ptr %to{number}, align 8")
    text = [maths.definitions(writer._own_maths(), LANES, WIDE), *writer._declared_maths(), *lines]
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3)
    _owner, call = assemble("\n".join([*text, "  ret i64 0", "}"]), prototype=prototype)
    numbers = numbers_for(letter, narrow)
    given = list(product(numbers, repeat=2))
    given += given[: -len(given) % LANES]
    code = "q" if letter == "i" else "d"
    for first in range(0, len(given), LANES):
        some = given[first : first + LANES]
        a, b = (array(code, values) for values in zip(*some, strict=True))
        out = array("q", bytes(8 * LANES * len(written.pieces)))
        call(*(values.buffer_info()[0] for values in (a, b, out)))
        written.check(partial(result_of, written, out, LANES), some, numbers[0])


def numbers_for(letter: str, narrow: bool) -> list[Any]:
    if letter == "i":
        return EDGES
    return distinct(f32(value) for value in FLOATS + NARROW) if narrow else FLOATS + NARROW


def distinct(numbers: Iterable[float]) -> list[float]:
    return list({repr(number): number for number in numbers}.values())


def result_of(written: Written, out: array[int], count: int, number: int, at: int) -> Any:
    """What stands in memory as one piece's result for one pair."""
    word = out[number * count + at]
    is_float = written.pieces[number].node.kind == "float"
    return struct.unpack("<d", struct.pack("<q", word))[0] if is_float else word


def for_card(letter: str, narrow: bool, fast: bool) -> tuple[Written, str]:
    """All pieces as a kernel; each thread takes one pair."""
    tracer: Any = SimpleNamespace(trees=lambda careful: [])
    writer = PixelWriter(tracer, fast)
    written = Written(writer, letter, narrow)
    space, kind = "ptr addrspace(1)", "i64" if letter == "i" else "double"
    lines = [
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
        f"define ptx_kernel void @unit({space} %pa, {space} %pb, {space} %out, i64 %count) {{",
        "  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
        "  %at = zext i32 %thread to i64",
    ]
    for name in "ab":
        lines.append(f"  %at.{name} = getelementptr {kind}, {space} %p{name}, i64 %at")
        lines.append(f"  %{name}.wide = load {kind}, {space} %at.{name}")
        if letter == "f":
            lines.append(f"  %given.{name} = fptrunc double %{name}.wide to float")
        same = (
            f"fpext float %given.{name} to double"
            if fast
            else f"bitcast {kind} %{name}.wide to {kind}"
        )
        lines.append(f"  %{name} = {same}")
    lines += writer.lines
    for number, (kind, result) in enumerate(written.results):
        lines.append(f"  %row{number} = mul i64 %count, {number}")
        lines.append(f"  %index{number} = add i64 %row{number}, %at")
        lines.append(f"  %to{number} = getelementptr i64, {space} %out, i64 %index{number}")
        lines.append(f"  store {kind} {result}, {space} %to{number}")
    own = writer._own_maths()
    functions = fast_maths(own) if fast else maths.definitions(own, 1)
    return written, "\n".join([functions, *writer._declared_maths(), *lines, "  ret void", "}"])


@machine_code
@pytest.mark.parametrize(("letter", "narrow"), plainly([("f", True), ("i", False)], [("f", False)]))
def test_cards(letter: str, narrow: bool) -> None:
    """Code for cards is whole, and rounds each operation by itself; where there is a card, it does
    what it should."""
    written, text = for_card(letter, narrow, fast=False)
    try:
        card = Card()
    except NoCard:
        ptx = assemble_ptx(text, "sm_75")
    else:
        ptx = assemble_ptx(text, card.chip)
        run_on_card(card, ptx, written, numbers_for(letter, narrow))
        card.close()
    assert ".entry unit(" in ptx and ".extern" not in ptx and "fma." not in ptx
    rounding = re.findall(r"\b(?:add|sub|mul|div|sqrt)\.\S*f(?:32|64)", ptx)
    assert (letter == "i") is not bool(rounding) and all(".rn." in op for op in rounding)


def run_on_card(card: Card, ptx: str, written: Written, numbers: list[Any]) -> None:
    function, count = card.load(ptx, "unit"), len(numbers)
    size = 8 * count * len(written.pieces)
    a, b, out = card.allocate(8 * count), card.allocate(8 * count), card.allocate(size)
    code = "q" if isinstance(numbers[0], int) else "d"
    card.send(a, array(code, numbers).tobytes())
    for shift in range(count):
        others = numbers[shift:] + numbers[:shift]
        card.send(b, array(code, others).tobytes())
        card.launch(function, (1, 1), (count, 1), *map(c_uint64, (a, b, out, count)))
        card.wait()
        words = (ctypes.c_ubyte * size)()
        card.fetch(words, out, size)
        results = array("q", bytes(words))
        pairs = list(zip(numbers, others, strict=True))
        written.check(partial(result_of, written, results, count), pairs, numbers[0])


@machine_code
def test_fast_code_for_cards_is_whole() -> None:
    _, text = for_card("f", True, fast=True)
    ptx = assemble_ptx(text, "sm_75")
    assert ".entry unit(" in ptx and ".extern" not in ptx


# Shaders -----------------------------------------------------------------------------------------

SHADER = """
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let at: u32 = id.x;
    if (at >= {count}u) {{
        return;
    }}
    let a: f32 = bitcast<f32>(given[2u * at]);
    let b: f32 = bitcast<f32>(given[2u * at + 1u]);
{body}
}}
"""
"""Each thread does everything with one pair."""


def in_a_shader(graph: NodeGraph) -> Iterator[Piece]:
    a, b = (graph.make("given", (name,), "float") for name in "ab")
    for piece in [*pieces(graph, "f", a, b, False), *truths(graph, a, b)]:
        row, args = piece.row, piece.node.args
        known = [arg for arg in args if not isinstance(arg, Node)]
        # One plain number will do: such code takes long to make. Of a product with 0, drivers know
        # what it is even if the other operand is infinite.
        fair = known in ([], [2.5]) and (row.name != "same" or not isinstance(args[1], Node))
        if row.wgsl and fair and piece.node.kind != "int":
            yield piece


def run_shader(device: Any, text: str, given: array[float], results: int) -> array[float]:
    import wgpu

    module = device.create_shader_module(code=text)
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": module, "entry_point": "main"}
    )
    usage = wgpu.BufferUsage
    buffers = [
        device.create_buffer_with_data(data=given, usage=usage.STORAGE),
        device.create_buffer(size=4 * results, usage=usage.STORAGE | usage.COPY_SRC),
    ]
    entries = [{"binding": n, "resource": {"buffer": one}} for n, one in enumerate(buffers)]
    layout = pipeline.get_bind_group_layout(0)
    orders = device.create_command_encoder()
    work = orders.begin_compute_pass()
    work.set_pipeline(pipeline)
    work.set_bind_group(0, device.create_bind_group(layout=layout, entries=entries))
    work.dispatch_workgroups(-(-len(given) // 128), 1, 1)
    work.end()
    device.queue.submit([orders.finish()])
    return array("f", bytes(device.queue.read_buffer(buffers[1])))


def test_shaders() -> None:
    need_adapter()
    todo = list(in_a_shader(NodeGraph()))
    numbers = [value for value in numbers_for("f", True) if not is_tiny(value)]
    given = list(product(numbers, repeat=2))
    lines = []
    for number, piece in enumerate(todo):
        text = expression(piece.node)
        value = f"select(0.0, 1.0, {text})" if piece.node.kind == "bool" else text
        lines.append(f"    found[{number}u * {len(given)}u + at] = bitcast<u32>({value});")
    body = "\n".join(lines)
    text = "\n\n".join([*needed(body), SHADER.format(count=len(given), body=body)])
    device = find_adapter().request_device_sync()
    flat = array("f", [value for pair in given for value in pair])
    found = run_shader(device, text, flat, len(todo) * len(given))
    device.destroy()
    for number, piece in enumerate(todo):
        for at, pair in enumerate(given):
            expected = piece.act(*pair) if is_needed(piece, pair, numbers[0]) else None
            if expected is not None and not (piece.row.name == "modulo" and is_far(*pair)):
                result = found[number * len(given) + at]
                near = is_near(float(expected), result, FARTHEST.get(piece.row.name, 0))
                assert near, (piece.row, pair, expected, result)


FARTHEST = {
    **dict.fromkeys(("divide", "sqrt"), 3), **dict.fromkeys(("sin", "cos", "exp", "log"), 4),
    "modulo": 16, "power": 128,
}  # fmt: skip
"""How many floats of 32 bits the result of a shader may be away; that of others is exact."""


def is_tiny(value: float) -> bool:
    """Whether shaders may take it for 0."""
    return 0 < abs(value) < 2**-126


def is_far(a: float, b: float) -> bool:
    """Whether a remainder has more to do with how the quotient was rounded."""
    others = [value for value in (a, b, 2.5) if 0 < abs(value) < math.inf]
    return max(others, default=1) / min(map(abs, others), default=1) > 2**20


def is_near(expected: float, found: float, farthest: int) -> bool:
    right = f32(expected)
    if right != right or found != found or is_tiny(right):
        return found != found if right != right else is_tiny(right) and abs(found) <= 2**-126
    return abs(place(right) - place(found)) <= farthest


def place(value: float) -> int:
    """Where a float of 32 bits stands in the row of them all; zeros have one place."""
    (bits,) = struct.unpack("<i", struct.pack("<f", value))
    return int(bits) if bits >= 0 else -(int(bits) & 0x7FFFFFFF)


# All rows ----------------------------------------------------------------------------------------


def knows(parts: StateParts, prefix: str) -> set[str]:
    """The operations on the state that the parts of a writer of machine code have methods for."""
    kinds = StateWriter, StreamAccess, RegisterAccess, parts.cells, parts.stack
    return {name for kind in kinds for name, _ in methods_of(kind, prefix)}


def test_every_row_is_said_by_every_back_end_that_it_names() -> None:
    found = {
        "python": {*python_source.STATE, *python_source.BY_HAND},
        "native": {*NATIVE_STATE} | knows(FLAT, "read_"),
        "interpreter": {*NATIVE_STATE} | knows(UNBOUNDED.state, "read_") - {"slot"},
        "lanes": {*LaneValues.by_lane} - {"round"},
        "wgsl": {*OPEN, "given", "draw", *SPECIAL} - ops.PURE_OPS.keys(),
    }
    for back_end, names in found.items():
        said = {row.name for row in ops.STATE_ROWS if back_end in row.where.split()}
        assert names == said, back_end


def test_every_effect_is_said_by_every_back_end_that_it_names() -> None:
    found = {
        "python": {*python_source.STATEMENTS, *python_source.OTHER_EFFECTS},
        "native": knows(FLAT, "do_"),
        "interpreter": knows(UNBOUNDED.state, "do_"),
    }
    for back_end, names in found.items():
        said = {row.name for row in ops.EFFECTS.values() if back_end in row.where.split()}
        assert names == said, back_end


def test_what_is_done_by_hand_has_a_hand() -> None:
    for row in ROWS:
        assert row.llvm != BY_HAND or row.name in ValueWriter.by_hand
        assert row.wgsl != BY_HAND or row.name in {*SPECIAL, *WHOLE}


def test_every_word_of_arithmetic_has_a_row() -> None:
    for name, word in PURE.items():
        assert ops.PURE_OPS[name].meaning is word


def test_names_are_those_of_one_operation() -> None:
    assert not ops.PURE_OPS.keys() & ops.STATE_OPS.keys()
    assert len(ROWS) == len(ops.ON_FLOATS) + len(ops.ON_OTHERS)
    for name in ops.ON_FLOATS.keys() & ops.ON_OTHERS.keys():
        assert ops.ON_FLOATS[name].meaning is ops.ON_OTHERS[name].meaning


@pytest.mark.parametrize("row", [row for row in ROWS if row.range], ids=name_of)
def test_ranges_hold(row: PureOp) -> None:
    """Whatever two numbers are, what comes out lies where the range of theirs says."""
    assert row.range is not None
    few = [0, 1, -1, 3, -10, 255, 2**31, ops.MOST, ops.LEAST]
    spans = [(a, b) for a, b in product(few, repeat=2) if a <= b] + [(-math.inf, math.inf)]
    for ranges in product(spans, repeat=len(row.takes)):
        low, high = row.range(*ranges)
        ends = [[int(end) for end in span if abs(end) < math.inf] or [0, 7] for span in ranges]
        for values in product(*ends):
            given = tuple(map(bool, values)) if row.takes == "b" else values
            if can_be_asked(row, given):
                assert low <= row.meaning(*given) <= high, (ranges, values)


def test_shaders_refuse_what_they_lack() -> None:
    graph = NodeGraph()
    a = graph.make("given", ("a",), "float")
    for row in ROWS:
        if row.wgsl is None and "f" in row.takes:
            with pytest.raises(EngineRefused, match=re.escape(repr(row.name))):
                expression(graph.make(row.name, (a,) * len(row.takes), row.gives))
