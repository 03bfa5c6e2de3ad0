"""Sessions walked about in at random, and walks on which one once went astray."""

from typing import Any

import pytest
from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.debug.machine import SessionMachine

WALKS: dict[str, tuple[tuple[str, bytes], bytes | None, list[tuple[Any, ...]]]] = {
    "output is looked at before more is written": (
        ("mirrorfunge", b"1:.)"), b"", [("goto", 30), ("goto", 20), ("look",), ("end",), ("look",)],
    ),
    "hits are counted from the tick of a fork": (
        ("mirrorfunge", b"1:.)"),
        b"",
        [("forward", 1), ("set_break", 1), ("fork",), ("forward", 9), ("run",)],
    ),
    "hits are counted from a fork at the beginning": (
        ("mirrorfunge", b"1:.)"), b"", [("set_break", 1), ("fork",), ("forward", 9), ("run",)],
    ),
    "a value from the midst of a stack": (
        ("mirrorfunge", b"12341r"),
        b"",
        [("goto", 6), ("ask_why_of_the_stack", 0), ("ask_why_of_the_stack", 1)],
    ),
    "input of later is not there before": (
        ("mirrorfunge", b"123.@"),
        None,
        [("end",), ("feed", b"x"), ("ask_about_the_output", 0), ("back", 1)],
    ),
    "input that comes when all is over": (
        ("mirrorfunge", b"123.@"),
        None,
        [("end",), ("feed", b""), ("goto", 0), ("end",), ("save_and_open",)],
    ),
    "a search comes to input that came when all was over": (
        ("mirrorfunge", b"123.@"), None, [("end",), ("feed", b""), ("back", 1), ("until", 4)],
    ),
    "a search tick by tick ends where input comes": (
        ("mirrorfunge", b"12341r.2g.:s,4@"),
        None,
        [("forward", 1), ("feed", b""), ("goto", 0), ("until", 4)],
    ),
    "a branch of an opened session is known up to where input came": (
        ("mirrorfunge", b"123.@"),
        None,
        [
            *[("end",), ("feed", b""), ("back", 1), ("save_and_open",)],
            *[("edit_input", b""), ("end",), ("switch", 1)],
        ],
    ),
    "the rounds of a loop that were skipped were reached": (
        ("mirrorfunge", b"1$    "), b"", [("goto", 40), ("fork",), ("switch", 1)],
    ),
    "a search ahead in a loop is not where the run was": (
        ("mirrorfunge", b"1$    "), None, [("until", 0), ("feed", b"a")],
    ),
    "input ends a loop that was proven": (
        ("mirrorfunge", b"1$    "),
        None,
        [("goto", 40), ("feed", b"ab"), ("goto", 0), ("goto", 50)],
    ),
    "input makes a tick another one": (
        ("mirrorfunge", b"1$    "), None, [("until", 5), ("feed", b"ab"), ("until", 5)],
    ),
    "the last tick before a fork": (
        ("refunge", b"+XX!^"),
        b"",
        [("goto", 2), ("edit_cell", (4, 0), "1"), ("ask_about_a_cell", (0, 0))],
    ),
    "two edits at one tick": (
        ("refunge", b"+XX!^"),
        b"",
        [
            ("edit_cell", (0, 0), "1"), ("edit_cell", (1, 0), "1"), ("ask_about_a_cell", (0, 0)),
            ("ask_about_a_cell", (1, 0)),
        ],
    ),
    "what an edit has brought in has no cause": (
        ("mirrorfunge", b"12+.@"),
        b"",
        [
            ("forward", 1), ("edit_stack", 7), ("ask_why_of_the_stack", 0),
            ("edit_cell", (3, 0), "7"), ("ask_why_of_a_cell", (3, 0)),
        ],
    ),
    "input in the past of an opened session": (
        ("mirrorfunge", b"~,~,~,@"),
        None,
        [
            *[("feed", b"a"), ("end",), ("feed", b"b"), ("end",), ("goto", 1)],
            *[("save_and_open",), ("feed", b"z"), ("end",), ("look",)],
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WALKS)
def test_a_session_is_where_running_leads(name: str) -> None:
    program, text, steps = WALKS[name]
    machine = SessionMachine()
    machine.start(program, "reference", way=0, pace="loop" in name, text=text)
    for rule_name, *values in steps:
        getattr(machine, rule_name)(*values)
        machine.is_where_running_leads()


def test_whatever_is_done_a_session_is_where_running_leads() -> None:
    run_state_machine_as_test(
        SessionMachine, settings=settings(max_examples=200, stateful_step_count=20)
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(3))
def test_whatever_is_done_for_long_a_session_is_where_running_leads(number: int) -> None:
    run_state_machine_as_test(
        seed(number)(type("Machine", (SessionMachine,), {})),
        settings=settings(max_examples=600, stateful_step_count=30),
    )
