"""The window: frames on the screen, keys and the mouse."""

from __future__ import annotations

import logging
import os
import sys
from importlib.util import find_spec
from typing import Any

from PIL import Image, ImageDraw

from ...core.errors import EngineRefused, PlanewalkError
from ...engines.gpu.painter import quiet_wgpu, reason
from ..draft import write_with
from ..writers.png import write_png
from .player import Player, ProbedPixel

NO_WINDOW = "no window can be opened here ({}); planewalk render draws pictures without one"
NO_EXTRA = "a window needs wgpu and glfw; pip install 'planewalk[live]' brings them"

LEAP = {"ArrowLeft": -1.0, "ArrowRight": 1.0, "ArrowDown": -10.0, "ArrowUp": 10.0}
SECONDS_ACROSS = 10.0
"""Seconds that a drag across the whole window scrubs."""

TEXT, ALARM, PANEL = (255, 255, 255), (255, 190, 120), (0, 0, 0, 170)
LINE = 13


class PlayerWindow:
    """Shows a player until it is closed."""

    def __init__(self, player: Player, title: str, screenshots: str) -> None:
        self.player, self.title, self.screenshots = player, title, screenshots
        self.mouse: tuple[float, float] | None = None
        self.dragged: float | None = None
        self.note = ""
        self.failure: str | None = None
        """Why the window had to be closed."""
        self.canvas, self.loop = open_canvas(title, player.size)
        try:
            self.wgpu = quiet_wgpu()
            self.context = self.canvas.get_bitmap_context()
        except Exception as error:
            raise EngineRefused(NO_WINDOW.format(f"no adapter draws on it: {error}")) from None
        self.canvas.add_event_handler(
            self.handle, "key_down", "pointer_move", "pointer_down", "pointer_up", "pointer_leave"
        )

    def run(self) -> None:
        """Show frames until the window is closed or drawing fails."""
        self.canvas.request_draw(self.draw)
        log = logging.getLogger("rendercanvas")
        log.addFilter(self.is_harmless)
        try:
            self.loop.run()
        finally:
            log.removeFilter(self.is_harmless)
        if self.failure is not None:
            raise EngineRefused(self.failure)

    def is_harmless(self, record: logging.LogRecord) -> bool:
        """Whether a log record of the canvas is no error of the GPU: that is how it reports
        exceptions raised while drawing. A lost screen closes the window with one line."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, self.wgpu.GPUError):
            return True
        self.fail(f"the window cannot be drawn any more: {reason(error)}")
        return False

    def fail(self, why: str) -> None:
        """Close the window once it is drawn, and remember why."""
        if self.failure is None:
            self.failure = why
            self.loop.call_soon(self.canvas.close)

    def draw(self) -> None:
        import numpy

        player = self.player
        try:
            if player.refresh():
                self.note = ""
            picture = Image.frombytes("RGB", player.size, player.frame())
            shown = with_panel(picture, self.status(), player.error, self.probe())
            self.context.set_bitmap(numpy.asarray(shown.convert("RGBA")))
        except EngineRefused as error:
            self.fail(str(error))

    def status(self) -> str:
        timeline = self.player.timeline
        words = [f"{timeline.now:.2f} s", "" if timeline.playing else "paused", self.note]
        return "  ".join(word for word in words if word)

    def probe(self) -> ProbedPixel | None:
        """The pixel of the picture that the mouse is at."""
        if self.mouse is None:
            return None
        (x, y), (across, down) = self.mouse, self.player.size
        width, height = self.canvas.get_logical_size()
        return self.player.probe(int(x * across // max(width, 1)), int(y * down // max(height, 1)))

    def handle(self, event: dict[str, Any]) -> None:
        kind = event["event_type"]
        if kind == "key_down":
            self.press(event["key"])
        elif kind == "pointer_leave":
            self.mouse = self.dragged = None
        else:
            self.mouse = (event["x"], event["y"])
            if kind == "pointer_down":
                self.dragged = event["x"]
            elif kind == "pointer_up":
                self.dragged = None
            elif self.dragged is not None:
                width, _ = self.canvas.get_logical_size()
                moved = event["x"] - self.dragged
                self.player.timeline.scrub(moved / max(width, 1) * SECONDS_ACROSS)
                self.dragged = event["x"]

    def press(self, key: str) -> None:
        self.note = ""
        if key == " ":
            self.player.timeline.toggle()
        elif key in LEAP:
            self.player.timeline.scrub(LEAP[key])
        elif key == "s":
            self.note = self.save()
        elif key in ("q", "Escape"):
            self.canvas.close()

    def save(self) -> str:
        """Save the picture of this moment to a new file; returns its name, or why that failed."""
        number = 1
        while os.path.exists(name := f"{self.screenshots}-{number:03}.png"):
            number += 1
        try:
            pixels = self.player.frame()
            write_with(name, lambda file: write_png(file, self.player.size, pixels))
        except PlanewalkError as error:
            return str(error)
        return f"saved {name}"


def with_panel(
    picture: Image.Image, status: str, error: str | None, probe: ProbedPixel | None
) -> Image.Image:
    """A picture with words on a dark panel at its foot."""
    lines = [(line, TEXT) for line in (probe.lines() if probe else [])]
    lines += [(error, ALARM)] if error else []
    lines.append((status, TEXT))
    height = LINE * len(lines) + 4
    panel = Image.new("RGBA", (picture.width, height), PANEL)
    pen = ImageDraw.Draw(panel)
    for number, (line, colour) in enumerate(lines):
        pen.text((4, 2 + LINE * number), line, fill=colour)
    shown = picture.convert("RGBA")
    shown.alpha_composite(panel, (0, max(picture.height - height, 0)))
    return shown


def open_canvas(title: str, size: tuple[int, int]) -> tuple[Any, Any]:
    """A window on the screen, and the loop that keeps it alive."""
    try:
        from rendercanvas.glfw import RenderCanvas, loop

        canvas = RenderCanvas(title=title, size=size, update_mode="continuous", max_fps=60)
    except Exception as error:
        raise EngineRefused(NO_WINDOW.format(error)) from None
    return canvas, loop


def why_no_window() -> str | None:
    """What is missing for a window, as far as can be told without opening one."""
    if sys.platform.startswith("linux"):
        if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
            return NO_WINDOW.format("there is no display")
    if any(find_spec(name) is None for name in ("glfw", "wgpu", "rendercanvas")):
        return NO_EXTRA
    return None
