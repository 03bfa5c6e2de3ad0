"""The symbols of a run between its state and the kernels: read ahead, and written a little later.

What kernels cannot do is left to the reference engine, for one cycle: to wait for input, to see its
end, and to read a numeral that is none or long.
"""

from __future__ import annotations

from array import array
from copy import copy
from typing import TYPE_CHECKING

from ...core.limits import Limits
from ...core.numbers.numerals import from_decimal, numeral_length, to_decimal
from ...core.state import State
from ...core.step import Spent, Stop
from .forms import numbers
from .kernels import layout as k
from .streams import ASK, BYTES, OVER, WORD

if TYPE_CHECKING:
    from ...core.barriers import Barriers, Event

MOST_SYMBOLS, MOST_WORDS = 1 << 13, 1 << 20
"""How many symbols are read ahead, or written, at once, and the words of all."""
MOST_DIGITS, MOST_BITS = 300, 4_096
"""Longer numerals are read by the reference engine, and numbers that may be longer are all its."""
LATEST = 1 << 60
"""Before this cycle symbols are due in kernels."""
MOST_AT_ONCE = 1 << 24
"""Bytes of output after which a run returns to its caller, and the most that is recorded."""


class Symbols:
    """The buffers of `kernels/streams.py`, for one state."""

    def __init__(self, state: State, limits: Limits) -> None:
        width: int = state.plane.width  # type: ignore[attr-defined]
        self._state, self._limits = state, limits
        self._bits = width - 1
        self._bytes = state.options["stream-as"] == BYTES
        self.longest = 1 if self._bytes else numeral_length(1 << self._bits) + 1
        """The most bytes that a symbol takes as output."""
        self._size = max((self._bits + 63) // 64, 1)
        """Words of the symbol that is pending."""
        self._words = 1 if self._bytes else self._size
        self._most = max(min(MOST_SYMBOLS, MOST_WORDS // self._words), 1)
        self._coming = array("Q", [0])
        self._leaving = array("Q", bytes(8 * (self._size + self._most * self._words)))
        self._ends: list[int] = []
        """Where in the input the numerals that have been read ahead end."""
        self._begin = self._noted = 0
        """Where the symbols that have been read ahead begin, and how many of them are read."""
        self._position = self._arrived = 0
        self._output = bytearray()
        """What the state does not know yet: how far was read, and what was written."""
        self.tape: bytearray | None = None
        """What was written since a recording began."""
        self._stops_at_input = self._stops_at_output = False
        every = state.options["stream"]
        stream = self.stream = numbers(k.STREAM)
        stream[k.EVERY], stream[k.MASK] = (0 if every == ASK else every), 255 if self._bytes else -1
        stream[k.WORDS], stream[k.WIDTH], stream[k.SIZE] = self._words, width, self._size

    def buffers(self) -> tuple[array[int], ...]:
        """What kernels are given."""
        return self.stream, self._coming, self._leaving

    @property
    def due(self) -> int:
        """When the next symbol arrives; see the register."""
        return self.stream[k.DUE]

    @property
    def arrived(self) -> int:
        """How many symbols had been read at the last trade."""
        return self._arrived

    @property
    def left(self) -> int:
        """How many signals of flights have left by a port that matters."""
        return self.stream[k.LEFT]

    @property
    def is_full(self) -> bool:
        """Whether so much was written that the caller should have it first."""
        return len(self._output) >= MOST_AT_ONCE

    def arm(self, barriers: Barriers | None) -> None:
        """Stop after a symbol that is written, and leave arrivals to the reference engine, where
        barriers are about those."""
        self._stops_at_input = barriers is not None and barriers.input
        self._stops_at_output = barriers is not None and barriers.output

    def events(self) -> list[Event]:
        """What has happened in the last cycle that the run stops at."""
        if not self._stops_at_output or not self._output:
            return []
        from ...core.barriers import Wrote  # only debuggers have barriers

        text = bytes(self._output)
        return [Wrote(text)] if self._bytes else [Wrote(text[:-1]), Wrote(text[-1:])]

    def are_ordinary(self) -> bool:
        """Whether registers hold what a run may come to; who edits them can store anything."""
        due, pending = self._state.registers["due"], self._state.registers["pending"]
        return bool(OVER <= due < LATEST and 0 <= pending < 1 << self._bits)

    def load(self) -> None:
        """Take over what the state says."""
        registers = self._state.registers
        self._position, self._arrived = self._state.input.position, registers["arrived"]
        self._output.clear()
        stream = self.stream
        stream[k.DUE] = registers["due"]
        stream[k.WRITTEN] = stream[k.ASKED] = stream[k.STROBE] = 0  # a run may have been cut off
        pending = registers["pending"].to_bytes(8 * self._size, "little")
        self._leaving[: self._size] = array("Q", pending)
        self._read_ahead(0)

    def save(self) -> None:
        """Have the state say what has come of it; until then it says nothing of that, so that a
        run can be interrupted."""
        registers = self._state.registers
        self._state.output += self._output
        self._state.input.position, registers["arrived"] = self._position, self._arrived
        registers["due"] = self.stream[k.DUE]
        registers["pending"] = int.from_bytes(self.pending().tobytes(), "little")

    def trial(self) -> Symbols:
        """The same to try out what signals do while no symbol is due."""
        twin = copy(self)
        twin._coming, twin._leaving = array("Q", [0]), self._leaving[:]
        twin.stream = stream = self.stream[:]
        stream[k.DUE], stream[k.ROOM] = min(stream[k.DUE], 0), self._most
        for number in (k.READ, k.COUNT, k.WRITTEN, k.LEFT):
            stream[number] = 0
        return twin

    def drop_written(self) -> bool:
        """Forget what a trial wrote; whether it has asked for a symbol."""
        self.stream[k.WRITTEN] = 0
        return self.due > 0

    def pending(self) -> array[int]:
        """The words of the symbol that is pending."""
        return self._leaving[: self._size]

    def repeat(self, text: bytes) -> None:
        """Write that beside what signals do."""
        self._output += text
        self._make_room()

    def times(self, text: bytes) -> int:
        """How many times that may be written: not so often that it would be too much."""
        rooms = [MOST_AT_ONCE - len(self._output), *self._rooms()]
        return 0 if self._stops_at_output else max(min(rooms) // len(text), 0)

    def is_stuck(self, tick: int) -> bool:
        """Whether the next cycle needs a symbol that cannot be read ahead."""
        stream = self.stream
        return stream[k.DUE] == tick + 1 and stream[k.READ] == stream[k.COUNT]

    def trade(self, tick: int, until: int) -> Stop | None:
        """Take what was written, and read ahead; gives the stop if that is too much output."""
        stream = self.stream
        self._note_read()
        count = stream[k.WRITTEN]
        if count:
            text = self._written(count)
            self._output += text
            if self.tape is not None:
                self.tape += text
        if stream[k.READ] == stream[k.COUNT] and tick < until and not self._stops_at_input:
            every = stream[k.EVERY] or 1
            self._read_ahead(min((until - tick) // every + 1, self._most))
        stream[k.WRITTEN] = 0
        rooms = self._make_room()
        if not count:
            return None
        if self._limits.output is not None and rooms[0] < 0:
            return Spent("output")
        return Spent("memory") if rooms and min(rooms) < 0 else None

    def _make_room(self) -> list[int]:
        """Let kernels write as much as certainly fits; gives how many bytes do, by each limit."""
        rooms, most = self._rooms(), 1 if self._stops_at_output else self._most
        self.stream[k.ROOM] = max(min([most, *(room // self.longest for room in rooms)]), 1)
        return rooms

    def _rooms(self) -> list[int]:
        """How many bytes may still be written by each limit, that of all output first."""
        state, limits, written = self._state, self._limits, len(self._output)
        rooms = [] if limits.output is None else [limits.output - state.written - written]
        if limits.memory is not None:
            rooms.append(limits.memory - len(state.output) - written)
        return rooms

    def _note_read(self) -> None:
        """Note how far the input was read."""
        read = self.stream[k.READ]
        if read > self._noted:
            self._position = self._begin + read if self._bytes else self._ends[read - 1]
            self._arrived += read - self._noted
            self._noted = read

    def _read_ahead(self, most: int) -> None:
        """Read at most so many symbols, without the state knowing."""
        source = self._state.input
        self._begin, self._noted, self._ends = self._position, 0, []
        first = self._position - source.dropped
        if self._bytes:
            data = source.data[first : first + most]
            widened = bytearray(8 * len(data))
            widened[::8] = data
            self._coming = array("Q", bytes(widened))
        else:
            self._coming = self._numerals(first, most)
        self.stream[k.READ], self.stream[k.COUNT] = 0, len(self._coming) // self._words
        self._coming.append(0)  # no buffer is empty

    def _numerals(self, first: int, most: int) -> array[int]:
        source, mask = self._state.input, (1 << self._bits) - 1
        found: array[int] = array("Q")
        while len(self._ends) < most:
            match = WORD.match(source.data, first)
            assert match is not None  # it may be empty
            word, first = match[1], match.end()
            if not word.isdigit() or len(word) > MOST_DIGITS:
                break
            if first == len(source.data) and not source.closed:
                break
            symbol = from_decimal(word.decode()) & mask
            found.frombytes(symbol.to_bytes(8 * self._words, "little"))
            self._ends.append(source.dropped + first)
        return found

    def _written(self, count: int) -> bytes:
        symbols = self._leaving[self._size : self._size + count * self._words]
        if self._bytes:
            return symbols.tobytes()[::8]
        if self._words == 1:
            return b"".join([b"%d\n" % symbol for symbol in symbols])
        data, size = symbols.tobytes(), 8 * self._words
        parts = (data[at : at + size] for at in range(0, len(data), size))
        lines = (to_decimal(int.from_bytes(part, "little")) for part in parts)
        return "".join([f"{line}\n" for line in lines]).encode()


class RoundOutput:
    """What a run writes in a round, which is then known of every round."""

    def __init__(self, symbols: Symbols, cycles: int) -> None:
        self._symbols, self._cycles = symbols, cycles
        self._begun = -1
        """The tick at which a round began, by which all others are known to begin."""
        self._pending: array[int] | None = None
        """What is pending then."""
        self._text: bytes | None = None

    def rounds(self, tick: int, until: int) -> int:
        """How many rounds that begin now it may write at once."""
        symbols, since = self._symbols, tick - self._begun
        if self._text is None and since == self._cycles:
            self._text, symbols.tape = bytes(symbols.tape or b""), None
        if self._text is None and 0 <= since < self._cycles and self._pending is not None:
            return 0
        if self._text is None or (since % self._cycles == 0 and self._pending != symbols.pending()):
            self._begin(tick)
            return 0
        times = 0 if since % self._cycles else (until - tick) // self._cycles
        return min(times, symbols.times(self._text)) if self._text else times

    def _begin(self, tick: int) -> None:
        symbols = self._symbols
        self._begun, self._pending, self._text = tick, symbols.pending(), None
        symbols.tape = bytearray()

    def pause(self, tick: int, until: int) -> int:
        """Up to where to run before it is asked again: the beginning of a round."""
        ahead = (self._begun - tick) % self._cycles
        if self._text is None:
            return min(tick + (ahead or self._cycles), until)
        return tick + ahead if ahead and tick + ahead + self._cycles <= until else until

    def repeat(self, rounds: int) -> None:
        """Write what that many rounds write."""
        self._symbols.repeat((self._text or b"") * rounds)


def symbols_of(state: State, limits: Limits) -> Symbols | None:
    """The symbols of a run, if kernels can have them."""
    width: int = state.plane.width  # type: ignore[attr-defined]
    every = state.options["stream"]
    if every != ASK and every >= LATEST:
        return None
    if state.options["stream-as"] == BYTES:
        return Symbols(state, limits)
    longest = numeral_length(1 << width)
    fits = limits.memory is None or longest < limits.memory
    return Symbols(state, limits) if width <= MOST_BITS and fits else None
