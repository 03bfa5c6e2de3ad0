"""Two short ways that become one in machine code, and trees that only lead on."""

from __future__ import annotations

from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import EAGER
from planewalk.engines.machine.engine import LLVMEngine
from planewalk.engines.native.llvm import why_not
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.examples import find_example
from planewalk.languages import registry

pytestmark = pytest.mark.skipif(why_not() is not None, reason="there is no machine code here")

MOST = (1 << 63) - 1
ODD, ZERO = ":2|2*1g-", ":"
WAYS = [
    (ODD, "3*)", "2|"),  # one may overflow, the other leaves no remainder
    (ODD, "2|", "2|"),  # both divide, and only one knows that
    (ODD, ")", "("),
    (ODD, "5*", "3*"),
    (ODD, "1+#9", "1-"),  # one leaps over a cell, and takes less time
    (ZERO, "(", ")))"),
    (ZERO, "7*5-", "9"),  # to another depth
    (ZERO, "a|", "a"),
    (":a`", "2|", ")3*"),
]
STARTS = [0, 1, 7, -8, 27, 3074457345618258601, MOST // 3 * 2 + 2, MOST, -MOST, -MOST - 1]


def begin(test: str, up: str, down: str, start: int) -> State:
    """Round and round: a test, and one of two ways to where they meet."""
    width, before = max(len(up), len(down)), " " * (len(test) + 1)
    rows = [
        f"&{test}<{' ' * width}>#",
        f"{before}\\{down:{width}}/",
        f"{before}/{up:{width}}\\",
    ]
    language = registry.get("mirrorfunge")
    state = language.start("\n".join(rows).encode(), language.read_options({}), 0)
    state.input = InputStream(str(start).encode(), closed=True)
    return state


def compiled(state: State) -> LLVMEngine:
    return LLVMEngine(registry.get("mirrorfunge"), state, Limits(), None, EAGER)


def text_of(engine: LLVMEngine) -> str:
    return "".join(unit.text for unit in dict.fromkeys(engine.units.at.values()))


def run(engine: Any, state: State, ticks: int) -> None:
    for _ in range(100):
        if state.tick < ticks:
            engine.advance(ticks - state.tick)


@pytest.mark.parametrize("ways", WAYS, ids="/".join)
def test_it_makes_no_difference(ways: tuple[str, str, str]) -> None:
    """Whichever way is taken, wherever it leaves, and however many ticks there are."""
    engine = compiled(begin(*ways, 5))
    for start in STARTS:
        state = begin(*ways, start)
        expected = state.copy()
        engine.restart(state)
        reference = ReferenceEngine(registry.get("mirrorfunge"), expected, Limits())
        for ticks in (90, 91, 93, 96, 100, 140, 201, 202, 300):
            run(engine, state, ticks)
            run(reference, expected, ticks)
            assert state == expected, (start, ticks)
    assert engine.native_ticks > 0


def test_two_ways_are_one() -> None:
    state = begin(ODD, "3*)", "2|", 27)
    engine = compiled(state)
    run(engine, state, 2_000)
    text = text_of(engine)
    assert "!unpredictable" in text and "sdiv exact" in text


@pytest.mark.parametrize(
    "up, down", [("3*)", "::+:+:++::++"), ("3*)", "3|"), ("2|.", "2|"), ("7*5-", "9")]
)
def test_some_are_not(up: str, down: str) -> None:
    """What takes long, or does something, is not done in vain; nor do others meet there."""
    state = begin(ODD, up, down, 27)
    engine = compiled(state)
    run(engine, state, 300)
    assert engine.native_ticks > 0 and "!unpredictable" not in text_of(engine)


def test_a_quotient_that_both_ways_need_is_no_exact_one() -> None:
    state = begin(ODD, "2|", "2|)", 27)
    engine = compiled(state)
    run(engine, state, 300)
    assert "!unpredictable" in text_of(engine) and "exact" not in text_of(engine)


@pytest.mark.parametrize("piece", [23, 26, 47, 49, 51, 54, 75])
def test_passages_take_their_ticks(piece: int) -> None:
    """Who goes through a tree that only leads on has looked for fuel before."""
    language = registry.get("mirrorfunge")
    source = find_example("collatz.mf").read()
    state = language.start(source, language.read_options({}), 0)
    state.input = InputStream(b"9", closed=True)
    engine, expected = compiled(state), state.copy()
    reference = ReferenceEngine(language, expected, Limits())
    for _ in range(900 // piece):
        assert engine.advance(piece) == reference.advance(piece)
        assert state == expected
    assert engine.native_ticks > 0
