"""The keyframes of a run, thinned so that they fit into a budget however long the run is."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from ..core.keyframe import Keyframe
from ..core.state import State

BUDGET = 256 << 20
"""Bytes for all keyframes of a session."""


class Keyframes:
    """Keyframes by tick, the first of which always stays.

    Those of the run itself are spaced evenly in time and thinned to every second one when the
    budget is used up. `near` ones are for going back in small steps: only the latest few are kept.
    """

    MOST_NEAR = 48

    def __init__(self, first: Keyframe, budget: int = BUDGET) -> None:
        self.first = first
        self.budget = budget
        self.kept = {first.tick: first}
        self.near: dict[int, Keyframe] = {}
        self._ticks = [first.tick]
        self.thinned = 0
        """How often every second one was dropped."""
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

    def _drop(self, keyframe: Keyframe) -> None:
        self.size -= keyframe.size
        for part, size in keyframe.parts():
            self._holders[id(part)] -= 1
            if not self._holders[id(part)]:
                del self._holders[id(part)]
                self.size -= size

    def before(self, tick: int) -> Keyframe:
        """The last one at or before that tick."""
        found = self._ticks[bisect_right(self._ticks, tick) - 1]
        return self.kept.get(found) or self.near[found]

    def keep(self, state: State, arrived: bytearray, near: bool = False) -> None:
        """Keep a state, unless there is one of that tick already."""
        if state.tick in self.kept or state.tick in self.near:
            return
        keyframe = Keyframe(state, arrived, self.before(state.tick))
        (self.near if near else self.kept)[state.tick] = keyframe
        self._add(keyframe)
        while len(self.near) > self.MOST_NEAR or (self.near and self.size > self.budget):
            self._drop(self.near.pop(next(iter(self.near))))
        while self.size > self.budget and len(self.kept) > 2:
            self._thin()
        self._ticks = sorted([*self.kept, *self.near])

    def _thin(self) -> None:
        """Drop every second one, but neither the first nor the last."""
        self.thinned += 1
        for tick in sorted(self.kept)[1:-1:2]:
            self._drop(self.kept.pop(tick))
