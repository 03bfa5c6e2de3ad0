"""Links, pages around the studio and odd programs, against a page without a server."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from .browsing import expect, until
from .sites import Guest, hosted, needs_page

pytestmark = needs_page

ODD = (
    "</script><script>document.title='bad'</script>"
    "<img src=x onerror=\"document.title='bad'\">\u202e\u2028\0\ufeff\ud83d\ude00"
)


def fragment(**data: Any) -> str:
    """The fragment of a link."""
    return packed(json.dumps(data).encode())


def packed(content: bytes) -> str:
    squeeze = zlib.compressobj(9, wbits=-15)
    data = squeeze.compress(content) + squeeze.flush()
    return "#2." + base64.urlsafe_b64encode(data).decode().rstrip("=")


def test_a_shared_link_opens_paused_in_a_fresh_profile(
    browser: Any, site: str, guest: Guest
) -> None:
    guest.ready()
    guest.open_file("count.mf", b"1234567@\n")
    guest.page.click("#step")
    expect(guest.page.locator("#tick")).to_have_text("tick 1")
    guest.page.click("#share")
    expect(guest.page.locator("#live")).to_contain_text("the link is copied")
    link = guest.page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{site}#2.")
    stranger = Guest(browser, link)
    expect(stranger.page.locator("#name")).to_have_text("count.mf")  # before Python is there
    stranger.ready()
    expect(stranger.page.locator("#tick")).to_have_text("tick 1")
    expect(stranger.page.locator("#live")).to_contain_text("comes from a link")
    expect(stranger.page.locator("#run")).to_have_text("Run")
    stranger.close()


def test_links_lead_to_where_the_user_says(guest: Guest) -> None:
    page = guest.page
    guest.ready()
    page.evaluate("document.getElementById('export').showModal()")
    page.fill("#links", "nonsense")
    page.press("#links", "Tab")
    expect(page.locator("#live")).to_contain_text("links lead to an address")
    page.fill("#links", "https://example.org/walk/?x#y")
    page.press("#links", "Tab")
    expect(page.locator("#live")).to_contain_text("https://example.org/walk/")
    page.keyboard.press("Escape")
    page.click("#share")
    expect(page.locator("#live")).to_contain_text("the link is copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith("https://example.org/walk/#2.")


@pytest.mark.exhaustive
def test_bombs_and_nonsense_in_links_are_refused(guest: Guest) -> None:
    bomb = packed(b" " * (1 << 30))
    assert len(bomb) < 2_000_000
    for link in (bomb, "#2.!!!!", "#9.abc", packed(b"[1]"), packed(b"{" * 100_000)):
        guest.page.goto("about:blank")
        guest.page.goto(guest.address + link)
        expect(guest.page.locator("#status")).to_contain_text("this link cannot be opened")
    guest.ready()


@pytest.mark.exhaustive
@pytest.mark.parametrize("where", ["", "?embed"])
def test_odd_signs_are_only_signs(guest: Guest, where: str) -> None:
    link = fragment(language="mirrorfunge", text=f'"{ODD}',
                    name=ODD, options={"</script>": ODD}, given={
                        "data": base64.b64encode(ODD.encode("utf-8", "surrogatepass")).decode(),
                        "ended": True})  # fmt: skip
    for data in (link, fragment(language="mirrorfunge", text=f'"{ODD}', name=ODD)):
        guest.page.goto("about:blank")
        guest.page.goto(guest.address + where + data)
        guest.ready()
        guest.page.click("#step")
        guest.page.wait_for_timeout(1100)  # what is kept is kept each second
        assert guest.page.title() != "bad"
        kept = guest.page.evaluate("Object.keys(sessionStorage).length")
        assert kept == 0 or where != "?embed"
        assert guest.page.locator("body img[onerror]").count() == 0


AROUND = """<!doctype html><meta charset="utf-8"><title>around</title>
<pre class="planewalk" data-language="mirrorfunge" data-name="hello">"olleH",,,,,@</pre>
<pre class="planewalk" data-language="a&quot;b">never</pre>
<script src="{0}embed.js"></script>"""
SECRET = "localStorage.setItem('planewalk secret', 'of the user')"


def test_a_page_embeds_programs(browser: Any, site: str, tmp_path: Path) -> None:
    """Of another origin; with nothing that is saved, opened or kept."""
    (tmp_path / "index.html").write_text(AROUND.format(site.replace("127.0.0.1", "localhost")))
    with hosted(tmp_path) as address:
        guest = Guest(browser, address)
        frame = guest.page.frame_locator("iframe")
        assert guest.page.locator("iframe").count() == 1
        expect(frame.locator("body")).to_have_attribute("data-python", "ready")
        frame.locator("#step").click()
        expect(frame.locator("#tick")).to_have_text("tick 1")
        frame.locator("#run").click()
        expect(frame.locator("#output")).to_have_text("Hello")
        for part in ("#share", "#files-open", "#rail", "#commands-open"):
            expect(frame.locator(part)).to_be_hidden()
        guest.page.keyboard.press("Control+s")  # which nothing comes of
        link = frame.locator("#elsewhere")
        link.focus()
        until(guest.page, lambda: "embed" not in (link.get_attribute("href") or "embed"))
        guest.close()


@pytest.mark.exhaustive
def test_a_frame_around_the_studio_gets_no_more_than_an_embedded_one(
    browser: Any, site: str, tmp_path: Path
) -> None:
    (tmp_path / "index.html").write_text(f'<iframe src="{site}" width=900 height=600></iframe>')
    with hosted(tmp_path) as address:
        guest = Guest(browser, address)
        frame = guest.page.frame_locator("iframe")
        expect(frame.locator("body")).to_have_class("embedded")
        expect(frame.locator("#files-open")).to_be_hidden()
        expect(frame.locator("#elsewhere")).to_be_visible()
        guest.close()


def test_messages_of_other_windows_are_not_heard(guest: Guest) -> None:
    page = guest.page
    guest.ready()
    page.evaluate("for (const data of [{failed: 'x'}, 'x', null]) postMessage(data, '*')")
    page.wait_for_timeout(500)
    assert page.locator("body").get_attribute("data-python") == "ready"
    runtime = page.evaluate("document.querySelector('iframe[title=Python]').src")
    page.goto(runtime)  # by itself it does nothing
    page.evaluate("postMessage({script: new Uint8Array(), order: {}, moved: []}, '*')")
    page.wait_for_timeout(300)
    assert page.locator("iframe").count() == 0


REACHES = """async (site) => {
  const settled = (one, good, bad) =>
    new Promise((done, no) => { one[good] = done; one[bad] = no; });
  const asked = (one) => (one.open("GET", site), one.send(), one);
  const attempts = {
    socket: () => settled(new WebSocket(site.replace("http", "ws")), "onopen", "onerror"),
    request: () => settled(asked(new XMLHttpRequest()), "onload", "onerror"),
    script: () => import(site + "embed.js"),
    caches: () => caches.keys(),
    database: () => settled(indexedDB.open("x"), "onsuccess", "onerror"),
  };
  const found = {}, late = () => new Promise((done) => setTimeout(done, 2000, "late"));
  for (const [name, attempt] of Object.entries(attempts)) {
    const tried = Promise.resolve().then(attempt).then(() => "open", () => "closed");
    found[name] = await Promise.race([tried, late()]);
  }
  return found;
}"""


def test_the_worker_reaches_nothing(guest: Guest) -> None:
    """Neither network nor storage nor the pages of the site, whatever runs in it."""
    guest.ready()
    (worker,) = guest.page.workers
    assert worker.evaluate("origin") == "null"
    tried = worker.evaluate(REACHES, guest.address)
    assert set(tried.values()) == {"closed"}, tried


TEXT = """setTimeout(() => {
  try { eval("1"); document.title = "done"; } catch (error) { document.title = error.name; }
})"""


@pytest.mark.exhaustive
def test_the_page_itself_may_not_make_code_of_text(guest: Guest) -> None:
    guest.ready()
    guest.page.evaluate(TEXT)
    until(guest.page, lambda: guest.page.title() == "EvalError")
