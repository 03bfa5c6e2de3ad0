"""What the studio shows around the plane, in a real browser."""

from __future__ import annotations

import re

import pytest

from .browsing import Visit, expect, needs_browser, until

pytestmark = needs_browser

COLOURS = """(id) => {
  const canvas = document.getElementById(id), small = document.createElement("canvas");
  small.width = small.height = 64;
  const pen = small.getContext("2d");
  pen.drawImage(canvas, 0, 0, 64, 64);
  const data = pen.getImageData(0, 0, 64, 64).data, found = new Set();
  for (let at = 0; at < data.length; at += 4) found.add(data.slice(at, at + 3).join());
  return found.size;
}"""


def open_text(visit: Visit, name: str, text: str) -> None:
    """Open a file with that text."""
    visit.open_file(name, text.encode())


@pytest.mark.exhaustive
def test_heat_counts_and_edges_are_told(visit: Visit) -> None:
    page = visit.page
    open_text(visit, "round.mf", ">v\n^<\n")
    visit.shows("#edges", re.compile("torus"))
    page.click("#step")
    visit.tick(1)
    page.click("#heat")
    visit.shows("#heat-words", "each once")
    page.click("#heat")
    visit.shows("#heat-words", "")


@pytest.mark.exhaustive
def test_a_cell_is_explained_with_a_drawing(visit: Visit) -> None:
    open_text(visit, "mirror.mf", "/@\n")
    expect(visit.page.locator("#ways svg")).to_have_count(4)
    label = visit.page.locator("#ways svg").first.get_attribute("aria-label")
    assert label == "heading right: goes up"
    visit.shows("#cell-words", re.compile("mirror"))


@pytest.mark.exhaustive
def test_the_plane_is_rolled_up(visit: Visit) -> None:
    page = visit.page
    page.click("#roll")
    expect(page.locator("#solid")).to_be_visible()
    page.focus("#solid")
    page.keyboard.press("ArrowRight")
    page.click("#roll")
    expect(page.locator("#solid")).to_be_hidden()


@pytest.mark.exhaustive
def test_a_million_cells_have_a_map(visit: Visit) -> None:
    page = visit.page
    row = "0123456789><^v" * 72
    open_text(visit, "large.mf", (row[:1000] + "\n") * 1000)
    visit.shows("#language option:checked", "Mirrorfunge")
    expect(page.locator("#tick")).to_have_text("tick 0")
    until(page, lambda: page.evaluate(COLOURS, "map") > 8)
    until(page, lambda: page.evaluate(COLOURS, "grid") > 8)  # the plane is seen as a whole
    page.click("#step")
    visit.tick(1)


@pytest.mark.exhaustive
def test_light_and_dark_can_be_chosen(visit: Visit) -> None:
    page = visit.page
    for wanted in ("light", "dark", None):
        page.click("#theme")
        assert page.evaluate("document.documentElement.dataset.theme ?? null") == wanted


SEEN = """() => {
  const grid = document.getElementById("grid");
  const [left, , size] = grid.dataset.view.split(" ").map(Number);
  return [left, left + grid.clientWidth / size];
}"""


@pytest.mark.exhaustive
def test_any_walker_can_be_followed(visit: Visit) -> None:
    """Of two that go apart, the view stays with the one that was clicked."""
    page = visit.page
    open_text(visit, "apart.ref", "\\\nY" + " " * 300 + "\n")
    page.fill("#line", "goto 60")
    page.press("#line", "Enter")
    visit.tick(60)
    for _ in range(8):
        page.keyboard.press("F8")
    walkers = page.locator("#walkers button")
    expect(walkers).to_have_count(2)
    for at in (0, 1):
        walkers.nth(at).click()
        expect(walkers.nth(at)).to_have_attribute("aria-pressed", "true")
        page.click("#step")
        visit.tick(61 + at)
        column = int((walkers.nth(at).text_content() or "").split(",")[0])
        left, right = page.evaluate(SEEN)
        assert left < column < right
    assert right - left < 200, "both cannot be seen at once"


@pytest.mark.exhaustive
def test_a_walker_that_was_followed_may_go(visit: Visit) -> None:
    page = visit.page
    open_text(visit, "gone.ref", "\\\nY\\\n")
    page.fill("#line", "goto 2")
    page.press("#line", "Enter")
    visit.tick(2)
    walkers = page.locator("#walkers button")
    walkers.nth(1).click()
    expect(walkers.nth(1)).to_have_attribute("aria-pressed", "true")
    page.click("#step")
    visit.tick(3)
    page.click("#step")
    visit.shows("#live", re.compile("gone"))
    expect(page.locator("#walkers [aria-pressed=true]")).to_have_count(0)


@pytest.mark.exhaustive
def test_who_waits_beside_a_board_is_seen_where_all_of_it_fits(visit: Visit) -> None:
    page = visit.page
    page.select_option("#language", "bmprog")
    visit.there()
    left, right = page.evaluate(SEEN)
    assert left < -1 and right > 21 and left > -5, "the view is not moved for it"
