"""Signals as sets of places, one bit a cell: the buffers of `kernels/planes.py`.

A cycle takes the same time however many signals there are.
"""

from __future__ import annotations

import ctypes
from array import array
from bisect import bisect_left
from math import inf

from ...core.step import Stop
from .forms import CELL_OF_CHANGE, STOPS, WAIT, Board, Codes, bits_of, kinds_of, numbers, words
from .kernels import layout as k
from .kernels import planes

# Measured, in microseconds of machine code: they decide which form is cheaper, never what happens.
_STRIPE_OF_CYCLE = 0.008
_SIGNAL_OF_CHANGE = 0.1

_STRIPES_AT_ONCE = 500_000
"""What machine code does in one call at most: nothing can interrupt it."""
_STRIPES_TO_COUNT = 4_096
"""How many are looked at when events are counted; on larger boards this is an estimate."""
_MOST_STRIPES = 1 << 17
"""A stripe takes some eight hundred bytes."""


class Stripes:
    """What the cells of a board do, as sets of bits."""

    def __init__(self, board: Board) -> None:
        self.count = _stripes(board)
        self.masks = words((board.height + 1) * self.count * planes.STRIPE)
        self.edges = words(8 + 8 * self.count)
        self.edges[0] = 1
        for stripe in range(self.count):
            last = min(board.width - 512 * stripe, 512) - 1
            self.edges[8 + 8 * stripe + last % 8] = 1 << last // 8
        cells = board.made(kinds_of)
        board.kernels.engrave(cells, self.masks, board.width, board.height, self.count)
        bits = sorted(_bit(code, board, self.count) for code in board.watched)
        self.watched = array("q", bits or [0])
        """Those that are watched: 64 * word + bit."""
        row = 64 * self.count * planes.STRIPE
        begins = (bisect_left(bits, y * row) for y in range(board.height + 2))
        self.rows = array("i", begins)
        """Which of these is the first of a row."""


def _bit(code: int, board: Board, stripes: int) -> int:
    """The bit that says whether there is such a signal."""
    y, x = divmod(code >> 3, board.stride)
    direction, pairs = code & 3, (planes.SIDEWAYS, planes.UPRIGHT)
    which = pairs[direction & 1] if code & WAIT else 8 * direction
    return 64 * (planes.word_of(x - 1, y, stripes) + which) + (x - 1 >> 3 & 63)


class Planes:
    """Signals as sets of places. See `forms.Form`."""

    def __init__(self, board: Board, tick: int, codes: Codes) -> None:
        self.board = board
        self.tick = tick
        self._stripes = stripes = board.made(Stripes)
        self._signals = words(len(stripes.masks))
        self._kept = words(len(stripes.masks) if board.watched else 0)
        """The signals before a sweep that may have to be undone."""
        self._rounds = words(planes.ROUNDS * 8 * (stripes.count + 1))
        self._exits = bytearray(board.height)
        self._entering = self._lay(array("q", codes))

    def _lay(self, codes: array[int]) -> array[int]:
        """Put signals down; gives where those in column -1, which has no bits, will be next."""
        lay, count = self.board.kernels.lay, len(codes)
        return codes[: lay(codes, self._signals, self.board.width, self._stripes.count, count)]

    @staticmethod
    def cost(board: Board, events: float) -> float:
        rows = board.height * _stripes(board)
        many = rows > _MOST_STRIPES or not board.kernels.ready  # bit by bit they are no use
        return inf if many else _STRIPE_OF_CYCLE * rows

    @staticmethod
    def cost_of_change(board: Board, signals: int) -> float:
        return CELL_OF_CHANGE * board.size + _SIGNAL_OF_CHANGE * signals

    def run(self, until: int) -> Stop | None:
        if self._entering:
            return self._enter()
        at_once = self.board.kernels.at_once(_STRIPES_AT_ONCE)
        most = max(at_once // (self.board.height * self._stripes.count), 1)
        done, end = self._sweep_watched(min(until - self.tick, most))
        self.tick += done
        return STOPS[end]

    def _sweep_watched(self, cycles: int) -> tuple[int, int]:
        """The same up to where one is caught, for which all after that is undone."""
        if not self.board.watched or cycles == 1:
            return self._sweep(cycles)
        ctypes.memmove(self._kept, self._signals, ctypes.sizeof(self._signals))
        exits = self._exits[:]
        done, end = self._sweep(cycles, 1)
        if end != k.LANDED:
            return done, end
        ctypes.memmove(self._signals, self._kept, ctypes.sizeof(self._signals))
        self._exits[:] = exits
        return self._sweep(done)

    def _enter(self) -> Stop | None:
        """The cycle in which signals come from column -1."""
        done, end = self._sweep(1)
        if done or end != k.BLOCKED:
            self.tick += 1
            self._entering = self._lay(self._entering)
        return STOPS[end] if end == k.ENDED else None

    def _sweep(self, cycles: int, watching: int = 0) -> tuple[int, int]:
        stripes, symbols = self._stripes, self.board.symbols
        if symbols is not None:
            done = self.board.kernels.pour(
                self._signals, stripes.masks, self._rounds, stripes.edges, self._exits,
                *symbols.buffers(), stripes.count, self.board.height, cycles, self.tick,
            )  # fmt: skip
            return done >> 3, done & 7
        done = self.board.kernels.sweep(
            self._signals, stripes.masks, self._rounds, stripes.edges, self._exits,
            stripes.watched, stripes.rows, stripes.count, self.board.height, cycles, watching,
        )  # fmt: skip
        return done >> 3, done & 7

    def events(self) -> float:
        stripes, height = self._stripes, self.board.height
        step = max(height * stripes.count // _STRIPES_TO_COUNT, 1)
        stir = self.board.kernels.stir
        return step * stir(self._signals, stripes.masks, stripes.count, height, step)

    def take_bits(self) -> int:
        return bits_of(self._exits)

    def signals(self) -> int:
        return self.board.kernels.tally(self._signals, self._stripes.count, self.board.height)

    def codes(self) -> Codes:
        stripes, height = self._stripes.count, self.board.height
        codes = numbers(self.signals())
        self.board.kernels.gather(self._signals, codes, self.board.width, stripes, height)
        codes.extend(code - 8 for code in self._entering)
        return codes


def _stripes(board: Board) -> int:
    """How many stripes a row is cut into."""
    return (board.width + 511) // 512
