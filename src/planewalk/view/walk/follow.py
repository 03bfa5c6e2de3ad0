"""Following walkers from tick to tick: their identity, their trails, and visits of cells."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.language import Language
from ...core.limits import Limits
from ...core.plane import Box
from ...core.state import State, Walker
from ...core.step import Stop
from ...engines.stepping.observe import Observer

if TYPE_CHECKING:
    from ...core.barriers import Barriers

LONGEST_TRAIL = 1 << 31
"""Steps that are remembered at most."""
AT_ONCE = 1 << 10
"""Walkers times ticks between checks of the clock and of the number of walkers."""

Place = tuple[int, int]


class Followed(NamedTuple):
    """A walker with the number that it keeps as long as it is followed."""

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


def lies_in(place: Place, box: Box | None) -> bool:
    """Whether a place lies in a box, edges included; nothing lies in None."""
    return box is not None and box[0] <= place[0] <= box[2] and box[1] <= place[1] <= box[3]


def row_runs(places: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any, int]]:
    """Places row by row, neighbours together: y, the first x, and how many."""
    rows = sorted((y, x) for x, y in places)
    begin = 0
    for at, (y, x) in enumerate(rows, 1):
        if at == len(rows) or rows[at] != (y, x + 1):
            yield y, rows[begin][1], at - begin
            begin = at


class Follower:
    """An engine that observes a run and records the places of walkers. See `core.engine.Engine`.

    It may resume the run at a later state. Identity is lost then: the numbers in use go to the
    walkers of that state, in the order of their places.
    """

    name = "observed"

    def __init__(self, language: Language, limits: Limits, trail: int, asks: bool = False) -> None:
        """One that `asks` may raise `OutOfTime` in the midst of telling a tick; see `Observer`."""
        self.language, self.limits, self._asks = language, limits, asks
        self.walkers: list[Followed] = []
        self.born = 0
        """The number of the next walker that comes to be."""
        self.visits: Counter[Place] | None = None
        self.past: deque[list[tuple[int, Place]]] = deque(maxlen=min(trail, LONGEST_TRAIL))

    def follow(self, state: State) -> Follower:
        self.state = state
        self.observer = self._observer(self._numbers(state))
        self.past.clear()
        self._look()
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "observer": self.observer.numbers}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self.observer = self._observer(kept["observer"])

    def _observer(self, numbers: list[int]) -> Observer:
        return Observer(self.language, self.state, self.limits, numbers, self._asks)

    def _numbers(self, state: State) -> list[int]:
        """Numbers for the walkers of a state, in its order, which engines may choose."""
        standing = [*state.acted, *state.walkers]
        old = [followed.number for followed in self.walkers]
        fresh = range(self.born, self.born + len(standing))
        places = zip(_by_place(standing), [*old, *fresh], strict=False)
        return [number for _, number in sorted(places)]

    def memory(self) -> int:
        return self.observer.memory()

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks, observing each; barriers are ignored."""
        if ticks <= 0:
            return self.observer.advance(0)
        seen = 0
        for _ in range(ticks):
            before = self._places() if self.past.maxlen else []
            if self.observer.step() is None:
                break
            self.past.append(before)
            self._look()
            seen += len(self.walkers) + 1
            if self.observer.pause is not None or seen > AT_ONCE:
                break
        return self.observer.pause

    def _look(self) -> None:
        """Update the walkers, and their visits."""
        observer, state = self.observer, self.state
        self.born = observer.born = max(self.born, observer.born)
        standing = [*state.acted, *state.walkers]
        walkers = list(map(Followed, observer.numbers, standing))
        observer.ask()
        self.walkers = sorted(walkers, key=itemgetter(0))
        observer.ask()
        if self.visits is not None:
            self._count()

    def count_visits(self) -> None:
        """Count from now on how often each cell is visited."""
        self.visits = Counter()
        self._count()

    def _count(self) -> None:
        assert self.visits is not None
        self.visits.update(place for _, place in self._places())

    def trail(self) -> list[Footprint]:
        """Where walkers were in the last ticks, the oldest first."""
        return [
            Footprint(x, y, number, len(self.past) - at)
            for at, places in enumerate(self.past)
            for number, (x, y) in places
        ]

    @property
    def numbers(self) -> list[int]:
        """The numbers of the state's walkers, in its own order."""
        return self.observer.numbers[len(self.state.acted) :]

    def _places(self) -> list[tuple[int, Place]]:
        places = ((f.number, cell_of(f.walker.stance.x, f.walker.stance.y)) for f in self.walkers)
        return [(number, place) for number, place in places if place is not None]


def _by_place(walkers: list[Walker]) -> list[int]:
    """The indices of walkers by place, then heading."""

    def order(at: int) -> tuple[Any, ...]:
        (x, y, dx, dy, mode), hand = walkers[at]
        return y, x, dy, dx, hand or (), str(mode)

    return sorted(range(len(walkers)), key=order)
