"""A browser for tests of the studio: Debian's Chromium, headless, or whatever Chromium there is."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from time import monotonic
from typing import Any
from urllib.parse import urljoin

import pytest

from tests import signals
from tests.patience import PATIENCE

THERE = find_spec("playwright") is not None
FIRST = "duet.ref"
"""What tests begin with."""
MILLISECONDS = 1000 * PATIENCE
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
TOURED = "try { localStorage.setItem('planewalk toured', '1') } catch {}"
"""No tour; frames without an origin have no storage."""
MUST = bool(os.environ.get("PLANEWALK_TEST_BROWSER"))
needs_browser = pytest.mark.skipif(
    not (CHROMIUM and THERE) and not MUST,
    reason="no Chromium and playwright are installed, so the studio is not tried in a browser",
)


def expect(what: Any) -> Any:
    """What playwright waits for; imported only where a browser is used."""
    from playwright import sync_api

    sync_api.expect.set_options(timeout=MILLISECONDS)
    return sync_api.expect(what)


def until(page: Any, holds: Callable[[], object]) -> None:
    """Wait until that is so."""
    end = monotonic() + PATIENCE
    while not holds():
        assert monotonic() < end, holds
        page.wait_for_timeout(25)


class Server:
    """A studio of our own, at any port or at that of one that is gone."""

    def __init__(self, port: str = "0") -> None:
        command = [sys.executable, "-m", "planewalk", "studio", "--no-browser", "--port", port]
        pipe = subprocess.PIPE
        self.process = signals.start(command, stdout=pipe, stderr=pipe, text=True)
        assert self.process.stdout is not None
        found = re.search(r"http://\S+?:(\d+)\S*", self.process.stdout.readline())
        assert found is not None
        self.address, self.port = found[0], found[1]

    def end(self) -> None:
        self.process.terminate()
        _, words = self.process.communicate(timeout=PATIENCE)
        assert words == "closed\n", "somebody who presses Ctrl-C sees no more than that"

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=PATIENCE)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the studio that all tests share is, token included."""
    server = Server()
    yield server.address
    server.end()


@pytest.fixture(scope="session")
def chromium() -> Iterator[tuple[Any, asyncio.AbstractEventLoop]]:
    """A browser for all tests, and the event loop of playwright, which stands still meanwhile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        loop = asyncio.get_running_loop()
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        asyncio._set_running_loop(None)
        yield found, loop
        asyncio._set_running_loop(loop)
        found.close()


@pytest.fixture
def browser(chromium: tuple[Any, asyncio.AbstractEventLoop]) -> Iterator[Any]:
    """That browser; only during this test, since others have event loops of their own."""
    found, loop = chromium
    asyncio._set_running_loop(loop)
    yield found
    asyncio._set_running_loop(None)


class Profile:
    """A page of somebody, and what went wrong on it."""

    def __init__(self, browser: Any, **settings: Any) -> None:
        self.context = browser.new_context(
            **{"viewport": {"width": 1200, "height": 760}, **settings}
        )
        self.context.add_init_script(TOURED)
        self.context.set_default_timeout(MILLISECONDS)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def forget(self, address: str) -> None:
        """Be new to the studio, as a new profile would be; that would take a second."""
        self.page.goto(urljoin(address, "/nothing"))
        self.page.evaluate("localStorage.clear(); sessionStorage.clear()")


class Visit:
    """Somebody comes to the studio: with a profile that others have had before, or a fresh one."""

    def __init__(
        self, browser: Any, address: str, profile: Profile | None = None, **settings: Any
    ) -> None:
        self.fresh = profile is None
        self.profile = profile or Profile(browser, **settings)
        self.context, self.page = self.profile.context, self.profile.page
        self.address = address
        self.page.goto(f"{address}&example={FIRST}")
        self.there()
        self.shows("#tick", "tick 0")

    def there(self) -> None:
        """Wait until the program that was asked for last is seen."""
        expect(self.page.locator("#grid")).to_have_attribute("aria-busy", "false")

    def open_file(self, name: str, data: bytes) -> None:
        """Open a file, and wait until it is seen."""
        self.page.set_input_files("#file", {"name": name, "mimeType": "text/plain", "buffer": data})
        self.there()

    def tick(self, wanted: int) -> None:
        """Wait until the page shows that tick."""
        self.shows("#tick", f"tick {wanted:,}")

    def shows(self, selector: str, words: Any) -> None:
        """Wait until a part of the page says so."""
        expect(self.page.locator(selector)).to_have_text(words)

    def choose(self, item: str) -> None:
        """Open the menu that a button is in, and press it."""
        menu = self.page.locator(f".menu:has({item})").get_attribute("id")
        self.page.click(f"[popovertarget={menu}]")
        self.page.click(item)

    def close(self) -> None:
        if self.fresh:
            self.context.close()
        else:
            self.profile.forget(self.address)
        errors, self.profile.errors[:] = self.profile.errors[:], []
        assert not errors


@pytest.fixture(scope="session")
def profiles() -> list[Profile]:
    """The one that tests take over from each other, once there is one."""
    return []


@pytest.fixture
def profile(browser: Any, profiles: list[Profile]) -> Profile:
    if not profiles:
        profiles.append(Profile(browser, permissions=["clipboard-read", "clipboard-write"]))
    return profiles[0]


@pytest.fixture
def visit(browser: Any, address: str, profile: Profile) -> Iterator[Visit]:
    made = Visit(browser, address, profile)
    yield made
    made.close()
