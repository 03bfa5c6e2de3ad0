"""The board that BMProg's own engine runs on, and what a form of holding signals promises.

Cells are known by their place: rows one after the other, each with column -1 in front of it, so
that signals can stand there, and so that a step over the edge never lands on another row's cell.

A board may be watched: then forms stop when a signal arrives as one of its watched codes. Flights
take the cells of those for instructions, so that signals do not fly past them.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ...core.plane import BoardPlane
from ...core.step import Halted, Stalled, Stop
from .kernels import layout as k
from .native import KERNELS, Kernels
from .outcomes import LETTERS

if TYPE_CHECKING:
    from .symbols import Symbols

_KINDS = bytes(LETTERS.find(letter) % (k.PLAIN + 1) for letter in range(256))
"""The kinds of cells by their letters; those that are no instructions are `PLAIN`."""
_ACTIVE = bytes(kind < k.PLAIN for kind in _KINDS)

WAIT = 4  # in a code: the signal is waiting

STOPS = {k.GOING_ON: None, k.BLOCKED: None, k.ENDED: Halted(), k.DESERTED: Stalled()}
"""What a run ends with, by how its last call of a kernel went."""

CELL_OF_CHANGE = 0.001
"""Measured: microseconds for each cell when signals change their form."""

Codes = Sequence[int]
"""Signals as numbers: place * 8, and `WAIT` if it waits, and its direction."""

Made = TypeVar("Made")


class Board:
    """The cells of a board."""

    def __init__(self, plane: BoardPlane, kernels: Kernels = KERNELS) -> None:
        self.width, self.height, self.cells = plane.width, plane.height, plane.data
        self.kernels = kernels
        self.stride = plane.width + 1
        self.symbols: Symbols | None = None
        """What enters from above and leaves at the bottom, if anything does."""
        self._active = plane.data.translate(_ACTIVE)
        self._made: dict[Any, Any] = {}
        self.watched: frozenset[int] = frozenset()
        """Codes of signals that a run stops at."""

    def watching(self, codes: frozenset[int]) -> Board:
        """The same board with these codes watched; none of them is in column -1."""
        board = copy(self)
        vars(board).pop("instructions", None)
        vars(board).pop("silent", None)
        active = bytearray(board.cells.translate(_ACTIVE))
        for code in codes:
            y, x = divmod(code >> 3, self.stride)
            active[y * self.width + x - 1] = 1
        board._active, board._made = bytes(active), {}
        board.watched = codes
        return board

    @cached_property
    def silent(self) -> Board:
        """The same board without streams."""
        board = copy(self)
        board.symbols = None
        return board

    @property
    def size(self) -> int:
        """How many places there are, column -1 included."""
        return self.stride * self.height

    @cached_property
    def instructions(self) -> int:
        """How many cells hold an instruction, or are watched."""
        return self._active.count(1)

    def made(self, kind: Callable[[Board], Made]) -> Made:
        """What a form must know of this board, made once for all."""
        if kind not in self._made:
            self._made[kind] = kind(self)
        found: Made = self._made[kind]
        return found

    def letter(self, place: int) -> int:
        """What stands there; 0 for column -1."""
        y, x = divmod(place, self.stride)
        return self.cells[y * self.width + x - 1] if x else 0

    def holds(self, x: Any, y: Any) -> bool:
        """Whether that is a cell of the board."""
        return x in range(self.width) and y in range(self.height)


def kinds_of(board: Board) -> bytearray:
    """The cells by kind instead of letter."""
    cells = bytearray(board.cells.translate(_KINDS))
    for code in board.watched:
        y, x = divmod(code >> 3, board.stride)
        if cells[y * board.width + x - 1] == k.PLAIN:
            cells[y * board.width + x - 1] = k.PASS
    return cells


def numbers(count: int) -> array[int]:
    """A buffer of so many zeros."""
    return array("q", bytes(8 * count))


def words(count: int) -> Any:
    """Words that begin where a line of the cache does: vectors are slow across two."""
    room = bytearray(8 * count + 64)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(room))
    return (ctypes.c_uint64 * count).from_buffer(room, -begin % 64)


def bits_of(exits: bytearray) -> int:
    """Take the bits of rows that an odd number of signals left by; row 0 has none."""
    if 1 not in exits:
        return 0
    digits = exits[:0:-1].translate(b"01" + bytes(254))
    exits[:] = bytes(len(exits))
    return int(digits or b"0", 2)


class Form(Protocol):
    """A way to hold the signals of a board, and to let them go on."""

    @property
    def tick(self) -> int:
        """How far it has come."""

    def __init__(self, board: Board, tick: int, codes: Codes) -> None: ...

    @staticmethod
    def cost(board: Board, events: float) -> float:
        """What a cycle takes in which so many cells act, in microseconds."""

    @staticmethod
    def cost_of_change(board: Board, signals: int) -> float:
        """What it takes to begin with this form."""

    def run(self, until: int) -> Stop | None:
        """Go on up to that tick, or for a while, or until a signal has arrived that is watched."""

    def events(self) -> float:
        """In how many cells something happens in a cycle, as of late."""

    def take_bits(self) -> int:
        """The bits of the value that exits have toggled since the last time."""

    def signals(self) -> int:
        """How many signals there are now, or about so many: it costs little to ask."""

    def codes(self) -> Codes:
        """The signals there are now."""
