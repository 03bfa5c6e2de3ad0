"""Places, headings, stances, and the grounds that walkers walk on.

A ground is a function `(plane, stance) -> Stance`: where one step in the stance's heading leads.
Languages use one of these as their `move`, or write their own.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, Protocol

from .base.named import NamedTuple

Heading = tuple[int, int]

RIGHT: Heading = (1, 0)
DOWN: Heading = (0, 1)
LEFT: Heading = (-1, 0)
UP: Heading = (0, -1)

CARDINALS: dict[Heading, str] = {RIGHT: "right", DOWN: "down", LEFT: "left", UP: "up"}

COMPASS: dict[Heading, str] = {
    (0, -1): "north",
    (1, -1): "northeast",
    (1, 0): "east",
    (1, 1): "southeast",
    (0, 1): "south",
    (-1, 1): "southwest",
    (-1, 0): "west",
    (-1, -1): "northwest",
}
"""The eight neighbours, clockwise from the north."""


class Stance(NamedTuple):
    """Place, heading and mode: all that decides which instruction comes next.

    Coordinates are whole numbers in most languages; Webfunge walks on floats.
    """

    x: Any
    y: Any
    dx: Any
    dy: Any
    mode: Hashable = None


class Sized(Protocol):
    """A plane that has edges."""

    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...


def torus(plane: Sized, stance: Stance) -> Stance:
    """Both pairs of edges are joined."""
    x, y, dx, dy, mode = stance
    return Stance((x + dx) % plane.width, (y + dy) % plane.height, dx, dy, mode)


def cylinder(plane: Sized, stance: Stance) -> Stance:
    """Left and right edge are joined; rows go on above and below."""
    x, y, dx, dy, mode = stance
    return Stance((x + dx) % plane.width, y + dy, dx, dy, mode)


def unbounded(plane: object, stance: Stance) -> Stance:
    """There are no edges, and negative places are places too."""
    x, y, dx, dy, mode = stance
    return Stance(x + dx, y + dy, dx, dy, mode)


def inside(plane: Sized, x: float, y: float) -> bool:
    """Whether (x, y) lies in the box from (0, 0) up to width and height."""
    return 0 <= x < plane.width and 0 <= y < plane.height


def board(plane: Sized, stance: Stance) -> Stance | None:
    """Edges are ports: a walker that steps over one has left, and None is the answer.

    Columns left of the board still lead onto it, so that walkers can wait there to enter.
    """
    x, y, dx, dy, mode = stance
    x, y = x + dx, y + dy
    if (x >= 0 or dx > 0) and x < plane.width and 0 <= y < plane.height:
        return Stance(x, y, dx, dy, mode)
    return None


class EndlessWalk(Exception):
    """A Lahey walk took more moves than anyone waits for."""


def back_to_edge(plane: Sized, stance: Stance, patience: int) -> tuple[Any, Any]:
    """Walk backwards until outside, and give that first place outside.

    A backward walk along a constant delta leaves the box when its first coordinate does, so the
    number of moves is computed when places are whole; fractions are walked, since each addition
    rounds.
    """
    x, y, dx, dy, _ = stance
    if all(abs(v) < 1 << 40 and v == math.floor(v) for v in (x, y, dx, dy)):
        rounds = [
            (position // speed if speed > 0 else (size - 1 - position) // -speed) + 1
            for position, speed, size in ((x, dx, plane.width), (y, dy, plane.height))
            if speed
        ]
        moves = min(rounds)
        if moves > patience:
            raise EndlessWalk
        return x - moves * dx, y - moves * dy
    for _ in range(patience):
        x, y = x - dx, y - dy
        if not inside(plane, x, y):
            return x, y
    raise EndlessWalk


def lahey(plane: Sized, stance: Stance, patience: int = 1_000_000) -> Stance:
    """A box whose lines close on themselves, for any delta, whole or not.

    A step that would leave the box goes back along the line to its far end instead. A walker
    that is outside already just goes on, until it comes in. A zero delta stays.
    """
    x, y, dx, dy, mode = stance
    if (dx == 0 and dy == 0) or not inside(plane, x, y) or inside(plane, x + dx, y + dy):
        return Stance(x + dx, y + dy, dx, dy, mode)
    x, y = back_to_edge(plane, stance, patience)
    return Stance(x + dx, y + dy, dx, dy, mode)
