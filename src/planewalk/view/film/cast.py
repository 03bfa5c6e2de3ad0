"""A film for terminals: asciicast, version 2, a line of JSON for each frame."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..drawing.theme import Theme, web
from ..scene.scene import Scene, changed_rows
from ..scene.text_painter import TextPainter
from ..terminal.paint import RESET
from .reel import HOLD


def palette(theme: Theme) -> str:
    """The eight colours that a recording must name, though its lines use none of them."""
    return ":".join(map(web, (theme.paper, *theme.walkers[:6], theme.ink)))


class CastFilm:
    """Writes a line for each scene; of a frame only the lines that differ from the last one."""

    def __init__(
        self, scene: Scene, theme: Theme, fps: float, coordinates: bool | None = None
    ) -> None:
        self.painter, self.fps = TextPainter(scene, theme, coordinates), fps
        self.head = {
            "version": 2,
            "width": self.painter.width,
            "height": self.painter.height,
            "title": scene.title,
            "theme": {"fg": web(theme.ink), "bg": web(theme.paper), "palette": palette(theme)},
        }
        self.clear = "\x1b[0;48;2;{};{};{}m".format(*theme.paper)
        self.lines: list[str] = []
        self.frames = 0

    def add(self, scene: Scene) -> Iterator[str]:
        if not self.frames:
            yield json.dumps(self.head)
        lines = list(self.painter.lines(scene))
        text = "" if self.frames else f"\x1b[?25l{self.clear}\x1b[2J"
        for at, _, line in changed_rows(self.lines, lines):
            text += f"\x1b[{at + 1};1H{line}{self.clear}\x1b[K"
        self.lines = lines
        yield self._event(self.frames / self.fps, text)
        self.frames += 1

    def end(self) -> str:
        """The last line: the cursor comes back."""
        return self._event((self.frames - 1) / self.fps + HOLD, f"{RESET}\x1b[?25h")

    def _event(self, seconds: float, text: str) -> str:
        return json.dumps([round(seconds, 6), "o", text])
