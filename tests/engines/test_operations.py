"""Each operation of machine code on the state of a run, and each effect, on its own."""

import ctypes
from array import array
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pytest

from planewalk.core.geometry import Stance
from planewalk.core.numbers import chance
from planewalk.core.numbers.float32 import f32
from planewalk.core.numbers.pure import sample
from planewalk.engines.native.abi import STACK_SEEN, Slot
from planewalk.engines.native.code import NativeWriter
from planewalk.engines.native.machine_code import why_not
from planewalk.engines.native.unit import RegisterWords, unit_of
from planewalk.engines.native.values import Unwritable
from planewalk.engines.tracing.ir import (
    DRAWS,
    Block,
    ConditionalBranch,
    Exit,
    Goto,
    Join,
    Key,
    Node,
    NodeGraph,
    Register,
)
from planewalk.engines.tracing.ops import EFFECTS, LEAST, MOST, PURE_OPS, STATE_ROWS
from planewalk.engines.tracing.trees import Env, Tree
from planewalk.engines.window.code import LongWriter
from tests.engines.operations import FLOATS, NARROW, WHOLE, Machine, alike, tree_of

pytestmark = pytest.mark.skipif(why_not() is not None, reason="there is no machine code here")

TESTED: set[str] = set()


def about(*operations: str) -> Callable[[Any], Any]:
    """Says which operations a test is about."""
    TESTED.update(operations)
    return lambda test: test


# What is known of numbers ------------------------------------------------------------------------


@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 10, 256, 2**31, MOST])
def test_remainders_of_numbers_that_are_never_negative(divisor: int) -> None:
    def build(graph: NodeGraph, block: Block, value: Node) -> Node:
        return graph.make("%", (graph.make("%", (value, MOST), "int"), divisor), "int")

    machine = Machine([build], 1)
    for value in WHOLE:
        assert machine(0, value) == value % MOST % divisor


@pytest.mark.parametrize("ends", [(-7, 6), (0, 13), (-7, 13), (-1, 7), (-8, 6), (0, 14)])
def test_remainders_of_numbers_that_are_near(ends: tuple[int, int]) -> None:
    """Once round at most, forwards or backwards or both; and just more than that."""

    def build(graph: NodeGraph, block: Block, value: Node) -> Node:
        value.low, value.high = ends
        return graph.make("%", (value, 7), "int")

    machine = Machine([build], 1)
    for value in range(ends[0], ends[1] + 1):
        assert machine(0, value) == value % 7


@pytest.mark.parametrize("by", [0, 1, 31, 32, 62, 63])
def test_shifts_of_numbers_that_are_never_negative(by: int) -> None:
    def build(graph: NodeGraph, block: Block, value: Node) -> Node:
        return graph.make(">>", (graph.make("%", (value, MOST), "int"), by), "int")

    machine = Machine([build], 1)
    for value in WHOLE:
        assert machine(0, value) == value % MOST >> by


# What surrounds the stack ------------------------------------------------------------------------


@about("slot", "hand", "height", "roomy")
def test_what_the_block_holds() -> None:
    builds = [
        lambda graph, block, a: graph.make("hand", ("x",), "int"),
        lambda graph, block, a: graph.make("hand", ("y",), "int"),
        lambda graph, block, a: graph.make("height", (0,), "int"),
        lambda graph, block, a: graph.make("roomy", (a,), "bool"),
        lambda graph, block, a: a,
        lambda graph, block, a: Env([a], graph.make("hand", ("y",), "int"), a),
    ]
    machine = Machine(builds, 1)
    for value in WHOLE:
        machine.lend(hand_x=value, hand_y=~value, height=77, rows=100)
        assert [machine(n, value) for n in (2, 4)] == [77, value]
        machine.lend(hand_x=value, hand_y=~value)
        assert machine(0, 5) == value
        machine.lend(hand_x=value, hand_y=~value)
        assert machine(1, 5) == ~value
        machine.lend(hand_y=~value)
        machine(5, value)
        assert (machine.words[Slot.HAND_X], machine.words[Slot.HAND_Y]) == (~value, value)
        assert machine(3, value) == (value <= 100)
    assert [machine(3, rows) for rows in (99, 100, 101)] == [1, 1, 0]


@about("register")
def test_registers() -> None:
    def read(slot: int, graph: NodeGraph, block: Block, a: Node) -> Node:
        return graph.make("register", (slot,), "float")

    def swapped(graph: NodeGraph, block: Block, a: Node) -> Env:
        env = Env([a], 0, 0)
        for slot, other in ((0, 2), (2, 0)):
            env.registers[slot] = graph.make("register", (other,), "float")
        env.registers[1] = a
        return env

    machine = Machine([*(partial(read, slot) for slot in range(3)), swapped], 1, floats=True)
    for value in map(f32, FLOATS + NARROW):
        registers = array("f", [value, 1, -value])
        machine.lend(registers=registers)
        assert [repr(machine(n, 9.0)) for n in range(3)] == list(map(repr, registers))
    for value in FLOATS + NARROW:
        registers = array("f", [3, 1, 7])
        machine.lend(registers=registers)
        machine(3, value)
        assert repr(registers) == repr(array("f", [7, f32(value), 3]))


@about("register")
def test_registers_of_whole_numbers() -> None:
    names = [Register("a", 0), Register("b", 2)]

    def read(register: Register, graph: NodeGraph, block: Block, a: Node) -> Node:
        return graph.make("register", (register,), "int")

    def swapped(graph: NodeGraph, block: Block, a: Node) -> Env:
        env = Env([a], 0, 0)
        for register, other in (names, reversed(names)):
            env.registers[register] = graph.make("register", (other,), "int")
        return env

    def stored(graph: NodeGraph, block: Block, a: Node) -> Env:
        env = Env([a], 0, 0)
        env.registers[names[1]] = a
        return env

    machine = Machine([*(partial(read, name) for name in names), swapped, stored], 1)
    assert machine.unit.registers == names == machine.unit.stored
    for value in WHOLE:
        registers = array("q", [value, 7, ~value])
        machine.lend(registers=registers)
        assert [machine(0, 9), machine(1, 9)] == [value, ~value]
        machine(2, 9)
        assert registers == array("q", [~value, 7, value])
        machine(3, value)
        assert registers == array("q", [~value, 7, value])


@about("tick")
def test_ticks() -> None:
    machine = Machine([lambda graph, block, a: graph.make("tick", (3,), "int")], 1)
    for tick in (0, 1, 2**40, 2**62):
        machine.lend(clock=tick + 5)
        assert machine(0, 7) == tick + 3


BOUNDS = [*range(1, 20), 255, 256, 257, 2**31 + 1, 2**32, 2**62 - 1, 2**62, 2**62 + 1, MOST]


@about("below", "drawn", "counted", "counter")
@pytest.mark.parametrize("open_bound", [True, False])
def test_numbers_below_a_bound(open_bound: bool) -> None:
    """Drawn twice: the second draw goes on where the first has stopped."""

    def twice(bound: Any, graph: NodeGraph, block: Block, a: Node) -> Env:
        counter = graph.make("counter", (), "int")
        env = Env([], 0, 0)
        for _ in range(2):
            pair = graph.make("below", (bound if not open_bound else a, counter), "pair")
            env.stack.append(graph.make("drawn", (pair,), "int"))
            counter = env.registers[DRAWS] = graph.make("counted", (pair,), "int")
        return env

    machine = Machine([partial(twice, bound) for bound in BOUNDS], 1)
    for seed, draws in product([0, -1, 2**64 + 5, 12345], [0, 1, 99, 2**40]):
        for number, bound in enumerate(BOUNDS):
            machine.lend(seed=seed, draws=draws)
            first, counter = chance.below(bound, seed, draws)
            second, counter = chance.below(bound, seed, counter)
            assert machine(number, bound) == first
            assert machine.unit.slots[1] == second and machine.words[Slot.DRAWS] == counter


WIDTH, ROWS = 5, 4
PLACES = list(product(range(WIDTH), range(ROWS)))


@about("cell", "coded", "let")
def test_cells() -> None:
    def kept(graph: NodeGraph, block: Block, x: Node, y: Node) -> Node:
        """Read before it is written over, and used after that."""
        before = graph.make("cell", (x, y, 0), "int")
        block.ops += [("let", before), ("put", x, y, 9)]
        return before

    builds = [
        lambda graph, block, x, y: graph.make("cell", (x, y, 0), "int"),
        lambda graph, block, x, y: graph.make("coded", (x, y), "bool"),
        kept,
    ]
    machine = Machine(builds, 2)
    data = array("B", range(255, 255 - WIDTH * ROWS, -1))
    code = array("B", [at % 16 for at in range(WIDTH * ROWS)])
    machine.lend(data=data, code=code, width=WIDTH, height=ROWS)
    for x, y in PLACES:
        at = y * WIDTH + x
        assert (machine(0, x, y), machine(1, x, y)) == (255 - at, code[at] > 0)
        assert (machine(2, x, y), data[at]) == (255 - at, 9)


@about("put", "grow", "byte")
def test_effects() -> None:
    def put(graph: NodeGraph, block: Block, x: Node, y: Node, value: Node) -> Node:
        block.ops.append(("put", x, y, value))
        return value

    def grow(graph: NodeGraph, block: Block, x: Node, y: Node, value: Node) -> Node:
        block.ops.append(("grow", value))
        return graph.make("height", (1,), "int")

    def write(graph: NodeGraph, block: Block, x: Node, y: Node, value: Node) -> Node:
        block.ops += [("byte", value), ("byte", 65)]
        return value

    machine = Machine([put, grow, write], 3)
    data = array("B", bytes(WIDTH * ROWS))
    machine.lend(data=data, width=WIDTH, height=ROWS, written=0)
    expected = bytearray(WIDTH * ROWS)
    for number, (x, y) in enumerate(PLACES):
        expected[y * WIDTH + x] = value = 255 - number
        assert machine(0, x, y, value) == value and data.tobytes() == expected
    assert machine(1, 0, 0, 2**40) == machine.words[Slot.HEIGHT] == 2**40
    written = bytearray()
    for value in range(256):
        machine(2, 0, 0, value)
        written += bytes([value, 65])
        assert machine.words[Slot.WRITTEN] == len(written)
    assert machine.unit.output.raw[: len(written)] == written


@about("bytes", "number")
def test_text_and_numerals() -> None:
    def numeral(graph: NodeGraph, block: Block, value: Node) -> Node:
        block.ops += [("bytes", b"<"), ("number", value), ("bytes", b"\0\xff>")]
        return value

    machine = Machine([numeral], 1)
    tens = [sign * 10**digits - less for digits in range(19) for sign in (1, -1) for less in (0, 1)]
    for value in WHOLE + tens:
        machine.lend(written=0)
        machine(0, value)
        expected = b"<%d\0\xff>" % value
        assert machine.unit.output.raw[: machine.words[Slot.WRITTEN]] == expected


@about("fed", "closed", "input", "read")
def test_input() -> None:
    def read(graph: NodeGraph, block: Block, value: Node) -> Node:
        bytes_read = [graph.make("input", (reads,), "int") for reads in range(2)]
        for byte in bytes_read:
            block.ops += [("let", byte), ("read",)]
        return graph.make("+", (graph.make("*", (bytes_read[0], 256), "int"), bytes_read[1]), "int")

    builds = [
        lambda graph, block, value: graph.make("fed", (0,), "bool"),
        lambda graph, block, value: graph.make("closed", (0,), "bool"),
        read,
    ]
    machine = Machine(builds, 1)
    data = array("B", [0, 255, 128, 127, 10, 200])
    machine.lend(input=data.buffer_info()[0] + len(data), input_left=len(data))
    for at in range(0, len(data), 2):
        assert machine(0, 7) == 1
        assert machine(2, 7) == data[at] * 256 + data[at + 1]
        assert machine.words[Slot.INPUT_LEFT] == len(data) - at - 2
    assert machine(0, 7) == 0
    for closed in (0, 1):
        machine.lend(input_closed=closed)
        assert machine(1, 7) == closed


@about("draw")
def test_chance() -> None:
    """All 64 bits are used; of the number itself only what a sign bit cannot spoil is asked for."""

    def of_draw(op: str, other: int, graph: NodeGraph, block: Block, value: Node) -> Node:
        return graph.arithmetic(op, graph.make("draw", (3,), "int"), other)

    asked = [(">>", 1), (">>", 11), (">>", 63), ("&", MOST), ("&", 255), ("%", 10), ("%", MOST)]
    machine = Machine([partial(of_draw, op, other) for op, other in asked], 1)
    for seed, tick in product([0, 1, -1, 2**63, 2**64 + 5, 12345], [0, 1, 10**6, 2**40]):
        machine.lend(seed=seed, clock=tick + 5)
        bits = chance.mix(seed, tick + 3)
        for number, (op, other) in enumerate(asked):
            assert machine(number, 7) == PURE_OPS[op].meaning(bits, other)


@about("under", "has")
@pytest.mark.parametrize("floats", [False, True])
def test_a_stack_of_any_depth(floats: bool) -> None:
    kind = "float" if floats else "int"

    def tree(number: int) -> Tree:
        graph, key = NodeGraph(), Key(Stance(number, 0, 1, 0), None)
        tree = Tree(key)
        tree.longest = 2
        top, second = (graph.make("under", (back,), kind) for back in (1, 2))
        env = Env([second, top, top][: number + 1], 0, 0)
        env.drop = 2
        if number < 3:
            tree.root.end = Exit(key, env, 1)  # the top dropped, nothing done, the top doubled
        else:
            sides = [Block(), Block()]
            for side, truth in zip(sides, (1, 0), strict=True):
                side.end = Exit(key, Env([truth], 0, 0), 1)
            tree.root.end = ConditionalBranch(graph.make("has", (number,), "bool"), *sides)
        return tree

    unit = unit_of(NativeWriter([tree(number) for number in range(7)], floats, False).written())
    unit.assemble(None)

    def after(number: int, stack: Any) -> list[Any]:
        assert unit.fill(stack)
        unit.words[Slot.FUEL] = 5
        assert unit.call(ctypes.addressof(unit.words), number) not in unit.spent
        unit.empty(stack, 0)
        return list(stack)

    def stack(*values: int) -> Any:
        return array("f", values) if floats else list(values)

    far = range(STACK_SEEN + 100)
    assert after(0, stack(1, 2, 3)) == [1, 2]
    assert after(1, stack(1, 2, 3)) == [1, 2, 3]
    assert after(2, stack(1, 2, 3)) == [1, 2, 3, 3]
    assert after(2, stack(*far)) == [*far, far[-1]]
    for size in range(2, 8):
        for number in range(3, 7):
            assert after(number, stack(*range(size))) == [*range(size), size >= number]


@about("sample")
def test_samples() -> None:
    """Bytes at an index, which is cut off; nothing is read where there are none."""
    data = array("B", [7, 255, 0, 128, 9])

    def build(graph: NodeGraph, block: Block, value: Node) -> Node:
        return graph.make("sample", (value, len(data)), "float")

    machine = Machine([build], 1, floats=True)
    machine.lend(samples=data)
    edges = [4.0, 4.999, 5.0, 5.5, -5e-324, 2.0**31, 2.0**63, 2.0**64, -(2.0**63)]
    for value in FLOATS + edges:
        assert alike(sample(data.tobytes(), value), machine(0, value)), value


# What machine code must not try ------------------------------------------------------------------


@pytest.mark.parametrize(("op", "args"), [
    ("%", ("slot", 0)), ("%", ("slot", -7)), ("%", ("slot", "slot")), ("//", ("slot", 3)),
    (">>", ("slot", 64)), (">>", ("slot", -1)), (">>", ("slot", "slot")),
    ("abs", ("slot",)), ("+", ("slot", MOST + 1)), ("+", (LEAST - 1, "slot")),
    ("no such operation", ("slot",)),
])  # fmt: skip
def test_what_has_no_exact_machine_code_is_not_written(op: str, args: tuple[Any, ...]) -> None:
    def build(graph: NodeGraph, block: Block, slot: Node) -> Node:
        return graph.make(op, tuple(slot if arg == "slot" else arg for arg in args), "int")

    with pytest.raises(Unwritable, match=r"."):
        NativeWriter([tree_of(0, build, 1, False)], False, False).source()


def test_an_unknown_effect_is_not_written() -> None:
    def build(graph: NodeGraph, block: Block, slot: Node) -> Node:
        block.ops.append(("dance", slot))
        return slot

    with pytest.raises(Unwritable, match="dance"):
        NativeWriter([tree_of(0, build, 1, False)], False, False).source()


@pytest.mark.parametrize("use", ["push", "number", "+", "<", "quotient", ">> 0", "float"])
def test_all_64_bits_of_chance_are_no_number(use: str) -> None:
    """Whole numbers have a sign bit here, and from 2 to the power of 63 on it would be wrong."""

    def build(graph: NodeGraph, block: Block, slot: Node) -> Any:
        draw = graph.make("draw", (0,), "int")
        if use == "number":
            block.ops.append(("number", draw))
            return slot
        if use == "push":
            return draw
        if use == ">> 0":
            return graph.make(">>", (draw, 0), "int")
        args = (draw,) if use == "float" else (slot, draw)
        return graph.make(use, args, "bool" if use == "<" else "int")

    with pytest.raises(Unwritable, match="64 bits of chance"):
        NativeWriter([tree_of(0, build, 1, False)], False, False).source()


@about("either")
@pytest.mark.parametrize("floats", [False, True])
def test_ways_that_join(floats: bool) -> None:
    """The smaller of two by another way for each order."""
    kind = "float" if floats else "int"
    graph, key = NodeGraph(), Key(Stance(0, 0, 1, 0), 2)
    tree = Tree(key)
    tree.longest = 2
    a, b = (graph.make("slot", (i,), kind) for i in range(2))
    least = graph.make("either", (9,), kind)
    yes, no, join = Block(), Block(), Block()
    yes.end, no.end = Join([(least, a)]), Join([(least, b)])
    join.end = Exit(key, Env([least], 0, 0), 1)
    tree.root.end = ConditionalBranch(graph.make("<", (a, b), "bool"), yes, no, join)
    machine = Machine.__new__(Machine)
    machine.unit = unit_of(NativeWriter([tree], floats, hands=True).written())
    machine.unit.assemble(None)
    machine.words = machine.unit.words
    for pair in product([-3, 0, 7, 2**40], repeat=2):
        assert machine(0, *pair) == min(pair)


def test_every_operation_on_the_state_is_tested() -> None:
    effects = {row.name for row in EFFECTS.values() if "native" in row.where.split()}
    known = {row.name for row in STATE_ROWS if "native" in row.where} | effects
    assert known == TESTED


def test_registers_that_only_steps_change_come_back() -> None:
    """Code for a window goes on tick by tick in places that its long trees never come to."""
    register, fast, slow = Register("b", 0), Key(Stance(0, 0, 1, 0), 0), Key(Stance(1, 0, 1, 0), 0)
    trees = [Tree(fast), Tree(slow)]
    for tree in trees:
        env = Env([], *(NodeGraph().make("hand", (axis,), "int") for axis in "xy"))
        tree.root.end = Goto(tree.key, env, 1)
        tree.longest = 1
    env.registers[register] = 7
    unit = unit_of(LongWriter([trees[0]], [trees[1]], floats=False).written())
    assert unit.registers == unit.stored == [register]
    unit.assemble(None)
    held, words = {"b": 5}, RegisterWords()
    assert words.fill(held, unit.registers)
    unit.words[Slot.FUEL], unit.words[Slot.REGISTERS] = 1, words.address(held)
    unit.call(ctypes.addressof(unit.words), unit.entries[slow])
    words.empty(held, unit.stored)
    assert (held, unit.words[Slot.FUEL]) == ({"b": 7}, 0)
