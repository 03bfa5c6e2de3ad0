"""Whether everybody can use the studio: names, contrast, keyboard, text, small screens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from planewalk.view.drawing.theme import BOARD

from .browsing import Profile, Visit, expect, needs_browser, until

pytestmark = needs_browser

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
FOUND = """axe.run(document).then((found) => [found.passes.length,
  found.violations.map((one) => one.id + ": " + one.nodes.map((node) => node.html).join(" "))])"""


def check(page: Any) -> None:
    """No rule of axe-core is broken, and some were looked at."""
    page.evaluate(AXE.read_text() + "; undefined")
    passed, broken = page.evaluate(FOUND)
    assert passed > 15 and broken == []


@pytest.mark.exhaustive
@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, address: str, scheme: str) -> None:
    visit = Visit(browser, address, color_scheme=scheme)
    page = visit.page
    check(page)
    for press, button, dialog in (
        (page.click, "#help", "#tour"),
        (visit.choose, "#export-open", "#export"),
        (visit.choose, "#gallery-open", "#gallery"),
        (visit.choose, "#text-open", "#text"),
        (page.click, "#commands-open", "#palette"),
        (page.click, "#tick", "#question"),
        (page.click, "#files-open", "#files"),
        (page.click, "#modes-open", "#modes"),
    ):
        press(button)
        check(page)
        page.keyboard.press("Escape")
        expect(page.locator(dialog)).to_be_hidden()
    page.click("#plane-text-open")
    page.keyboard.press("Control+Space")
    page.click("#signs-open")
    check(page)
    page.click("#plane-text-open")
    page.click("#find-open")
    page.focus("#grid")
    page.keyboard.press("F2")
    expect(page.locator("#hand")).to_be_visible()
    check(page)
    page.keyboard.press("Shift+ArrowRight")
    visit.shows("#cell-name", "2 × 1 cells")
    check(page)
    page.keyboard.press("Escape")
    page.select_option("#language", "webfunge")
    expect(page.locator("#picture-panel")).to_be_visible()
    for wanted in (1, 2, 3):
        page.click("#step")
        visit.tick(wanted)
    page.wait_for_selector("#stack button")
    check(page)
    visit.close()


@pytest.mark.exhaustive
def test_a_tab_by_keyboard_alone(visit: Visit) -> None:
    """Step, run, and reach every control with the tabulator."""
    page = visit.page
    page.keyboard.press("ArrowRight")
    visit.tick(1)
    page.keyboard.press("ArrowLeft")
    visit.tick(0)
    page.keyboard.press("Control+ArrowRight")
    visit.tick(10)
    page.keyboard.press("r")
    visit.tick(0)
    size = page.get_attribute("#grid", "data-view")
    page.keyboard.press("+")
    expect(page.locator("#grid")).not_to_have_attribute("data-view", size)
    page.keyboard.press("F9")
    expect(page.locator("#breaks li")).to_have_count(1)
    page.keyboard.press("Control+Shift+F9")
    expect(page.locator("#breaks li")).to_have_count(0)
    reached = set()
    for _ in range(90):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    assert {"run", "grid", "heat", "roll", "split", "line", "timeline", "share"} <= reached


@pytest.mark.exhaustive
def test_the_plane_can_be_read_as_text(visit: Visit) -> None:
    page = visit.page
    page.click("#plane-text-open")
    text = page.locator("#plane-text")
    expect(text).to_contain_text("walker 0 at 0,0 heading right")
    page.keyboard.press("F10")
    expect(text).to_contain_text("walker 0 at 1,0")
    expect(page.locator("#live")).not_to_be_empty()


@pytest.mark.exhaustive
def test_panels_keep_their_width_and_stay_closed(visit: Visit) -> None:
    page = visit.page
    before = page.locator("aside").bounding_box()["width"]
    page.focus("#split")
    page.keyboard.press("ArrowLeft")
    page.click("[aria-label='Close Walkers']")
    page.reload()
    visit.tick(0)
    assert page.locator("aside").bounding_box()["width"] == before + 24
    expect(page.locator("#walkers")).to_be_hidden()


@pytest.mark.exhaustive
def test_a_small_telephone_shows_everything(browser: Any, address: str) -> None:
    phone = Visit(browser, address, viewport={"width": 360, "height": 700}, has_touch=True)
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360
    for control in ("#run", "#step", "#back", "#share", "#heat"):
        expect(phone.page.locator(control)).to_be_visible()
    assert phone.page.locator("header").bounding_box()["height"] < 110, "two lines"
    assert phone.page.locator("#rail").bounding_box()["height"] < 60, "tools are swiped"
    phone.page.tap("#step")
    phone.shows("#tick", re.compile("tick 1"))
    phone.close()


def finger(page: Any, kind: str, x: float, y: float) -> None:
    """What a finger does on the grid."""
    page.dispatch_event(
        "#grid", kind, {"pointerType": "touch", "pointerId": 1, "clientX": x, "clientY": y,
                        "bubbles": True, "isPrimary": True}
    )  # fmt: skip


@pytest.mark.exhaustive
def test_a_finger_that_rests_selects(browser: Any, address: str) -> None:
    """At once it moves the plane; after a while it selects a rectangle."""
    phone = Visit(browser, address, viewport={"width": 360, "height": 700}, has_touch=True)
    page = phone.page
    page.evaluate("HTMLElement.prototype.setPointerCapture = () => {}")  # there is no such finger
    view = "() => document.getElementById('grid').dataset.view"
    box = page.locator("#grid").bounding_box()
    left, top = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = page.evaluate(view)
    page.clock.install()
    finger(page, "pointerdown", left, top)
    page.clock.run_for(1000)
    finger(page, "pointermove", left + 60, top + 30)
    finger(page, "pointerup", left + 60, top + 30)
    page.clock.run_for(100)
    assert page.evaluate(view) == before, "selecting does not move the plane"
    page.keyboard.type("x")
    page.clock.run_for(100)
    phone.choose("#text-open")
    assert page.input_value("#whole").count("x") > 3
    page.keyboard.press("Escape")
    finger(page, "pointerdown", left, top)
    finger(page, "pointermove", left + 60, top + 30)
    finger(page, "pointerup", left + 60, top + 30)
    page.clock.run_for(100)
    assert page.evaluate(view) != before, "without resting it moves the plane"
    phone.close()


REACHED = """() => {
  const kept = "header button, #rail button, #tools button, #hand button, aside button[id]";
  const words = [...document.querySelectorAll("#found-commands li")].map((e) => e.textContent);
  return [...document.querySelectorAll(kept)]
    .filter((e) => !e.closest("[hidden]") && !e.disabled && !e.popoverTargetElement)
    .map((e) => (e.title || e.textContent.trim()).replace(/ \\(.*/, ""))
    .filter((title) => !words.some((each) => each.startsWith(title)));
}"""


@pytest.mark.exhaustive
def test_every_command_is_found_by_typing(visit: Visit) -> None:
    page = visit.page
    page.click("#grid")
    page.keyboard.press("Control+k")
    expect(page.locator("#palette")).to_be_visible()
    assert page.evaluate(REACHED) == ["Find a command, an example or a question"]
    page.keyboard.type("step")
    expect(page.locator("#found-commands [aria-selected=true]")).to_contain_text("Step back")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    visit.tick(1)
    expect(page.locator("#grid")).to_be_focused()
    for typed, then in (("goto 4", "tick 4"), ("speed 20 /", "tick 4"), ("truth mach", "tick 0")):
        page.keyboard.press("Control+k")
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        visit.shows("#tick", then)
    visit.shows("#speed-words", "20 / s")
    visit.shows("#name", "truth-machine.mf")
    page.click("#commands-open")
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()


@pytest.mark.exhaustive
def test_a_cell_is_explained_where_the_hand_is(visit: Visit) -> None:
    """Until something is typed, and without covering the cell."""
    page = visit.page
    hand = page.locator("#hand")
    expect(hand).to_be_hidden()
    page.click("#grid", position={"x": 60, "y": 300})
    expect(hand).to_be_visible()
    card = hand.bounding_box()
    box = page.locator("#grid").bounding_box()
    assert card["x"] > box["x"] + 70 or card["y"] > box["y"] + 310
    page.keyboard.press("Escape")
    expect(hand).to_be_hidden()
    page.keyboard.press("F2")
    expect(hand).to_be_visible()
    page.keyboard.press("Shift+ArrowRight")
    visit.shows("#cell-name", "2 × 1 cells")
    expect(page.locator("#who")).to_be_hidden()
    page.keyboard.press("Control+z")
    page.keyboard.press("x")
    expect(hand).to_be_hidden()


@pytest.mark.exhaustive
def test_wide_programs_begin_readable(browser: Any, address: str) -> None:
    """They are followed instead of fitted."""
    visit = Visit(browser, address, viewport={"width": 700, "height": 700})
    size = float(visit.page.get_attribute("#grid", "data-view").split()[2])
    assert size >= 18
    visit.close()


@pytest.mark.exhaustive
def test_a_new_visitor_sees_something_to_watch(browser: Any, address: str) -> None:
    profile = Profile(browser)
    page = profile.page
    page.goto(address)
    expect(page.locator("#language option:checked")).to_have_text("BMProg")
    page.click("#run")
    expect(page.locator("#tick")).to_have_text(re.compile(r"tick \d\d"))
    page.goto(urljoin(address, "/nothing"))
    page.evaluate("sessionStorage.clear()")
    page.goto(f"{address}&example=no.such")
    expect(page.locator("#status")).to_have_text(re.compile("no example 'no.such'"))
    profile.context.close()
    assert not profile.errors


@pytest.mark.exhaustive
def test_escape_ends_the_tour_and_dialogs_have_it_step_aside(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    card = page.locator("#guide")
    expect(card).to_be_visible()
    page.click("#files-open")
    page.click("#gallery-open")
    expect(page.locator("#gallery")).to_be_visible()
    expect(card).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("#gallery")).to_be_hidden()
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.click("#help")
    page.keyboard.press("Escape")
    expect(page.locator("#tour")).to_be_hidden()
    expect(card).to_be_hidden()
    page.reload()
    expect(page.locator("#grid")).to_have_attribute("aria-busy", "false")
    expect(card).to_be_hidden()
    context.close()


EMPTY = """() => {
  const grid = document.getElementById("grid"), ratio = devicePixelRatio;
  const [left, top, size] = grid.dataset.view.split(" ").map(Number);
  const pen = grid.getContext("2d");
  const at = (x, y) => [...pen.getImageData((x - left) * size * ratio, (y - top) * size * ratio,
    1, 1).data.slice(0, 3)];
  return [at(3.3, 2.3), at(3.3, -1.7), at(1.3, 2.1)];
}"""
DRAWN = """() => {
  const map = document.getElementById("map"), pen = map.getContext("2d");
  const { data } = pen.getImageData(5, 5, map.width - 10, map.height - 10);
  return data.filter((value, at) => at % 4 === 3 && value > 200).length * 4 / data.length;
}"""
COLOURS = """() => {
  const map = document.getElementById("map"), found = new Set();
  const { data } = map.getContext("2d").getImageData(0, 0, map.width, map.height);
  for (let at = 0; at < data.length; at += 4) found.add(data.slice(at, at + 3).join());
  return ["255,255,0", "255,0,255", "255,0,0", GROUND].filter((colour) => !found.has(colour));
}"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(("scheme", "ground"), [("light", [255, 255, 255]), ("dark", list(BOARD))])
def test_boards_are_told_apart_from_the_page(
    browser: Any, address: str, scheme: str, ground: list[int]
) -> None:
    """Their empty cells are white in the light, slate in the dark, on the plane as on the map;
    their colours are the same in both."""
    visit = Visit(browser, address, color_scheme=scheme)
    page = visit.page
    page.goto(f"{address}&example=clock.png")
    expect(page.locator("#language")).to_have_value("bmprog")
    visit.there()
    colours = COLOURS.replace("GROUND", repr(",".join(map(str, ground))))
    until(page, lambda: not page.evaluate(colours))
    inside, outside, yellow = page.evaluate(EMPTY)
    assert inside == ground and yellow == [255, 255, 0]
    assert sum(abs(a - b) for a, b in zip(inside, outside, strict=True)) > 20
    visit.close()


@pytest.mark.exhaustive
@pytest.mark.parametrize("wide", [True, False])
def test_the_map_of_a_line_can_be_seen_and_pressed(browser: Any, address: str, wide: bool) -> None:
    """However many cells it has."""
    visit = Visit(browser, address)
    page = visit.page
    visit.open_file("line.mf", b"1" * 5000 if wide else b"1\n" * 5000)
    box = page.locator("#map").bounding_box()
    assert min(box["width"], box["height"]) >= 12 and max(box["width"], box["height"]) >= 100
    assert page.evaluate(DRAWN) > 0.8, "not only its edge"
    before = page.get_attribute("#grid", "data-view")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("#grid")).not_to_have_attribute("data-view", before)
    left, top, _ = map(float, page.get_attribute("#grid", "data-view").split())
    assert 2200 < (left if wide else top) < 2800
    visit.close()


@pytest.mark.exhaustive
def test_the_reference_tells_what_this_very_sign_does(visit: Visit) -> None:
    """Not what all that share its instruction do; and it begins where one can look for more."""
    page = visit.page
    visit.open_file("down.ref", b"v!")
    page.click("#reference-open")
    here = page.locator("#reference-list .here p")
    expect(here).to_contain_text("Move the data pointer down;")
    expect(here).not_to_contain_text("right")
    expect(page.locator("#reference-filter")).to_be_focused()
    page.keyboard.type("mirror")
    expect(page.locator("#reference-list > div:visible")).to_have_count(3)
    page.keyboard.press("Escape")
    expect(page.locator("#reference")).to_be_hidden()


@pytest.mark.exhaustive
def test_examples_of_one_language(visit: Visit) -> None:
    page = visit.page
    page.click("#files-open")
    page.click("#gallery-open")
    page.select_option("#kinds", "gemooy")
    titles = page.locator("#cards button:visible em")
    assert set(titles.all_text_contents()) == {"Gemooy"}
    page.fill("#filter", "ant")
    assert 0 < titles.count() < 8
    page.select_option("#kinds", "")
    assert len(set(titles.all_text_contents())) > 1


@pytest.mark.exhaustive
def test_what_is_opened_can_be_put_away_with_a_finger(browser: Any, address: str) -> None:
    """The card of a cell, too; and there is no empty box of input before there is any."""
    phone = Visit(browser, address, viewport={"width": 360, "height": 700}, has_touch=True)
    page = phone.page
    page.keyboard.press("F2")
    page.tap("#grid")
    expect(page.locator("#hand")).to_be_visible()
    page.tap("#hand-close")
    expect(page.locator("#hand")).to_be_hidden()
    expect(page.locator("#waiting")).to_be_hidden()
    page.fill("#input", "ab")
    page.press("#input", "Enter")
    expect(page.locator("#waiting")).to_be_visible()
    phone.close()


@pytest.mark.exhaustive
def test_the_tour_covers_nothing_that_it_tells_of(browser: Any, address: str) -> None:
    """Nor the bar; what is larger than the room around it has the card inside."""
    visit = Visit(browser, address, viewport={"width": 1280, "height": 800})
    page = visit.page
    page.click("#help")
    page.click("#guide-start")
    bar = page.locator("header").bounding_box()["height"]
    for _ in range(7):
        card, target = (page.locator(one).bounding_box() for one in ("#guide", ".pointed"))
        assert card["y"] >= bar - 20
        below, above = card["y"] - target["y"] - target["height"], target["y"] - card["y"]
        assert below >= 0 or above >= card["height"] or target["height"] > 400
        page.click("#guide-next")
    visit.close()


@pytest.mark.exhaustive
def test_the_plane_and_its_card_follow_the_room_that_is_left(visit: Visit) -> None:
    """The signs of a language take some of it away."""
    page = visit.page
    page.click("#grid", position={"x": 60, "y": 440})
    expect(page.locator("#hand")).to_be_visible()
    page.click("#signs-open")
    expect(page.locator("#signs")).to_be_visible()

    def settled() -> bool:
        card, ground = (page.locator(one).bounding_box() for one in ("#hand", "#ground"))
        size = page.evaluate("[grid.height, Math.round(grid.clientHeight * devicePixelRatio)]")
        return size[0] == size[1] and card["y"] + card["height"] <= ground["y"] + ground["height"]

    until(page, settled)


@pytest.mark.exhaustive
def test_a_value_is_told_once(visit: Visit) -> None:
    """Where a register holds it, that is enough."""
    page = visit.page
    page.goto(f"{visit.address}&example=heart.png")
    visit.shows("#name", "heart.png")
    expect(page.locator("#registers")).to_contain_text("value")
    expect(page.locator("#value-panel")).to_be_hidden()
    page.fill("#option-stream", "ask")
    page.press("#option-stream", "Enter")
    expect(page.locator("#registers")).to_contain_text("pending")


@pytest.mark.exhaustive
def test_names_of_rows_have_room_on_a_telephone(browser: Any, address: str) -> None:
    phone = Visit(browser, address, viewport={"width": 360, "height": 700}, has_touch=True)
    page = phone.page
    page.goto(f"{address}&example=heart.png")
    phone.shows("#name", "heart.png")
    phone.there()
    grid = page.locator("#grid")
    expect(grid).to_have_attribute("data-plane", re.compile(r"0 0 18 \d+"))
    left, _, size = map(float, grid.get_attribute("data-view").split())
    assert size >= 12
    assert -left * size >= 45 and 360 - (19 - left) * size >= 45, "names are that long"
    phone.close()
