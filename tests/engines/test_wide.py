"""Machine code for numbers of 128 bits, where 64 are too few."""

import ctypes
import random
from functools import partial
from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.native import wide
from planewalk.engines.native.abi import OUTPUT_ROOM, Slot
from planewalk.engines.native.machine_code import why_not
from planewalk.engines.native.unit import unit_of
from planewalk.engines.native.values import Unwritable
from planewalk.engines.native.wide import KNOWN, WideWriter
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.ir import Block, NodeGraph
from planewalk.engines.tracing.ops import ON_OTHERS, PureOp, range_of_bits
from planewalk.languages import registry
from tests.engines.operations import WHOLE, tree_of
from tests.engines.stores import MemoryStore

pytestmark = [
    pytest.mark.skipif(why_not() is not None, reason="there is no machine code here"),
    pytest.mark.usefixtures("in_the_foreground"),
]

LEAST, MOST = range_of_bits(128)
ROOT = 13043817825332782212  # the last number whose square 128 bits hold
EDGES = [
    *WHOLE, 2**63, 2**64 - 1, 2**64, -(2**64), 10**19, 2**96 + 2**32 - 1, 2**65 - 2**33 + 1,
    -(10**30), ROOT, ROOT + 1, -ROOT - 1, 2**126, MOST - 1, MOST, LEAST + 1, LEAST,
]  # fmt: skip
ROWS = [row for name, row in ON_OTHERS.items() if name in KNOWN]


class WideMachine:
    """Trees as machine code, each with a number; they take values from the stack and leave one."""

    def __init__(self, builds: Any, takes: int) -> None:
        trees = [tree_of(number, build, takes, False) for number, build in enumerate(builds)]
        self.unit = unit_of(WideWriter(trees, False, hands=False).written())
        self.unit.assemble(None)

    def __call__(self, number: int, *values: int) -> tuple[int, bytes]:
        words, left = self.unit.words, [0] * self.unit.low + list(values)
        words[Slot.FUEL], words[Slot.WRITTEN], words[Slot.MOST_WRITTEN] = 5, 0, OUTPUT_ROOM
        assert self.unit.fill(left)
        left_by = self.unit.call(ctypes.addressof(words), number)
        assert left_by not in self.unit.spent and words[Slot.FUEL] == 4
        self.unit.empty(left, self.unit.exits[left_by][1])
        return left[0], self.unit.output[: words[Slot.WRITTEN]]


def expected(row: PureOp, values: tuple[int, ...]) -> Any:
    """What an operation gives; None where it is never asked, or has no number of 128 bits."""
    name = row.name
    if name.startswith("overflow"):
        if name.endswith("/"):
            return values == (LEAST, -1)
        return not LEAST <= ON_OTHERS[name[-1]].meaning(*values) <= MOST
    if name in ("quotient", "remainder", "%") and values[1] == 0:
        return None
    if name == ">>" and not 0 <= values[1] < 64:
        return None
    if name == "%" and values[1] < 0:
        return None
    if name in ("quotient", "remainder") and values == (LEAST, -1):
        return None
    found = row.meaning(*values)
    return found if LEAST <= found <= MOST else None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_operation(row: PureOp) -> None:
    """As in Python, at all edges and beside them; a number to divide or shift by is known."""
    numbers = EDGES if row.takes == "ii" else [0, 1]
    if row.name in ("%", ">>"):
        by = [1, 2, 7, 10, 63, 256, 10**9] if row.name == "%" else [0, 1, 31, 32, 63]
    else:
        by = numbers

    def build(known: int | None, graph: NodeGraph, block: Block, *slots: Any) -> Any:
        if row.takes == "b":
            return graph.make(row.name, (graph.make("==", (slots[0], 1), "bool"),), row.gives)
        args = slots if known is None else (slots[0], known)
        return graph.make(row.name, args, row.gives)

    known = by if row.name in ("%", ">>") else [None]
    machine = WideMachine([partial(build, number) for number in known], 2)
    for a in numbers:
        for place, b in enumerate(by if row.takes == "ii" else [0]):
            values = (a, b) if row.takes == "ii" else (bool(a),)
            wanted = expected(row, values)
            if wanted is not None:
                found, _ = machine(place if len(known) > 1 else 0, a, b)
                assert found == wanted, (row.name, values)


def test_multiplication_by_numbers_that_are_known() -> None:
    """LLVM sees them there, as it does not in products of any two numbers."""
    known = [-1, 2, 7, 8, 2**32, 2**63, 2**64 - 1, ROOT, -(10**30)]
    places = [(name, by) for name in ("*", "overflow *") for by in known]

    def build(name: str, by: int, graph: NodeGraph, block: Block, y: Any) -> Any:
        return graph.make(name, (y, by), "int" if name == "*" else "bool")

    machine = WideMachine([partial(build, *place) for place in places], 1)
    for number, (name, by) in enumerate(places):
        for y in EDGES:
            wanted = expected(ON_OTHERS[name], (y, by))
            if wanted is not None:
                assert machine(number, y)[0] == wanted, (name, y, by)


DIVIDING = ("quotient", "remainder")


@pytest.fixture(scope="module")
def division() -> WideMachine:

    def build(name: str, graph: NodeGraph, block: Block, *slots: Any) -> Any:
        return graph.make(name, slots, "int")

    return WideMachine([partial(build, name) for name in DIVIDING], 2)


def divides(division: WideMachine, y: int, x: int) -> None:
    for number, name in enumerate(DIVIDING):
        assert division(number, y, x)[0] == ON_OTHERS[name].meaning(y, x), (name, y, x)


def test_division_of_any_two_numbers(division: WideMachine) -> None:
    chance = random.Random(128)
    for _ in range(3_000):
        y, x = (chance.getrandbits(chance.randrange(1, 128)) - (1 << 20) for _ in range(2))
        divides(division, y * chance.choice((1, -1)), (x or 1) * chance.choice((1, -1)))


def test_division_at_the_edges_of_words(division: WideMachine) -> None:
    powers = (1 << bits for bits in (0, 31, 32, 62, 63, 64, 65, 95, 96, 126, 127))
    edges = {sign * (power + by) for power in powers for by in (-1, 0, 1) for sign in (1, -1)}
    numbers = sorted(number for number in edges if LEAST <= number <= MOST)
    for y in numbers:
        for x in numbers:
            if x and (y, x) != (LEAST, -1):
                divides(division, y, x)


def test_what_one_way_has_found_is_not_there_on_another() -> None:
    def build(name: str, graph: NodeGraph, block: Block, y: Any) -> Any:
        return graph.make(name, (10**20, 3), "int")

    machine = WideMachine([partial(build, name) for name in DIVIDING], 1)
    assert [machine(number, 0)[0] for number in (0, 1)] == [10**20 // 3, 1]


def test_numbers_are_written_to_the_last_digit() -> None:
    def build(graph: NodeGraph, block: Block, value: Any) -> Any:
        block.ops.append(("number", value))
        return value

    machine = WideMachine([build], 1)
    for value in [*EDGES, 10**18, 10**19 - 1, 10**38, 10**38 - 1]:
        assert machine(0, value) == (value, str(value).encode())


def test_without_a_function_that_divides_there_is_no_such_code(monkeypatch) -> None:
    monkeypatch.setattr(wide, "address_of_function", lambda name: None)
    with pytest.raises(Unwritable, match="divides 128 bits"):
        WideWriter([tree_of(0, lambda *_: 0, 1, False)], False, hands=False)


def test_what_needs_hands_or_the_clock_is_not_for_it() -> None:
    with pytest.raises(Unwritable):
        WideWriter([tree_of(0, lambda *_: 0, 1, False)], False, hands=True)
    asking = tree_of(0, lambda graph, *_: graph.make("tick", (0,), "int"), 1, False)
    with pytest.raises(Unwritable, match="tick"):
        WideWriter([asking], False, hands=False).written()


# Runs --------------------------------------------------------------------------------------------

SQUARES = b"""\
f:*:*:*:*7v
          >:*);:2r:2r:2r;|*-v
          ^                 <
"""
"""x * x + 1 modulo 15 ** 16, again and again: 64 bits hold what is left, and not the squares."""
TURNS = b"""\
9:*:*:*:*b:*:*:*:*7v
                   >:*):2g|2g*-2r;v
                   ^              <
"""
"""x * x + 1 modulo 9 ** 16 and 11 ** 16 in turns."""
SUMS = b"""\
1f:*v
    >:2r+:.v
    ^      <
"""
"""Sums of the last two, which soon have more than 64 bits, and more than 128 later."""


def begun(source: bytes) -> State:
    return registry.get("mirrorfunge").start(source, {}, 0)


def engine_on(state: State, store: MemoryStore | None = None) -> LLVMEngine:
    return LLVMEngine(registry.get("mirrorfunge"), state, Limits(), store)


def follows_the_reference_engine(engine: LLVMEngine, source: bytes, ticks: list[int]) -> None:
    state = begun(source)
    reference = ReferenceEngine(registry.get("mirrorfunge"), state)
    for tick in ticks:
        for it in (engine, reference):
            while it.state.tick < tick and it.advance(tick - it.state.tick) is None:
                pass
        assert engine.state == state, tick


def test_a_loop_whose_numbers_outgrow_64_bits_gets_128() -> None:
    engine = engine_on(begun(SQUARES))
    follows_the_reference_engine(engine, SQUARES, [10, 5_000, 20_000, 20_001, 20_017, 30_000])
    assert {native.bits for native in engine.units.at.values()} == {128}
    before = engine.native_ticks
    engine.advance(20_000)
    assert engine.native_ticks - before > 19_000


def test_divisions_by_numbers_that_take_turns() -> None:
    engine = engine_on(begun(TURNS))
    follows_the_reference_engine(engine, TURNS, [10, 5_000, 20_000, 20_001, 20_017, 30_000])
    assert {native.bits for native in engine.units.at.values()} == {128}
    assert 9**16 in engine.state.stack


def test_a_second_run_begins_with_code_for_128_bits() -> None:
    store = MemoryStore()
    engine_on(begun(SQUARES), store).advance(30_000)
    engine = engine_on(begun(SQUARES), store)
    assert 128 in {native.bits for native in engine.units.at.values()}
    follows_the_reference_engine(engine, SQUARES, [10, 999, 20_000])
    assert engine.hot_spots.orders == 0


def test_of_two_units_that_for_longer_numbers_is_taken() -> None:
    """Whichever was kept first."""
    engine = engine_on(begun(SQUARES))
    engine.advance(3_000)
    entry, task = next(iter(engine.units.at)), engine.survey.task(engine.survey.walked())
    units = [engine.backend.maker.make(task, [entry], 0, bits).unit for bits in (128, 64)]
    engine.backend._adopt_all(units)
    assert engine.units.at[entry] is units[0]


def test_numbers_that_outgrow_128_bits_are_exact() -> None:
    engine = engine_on(begun(SUMS))
    follows_the_reference_engine(engine, SUMS, [100, 1_000, 3_000, 12_000])
    assert max(engine.state.stack) > 1 << 200


def loop_of(chance: random.Random) -> bytes:
    """A loop of arithmetic that begins with numbers near the ends of 64 bits."""
    begin = chance.choice(["f:*:*:*:*", "8:*:*:*2*:*", "2f:*:*:*:*:*0;-"])
    words = [*":)(+-|`;", "1r", "2r", "2s", "$", ".", "3", "f*", "!"]
    body = "".join(chance.choices(words, k=chance.randrange(4, 12)))
    indent = " " * (len(begin) + 1)
    return f"7{begin}v\n{indent}>:;{body}v\n{indent}^{' ' * (len(body) + 2)}<\n".encode()


@pytest.mark.parametrize("seed", [62, 105, 116, 135])
def test_random_loops(seed: int) -> None:
    """Those of the first two hundred that run long in code for 128 bits."""
    source = loop_of(random.Random(seed))
    engine = engine_on(begun(source))
    follows_the_reference_engine(engine, source, [50, 3_000, 3_001, 6_000])
    assert 128 in {native.bits for native in engine.units.at.values()}
