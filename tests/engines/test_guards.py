"""Guards that are asked one after the other are one, and nobody can tell."""

from __future__ import annotations

import pytest

from planewalk.core.geometry import RIGHT, Stance
from planewalk.core.state import State
from planewalk.engines.base.policy import HASTY, following
from planewalk.engines.python.engine import PythonEngine
from planewalk.engines.tracing.guards import leaves, merge_guards
from planewalk.engines.tracing.ir import ConditionalBranch, Key, NodeGraph, Register
from planewalk.engines.tracing.layout import UnitLayout, blocks
from planewalk.engines.tracing.trace import Tracer
from planewalk.engines.tracing.trees import Tree
from planewalk.languages import registry
from tests.engines.agreement import compile_soon, engines_agree

__all__ = ["compile_soon"]

REFUNGE = registry.get("refunge")


def begin(source: bytes) -> State:
    return REFUNGE.start(source, REFUNGE.read_options({}), 0)


def traced(row: bytes) -> list[Tree]:
    """The code of a row that goes round, on a field that has some more."""
    state = begin(row + b"\n.\n.\n.\n.\n.\n.\n.\n.")
    tracer = Tracer(REFUNGE, state, None, {}, False)
    return tracer.explore(Key(Stance(0, 0, *RIGHT, "none"), 0))


def guards(trees: list[Tree], op: str = "<") -> list[str]:
    """The questions after which code leaves, about what they are."""
    ends = [block.end for tree in trees for block in blocks(tree)]
    parting = [end for end in ends if isinstance(end, ConditionalBranch)]
    asked = [end.condition for end in parting if leaves(end.yes) or leaves(end.no)]
    return [str(node.args[0].args[-1]) for node in asked if node.op == op]


def test_a_hand_is_asked_about_once_on_its_way_down_and_once_on_its_way_up() -> None:
    trees = traced(b"vvvvvv^^^^^^^v^v^v")
    assert len(guards(trees)) > 2
    merge_guards(trees, ())
    assert sorted(guards(trees)) == ["-1", "6"], "as far as it goes"


def test_what_parts_ways_is_asked_in_between() -> None:
    """Whether it goes further depends on a cell."""
    trees = traced(b"vv@#vv^^^^")
    merge_guards(trees, ())
    assert guards(trees) == ["2", "3", "1", "-3"], "no further than it goes in any case"


def test_guards_that_lead_to_other_code_stay() -> None:
    before = traced(b"vvvvvv^^^^^^")
    trees = traced(b"vvvvvv^^^^^^")
    merge_guards(trees, {Key(Stance(x, 0, *RIGHT, "none"), 0) for x in range(12)})
    assert guards(trees) == guards(before)


def test_guards_that_will_be_one_do_not_cut_ways_short() -> None:
    (tree,) = traced(b"v" * 40 + b"^" * 40)
    assert tree.longest == 80


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


def test_registers_that_only_a_dropped_guard_saw_are_shown() -> None:
    """What is shown has no more bits than there are; and code counts on that."""
    register, tree = Register("total", 0), Tree(Key(Stance(0, 0, *RIGHT, "none"), 0))
    assert UnitLayout([tree]).registers == []
    tree.counted_on = [NodeGraph().make("register", (register,), "int")]
    assert UnitLayout([tree]).registers == [register]


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
