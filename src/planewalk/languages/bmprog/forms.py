"""The forms that BMProg's own engine holds signals in, in plain Python.

- `Flights`: for each signal only the cell where something happens next, and the cycle in which it
  does. Cells without an instruction cost nothing, since signals pass through each other there.
- `Planes`: one long integer for each way signals go, one bit a cell. A cycle is some forty
  operations on them, however many signals there are.

Cells are known by their place: rows one after the other, each with column -1 in front of it, so
that signals can stand there, and so that a step over the edge never lands on another row's cell.

A board may be watched: then forms stop when a signal arrives as one of its watched codes. Flights
take the cells of those for instructions, so that signals do not fly past them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property, partial, reduce
from heapq import heappop, heappush
from operator import or_
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from ...core.plane import BoardPlane
from ...core.step import Halted, Stop
from .rules import LANGUAGE
from .truth import HEADINGS as HEADINGS
from .truth import KINDS, bits, departure

SPLIT = ord("*")
_ACTIVE = bytes(letter in KINDS for letter in range(256))

WAIT = 4  # in a code: the signal is waiting
_KNOWN = 1 << 18
_COLUMNS = 1 << 26

# Measured, in microseconds: they decide which form is cheaper, never what happens.
_EVENT = 0.5
_CYCLE = 3.0
_CELL_OF_CYCLE = 0.0003
_CELL_OF_CHANGE = 0.03
_SIGNAL_OF_CHANGE = 2.0
EVENTS_AT_ONCE = 2_000
_CYCLES_AT_ONCE = 64
_CELLS_AT_ONCE = 1 << 26

Codes = Sequence[int]
"""Signals as numbers: place * 8, and `WAIT` if it waits, and its way."""

Event = int
"""place * 16 + the set of ways by which signals reach an instruction, or ~ of it for one that
leaves."""

Made = TypeVar("Made")


class PlaceMasks(NamedTuple):
    """Sets of places, as long integers with a bit for each."""

    right: int
    down: int
    level: int
    """Direction cells that say right or left."""
    steep: int
    """Direction cells that say up or down."""
    split: int
    plain: int
    """Cells of the board without an instruction."""
    inside: int
    """All cells of the board."""
    entry: int
    """Column -1."""
    exits: int
    """Where a step to the right over the edge leads: column -1 of the row below."""


class Board:
    """The cells of a board, and what lies in which direction."""

    def __init__(self, plane: BoardPlane) -> None:
        self.width, self.height, self.cells = plane.width, plane.height, plane.data
        self.stride = plane.width + 1
        self.steps = (1, self.stride, -1, -self.stride)
        self._active = plane.data.translate(_ACTIVE)
        self._columns: dict[int, bytes] = {}
        self._made: dict[Any, Any] = {}
        self.watched: frozenset[int] = frozenset()
        """Codes of signals that a run stops at."""

    def watching(self, codes: frozenset[int]) -> Board:
        """The same board with these codes watched; none of them is in column -1."""
        board = copy(self)
        vars(board).pop("instructions", None)
        active = bytearray(board.cells.translate(_ACTIVE))
        for code in codes:
            y, x = divmod(code >> 3, self.stride)
            active[y * self.width + x - 1] = 1
        board._active, board._columns, board._made = bytes(active), {}, {}
        board.watched = codes
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

    def acts(self, place: int) -> bool:
        """Whether signals do not simply pass there."""
        y, x = divmod(place, self.stride)
        return x > 0 and bool(self._active[y * self.width + x - 1])

    def coming(self, place: int, way: int) -> tuple[int, Event]:
        """The next event of a signal that leaves this place, and how many cycles later it is.

        That is to reach an instruction, or to leave from the last cell before the edge.
        """
        y, x = divmod(place, self.stride)
        x -= 1
        if way & 1:
            found = _next(self._column(x), y, 0, self.height, way)
            distance = abs((self._end(way) if found < 0 else found) - y)
        else:
            begin = y * self.width
            found = _next(self._active, begin + x, begin, begin + self.width, way)
            distance = abs((self._end(way) if found < 0 else found - begin) - x)
        event = (place + distance * self.steps[way]) * 16 + (1 << way)
        return distance, event if found >= 0 else ~event

    def _end(self, way: int) -> int:
        """The last column or row that way."""
        return (self.width - 1, self.height - 1, 0, 0)[way]

    def _column(self, x: int) -> bytes:
        found = self._columns.get(x)
        if found is None:
            if len(self._columns) * (self.height + 200) > _COLUMNS:
                self._columns.clear()
            found = self._columns[x] = self._active[x :: self.width]
        return found

    @cached_property
    def masks(self) -> PlaceMasks:
        """The cells of each kind."""
        width, height, stride = self.width, self.height, self.stride
        spread = bytearray(self.size)  # by place, column -1 holds 0
        if width < height:
            for x in range(width):
                spread[x + 1 :: stride] = self.cells[x : width * height : width]
        else:
            for y in range(height):
                spread[y * stride + 1 : (y + 1) * stride] = self.cells[y * width : (y + 1) * width]
        spread.reverse()  # the last digit of a numeral is the smallest
        right, down, left, up, split, void = (_mask(spread, letter) for letter in KINDS)
        entry = _mask(spread, 0)
        inside = (1 << self.size) - 1 ^ entry
        level, steep = right | left, up | down
        plain = inside ^ (level | steep | split | void)
        return PlaceMasks(right, down, level, steep, split, plain, inside, entry, entry << stride)


def _next(line: bytes, at: int, begin: int, end: int, way: int) -> int:
    """The next instruction in a line, from `at` towards its end or its begin; -1 if none."""
    return line.find(1, at + 1, end) if way < 2 else line.rfind(1, begin, at)


def _mask(spread: bytearray, letter: int) -> int:
    digits = bytearray(b"0" * 256)
    digits[letter] = ord("1")
    return int(spread.translate(digits), 2)


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

    def landed(self) -> bool:
        """Whether one that is watched has arrived with the last cycle."""

    def events(self) -> float:
        """In how many cells something happens in a cycle, as of late."""

    def take_bits(self) -> int:
        """The bits of the value that exits have toggled since the last time."""

    def frozen(self) -> tuple[Callable[[], int], Callable[[], Codes]]:
        """How many signals there are now, and which, for whoever asks later."""

    @staticmethod
    def follower() -> type[FollowedForm]:
        """The form in which signals of this one are followed."""


class EnteredForm(Form, Protocol):
    """A form that signals may enter later."""

    def enter(self, codes: Codes) -> None:
        """Add signals that are there now."""


class FollowedForm(Form, Protocol):
    """A form that follows signals from when it was made. See `groups.py`."""

    plain: ClassVar[type[EnteredForm]]
    """The same without following."""
    all_round: bool
    """Whether every group of signals has come round; `run` ends when that is so."""

    def cycles(self) -> list[int]:
        """How long that took the group of each signal, in the order of `frozen`."""


class Flights:
    """Signals by what they meet next, and when. See `Form`."""

    def __init__(self, board: Board, tick: int, codes: Codes) -> None:
        self.board = board
        self.tick = tick
        self.work = 0
        """How many events were handled."""
        self._before = (tick, 0)
        self._rows: set[int] = set()
        self._known: dict[Event, tuple[tuple[int, Event], ...]] = {}
        self._calendar: dict[int, list[Event]] = {}
        """The events of every cycle that has some; a cycle's number is the tick before it."""
        self._cycles: list[int] = []
        """The same cycles as a heap."""
        self._arrivals = {_arrival(code) for code in board.watched if not code & WAIT}
        """Events that are watched."""
        self._splits = {event for code in board.watched for event in _splits(board, code)}
        """Events after which a signal waits that is watched."""
        self._waited_at = -1
        """When such a one waited last."""
        self.enter(codes)

    @staticmethod
    def cost(board: Board, events: float) -> float:
        return (events + min(events, 1)) * _EVENT

    @staticmethod
    def cost_of_change(board: Board, signals: int) -> float:
        return _CELL_OF_CHANGE * board.size + _SIGNAL_OF_CHANGE * signals

    def enter(self, codes: Codes) -> None:
        for code in codes:
            place, way = code >> 3, code & 3
            if code & WAIT or not self.board.acts(place):
                delay, event = self.board.coming(place, way)
            else:
                delay, event = 0, place * 16 + (1 << way)
            self._note(self.tick + delay, event)

    def _note(self, cycle: int, event: Event) -> None:
        if cycle not in self._calendar:
            self._calendar[cycle] = []
            heappush(self._cycles, cycle)
        self._calendar[cycle].append(event)

    def run(self, until: int) -> Stop | None:
        self._before = (self.tick, self.work)
        calendar, cycles, known = self._calendar, self._cycles, self._known
        arrivals, splits = self._arrivals, self._splits
        enough = self.work + EVENTS_AT_ONCE
        while cycles[0] < until:
            cycle = cycles[0]
            events = calendar[cycle]
            if arrivals and cycle > self.tick and not arrivals.isdisjoint(events):
                until = cycle
                break
            heappop(cycles)
            if len(events) > 1:
                events = calendar[cycle] = self._together(events)
            ended = False
            for event in events:  # which may grow: a signal can leave as soon as it has turned
                if event < 0:
                    ended |= self._leave(~event)
                    continue
                following = known.get(event)
                if following is None:
                    following = self._look_up(event)
                for delay, coming in following:
                    at = cycle + delay
                    if at in calendar:
                        calendar[at].append(coming)
                    else:
                        calendar[at] = [coming]
                        heappush(cycles, at)
            del calendar[cycle]
            self.work += len(events)
            if ended or not calendar:
                self.tick = cycle + 1
                return Halted() if ended else LANGUAGE.rules.deserted
            if splits and not splits.isdisjoint(events):
                until = self._waited_at = cycle + 1
            if self.work > enough:
                self.tick = cycle + 1
                return None
        self.tick = until
        return None

    def landed(self) -> bool:
        arrived = self._calendar.get(self.tick, ())
        return self._waited_at == self.tick or not self._arrivals.isdisjoint(arrived)

    def _together(self, events: list[Event]) -> list[Event]:
        """The events of one cycle, those in one cell as one."""
        acting = [event for event in events if event >= 0]
        if len({event >> 4 for event in acting}) == len(acting):
            return events
        met: dict[int, Event] = {}
        for event in acting:
            met[event >> 4] = met.get(event >> 4, 0) | event
        return [*met.values(), *(event for event in events if event < 0)]

    def _leave(self, event: Event) -> bool:
        """Count an exit; whether it ends the program."""
        if event & 15 != 1:  # not to the right
            return False
        row = (event >> 4) // self.board.stride
        self._rows ^= {row}
        return row == 0

    def _look_up(self, event: Event) -> tuple[tuple[int, Event], ...]:
        """What signals that reach an instruction become: the next events, and their delays."""
        if len(self._known) > _KNOWN:
            self._known.clear()
        place, following = event >> 4, []
        for wait, ways in enumerate(departure(self.board.letter(place), event & 15)):
            for way in bits(ways):
                delay, coming = self.board.coming(place, way)
                following.append((delay + wait, coming))
        self._known[event] = found = tuple(following)
        return found

    def events(self) -> float:
        tick, work = self._before
        return (self.work - work) / max(self.tick - tick, 1)

    def take_bits(self) -> int:
        toggles = bytearray(max(self._rows, default=0) // 8 + 1)
        for row in self._rows:
            toggles[row // 8] |= 1 << row % 8
        self._rows.clear()
        return int.from_bytes(toggles, "little") >> 1

    def frozen(self) -> tuple[Callable[[], int], Callable[[], Codes]]:
        flying = [(cycle - self.tick, events[:]) for cycle, events in self._calendar.items()]
        return partial(_count_of_flights, flying), partial(_codes_of_flights, self.board, flying)

    @staticmethod
    def follower() -> type[FollowedForm]:
        from .groups import FollowedFlights  # which is made of this one

        return FollowedFlights


def _arrival(code: int) -> Event:
    return (code >> 3) * 16 + (1 << (code & 3))


def _splits(board: Board, code: int) -> Iterator[Event]:
    """The events after which a signal waits in that way, if the code is of one that does."""
    place, way = code >> 3, code & 3
    for ways in range(1, 16 if code & WAIT else 1):
        if departure(board.letter(place), ways).later >> way & 1:
            yield place * 16 + ways


def _count_of_flights(flying: list[tuple[int, list[Event]]]) -> int:
    return sum(len(events) for _, events in flying)


def _codes_of_flights(board: Board, flying: list[tuple[int, list[Event]]]) -> Codes:
    codes = []
    for left, events in flying:
        ways = {1 << way: way - 8 * left * step for way, step in enumerate(board.steps)}
        for event in events:
            leaving = event < 0
            if leaving:
                event = ~event
            code = (event >> 4 << 3) + ways[event & 15]
            # On an instruction, and not to act there: it was split in the cycle before.
            if (left or leaving) and board.letter(code >> 3) == SPLIT:
                code += WAIT
            codes.append(code)
    return codes


class Signals(NamedTuple):
    """Signals as long integers, by way. The copies that wait in a split come in pairs.

    Signals that left by the left or the bottom are there for one more cycle, outside.
    """

    right: int
    down: int
    left: int
    up: int
    sideways: int
    """Places where one waits to go left, and one to go right."""
    upright: int
    """Places where one waits to go up, and one to go down."""


class Planes:
    """Signals as sets of places. See `Form`."""

    def __init__(self, board: Board, tick: int, codes: Codes) -> None:
        self.board = board
        self.tick = tick
        self._exits = 0
        """The places of `Masks.exits` that an odd number of signals left by."""
        self._signals = _signals(board, codes)
        self._watched = board.made(_watched)

    @staticmethod
    def cost(board: Board, events: float) -> float:
        return _CYCLE + _CELL_OF_CYCLE * board.size

    @staticmethod
    def cost_of_change(board: Board, signals: int) -> float:
        return _CELL_OF_CHANGE * board.size + _SIGNAL_OF_CHANGE * signals

    def run(self, until: int) -> Stop | None:
        to_right, to_down, level, steep, split, plain, inside, entry, exits = self.board.masks
        stride, enter = self.board.stride, plain | entry
        end, ended = 1 << stride, False
        right, down, left, up, sideways, upright = self._signals
        left_by, tick = self._exits, self.tick
        most = max(_CELLS_AT_ONCE // self.board.size, 1)
        until = min(until, tick + min(_CYCLES_AT_ONCE, most))
        watched = self._watched.places
        while tick < until:
            across, along = right | left, up | down
            steered = across | along
            if (
                watched
                and tick > self.tick
                and (steered | sideways | upright) & watched
                and self._watched.catches(Signals(right, down, left, up, sideways, upright))
            ):
                break
            several = right & left | up & down | across & along
            turn, fall = steered & level, steered & steep
            # Where several meet, `several` swaps the way of the cell for its opposite.
            turn_right, turn_down = turn & (to_right ^ several), fall & (to_down ^ several)
            right = (right & enter | turn_right | sideways) << 1
            left = (left & plain | turn ^ turn_right | sideways) >> 1
            down = (down & plain | turn_down | upright) << stride
            up = (up & plain | fall ^ turn_down | upright) >> stride
            sideways, upright = along & split, across & split
            tick += 1
            leaving = right & exits
            if leaving:
                right ^= leaving
                left_by ^= leaving
                if leaving & end:
                    ended = True
                    break
            if not (right or up or sideways or upright or (left | down) & inside):
                break
        self._signals = Signals(right, down, left, up, sideways, upright)
        self._exits, self.tick = left_by, tick
        if ended:
            return Halted()
        return None if self._any() else LANGUAGE.rules.deserted

    def landed(self) -> bool:
        return self._watched.catches(self._signals)

    def _any(self) -> bool:
        right, down, left, up, sideways, upright = self._signals
        alive = right or up or sideways or upright or (left | down) & self.board.masks.inside
        return bool(alive)

    def events(self) -> float:
        right, down, left, up, _, _ = self._signals
        masks = self.board.masks
        return ((right | down | left | up) & (masks.inside ^ masks.plain)).bit_count()

    def take_bits(self) -> int:
        stride = self.board.stride
        rows = f"{self._exits:b}"[::-1][2 * stride :: stride]  # without row 0
        self._exits = 0
        return int(rows[::-1] or "0", 2)

    def frozen(self) -> tuple[Callable[[], int], Callable[[], Codes]]:
        arguments = (self._signals, self.board.masks.inside)
        return partial(_count_of_planes, *arguments), partial(_codes_of_planes, *arguments)

    @staticmethod
    def follower() -> type[FollowedForm]:
        return Flights.follower()


class WatchedPlaces(NamedTuple):
    """The watched codes of a board as sets of places."""

    signals: Signals
    places: int

    def catches(self, signals: Signals) -> bool:
        """Whether one of these is watched."""
        return any(these & those for these, those in zip(self.signals, signals, strict=True))


def _watched(board: Board) -> WatchedPlaces:
    signals = _signals(board, board.watched)
    return WatchedPlaces(signals, reduce(or_, signals))


def _signals(board: Board, codes: Iterable[int]) -> Signals:
    """Codes as sets."""
    sets = [bytearray(board.size // 8 + 1) for _ in range(6)]
    for code in codes:
        which = 4 + (code & 1) if code & WAIT else code & 3
        sets[which][code >> 6] |= 1 << (code >> 3 & 7)
    return Signals(*(int.from_bytes(places, "little") for places in sets))


def _count_of_planes(signals: Signals, inside: int) -> int:
    right, down, left, up, sideways, upright = signals
    alone = (right, down & inside, left & inside, up)
    pairs = sideways.bit_count() + upright.bit_count()
    return sum(places.bit_count() for places in alone) + 2 * pairs


def _codes_of_planes(signals: Signals, inside: int) -> Codes:
    right, down, left, up, sideways, upright = signals
    codes: list[int] = []
    for way, places in enumerate((right, down & inside, left & inside, up)):
        codes += [place * 8 + way for place in _places(places)]
    for way, places in enumerate((sideways, upright)):
        for place in _places(places):
            codes += (place * 8 + WAIT + way, place * 8 + WAIT + (way ^ 2))
    return codes


def _places(bits: int) -> list[int]:
    return [found.start() for found in re.finditer("1", f"{bits:b}"[::-1])]
