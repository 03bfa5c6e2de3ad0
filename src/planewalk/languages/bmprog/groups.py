"""Flights that are followed: which signals ever meet, and when those are where they were before.

A group is a set of cells with an instruction between which signals have been seen to go. No signal
can have anything to do with those of another group as long as no group meets another. So when each
group has been seen to come round, in whatever time it takes, all of them will go on like that for
ever: each has done all that it will ever do, and none came across another. Together they may
never be where they were, or not for ages.

Where the signals of a group are is known by a sum. Each counts as a random number, for the cell
that it will reach, times a power of a base, for the cycle in which it does. So signals that are
where they were give the same sum but for a power of the base, and only what happens changes a sum.
Equal sums prove nothing: a round that was found must be tried (see `rounds.py`).
"""

from __future__ import annotations

from array import array
from math import inf

from .flights import Flights
from .forms import Board, Codes, numbers, words
from .kernels import groups
from .kernels import layout as k

FOLLOWED, SIGNAL, STATION = 3.0, 0.2, 0.01
"""Measured: how many times as long it takes to follow signals, and the microseconds for each of
them, and for each station, before that begins."""
MOST_STATIONS = 1 << 18
"""A station takes some fifty bytes more."""


class FollowedFlights(Flights):
    """Flights that are followed from when they were made."""

    follows = True

    def __init__(self, board: Board, tick: int, codes: Codes) -> None:
        super().__init__(board, tick, codes)
        count = len(self._stations.kinds)
        self._groups = (
            array("i", bytes(4 * count)),
            array("q", [groups.NOT_YET]) * (groups.FACTS * count),
            words(groups.SUMS * count),
            words(self._slots + 3),
        )
        parents, _, sums, powers = self._groups
        board.kernels.begin(
            self._wheel, self._pool, self._counters, self._stations.paths, parents, sums, powers,
            count, self._slots,
        )  # fmt: skip

    @staticmethod
    def cost(board: Board, events: float) -> float:
        many = board.instructions > MOST_STATIONS
        return inf if many else FOLLOWED * Flights.cost(board, events)

    @staticmethod
    def cost_of_change(board: Board, signals: int) -> float:
        return (SIGNAL * signals + STATION * board.instructions) * board.kernels.slowness

    def cycles(self) -> list[int]:
        """How long it took the group of each signal to come round, in the order of `codes`;
        `NOT_YET` of those that have not."""
        found = numbers(self._counters[k.FLYING])
        parents, facts, _, _ = self._groups
        self.board.kernels.ask(
            self._wheel, self._pool, self._counters, self._stations.paths, parents, facts, found,
            self._slots,
        )  # fmt: skip
        return list(found)
