"""Following walkers from tick to tick: which is which, where they were, and how often."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core.geometry import Stance
from ..core.language import Language
from ..core.state import State, Walker

LONGEST_TRAIL = 1 << 31
"""Steps that are remembered at most."""

Place = tuple[int, int]


class Followed(NamedTuple):
    """A walker with the number that it keeps as long as it can be followed."""

    number: int
    walker: Walker


class Footprint(NamedTuple):
    """Where a walker was, so many ticks ago."""

    x: int
    y: int
    number: int
    age: int


def cell_of(x: Any, y: Any) -> Place | None:
    """The cell that a place lies in; None where no cell can be: floats may be anything."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return None
    return math.floor(x), math.floor(y)


class Follower:
    """Tells walkers apart, which a state does not: it only knows how many stand where.

    After a single tick a walker is known by where it came from. Behind a gap, those left over are
    taken for each other in the order of their places.
    """

    def __init__(self, language: Language, state: State, trail: int) -> None:
        self.language = language
        self.walkers = [
            Followed(number, walker) for number, walker in enumerate(_in_order(state.walkers))
        ]
        self.tick = state.tick
        self.born = len(self.walkers)
        self.visits: Counter[Place] | None = None
        self.past: deque[list[tuple[int, Place]]] = deque(maxlen=min(trail, LONGEST_TRAIL))

    def count_visits(self) -> None:
        """Count from now on how often each cell is visited."""
        self.visits = Counter(place for _, place in self._places())

    def look(self, state: State) -> None:
        """See where everybody has gone."""
        gap = state.tick - self.tick
        if not gap:
            return
        self.past.append(self._places())
        if gap > 1:
            self.past.clear()
        self.tick = state.tick
        self.walkers = self._match(state, gap)
        if self.visits is not None:
            self.visits.update(place for _, place in self._places())

    def trail(self) -> list[Footprint]:
        """Where walkers were in the last ticks, the oldest first."""
        return [
            Footprint(x, y, number, len(self.past) - at)
            for at, places in enumerate(self.past)
            for number, (x, y) in places
        ]

    def _places(self) -> list[tuple[int, Place]]:
        places = ((f.number, cell_of(f.walker.stance.x, f.walker.stance.y)) for f in self.walkers)
        return [(number, place) for number, place in places if place is not None]

    def _match(self, state: State, gap: int) -> list[Followed]:
        old: dict[tuple[Any, Any], list[Followed]] = {}
        for followed in self.walkers:
            stance = followed.walker.stance
            old.setdefault((stance.x, stance.y), []).append(followed)
        fresh = _in_order(state.walkers)
        found: dict[int, int] = {}
        if gap == 1:
            # Who goes straight on comes first: of two that part, it is the one that stays itself.
            for straight in (True, False):
                for at, walker in enumerate(fresh):
                    if at not in found:
                        known = self._came_from(state, walker.stance, old, straight)
                        if known is not None:
                            found[at] = known.number
        left = sorted(followed.number for group in old.values() for followed in group)
        if gap > 1 or len(fresh) == len(self.walkers) == 1:
            lost = [at for at in range(len(fresh)) if at not in found]
            found.update(zip(lost, left, strict=False))
        for at in range(len(fresh)):
            if at not in found:
                found[at] = self.born
                self.born += 1
        return sorted(Followed(found[at], walker) for at, walker in enumerate(fresh))

    def _came_from(
        self,
        state: State,
        stance: Stance,
        old: dict[tuple[Any, Any], list[Followed]],
        straight: bool,
    ) -> Followed | None:
        for place in self._origins(state, stance):
            for followed in old.get(place, ()):
                before = followed.walker.stance
                if not straight or (before.dx, before.dy) == (stance.dx, stance.dy):
                    old[place].remove(followed)
                    return followed
        return None

    def _origins(self, state: State, stance: Stance) -> Iterator[tuple[Any, Any]]:
        """Places that one tick may have led here from: a move, a jump over a cell, or standing."""
        yield stance.x - stance.dx, stance.y - stance.dy
        back: Stance | None = stance._replace(dx=-stance.dx, dy=-stance.dy)
        for _ in range(2):
            back = None if back is None else self.language.move(state.plane, back)
            if back is not None:
                yield back.x, back.y
        yield stance.x, stance.y


def _in_order(walkers: Any) -> list[Walker]:
    """By place, then heading: the order in a state is the engine's own business."""

    def order(walker: Walker) -> tuple[Any, ...]:
        x, y, dx, dy, mode = walker.stance
        return y, x, dy, dx, walker.hand or (), str(mode)

    return sorted(walkers, key=order)
