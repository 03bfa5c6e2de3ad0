"""Code space: what stands where, and the moves that wrap round it."""

from __future__ import annotations

from ...core.geometry import Stance, back_to_edge, inside, lahey
from ...core.plane import TextPlane
from ...core.vocabulary import Vocabulary

PATIENCE = 1_000_000
"""More moves than this in one instruction end the pixel as if at its limit."""


def move(plane: TextPlane, stance: Stance) -> Stance:
    return lahey(plane, stance, PATIENCE)


def walk(m: Vocabulary, moves: int) -> None:
    """That many ordinary moves. Whole rounds of a line lead nowhere, so they are left out: a mark
    is set after 1, 2, 4, 8 ... moves, and coming by it again tells how long a round is."""
    done, mark, marked = 0, m.stance, 0
    while done < moves:
        m.move()
        done += 1
        if m.stance == mark:
            moves = done + (moves - done) % (done - marked)
        elif done & (done - 1) == 0:
            mark, marked = m.stance, done
    m.effort(done)


def step_back_to_edge(m: Vocabulary) -> None:
    """Stand where the ordinary move leads to the first cell of this line."""
    x, y, dx, dy, _ = m.stance
    if inside(m.plane, x, y) and (dx or dy):
        m.go(*back_to_edge(m.plane, m.stance, PATIENCE))


def step_aside(m: Vocabulary) -> None:
    """An ordinary move to the right of the heading; the heading stays."""
    x, y, dx, dy, mode = m.stance
    beside = move(m.plane, Stance(x, y, 0.0 - dy, dx, mode))
    m.go(beside.x, beside.y)
