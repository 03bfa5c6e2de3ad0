"""The studio in a page without a server: a folder of files, and Chromium."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from planewalk.apps.page import first
from planewalk.apps.page import site as site_module

from .browsing import expect, until
from .sites import Guest, hosted, needs_page, written
from .test_studio_look import AXE, check

pytestmark = needs_page

LANGUAGES = ["refunge", "mirrorfunge", "gemooy", "webfunge", "bmprog"]


def test_all_languages_run_and_step_back(guest: Guest) -> None:
    page = guest.page
    guest.ready()
    for name in LANGUAGES:
        page.select_option("#language", name)
        guest.ready()
        expect(page.locator("#tick")).to_have_text("tick 0")
        page.click("#step")
        expect(page.locator("#tick")).to_have_text("tick 1")
        page.click("#back")
        expect(page.locator("#tick")).to_have_text("tick 0")


def test_what_is_seen_first_is_in_motion_before_python_is_there(browser: Any, site: str) -> None:
    guest = Guest(browser, site)
    page = guest.page
    expect(page.locator("body")).to_have_attribute("data-python", "coming")
    expect(page.locator("#name")).to_have_text("heart.png")
    before = page.locator("#tick").text_content()
    expect(page.locator("#tick")).not_to_have_text(before or "")
    guest.ready()
    now = page.locator("#tick").text_content()
    expect(page.locator("#tick")).not_to_have_text(now or "")  # and goes on
    page.click("#run")
    expect(page.locator("#run")).to_have_text("Run")
    guest.close()


@pytest.mark.exhaustive
def test_a_file_that_does_not_come_is_said(browser: Any, site: str) -> None:
    guest = Guest(browser, "about:blank")
    page = guest.page
    page.route("**/python_stdlib.zip", lambda route: route.abort())
    page.goto(site)
    expect(page.locator("#sign")).to_contain_text("Python cannot be loaded")
    guest.close()


def kept(guest: Guest) -> None:
    """Wait until the browser keeps the site."""
    guest.page.evaluate("navigator.serviceWorker.ready.then(() => true)")


def names(guest: Guest) -> list[str]:
    """What the browser keeps."""
    found: list[str] = guest.page.evaluate("caches.keys()")
    return found


def test_it_is_there_without_a_network_and_from_a_snapshot(browser: Any, site_folder: Path) -> None:
    with hosted(site_folder / "some" / "path") as address:
        guest = Guest(browser, address)
        guest.ready()
        kept(guest)
        until(guest.page, lambda: any("memory" in name for name in names(guest)))
    guest.page.goto(f"{address}?example=duet.ref")  # the host is gone
    guest.ready()
    expect(guest.page.locator("#name")).to_have_text("duet.ref")
    guest.page.click("#step")
    expect(guest.page.locator("#tick")).to_have_text("tick 1")
    guest.close()


STYLE = "document.querySelector('link[rel=stylesheet]').href"


@pytest.mark.exhaustive
def test_an_update_never_mixes_versions(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tabs of the old version have all of it, until none is left."""
    folder = written(tmp_path / "site")
    with hosted(folder) as address:
        guest = Guest(browser, address)
        page, refused = guest.page, []
        page.on("response", lambda answer: answer.ok or refused.append(answer.url))
        guest.ready()
        kept(guest)
        old = page.evaluate(STYLE)
        monkeypatch.setattr(site_module, "recording", lambda: first.recording(10))
        written(folder)
        page.reload()
        assert page.evaluate(STYLE) == old  # from the service worker of the old version
        guest.ready()
        page.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update())")
        until(page, lambda: page.evaluate(WAITING))
        page.reload()
        assert page.evaluate(STYLE) == old
        guest.ready()
        page.goto("about:blank")
        until(page, lambda: (page.goto(address) and page.evaluate(STYLE) != old) or away(page))
        guest.ready()
        until(page, lambda: len([name for name in names(guest) if " files " in name]) == 1)
        page.reload()
        guest.ready()
        guest.close()
        assert refused == []


WAITING = "navigator.serviceWorker.getRegistration().then((one) => Boolean(one.waiting))"


def away(page: Any) -> None:
    page.goto("about:blank")


FORBIDDEN = """for (const name of ["localStorage", "sessionStorage", "caches", "indexedDB"])
  Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });
Object.defineProperty(navigator, "serviceWorker", { get() { throw new Error("no"); } });"""
FULL = """Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError"); };
Cache.prototype.put = async () => { throw new DOMException("", "QuotaExceededError"); };"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("script", [FORBIDDEN, FULL], ids=["forbidden", "full"])
def test_storage_that_is_forbidden_or_full_takes_nothing_away(
    browser: Any, site: str, script: str
) -> None:
    guest = Guest(browser, "about:blank")
    guest.context.add_init_script(script)
    guest.page.goto(site)
    guest.ready()
    guest.page.click("#run")
    guest.page.click("#step")
    assert guest.page.locator("#sign").is_hidden()
    guest.close()


RUNAWAY = b">v\n^<\n"


def test_a_runaway_program_is_paused(guest: Guest) -> None:
    page = guest.page
    guest.ready()
    guest.open_file("round.mf", RUNAWAY)
    page.fill("#speed", "19")
    page.click("#run")
    expect(page.locator("#run")).to_have_text("Pause")
    page.wait_for_timeout(1000)
    page.click("#run")
    expect(page.locator("#run")).to_have_text("Run")
    tick = page.locator("#tick").text_content()
    page.wait_for_timeout(300)
    assert page.locator("#tick").text_content() == tick != "tick 0"
    page.click("#back")
    expect(page.locator("#tick")).not_to_have_text(tick or "")


def test_a_worker_that_hangs_is_ended_and_the_moment_comes_back(guest: Guest) -> None:
    page = guest.page
    guest.ready()
    guest.open_file("count.mf", b"1234567@\n")
    page.click("#step")
    page.click("#step")
    page.fill("#line", "break output")
    page.press("#line", "Enter")
    expect(page.locator("#breaks")).to_contain_text("output")
    (worker,) = page.workers
    worker.evaluate("setTimeout(() => { for (;;); })")
    page.click("#sign button")
    expect(page.locator("body")).to_have_attribute("data-python", "coming")
    guest.ready()
    expect(page.locator("#tick")).to_have_text("tick 2")
    expect(page.locator("#name")).to_have_text("count.mf")
    expect(page.locator("#breaks")).to_contain_text("output")
    page.click("#step")
    expect(page.locator("#tick")).to_have_text("tick 3")


@pytest.mark.exhaustive
def test_a_worker_that_hangs_is_ended_by_itself(guest: Guest) -> None:
    page = guest.page
    guest.ready()
    guest.open_file("count.mf", b"1234567@\n")
    page.click("#step")
    (worker,) = page.workers
    worker.evaluate("setTimeout(() => { for (;;); })")
    expect(page.locator("#sign")).to_contain_text("at work")
    expect(page.locator("body")).to_have_attribute("data-python", "coming")
    guest.ready()
    expect(page.locator("#tick")).to_have_text("tick 1")


@pytest.mark.exhaustive
def test_memory_is_limited_and_that_is_said(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_module, "MEMORY", 4 << 20)
    with hosted(written(tmp_path / "site")) as address:
        guest = Guest(browser, address)
        guest.ready()
        guest.open_file("full.mf", b">1" * 20 + b"\n")
        guest.page.fill("#speed", "19")
        guest.page.click("#run")
        expect(guest.page.locator("#status")).to_contain_text("memory")
        guest.page.click("#back")
        expect(guest.page.locator("#run")).to_have_text("Run")
        guest.close()


def test_two_tabs_do_not_know_each_other(guest: Guest) -> None:
    guest.ready()
    other = guest.context.new_page()
    other.goto(f"{guest.address}?example=duet.ref")
    expect(other.locator("#name")).to_have_text("duet.ref")
    expect(guest.page.locator("#name")).to_have_text("heart.png")
    other.click("#step")
    expect(other.locator("#tick")).to_have_text("tick 1")
    other.close()


@pytest.mark.exhaustive
def test_it_fits_a_telephone(browser: Any, site: str) -> None:
    guest = Guest(browser, site, viewport={"width": 390, "height": 844}, has_touch=True)
    guest.ready()
    assert guest.page.evaluate("document.documentElement.scrollWidth") <= 390
    guest.page.click("#run")
    guest.close()


def saved(guest: Guest, press: str, kind: str) -> Any:
    """A film that a button saves, as Pillow reads it."""
    with guest.page.expect_download() as coming:
        guest.page.evaluate(f"document.querySelector({press!r}).click()")
    path = Path(coming.value.path())
    assert coming.value.suggested_filename.endswith(f".{kind}")
    return path if kind in ("mp4", "webm") else Image.open(io.BytesIO(path.read_bytes()))


@pytest.mark.exhaustive
def test_films_are_made_in_the_page(guest: Guest) -> None:
    page = guest.page
    guest.ready()
    guest.open_file("count.mf", b"1234567@\n")
    for kind in ("gif", "webp"):
        page.evaluate("document.getElementById('export-open').click()")
        page.fill("#film-last", "6")
        page.select_option("#film-kind", kind)
        film = saved(guest, "#film", kind)
        assert film.n_frames == 7
        frames = []
        for at in range(film.n_frames):
            film.seek(at)
            frames.append(film.convert("RGB").tobytes())
        assert len(set(frames)) == 7
    page.evaluate("document.getElementById('export-open').click()")
    page.select_option("#film-kind", "video")
    assert saved(guest, "#film", page.evaluate(VIDEO)).stat().st_size > 1000


VIDEO = """MediaRecorder.isTypeSupported("video/mp4;codecs=avc1.42E01E") ||
  MediaRecorder.isTypeSupported("video/mp4") ? "mp4" : "webm" """


@pytest.mark.exhaustive
def test_films_of_pictures_are_made_in_the_page(browser: Any, site: str) -> None:
    guest = Guest(browser, f"{site}?example=gradient.wf")
    page = guest.page
    guest.ready()
    page.select_option("#resolution", "36")
    film = saved(guest, "#save-gif", "gif")
    assert film.n_frames == 60 and film.size == (64, 36)
    page.select_option("#exact", "exact")
    exact = saved(guest, "#save-webp", "webp")
    assert exact.n_frames == 60 and exact.size == (64, 36)
    guest.close()


PICKER = """window.showOpenFilePicker = async () => {
  const folder = await navigator.storage.getDirectory();
  const handle = await folder.getFileHandle("mine.mf", { create: true });
  const file = await handle.createWritable();
  await file.write("12@\\n"); await file.close();
  return [handle];
};"""
CONTENT = """navigator.storage.getDirectory().then((folder) => folder.getFileHandle("mine.mf"))
  .then((handle) => handle.getFile()).then((file) => file.text())"""


def test_a_file_is_saved_to_where_it_came_from_and_no_other_is(guest: Guest) -> None:
    page = guest.page
    guest.ready()
    page.evaluate(PICKER)
    page.keyboard.press("Control+o")
    expect(page.locator("#name")).to_have_text("mine.mf")
    guest.ready()
    page.focus("#grid")
    page.keyboard.type("9")
    page.keyboard.press("Control+s")
    expect(page.locator("#live")).to_contain_text("mine.mf is saved")
    assert page.evaluate(CONTENT) == "92@\n"
    page.select_option("#language", "gemooy")  # another program, which is not that file
    expect(page.locator("#name")).not_to_have_text("mine.mf")
    with page.expect_download():
        page.keyboard.press("Control+s")
    assert page.evaluate(CONTENT) == "92@\n"


@pytest.mark.exhaustive
@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_its_pages(browser: Any, site: str, scheme: str) -> None:
    guest = Guest(browser, site, color_scheme=scheme)
    for name in ("examples.html", "guides/refunge.html", "?embed&example=hello.mf"):
        guest.page.goto(site + name)
        if "embed" in name:
            guest.ready()
        check(guest.page)
    guest.close()
