"""What strangers send into a page without a server, and what the browser may hold against it."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from planewalk.apps.page.site import POLICY

from .browsing import expect, until
from .sites import Guest, hosted, needs_page
from .test_site_safety import fragment, packed

pytestmark = needs_page

COUNT = b"1234567@\n"
ODD = "\u202egnp.\u200b\ufeff\0</script><img src=x>\u2028\U0001f9ed\ud800"
"""Reversed, of no width, an end of a script, a sign of four bytes, and half of one."""


def test_links_that_are_too_much_are_refused_in_words(guest: Guest) -> None:
    """And a link that cannot be opened leaves a page in which others can."""
    page, program = guest.page, {"language": "mirrorfunge", "text": "1@"}
    nested = '{"language":"mirrorfunge","text":"1@","courses":' + "[" * 9000 + "]" * 9000 + "}"
    links = {
        packed(nested.encode()): "nested deeper",
        fragment(**program, breaks=["tick == 5"] * 100_000): "more breakpoints",
        fragment(**program, breaks=5): "more breakpoints",
        fragment(**program, name="x" * 6_000_000): "its name",
        fragment(**program, name={}): "its name",
        fragment(language="nothing", text="1@"): "unknown language",
        fragment(language="mirrorfunge", text=f"1@{ODD}"): "whole characters",
        fragment(**program, options={"__proto__": 1, "a": 2}): "no option",
    }
    for link, words in links.items():
        page.goto("about:blank")
        page.goto(guest.address + link)
        guest.ready()
        expect(page.locator("#status")).to_contain_text("this link cannot be opened")
        expect(page.locator("#status")).to_contain_text(words)
        expect(page.locator("#name")).to_have_text("heart.png")
    page.goto("about:blank")
    page.goto(guest.address + fragment(**program))
    guest.ready()
    page.click("#step")
    expect(page.locator("#tick")).to_have_text("tick 1")
    expect(page.locator("#status")).to_have_text("")


def test_a_link_that_comes_into_the_page_takes_no_edits_away(guest: Guest) -> None:
    """A page that has opened the studio can change the fragment of its address at any time."""
    page = guest.page
    guest.ready()
    guest.open_file("count.mf", COUNT)
    page.click("#grid")
    page.keyboard.type("9")
    page.evaluate("(link) => { location.hash = link; }", fragment(language="gemooy", text="@"))
    expect(page.locator("#language")).to_have_value("gemooy")
    page.go_back()
    expect(page.locator("#language")).to_have_value("mirrorfunge")
    expect(page.locator("#name")).to_have_text("count.mf")
    with page.expect_download() as saved:
        page.keyboard.press("Control+s")
    assert "9" in Path(saved.value.path()).read_text()


def bomb(side: int) -> bytes:
    """A PNG of black, small as a file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    squeeze, row = zlib.compressobj(9), b"\0" * (1 + side // 8)
    data = b"".join(squeeze.compress(row) for _ in range(side)) + squeeze.flush()
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", data), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_files_that_are_too_much_are_refused_in_words(guest: Guest, tmp_path: Path) -> None:
    page = guest.page
    guest.ready()
    guest.open_file("count.mf", COUNT)
    large = tmp_path / "large.mf"
    with large.open("wb") as file:
        file.truncate(700 << 20)
    page.set_input_files("#file", large)
    expect(page.locator("#live")).to_contain_text("large.mf has 734.0 MB")
    for name, data, words in (
        ("bomb.PNG", bomb(20_000), "20,000 x 20,000 pixels"),
        ("zeros.ref", b"\0" * (5 << 20), "is too large"),
    ):
        page.set_input_files("#file", {"name": name, "mimeType": "a/b", "buffer": data})
        expect(page.locator("#status")).to_contain_text(words)
    expect(page.locator("#name")).to_have_text("count.mf")
    page.click("#step")
    expect(page.locator("#tick")).to_have_text("tick 1")


def test_odd_names_and_output_are_only_text(guest: Guest) -> None:
    page = guest.page
    guest.ready()
    name, odd = ODD.replace("\0", "").replace("\ud800", ""), ODD.encode("utf-8", "surrogatepass")
    page.evaluate(
        """([name, bytes]) => { const given = new DataTransfer();
          given.items.add(new File([new Uint8Array(bytes)], name));
          document.dispatchEvent(new DragEvent("drop", { dataTransfer: given })); }""",
        [f"{name}.mf", list(b'"' + odd[::-1] + b'"' + b"," * 40 + b"@ ```\n```\n" + odd)],
    )
    expect(page.locator("#name")).to_have_text(f"{name}.mf")
    page.click("#run")
    expect(page.locator("#status")).to_contain_text("halted")
    assert page.evaluate("document.querySelectorAll('img[src=x], body script').length") == 0
    with page.expect_download() as saved:
        page.keyboard.press("Control+s")
    assert saved.value.suggested_filename == "-gnp.-script-img-src=x-\U0001f9ed.mf"
    assert odd in Path(saved.value.path()).read_bytes()


NOT_OPENED = """window.showOpenFilePicker = async () => [{
  getFile: async () => new File([new Uint8Array(5 << 20)], "zeros.ref"),
  createWritable: async () => { window.wrote = true; throw new Error(); },
}];"""


def test_a_file_that_was_refused_is_not_written(guest: Guest) -> None:
    page = guest.page
    guest.ready()
    guest.open_file("count.mf", COUNT)
    page.evaluate(NOT_OPENED)
    page.keyboard.press("Control+o")
    expect(page.locator("#status")).to_contain_text("is too large")
    with page.expect_download():
        page.keyboard.press("Control+s")
    assert not page.evaluate("window.wrote")


WRONG = {
    "zeros": "bytes.fill(0)",
    "cut": "bytes = bytes.slice(0, bytes.length >> 1)",
    "words": "bytes = new TextEncoder().encode('hello')",
    "spots": "for (let at = bytes.length >> 1; at < bytes.length; at += 65537) bytes[at] ^= 1",
}
SPOIL = """async () => {
  const name = (await caches.keys()).find((name) => name.includes("memory"));
  const cache = await caches.open(name), found = await cache.match("memory");
  let bytes = new Uint8Array(await found.arrayBuffer());
  %s;
  await cache.put("memory", new Response(bytes));
}"""


def has_snapshot(page: Any) -> bool:
    names: list[str] = page.evaluate("caches.keys()")
    return any("memory" in name for name in names)


def opens(guest: Guest) -> bool:
    """Whether a file is there, a second after it was asked for."""
    file = {"name": "count.mf", "mimeType": "text/plain", "buffer": COUNT}
    guest.page.set_input_files("#file", file)
    guest.page.wait_for_timeout(1000)
    return bool(guest.page.locator("#name").text_content() == "count.mf")


@pytest.mark.exhaustive
@pytest.mark.parametrize("wrong", WRONG)
def test_a_damaged_snapshot_costs_nothing_but_time(browser: Any, site: str, wrong: str) -> None:
    guest = Guest(browser, site)
    guest.ready()
    until(guest.page, lambda: has_snapshot(guest.page))
    guest.page.evaluate(SPOIL % WRONG[wrong])
    guest.page.goto("about:blank")
    guest.page.goto(site)
    until(guest.page, lambda: opens(guest))  # Python may end first, with what it was asked
    guest.ready()
    guest.page.click("#step")
    expect(guest.page.locator("#tick")).to_have_text("tick 1")
    guest.close()


STORM = """(site) => {
  const frame = document.createElement("iframe");
  frame.src = site; frame.width = 900; frame.height = 600;
  document.body.append(frame);
  setInterval(() => {
    for (const window of [frame.contentWindow, ...inside(frame.contentWindow)])
      for (const data of [null, 1, "x", { failed: "no" }, order]) window.postMessage(data, "*");
  }, 1);
  const order = { script: new Uint8Array(9), order: {}, moved: [] };
  function inside(window) {
    const frames = Array.from({ length: window.length }, (_, at) => window[at]);
    return frames.flatMap((frame) => [frame, ...inside(frame)]);
  }
}"""


def test_a_storm_of_messages_from_the_page_around_is_not_heard(
    browser: Any, site: str, tmp_path: Path
) -> None:
    """It reaches every frame of the studio before their own page does."""
    (tmp_path / "index.html").write_text("<!doctype html><title>around</title>")
    with hosted(tmp_path) as address:
        guest = Guest(browser, address.replace("127.0.0.1", "localhost"))
        guest.page.evaluate(STORM, f"{site}?embed&example=duet.ref")
        frame = guest.page.frame_locator("iframe")
        expect(frame.locator("body")).to_have_attribute("data-python", "ready")
        frame.locator("#step").click()
        expect(frame.locator("#tick")).to_have_text("tick 1")
        guest.close()


OUT = """async (site) => {
  const found = {}, late = () => new Promise((done) => setTimeout(done, 3000, "closed"));
  const real = globalThis.fetch.toString().includes("native") ? fetch : null;
  const attempts = {
    fetch: () => (real ?? nested)(site),
    nested: () => nested(site),
    importScripts: async () => importScripts(site + "embed.js"),
    data: () => import("data:text/javascript,export default 1"),
    events: () => new Promise((done, no) => {
      const one = new EventSource(site); one.onopen = done; one.onerror = no; }),
    transport: () => new WebTransport(site.replace("http:", "https:")).ready,
    files: () => navigator.storage.getDirectory(),
    locks: () => navigator.locks.request("planewalk", () => 1),
    shared: async () => new SharedWorker(site + "service.js"),
    channel: () => new Promise((done) => { new BroadcastChannel("planewalk").onmessage = done; }),
    pages: async () => document.title,
    storage: async () => localStorage.length,
  };
  function nested(site) {
    const script = `fetch("${site}").then(() => postMessage("open"), () => postMessage("closed"))`;
    const worker = new Worker(URL.createObjectURL(new Blob([script])));
    return new Promise((done, no) => {
      worker.onmessage = ({ data }) => data === "open" ? done() : no(); worker.onerror = no; });
  }
  for (const [name, attempt] of Object.entries(attempts))
    found[name] = await Promise.race([Promise.resolve().then(attempt).then(() => "open"), late()])
      .catch(() => "closed");
  return found;
}"""


def test_code_in_the_worker_gets_nothing_out(guest: Guest) -> None:
    """No program and no link can run code there; if one could, this is where it would end."""
    page = guest.page
    guest.ready()
    page.evaluate("""() => {
      localStorage.setItem("planewalk secret", "mine");
      new BroadcastChannel("planewalk").postMessage("mine");
      setInterval(() => new BroadcastChannel("planewalk").postMessage("mine"), 200);
    }""")
    (worker,) = page.workers
    tried = worker.evaluate(OUT, guest.address)
    assert tried.pop("locks") in ("open", "closed")  # those of an origin of its own
    assert set(tried.values()) == {"closed"}, tried


CODE = ("__import__('js')", "js.fetch('/')", "().__class__", "{0.__class__}", "exec('1')")
WATCHED = """() => {
  const own = tab.receive.__func__.__globals__, run = own.get("__builtins__").get("exec");
  run(`
import sys
seen = []
def watch(event, given):
    if event == "import" or event == "compile":
        seen.append(f"{given[0]!r}")
sys.addaudithook(watch)
`, own);
  self.seen = () => own.get("seen").toJs();
}"""


def test_links_bring_no_code(guest: Guest) -> None:
    """In programs, options, conditions, names and branches: what would be Python. All that is
    compiled and imported meanwhile is seen."""
    page = guest.page
    guest.ready()
    (worker,) = page.workers
    worker.evaluate(WATCHED)
    for code in CODE:
        edits = [{"stack": 0, "value": {"whole": code}}]
        branches = [{"data": "", "ended": True}, {"on": 0, "tick": 1, "heard": 0, "edits": edits}]
        for more in (
            {"options": {"edges": code}}, {"options": {code: 1}}, {"breaks": [code]},
            {"name": code}, {"courses": branches}, {"seed": code}, {"tick": code},
        ):  # fmt: skip
            link = fragment(**{"language": "mirrorfunge", "text": code, **more})
            page.evaluate("(link) => { location.hash = link; }", link)
            expect(page.locator("#grid")).to_have_attribute("aria-busy", "false")
    guest.open_file("count.mf", COUNT)
    page.fill("#line", "break __import__('js')")
    page.press("#line", "Enter")
    page.click("#step")
    expect(page.locator("#tick")).to_have_text("tick 1")
    seen = worker.evaluate("self.seen()")
    assert not [what for what in seen if any(code in what for code in CODE)], seen
    assert not {"'js'", "'pyodide'", "'os'"} & set(seen), seen


def test_the_policy_is_kept_by_the_browser(guest: Guest) -> None:
    page = guest.page
    guest.ready()
    assert "unsafe" not in POLICY and "default-src 'none'" in POLICY
    tried = page.evaluate(
        """async (other) => {
          const broken = [], see = ({ effectiveDirective }) => broken.push(effectiveDirective);
          document.addEventListener("securitypolicyviolation", see);
          await fetch(other).catch(() => 0);
          for (const [name, from] of [["img", other + "x.png"], ["script", other + "x.js"],
              ["iframe", other], ["script", "data:,1"], ["object", other]]) {
            const made = document.createElement(name);
            made[name === "object" ? "data" : "src"] = from;
            document.body.append(made);
          }
          const inline = document.createElement("script");
          inline.textContent = "document.title = 'bad'";
          document.body.append(inline);
          const form = document.createElement("form");
          form.action = other; document.body.append(form); form.submit();
          const base = document.createElement("base");
          base.href = other; document.head.append(base);
          await new Promise((done) => setTimeout(done, 500));
          return [document.title, document.baseURI, broken];
        }""",
        "http://localhost:1/",
    )
    assert tried[0] != "bad" and tried[1].startswith(guest.address)
    wanted = {
        "connect-src",
        "img-src",
        "script-src-elem",
        "frame-src",
        "form-action",
        "base-uri",
        "object-src",
    }
    assert wanted <= set(tried[2])


@contextmanager
def narrow(guest: Guest, megabytes: int) -> Iterator[None]:
    """A browser that lets the site keep so much."""
    talk = guest.context.new_cdp_session(guest.page)
    origin = guest.page.evaluate("origin") if guest.page.url != "about:blank" else guest.address
    talk.send("Storage.overrideQuotaForOrigin", {"origin": origin, "quotaSize": megabytes << 20})
    yield
    talk.send("Storage.overrideQuotaForOrigin", {"origin": origin})


@pytest.mark.exhaustive
@pytest.mark.parametrize("megabytes", [0, 20], ids=["none", "less than all"])
def test_a_browser_without_room_keeps_nothing_half(browser: Any, site: str, megabytes: int) -> None:
    """Its own quota: neither half a site nor half a snapshot is there at the next visit."""
    guest = Guest(browser, "about:blank")
    guest.address = site.split("/some")[0]
    page = guest.page
    with narrow(guest, megabytes):
        page.goto(site)
        guest.ready()
        page.wait_for_timeout(3000)
        page.goto("about:blank")
        page.goto(site)
        guest.ready()
        page.click("#run")
        page.click("#step")
        assert page.locator("#sign").is_hidden()
        kept = page.evaluate(
            """async () => { const found = {};
              for (const name of await caches.keys())
                found[name] = (await (await caches.open(name)).keys()).length;
              return found; }"""
        )
        assert all("files" not in name or count > 50 for name, count in kept.items()), kept
    guest.close()


@pytest.mark.exhaustive
def test_all_memory_is_taken_and_the_page_goes_on(guest: Guest) -> None:
    """At the limit of a page: a stack and numbers that grow."""
    page = guest.page
    guest.ready()
    programs = {"deep.mf": b">1" * 20 + b"\n", "square.mf": b"9>:*\n"}
    for name, program in programs.items():
        guest.open_file(name, program)
        page.fill("#speed", "19")
        page.click("#run")
        expect(page.locator("#status")).to_contain_text("memory")
        expect(page.locator("#run")).to_have_text("Run")
    guest.open_file("count.mf", COUNT)
    page.click("#step")
    expect(page.locator("#tick")).to_have_text("tick 1")
