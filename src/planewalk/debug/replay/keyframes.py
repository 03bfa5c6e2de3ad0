"""The keyframes of a run, thinned so that they fit into a budget however long the run is."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from ...core.base.deadline import Pause, no_pause
from ...core.keyframe import Keyframe, least_weight
from ...core.state import State

BUDGET = 256 << 20
"""Bytes for all keyframes of a session."""
LARGEST_SHARE = 4
"""A keyframe that needs more than one part in so many is not kept."""


class Keyframes:
    """Keyframes by tick, the first of which always stays.

    When the budget is used up, those go whose neighbours are closest to each other, so that what is
    left is spread over the whole run. `near` ones are for going back in small steps: only the
    latest few are kept.
    """

    MOST_NEAR = 48

    def __init__(self, first: Keyframe, budget: int = BUDGET) -> None:
        self.first = first
        self.budget = budget
        self.kept = {first.tick: first}
        self.near: dict[int, Keyframe] = {}
        self._ticks = [first.tick]
        self.size = 0
        """About how many bytes they take."""
        self._holders: Counter[int] = Counter()
        self._add(first)

    def _add(self, keyframe: Keyframe) -> None:
        self.size += keyframe.size
        for part, size in keyframe.parts():
            self._holders[id(part)] += 1
            if self._holders[id(part)] == 1:
                self.size += size

    def _weight(self, keyframe: Keyframe) -> int:
        """About how many bytes it would take beside the others."""
        return keyframe.size + sum(
            size for part, size in keyframe.parts() if id(part) not in self._holders
        )

    def _drop(self, keyframe: Keyframe) -> None:
        self.size -= keyframe.size
        for part, size in keyframe.parts():
            self._holders[id(part)] -= 1
            if not self._holders[id(part)]:
                del self._holders[id(part)]
                self.size -= size

    def ticks(self) -> list[int]:
        return self._ticks

    def before(self, tick: int) -> Keyframe:
        """The last one at or before that tick."""
        found = self._ticks[bisect_right(self._ticks, tick) - 1]
        return self.kept.get(found) or self.near[found]

    def keep(
        self, state: State, arrived: bytearray, near: bool = False, pause: Pause = no_pause
    ) -> bool:
        """Keep a state, unless there is one of that tick already. False if it is too large."""
        most = self.budget // LARGEST_SHARE
        if state.tick in self.kept or state.tick in self.near:
            return True
        if least_weight(state) - self.size > most:
            return False  # whatever it may share with the others
        keyframe = Keyframe(state, arrived, self.before(state.tick), pause)
        if self._weight(keyframe) > most:
            return False  # it would drive all others out
        (self.near if near else self.kept)[state.tick] = keyframe
        self._add(keyframe)
        while len(self.near) > self.MOST_NEAR or (self.near and self.size > self.budget):
            self._drop(self.near.pop(next(iter(self.near))))
        while self.size > self.budget and len(self.kept) > 2:
            self._thin()
        self._ticks = sorted([*self.kept, *self.near])
        return True

    def _thin(self) -> None:
        """Drop an eighth of them, but neither the first nor the last, nor two in a row."""
        ticks = sorted(self.kept)
        inner = range(1, len(ticks) - 1)
        crowded = sorted(inner, key=lambda at: ticks[at + 1] - ticks[at - 1])
        gone: set[int] = set()
        for at in crowded[: len(ticks) // 8 + 1]:
            if gone.isdisjoint((at - 1, at + 1)):
                gone.add(at)
                self._drop(self.kept.pop(ticks[at]))
