"""One program for every pixel: exact pictures."""

from .canvas import Box
from .painter import Heat, Painter, render_rows
from .single import PixelTally

__all__ = ["Box", "Heat", "Painter", "PixelTally", "render_rows"]
