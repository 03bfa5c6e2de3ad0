"""Sessions walked about in at random by what is typed, by an editor and by a page of the studio."""

import pytest
from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test

from planewalk.apps.studio import conversation
from tests.apps.ways import WAYS
from tests.debug.machine import LAST, SessionMachine


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = conversation.USUAL
    limits = usual.limits._replace(steps=LAST)
    monkeypatch.setattr(conversation, "USUAL", usual._replace(limits=limits))


def walked(way: str, walks: int, steps: int, number: int = 0) -> None:
    machine = type("Machine", (SessionMachine,), {"ways": [WAYS[way]]})
    run_state_machine_as_test(
        seed(number)(machine), settings=settings(max_examples=walks, stateful_step_count=steps)
    )


def test_cells_that_a_page_changed_one_after_the_other_were_all_changed_by_hand() -> None:
    """Both changes are one branch, and one that brings back what was there is none."""
    machine = type("Machine", (SessionMachine,), {"ways": [WAYS["page"]]})()
    machine.start(("mirrorfunge", b"1$    "), "reference", way=0, pace=0, text=None)
    machine.goto(3)
    for x, sign in (2, "X"), (3, "7"), (0, " "), (3, " "):
        machine.edit_cell((x, 0), sign)
        machine.is_where_running_leads()
        for asked in 0, 2, 3:
            machine.ask_about_a_cell((asked, 0))


@pytest.mark.parametrize("way", WAYS)
def test_whatever_is_said_a_session_is_where_running_leads(way: str) -> None:
    walked(way, 60, 15)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("way", WAYS)
def test_whatever_is_said_for_long_a_session_is_where_running_leads(way: str, number: int) -> None:
    walked(way, 600, 30, number)
