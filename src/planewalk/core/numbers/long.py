"""Products and quotients of long numbers, in pieces that take some hundredths of a second at most.

Python's own arithmetic is as exact, but nothing can interrupt it: dividing numbers of a million
digits takes minutes. Here long numbers are taken apart, and between the pieces there is a pause
(see `deadline.py`). Pieces are small enough for Python, so short numbers lose nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.deadline import Pause

SHORT = 1 << 12  # numbers of so many bits are nothing to speak of, whatever is done with them
_EASY_PRODUCT = 1 << 26
_EASY_QUOTIENT = 1 << 30
_EASY_DIVISOR = 1 << 14
"""Divisors of so many bits are for Python: taking them apart would take longer."""

Join = Callable[[Any, int], Any]
Divide = Callable[[int, int, int, Pause], tuple[int, int]]
Part = Callable[[Any, int], tuple[Any, Any]]


def cost_of_product(longer: int, shorter: int) -> float:
    """How much work a product of numbers of so many digits is, in units of its own."""
    cost: float = longer * shorter**0.585
    return cost


def product(y: int, x: int, pause: Pause) -> int:
    """y * x."""
    result: int = multiply(
        abs(y), abs(x), y.bit_length(), x.bit_length(), _easy, _part, _join, pause
    )
    return result if (y < 0) == (x < 0) else -result


def multiply(
    y: Any, x: Any, long: int, short: int, easy: Callable[[int, int], bool], part: Part, join: Join,
    pause: Pause,
) -> Any:  # fmt: skip
    """y * x, which have so many digits at most, for any kind of digit.

    `part(n, at)` are the digits of n above a place and those below, `join(n, at)` is n with so many
    zeros behind it.
    """
    if long < short:
        y, x, long, short = x, y, short, long
    if easy(long, short):
        pause()
        return y * x

    def times(a: Any, b: Any, digits: int, others: int) -> Any:
        return multiply(a, b, digits, others, easy, part, join, pause)

    half = (long + 1) // 2
    upper, lower = part(y, half)
    if short <= half:
        return join(times(upper, x, half, short), half) + times(lower, x, half, short)
    # Three products instead of four: the one of the sums has what is still needed of the others.
    above, below = part(x, half)
    high, low = times(upper, above, half, half), times(lower, below, half, half)
    middle = times(upper + lower, above + below, half + 1, half + 1) - high - low
    return join(join(high, half) + middle, half) + low


def _easy(longer: int, shorter: int) -> bool:
    return cost_of_product(longer, shorter) < _EASY_PRODUCT


def _part(number: int, at: int) -> tuple[int, int]:
    upper = number >> at
    return upper, number ^ (upper << at)


def _join(number: int, zeros: int) -> int:
    return number << zeros


def quotient(y: int, x: int, pause: Pause) -> int:
    """y / x, cut off towards zero."""
    result = divide(abs(y), abs(x), pause)[0]
    return result if (y < 0) == (x < 0) else -result


def divide(y: int, x: int, pause: Pause) -> tuple[int, int]:
    """Quotient and remainder of two numbers that are not negative."""
    size = x.bit_length()
    if _is_easy(y.bit_length(), size):
        pause()
        return divmod(y, x)
    if size <= _EASY_DIVISOR:
        return _by_digits(y, x, _EASY_QUOTIENT // size, _divmod, pause)
    return _by_digits(y, x, size, _two_by_one, pause)


def _by_digits(y: int, x: int, size: int, divide: Divide, pause: Pause) -> tuple[int, int]:
    """Divide digit by digit, each of so many bits, from the first to the last, as on paper."""
    found, rest = [], 0
    for digit in _to_digits(y, size, -(-y.bit_length() // size)):
        upper, rest = divide((rest << size) | digit, x, size, pause)
        found.append(upper)
    return _from_digits(found, size), rest


def _divmod(y: int, x: int, size: int, pause: Pause) -> tuple[int, int]:
    pause()
    return divmod(y, x)


def _to_digits(number: int, size: int, count: int) -> list[int]:
    """So many digits of so many bits, the first one first."""
    if count == 1:
        return [number]
    half = count // 2
    upper, lower = _part(number, half * size)
    return _to_digits(upper, size, count - half) + _to_digits(lower, size, half)


def _from_digits(digits: list[int], size: int) -> int:
    """The number that has these digits."""
    if len(digits) == 1:
        return digits[0]
    half = len(digits) // 2
    upper = _from_digits(digits[:-half], size)
    return (upper << half * size) | _from_digits(digits[-half:], size)


def _is_easy(bits: int, divisor: int) -> bool:
    return divisor * max(bits - divisor, 0) < _EASY_QUOTIENT


def _two_by_one(y: int, x: int, size: int, pause: Pause) -> tuple[int, int]:
    """Divide a number of two digits by one of one digit, which begins with a one bit; the first
    digit is less than the divisor. Each half of the quotient is found from the upper half of the
    divisor, and corrected."""
    if size <= _EASY_DIVISOR:
        return _divmod(y, x, size, pause)
    if size & 1:  # both halves must be equally long
        found, rest = _two_by_one(y << 1, x << 1, size + 1, pause)
        return found, rest >> 1
    half = size // 2
    upper, lower = _part(y, size)
    third, fourth = _part(lower, half)
    first, rest = _three_by_two((upper, third), x, half, pause)
    second, rest = _three_by_two((rest, fourth), x, half, pause)
    return (first << half) | second, rest


def _three_by_two(y: tuple[int, int], x: int, half: int, pause: Pause) -> tuple[int, int]:
    """Divide a number of three halves, the first two in one, by one of two halves."""
    upper, lower = y
    above, below = _part(x, half)
    if upper >> half >= above:
        found, rest = (1 << half) - 1, upper - (above << half) + above
    else:
        found, rest = _two_by_one(upper, above, half, pause)
    rest = ((rest << half) | lower) - product(found, below, pause)
    while rest < 0:  # twice at most
        found, rest = found - 1, rest + x
    return found, rest
