"""Running and asking in the studio, in a real browser."""

from __future__ import annotations

import re

import pytest

from .browsing import Visit, expect, needs_browser, until
from .test_studio_editing import Desk, desk

pytestmark = needs_browser
__all__ = ["desk"]

LIT = """() => {
  const grid = document.getElementById("grid"), pen = grid.getContext("2d");
  const data = pen.getImageData(0, 0, grid.width, grid.height).data;
  let lit = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at] > 200 && data[at + 1] > 110 && data[at + 1] < 160 && data[at + 2] < 40) lit++;
  return lit;
}"""


def is_lit(desk: Desk, wanted: bool) -> None:
    """Wait until something is lit, or nothing any more."""
    until(desk.page, lambda: (desk.page.evaluate(LIT) > 0) == wanted)


def ended(desk: Desk) -> None:
    desk.page.click("#run")
    desk.shows("#status", "halted")


@pytest.mark.exhaustive
def test_why_this_output_lights_up_the_plane(desk: Desk) -> None:
    desk.open("mirrorfunge", "34+.1.@")
    ended(desk)
    is_lit(desk, False)
    desk.page.click("#output", position={"x": 10, "y": 14})
    desk.shows("#answer", re.compile(r"\(add\) at 2,0"))
    is_lit(desk, True)
    desk.page.click("#dark")
    is_lit(desk, False)
    desk.page.click("#why-output")
    desk.shows("#answer", re.compile("the cell 4,0"))


@pytest.mark.exhaustive
def test_who_wrote_this_and_when(desk: Desk) -> None:
    desk.open("refunge", "+X!^")
    ended(desk)
    desk.click(0, 0)
    desk.page.click("#who")
    desk.shows("#answer", re.compile("by 'X' \\(carry\\)"))
    desk.page.click("#go-there")
    desk.tick(1)


@pytest.mark.exhaustive
def test_runs_to_here_and_stops_when_something_changes(desk: Desk) -> None:
    desk.open("refunge", "+X!^")
    desk.click(2, 0)
    desk.page.click("#run-here")
    desk.tick(2)
    desk.page.click("#reset")
    desk.tick(0)
    desk.click(0, 0)
    desk.page.select_option("#stop-when", label="this cell changes")
    desk.shows("#breaks", "● changed 0,0")
    desk.page.click("#run")
    desk.shows("#status", re.compile("hit"))
    desk.tick(2)


@pytest.mark.exhaustive
def test_the_line_of_time_has_marks(desk: Desk) -> None:
    desk.open("mirrorfunge", "1.2.@")
    desk.click(2, 0)
    desk.page.click("#break-here")
    desk.page.click("#run")
    desk.tick(2)
    ended(desk)
    expect(desk.page.locator("#marks")).to_have_attribute(
        "title", "2 outputs ▪, 0 inputs ▾, 1 stops ●, 0 forks ◆"
    )


@pytest.mark.exhaustive
def test_unread_input_is_seen_and_changed(desk: Desk) -> None:
    desk.open("mirrorfunge", "~,~,@")
    desk.page.fill("#input", "ab")
    desk.page.press("#input", "Enter")
    expect(desk.page.locator("#waiting")).to_have_value("ab\n")
    desk.page.click("#step")
    desk.tick(1)
    expect(desk.page.locator("#waiting")).to_have_value("b\n")
    desk.page.fill("#waiting", "z")
    desk.page.click("#hex")
    expect(desk.page.locator("#waiting")).to_have_value("7a")
    desk.page.click("#run")
    desk.shows("#output", "61 7a")
    expect(desk.page.locator("#lanes path")).to_have_count(2)
    desk.page.locator("#branches button").first.click()
    expect(desk.page.locator("#waiting")).to_have_value("62 0a")


@pytest.mark.exhaustive
def test_values_are_changed_by_mouse_and_keyboard(desk: Desk) -> None:
    desk.open("mirrorfunge", "12+.@")
    page, stack = desk.page, desk.page.locator("#stack button")
    for wanted in (1, 2):
        page.click("#step")
        desk.tick(wanted)
    stack.first.dblclick()
    page.fill("#question-value", "7")
    desk.press("Escape")
    expect(page.locator("#question")).to_be_hidden()
    expect(stack).to_have_text(["2", "1"])
    stack.first.focus()
    desk.press("ArrowDown", "Enter")
    page.fill("#question-value", "40")
    desk.press("Enter")
    expect(stack).to_have_text(["2", "40"])
    expect(stack.nth(1)).to_be_focused()  # as before
    desk.press("Space")
    expect(page.locator("#answer")).not_to_be_empty()
    desk.press("Escape")
    expect(page.locator("#grid")).to_be_focused()
    walker = page.locator("#walkers button")
    walker.focus()
    desk.press("Enter")
    expect(page.locator("#question-value")).to_have_value("2,0 right")
    page.fill("#question-value", "4,0 left")
    desk.press("Enter")
    expect(walker).to_have_text("4,0 left")
    page.focus("#waiting")
    desk.press("x", "Escape")
    expect(page.locator("#waiting")).to_have_value("")
    desk.shows("#branches", re.compile("▸ walker 0 at 4,0"))


HURRIED = """async () => {
  const { answerTo } = await import("/static/question.js");
  const dialog = document.getElementById("question");
  const first = answerTo("The first?", "1");
  dialog.close();
  const second = answerTo("The second?", "2");
  document.getElementById("question-value").value = "3";
  dialog.querySelector(".primary").click();
  const third = answerTo("The third?", "4");
  await new Promise((then) => dialog.addEventListener("close", then, { once: true }));
  dialog.querySelector(".primary").click();
  const fourth = answerTo("The fourth?", "5");
  dialog.querySelector("[value='']").click();
  return Promise.all([first, second, third, fourth]);
}"""


@pytest.mark.exhaustive
def test_whoever_is_faster_than_the_browser_answers_the_question_that_is_open(desk: Desk) -> None:
    """A busy browser tells late that a dialog was closed."""
    assert desk.page.evaluate(HURRIED) == [None, "3", "4", None]


@pytest.mark.exhaustive
def test_registers_are_buttons(desk: Desk) -> None:
    desk.open("mirrorfunge", "12+.@")
    state = {"panels": {"registers": {"counter": "3"}}, "crowd": 0, "walkers": []}
    shown = """async (frame) => {
      const { showPanels } = await import("/static/panels.js");
      const asked = [];
      showPanels(frame, null, { register: (...given) => asked.push(given) });
      document.querySelector("#registers button").click();
      return asked;
    }"""
    assert desk.page.evaluate(shown, state) == [["counter", "3"]]


@pytest.mark.exhaustive
def test_a_tick_is_gone_to_by_its_number(desk: Desk) -> None:
    desk.open("mirrorfunge", "12+.@")
    desk.page.click("#tick")
    desk.page.fill("#question-value", "3")
    desk.page.click("#question .primary")
    desk.tick(3)


@pytest.mark.exhaustive
def test_the_same_moment_of_an_edited_program(visit: Visit) -> None:
    page = visit.page
    page.click("#step")
    visit.tick(1)
    page.click("#grid", position={"x": 30, "y": 30})
    page.keyboard.type("x")
    expect(page.locator("#cell-place")).to_have_text(re.compile(r"\d"))
    visit.tick(1)
