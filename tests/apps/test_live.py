"""`planewalk live` without a window: its timeline, loading again, looking at a pixel."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import pytest
from PIL import Image

import planewalk as library
from planewalk.apps.live import window
from planewalk.apps.live.player import FilmClock, Paints, Player
from planewalk.apps.live.window import PlayerWindow, why_no_window, with_panel
from planewalk.core.errors import EngineRefused, SourceError
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.engines.picture import Painter
from tests.apps.complaints import assert_one_clear_line
from tests.apps.test_run import planewalk
from tests.graphics import lacking
from tests.patience import PATIENCE

Clocks = Callable[[], float]


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


class Desk:
    """A file that is edited, and how often its program was made ready."""

    def __init__(self, source: str) -> None:
        self.source: str | None = source
        self.saved = 0
        self.made = self.closed = 0

    def save(self, source: str | None) -> None:
        self.source = source
        self.saved += 1

    def load(self) -> Program:
        if self.source is None:
            raise SourceError("gone")
        return library.load(source=self.source, language="webfunge", size=(4, 3))

    def make_painter(self, program: Program) -> Paints:
        self.made += 1
        desk = self

        class Counted(Painter):
            def close(self) -> None:
                desk.closed += 1

        return Counted(program, Limits(steps=100))

    def player(self, clock: Clocks) -> Player:
        limits = Limits(steps=100)
        timeline = FilmClock(clock)
        return Player(
            self.load(), self.saved, self.load, lambda: self.saved, self.make_painter,
            limits, None, timeline,
        )  # fmt: skip


def test_time_goes_on_pauses_and_is_scrubbed() -> None:
    clock = Clock()
    timeline = FilmClock(clock, 2.0)
    clock.seconds += 3
    assert timeline.now == 5
    timeline.toggle()
    clock.seconds += 10
    assert timeline.now == 5 and not timeline.playing
    timeline.scrub(1.5)
    assert timeline.now == 6.5
    timeline.toggle()
    clock.seconds += 1
    assert timeline.now == 7.5
    timeline.scrub(-100)
    assert timeline.now == 0
    clock.seconds += 0.5
    assert timeline.now == 0.5


def test_frames_follow_the_time() -> None:
    clock = Clock()
    player = Desk("4y::@").player(clock)
    assert player.frame() == bytes([0] * 36)
    clock.seconds += 0.5
    assert player.frame() == bytes([127] * 36)


def test_a_saved_file_is_loaded_again_and_a_bad_one_is_not_shown() -> None:
    desk = Desk("4y::@")
    player = desk.player(Clock())
    assert not player.refresh()
    desk.save("111@")
    assert player.refresh() and player.error is None
    assert player.frame() == bytes([255] * 36) and (desk.made, desk.closed) == (2, 1)
    desk.save(None)
    assert player.refresh() and player.error == "gone"
    assert player.frame() == bytes([255] * 36) and not player.refresh()
    desk.save("000@")
    assert player.refresh() and player.error is None
    assert player.frame() == bytes(36)


def test_the_pixel_under_the_mouse_is_run_exactly() -> None:
    clock = Clock()
    player = Desk("0y,1y,q0y3/4y1@").player(clock)
    clock.seconds += 0.5
    probe = player.probe(3, 2)
    assert probe is not None and probe.rgb == (255, 127, 255)
    assert probe.lines() == ["pixel 3,2 is 255 127 255", "3", "2", "[3, 2, 4, 3, 0.5]"]
    assert probe.lines(most=1)[1:] == ["[3, 2, 4, 3, 0.5]"]
    assert player.probe(4, 0) is None and player.probe(0, -1) is None


def test_words_stand_at_the_foot_of_the_picture() -> None:
    picture = Image.new("RGB", (120, 60), (200, 200, 200))
    shown = with_panel(picture, "1.00 s", "broken", None).convert("RGB")
    assert shown.getpixel((60, 5)) == (200, 200, 200) and shown.getpixel((119, 58)) != (200,) * 3
    assert len(shown.getcolors() or []) > 3


def test_without_a_display_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    done = planewalk("live", "src/planewalk/examples/webfunge/plasma.wf")
    assert done.returncode == 2 and b"planewalk render" in done.stderr
    assert done.stderr.count(b"\n") == 1
    done = planewalk("live", "-", data=b"@")
    assert done.returncode == 2 and b"watched" in done.stderr


class Screen:
    """A canvas, its context and its loop in one; `draws` says what happens at each draw."""

    def __init__(self, draws: list[Callable[[], None]]) -> None:
        self.draws, self.closed, self.soon = draws, False, list[Callable[[], None]]()

    def get_bitmap_context(self) -> Screen:
        return self

    def add_event_handler(self, *given: object) -> None: ...

    def set_bitmap(self, picture: object) -> None: ...

    def request_draw(self, draw: Callable[[], None]) -> None:
        self.draw = draw

    def call_soon(self, work: Callable[[], None]) -> None:
        self.soon.append(work)

    def close(self) -> None:
        self.closed = True

    def run(self) -> None:
        while not self.closed:
            try:
                self.draws.pop(0)()
                self.draw()
            except Exception as error:  # as canvases do
                logging.getLogger("rendercanvas").error("Draw error", exc_info=error)
            for work in self.soon:
                work()


@pytest.fixture
def shown(monkeypatch, tmp_path) -> Callable[[list[Callable[[], None]]], tuple[PlayerWindow, Desk]]:
    pytest.importorskip("wgpu")
    pytest.importorskip("numpy")

    def show(draws: list[Callable[[], None]]) -> tuple[PlayerWindow, Desk]:
        desk, screen = Desk("111@"), Screen(draws)
        monkeypatch.setattr(window, "open_canvas", lambda title, size: (screen, screen))
        return PlayerWindow(desk.player(Clock()), "test", str(tmp_path / "shot")), desk

    return show


@pytest.fixture
def told() -> Iterator[list[logging.LogRecord]]:
    """What canvases log."""
    records: list[logging.LogRecord] = []
    handler, log = logging.Handler(), logging.getLogger("rendercanvas")
    handler.emit = records.append  # type: ignore[method-assign]
    log.addHandler(handler)
    yield records
    log.removeHandler(handler)


def quietly() -> None: ...


def test_a_lost_device_closes_the_window_with_one_line(shown, told) -> None:
    def lost(*given: object) -> bytes:
        raise EngineRefused("device gpu: it is gone")

    opened, _ = shown([quietly, lambda: setattr(opened.player._painter, "paint", lost)])
    with pytest.raises(EngineRefused, match="device gpu: it is gone"):
        opened.run()
    assert opened.canvas.closed and not told
    assert opened.save() == "device gpu: it is gone"


def test_a_lost_screen_closes_the_window_with_one_line(shown, told) -> None:
    import wgpu

    def lost() -> None:
        raise wgpu.GPUValidationError("Validation Error\n\nCaused by:\n    Parent device is lost")

    opened, _ = shown([quietly, lost])
    with pytest.raises(EngineRefused, match="cannot be drawn any more: Parent device is lost"):
        opened.run()
    assert opened.canvas.closed and not told


def test_other_errors_are_told_as_ever(shown, told) -> None:
    def mistake() -> None:
        raise ZeroDivisionError

    opened, _ = shown([mistake, lambda: opened.canvas.close()])
    opened.run()
    assert [record.getMessage() for record in told] == ["Draw error"]


def test_a_screenshot_is_written_whole_or_not_at_all(shown, tmp_path: Path, monkeypatch) -> None:
    opened, _ = shown([])
    name = str(tmp_path / "shot-001.png")
    with monkeypatch.context() as patch:
        patch.setattr(window, "write_png", lambda file, *given: no_room(file))
        assert opened.save() == f"{name!r} cannot be written: No space left on device"
    assert not os.listdir(tmp_path)
    assert opened.save() == f"saved {name}" and os.listdir(tmp_path) == ["shot-001.png"]


def no_room(file: IO[bytes]) -> None:
    file.write(b"some")
    raise OSError(errno.ENOSPC, "No space left on device")


def test_live_is_for_languages_that_draw(tmp_path: Path) -> None:
    (tmp_path / "p.mf").write_text("@")
    done = planewalk("live", "p.mf", cwd=tmp_path)
    assert_one_clear_line(done, "Mirrorfunge programs do not colour pixels")


SCRIPT = """
import sys, time
from planewalk.apps.live import window
from planewalk.apps.live.player import FilmClock
from tests.apps.test_live import Desk
desk = Desk("0y3/1y2/1@")
player = desk.player(time.monotonic)
shown = window.PlayerWindow(player, "test", sys.argv[1])
events = [
    {"event_type": "pointer_move", "x": 3.5, "y": 2.5},
    {"event_type": "key_down", "key": " "},
    {"event_type": "key_down", "key": "ArrowUp"},
    {"event_type": "pointer_down", "x": 0.0, "y": 0.0},
    {"event_type": "pointer_move", "x": 2.0, "y": 0.0},
    {"event_type": "pointer_up", "x": 2.0, "y": 0.0},
    {"event_type": "key_down", "key": "s"},
    {"event_type": "key_down", "key": "q"},
]
draw = shown.draw

def draw_and_go_on():
    draw()
    if events:
        shown.handle({**events.pop(0), "modifiers": ()})

shown.draw = draw_and_go_on
shown.run()
print(player.timeline.playing, player.timeline.now > 10, shown.note, len(events))
"""


@pytest.mark.exhaustive
def test_a_real_window_shows_it(tmp_path: Path) -> None:
    """On a screen without glass, with keys and a mouse."""
    server = shutil.which("Xvfb")
    missing = why_no_window() if os.environ.get("DISPLAY") else None
    if server is None or missing or find_spec("glfw") is None:
        lacking("Xvfb (Debian: xvfb) and planewalk[live]")
    reading, writing = os.pipe()
    screen = subprocess.Popen(
        [server, "-displayfd", str(writing), "-screen", "0", "640x480x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    try:
        os.close(writing)
        with os.fdopen(reading) as answer:
            display = f":{answer.readline().strip()}"
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path / "shot")],
            env={**os.environ, "DISPLAY": display}, capture_output=True, timeout=PATIENCE,
        )  # fmt: skip
    finally:
        screen.terminate()
        screen.wait(PATIENCE)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().split() == ["False", "True", "0"]
    with Image.open(tmp_path / "shot-001.png") as shot:
        assert shot.size == (4, 3) and shot.getpixel((3, 2)) == (255, 255, 255)
