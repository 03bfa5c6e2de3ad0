"""Pictures and films in the terminal, as well as the terminal can show them. Frames of a film are
printed in the same place; in a pipe, a few of them below each other."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...core.images.png import png_of
from ...view.scene.text_painter import TextPainter
from ...view.terminal.images import MILLIONS, iterm, kitty, paint_blocks, sixel
from .terminal import colours, image_protocol, plain

if TYPE_CHECKING:
    from ..films import Film, Moment

MOMENTS = 3
"""Frames that are printed where lines cannot be overwritten."""


def show_picture(size: tuple[int, int], pixels: bytes) -> None:
    protocol = image_protocol()
    if protocol is None:
        for line in paint_blocks(fitted(size, pixels), colours()):
            print(line)
    else:
        show_image(protocol, size, pixels)


def show_moment(picture: Moment) -> None:
    """Print a moment of a run as an image where the terminal can show one, else as text."""
    protocol = image_protocol()
    if protocol is None:
        sys.stdout.write(picture.text(colour=colours() > 0))
    else:
        image = picture.image()
        show_image(protocol, image.size, image.tobytes())


def show_image(protocol: str, size: tuple[int, int], pixels: bytes) -> None:
    """Print a picture with one of the image protocols of terminals."""
    if protocol == "sixel":
        from PIL import Image

        text = sixel(Image.frombytes("RGB", size, pixels))
    else:
        text = (kitty if protocol == "kitty" else iterm)(png_of(size, pixels))
    sys.stdout.write(text + "\n")


def fitted(size: tuple[int, int], pixels: bytes) -> list[bytes]:
    """The rows of a picture, scaled down if the terminal is too narrow."""
    width, height = size
    columns = shutil.get_terminal_size((100, 24)).columns
    if width > columns:
        from PIL import Image

        height = max(1, height * columns // width)
        small = Image.frombytes("RGB", size, pixels).resize((columns, height), Image.Resampling.BOX)
        width, pixels = columns, small.tobytes()
    return [pixels[at : at + 3 * width] for at in range(0, len(pixels), 3 * width)]


# Films ---------------------------------------------------------------------------------------


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
