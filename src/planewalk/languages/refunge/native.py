"""Many cursors in machine code: a state put into arrays for the kernels, and taken back."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import repeat
from operator import add, floordiv, mul
from typing import Any

from ...core.barriers import ANY, Barriers
from ...core.geometry import Stance
from ...core.limits import Limits
from ...core.state import WALKER_MEMORY, LazyWalkers, State, Walker
from ...engines.kernels.kernel import Kernel
from ...engines.native.machine_code import Store
from .cells import HEADINGS, MODES, WAYS, kinds
from .kernels import layout as k
from .kernels.rounds import SHORTEST_ROUND
from .kernels.run import run

WAY_OF = {heading: way for way, heading in enumerate(HEADINGS)}
NUMBER_OF = {mode: number for number, mode in enumerate(MODES)}

AT_ONCE = 10_000_000
"""About the nanoseconds of one call, which nothing can interrupt."""
SPARE = 1 << 20
"""At most so many bytes are held ready below the field."""
MOST_COVERED = 1 << 20
"""Cells, from the top, that tags are kept for: each takes memory."""
MOST_LEAPS = 1 << 16
OUTPUT_ROOM = 1 << 16
MOST_CELLS = (1 << 31) - 1
MOST_CURSORS = 1 << 28
UNLIMITED = 1 << 62

SOME = 1 << 12
"""Cursors that become walkers together."""

KERNEL = Kernel(run)


class CursorCrowd:
    """The many cursors of a state in machine code. See `core.engine.Crowd`."""

    def __init__(self, state: State, limits: Limits) -> None:
        plane: Any = state.plane
        self.state, self.plane = state, plane
        self.deadline, self.most_output = limits.deadline, limits.output
        self.memory = UNLIMITED if limits.memory is None else limits.memory
        self.given: Any = None
        self.kinds = kinds(state.options)
        self.cursors, self.wishes = array("i"), array("q")
        self.groups, self.queue, self.start = array("i"), array("i"), array("i")
        self.log = array("i", bytes(4 * (k.ACTIONS + k.MOST_ACTIONS)))
        self.script = array("q", bytes(8 * (k.ACTIONS + 2 * k.MOST_ACTIONS)))
        self.output = bytearray(OUTPUT_ROOM)
        self.leaps = array("i", bytes(4 * k.LEAP * MOST_LEAPS))
        self.slots, self.seen, self.touched = array("i"), array("q"), array("i")
        self.marks = bytearray(1)
        self.barriers: Barriers | None = None
        words = self.words = array("q", bytes(8 * k.WORDS))
        width = words[k.WIDTH] = plane.width
        words[k.MOST] = min(self.memory // WALKER_MEMORY, MOST_CURSORS)
        words[k.INPUT_ADDS] = bool(state.options.get("input-adds"))
        words[k.MOST_LEAPS], words[k.LEAPS_HEIGHT] = len(self.leaps), -1
        words[k.TAG], words[k.SPAN] = 2, SHORTEST_ROUND
        for way, (dx, dy) in enumerate(WAYS):
            words[k.STEP + way], words[k.SIDE + way] = dx + dy * width, dx

    @property
    def ready(self) -> bool:
        return KERNEL.ready

    def recall(self, store: Store) -> bool:
        """Take the machine code from the store; False if it is not there."""
        return KERNEL.ready or KERNEL.recall(store)

    def assemble(self, store: Store | None) -> None:
        """Make the machine code, or take it from the store."""
        if not KERNEL.ready:
            KERNEL.assemble(store)

    def keep(self, store: Store) -> None:
        """See `core.engine.Crowd`."""
        KERNEL.keep(store)

    def advance(self, ticks: int, barriers: Barriers | None = None) -> bool:
        """Run at most that many ticks; False if the next one is for the reference engine."""
        words = self.words
        if barriers != self.barriers:
            self._bar(barriers)
        if not self._enter():
            return False
        going = True
        try:
            while going and words[k.TICKS] < ticks and words[k.COUNT] > 1 and self._in_time():
                words[k.WORK] = AT_ONCE
                going = self._run(ticks - words[k.TICKS]) or self._make_room()
        finally:
            self._leave()
        return going

    def _in_time(self) -> bool:
        return self.deadline.left() > 0

    def _run(self, ticks: int) -> bool:
        source = self.state.input.data or bytearray(1)
        return bool(KERNEL(
            self.words, self.plane.data, self.kinds, self.cursors, self.wishes, source,
            self.output, self.leaps, self.slots, self.seen, self.touched, self.marks,
            self.groups, self.queue, self.start, self.log, self.script, ticks,
        ))  # fmt: skip

    # To and fro ------------------------------------------------------------------------------

    def _enter(self) -> bool:
        """Put the state into the arrays; False if it is not one for machine code."""
        words, stream = self.words, self.state.input
        walkers: Any = self.state.walkers
        words[k.TICKS], words[k.STALE] = 0, 1
        words[k.HEIGHT] = words[k.ROWS] = self.plane.height
        words[k.POSITION] = stream.position - stream.dropped
        words[k.ARRIVED], words[k.CLOSED] = len(stream.data), stream.closed
        words[k.WRITTEN] = words[k.MOST_WRITTEN] = 0
        if walkers is self.given and not walkers.seen:  # then the arrays hold them still
            self._make_room()
            return True
        stances, hands = zip(*walkers, strict=True)
        xs, ys, dxs, dys, modes = zip(*stances, strict=True)
        hand_xs, hand_ys = zip(*hands, strict=True)
        if len(walkers) > words[k.MOST] or not self._inside(xs, ys, hand_xs, hand_ys):
            return False
        words[k.COUNT], words[k.NOW], words[k.ROOM] = len(walkers), 0, 0
        self._make_room()
        fields = (
            _cells(xs, ys, self.plane.width),
            xs,
            map(WAY_OF.__getitem__, zip(dxs, dys, strict=True)),
            map(NUMBER_OF.__getitem__, modes),
            _cells(hand_xs, hand_ys, self.plane.width),
            hand_xs,
        )
        for field, values in enumerate(fields):
            self.cursors[field : k.CURSOR * len(walkers) : k.CURSOR] = array("i", values)
        return True

    def _inside(self, *axes: tuple[int, ...]) -> bool:
        """Whether places, x and y in turns, are on the field: machine code does not look."""
        sizes = (self.plane.width, self.plane.height) * 2
        fit = (min(axis) >= 0 and max(axis) < size for axis, size in zip(axes, sizes, strict=True))
        return all(fit) and len(self.plane.data) <= MOST_CELLS

    def _leave(self) -> None:
        """Bring the state up to date."""
        state, words, width = self.state, self.words, self.plane.width
        self._take_output()
        state.tick += words[k.TICKS]
        state.input.position = state.input.dropped + words[k.POSITION]
        self.plane.height = words[k.HEIGHT]
        del self.plane.data[self.plane.height * width :]
        begin, count = words[k.NOW], words[k.COUNT]
        cursors = self.cursors[begin : begin + k.CURSOR * count]
        self.given = LazyWalkers.later(lambda: count, partial(_walkers, cursors, width))
        state.walkers = self.given if count > 1 else self.given.data

    # Barriers --------------------------------------------------------------------------------

    def _bar(self, barriers: Barriers | None) -> None:
        """From now on stop before ticks in which something of this may happen."""
        words = self.words
        for cell in self._barred_cells():
            if cell < len(self.touched):
                self.touched[cell] = k.CODE if self.touched[cell] & k.PASSED else 0
        self.barriers = barriers
        words[k.LEAPS_HEIGHT] = -1  # leaps end before marks, or no longer do
        words[k.BARRED] = 0
        if barriers is not None:
            words[k.BARRED] = k.MARKED | k.ALL_READING * bool(barriers.read)
            words[k.BARRED] |= k.ALL_OUTPUT * barriers.output | k.ALL_INPUT * barriers.input
        self._mark()

    def _mark(self) -> None:
        """Write down which cells are barred, as far as there is memory for them."""
        barriers, width, touched = self.barriers, self.plane.width, self.touched
        if barriers is None:
            return
        self.marks = bytearray((max(self.words[k.ROWS], self.plane.height) + 2) * width)
        for landing in barriers.landings:
            for way, heading in enumerate(HEADINGS):
                if landing.heading in (ANY, heading):
                    self._set(landing.x, landing.y, 1 << way)
        for x, y in barriers.read:
            self._set(x, y, k.READ)
        for x, y in barriers.written:
            self._set(x, y, k.WRITTEN_TO)
        for cell in self._barred_cells():
            if cell < len(touched):
                shut = k.READING_BARRED if self.marks[cell] & k.READ else k.WRITING_BARRED
                touched[cell] = max(touched[cell], k.MOST_TAGS) | shut

    def _set(self, x: Any, y: Any, mark: int) -> None:
        if x in range(self.plane.width) and y in range(len(self.marks) // self.plane.width):
            self.marks[y * self.plane.width + x] |= mark

    def _barred_cells(self) -> Iterator[int]:
        """Those with marks that must only be touched by all together."""
        barriers, width = self.barriers, self.plane.width
        places = () if barriers is None else barriers.read | barriers.written
        for x, y in places:
            if x in range(width) and y in range(len(self.marks) // width):
                yield y * width + x

    # Room ------------------------------------------------------------------------------------

    def _make_room(self) -> bool:
        """More of what there is none left of; False if that does not help."""
        words, width = self.words, self.plane.width
        height, count = words[k.HEIGHT], words[k.COUNT]
        made = False
        if words[k.WRITTEN] == words[k.MOST_WRITTEN]:
            self._take_output()
            made = words[k.MOST_WRITTEN] > 0
        rows = min(2 * height, height + 1 + SPARE // width, min(self.memory, MOST_CELLS) // width)
        if words[k.ROWS] == height < rows:
            words[k.ROWS] = rows
            self._cover(rows * width)
            self._mark()
            made = True
        words[k.TEMPS] = words[k.ROWS] * width
        data = self.plane.data
        data.extend(bytes(max(words[k.TEMPS] + k.MOST_TEMPS - len(data), 0)))
        if self.barriers is not None and len(self.marks) < (height + 2) * width:
            self._mark()
        if words[k.ROOM] < 2 * count:
            room = 4 * count
            cursors = self.cursors[words[k.NOW] :][: k.CURSOR * count]
            _extend(cursors, 2 * k.CURSOR * room)
            self.cursors, self.wishes = cursors, array("q", bytes(8 * room))
            words[k.ROOM], words[k.NOW] = room, 0
            _extend(self.groups, k.GROUP * room)
            _extend(self.start, k.GROUP * room)
            _extend(self.log, k.ACTIONS + k.MOST_ACTIONS + room)
            _extend(self.queue, k.SLOTS + 5 * room)  # with a table of less than four for each
            made = True
        return made

    def _take_output(self) -> None:
        words, written = self.words, self.state.output
        written += self.output[: words[k.WRITTEN]]
        words[k.WRITTEN] = 0
        most = UNLIMITED if self.most_output is None else self.most_output - self.state.written
        words[k.MOST_WRITTEN] = max(0, min(OUTPUT_ROOM, self.memory - len(written), most))

    def _cover(self, cells: int) -> None:
        """Make room for leaps and tags on so many cells; not on fewer than before."""
        if self.plane.width > MOST_COVERED:
            return
        covered = max(min(cells, MOST_COVERED), len(self.touched))
        self.words[k.COVERED] = covered
        _extend(self.slots, 4 * covered)
        _extend(self.seen, covered)
        _extend(self.touched, covered)


def _cells(xs: Iterable[int], ys: Iterable[int], width: int) -> Iterable[int]:
    return map(add, map(mul, ys, repeat(width)), xs)


def _walkers(cursors: array[int], width: int) -> Iterator[Walker]:
    """Cursors of the kernels as walkers."""
    for begin in range(0, len(cursors), k.CURSOR * SOME):
        some = cursors[begin : begin + k.CURSOR * SOME]
        cells, xs, ways, modes, hands, hand_xs = (some[i :: k.CURSOR] for i in range(k.CURSOR))
        dxs, dys = zip(*map(HEADINGS.__getitem__, ways), strict=True)
        ys, hand_ys = (map(floordiv, at, repeat(width)) for at in (cells, hands))
        names = map(MODES.__getitem__, modes)
        stances = map(_tuple, repeat(Stance), zip(xs, ys, dxs, dys, names, strict=True))
        places = zip(hand_xs, hand_ys, strict=True)
        yield from map(_tuple, repeat(Walker), zip(stances, places, strict=True))


def _extend(numbers: array[int], length: int) -> None:
    """Zeros behind, up to that length."""
    numbers.frombytes(bytes(numbers.itemsize * max(length - len(numbers), 0)))


_tuple = tuple.__new__  # a named tuple's own way of making one is twice as slow
