"""The studio in a page without a server: a folder of files, and Chromium."""

from __future__ import annotations

import pytest

from .browsing import expect
from .sites import Guest, needs_page

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


def test_what_is_seen_first_is_in_motion_before_python_is_there(guest: Guest) -> None:
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


@pytest.mark.exhaustive
def test_a_worker_that_does_not_start_is_said(guest: Guest) -> None:
    page = guest.page
    page.route("**/python_stdlib.zip", lambda route: route.abort())
    page.reload()
    expect(page.locator("#sign")).to_contain_text("Python cannot be loaded")
