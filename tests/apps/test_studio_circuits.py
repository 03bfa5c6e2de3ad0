"""Options, truth tables and timing in the studio: without a browser, and in a real one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from planewalk.languages import registry

from .browsing import Profile, expect, needs_browser
from .test_studio import opened, said
from .test_studio_editing import Desk


def table(talk: Any, **more: Any) -> dict[str, Any]:
    """The whole table, however often one must ask."""
    answer = said(talk, "table", **more)["table"]
    while not answer["done"]:
        answer = said(talk, "table")["table"]
    return dict(answer)


def test_a_table_of_all_small_inputs() -> None:
    talk = opened("...\n#..\n...", "bmprog")
    answer = table(talk)
    assert (answer["bits"], answer["there"]) == (2, 2)
    assert answer["rows"] == [[0, "0"], [1, "0"], [2, "2"], [3, "2"]]
    assert table(talk, bits=1)["rows"] == answer["rows"][:2]
    assert table(talk, bits=50)["bits"] == 2, "there are no more"


def test_a_table_follows_the_program() -> None:
    talk = opened("..\n..", "bmprog")
    assert table(talk)["rows"][1] == [1, "1"]
    said(talk, "reload", text="..\n#.")
    assert table(talk)["rows"][1] == [1, "0"]
    assert "no bits" in said(opened(), "table")["error"]


def test_an_argument_is_an_option() -> None:
    talk = opened("..\n..\n..", "bmprog", options={"arg": "0b11"})
    assert len(said(talk, "look", box=[-1, 0, 2, 2])["frame"]["walkers"]) == 3
    answer = said(talk, "open", language="bmprog", text="..", options={"arg": [1, [2]]})
    assert "'arg': entry 2: expected a whole number" in answer["error"]
    bomb = said(talk, "open", language="webfunge", text="@", options={"texture": [[1, 1, 1 << 40]]})
    assert "'texture': expected a list of 2" in bomb["error"]


def test_timing_tells_who_was_where_and_when() -> None:
    talk = opened("....\n....", "bmprog", options={"arg": 1})
    said(talk, "ask", line="end")
    answer = said(talk, "timing", cells=[[0, 0], [2, 1]])["timing"]
    assert (answer["first"], answer["last"]) == (0, 5)
    assert [row["walkers"] for row in answer["rows"]] == [[0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]]
    assert answer["rows"][0]["values"] is None, "this plane never changes"
    assert "at most" in said(talk, "timing", cells=[[0, 0]] * 50)["error"]


def test_timing_tells_what_cells_held_on_every_branch() -> None:
    talk = opened("+X!^", "refunge")
    said(talk, "goto", tick=1)
    said(talk, "edit", cells=[[2, 0, "~"]])
    said(talk, "ask", line="end")
    (row,) = said(talk, "timing", cells=[[0, 0]])["timing"]["rows"]
    assert row["values"][:3] == [43, 43, 86]


def test_rows_of_a_board_have_words() -> None:
    talk = opened("..\n..\n..", "bmprog")
    frame = said(talk, "look", box=[0, -1, 2, 3])["frame"]
    assert frame["ports"] == [["", ""], ["start", "end"], ["1", "1"], ["2", "2"], ["", ""]]
    assert registry.get("bmprog").results.ports is not None
    assert said(opened(), "look", box=[0, 0, 2, 2])["frame"]["ports"] is None


def test_columns_of_a_board_with_streams_have_words() -> None:
    talk = opened("...\n..#", "bmprog", options={"stream": "ask"})
    frame = said(talk, "look", box=[-1, 0, 3, 1])["frame"]
    words = [["", ""], ["strobe", "strobe"], ["1", "1"], ["2", "2"], ["", ""]]
    assert frame["columnPorts"] == words
    talk = opened("...\n..#", "bmprog")
    assert said(talk, "look", box=[-1, 0, 3, 1])["frame"]["columnPorts"] is None


def test_timing_names_the_strobe_and_the_columns() -> None:
    talk = opened("...\n..#", "bmprog", options={"stream": "ask"})
    rows = said(talk, "timing", cells=[[0, 0], [1, 1], [5, 0]])["timing"]["rows"]
    assert [row["port"] for row in rows] == ["strobe in", "1 out", ""]
    talk = opened("...#", "bmprog", options={"stream": "ask"})
    (row,) = said(talk, "timing", cells=[[0, 0]])["timing"]["rows"]
    assert row["port"] == "strobe in, strobe out"


def test_a_table_is_refused_where_there_are_streams() -> None:
    talk = opened("...\n..#", "bmprog", options={"stream": "ask"})
    assert "through arguments, not through streams" in said(talk, "table")["error"]


# In a browser -------------------------------------------------------------------------------------


@pytest.fixture
def desk(browser: Any, address: str, profile: Profile) -> Iterator[Desk]:
    made = Desk(browser, address, profile)
    made.open("bmprog", "....\n....\n....")
    yield made
    made.close()


@pytest.mark.exhaustive
@needs_browser
def test_arguments_and_truth_tables(desk: Desk) -> None:
    desk.page.click("#truth summary")
    expect(desk.page.locator("#truth-rows tr")).to_have_count(4)
    desk.shows("#truth-rows tr:nth-child(3)", re.compile("2.*10.*2"))
    desk.page.locator("#truth-rows button").nth(3).click()
    expect(desk.page.locator("#option-arg")).to_have_value("3")
    desk.shows("#crowd", "3")
    desk.page.click("#run")
    desk.shows("#value", "3")
    desk.page.fill("#option-arg", "2")
    desk.page.press("#option-arg", "Enter")
    desk.shows("#crowd", "2")


@pytest.mark.exhaustive
@needs_browser
def test_a_timing_diagram_of_chosen_cells(desk: Desk) -> None:
    desk.page.click("[data-tool=select]")
    desk.click(1, 0)
    desk.page.click("#watch")
    desk.page.click("#run")
    desk.shows("#status", re.compile("halted"))
    line = desk.page.locator("#timing svg")
    expect(line).to_have_attribute("aria-label", "1,0: a walker in 1 of 6 ticks")
    line.click(position={"x": 2, "y": 10})
    desk.tick(0)
