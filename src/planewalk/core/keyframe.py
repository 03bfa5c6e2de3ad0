"""Keyframes: states kept for later, which share whatever has not changed since the one before.

What was written and read is no part of them: runs that are kept have logs of both, and a keyframe
only says how much of each it had come to.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from itertools import chain
from sys import getsizeof
from typing import Any, Protocol

from .plane import BytePlane, Plane, SparsePlane
from .state import WALKER_MEMORY, State
from .stream import InputStream
from .tiles import TILE_MEMORY, Tiles, size_of

PAGE = 1 << 14
"""Cells of a field that are kept, and shared, together."""
CHUNK = 1 << 10
"""Numbers of a stack, or entries of a log, likewise."""
CELL = 110
"""Bytes that a cell of a sparse plane takes in a keyframe: measured, key and value shared."""
NUMBER, LONG, ENTRY = 24, 40, 100
"""Bytes of a number of a stack, from where on a number counts as long, and of a log's entry."""
SMALL = 1_500
"""Bytes of everything that has no size of its own."""


Parts = list[tuple[Any, int]]
"""Objects that are kept, each with about the bytes that it takes."""


class FrozenPlane(Protocol):
    """A plane that nobody can change any more."""

    parts: Parts
    """What it consists of; parts may be shared by several."""

    def thaw(self) -> Plane:
        """The plane again, for a run of its own."""


class _Copy:
    """Any plane, kept whole; for those that nobody can write, that costs nothing."""

    def __init__(self, plane: Plane) -> None:
        self.plane = plane.copy()
        self.parts = [(self.plane, plane.memory() if plane.writable else 0)]

    def thaw(self) -> Plane:
        return self.plane.copy()


class _Field:
    """A field of bytes in pages."""

    def __init__(self, plane: BytePlane, before: FrozenPlane | None) -> None:
        self.width = plane.width
        old = before.pages if isinstance(before, _Field) else ()
        self.pages: tuple[bytes, ...] = _shared(plane.data, old, PAGE, bytes)
        self.parts = [(page, len(page)) for page in self.pages]

    def thaw(self) -> Plane:
        return BytePlane(self.width, bytearray().join(self.pages))


class _Cells:
    """The cells of a sparse plane; if they are in tiles, those that have not changed are shared."""

    def __init__(self, plane: SparsePlane, before: FrozenPlane | None) -> None:
        old = before.plane if isinstance(before, _Cells) else None
        self.plane: SparsePlane = old if old is not None and old == plane else plane.copy()
        cells = self.plane.cells
        tiles = cells.tiles.values() if isinstance(cells, Tiles) else ()
        self.parts = [(tile, TILE_MEMORY + size_of(tile)) for tile in tiles]
        if not tiles:
            self.parts = [(self.plane, CELL * len(cells))]

    def thaw(self) -> Plane:
        return self.plane.copy()


def _shared(
    values: Any, before: Sequence[Any], length: int, make: Callable[[Any], Any]
) -> tuple[Any, ...]:
    """The values in pieces; those that are as they were before are the very same objects."""
    pieces = []
    for number, at in enumerate(range(0, len(values), length)):
        piece = make(values[at : at + length])
        if number < len(before) and before[number] == piece:
            piece = before[number]
        pieces.append(piece)
    return tuple(pieces)


def freeze_plane(plane: Plane, before: FrozenPlane | None) -> FrozenPlane:
    """Keep a plane as it is now."""
    if isinstance(plane, BytePlane):
        return _Field(plane, before)
    if isinstance(plane, SparsePlane):
        return _Cells(plane, before)
    return _Copy(plane)


def _weight(numbers: Any) -> int:
    """About the bytes of a piece of a stack."""
    long = () if isinstance(numbers, array) else numbers
    return NUMBER * len(numbers) + sum(size for size in map(getsizeof, long) if size > LONG)


class Keyframe:
    """A state that is kept.

    `arrived` is the log of all input that had come by then, of which the state has read a part.
    """

    def __init__(self, state: State, arrived: bytearray, before: Keyframe | None = None) -> None:
        self.tick, self.written = state.tick, state.written
        self._arrived, self.length = arrived, len(arrived)
        self._read, self.closed = state.input.position, state.input.closed
        plane = None if before is None else before._plane
        self._plane: FrozenPlane = freeze_plane(state.plane, plane)
        self._walkers, self._acted = tuple(state.walkers), tuple(state.acted)
        whole = isinstance(state.stack, list)
        self._make: Callable[[Any], Any] = list if whole else partial(array, state.stack.typecode)
        piece: Any = tuple if whole else self._make
        old = ((), ()) if before is None else (before._stack, before._log)
        self._stack: tuple[Any, ...] = _shared(state.stack, old[0], CHUNK, piece)
        self._log: tuple[Any, ...] = _shared(state.log, old[1], CHUNK, tuple)
        self._registers, self._calls = copy(state.registers), tuple(state.calls)
        self._others = (state.options, state.seed, state.draws, state.stop, state.notes)
        self.size = SMALL + WALKER_MEMORY // 2 * len(self._walkers) + 200 * len(self._calls)
        """Bytes of what is its own; the rest are the parts."""

    def parts(self) -> Parts:
        """What it may share with others."""
        stack = [(piece, _weight(piece)) for piece in self._stack]
        return [*self._plane.parts, *stack, *((piece, ENTRY * len(piece)) for piece in self._log)]

    def thaw(self) -> State:
        """The state again, for a run of its own; what it had written has been taken from it."""
        options, seed, draws, stop, notes = self._others
        state = State(
            self._plane.thaw(),
            list(self._walkers),
            stack=self._make(chain.from_iterable(self._stack)),
            registers=copy(self._registers),
            options=options,
            seed=seed,
            stop=stop,
            notes=notes,
        )
        state.acted, state.calls = list(self._acted), list(self._calls)
        state.log = list(chain.from_iterable(self._log))
        state.tick, state.taken, state.draws = self.tick, self.written, draws
        state.input = InputStream(bytes(self._arrived[self._read : self.length]), self.closed)
        state.input.dropped = state.input.position = self._read
        return state
