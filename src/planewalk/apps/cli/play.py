"""Films in the terminal: frame after frame in the same place, or a few moments in a pipe."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

from ...view.scene.text_painter import TextPainter
from ...view.terminal.images import MILLIONS
from ..films import Film
from .terminal import colours, plain

MOMENTS = 3
"""Frames that are printed where lines cannot be overwritten."""


def can_move(lines: int) -> bool:
    """Whether this number of printed lines can be overwritten."""
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return False
    return lines < os.get_terminal_size(sys.stdout.fileno()).lines


def play(film: Film, seconds: float, indent: str = "") -> None:
    """Play a film in about this many seconds."""
    frames = [[indent + plain(line) for line in lines] for lines in painted(film)]
    if can_move(len(frames[0])):
        move(frames, seconds)
        return
    last = len(frames) - 1
    for number in sorted({last * part // (MOMENTS - 1) for part in range(MOMENTS)}):
        print(*([""] if number else []), *frames[number], sep="\n")


def painted(film: Film) -> list[list[str]]:
    """The lines of every frame."""
    scenes = film.scenes()
    first = next(scenes)
    painter = TextPainter(first, film.theme if colours() == MILLIONS else None)
    return [list(painter.lines(scene)) for scene in (first, *scenes)]


def move(frames: Sequence[Sequence[str]], seconds: float) -> None:
    """Print each frame over the previous one; late frames are skipped, except for the last."""
    began = time.monotonic()
    sys.stdout.write("\x1b[?25l")
    try:
        _print(frames[0], 0)
        while (passed := (time.monotonic() - began) / seconds) < 1:
            number = int(passed * len(frames))
            _print(frames[number], len(frames[0]))
            due = began + (number + 1) * seconds / len(frames)
            time.sleep(max(due - time.monotonic(), 0))
        _print(frames[-1], len(frames[0]))
    finally:
        sys.stdout.write("\x1b[?25h")
        sys.stdout.flush()


def _print(lines: Sequence[str], above: int) -> None:
    back = f"\x1b[{above}A\r" if above else ""
    sys.stdout.write(back + "".join(f"{line}\x1b[K\n" for line in lines))
    sys.stdout.flush()
