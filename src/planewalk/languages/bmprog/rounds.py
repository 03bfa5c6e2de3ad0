"""Signals that come round again.

Nothing on a board changes but where its signals are. Once those that have to do with each other are
where they have been before, they go on as they did then, and any number of such rounds is one jump.
Signals that have nothing to do with each other may take a different time for a round each; where
all of them are in a later cycle is put together from where each part of them is by then.

From time to time a run is followed for a while (see `groups.py`), twice as long as the last time.

On boards with streams a round holds until a symbol arrives or is asked for. What is written in one
is recorded as the run goes on, and repeated by jumps over whole rounds of all that writes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from copy import copy
from math import lcm
from typing import TYPE_CHECKING, NamedTuple, cast

from ...core.base.deadline import Deadline
from .flights import Flights
from .forms import Board, Codes, Form
from .groups import FollowedFlights
from .symbols import MOST_AT_ONCE, RoundOutput

if TYPE_CHECKING:
    from .symbols import Symbols

FIRST_LOOK = 64
"""Cycles for which a run is followed first."""
EARLY, SHARE = 40_000.0, 1 / 8
"""For so many microseconds a run may be followed for as long as it is not, later for that part."""
MOST_PARTS, MOST_CYCLES = 1_000, 1 << 24
"""How many parts there may be, and cycles of the rounds of all: each is walked by itself, so these
are fewer without machine code."""
PART = 30.0
"""Microseconds that it takes to put a part where it is later, beside those for its signals."""
MARKS, MOST_CODES = 16, 1 << 20
"""How many places of a round are remembered, so that the way to any other is short; fewer, if that
would be more codes."""


class Milestone(NamedTuple):
    """Where signals are some cycles later, and the bits that they have toggled by then."""

    cycles: int
    codes: Codes
    bits: int


class Part:
    """Signals that come round by themselves, and what they do on the way."""

    def __init__(self, marks: list[Milestone], end: Milestone, events: float) -> None:
        self._marks = marks
        self._end = end
        self.cycles = end.cycles
        """How long a round takes."""
        self.signals = len(end.codes)
        later = [mark.cycles for mark in [*marks[1:], end]]
        self.longest = max(to - mark.cycles for mark, to in zip(marks, later, strict=True))
        """The most cycles from a mark to the next."""
        self.pace = events / end.cycles
        """In how many cells something happens in a cycle."""
        self.writes = False
        """Whether any of them leaves at the bottom, or asks for a symbol."""

    @classmethod
    def tried(
        cls, form: Form, cycles: int, deadline: Deadline, symbols: Symbols | None = None
    ) -> Part | None:
        """Let signals go round; None if they do not come back, ask for a symbol that would come, or
        there is no time. Streams of the form are for trying alone."""
        begun, codes, bits, events = form.tick, form.codes(), 0, 0.0
        marks = [Milestone(0, codes, 0)]
        pieces = max(min(MARKS, MOST_CODES // len(codes)), 1)
        for i in range(1, pieces + 1):
            until = begun + cycles * i // pieces
            while form.tick < until:
                before = form.tick
                if form.run(until) is not None or deadline.left() <= 0:
                    return None
                if symbols is not None and symbols.drop_written():
                    return None
                events += form.events() * (form.tick - before)
            bits ^= form.take_bits()
            marks.append(Milestone(until - begun, array("q", form.codes()), bits))
        end = marks.pop()
        if set(end.codes) != set(codes):
            return None
        part = cls(marks, end, events)
        part.writes = symbols is not None and symbols.left > 0
        return part

    def before(self, cycles: int) -> Milestone:
        """The last mark before so many cycles are over: how long ago that is by then, and the bits
        that are toggled until it."""
        times, rest = divmod(cycles, self.cycles)
        mark = self._marks[bisect_right(self._marks, rest, key=lambda mark: mark.cycles) - 1]
        bits = mark.bits ^ (self._end.bits if times % 2 else 0)
        return Milestone(rest - mark.cycles, mark.codes, bits)


class Rounds:
    """A run that comes round, part by part."""

    def __init__(self, tick: int, parts: list[Part]) -> None:
        self.pace = sum(part.pace for part in parts)
        self._signals = sum(part.signals for part in parts)
        self._longest = max(part.longest for part in parts)
        self._parts = parts
        writing = [part.cycles for part in parts if part.writes]
        self.output_period = 2 * lcm(*writing) if writing else 0
        """After how many cycles all is written again, bits that are pending included; 0 if nothing
        ever is."""
        self._begun = tick
        self._last = (tick, 0)
        """The tick of the last jump, and the bits that were toggled until then."""

    def price(self, board: Board) -> float:
        """The most microseconds that a jump takes: signals enter twice, now and later, and fly on
        from their marks."""
        entering = PART * len(self._parts) + Flights.cost_of_change(board, self._signals)
        return 2 * (entering + self._longest * Flights.cost(board, self.pace))

    def jump(self, form: Form, board: Board, until: int) -> tuple[Form, int]:
        """The signals of a form at a later tick, and the bits that they have toggled by then."""
        tick, before = self._last
        if tick != form.tick:
            before = self._at(form.tick, board)[1]
        later, after = self._at(until, board)
        self._last = until, after
        bits = form.take_bits() ^ before ^ after
        if isinstance(form, Flights) and board.symbols is None:
            return later, bits
        return type(form)(board, until, later.codes()), bits

    def _at(self, tick: int, board: Board) -> tuple[Form, int]:
        """The signals at a tick, and the bits that they have toggled until then. They enter one
        part after the other, each at the time of its mark."""
        marks = [part.before(tick - self._begun) for part in self._parts]
        marks.sort(key=lambda mark: mark.cycles, reverse=True)
        form = Flights(board.silent, tick - marks[0].cycles, [])
        bits = 0
        for mark in marks:
            _run(form, tick - mark.cycles)
            form.enter(mark.codes)
            bits ^= mark.bits
        _run(form, tick)
        return form, bits ^ form.take_bits()


def _run(form: Form, until: int) -> None:
    while form.tick < until:
        form.run(until)


def rounds_of(form: FollowedFlights, board: Board, deadline: Deadline) -> Rounds | None:
    """The rounds that a form has come upon, if they hold when each part is walked by itself."""
    signals: dict[int, list[int]] = {}
    for cycles, code in zip(form.cycles(), form.codes(), strict=True):
        signals.setdefault(cycles, []).append(code)
    most, board = board.kernels.at_once(MOST_CYCLES), copy(board)
    if min(signals, default=0) <= 0 or len(signals) > MOST_PARTS or sum(signals) > most:
        return None
    parts = []
    for cycles, codes in _together(signals).items():
        if board.symbols is not None:
            board.symbols = board.symbols.trial()
        part = Part.tried(Flights(board, form.tick, codes), cycles, deadline, board.symbols)
        if part is None:
            return None
        parts.append(part)
    rounds = Rounds(form.tick, parts)
    return rounds if rounds.output_period <= most else None


def _together(signals: dict[int, list[int]]) -> dict[int, list[int]]:
    """Signals by the cycles of their rounds, where one of these divides another as one part."""
    found: dict[int, list[int]] = {}
    for cycles in sorted(signals, reverse=True):
        whole = next((more for more in found if more % cycles == 0), cycles)
        found.setdefault(whole, []).extend(signals[cycles])
    return found


class RoundFinder:
    """Has a run followed from time to time, and jumps over what is known."""

    def __init__(self) -> None:
        self.found: Rounds | None = None
        self._kind: type[Form] | None = None
        """While a run is followed, the form that it had before."""
        self._end = 0
        """The tick at which following ends."""
        self._look = FIRST_LOOK
        """How many cycles it takes next time."""
        self._spent = self._savings = 0.0
        """Microseconds that the run took otherwise, and that may be spent on following."""
        self._news: tuple[int, int] | None = None
        """What of streams a round depends on, as of the last look."""
        self._output: RoundOutput | None = None

    def go(self, form: Form, board: Board, until: int, deadline: Deadline) -> tuple[Form, int]:
        """The form to go on with, maybe at a later tick, and the bits that were toggled."""
        bits = 0
        fresh = board.symbols is not None and self._is_new(board.symbols)
        if self._kind is not None:
            if form.tick < self._end and not fresh:
                return form, 0
            if not fresh:
                self.found = rounds_of(cast(FollowedFlights, form), board, deadline)
            form, bits = self._changed(form, self.plain(form), board)
        if self.found is not None:
            if board.symbols is not None:
                until = self._written(self.found, board.symbols, form.tick, until)
            otherwise = (until - form.tick) * form.cost(board, self.found.pace)
            if otherwise > self.found.price(board):
                if self._output is not None:
                    self._output.repeat((until - form.tick) // self.found.output_period)
                form, more = self.found.jump(form, board, until)
                bits ^= more
        elif self._is_time(form, board):
            self._kind, self._end = type(form), form.tick + self._look
            self._look *= 2
            form, more = self._changed(form, FollowedFlights, board)
            bits ^= more
        return form, bits

    def _is_new(self, symbols: Symbols) -> bool:
        """Whether a symbol has arrived or been asked for: then no round is known any more."""
        news = symbols.arrived, symbols.due
        if news == self._news:
            return False
        self._news, self.found, self._output, symbols.tape = news, None, None, None
        return True

    def _written(self, rounds: Rounds, symbols: Symbols, tick: int, until: int) -> int:
        """The tick up to which it is known what will be written; recording comes first."""
        if symbols.due > 0:
            until = min(until, symbols.due - 1)
        if not rounds.output_period:
            return until
        if rounds.output_period * symbols.longest > MOST_AT_ONCE:
            return tick
        if self._output is None:
            self._output = RoundOutput(symbols, rounds.output_period)
        return tick + rounds.output_period * self._output.rounds(tick, until)

    def plain(self, form: Form) -> type[Form]:
        """Follow no more; gives the kind of form to go on with."""
        kind, self._kind = self._kind or type(form), None
        return kind

    def pause(self, tick: int, until: int) -> int:
        """Up to where to run before it is asked again."""
        if self._output is not None:
            return self._output.pause(tick, until)
        return until if self._kind is None else min(until, self._end)

    def took(self, microseconds: float) -> bool:
        """Note that the run went on for so long; whether it was followed."""
        if self._kind is not None:
            self._savings -= microseconds
            return True
        self._savings += microseconds * (1 if self._spent < EARLY else SHARE)
        self._spent += microseconds
        return False

    def _is_time(self, form: Form, board: Board) -> bool:
        """Whether to begin to follow now."""
        price, signals = self._look * FollowedFlights.cost(board, form.events()), form.signals()
        dear = self._savings <= price + FollowedFlights.cost_of_change(board, signals)
        return signals > 0 and not dear

    def _changed(self, form: Form, kind: type[Form], board: Board) -> tuple[Form, int]:
        return kind(board, form.tick, form.codes()), form.take_bits()
