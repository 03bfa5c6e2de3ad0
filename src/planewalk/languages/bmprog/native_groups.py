"""Followed flights in machine code (see `groups.py`): the buffers of `kernels/groups.py`."""

from __future__ import annotations

from array import array
from math import inf
from typing import ClassVar

from .forms import Board, Codes, EnteredForm
from .kernels import groups
from .kernels import words as k
from .native import KERNELS, NativeFlights, numbers, words

FOLLOWED, SIGNAL, STATION = 3.0, 0.2, 0.01
"""Measured: how many times as long it takes to follow signals, and the microseconds for each of
them, and for each station, before that begins."""
MOST_STATIONS = 1 << 18
"""A station takes some fifty bytes more."""


class FollowedNativeFlights(NativeFlights):
    """See `forms.FollowedForm`."""

    plain: ClassVar[type[EnteredForm]] = NativeFlights

    def __init__(self, board: Board, tick: int, codes: Codes) -> None:
        super().__init__(board, tick, codes)
        kinds = self._stations.kinds
        nodes = len(kinds) + 3 * kinds.count(k.VOID)
        self._counters.append(0)
        self._nodes = array("i", bytes(4 * len(kinds)))
        self._parents = array("i", bytes(4 * nodes))
        self._facts, self._sums = numbers(groups.FACTS * nodes), words(groups.SUMS * nodes)
        self._powers = words(self._slots + 3)
        self.all_round = False
        KERNELS.begin(
            self._wheel, self._pool, self._counters, kinds, self._nodes, self._parents,
            self._facts, self._sums, self._powers, len(kinds), self._slots,
        )  # fmt: skip

    @staticmethod
    def cost(board: Board, events: float) -> float:
        many = board.instructions > MOST_STATIONS
        return inf if many else FOLLOWED * NativeFlights.cost(board, events)

    @staticmethod
    def cost_of_change(board: Board, signals: int) -> float:
        return SIGNAL * signals + STATION * board.instructions

    def _fly(self, until: int, enough: int) -> int:
        stations = self._stations
        end = KERNELS.follow(
            self._wheel, self._pool, stations.marks, stations.met, stations.kinds,
            stations.paths, self._exits, self._counters, self._nodes, self._parents,
            self._facts, self._sums, self._powers, self.board.instructions, self._slots,
            len(self._pool) - 1, until, enough,
        )  # fmt: skip
        self.all_round = end == k.ROUND
        return k.GOING_ON if self.all_round else end

    def cycles(self) -> list[int]:
        found = numbers(self._counters[k.FLYING])
        KERNELS.ask(
            self._wheel, self._pool, self._counters, self._stations.kinds, self._nodes,
            self._parents, self._facts, found, self._slots,
        )  # fmt: skip
        return list(found)
