"""Hands that go up and down a field: code asks in each tick whether there is another row."""

import pytest

from planewalk.core.state import State
from planewalk.engines.base.policy import HASTY, following
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.languages import registry
from tests.engines.agreement import engines_agree

REFUNGE = registry.get("refunge")


def begin(source: bytes) -> State:
    return REFUNGE.start(source, REFUNGE.read_options({}), 0)


PROGRAMS = {
    "over the bottom, one row deeper each time": b"vvvv^^^\n.\n.",
    "adds below, on its way": b"+vv>v<^X^^~\n1 2\n345\n",
    "over the top in the end": b"vvv^^^^|",
    "it writes over its own code far below": b"~vvv+X^X^X^~@\n   \n v/\n ^^^",
    "to and fro over the rim": b"+v~^-^~v<v+^~^>\n1.",
}


@pytest.mark.usefixtures("compile_soon")
@pytest.mark.parametrize("source", PROGRAMS.values(), ids=list(PROGRAMS))
def test_no_engine_goes_further_than_the_field(source: bytes) -> None:
    engines_agree(REFUNGE, lambda: begin(source), [7, 45, 46, 47, 48, 49, 111, 400, 1_003])


def test_generated_code_of_many_guards_is_nested_no_deeper() -> None:
    """Python takes no more than a hundred levels."""
    state = begin(b"v+" + b"Xv>X^<" * 30 + b"~^\n" + b"12" * 80 + b"\n.")
    with following(HASTY):
        engine = PythonEngine(REFUNGE, state)
    while state.tick < 2_000:
        assert engine.advance(2_000 - state.tick) is None
    levels = [len(line) - len(line.lstrip()) for it in engine.units.at.values()
              for line in it.source.text.splitlines()]  # fmt: skip
    assert engine.units.at and max(levels) == 8, "a function, a loop, heads, and what leaves there"
