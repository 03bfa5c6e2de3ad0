"""The words for numbers of any length: bounded by memory, charged for their time, with pauses."""

from __future__ import annotations

from collections.abc import Callable
from re import Match, Pattern
from typing import Any

from ...core.base.deadline import OutOfTime, Pause
from ...core.limits import Limits
from ...core.numbers import long, pure
from ...core.numbers.numerals import from_decimal, longest_numeral, numeral_length, to_decimal
from ...core.state import State
from ...core.step import Spent, Stop
from ...core.stream import TooLong
from ...core.vocabulary import NumberWords

_SOME = 1 << 12  # numbers that are written between two pauses
_LEAST_SCAN = 1 << 16  # bytes of input that may be one word, however little memory there is


class Unfinished(Exception):
    """An instruction must not be finished; this tick does not count."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop


class LongNumbers(NumberWords):
    """A part of the words: those that read, write and compute whole numbers."""

    state: State
    limits: Limits
    effort: Callable[[Any], None]
    write: Callable[[bytes], None]
    _pause: Pause
    _scanned_from = 0
    """Where in the input the last numeral begins."""

    def scan(self, pattern: Pattern[bytes]) -> Match[bytes]:
        stream, longest = self.state.input, self.limits.longest_number
        self._scanned_from = stream.position
        try:
            return stream.scan(pattern, None if longest is None else max(longest, _LEAST_SCAN))
        except TooLong:
            raise Unfinished(Spent("memory")) from None

    def write_number(self, value: Any) -> None:
        memory = self.limits.memory
        if memory is not None and numeral_length(value) > memory:
            raise Unfinished(Spent("memory"))
        bits = value.bit_length()
        if bits > long.SHORT:
            self._work(long.cost_of_product(bits, bits))
        self.write(to_decimal(value, self._pause).encode())

    def write_numbers(self, values: Any, before: bytes, between: bytes, behind: bytes) -> None:
        room, written = self.limits.memory, bytearray(before)
        for begin in range(0, len(values), _SOME):
            self._pause()
            some = values[begin : begin + _SOME]
            if room is not None and len(written) + sum(map(numeral_length, some)) > room:
                raise Unfinished(Spent("memory"))
            written += between if begin else b""
            written += between.join([to_decimal(v, self._pause).encode() for v in some])
        self.effort(len(written) >> 5)
        self.write(bytes(written + behind))

    def times(self, y: Any, x: Any) -> Any:
        bits, others = y.bit_length(), x.bit_length()
        if bits + others <= long.SHORT:
            return y * x
        self._keep_short(bits + others)
        self._work(long.cost_of_product(bits, others))
        return long.product(y, x, self._pause)

    def quotient(self, y: Any, x: Any) -> Any:
        bits = y.bit_length()
        if bits <= long.SHORT:
            return pure.quotient(y, x)
        self._work(2 * long.cost_of_product(bits, x.bit_length()))
        return long.quotient(y, x, self._pause)

    def numeral(self, digits: bytes) -> Any:
        if len(digits) <= long.SHORT:
            return from_decimal(digits.decode() or "0")
        try:
            self._keep_short(longest_numeral(len(digits)))
            self._work(long.cost_of_product(len(digits), len(digits)))
            return from_decimal(digits.decode(), self._pause)
        except (Unfinished, OutOfTime):
            self.state.input.position = self._scanned_from  # nothing of it has happened
            raise

    def _work(self, cost: float) -> None:
        """Say how long it takes to compute with long numbers, in the words of `long`."""
        self.effort(int(cost) >> 11)

    def _keep_short(self, bits: int) -> None:
        """Stop before there is a number that would be too long."""
        longest = self.limits.longest_number
        if longest is not None and bits > longest:
            raise Unfinished(Spent("memory"))
