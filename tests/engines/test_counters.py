"""Numbers that cannot overflow while code runs are not asked about, and nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from planewalk.core.limits import Limits
from planewalk.engines.base.policy import PATIENT, following
from planewalk.engines.machine.engine import LLVMEngine
from planewalk.engines.native.counters import Counters
from planewalk.engines.native.llvm import why_not
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.ir import ConditionalBranch, Key, NodeGraph, Register
from planewalk.engines.tracing.layout import UnitLayout, blocks
from planewalk.engines.tracing.ops import WIDE, WORD
from planewalk.engines.tracing.trace import Tracer
from planewalk.engines.tracing.trees import Tree
from planewalk.languages import registry
from tests.engines.agreement import quick_code

pytestmark = pytest.mark.skipif(why_not() is not None, reason="there is no machine code here")

MIRRORFUNGE = registry.get("mirrorfunge")
EDGES = [
    sign * ((1 << bits) + near)
    for bits in (61, 62, 63, 126, 127)
    for near in (-80, -3, -1, 0, 2)
    for sign in (1, -1)
]
FAR = 1 << 64
COUNTED = [")", "(", ");(;", "0;-", "))))"]
COMPARED = ["1g(", "1g1g-", "51g-", "1gf+"]
"""What is compared with 0 and forgotten: the next lower number, and differences."""
OTHERS = [
    ":+2|", "1g+", "1g-", "1g*7|", "aaaa***:*:*a*+", "aaaa***:*:*a*-", "f+", "(:!$", "1g1g-:!$+",
    "f+:8-!$", ")0-", "1g(:!$+", "1g2:*:*:*:*:*:4|*0;-2*+!+",
]  # fmt: skip
"""What is no counter, or is asked for and kept."""


@pytest.fixture(autouse=True)
def compile_soon() -> Iterator[None]:
    policy = PATIENT._replace(background=False)
    with following(policy), quick_code():
        yield


def loop(body: str) -> bytes:
    """A program that does that again and again with two numbers on the stack."""
    return f">{body}v\n^{'<':>{len(body) + 1}}".encode()


def two_ways(test: str, yes: str = " ", no: str = " ") -> bytes:
    """One that does something or something else then, as a number made of them is 0 or not."""
    return f"v{no:>{len(test)}}\\\n>{test}<\n^{yes:>{len(test)}}/".encode()


def run(source: bytes, numbers: list[int], bits: int = WORD) -> str:
    """What of machine code for so many bits is about the program. Its runs from any of the numbers
    come to the same as those of the reference engine."""
    start = partial(MIRRORFUNGE.start, source, {}, 0)
    engine = LLVMEngine(MIRRORFUNGE, start(), Limits(), None)
    reference = ReferenceEngine(MIRRORFUNGE, start())
    texts = []
    for count, number in enumerate(numbers):
        for it in (engine, reference):
            it.state.stack[:] = (7, number) if count % 2 else (number, 7)
            until = it.state.tick + (2_000 if count == 0 else 30 * len(source))
            while it.state.tick < until:
                it.advance(until - it.state.tick)
        assert engine.state == reference.state, (source, number)
        texts += [it.text for it in engine.units.at.values() if it.bits == bits]
    assert engine.native_ticks > engine.state.tick // 10 and texts
    return "".join(text[text.index("@unit(") :] for text in texts)


def traced(row: str, bits: int = WORD) -> list[Tree]:
    """The code of a row that goes round, with two numbers on the stack."""
    state = MIRRORFUNGE.start(row.encode(), {}, 0)
    tracer = Tracer(MIRRORFUNGE, state, None, {}, False, native=True, bits=bits)
    return tracer.explore(Key(state.walkers[0].stance, 2))


@pytest.mark.parametrize(
    ("row", "slots"),
    {
        ")": [1], "f+": [1], ");": [0, 1], ");(;": [0, 1], "0;-)": [1], "1g$": [], "1g+": [],
        "aaaa***:*:*a*+": [], ":+)": [], "1g*;)": [], "1g*)": [], ");1g1g*2r$;": [],
    }.items(),
)  # fmt: skip
def test_counters_are_told_from_others(row: str, slots: list[int]) -> None:
    """By what is added to them, and what they are added to."""
    trees = traced(row)
    assert Counters(trees, WORD).at(trees[0].key) == slots


def test_what_counters_come_to_together_is_asked_about() -> None:
    trees = traced(");)1g1g+$")
    (key, asked) = trees[0].key, [block.end for block in blocks(trees[0])]
    nodes = [end.condition for end in asked if isinstance(end, ConditionalBranch)]
    counters = Counters(trees, WORD)
    assert [counters.never(key, node) for node in nodes] == [True, True, False]


@pytest.mark.parametrize("bits", [WORD, WIDE])
@pytest.mark.parametrize("source", [*map(loop, COUNTED), *map(two_ways, COMPARED)])
def test_what_cannot_overflow_is_not_asked_about(source: bytes, bits: int) -> None:
    assert "with.overflow" not in run(source, [5 if bits == WORD else FAR, 5, -5], bits)


def test_numbers_that_are_far_out_have_code_of_their_own() -> None:
    run(loop(")"), [5, *[1 << 62] * 120], WIDE)


def test_ways_that_count_differently_count() -> None:
    source = two_ways("1g", yes="(", no=")")
    assert "with.overflow" not in run(source, [5, 0])
    run(source, [5, 0, *EDGES, 0, 0, *EDGES])


@pytest.mark.parametrize("source", [*map(loop, COUNTED + OTHERS), *map(two_ways, COMPARED)])
def test_numbers_at_all_edges_stay_exact(source: bytes) -> None:
    run(source, [5, *EDGES])
    run(source, [5, 5, *EDGES])


def test_registers_that_only_a_dropped_guard_saw_are_shown() -> None:
    """What is shown has no more bits than there are; and code counts on that."""
    (tree,), register = traced("1g$"), Register("total", 0)
    assert UnitLayout([tree]).registers == []
    tree.counted_on = [NodeGraph().make("register", (register,), "int")]
    assert UnitLayout([tree]).registers == [register]
