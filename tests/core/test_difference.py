"""What is different in planes and states: as data, in words, and nothing where they are equal."""

from array import array
from collections.abc import Callable
from typing import Any

import pytest

import planewalk as pw
from planewalk.core.difference import Change, parts_of, plane_changes, state_changes, told
from planewalk.core.geometry import Stance
from planewalk.core.plane import BoardPlane, BytePlane, SparsePlane, TextPlane
from planewalk.core.state import State, Walker
from planewalk.core.step import Fault
from planewalk.core.stream import InputStream
from planewalk.languages import registry

PLANES: dict[str, tuple[Any, Any]] = {
    "text": (TextPlane(["abc", "d"]), TextPlane(["abc", "dX"])),
    "bytes": (BytePlane(3, bytearray(b"abcd  ")), BytePlane(3, bytearray(b"abcdX "))),
    "sparse": (SparsePlane({(0, 0): 1, (1, 1): 32}), SparsePlane({(0, 0): 1, (1, 1): 88})),
    "board": (BoardPlane(3, b"abcd  "), BoardPlane(3, b"abcdX ")),
}


@pytest.mark.parametrize("kind", PLANES)
def test_planes_name_the_cells_that_differ(kind: str) -> None:
    one, other = PLANES[kind]
    assert list(plane_changes(one, other)) == [Change("plane", (1, 1), 32, 88)]
    assert list(plane_changes(other, one)) == [Change("plane", (1, 1), 88, 32)]
    assert list(plane_changes(one, one.copy())) == []
    assert told(plane_changes(one, other)) == ["cell 1,1: 32 -> 88 ('X')"]


def test_rows_that_only_one_has_are_compared_with_what_would_be_there() -> None:
    one, other = BytePlane(2, bytearray(b"ab")), BytePlane(2, bytearray(b"ab\0c"))
    assert list(plane_changes(one, other)) == [Change("plane", (1, 1), 0, 99)]
    wider = BytePlane(3, bytearray(b"ab\0"))
    assert told(plane_changes(one, wider)) == ["plane: 2 x 1 cells (bytes) -> 3 x 1 cells (bytes)"]
    assert [change.at for change in plane_changes(SparsePlane({(5, 0): 7}), one)] == [
        (0, 0), (1, 0), (5, 0),
    ]  # fmt: skip


def test_what_differs_only_in_how_it_is_kept_is_told_too() -> None:
    one, other = TextPlane(["ab", "c"]), TextPlane(["ab", "c "])
    assert one != other and [change.at for change in plane_changes(one, other)] == [None]


def state() -> State:
    walkers = [Walker(Stance(0, 0, 1, 0)), Walker(Stance(2, 0, 0, 1, "add"), (1, 1))]
    made = State(SparsePlane({(0, 0): 1}), walkers, stack=[1, 2], registers={"a": 5})
    made.calls, made.log = [Stance(1, 1, 1, 0)], [[1, 2]]
    made.output += b"hello"
    return made


def change(part: str, value: Any) -> Callable[[State], None]:
    return lambda made: setattr(made, part, value)


CHANGES: dict[str, tuple[Callable[[State], Any], str]] = {
    "tick": (change("tick", 7), "tick: 0 -> 7"),
    "walkers": (
        lambda made: made.walkers.pop(),
        "walkers: at 2,0 heading 0,1 in mode add, hand (1, 1) -> nothing",
    ),
    "acted": (
        lambda made: made.acted.append(Walker(Stance(3, 0, 1, 0))),
        "acted 0: nothing -> at 3,0 heading 1,0",
    ),
    "stack": (
        lambda made: made.stack.append(65),
        "stack, number 2 from the bottom: nothing -> 65 ('A')",
    ),
    "registers": (lambda made: made.registers.update(a=6), "register a: 5 -> 6"),
    "calls": (lambda made: made.calls.clear(), "calls 0: at 1,1 heading 1,0 -> nothing"),
    "output": (
        lambda made: made.output.__setitem__(slice(4, 5), b"p"),
        "output from byte 5 on: 'o' -> 'p'",
    ),
    "written": (change("taken", 2), "written: 5 -> 7"),
    "log": (lambda made: made.log.append("x"), "log 1: nothing -> x"),
    "seed": (change("seed", 3), "seed: 0 -> 3"),
    "draws": (change("draws", 3), "draws: 0 -> 3"),
    "stop": (change("stop", Fault("no", (1, 2))), "stop: nothing -> Fault("),
    "input": (
        change("input", InputStream(b"xy")),
        "input: 0 bytes read, 0 unread -> 0 bytes read, 2 unread",
    ),
    "plane": (lambda made: made.plane.put(4, 5, 9), "cell 4,5: 0 -> 9"),
}


@pytest.mark.parametrize("part", CHANGES)
def test_every_part_of_a_state_is_compared_and_told(part: str) -> None:
    alter, words = CHANGES[part]
    one, other = state(), state()
    assert not list(state_changes(one, other))
    alter(other)
    assert one != other and parts_of(state_changes(one, other)) == [part]
    (line,) = told(state_changes(one, other))
    assert line.startswith(words)


def test_floats_are_compared_to_the_bit() -> None:
    one, other = state(), state()
    one.stack, other.stack = array("f", [0.0, float("nan")]), array("f", [-0.0, float("nan")])
    assert [change.at for change in state_changes(one, other)] == [0]


def test_the_order_of_walkers_means_nothing_and_many_changes_are_counted() -> None:
    one, other = state(), state()
    other.walkers.reverse()
    assert one == other and not list(state_changes(one, other))
    other.stack = list(range(100))
    assert told(state_changes(one, other), 2)[-1] == "and 98 more"


def test_headings_and_modes_are_told_in_words_of_the_language() -> None:
    looks = registry.get("mirrorfunge").looks
    change = Change(
        "walkers", None, Walker(Stance(1, 0, 1, 0, True)), Walker(Stance(2, 0, 0, 1, False))
    )
    assert (
        change.words(looks) == "walkers: at 1,0 heading right in mode string -> at 2,0 heading down"
    )
    assert told([change], looks=looks) == [change.words(looks)]
    assert str(change).startswith("walkers: at 1,0 heading 1,0 in mode True -> ")


def test_two_languages_are_told_each_in_its_own_words() -> None:
    one, other = (registry.get(name) for name in ("mirrorfunge", "refunge"))
    before = pw.run(source='"@', language=one, max_steps=1).state
    after = pw.run(source="v \n^ ", language=other, max_steps=1).state
    lines = told(state_changes(before, after), looks=one.looks, others=other.looks)
    (walkers,) = (line for line in lines if line.startswith("walkers"))
    assert "heading right in mode string -> at" in walkers and "True" not in walkers
    assert "heading 1,0" not in walkers and "heading 0,1" not in walkers
