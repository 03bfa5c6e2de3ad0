"""Editing in the studio, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .browsing import MILLISECONDS, Profile, Visit, expect, needs_browser, until

pytestmark = needs_browser
TEXT = """() => {
  document.getElementById("text-open").click();
  const found = document.getElementById("whole").value;
  document.getElementById("text").close();
  return found;
}"""
VIEW = """async () => {
  const drawn = () => new Promise((then) => requestAnimationFrame(then));
  await drawn(); await drawn();
  return document.getElementById("grid").dataset.view;
}"""
"""Where the page looks, once a picture of the program that is open has come."""
PLANE = """async ([wanted, patience]) => {
  const button = document.getElementById("plane-text-open");
  const view = document.getElementById("plane-text");
  const rows = () => JSON.stringify(view.textContent.split("\\n")
    .flatMap((line) => [...line.matchAll(/^ *(-?\\d+): +(.*)/g)])
    .map((row) => [Number(row[1]), row[2]]));
  const until = performance.now() + patience;
  button.click();
  do await new Promise((then) => requestAnimationFrame(then));
  while (rows() !== JSON.stringify(wanted) && performance.now() < until);
  button.click();
  return JSON.parse(rows());
}"""
"""Waits until the plane that is seen has these rows; gives those it has."""
HURRIED = """(text) => {
  const language = document.getElementById("language");
  language.value = "mirrorfunge";
  language.dispatchEvent(new Event("change"));
  document.getElementById("text-open").click();
  document.getElementById("whole").value = text;
  document.getElementById("text-apply").click();
}"""


class Desk(Visit):
    """A visit with a program of our own."""

    def open(self, language: str, text: str) -> None:
        """Open a program through the text dialog."""
        self.page.select_option("#language", language)
        self.there()
        expect(self.page.locator("#signs")).to_have_attribute("data-language", language)
        self.choose("#text-open")
        self.page.fill("#whole", text)
        self.page.click("#text-apply")
        self.reads(text)
        self.plane(text.replace(".", " ") if language == "bmprog" else text)
        self.page.click("#fit")
        if self.page.get_attribute("[data-tool=select]", "aria-pressed") == "true":
            self.click(0, 0)

    def plane(self, text: str) -> None:
        """Wait until that is what is seen."""
        lines = text.split("\n")
        box = f"0 0 {max(map(len, lines)) - 1} {len(lines) - 1}"
        expect(self.page.locator("#grid")).to_have_attribute("data-plane", box)
        rows = [[y, row.strip()] for y, row in enumerate(lines) if row.strip()]
        assert self.page.evaluate(PLANE, [rows, MILLISECONDS]) == rows

    def spot(self, x: int, y: int) -> dict[str, float]:
        """Where the middle of a cell is on the grid."""
        left, top, size = map(float, self.page.evaluate(VIEW).split())
        return {"x": (x + 0.5 - left) * size, "y": (y + 0.5 - top) * size}

    def click(self, x: int, y: int, **more: Any) -> None:
        self.page.click("#grid", position=self.spot(x, y), **more)

    def drag(self, start: tuple[int, int], end: tuple[int, int], button: str = "left") -> None:
        """Drag from a cell to another."""
        box = self.page.locator("#grid").bounding_box()
        for place, act in ((start, "down"), (end, "up")):
            spot = self.spot(*place)
            self.page.mouse.move(box["x"] + spot["x"], box["y"] + spot["y"], steps=3)
            getattr(self.page.mouse, act)(button=button)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def text(self) -> str:
        """The program, without blanks at the ends of lines."""
        lines = str(self.page.evaluate(TEXT)).split("\n")
        return "\n".join(line.rstrip() for line in lines).rstrip("\n")

    def reads(self, wanted: str) -> None:
        """Wait until the program reads so."""
        until(self.page, lambda: self.text() == wanted)


@pytest.fixture
def desk(browser: Any, address: str, profile: Profile) -> Iterator[Desk]:
    made = Desk(browser, address, profile)
    yield made
    made.close()


def test_typing_in_every_way(desk: Desk) -> None:
    desk.open("mirrorfunge", "12\n34")
    desk.press("a", "Alt+ArrowDown", "b", "c")
    desk.reads("ab\n3c")
    desk.shows("#typing", "↓ down")
    desk.press("Control+z", "Control+z", "Control+y")
    desk.reads("ab\n34")
    desk.click(0, 0)
    desk.press("Alt+ArrowRight", "Insert", "x")
    desk.reads("xab\n34")


def test_what_is_written_before_a_program_has_come_is_not_written_into_it(desk: Desk) -> None:
    desk.page.evaluate(HURRIED, "12")
    desk.there()
    assert desk.text() != "12"
    desk.plane(desk.text())


@pytest.mark.exhaustive
def test_typing_follows_mirrors_if_asked(desk: Desk) -> None:
    desk.open("mirrorfunge", "...\n...\n...")
    desk.choose("#mirrors")
    desk.click(0, 0)
    for sign in "1\\2\\3":
        desk.press(sign)
    desk.reads("1\\.\n.2.\n.\\3")


@pytest.mark.exhaustive
def test_blocks_are_copied_moved_and_turned(desk: Desk) -> None:
    desk.open("refunge", ">a..\n^...")
    desk.drag((0, 0), (1, 1))
    desk.press("Control+c")
    desk.click(2, 0)
    desk.press("Control+v")
    desk.reads(">a>a\n^.^.")
    desk.page.click("[data-turn=clockwise]")
    desk.reads(">a>v\n^..a")
    desk.page.click("[data-turn=across]")
    desk.reads(">av<\n^.a.")
    desk.drag((2, 0), (2, 2))
    desk.reads(">a\n^.\n  v<\n  a.")
    desk.drag((0, 0), (1, 1))
    desk.press("Control+x")
    desk.reads("\n\n  v<\n  a.")


@pytest.mark.exhaustive
def test_a_sign_without_equal_is_named(desk: Desk) -> None:
    desk.open("mirrorfunge", ">1")
    desk.press("Control+a")
    desk.page.click("[data-turn=clockwise]")
    desk.shows("#live", "turned; no sign does exactly the same as > at 0,0 then")
    desk.reads("v\n1")


@pytest.mark.exhaustive
def test_rows_columns_filling_and_finding(desk: Desk) -> None:
    desk.open("mirrorfunge", "ab\ncd")
    desk.click(1, 1)
    desk.page.click("#row-in")
    desk.reads("ab\n\ncd")
    desk.page.click("#column-out")
    desk.reads("a\n\nc")
    desk.press("Control+a", "7")
    desk.reads("7\n7\n7")
    desk.press("Control+f")
    desk.page.keyboard.type("777")
    desk.shows("#found", "2 found")
    desk.press("Escape")


@pytest.mark.exhaustive
def test_the_program_steps_as_it_is_typed(desk: Desk) -> None:
    desk.open("mirrorfunge", "....\n....")
    desk.choose("#execute")
    desk.page.keyboard.type("56+v")
    desk.tick(4)
    desk.shows("#stack", "11")
    desk.page.keyboard.type("1")
    desk.tick(5)
    desk.reads("56+v\n...1")


@pytest.mark.exhaustive
def test_colours_are_painted_and_erased(desk: Desk) -> None:
    desk.open("bmprog", ".....\n.....\n.....")
    desk.page.click(".sign[data-sign='*']")
    desk.click(0, 0)
    desk.page.click("[data-tool=line]")
    desk.drag((1, 0), (4, 0))
    desk.reads("*****\n.....\n.....")
    desk.drag((0, 0), (1, 0), button="right")
    desk.reads("..***\n.....\n.....")
    desk.page.click("[data-tool=rectangle]")
    desk.page.click(".sign[data-sign='#']")
    desk.drag((0, 0), (2, 2))
    desk.reads("###**\n#.#..\n###..")


@pytest.mark.exhaustive
def test_a_moment_is_changed_on_a_branch(desk: Desk) -> None:
    desk.open("refunge", "!X^A")
    desk.page.click("#step")
    desk.tick(1)
    desk.choose("#moment")
    desk.click(0, 0)
    desk.press("B")
    expect(desk.page.locator("#branches button")).to_have_count(2)
    desk.shows("#branches", re.compile("▸ cell 0,0 = 66 at 1"))
    desk.press("Control+z")
    desk.shows("#branches", re.compile("▸ main"))
    desk.press("Control+y")
    desk.shows("#branches", re.compile("▸ cell 0,0 = 66 at 1"))
    desk.press("F2")
    desk.page.click("#row-in")
    desk.drag((0, 1), (3, 1))
    desk.page.click("[data-turn=across]")
    desk.shows("#live", "turned")
    desk.page.click("#plane-text-open")
    desk.shows("#plane-text", re.compile(r"A\^XB"))
    desk.reads("!X^A")


@pytest.mark.exhaustive
def test_a_block_of_a_moment_is_what_stands_there_now(desk: Desk) -> None:
    desk.open("refunge", "+X!^")
    desk.page.click("#step")
    desk.tick(1)
    desk.page.click("#step")
    desk.tick(2)
    desk.choose("#moment")
    desk.drag((0, 0), (1, 0))
    desk.press("Control+c")
    desk.page.focus("#line")
    desk.press("Control+v")
    expect(desk.page.locator("#line")).to_have_value("VX")
    desk.reads("+X!^")


@pytest.mark.exhaustive
def test_a_dropped_file_is_opened(desk: Desk, tmp_path: Path) -> None:
    desk.page.evaluate(
        "() => { const data = new DataTransfer(); data.items.add(new File(['12+.@'], 'sum.mf')); "
        "document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true })); }"
    )
    desk.reads("12+.@")
    expect(desk.page.locator("#language")).to_have_value("mirrorfunge")
