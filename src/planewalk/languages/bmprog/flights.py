"""Signals by what they meet next, and when: the buffers of `kernels/flights.py`.

For each signal only the cell is known where something happens next, and the cycle in which it does.
Cells without an instruction cost nothing, since signals pass through each other there.
"""

from __future__ import annotations

from array import array
from math import inf
from typing import Any

from ...core.step import Stop
from .forms import CELL_OF_CHANGE, STOPS, Board, Codes, bits_of, kinds_of, numbers, words
from .kernels import flights
from .kernels import layout as k

# Measured, in microseconds of machine code: they decide which form is cheaper, never what happens.
_EVENT = 0.01
_CYCLE = 0.001
_SIGNAL_OF_CHANGE = 0.1
_STEP_OF_CHANGE = 0.001

EVENTS_AT_ONCE = 200_000
_CYCLES_AT_ONCE = 1 << 21
_STEPS_AT_ONCE = 5_000_000
"""What machine code does in one call at most: nothing can interrupt it."""

NO_STREAMS = numbers(1), words(1), words(1)
"""What kernels are given of streams where there are none."""

_MOST_STATIONS = 1 << 20
"""Each takes some forty bytes."""
_MOST_CELLS = 1 << 18
"""On how large a board stations are found without machine code."""


class Stations:
    """Where something happens on a board, and how one gets from one such place to the next."""

    def __init__(self, board: Board) -> None:
        count = board.instructions + 2 * (board.width + board.height)
        self.kinds = bytearray(count)
        self.places = array("i", bytes(4 * count))
        self.paths = numbers(4 * count)
        self.marks = bytearray(count)
        self.met = array("i", bytes(4 * count))
        above = array("i", bytes(4 * board.width))
        board.kernels.survey(
            board.made(kinds_of), self.kinds, self.places, self.paths, above,
            board.width, board.height, board.instructions,
        )  # fmt: skip
        self.watched = bytearray(count)
        """In which directions signals are watched, and 16 times that for those that wait."""
        for code in board.watched:
            station = flights.find(self.places, code >> 3, board.instructions)
            self.watched[station] |= 1 << (code & 7)


class Flights:
    """Signals by what they meet next, and when. See `forms.Form`."""

    follows = False
    """Whether groups are noted, which is slower."""

    def __init__(self, board: Board, tick: int, codes: Codes) -> None:
        self.board = board
        self._stations = board.made(Stations)
        self._slots = 1 << max(board.width, board.height).bit_length()  # also for one cycle more
        self._wheel = array("i", bytes(4 * self._slots))
        self._pool = array("q", range(1, 4 * len(codes) + 64))  # each entry leads to the next
        self._counters = array("q", [tick, 0, 1, 0])
        self._before = (tick, 0)
        self._exits = bytearray(board.height)
        self._groups: tuple[Any, ...] = (array("i", [0]), numbers(1), words(1), words(1))
        """What only flights that are followed have."""
        if board.symbols is not None:
            board.symbols.stream[k.TOP] = board.instructions + 2 * board.height
        self.enter(codes)

    def enter(self, codes: Codes) -> None:
        codes, board = array("q", codes), self.board
        while 2 * (self._counters[k.FLYING] + len(codes)) >= len(self._pool):
            self._grow()
        some = max(board.kernels.at_once(_STEPS_AT_ONCE) // max(board.width, board.height), 1)
        for begin in range(0, len(codes), some):
            board.kernels.launch(
                codes, board.made(kinds_of), self._stations.places, self._wheel, self._pool,
                self._counters, board.width, board.height, board.instructions, self._slots,
                begin, min(begin + some, len(codes)),
            )  # fmt: skip

    @staticmethod
    def cost(board: Board, events: float) -> float:
        if not board.kernels.ready and board.size > _MOST_CELLS:
            return inf
        stations = board.instructions + board.width + board.height
        if stations > _MOST_STATIONS:
            return inf
        return (_CYCLE + _EVENT * events) * board.kernels.slowness

    @staticmethod
    def cost_of_change(board: Board, signals: int) -> float:
        wire = min(max(board.width, board.height), board.size / max(board.instructions, 1))
        signal = _SIGNAL_OF_CHANGE + _STEP_OF_CHANGE * wire
        return (CELL_OF_CHANGE * board.size + signal * signals) * board.kernels.slowness

    @property
    def tick(self) -> int:
        return self._counters[k.TICK]

    def run(self, until: int) -> Stop | None:
        self._before = self.tick, self._counters[k.WORK]
        at_once = self.board.kernels.at_once
        until = min(until, self.tick + at_once(_CYCLES_AT_ONCE))
        end = k.FULL
        while end == k.FULL:
            end = self._travel(until, at_once(EVENTS_AT_ONCE))
            if end == k.FULL:
                self._grow()
        return STOPS[end]

    def _travel(self, until: int, enough: int) -> int:
        stations, board, symbols = self._stations, self.board, self.board.symbols
        streams = NO_STREAMS if symbols is None else symbols.buffers()
        given = (
            self._wheel, self._pool, stations.marks, stations.met, stations.kinds,
            stations.paths, self._exits, self._counters, stations.watched, *self._groups, *streams,
            board.instructions, self._slots, len(self._pool) - 1, until, enough,
        )  # fmt: skip
        flags = bool(board.watched), self.follows, symbols is not None
        if flags[:2] != (False, False):
            return board.kernels.travel(*given, *flags)
        return (board.kernels.fly if symbols is None else board.kernels.flow)(*given)

    def _grow(self) -> None:
        size = len(self._pool)
        self._pool.extend(range(size + 1, 2 * size))
        self._pool.append(self._counters[k.FREE])
        self._counters[k.FREE] = size

    def events(self) -> float:
        tick, work = self._before
        return (self._counters[k.WORK] - work) / max(self.tick - tick, 1)

    def take_bits(self) -> int:
        return bits_of(self._exits)

    def signals(self) -> int:
        return self._counters[k.FLYING]

    def codes(self) -> Codes:
        codes = numbers(self._counters[k.FLYING])
        self.board.kernels.spot(
            self._wheel, self._pool, self._stations.kinds, self._stations.places,
            self.board.made(kinds_of), codes, self._counters, self.board.width, self._slots,
        )  # fmt: skip
        return codes
