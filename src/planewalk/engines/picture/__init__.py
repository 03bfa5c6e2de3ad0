"""One program for every pixel: exact pictures."""

from .canvas import Box
from .painter import Heat, Painter, render_rows
from .tally import Tally

__all__ = ["Box", "Heat", "Painter", "Tally", "render_rows"]
