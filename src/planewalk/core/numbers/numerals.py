"""Decimal numerals of whole numbers of any length, both ways.

Python refuses to convert more than 4,300 digits at once, as a guard against slow input, and
needs time that grows with the square of the length. Halving the number and putting the halves
together in `decimal` arithmetic lifts both limits without touching the process-wide setting. What
takes long is done in pieces, with pauses between them (see `deadline.py`).
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ..base.deadline import Pause, no_pause
from . import long

if TYPE_CHECKING:
    from decimal import Decimal

_EASY_DIGITS = 4_000
_EASY_BITS = 13_000  # fewer than 4,000 digits
_EASY_DECIMALS = 1_000_000
"""Digits of a product that `decimal` finds in some hundredths of a second."""
_DIGITS_PER_BIT = math.log10(2)


def to_decimal(number: int, pause: Pause = no_pause) -> str:
    """The numeral of `number`, whatever its length."""
    if number.bit_length() <= _EASY_BITS:
        return str(number)
    import decimal

    magnitude = abs(number)
    powers: dict[int, decimal.Decimal] = {}

    def times(y: decimal.Decimal, x: decimal.Decimal) -> decimal.Decimal:
        digits = y.adjusted() + 1, x.adjusted() + 1
        found: decimal.Decimal = long.multiply(y, x, *digits, _easy, _part, _join, pause)
        return found

    def power(bits: int) -> decimal.Decimal:
        if bits not in powers:
            if bits <= 64:
                powers[bits] = decimal.Decimal(1 << bits)
            else:
                powers[bits] = times(power(bits // 2), power(bits - bits // 2))
        return powers[bits]

    def convert(value: int, bits: int) -> decimal.Decimal:
        if bits <= 1_000:
            return decimal.Decimal(value)
        low = bits // 2
        upper = convert(value >> low, bits - low)
        return times(upper, power(low)) + convert(value & ((1 << low) - 1), low)

    with decimal.localcontext() as context:
        context.prec = decimal.MAX_PREC
        context.Emax, context.Emin = decimal.MAX_EMAX, decimal.MIN_EMIN
        context.traps[decimal.Inexact] = True
        digits = str(convert(magnitude, magnitude.bit_length()))
    return "-" + digits if number < 0 else digits


def both_ends(number: int, digits: int) -> str:
    """The first and the last of its digits, exactly, with a mark for those between."""
    if number.bit_length() <= _EASY_BITS:
        text = str(number)
    else:
        sign, magnitude = "-" if number < 0 else "", abs(number)
        first = _first_digits(magnitude, digits - len(sign))
        if first is not None:
            return f"{sign}{first}…{magnitude % 10**digits:0{digits}d}"
        text = to_decimal(number)
    return f"{text[:digits]}…{text[-digits:]}"


def _first_digits(number: int, digits: int) -> str | None:
    """The first digits of a long number; None where only all of it would tell. Whatever its last
    bits are, it lies between two numbers that are quickly known."""
    import decimal

    known = 4 * digits + 64
    low = number.bit_length() - known
    with decimal.localcontext() as context:
        context.prec = 2 * digits + 40
        context.Emax, context.Emin = decimal.MAX_EMAX, decimal.MIN_EMIN
        scale = decimal.Decimal(2) ** low
        near = ((number >> low) - 1, (number >> low) + 2)
        found = {str((scale * least).as_tuple().digits[:digits]) for least in near}
        if len(found) > 1:
            return None
        return "".join(map(str, (scale * near[0]).as_tuple().digits[:digits]))


def _easy(longer: int, shorter: int) -> bool:
    return longer + shorter < _EASY_DECIMALS


def _part(number: Decimal, at: int) -> tuple[Decimal, Decimal]:
    upper = number.shift(-at)
    return upper, number - upper.scaleb(at)


def _join(number: Decimal, zeros: int) -> Decimal:
    return number.scaleb(zeros)


def from_decimal(digits: str, pause: Pause = no_pause) -> int:
    """The number a string of the digits 0 to 9, perhaps with a leading minus, stands for."""
    if digits.startswith("-"):
        return -from_decimal(digits[1:], pause)
    if len(digits) <= _EASY_DIGITS:
        return int(digits)
    powers: dict[int, int] = {}

    def power(exponent: int) -> int:
        if exponent not in powers:
            if exponent <= 64:
                powers[exponent] = 10**exponent
            else:
                half = exponent // 2
                powers[exponent] = long.product(power(half), power(exponent - half), pause)
        return powers[exponent]

    def convert(start: int, end: int) -> int:
        if end - start <= _EASY_DIGITS:
            return int(digits[start:end])
        low = (end - start) // 2
        upper = convert(start, end - low)
        return long.product(upper, power(low), pause) + convert(end - low, end)

    return convert(0, len(digits))


_NUMERAL = re.compile(r"0[bB](_?[01])+|0[oO](_?[0-7])+|0[xX](_?[0-9a-fA-F])+|[0-9](_?[0-9])*")


def from_numeral(text: str) -> int | None:
    """The number a numeral stands for, as in Python: 35, 1_000, 0b0101, 0o17, 0xff; else None."""
    if not _NUMERAL.fullmatch(text):
        return None
    return int(text, 0) if text[1:2] in tuple("bBoOxX") else from_decimal(text.replace("_", ""))


def numeral_length(number: int) -> int:
    """About how many characters `to_decimal` will give, without computing them."""
    return int(number.bit_length() * _DIGITS_PER_BIT) + 2


def longest_numeral(digits: int) -> int:
    """How many bits a number of so many digits has at most."""
    return int(digits / _DIGITS_PER_BIT) + 1
