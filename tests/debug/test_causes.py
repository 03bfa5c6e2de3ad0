"""Why: causes name the cells and input bytes that a value comes from, and no others."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.errors import OptionError
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.core.stream import InputStream
from planewalk.debug.asking.causes import CausalEngine, Cause
from planewalk.debug.session import Session
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry
from tests.laws.programs import LANGUAGES, TEXT_LANGUAGES, sources, started
from tests.laws.test_sessions import session as lawful


def session(name: str, source: bytes, input: bytes = b"") -> Session:
    walk = Session(Program(registry.get(name), source), input, 0)
    walk.end()
    return walk


def places(cause: Cause | None) -> set[Any]:
    assert cause is not None
    return {leaf.index if leaf.kind == "input" else leaf.place for leaf in cause.leaves()}


@pytest.mark.parametrize(("source", "columns"), [
    (b"9812+.@", [{2, 3}]),
    (b"34:*.@", [{1}]),
    (b"732`.@", [{1, 2}]),
    (b"7891r...@", [{1, 3}, {2}, {0}]),
    (b"7892r...@", [{0, 3}, {2}, {1}]),
    (b"7892s...@", [{0, 3}, {1}, {2, 3}]),
    (b"7891g....@", [{1, 3}, {2}, {1}, {0}]),
])  # fmt: skip
def test_numbers_come_from_their_operands_wherever_those_stood(
    source: bytes, columns: list[set[int]]
) -> None:
    walk = session("mirrorfunge", source)
    for index, expected in enumerate(columns):
        assert places(walk.why(output=index)) == {(x, 0) for x in expected}


def test_input_is_a_cause() -> None:
    walk = session("mirrorfunge", b"~~,,@", b"ab")
    assert places(walk.why(output=0)) == {1} and places(walk.why(output=1)) == {0}


def test_input_that_came_while_the_program_waited_is_a_cause() -> None:
    walk = Session(Program(registry.get("mirrorfunge"), b" ~~,,@"), None, 0)
    walk.end()
    walk.feed(b"a")
    walk.end()
    walk.feed(b"b")
    walk.end()
    assert walk.output == b"ba"
    assert places(walk.why(output=0)) == {1} and places(walk.why(output=1)) == {0}
    walk.goto(3)
    assert places(walk.why(stack=0)) == {1}


def test_the_end_of_the_input_is_a_cause() -> None:
    walk = session("mirrorfunge", b"~~..@", b"a")
    cause = walk.why(output=0)
    assert cause is not None and list(cause.lines())[1:] == ["  the end of the input, at tick 1"]


def test_cells_that_were_rewritten_lead_to_what_they_were() -> None:
    walk = session("refunge", b"+X!^")
    assert places(walk.why(output=0)) == {(0, 0)}
    tree = walk.why(cell=(0, 0))
    assert tree is not None and tree.kind == "computed" and tree.tick == 1
    assert walk.why(cell=(3, 0)).kind == "cell"  # type: ignore[union-attr]


def test_the_tree_is_told_in_lines() -> None:
    walk = session("mirrorfunge", b"12+.@")
    cause = walk.why(output=0)
    assert cause is not None
    assert list(cause.lines()) == [
        "'.' (print number) at 3,0, tick 3",
        "  '+' (add) at 2,0, tick 2",
        "    the cell 0,0",
        "    the cell 1,0",
    ]


def test_values_that_are_not_there() -> None:
    walk = session("mirrorfunge", b"12+.@")
    assert walk.why(output=7) is None and walk.why(stack=3) is None
    with pytest.raises(OptionError, match="one thing"):
        walk.why()


def test_causes_are_followed_back_over_keyframes() -> None:
    walk = session("mirrorfunge", b"12+.@")
    walk.goto(2)
    walk.course.keep()
    walk.goto(5)
    assert places(walk.why(output=0)) == {(0, 0), (1, 0)}


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=40)
@given(data=st.data())
def test_numbers_with_causes_change_nothing(name: str, data: st.DataObject) -> None:
    source, text = data.draw(sources(name)), data.draw(st.binary(max_size=6))
    first, second = started(name, source), started(name, source)
    first.input, second.input = InputStream(text), InputStream(text)
    language, limits = registry.get(name), Limits(memory=1 << 20)
    for engine in (
        ReferenceEngine(language, first, limits),
        CausalEngine(language, second, limits),
    ):
        for _ in range(60):
            if engine.advance(1) is not None:
                break
    assert first == second


@settings(max_examples=40)
@given(data=st.data())
def test_changing_any_other_literal_does_not_change_the_byte(data: st.DataObject) -> None:
    """Straight programs: what `why` does not name has no say in a byte."""
    digits = data.draw(st.text("0123456789", min_size=3, max_size=5))
    words = st.sampled_from(["+", "-", "*", ":", "1r", "2r", "1s", "2s", "1g"])
    signs = data.draw(st.lists(words, min_size=len(digits) - 2, max_size=len(digits) - 2))
    program = f"{digits}{''.join(signs)}.@"
    walk = session("mirrorfunge", program.encode())
    named = places(walk.why(output=0))
    for at in range(len(digits)):
        if (at, 0) in named:
            continue
        other = "7" if digits[at] != "7" else "3"
        changed = program[:at] + other + program[at + 1 :]
        assert session("mirrorfunge", changed.encode()).output == walk.output


def all_of(cause: Cause) -> list[Cause]:
    """A tree of causes as a list, each once."""
    found = {id(cause): cause}
    work = [cause]
    while work:
        for parent in work.pop().parents:
            if id(parent) not in found:
                found[id(parent)] = parent
                work.append(parent)
    return list(found.values())


@pytest.mark.parametrize("name", TEXT_LANGUAGES)
@settings(max_examples=settings.default.max_examples // 8)
@given(data=st.data())
def test_every_cause_that_is_named_has_happened(name: str, data: st.DataObject) -> None:
    """Random programs: who computed did act there and then, and with what is named; cells were
    executed or read before, and bytes of the input taken in that tick."""
    walk = lawful(name, data.draw(sources(name)), data.draw(st.binary(max_size=6)))
    walk.goto(60)
    steps = list(walk.steps(0, walk.tick))
    acted = {
        (step.tick, action.stance.x, action.stance.y, action.instruction.name)
        for step in steps
        for action in step.actions
    }
    executed = {(x, y) for _, x, y, _ in acted}
    read = {(each.x, each.y) for step in steps for each in step.reads}
    taken = [step.tick for step in steps for _ in step.input]
    drawn = {step.tick for step in steps for action in step.actions if action.drawn}
    asked: list[dict[str, Any]] = [{"output": at} for at in range(min(walk.written, 4))]
    asked += [{"stack": at} for at in range(min(len(walk.state.stack), 3))]
    asked += [{"cell": place} for place in sorted(read)[:3]]
    for question in asked:
        cause = walk.why(**question)
        assert cause is not None
        for each in all_of(cause):
            assert each.tick <= walk.tick
            if each.kind == "computed":
                assert each.place is not None and each.instruction is not None
                assert (each.tick, *each.place, each.instruction.name) in acted
            elif each.kind == "cell":
                assert each.place in executed | read
            elif each.kind == "input":
                assert each.index is not None and taken[each.index] == each.tick
            elif each.kind == "chance":
                assert each.tick in drawn
            elif each.kind == "end":
                assert len(taken) == walk.state.input.position and each.tick not in taken
            else:
                assert each.kind == "earlier" and each.tick == 0, "a stack has no past then"


@settings(max_examples=settings.default.max_examples // 8)
@given(data=st.data())
def test_every_byte_that_is_named_can_change_the_effect(data: st.DataObject) -> None:
    """Straight programs that keep all they read: named input bytes matter, and no others do."""
    count = data.draw(st.integers(2, 4))
    signs = data.draw(st.text("+-", min_size=1, max_size=count - 1))
    text = data.draw(st.binary(min_size=count, max_size=count))
    program = f"{'~' * count}{signs}.@".encode()
    walk = session("mirrorfunge", program, text)
    named = places(walk.why(output=0))
    for at in range(count):
        other = text[:at] + bytes([(text[at] + 1) % 256]) + text[at + 1 :]
        changed = session("mirrorfunge", program, other).output != walk.output
        assert changed == (at in named)
