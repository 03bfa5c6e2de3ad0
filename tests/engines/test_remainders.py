"""What programs write for a remainder, in machine code, on numbers of any size."""

from itertools import product

import pytest

from planewalk.core.limits import Limits
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.native.machine_code import why_not
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.ops import WIDE, range_of_bits
from planewalk.languages import registry
from tests.engines.operations import WHOLE

pytestmark = pytest.mark.skipif(why_not() is not None, reason="there is no machine code here")

LONG = [2**64, -(2**64) - 1, 10**21 + 7, -(10**30), *range_of_bits(WIDE), 2**127 - 2]
REST, TURNED_ROUND = "1g1g|*-", "1g1g|;*-"
OTHERS = ["1g1g|*)-", "1g)1g|*-", "1g1g)|*-", "1g1g|1+*-", "1g1g|*;-", "1g1g|!*-"]
"""What looks like one, and is not: these overflow, or leave something else."""


pytestmark = pytest.mark.usefixtures("in_the_foreground")


def run(body: str, numbers: list[int]) -> LLVMEngine:
    """The engine after runs on any two numbers, which come to the same as on the reference
    engine: a loop on numbers that stay, and one below them, which is what the body makes of
    them."""
    row = f">2r$1g1g{body}2r2rv"
    source = f"v\n{row}\n^{'<':>{len(row) - 1}}\n".encode()
    language, (first, *others) = registry.get("mirrorfunge"), product(numbers, numbers)
    engine = LLVMEngine(language, language.start(source, {}, 0), Limits(), None)
    reference = ReferenceEngine(language, language.start(source, {}, 0))
    for it in (engine, reference):
        it.state.stack.extend((0, *first))
        advance(it, 1 + 200 * len(row))
    for pair in others:
        for it in (engine, reference):
            it.state.stack[-2:] = pair
            advance(it, 6 * len(row))
        assert engine.state == reference.state, pair
    assert engine.native_ticks > engine.state.tick // 4
    return engine


def advance(engine: LLVMEngine | ReferenceEngine, ticks: int) -> None:
    until = engine.state.tick + ticks
    while engine.state.tick < until:
        engine.advance(until - engine.state.tick)


@pytest.mark.parametrize("body", [REST, TURNED_ROUND, *OTHERS])
@pytest.mark.parametrize("numbers", [WHOLE, [*WHOLE, *LONG]], ids=["64", "128"])
def test_remainders_and_what_looks_like_one(body: str, numbers: list[int]) -> None:
    run(body, numbers)
