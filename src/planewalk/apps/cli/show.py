"""A picture in the terminal, as well as the terminal can show it."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from ...core.png import png_of
from ...view.terminal.images import iterm, kitty, paint_blocks, sixel
from .terminal import colours, image_protocol

if TYPE_CHECKING:
    from ..films import Moment


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
