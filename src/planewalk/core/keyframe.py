"""Keyframes: states kept for later, which share whatever has not changed since the one before.

What was written and read is no part of them: runs that are kept have logs of both, and a keyframe
only says how much of each it had come to.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import partial
from itertools import chain, islice
from sys import getsizeof
from typing import Any

from .base.deadline import Pause, no_pause
from .base.named import NamedTuple
from .plane import BytePlane, Plane, SparsePlane
from .sparse.tiles import TILE_MEMORY, Tiles, size_of
from .state import WALKER_MEMORY, State
from .stream import InputStream

PAGE = 1 << 14  # cells of a field that are kept, and shared, together
AT_ONCE = 1 << 14  # walkers, or numbers of a stack, that are kept between two pauses
CHUNK = 1 << 10  # numbers of a stack, or entries of a log, likewise
CELL = 110
"""Bytes that a cell of a sparse plane takes in a keyframe: measured, key and value shared."""
NUMBER, LONG, ENTRY = 24, 40, 100
"""Bytes of a number of a stack, from where on a number counts as long, and of a log's entry."""
SMALL = 1_500  # bytes of everything that has no size of its own


Parts = list[tuple[Any, int]]  # objects that are kept, each with about the bytes that it takes


class FrozenPlane(NamedTuple):
    """A plane that cannot change any more."""

    kind: str
    parts: Parts
    """What it consists of; parts may be shared by several."""
    thaw: Callable[[], Plane]
    """Gives the plane again, for a run of its own."""
    plane: Any = None
    """A sparse plane, of which the next one may have the same cells."""


def _shared(
    values: Any, before: Sequence[tuple[Any, int]], length: int, make: Callable[[Any], Any],
    weigh: Callable[[Any], int], pause: Pause,
) -> Parts:  # fmt: skip
    """The values in pieces; those that are as they were before are the very same objects, and are
    not weighed again."""
    pieces = []
    for number, at in enumerate(range(0, len(values), length)):
        if at % AT_ONCE == 0:
            pause()
        piece = make(values[at : at + length])
        if number < len(before) and before[number][0] == piece:
            pieces.append(before[number])
        else:
            pieces.append((piece, weigh(piece)))
    return pieces


def _all_of(walkers: Iterable[Any], pause: Pause) -> tuple[Any, ...]:
    """Walkers, which may be made only now."""
    found: list[Any] = []
    rest = iter(walkers)
    while some := tuple(islice(rest, AT_ONCE)):
        found += some
        pause()
    return tuple(found)


def freeze_plane(plane: Plane, before: FrozenPlane | None, pause: Pause) -> FrozenPlane:
    """Keep a plane as it is now: a field in pages, and tiles, those that have not changed shared;
    any other whole, which costs nothing for those that cannot be written."""
    old = None if before is None or before.kind != plane.kind else before
    if isinstance(plane, BytePlane):
        width = plane.width
        pages = _shared(plane.data, [] if old is None else old.parts, PAGE, bytes, len, pause)
        again = partial(_joined, width, pages)
        return FrozenPlane(plane.kind, pages, again)
    if isinstance(plane, SparsePlane):
        kept = plane.copy() if old is None or old.plane != plane else old.plane
        tiles = kept.cells.tiles.values() if isinstance(kept.cells, Tiles) else ()
        parts: Parts = [(tile, TILE_MEMORY + size_of(tile)) for tile in tiles]
        return FrozenPlane(plane.kind, parts or [(kept, CELL * len(kept.cells))], kept.copy, kept)
    whole = plane.copy()
    return FrozenPlane(plane.kind, [(whole, plane.memory() * plane.writable)], whole.copy)


def _joined(width: int, pages: Parts) -> BytePlane:
    return BytePlane(width, bytearray().join(page for page, _ in pages))


def _weight(numbers: Any) -> int:
    """About the bytes of a piece of a stack."""
    long = () if isinstance(numbers, array) else numbers
    return NUMBER * len(numbers) + sum(size for size in map(getsizeof, long) if size > LONG)


def _values(parts: Parts) -> Iterable[Any]:
    """What was in the pieces."""
    return chain.from_iterable(piece for piece, _ in parts)


def least_weight(state: State) -> int:
    """What a keyframe of it takes at least, as far as that is seen without making one."""
    plane = state.plane.memory() if state.plane.writable else 0
    return plane + NUMBER * len(state.held_stack) + WALKER_MEMORY // 2 * len(state.walkers)


class Keyframe:
    """A state that is kept.

    `arrived` is the log of all input that has come, of which the state has a part, and has read
    some of that.
    """

    def __init__(
        self,
        state: State,
        arrived: bytearray,
        before: Keyframe | None = None,
        pause: Pause = no_pause,
    ) -> None:
        self.tick, self.written = state.tick, state.written
        self._arrived, self._read, self.closed = arrived, state.input.position, state.input.closed
        self.length = self._read + state.input.unread  # the log may go on, when the past is kept
        plane = None if before is None else before._plane
        self._plane: FrozenPlane = freeze_plane(state.plane, plane, pause)
        self._walkers, self._acted = _all_of(state.walkers, pause), tuple(state.acted)
        whole = isinstance(state.stack, list)
        self._make: Callable[[Any], Any] = list if whole else partial(array, state.stack.typecode)
        piece: Any = tuple if whole else self._make
        old: tuple[Parts, Parts] = ([], []) if before is None else (before._stack, before._log)
        self._stack: Parts = _shared(state.stack, old[0], CHUNK, piece, _weight, pause)
        weigh: Callable[[Any], int] = lambda entries: ENTRY * len(entries)  # noqa: E731
        self._log: Parts = _shared(state.log, old[1], CHUNK, tuple, weigh, pause)
        self._registers, self._calls = copy(state.registers), tuple(state.calls)
        self._others = (state.options, state.seed, state.draws, state.stop, state.notes)
        self.size = SMALL + WALKER_MEMORY // 2 * len(self._walkers) + 200 * len(self._calls)
        """Bytes of what is its own; the rest are the parts."""

    def parts(self) -> Parts:
        """What it may share with others."""
        return [*self._plane.parts, *self._stack, *self._log]

    def plane(self) -> Plane:
        """The plane alone, for a run of its own."""
        return self._plane.thaw()

    def thaw(self) -> State:
        """The state again, for a run of its own; what it had written has been taken from it."""
        options, seed, draws, stop, notes = self._others
        state = State(
            self._plane.thaw(), list(self._walkers), stack=self._make(_values(self._stack)),
            registers=copy(self._registers), options=options, seed=seed, stop=stop, notes=notes,
        )  # fmt: skip
        state.acted, state.calls = list(self._acted), list(self._calls)
        state.log = list(_values(self._log))
        state.tick, state.taken, state.draws = self.tick, self.written, draws
        state.input = InputStream(bytes(self._arrived[self._read : self.length]), self.closed)
        state.input.dropped = state.input.position = self._read
        return state
