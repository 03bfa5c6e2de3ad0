"""The studio in a real browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from .browsing import Visit, expect, needs_browser

pytestmark = needs_browser
UNNAMED = """() => [...document.querySelectorAll("button, input, select")]
  .filter((e) => !(e.textContent.trim() || e.title || e.ariaLabel || e.labels?.length))
  .map((e) => e.outerHTML)"""


def test_an_example_is_there_and_steps_and_goes_back_and_runs(visit: Visit) -> None:
    page = visit.page
    for wanted in (1, 2, 3):
        page.click("#step")
        visit.tick(wanted)
    page.click("#back")
    visit.tick(2)
    page.keyboard.press("F10")
    visit.tick(3)
    page.click("#reset")
    visit.tick(0)
    page.click("#run")
    visit.shows("#status", "halted")
    assert page.text_content("#output").strip() == "Two hands write faster than one."


def test_another_example_in_the_address_is_opened(visit: Visit, address: str) -> None:
    """Also in a tab that had something open, which only a reload brings back."""
    page = visit.page
    page.click("#step")
    visit.tick(1)
    page.goto(f"{address}&example=walk.gemooy")
    expect(page.locator("#language")).to_have_value("gemooy")
    visit.tick(0)
    page.click("#step")
    visit.tick(1)
    page.reload()
    visit.tick(1)
    expect(page.locator("#language")).to_have_value("gemooy")


@pytest.mark.exhaustive
def test_links_and_reloads_keep_the_moment_and_its_branch(
    visit: Visit, browser: Any, address: str
) -> None:
    page = visit.page
    for wanted in (1, 2, 3, 4):
        page.click("#step")
        visit.tick(wanted)
    page.fill("#line", "cell 0,0 = 66")
    page.press("#line", "Enter")
    expect(page.locator("#branches li")).to_have_count(2)
    page.click("#step")
    visit.tick(5)
    page.click("#share")
    visit.shows("#live", re.compile("link"))
    link = page.url
    context = browser.new_context()
    other = context.new_page()
    other.goto(address + link[link.index("#") :])
    expect(other.locator("#tick")).to_have_text("tick 5")
    expect(other.locator("#branches li").last).to_have_text(re.compile("▸ cell 0,0 = 66"))
    assert "Run" in other.text_content("#run"), "it opens paused"
    other.goto(f"{address}#2.{'A' * 40}")
    expect(other.locator("#status")).to_have_text(re.compile("this link cannot be opened"))
    context.close()
    page.click("#step")  # after the link was made
    visit.tick(6)
    page.reload()
    visit.tick(6)
    expect(page.locator("#branches li").last).to_have_text(re.compile("▸ cell 0,0 = 66"))


@pytest.mark.exhaustive
def test_every_control_has_a_name(visit: Visit) -> None:
    assert visit.page.evaluate(UNNAMED) == []
