"""A browser for tests of the studio: Debian's Chromium, headless, or whatever Chromium there is."""

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
expect.set_options(timeout=20_000)  # however busy the machine is

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
MUST = bool(os.environ.get("PLANEWALK_TEST_BROWSER"))
needs_browser = pytest.mark.skipif(
    not CHROMIUM and not MUST, reason="no Chromium is installed, so the studio is not tried in one"
)


class Server:
    """A studio of our own, at any port or at that of one that is gone."""

    def __init__(self, port: str = "0") -> None:
        command = [sys.executable, "-m", "planewalk", "studio", "--no-browser", "--port", port]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
        assert self.process.stdout is not None
        found = re.search(r"http://\S+?:(\d+)\S*", self.process.stdout.readline())
        assert found is not None
        self.address, self.port = found[0], found[1]

    def end(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=20)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=20)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the studio that all tests share is."""
    server = Server()
    yield server.address
    server.end()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser; not for longer than needed, since no other event loop can run beside it."""
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
