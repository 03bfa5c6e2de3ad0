"""What leaves the studio and comes back: links, films, files, and what a tab keeps for itself."""

from __future__ import annotations

import base64
import json
import re
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

import planewalk
from planewalk.apps.studio import conversation
from planewalk.apps.studio.bundle import script_of
from planewalk.apps.studio.conversation import Conversation
from planewalk.apps.studio.retracing import courses_of
from planewalk.examples import gallery
from tests.patience import PATIENCE

from .browsing import Server, Visit, expect, needs_browser
from .test_studio import Clock, opened, said


def test_a_film_is_one_page_that_needs_nobody(tmp_path: Path) -> None:
    film = planewalk.film(source='"iH",,@', language="mirrorfunge")
    film.save(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text()
    assert (
        page.count("<script") == 2
        and "src=" not in page
        and "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    )
    assert len(page) < 100_000


def test_modules_become_one_script() -> None:
    script = script_of("player")
    assert not re.search(r"^(import|export) ", script, re.M)
    assert script.count("const $state =") == 1


def film_in(page: str) -> Any:
    """What a page plays."""
    found = re.search(r'id="run-data">([^<]*)<', page)
    assert found is not None
    return json.loads(zlib.decompress(base64.b64decode(found[1]), wbits=-15))


def test_a_film_of_a_session_has_its_input_and_edits() -> None:
    talk = opened("~,~,@")
    said(talk, "step", ticks=9)
    said(talk, "feed", text="a")
    said(talk, "step", ticks=9)
    said(talk, "feed", text="b")
    said(talk, "step", ticks=9)
    frames = film_in(said(talk, "film", first=0, last=5)["film"])["frames"]
    assert [frame["tick"] for frame in frames] == [0, 1, 2, 3, 4, 5]
    written = [base64.b64decode(frame.get("written", "")) for frame in frames]
    assert written == [b"", b"", b"a", b"", b"b", b""] and frames[-1]["stop"] == "halted"
    assert "from 1 to" in said(talk, "film", first=0, last=10**6)["error"]


def test_links_of_the_first_version_have_their_input() -> None:
    again = opened("~,~,@", given={"data": "YWI=", "ended": False}, tick=4)
    frame = said(again, "pause")["frame"]
    assert frame["tick"] == 4 and said(again, "goto", tick=4)["frame"]["input"]["count"] == 0
    assert again.session is not None and again.session.output == b"ab"
    assert "base64" in said(again, "open", language="mirrorfunge", text="@", given={
        "data": "!", "ended": False})["error"]  # fmt: skip


def changed_in_all_ways(talk: Conversation) -> Any:
    """Branches of every kind, of a program that reads twice; gives what links hold of them."""
    said(talk, "step", ticks=9)
    said(talk, "edit", stack=0, value="99999999999999999999")
    main = next(iter(talk.session.branches))
    said(talk, "switch", branch=main)
    said(talk, "feed", text="ab")  # at the tick at which the first branch was left
    said(talk, "step", ticks=2)
    said(talk, "edit", stack=0, value="7")
    said(talk, "edit", stack=1, value="8")  # on the same branch
    said(talk, "step", ticks=1)
    said(talk, "edit", input="Yw==")  # on a branch of that one
    said(talk, "ask", line="cell 0,0 = 50")
    said(talk, "switch", branch=main)
    said(talk, "goto", tick=3)
    return said(talk, "feed", text="xyz")["frame"]["courses"]


def all_states(talk: Conversation) -> dict[str, Any]:
    """What every branch holds at each of its ticks."""
    walk = talk.session
    assert walk is not None
    found: dict[str, Any] = {}
    for name, branch in walk.branches.items():
        walk.switch(name)
        walk.goto(branch.begins)
        walk.forward(3)
        ticks = range(branch.begins, walk.tick + 1)
        found[name] = [walk.state_at(tick).to_json() for tick in ticks], walk.output
    return found


def test_links_hold_all_branches() -> None:
    text = "123~45~,,@"
    talk = opened(text)
    courses = changed_in_all_ways(talk)
    assert len(courses) == 6
    again = opened(text, courses=courses, branch=3, tick=6, seed=talk.session.seed)
    assert again.session.tick == 6 and again.session.branch.name.startswith("input")
    assert said(again, "goto", tick=7)["frame"]["tick"] == 7
    assert courses_of(again.session) == courses
    assert all_states(again) == all_states(talk)


def test_links_hold_changed_cells() -> None:
    talk = opened("!X^A", "refunge", seed=3)
    said(talk, "step")
    said(talk, "edit", cells=[[0, 0, "?"], [1, 0, "+"]])
    courses = said(talk, "edit", cells=[[2, 0, "-"]])["frame"]["courses"]
    again = opened("!X^A", "refunge", courses=courses, branch=1, tick=1, seed=3)
    assert len(courses) == 2 and all_states(again) == all_states(talk)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ({"on": 7}, "'on'"),
        ({"tick": 10**9}, "never comes"),
        ({"tick": -1}, "'tick'"),
        ({"heard": 9}, "'heard'"),
        ({"edits": [{"stack": 0}]}, "expected"),
        ({"edits": [{"eval": "1"}]}, "one thing at a time"),
        (
            {"edits": [{"stack": 0, "value": {"float": "x"}}]},
            "'value': expected a value of a state",
        ),
        ({"edits": [{"block": {"box": [0, 0, 1]}}]}, "'box': expected a list of 4"),
        ({"edits": [{"cells": [[9, 9, 65]]}]}, "not on the plane"),
        ({"edits": 5}, "damaged"),
        ({"arrivals": [[3, "YQ=="], [1, "YQ=="]]}, "order"),
        ({"arrivals": [["x", "YQ=="]]}, "damaged"),
    ],
)
def test_a_damaged_link_opens_its_program_and_says_why(damage: Any, words: str) -> None:
    main = {"data": "", "ended": False, "arrivals": []}
    fork = {"on": 0, "tick": 1, "heard": 0, "edits": [{"stack": 0, "value": 5}], "arrivals": []}
    message = {"language": "mirrorfunge", "text": "12+.@", "branch": 1, "tick": 2}
    talk = Conversation(Clock())
    good = said(talk, "open", **message, courses=[main, fork])
    assert "error" not in good and good["frame"]["panels"]["stack"] == ["2", "5"]
    found = said(talk, "open", **message, courses=[main, {**fork, **damage}])
    assert words in found["error"] and found["frame"]["tick"] <= 5 and "opened" in found
    assert "branches" in said(talk, "open", **message, courses=[main] * 65)["error"]


def test_a_moment_that_is_too_far_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "PATIENCE", 0.01)
    text = "1>1+v\n ^  <"  # it counts, so nothing repeats
    found = said(opened(), "open", language="mirrorfunge", text=text, tick=10**12)
    assert "takes too long" in found["error"] and found["frame"]["tick"] < 10**12


def test_bytes_that_are_no_text_survive_editing() -> None:
    talk = opened("", "refunge", source="/yE=")
    again = said(talk, "open", language="refunge", source="/yE=")["opened"]
    said(talk, "reload", text=again["text"])
    assert talk.session is not None and talk.session.program.source == b"\xff!"


# In a browser -------------------------------------------------------------------------------------


@pytest.mark.exhaustive
@needs_browser
def test_a_film_plays_without_a_server(browser: Any, tmp_path: Path) -> None:
    (duet,) = (example for example in gallery() if example.file == "duet.ref")
    planewalk.film(source=duet.read(), language="refunge").save(tmp_path / "duet.html")
    context = browser.new_context(offline=True, reduced_motion="reduce")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "duet.html").as_uri())
    tick = page.locator("#tick")
    expect(tick).to_have_text("tick 0")
    page.keyboard.press("ArrowRight")
    expect(tick).to_have_text("tick 1")
    page.keyboard.press("End")
    expect(page.locator("#output")).to_have_text("Two hands write faster than one.\n")
    page.keyboard.press("Home")
    page.click("#run")
    expect(tick).not_to_have_text("tick 0")
    context.close()
    assert not errors


LONG = "v" + " " * 198 + "<\n>" + "z" * 198 + "^\n"
"""A program of two rows that no window has room for."""


@needs_browser
@pytest.mark.parametrize("size", [(1280, 800), (400, 700)])
def test_a_film_begins_by_itself_and_keeps_letters_readable(
    browser: Any, tmp_path: Path, size: tuple[int, int]
) -> None:
    """It follows the walker instead of showing all of a long plane in tiny letters."""
    film = planewalk.film(source=LONG, language="mirrorfunge", steps=(0, 300), fps=30)
    film.save(tmp_path / "long.html")
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "long.html").as_uri())
    tick = page.locator("#tick")
    expect(tick).not_to_have_text("tick 0")
    page.click("#run")
    expect(page.locator("#run")).to_have_text("Play")
    paused = tick.text_content()
    page.keyboard.press("End")
    expect(tick).to_have_text("tick 300")
    assert paused != "tick 300", "the pause button holds it"
    page.wait_for_function("document.getElementById('grid').dataset.view.split(' ')[0] > 20")
    left, top, cell = map(float, page.get_attribute("#grid", "data-view").split())
    walker = page.locator("#walkers").text_content().split(",")[0]
    assert cell >= 18 and left < int(walker) < left + size[0] / cell
    assert top <= -1
    page.close()
    assert not errors


@needs_browser
def test_a_film_fills_the_window_and_waits_for_those_who_want_less_motion(
    browser: Any, tmp_path: Path
) -> None:
    planewalk.film(source="12+.@", language="mirrorfunge").save(tmp_path / "run.html")
    page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page.goto((tmp_path / "run.html").as_uri())
    expect(page.locator("#tick")).to_have_text("tick 0")
    expect(page.locator("#run")).to_have_text("Play")
    expect(page.locator("#grid")).to_have_attribute("data-view", re.compile(" 72$"))
    page.set_viewport_size({"width": 400, "height": 700})
    expect(page.locator("#grid")).to_have_attribute("data-view", re.compile(" 51$"))
    page.close()


def test_a_film_with_heat_counts_visits(tmp_path: Path) -> None:
    film = planewalk.film(source=">v\n^<\n", language="mirrorfunge", steps=(0, 8), heat=True)
    frames = film_in(film.html())["frames"]
    assert frames[0]["visits"] == [[0, 0, 1]] and len(frames) == 9
    visits = [tuple(visit) for frame in frames for visit in frame["visits"]]
    assert sorted(visits) == [(0, 0, 1)] * 3 + [(0, 1, 1)] * 2 + [(1, 0, 1)] * 2 + [(1, 1, 1)] * 2
    assert "visits" not in film_in(planewalk.film(source="@", language="mirrorfunge").html())[
        "frames"][0]  # fmt: skip


HOT = """() => {
  const grid = document.getElementById("grid");
  const [left, top, size] = grid.dataset.view.split(" ").map(Number);
  const ratio = grid.width / grid.clientWidth, pen = grid.getContext("2d");
  const x = (0.5 - left) * size * ratio, y = (0.95 - top) * size * ratio;
  return pen.getImageData(x, y, 1, 1).data.join();
}"""


@pytest.mark.exhaustive
@needs_browser
def test_a_film_shows_its_heat(browser: Any, tmp_path: Path) -> None:
    film = planewalk.film(
        source=">v\n^<\n", language="mirrorfunge", steps=(0, 8), heat=True, trail=0
    )
    film.save(tmp_path / "heat.html")
    page = browser.new_page(reduced_motion="reduce")
    page.goto((tmp_path / "heat.html").as_uri())
    expect(page.locator("#tick")).to_have_text("tick 0")
    page.keyboard.press("End")
    expect(page.locator("#tick")).to_have_text("tick 8")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#tick")).to_have_text("tick 7")
    warm = page.evaluate(HOT)
    page.click("#heat")
    expect(page.locator("#heat")).to_have_attribute("aria-pressed", "false")
    page.wait_for_function(f"({HOT})() !== {warm!r}")
    page.close()


@pytest.mark.exhaustive
@needs_browser
def test_a_program_is_copied_as_markdown(browser: Any, address: str) -> None:
    visit = Visit(browser, address, permissions=["clipboard-read", "clipboard-write"])
    page = visit.page
    page.click("#step")
    visit.tick(1)
    visit.choose("#export-open")
    page.click("#markdown")
    visit.shows("#live", "copied as Markdown")
    text = page.evaluate("navigator.clipboard.readText()")
    (duet,) = (example for example in gallery() if example.file == "duet.ref")
    begin = "A program in Refunge, at tick 1 of its run:\n\n```refunge\n"
    assert text.startswith(begin + duet.read().decode().rstrip("\n") + "\n```\n")
    link = re.search(r"\[Open it in the studio\]\((\S+)\)", text)
    assert link is not None
    again = visit.context.new_page()
    again.goto(link[1])
    expect(again.locator("#tick")).to_have_text("tick 1")
    visit.close()


@pytest.mark.exhaustive
@needs_browser
def test_the_studio_saves_films_and_programs(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    visit.choose("#export-open")
    with page.expect_download() as download:
        page.click("#film")
    download.value.save_as(tmp_path / "film.html")
    assert "run-data" in (tmp_path / "film.html").read_text()
    with page.expect_download() as download:
        page.keyboard.press("Control+s")
    download.value.save_as(tmp_path / "program.ref")
    (duet,) = (example for example in gallery() if example.file == "duet.ref")
    assert (tmp_path / "program.ref").read_bytes() == duet.read()


@pytest.mark.exhaustive
@needs_browser
def test_a_server_that_dies_loses_nothing(browser: Any) -> None:
    server = Server()
    visit = Visit(browser, server.address)
    page = visit.page
    for wanted in (1, 2, 3):
        page.click("#step")
        visit.tick(wanted)
    page.keyboard.press("F9")
    page.wait_for_selector("#breaks button")
    page.evaluate("dispatchEvent(new Event('beforeunload'))")
    server.kill()
    visit.shows("#status", re.compile("away"))
    again = Server(server.port)
    other = visit.context.new_page()
    other.goto(again.address)  # it has a token of its own, which all tabs find
    visit.shows("#status", "")
    page.wait_for_selector("#breaks button")
    visit.tick(3)
    page.click("#step")
    visit.tick(4)
    visit.close()
    again.end()


@needs_browser
def test_a_link_from_elsewhere_is_opened_by_whoever_has_the_token(
    browser: Any, address: str
) -> None:
    visit = Visit(browser, address)
    page = visit.page
    page.click("#step")
    visit.tick(1)
    page.click("#share")
    visit.shows("#live", re.compile("link"))
    link = page.url
    assert "token" not in link
    for context, heading in ((visit.context, "Stack"), (browser.new_context(), "needs its token")):
        mail = context.new_page()
        mail.route("http://mail.example/", lambda route: route.fulfill(body=f"<a href='{link}'>!"))
        mail.goto("http://mail.example/")
        mail.click("a")
        expect(mail.get_by_role("heading", name=heading).first).to_be_visible()
        if context is visit.context:
            expect(mail.locator("#tick")).to_have_text("tick 1")
            mail.close()
        else:
            context.close()
    visit.close()


class Neighbour(BaseHTTPRequestHandler):
    """A server of another user of this machine."""

    heard: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.heard.append(f"{self.path}\n{self.headers}")
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@needs_browser
def test_no_server_at_another_port_is_sent_the_token(browser: Any, address: str) -> None:
    """Every user may have one, and every page may lead there."""
    visit = Visit(browser, address)
    with ThreadingHTTPServer(("127.0.0.1", 0), Neighbour) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        page = visit.context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.evaluate("fetch('/of-the-same-site', {credentials: 'include'})")
        server.shutdown()
        thread.join(PATIENCE)
    assert "/of-the-same-site" in "".join(Neighbour.heard)
    assert "planewalk" not in "".join(Neighbour.heard)
    assert address.partition("token=")[2] not in "".join(Neighbour.heard)
    visit.close()
