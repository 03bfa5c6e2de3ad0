"""Pi and logarithms to many bits, from whole numbers alone.

A number to so many bits is a whole number here: the real one times 2 to the power `bits`.
"""

from __future__ import annotations

from collections.abc import Iterator


def pi(bits: int) -> int:
    """Machin's way: 16 atan(1/5) - 4 atan(1/239)."""
    more = bits + 8
    return (16 * _odd_powers(1, 5, more, -1) - 4 * _odd_powers(1, 239, more, -1)) >> 8


def log(above: int, below: int, bits: int) -> int:
    """The logarithm of a fraction not far from 1: twice atanh of (above - below) / their sum."""
    return 2 * _odd_powers(above - below, above + below, bits + 8, 1) >> 8


def _odd_powers(numerator: int, denominator: int, bits: int, sign: int) -> int:
    """The sum of the odd powers of a fraction, each divided by its exponent: atanh, or with
    changing signs atan."""
    power, total, exponent = (numerator << bits) // denominator, 0, 1
    above, below = sign * numerator**2, denominator**2
    while power > 0 or power < -1:  # rounding down, it gets no nearer to 0 than -1
        total += power // exponent
        power = power * above // below
        exponent += 2
    return total


def in_parts(number: int, bits: int, *places: int) -> Iterator[float]:
    """A number as a sum of floats, each cut off after so many binary places but the last."""
    for place in places:
        rest = number & ((1 << (bits - place)) - 1)
        yield (number - rest) / (1 << bits)
        number = rest
    yield number / (1 << bits)


def in_digits(number: int, bits: int, size: int, count: int) -> Iterator[int]:
    """The first digits of so many bits each behind the point."""
    for i in range(1, count + 1):
        yield number >> (bits - size * i) & ((1 << size) - 1)
