"""A site, written once for all tests, and a plain server of files for it."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from planewalk.apps.page.pyodide import is_there
from planewalk.apps.page.site import write_site
from tests.patience import PATIENCE

from .browsing import CHROMIUM, MUST, THERE, Profile, expect

INSTALLED = Path(__file__).parents[2] / "node_modules" / "pyodide"
"""Where .ci/run has npm put it."""
HAS_PYTHON = (INSTALLED.exists() or is_there()) and find_spec("ziglang") is not None
needs_page = pytest.mark.skipif(
    not (CHROMIUM and THERE and HAS_PYTHON) and not MUST,
    reason="no Chromium, playwright, ziglang or pyodide (npm install --no-save pyodide@314.0.7) is "
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
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A host's folder with a site below it, written once for all processes of tests."""
    base = tmp_path_factory.getbasetemp()
    above = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "host"
    try:
        above.mkdir()
    except FileExistsError:  # another process writes it
        end = monotonic() + PATIENCE
        while not (above / "written").exists():
            assert monotonic() < end, "the site is not written"
            sleep(0.2)
    else:
        written(above / "some" / "path")
        (above / "written").touch()
    return above


@pytest.fixture(scope="session")
def site(site_folder: Path) -> Iterator[str]:
    """The address of a site, below a path of its host."""
    with hosted(site_folder) as address:
        yield f"{address}some/path/"


class Guest:
    """A visitor of a site: with a profile that others have had before, or a fresh one."""

    def __init__(
        self, browser: Any, address: str, profile: Profile | None = None, **settings: Any
    ) -> None:
        self.fresh = profile is None
        self.profile = profile or Profile(browser, **settings)
        self.context, self.address = self.profile.context, address
        self.page = self.profile.page if self.fresh else self.context.new_page()
        self.page.on("pageerror", lambda error: self.profile.errors.append(str(error)))
        self.page.goto(address)

    def ready(self) -> None:
        """Wait until Python answers."""
        expect(self.page.locator("body")).to_have_attribute("data-python", "ready")
        expect(self.page.locator("#grid")).to_have_attribute("aria-busy", "false")

    def open_file(self, name: str, data: bytes) -> None:
        """Open a file, and wait until it is seen."""
        self.page.set_input_files("#file", {"name": name, "mimeType": "text/plain", "buffer": data})
        expect(self.page.locator("#name")).to_have_text(name)

    def close(self) -> None:
        """Leave; what the browser keeps of the site stays in a profile that others had before."""
        if self.fresh:
            self.context.close()
        else:
            self.page.evaluate("localStorage.clear()")
            self.page.close()
        errors, self.profile.errors[:] = self.profile.errors[:], []
        assert errors == []


@pytest.fixture(scope="session")
def guests() -> list[Profile]:
    """The one that tests take over from each other, once there is one."""
    return []


@pytest.fixture
def guest(browser: Any, site: str, guests: list[Profile]) -> Iterator[Guest]:
    if not guests:
        guests.append(Profile(browser, permissions=["clipboard-read", "clipboard-write"]))
    made = Guest(browser, site, guests[0])
    yield made
    made.close()


__all__ = [
    "PATIENCE",
    "Guest",
    "guest",
    "guests",
    "hosted",
    "needs_page",
    "site",
    "site_folder",
    "written",
]
