"""The terminal debugger, driven by keys."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import planewalk as pw
from planewalk.apps.tui.app import DebuggerApp


def drive(
    walk: pw.Session, script: Callable[[DebuggerApp, Any], Awaitable[None]], size: Any = (110, 34)
) -> DebuggerApp:
    """Run the app without a terminal, with a script that presses keys."""
    app = DebuggerApp(walk)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await script(app, pilot)

    asyncio.run(run())
    return app


def hello() -> pw.Session:
    return pw.session(source='"iH",,@', language="mirrorfunge")


def test_steps_and_steps_back() -> None:
    async def script(app: DebuggerApp, pilot: Any) -> None:
        await pilot.press("right", "right", "f10")
        assert app.session.tick == 3
        await pilot.press("left")
        assert app.session.tick == 2

    drive(hello(), script)


def test_runs_to_the_end_and_a_breakpoint_on_the_way() -> None:
    async def script(app: DebuggerApp, pilot: Any) -> None:
        await pilot.press("d", "d", "d", "d", "d", "f9")
        assert app.console_of.breakpoints.places() == {(5, 0)}
        await pilot.press("f5")
        while app.running:
            await pilot.pause(0.02)
        assert (app.session.tick, app.session.output) == (5, b"H")
        await pilot.press("f9", "f5")
        while app.running:
            await pilot.pause(0.02)
        assert (app.session.tick, app.session.output) == (7, b"Hi")

    drive(hello(), script)


def test_commands_are_typed_and_answered() -> None:
    async def script(app: DebuggerApp, pilot: Any) -> None:
        await pilot.press("colon", *"goto", "space", "6", "enter")
        assert app.session.tick == 6
        await pilot.press("colon", *"bakc", "enter")
        await pilot.press("colon", "up", "escape")
        assert not app.line.has_focus

    drive(hello(), script)


def test_a_program_that_waits_is_given_input() -> None:
    async def script(app: DebuggerApp, pilot: Any) -> None:
        await pilot.press("f5")
        while app.running:
            await pilot.pause(0.02)
        assert app.line.has_focus and app.line.value == "input "
        await pilot.press("x", "enter", "f5")
        while app.running:
            await pilot.pause(0.02)
        assert app.session.output == b"x"

    drive(pw.session(source="~,@", language="mirrorfunge"), script)


def test_a_small_terminal_gets_a_hint() -> None:
    async def script(app: DebuggerApp, pilot: Any) -> None:
        assert app.screen.has_class("small")
        await pilot.press("right")

    assert drive(hello(), script, size=(30, 8)).session.tick == 1


@pytest.mark.parametrize("name", ["duet.ref", "adder.png", "plasma.wf", "loop.gemooy", "hello.mf"])
def test_every_language_is_shown(name: str) -> None:
    async def script(app: DebuggerApp, pilot: Any) -> None:
        await pilot.press("right", "right", "h", "question_mark", "left")
        assert app.session.tick == 1
        assert app.board.frame is not None and app.board.frame.crowd >= 1

    with pytest.warns(UserWarning, match="using the example"):
        walk = pw.session(name)
    drive(walk, script)
