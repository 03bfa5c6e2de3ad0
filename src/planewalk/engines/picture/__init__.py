"""One program for every pixel: exact pictures."""

from .canvas import Box
from .painter import Heat, Painter, render_rows

__all__ = ["Box", "Heat", "Painter", "render_rows"]
