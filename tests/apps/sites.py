"""A site, written once for all tests, and a plain server of files for it."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from planewalk.apps.page.pyodide import is_there
from planewalk.apps.page.site import write_site
from tests.patience import PATIENCE

from .browsing import CHROMIUM, MUST, THERE, Profile, expect

INSTALLED = Path(__file__).parents[2] / "node_modules" / "pyodide"
"""Where .ci/run has npm put it."""
HAS_PYTHON = INSTALLED.exists() or is_there()
needs_page = pytest.mark.skipif(
    not (CHROMIUM and THERE and HAS_PYTHON) and not MUST,
    reason="no Chromium, playwright or pyodide (npm install --no-save pyodide@314.0.7) is "
    "installed, so no page is tried without a server",
)


class Quiet(SimpleHTTPRequestHandler):
    """What `python -m http.server` answers with."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def hosted(folder: Path, port: int = 0) -> Iterator[str]:
    """A host of files: the address of that folder."""
    server = ThreadingHTTPServer(
        ("127.0.0.1", port), functools.partial(Quiet, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def written(folder: Path, **more: Any) -> Path:
    """A site in a folder."""
    write_site(str(folder), python=str(INSTALLED) if INSTALLED.exists() else None, **more)
    return folder


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site, below a path of its host."""
    above = tmp_path_factory.mktemp("host")
    written(above / "some" / "path")
    with hosted(above) as address:
        yield f"{address}some/path/"


class Guest:
    """A visitor of a site."""

    def __init__(self, browser: Any, address: str, rest: str = "", **settings: Any) -> None:
        self.profile = Profile(browser, **settings)
        self.context, self.page, self.address = self.profile.context, self.profile.page, address
        self.page.goto(address + rest)

    def ready(self) -> None:
        """Wait until Python answers."""
        expect(self.page.locator("body")).to_have_attribute("data-python", "ready")
        expect(self.page.locator("#grid")).to_have_attribute("aria-busy", "false")

    def ask(self, line: str) -> str:
        """What the console says to a line."""
        self.page.fill("#line", line)
        before = self.page.locator("#answer").text_content()
        self.page.press("#line", "Enter")
        expect(self.page.locator("#answer")).not_to_have_text(before or " ")
        return self.page.locator("#answer").text_content() or ""

    def close(self) -> None:
        self.context.close()
        assert self.profile.errors == []


@pytest.fixture
def guest(browser: Any, site: str) -> Iterator[Guest]:
    made = Guest(browser, site, permissions=["clipboard-read", "clipboard-write"])
    yield made
    made.close()


__all__ = ["PATIENCE", "Guest", "guest", "hosted", "needs_page", "site", "written"]
