"""Decimal numerals of whole numbers of any length, both ways.

Python refuses to convert more than 4,300 digits at once, as a guard against slow input, and
needs time that grows with the square of the length. Halving the number and putting the halves
together in `decimal` arithmetic lifts both limits without touching the process-wide setting.
"""

from __future__ import annotations

import math
import re

_EASY_DIGITS = 4_000
_EASY_BITS = 13_000  # fewer than 4,000 digits
_DIGITS_PER_BIT = math.log10(2)


def to_decimal(number: int) -> str:
    """The numeral of `number`, whatever its length."""
    if number.bit_length() <= _EASY_BITS:
        return str(number)
    import decimal

    magnitude = abs(number)
    powers: dict[int, decimal.Decimal] = {}
    with decimal.localcontext() as context:
        context.prec = decimal.MAX_PREC
        context.Emax = decimal.MAX_EMAX
        context.traps[decimal.Inexact] = True

        def power(bits: int) -> decimal.Decimal:
            if bits not in powers:
                if bits <= 64:
                    powers[bits] = decimal.Decimal(1 << bits)
                else:
                    powers[bits] = power(bits // 2) * power(bits - bits // 2)
            return powers[bits]

        def convert(value: int, bits: int) -> decimal.Decimal:
            if bits <= 1_000:
                return decimal.Decimal(value)
            low = bits // 2
            upper = convert(value >> low, bits - low)
            return upper * power(low) + convert(value & ((1 << low) - 1), low)

        digits = str(convert(magnitude, magnitude.bit_length()))
    return "-" + digits if number < 0 else digits


def from_decimal(digits: str) -> int:
    """The number a string of the digits 0 to 9, perhaps with a leading minus, stands for."""
    if digits.startswith("-"):
        return -from_decimal(digits[1:])
    if len(digits) <= _EASY_DIGITS:
        return int(digits)
    powers: dict[int, int] = {}

    def power(exponent: int) -> int:
        if exponent not in powers:
            if exponent <= 64:
                powers[exponent] = 10**exponent
            else:
                powers[exponent] = power(exponent // 2) * power(exponent - exponent // 2)
        return powers[exponent]

    def convert(start: int, end: int) -> int:
        if end - start <= _EASY_DIGITS:
            return int(digits[start:end])
        low = (end - start) // 2
        return convert(start, end - low) * power(low) + convert(end - low, end)

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
