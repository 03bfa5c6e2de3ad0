"""Where cursors and their hands go. A standing is a cell and a way: cell * 4 + way."""

from __future__ import annotations

from ....engines.kernels.kernel import I64
from ..cells import AFTER, TWINS
from . import layout as k


def around(x: int, width: int) -> int:
    """What is added to a column, and to its cell, so that it comes round the edge."""
    return width if x < 0 else -width if x >= width else 0


def turned(standing: int, kind: int) -> int:
    """The standing of a cursor after that cell has turned it."""
    return (standing & ~3) + AFTER[4 * kind + (standing & 3)]


def twin_of(standing: int) -> int:
    """The standing of the other one of two at a fork."""
    return (standing & ~3) + TWINS[standing & 3]


def onward(words: I64, standing: int, moves: int) -> int:
    """The standing after some moves ahead; negative outside the field."""
    cell, way, width = standing >> 2, standing & 3, words[k.WIDTH]
    x = cell % width
    for _ in range(moves):
        x += words[k.SIDE + way]
        cell += words[k.STEP + way]
        wrap = around(x, width)
        x += wrap
        cell += wrap
    return 4 * cell + way if 0 <= cell < words[k.HEIGHT] * width else -1
