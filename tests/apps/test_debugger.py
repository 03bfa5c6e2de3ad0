"""The terminal debugger, driven by keys."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from inspect import Signature, signature
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace
from typing import Any

import pytest
from textual.events import Key
from textual.keys import _character_to_key

import planewalk as pw
from planewalk.apps.cli.main import main
from planewalk.apps.tui import app as tui
from planewalk.apps.tui import opening, timeline
from planewalk.apps.tui.app import DebuggerApp
from planewalk.apps.tui.opening import OpeningApp, OpeningProgress
from planewalk.engines.base.threads import ThreadTask
from planewalk.view.console.console import Console
from tests.marks import plainly
from tests.patience import PATIENCE


def drive(
    walk: pw.Session,
    script: Callable[[DebuggerApp, Any], Awaitable[None]],
    size: Any = (110, 34),
    named: str = "",
) -> DebuggerApp:
    """Run the app without a terminal, with a script that presses keys."""
    app = DebuggerApp(walk, named=named)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await script(app, pilot)

    asyncio.run(run())
    return app


def screen(app: DebuggerApp) -> str:
    """What is on the screen, without colours."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(part.text for part in strip).rstrip() for strip in strips) + "\n"


async def type_in(app: DebuggerApp, pilot: Any, text: str, then: str = "enter") -> None:
    """Signs one after the other, without waiting for the screen after each, and then a key."""
    for sign in text:
        app.post_message(Key(_character_to_key(sign), sign))
    await pilot.press(then)


def hello() -> pw.Session:
    return pw.session(source='"iH",,@', language="mirrorfunge")


CROWD = "v" + "\\" * 9 + "\n" + ("Y" * 10 + "\n") * 5 + "|" * 10


def crowd(tick: int, source: str | bytes = CROWD, **more: Any) -> pw.Session:
    """Cursors that multiply, at some tick."""
    walk = pw.session(source=source, language="refunge", input=b"", **more)
    walk.goto(tick)
    return walk


def shipped(example: str, tick: int = 0, given: bytes | None = None) -> pw.Session:
    with pytest.warns(UserWarning, match="using the example"):
        walk = pw.session(example, input=given, seed=1)
    walk.goto(tick)
    return walk


def on_screen(make: Callable[[], pw.Session] = hello, *more: Any, **others: Any) -> Any:
    """A test that presses keys while such a session is on the screen; see `drive`."""

    def decorate(script: Callable[..., Awaitable[None]]) -> Callable[..., None]:
        @wraps(script)
        def test(**fixtures: Any) -> None:
            drive(make(), partial(script, **fixtures), *more, **others)

        _, _, *fixtures = signature(script).parameters.values()
        test.__signature__ = Signature(fixtures)  # type: ignore[attr-defined]
        return test

    return decorate


@on_screen()
async def test_steps_and_steps_back(app, pilot) -> None:
    await pilot.press("right", "right", "f10")
    assert app.session.tick == 3
    await pilot.press("left")
    assert app.session.tick == 2


def test_what_long_runs_need_is_loaded_beside_the_first_screen(monkeypatch) -> None:
    loaded: list[bool] = []
    monkeypatch.setattr(tui, "preload", lambda: loaded.append(True))
    drive(hello(), lambda app, pilot: app.workers.wait_for_complete())
    assert loaded == [True]


@on_screen()
async def test_runs_to_the_end_and_a_breakpoint_on_the_way(app, pilot) -> None:
    await type_in(app, pilot, "ddddd", "f9")
    assert app.console_of.breakpoints.places() == {(5, 0)}
    await pilot.press("f5")
    while app.running:
        await pilot.pause(0.02)
    assert (app.session.tick, app.session.output) == (5, b"H")
    await pilot.press("f9", "f5")
    while app.running:
        await pilot.pause(0.02)
    assert (app.session.tick, app.session.output) == (7, b"Hi")


@on_screen()
async def test_commands_are_typed_and_answered(app, pilot) -> None:
    await type_in(app, pilot, ":goto 6")
    assert app.session.tick == 6
    await type_in(app, pilot, ":bakc")
    assert "did you mean 'back'?" in screen(app)
    await pilot.press("colon", "up")
    assert app.line.value == "bakc"
    await pilot.press("escape")
    assert not app.line.has_focus


@on_screen(lambda: pw.session(source="~,~,@", language="mirrorfunge"))
async def test_a_program_that_waits_is_given_input(app, pilot) -> None:
    await pilot.press("f5")
    while app.running:
        await pilot.pause(0.02)
    assert app.line.has_focus and app.line.value == "input "
    assert "new line" in screen(app)
    await pilot.press("x", "enter")
    while app.running:
        await pilot.pause(0.02)
    assert app.session.output == b"x", "it ran on, up to where it waits again"
    assert app.session.tick == 2 and app.line.has_focus
    await pilot.press("escape", "home")
    await type_in(app, pilot, ":input y")
    assert not app.running, "nobody had let it run"


@pytest.mark.parametrize(("typed", "given"), [
    ("input a b ", b"a b "), (r"input 1\n2\x41\\", b"1\n2A\\"), ("input \\", b"\\"),
    ("input é", "é".encode()), ("input  ", b" "), ("  input x", b"x"),
])  # fmt: skip
def test_input_is_what_was_typed(typed: str, given: bytes) -> None:
    console = Console(pw.session(source="~,@", language="mirrorfunge"))
    assert console.execute(typed) == ["tick 0"]
    assert bytes(console.session.state.input.data) == given


@on_screen()
async def test_keys_of_use_are_listed_and_may_be_clicked(app, pilot) -> None:
    assert screen(app).endswith("f Follow  h Heat  ? Keys  q Quit\n")
    await pilot.click("KeysLine", offset=(screen(app).splitlines()[-1].index("Step"), 0))
    assert app.session.tick == 1
    await pilot.press("colon")
    assert "Esc Back to the plane" in screen(app) and "Heat" not in screen(app)
    await pilot.press("escape")
    assert "Heat" in screen(app)


def test_a_small_terminal_gets_a_hint() -> None:
    async def script(app: DebuggerApp, pilot: Any) -> None:
        assert app.screen.has_class("small")
        await pilot.press("right")

    assert drive(hello(), script, size=(30, 8)).session.tick == 1


@on_screen(lambda: shipped("adder.png"))
async def test_heat_and_help_are_shown_and_walked_on_from(app, pilot) -> None:
    await pilot.press("right", "right")
    await type_in(app, pilot, "h?", "left")
    assert app.session.tick == 1
    assert app.board.frame is not None and app.board.frame.crowd >= 1


@on_screen(lambda: pw.session(source="    ", language="mirrorfunge"))
async def test_heat_of_a_long_run_is_counted_while_keys_are_answered(
    app, pilot, monkeypatch
) -> None:
    monkeypatch.setattr(tui, "SLICE", -1.0)
    app.session.goto(8_000)
    app.perform("where")
    app.action_heat()
    assert "heat: 0% counted" in str(app.query_one("#status").render())
    app._pump()
    assert app.heat.count is not None and app.heat.count.tick < 8_000
    assert "% counted" in str(app.query_one("#status").render())
    await pilot.press("left")
    assert app.session.tick == 7_999
    while app.heat.count is not None:
        app._pump()
    assert app.board.heat == {(x, 0): 1.0 for x in range(4)}
    await pilot.press("h")
    assert app.board.heat == {}


@on_screen(lambda: pw.session(source="  ", language="mirrorfunge"))
async def test_the_timeline_is_dragged_to_the_last_place_at_once(app, pilot) -> None:
    app.session.goto(100)
    gone_to = []
    perform = app.perform
    app.perform = lambda line: (gone_to.append(line), perform(line))[1]  # type: ignore[method-assign]
    for tick in (20, 40, 60):
        app.chosen(tui.TimelineBar.Chosen(tick))
    app._pump()
    assert gone_to == ["goto 60"] and app.session.tick == 60


GOLDEN = Path(__file__).parent / "golden"
SIZES = {"narrow": (60, 20), "wide": (200, 60)}
SCREENS: dict[str, tuple[str, int, str, str, bytes | None]] = {
    "refunge": ("duet.ref", 4, "", "right", None),
    "mirrorfunge": ("sum.mf", 3, "", "right", b"3 4"),
    "gemooy": ("loop.gemooy", 6, "", "right", None),
    "webfunge": ("plasma.wf", 2, "", "right", None), "bmprog": ("adder.png", 1, "", "right", None),
    "keys": ("hello.mf", 0, "", "question_mark", None),
    "why": ("hello.mf", 17, ":why output", "enter", None),
    "narrow": ("hello.mf", 30, "", "right", None), "wide": ("loop.gemooy", 300, "wd", "f9", None),
}  # fmt: skip
"""A program, how far it has come, what is typed then, and its input."""

MORE = ("refunge", "gemooy", "webfunge", "wide")
"""Languages whose screens have nothing that others do not have."""


@pytest.mark.parametrize("name", plainly([name for name in SCREENS if name not in MORE], SCREENS))
def test_the_screen_looks_as_it_should(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With PLANEWALK_RENEW=1 the screens are written anew: look at them before they are kept."""
    monkeypatch.setattr(timeline, "MARKING", 600.0)
    program, tick, text, key, given = SCREENS[name]
    path = GOLDEN / f"{name}.txt"

    async def script(app: DebuggerApp, pilot: Any) -> None:
        await app.workers.wait_for_complete()
        await type_in(app, pilot, text, key)
        await pilot.pause()
        if os.environ.get("PLANEWALK_RENEW"):
            path.write_text(screen(app))
        assert screen(app) == path.read_text()

    drive(shipped(program, tick, given), script, SIZES.get(name, (80, 24)), program)


IN_SIGHT = {"quine.mf": 60, "ant.gemooy": 50, "plasma.wf": 3, "adder.png": 9, CROWD: 10}
"""Programs, and ticks at which they are looked at."""


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
@pytest.mark.parametrize("program", IN_SIGHT)
def test_the_run_is_in_sight_on_small_screens(program: str, size: tuple[int, int]) -> None:
    """Prose has what is left: nobody has to scroll to see who walks where, and what is written."""
    walk = crowd(IN_SIGHT[CROWD]) if program == CROWD else shipped(program, IN_SIGHT[program], b"")

    async def script(app: DebuggerApp, pilot: Any) -> None:
        await app.workers.wait_for_complete()
        await pilot.press("right")
        await pilot.pause()
        lines = screen(app).splitlines()
        assert len(lines) == size[1] and max(map(len, lines)) <= size[0]
        wanted = [f"tick {walk.tick} of {walk.tick}", " walkers (", " A ", " output (", " input ("]
        wanted += [" stack ("] if walk.state.stack else []
        for part in (*wanted, " cell ", "╺", "? Keys  q Quit"):
            assert any(part in line for line in lines), part
        assert app.query_one("#side").max_scroll_y == 0

    drive(walk, script, size, "crowd.ref" if program == CROWD else program)


@pytest.mark.parametrize(("language", "sign"), [("mirrorfunge", "@"), ("bmprog", "*")])
def test_rulers_say_where_cells_are_also_when_scrolled(language: str, sign: str) -> None:
    async def script(app: DebuggerApp, pilot: Any) -> None:
        app.board.cursor = (0, 0)
        for _ in range(2):
            app.board.move_cursor(200, 120)
            await pilot.pause()
        _, columns, *rows = screen(app).splitlines()
        x, y = app.board.cursor
        line = next(row for row in rows if row.split()[:1] == [str(y)])
        width = app.board.cell_width
        assert (x, y) == (400, 240) and line[columns.index("400")] == sign
        other = next(label for label in columns.split() if label != "400")
        assert columns.index("400") - columns.index(other) == (400 - int(other)) * width
        assert f"{y - 1} " in rows[rows.index(line) - 1]

    text = ("." * 500 + "\n") * 240 + "." * 400 + sign + "." * 99 + "\n" + ("." * 500 + "\n") * 60
    drive(pw.session(source=text.encode(), language=language, input=b""), script, (80, 24))


@on_screen(lambda: pw.session(source="$  @", language="gemooy", input=b""))
async def test_a_sign_is_typed_into_a_cell(app, pilot) -> None:
    await type_in(app, pilot, "de#", "right")
    assert app.session.branch.name == "cell 1,0 = '#' at 0" and app.session.tick == 1
    await pilot.press("e")
    assert "type the sign for" in screen(app)
    await pilot.press("escape", "e", "enter")
    assert app.line.has_focus and app.line.value.startswith("cell ")
    await pilot.press("escape", "e", "q")
    await pilot.pause()
    assert "no cell of Gemooy shows 'q'" in screen(app)


@on_screen(lambda: crowd(8), (80, 24))
async def test_of_a_step_of_many_walkers_some_lines_are_told(app, pilot) -> None:
    await pilot.press("right")
    await pilot.pause()
    assert app.query_one("#answers").size.height == tui.MOST_STEPPED
    assert "more; `step` and `back` tell all" in screen(app)


@pytest.mark.parametrize("key", ["ctrl+c", "escape", "q"])
@on_screen()
async def test_keys_break_off_what_takes_long_and_it_is_told_meanwhile(
    app, pilot, key, monkeypatch
) -> None:
    """Keys are read in a thread of their own, so they are heard in the midst of a command."""
    now = 0.0
    monkeypatch.setattr("planewalk.apps.tui.allowance.monotonic", lambda: now)
    told: list[str] = []
    app.patience.tell = told.append

    def until(condition: str, pause: Callable[[], bool]) -> None:
        nonlocal now
        now += 1
        assert not pause()
        app._driver.process_message(Key(key, None))
        assert pause()

    app.session.until = until
    app.perform("until at 9,9")
    assert len(told) == 1 and told[0].endswith("Escape breaks it off")
    await pilot.pause()
    assert key == "q" or "broken off here" in screen(app)
    if key == "ctrl+c":
        assert "q leaves" not in screen(app)
        await pilot.press("ctrl+c")
        assert "q leaves" in screen(app)
        await pilot.press("right")
        assert app.session.tick == 1


def test_keys_that_come_once_it_has_ended_are_for_nobody() -> None:
    async def script(app: DebuggerApp, pilot: Any) -> None:
        app.exit()

    asyncio.run(drive(hello(), script).on_event(Key("q", "q")))


@on_screen()
async def test_watched_values_are_shown_and_marked_where_they_change(app, pilot) -> None:
    for line in ("watch stack 0", "watch 1,0", "watch nothing"):
        app.perform(line)
    assert "'nothing' is no value" in screen(app)
    await pilot.press("right", "right")
    assert "stack 0 = 105" in screen(app) and "1,0 = 105 ('i')" in screen(app)
    app.perform("unwatch 1,0")
    await pilot.pause()
    assert "1,0 = 105" not in screen(app).split("watches")[1].split("╺")[0]


@on_screen(lambda: pw.session(source="1+", language="mirrorfunge"))
async def test_ctrl_c_pauses_a_run(app, pilot) -> None:
    await pilot.press("f5", "ctrl+c")
    assert not app.running and app.is_running
    await pilot.press("ctrl+c")
    assert "q leaves" in screen(app)


@on_screen()
async def test_breakpoints_that_were_hit_are_marked_on_the_timeline(app, pilot) -> None:
    app.perform("break at 5,0")
    app.perform("run")
    app.perform("end")
    await pilot.pause()
    assert "●" in screen(app)
    bar = app.query_one("#timeline")
    await pilot.click(bar, offset=(1, 0))
    await pilot.pause()
    assert app.session.tick == 0


def marked(app: DebuggerApp, sign: str) -> list[int]:
    """The columns of the timeline that have this sign."""
    line = next(row for row in screen(app).splitlines() if row.startswith("╺"))
    return [at for at, each in enumerate(line[1:]) if each == sign]


@on_screen(lambda: pw.session(source="1.        ", language="mirrorfunge", input=b""), (100, 30))
async def test_what_happened_is_marked_on_the_timeline(app, pilot, monkeypatch) -> None:
    monkeypatch.setattr(timeline, "MARKING", 600.0)
    app.perform("break at 1,0")
    app.perform("goto 40")
    await pilot.pause()
    assert [len(marked(app, sign)) for sign in "▪○◆"] == [4, 4, 1]
    monkeypatch.setattr(timeline, "MOST_SHOWN", 0)  # walkers: there are too many from now on
    app.perform("goto 60")
    await pilot.pause()
    assert len(marked(app, "▪")) == 4


@on_screen(lambda: pw.session(source='"olleH",,,,,@', language="mirrorfunge", input=b""), (102, 30))
async def test_nothing_is_marked_where_nothing_happened(app, pilot, monkeypatch) -> None:
    """Nor is a hit of another course of the run."""
    monkeypatch.setattr(timeline, "MARKING", 600.0)
    for line in ("end", "goto 9"):
        app.perform(line)
    await pilot.pause()
    assert marked(app, "▪") == [tick * 99 // 13 for tick in (8, 10, 11, 12)]
    assert marked(app, "◆") == [9 * 99 // 13]
    for line in ("break at 8,0", "goto 4", "run", "goto 6", "stack 0 = 1", "end"):
        app.perform(line)
    await pilot.pause()
    assert marked(app, "⑂") == [6 * 99 // 13] and marked(app, "●") == []
    app.perform("switch main")
    await pilot.pause()
    assert marked(app, "⑂") == [6 * 99 // 13] and marked(app, "●") == [8 * 99 // 13]


def test_walkers_and_unread_input_are_changed_by_commands() -> None:
    console = Console(pw.session(source="12~+.@", language="mirrorfunge", input=b"abc"))
    walk = console.session
    assert console.execute("walker") == ["walker 0: 0,0 right"]
    assert console.execute("walker 0 = 3,0 left") == ["now on the branch 'walker 0 at 3,0 at 0'"]
    assert walk.state.walkers[0].stance[:4] == (3, 0, -1, 0)
    for line, said in (
        ("walker 0 = 9,9 left", "9,9 is not on the plane"),
        ("walker 0 = 1,0 askew", "headings are right, down, left, up, not 'askew'"),
        ("walker 3 = 1,0 up", "there is no walker 3 here"),
        ("walker 0 =", "has a heading, as in 5,2 left, not 'nothing'"),
    ):
        (answer,) = console.execute(line)
        assert answer.endswith(said)
    console.execute("walker 0 = gone")
    assert console.execute("walker") == ["no walkers"]
    console.execute("switch main")
    assert console.execute("unread") == ["'abc'"]
    console.execute(r"unread =  x\n")
    assert console.execute("unread") == [r"' x\n'"] and walk.branch.parent == "main"


@on_screen()
async def test_a_long_answer_is_scrolled(app, pilot) -> None:
    await type_in(app, pilot, ":help")
    await pilot.pause()
    assert "help [COMMAND]" in screen(app) and "quit: leave" not in screen(app)
    for _ in range(3):
        await pilot.press("pagedown")
    await pilot.pause()
    assert "help [COMMAND]" not in screen(app) and "quit: leave" in screen(app)
    await type_in(app, pilot, ":help why")
    await pilot.pause()
    assert "why output N" in screen(app)


@on_screen()
async def test_a_cell_is_pointed_at_and_chosen_with_the_mouse(app, pilot) -> None:
    left, top, _, _ = app.board.window()
    await pilot.click(app.board, offset=(3 - left, -top))
    await pilot.pause()
    assert app.board.cursor == (3, 0) and "cell 3,0" in screen(app)
    await pilot.click(app.board, offset=(5 - left, -top), times=2)
    await pilot.pause()
    assert app.console_of.breakpoints.places() == {(5, 0)}


MEASURES = ("COLUMNS", "LINES")
"""They would say how large the terminal is, instead of the terminal."""


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_in_a_real_terminal(tmp_path: Path) -> None:
    def tmux(*words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(tmp_path / "socket"), *words],
            capture_output=True,
            text=True,
            env={name: value for name, value in os.environ.items() if name not in MEASURES},
        )
        return done.stdout

    def until(said: str, there: bool = True) -> None:
        latest = monotonic() + PATIENCE
        while (said in (shown := tmux("capture-pane", "-p", "-t", "walk"))) != there:
            assert monotonic() < latest, shown
            sleep(0.05)

    (tmp_path / "hi.mf").write_text('"iH",,@')
    command = f"{sys.executable} -m planewalk debug {tmp_path / 'hi.mf'}; echo ended; read x"
    tmux("new-session", "-d", "-s", "walk", "-x", "100", "-y", "30", command)
    try:
        until("tick 0")
        tmux("send-keys", "-t", "walk", "Right", "Right")
        until("tick 2 of 2")
        tmux("send-keys", "-t", "walk", "F5")
        until("tick 7 of 7  halted")
        tmux("send-keys", "-t", "walk", "C-c")  # no way out
        until("q leaves the debugger")
        tmux("send-keys", "-t", "walk", "Left")
        until("tick 6 of 7")
        tmux("send-keys", "-t", "walk", "C-g")
        until("goto")
        tmux("send-keys", "-t", "walk", "5", "Enter")
        until("output (1 byte)")
        tmux("send-keys", "-t", "walk", "q")
        until("ended")
        until("Traceback", there=False)
    finally:
        tmux("kill-server")


BOMB = b"\\|||||||\n" + b"YYYYYYYY\n" * 4 + b"||||||||\n"


@on_screen(lambda: crowd(12, BOMB, engine="reference"))
async def test_a_tick_that_takes_too_long_is_given_up(app, pilot, monkeypatch) -> None:
    monkeypatch.setattr("planewalk.engines.stepping.reference._SOME", 4)
    app.patience.seconds = -1
    app.running = True
    app._pump()
    assert not app.running and app.session.tick == 12
    await pilot.pause()
    assert "one tick takes longer than" in screen(app)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[DebuggerApp]:
    """The debuggers that the command would have shown at a terminal."""
    apps: list[DebuggerApp] = []
    terminal = SimpleNamespace(isatty=lambda: True)
    streams = SimpleNamespace(stdin=terminal, stdout=terminal)
    monkeypatch.setattr("planewalk.apps.cli.debug.sys", streams)
    monkeypatch.setattr(DebuggerApp, "run", lambda app: apps.append(app))
    monkeypatch.setattr(opening, "SOON", PATIENCE)
    return apps


def test_max_time_is_how_long_a_command_may_take(tmp_path: Path, shown) -> None:
    (tmp_path / "a.mf").write_bytes(b"1@")
    words = ["debug", str(tmp_path / "a.mf")]
    assert main([*words, "--max-time", "2.5"]) == main(words) == 0
    assert [app.patience.seconds for app in shown] == [2.5, 10]


@on_screen(lambda: pw.session(source="vvvvvvvvvv\n\n~", language="refunge", input=b""))
async def test_cells_that_look_the_same_are_drawn_together(app, pilot) -> None:
    """So that a screen is quick, however much is on it."""
    app.board.following = False
    app.board.cursor = (0, 2)
    app.show()
    strips = [app.board.render_line(y) for y in range(app.board.size.height)]
    assert max(len(list(strip)) for strip in strips) <= 12
    assert [strip.text.rstrip() for strip in strips if "v" in strip.text] == [" vvvvvvvvvv"]


def test_of_a_crowd_only_the_number_is_told() -> None:
    from planewalk.core.state import Walker
    from planewalk.view.console.walking import MOST_TOLD

    walk = pw.session(source="\n".join([" " * 30] * 30), language="refunge", input=b"")
    stance = walk.state.walkers[0].stance
    many = walk.state.copy()
    many.walkers = [
        Walker(stance._replace(x=n % 30, y=n // 30), (0, 0)) for n in range(MOST_TOLD + 1)
    ]
    walk._fork("a crowd", many)
    assert Console(walk).execute("step")[0] == "201 walkers have acted"


@on_screen()
async def test_keys_that_come_all_at_once_are_typed_in_order(app, pilot) -> None:
    """Somebody types while the program keeps the debugger busy."""
    for typed, read in ((":quiet", "quiet"), ("ix:e", "input x:e"), ("eqi1", "input 1")):
        await type_in(app, pilot, typed, "end")
        assert app.line.value == read
        await pilot.press("escape")


@pytest.mark.parametrize("key", ["q", "escape", "ctrl+c", None])
def test_a_session_that_takes_long_to_open_has_a_screen_and_keys_that_leave(
    key: str | None,
) -> None:
    """Somebody may wait for it, or not; the screen is there at once."""
    may_end = threading.Event()

    def make() -> pw.Session:
        may_end.wait()
        return hello()

    task = ThreadTask(make)
    threading.Thread(target=task.work, daemon=True).start()
    progress = OpeningProgress()
    app = OpeningApp("far.walk", task, progress)

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            line = app.query_one("#opening")
            assert "opening far.walk\n\nat work, for 0 s" in str(line.render())
            progress.note(1234, 10**17)
            app.show()
            assert "tick 1,234 of 100,000,000,000,000,000, for 0 s" in str(line.render())
            if key is None:
                may_end.set()
                task.wait(PATIENCE)
                app.show()
            else:
                await pilot.press(key)

    asyncio.run(run())
    assert app.return_value is (key is None)
    may_end.set()


@on_screen(lambda: pw.session(source="1+", language="mirrorfunge", input=b""))
async def test_a_command_that_has_no_more_time_says_so(app, pilot) -> None:
    app.patience.seconds = -1
    app.perform("until at 9,9")
    await pilot.pause()
    assert "this is how far it came in -1 s (--max-time)" in screen(app)
    app.patience.seconds = PATIENCE
    app.perform("goto 6")
    await pilot.pause()
    assert "--max-time" not in screen(app)


def test_a_session_that_opens_soon_or_not_at_all_has_no_screen_of_its_own(monkeypatch) -> None:
    monkeypatch.setattr(opening, "SOON", PATIENCE)
    walk = hello()
    assert opening.opened("a.walk", lambda: walk) is walk
    with pytest.raises(pw.PlanewalkError, match=r"no\.walk"):
        opening.opened("a.walk", lambda: pw.session("no.walk"))


def test_opening_a_session_is_watched_and_bounded(tmp_path, monkeypatch, capsys, shown) -> None:
    walk = pw.session(source="0>1+v\n ^  <", language="mirrorfunge", engine="reference")
    walk.goto(9)
    walk.save(tmp_path / "far.walk")
    saved = json.loads((tmp_path / "far.walk").read_text())
    (tmp_path / "far.walk").write_text(json.dumps(saved | {"tick": 10**17}))
    noted: list[OpeningProgress] = []

    class Noted(OpeningProgress):
        def note(self, tick: int, goal: int) -> None:
            super().note(tick, goal)
            noted.append(self)

    monkeypatch.setattr(opening, "OpeningProgress", Noted)
    command = ["debug", str(tmp_path / "far.walk"), "--engine", "reference", "--max-time", "0.5"]
    assert main(command) == 3 and not shown
    said = capsys.readouterr().err
    assert "far.walk' cannot be opened: tick 100,000,000,000,000,000 is too far" in said
    assert "(--max-time); saved at an earlier tick, it opens sooner" in said
    assert re.fullmatch(r"tick [\d,]+ of 100,000,000,000,000,000", noted[-1].said)


def test_a_session_has_its_program_in_it(tmp_path: Path, shown) -> None:
    """What is loaded again is never the session file, which is no program."""
    hello().save(tmp_path / "a.walk")
    assert main(["debug", str(tmp_path / "a.walk")]) == 0
    assert (shown[0].path, shown[0].named) == (None, "a.walk")
