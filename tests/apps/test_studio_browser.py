"""The studio in a real browser: Debian's Chromium, headless, or whatever Chromium there is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
ARGUMENTS = [
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
IS_PAINTED = """() => {
  const small = document.createElement("canvas"), pen = small.getContext("2d");
  small.width = small.height = 8;
  pen.drawImage(document.getElementById("picture"), 0, 0, 8, 8);
  return pen.getImageData(0, 0, 8, 8).data.some((value, at) => at % 4 < 3 && value > 0);
}"""
UNNAMED = """() => [...document.querySelectorAll("button, input, select")]
  .filter((e) => !(e.textContent.trim() || e.title || e.ariaLabel || e.labels?.length))
  .map((e) => e.outerHTML)"""
MUST = bool(os.environ.get("PLANEWALK_TEST_BROWSER"))
pytestmark = pytest.mark.skipif(
    not CHROMIUM and not MUST, reason="no Chromium is installed, so the studio is not tried in one"
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A studio of our own."""
    command = [sys.executable, "-m", "planewalk", "studio", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    found = re.search(r"http://\S+", server.stdout.readline())
    assert found is not None
    yield found[0]
    server.terminate()
    server.communicate(timeout=20)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield found
        found.close()


class Visit:
    """A page of a fresh profile, and what went wrong on it."""

    def __init__(self, browser: Any, address: str, **settings: Any) -> None:
        self.context = browser.new_context(
            **{"viewport": {"width": 1200, "height": 760}, **settings}
        )
        self.context.add_init_script("localStorage.setItem('planewalk toured', '1')")
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(address)
        self.shows("#tick", "tick 0")

    def tick(self, wanted: int) -> None:
        """Wait until the page shows that tick."""
        self.shows("#tick", f"tick {wanted:,}")

    def shows(self, selector: str, words: Any) -> None:
        """Wait until a part of the page says so."""
        expect(self.page.locator(selector)).to_have_text(words, timeout=20_000)

    def close(self) -> None:
        self.context.close()
        assert not self.errors


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Visit]:
    made = Visit(browser, address)
    yield made
    made.close()


def write(page: Any, text: str) -> None:
    """Open a Mirrorfunge program by typing it into an empty grid."""
    page.select_option("#language", "mirrorfunge")
    expect(page.locator("#language")).to_have_value("mirrorfunge")
    page.click("#grid", position={"x": 5, "y": 5})
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    for _ in range(60):
        page.keyboard.press("ArrowLeft")
    for _ in range(12):
        page.keyboard.press("ArrowUp")
    page.keyboard.type(text)


def test_an_example_is_there_and_runs(visit: Visit) -> None:
    page = visit.page
    page.click("#run")
    visit.shows("#status", "halted")
    assert page.text_content("#output").strip() == "Two hands write faster than one."


def test_steps_and_goes_back(visit: Visit) -> None:
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


def test_the_timeline_goes_through_the_run(visit: Visit) -> None:
    page = visit.page
    page.click("#run")
    visit.shows("#status", "halted")
    page.fill("#timeline", "10")
    visit.tick(10)


def test_typing_changes_the_program(visit: Visit) -> None:
    page = visit.page
    write(page, '"iH",,@')
    page.click("#run")
    visit.shows("#output", "Hi")
    page.click("#grid", position={"x": 5, "y": 5})
    page.keyboard.press("Control+z")


def test_questions_and_breakpoints(visit: Visit) -> None:
    page = visit.page
    page.fill("#line", "until output")
    page.press("#line", "Enter")
    visit.shows("#answer", re.compile("hit: output"))
    page.fill("#line", "break tick = 60")
    page.press("#line", "Enter")
    page.wait_for_selector("#breaks button")


def test_a_link_holds_the_moment_and_opens_in_a_fresh_profile(
    visit: Visit, browser: Any, address: str
) -> None:
    page = visit.page
    for wanted in (1, 2, 3, 4):
        page.click("#step")
        visit.tick(wanted)
    page.click("#share")
    visit.shows("#live", re.compile("link"))
    link = page.url
    context = browser.new_context()
    other = context.new_page()
    other.goto(link)
    expect(other.locator("#tick")).to_have_text("tick 4", timeout=20_000)
    assert "Run" in other.text_content("#run"), "it opens paused"
    context.close()


def test_a_reload_loses_nothing(visit: Visit) -> None:
    page = visit.page
    for wanted in (1, 2):
        page.click("#step")
        visit.tick(wanted)
    page.reload()
    visit.tick(2)


def test_a_picture_is_drawn(visit: Visit) -> None:
    page = visit.page
    page.click("#gallery-open")
    page.fill("#filter", "plasma")
    page.click("#cards button:not([hidden])")
    page.wait_for_selector("#picture-panel:not([hidden])")
    for _ in range(200):
        if page.evaluate(IS_PAINTED):
            return
        page.wait_for_timeout(100)
    pytest.fail("the picture stays black")


def test_a_phone_can_use_it(browser: Any, address: str) -> None:
    phone = Visit(browser, address, viewport={"width": 360, "height": 700}, has_touch=True)
    wide = phone.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360, "nothing sticks out"
    phone.page.click("#step")
    phone.tick(1)
    phone.close()


def test_every_control_has_a_name(visit: Visit) -> None:
    assert visit.page.evaluate(UNNAMED) == []
