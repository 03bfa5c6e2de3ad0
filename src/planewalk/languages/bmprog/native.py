"""The forms of `forms.py` in machine code: the buffers that `kernels/` works on."""

from __future__ import annotations

import contextlib
import ctypes
from array import array
from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from ...core.step import Halted, Stop
from ...engines.kernels.kernel import Kernel
from ...engines.policy import policy_in_force
from ...engines.tiering.jobs import CompileQueue
from .forms import WAIT, Board, Codes, FollowedForm
from .kernels import flights, groups, planes
from .kernels import words as k
from .rules import LANGUAGE
from .truth import KINDS

if TYPE_CHECKING:
    from ...engines.native.llvm import Store

# Measured, in microseconds: they decide which form is cheaper, never what happens.
_EVENT = 0.01
_CYCLE = 0.001
_STRIPE_OF_CYCLE = 0.008
_CELL_OF_CHANGE = 0.001
_SIGNAL_OF_CHANGE = 0.1
_STEP_OF_CHANGE = 0.001

EVENTS_AT_ONCE = 200_000
_CYCLES_AT_ONCE = 1 << 21
_STRIPES_AT_ONCE = 500_000
_STEPS_AT_ONCE = 5_000_000
"""What machine code does in one call at most: nothing can interrupt it."""
_STRIPES_TO_COUNT = 4_096
"""How many are looked at when events are counted; on larger boards this is an estimate."""

_MOST_STATIONS = 1 << 20
_MOST_STRIPES = 1 << 17
"""A station takes some forty bytes, a stripe some eight hundred."""

_STOPS = {k.GOING_ON: None, k.ENDED: Halted(), k.DESERTED: LANGUAGE.rules.deserted}


class Kernels:
    """All the kernels, made together, once in a process."""

    def __init__(self) -> None:
        self.survey, self.launch = Kernel(flights.survey), Kernel(flights.launch)
        self.fly, self.fly_watched = Kernel(flights.fly), Kernel(flights.fly_watched)
        self.spot = Kernel(flights.spot)
        self.begin, self.follow, self.ask = (
            Kernel(groups.begin),
            Kernel(groups.follow),
            Kernel(groups.ask),
        )
        self.engrave, self.lay = Kernel(planes.engrave), Kernel(planes.lay)
        self.sweep, self.stir = Kernel(planes.sweep), Kernel(planes.stir)
        self.tally, self.gather = Kernel(planes.tally), Kernel(planes.gather)
        self.ordered = self.ready = False

    def assemble(self, store: Store | None) -> None:
        """Make machine code of all of them, if that is possible and their source is at hand."""
        from ...engines.native.llvm import why_not

        with contextlib.suppress(OSError):
            kernels = [each for each in vars(self).values() if isinstance(each, Kernel)]
            kept = store is not None and all(kernel.recall(store) for kernel in kernels)
            if kept or why_not() is None:
                for kernel in kernels:
                    kernel.assemble(store)
                self.ready = True


KERNELS = Kernels()


def ordered(store: Store | None) -> bool:
    """Have machine code made while the run goes on; whether it is there by now."""
    if not KERNELS.ordered:
        KERNELS.ordered = True
        queue = CompileQueue(policy_in_force().background)
        queue.begin("kernels", partial(KERNELS.assemble, store))
    return KERNELS.ready


def _cells(board: Board) -> bytearray:
    """The cells by kind instead of letter."""
    kinds = bytes(KINDS.find(letter) % (k.PLAIN + 1) for letter in range(256))
    cells = bytearray(board.cells.translate(kinds))
    for code in board.watched:
        y, x = divmod(code >> 3, board.stride)
        if cells[y * board.width + x - 1] == k.PLAIN:
            cells[y * board.width + x - 1] = k.PASS
    return cells


def numbers(count: int) -> array[int]:
    return array("q", bytes(8 * count))


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
        KERNELS.survey(
            board.made(_cells), self.kinds, self.places, self.paths, above,
            board.width, board.height, board.instructions,
        )  # fmt: skip
        self.watched = bytearray(count)
        """By which ways signals are watched, and 16 times that for those that wait."""
        for code in board.watched:
            station = flights.find(self.places, code >> 3, board.instructions)
            self.watched[station] |= 1 << (code & 7)


class NativeFlights:
    """Signals by what they meet next, and when. See `forms.Form`."""

    def __init__(self, board: Board, tick: int, codes: Codes) -> None:
        self.board = board
        self._stations = board.made(Stations)
        self._slots = 1 << max(board.width, board.height).bit_length()  # also for one cycle more
        self._wheel = array("i", bytes(4 * self._slots))
        self._pool = array("q", range(1, 4 * len(codes) + 64))  # each entry leads to the next
        self._counters = array("q", [tick, 0, 1, 0])
        self._before = (tick, 0)
        self._exits = bytearray(board.height)
        self._bells = bytearray(self._slots)
        self.enter(codes)

    def enter(self, codes: Codes) -> None:
        codes, board = array("q", codes), self.board
        while 2 * (self._counters[k.FLYING] + len(codes)) >= len(self._pool):
            self._grow()
        some = max(_STEPS_AT_ONCE // max(board.width, board.height), 1)
        for begin in range(0, len(codes), some):
            KERNELS.launch(
                codes, board.made(_cells), self._stations.places, self._wheel, self._pool,
                self._counters, self._bells, self._stations.watched, board.width, board.height,
                board.instructions, self._slots, begin, min(begin + some, len(codes)),
            )  # fmt: skip

    @staticmethod
    def cost(board: Board, events: float) -> float:
        stations = board.instructions + board.width + board.height
        return inf if stations > _MOST_STATIONS else _CYCLE + _EVENT * events

    @staticmethod
    def cost_of_change(board: Board, signals: int) -> float:
        way = min(max(board.width, board.height), board.size / max(board.instructions, 1))
        signal = _SIGNAL_OF_CHANGE + _STEP_OF_CHANGE * way
        return _CELL_OF_CHANGE * board.size + signal * signals

    @property
    def tick(self) -> int:
        return self._counters[k.TICK]

    def run(self, until: int) -> Stop | None:
        self._before = self.tick, self._counters[k.WORK]
        until = min(until, self.tick + _CYCLES_AT_ONCE)
        self._bells[self.tick & self._slots - 1] = 0
        end = k.FULL
        while end == k.FULL:
            end = self._fly(until, EVENTS_AT_ONCE)
            if end == k.FULL:
                self._grow()
        return _STOPS[end]

    def _fly(self, until: int, enough: int) -> int:
        """Call machine code once; gives how that went."""
        stations = self._stations
        fly = KERNELS.fly_watched if self.board.watched else KERNELS.fly
        return fly(
            self._wheel, self._pool, stations.marks, stations.met, stations.kinds,
            stations.paths, self._exits, self._counters, self._bells, stations.watched,
            self.board.instructions, self._slots, len(self._pool) - 1, until, enough,
        )  # fmt: skip

    def landed(self) -> bool:
        return bool(self._bells[self.tick & self._slots - 1])

    def _grow(self) -> None:
        size = len(self._pool)
        self._pool.extend(range(size + 1, 2 * size))
        self._pool.append(self._counters[k.FREE])
        self._counters[k.FREE] = size

    def events(self) -> float:
        tick, work = self._before
        return (self._counters[k.WORK] - work) / max(self.tick - tick, 1)

    def take_bits(self) -> int:
        return _take_bits(self._exits)

    def frozen(self) -> tuple[Callable[[], int], Callable[[], Codes]]:
        codes = numbers(self._counters[k.FLYING])
        KERNELS.spot(
            self._wheel, self._pool, self._stations.kinds, self._stations.places,
            self.board.made(_cells), codes, self._counters, self.board.width, self._slots,
        )  # fmt: skip
        return codes.__len__, lambda: codes

    @staticmethod
    def follower() -> type[FollowedForm]:
        from .native_groups import FollowedNativeFlights  # which is made of this one

        return FollowedNativeFlights


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
        KERNELS.engrave(board.made(_cells), self.masks, board.width, board.height, self.count)
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
    way, pairs = code & 3, (planes.SIDEWAYS, planes.UPRIGHT)
    which = pairs[way & 1] if code & WAIT else 8 * way
    return 64 * (planes.word_of(x - 1, y, stripes) + which) + (x - 1 >> 3 & 63)


class NativePlanes:
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
        count, stripes = len(codes), self._stripes.count
        return codes[: KERNELS.lay(codes, self._signals, self.board.width, stripes, count)]

    @staticmethod
    def cost(board: Board, events: float) -> float:
        rows = board.height * _stripes(board)
        return inf if rows > _MOST_STRIPES else _STRIPE_OF_CYCLE * rows

    @staticmethod
    def cost_of_change(board: Board, signals: int) -> float:
        return _CELL_OF_CHANGE * board.size + _SIGNAL_OF_CHANGE * signals

    def run(self, until: int) -> Stop | None:
        if self._entering:
            return self._enter()
        most = max(_STRIPES_AT_ONCE // (self.board.height * self._stripes.count), 1)
        done, end = self._sweep_watched(min(until - self.tick, most))
        self.tick += done
        return _STOPS[end]

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

    def landed(self) -> bool:
        stripes = self._stripes
        return bool(planes.catches(self._signals, stripes.watched, 0, stripes.rows[-1]))

    def _enter(self) -> Stop | None:
        """The cycle in which signals come from column -1."""
        _, end = self._sweep(1)
        self.tick += 1
        self._entering = self._lay(self._entering)
        return _STOPS[end] if end == k.ENDED else None

    def _sweep(self, cycles: int, watching: int = 0) -> tuple[int, int]:
        stripes = self._stripes
        done = KERNELS.sweep(
            self._signals, stripes.masks, self._rounds, stripes.edges, self._exits,
            stripes.watched, stripes.rows, stripes.count, self.board.height, cycles, watching,
        )  # fmt: skip
        return done >> 3, done & 7

    def events(self) -> float:
        stripes, height = self._stripes, self.board.height
        step = max(height * stripes.count // _STRIPES_TO_COUNT, 1)
        return step * KERNELS.stir(self._signals, stripes.masks, stripes.count, height, step)

    def take_bits(self) -> int:
        return _take_bits(self._exits)

    def frozen(self) -> tuple[Callable[[], int], Callable[[], Codes]]:
        stripes, height = self._stripes.count, self.board.height
        codes = numbers(KERNELS.tally(self._signals, stripes, height))
        KERNELS.gather(self._signals, codes, self.board.width, stripes, height)
        codes.extend(code - 8 for code in self._entering)
        return codes.__len__, lambda: codes

    @staticmethod
    def follower() -> type[FollowedForm]:
        return NativeFlights.follower()


def _stripes(board: Board) -> int:
    """How many stripes a row is cut into."""
    return (board.width + 511) // 512


def words(count: int) -> Any:
    """Words that begin where a line of the cache does: vectors are slow across two."""
    room = bytearray(8 * count + 64)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(room))
    return (ctypes.c_uint64 * count).from_buffer(room, -begin % 64)


def _take_bits(exits: bytearray) -> int:
    """The bits of rows that an odd number of signals left by; row 0 has none."""
    if 1 not in exits:
        return 0
    digits = exits[:0:-1].translate(b"01" + bytes(254))
    exits[:] = bytes(len(exits))
    return int(digits or b"0", 2)
