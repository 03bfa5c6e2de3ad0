"""The arithmetic words: functions of numbers alone, one meaning for every engine.

Floats follow IEEE 754 where Python would raise: 1/0 is infinity, the logarithm of 0 minus
infinity, and what has no answer is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from . import maths

sin, cos, exp, log, power = maths.sin, maths.cos, maths.exp, maths.log, maths.power


def quotient(y: int, x: int) -> int:
    """y / x for whole numbers, cut off towards zero."""
    result = abs(y) // abs(x)
    return result if (y < 0) == (x < 0) else -result


def number(truth: Any) -> int:
    """1 for true, 0 for false."""
    return 1 if truth else 0


def divide(a: float, b: float) -> float:
    """a / b; by zero it is an infinity, or NaN."""
    try:
        return a / b
    except ZeroDivisionError:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


def floor(a: float) -> float:
    """The largest whole number that is not larger, as a float with the sign of its zero."""
    if a != a or abs(a) >= 4503599627370496.0 or a == 0:
        return a
    return float(math.floor(a))


def modulo(a: float, b: float) -> float:
    """a - b * floor(a / b), by that very formula."""
    return a - b * floor(divide(a, b))


def sqrt(a: float) -> float:
    """The square root; NaN of less than 0."""
    return math.sqrt(a) if a >= 0 else (a if a == 0 else math.nan)


def least(a: float, b: float) -> float:
    """The smaller of two; NaN if either is; -0 is smaller than 0."""
    if a < b:
        return a
    if b < a:
        return b
    if a != b:
        return math.nan
    return a if math.copysign(1.0, a) < 0 else b


def most(a: float, b: float) -> float:
    """The larger of two; NaN if either is; 0 is larger than -0."""
    if a > b:
        return a
    if b > a:
        return b
    if a != b:
        return math.nan
    return b if math.copysign(1.0, a) < 0 else a


def absolute(a: float) -> float:
    """The same number without its sign."""
    return math.fabs(a)


def defined(a: float) -> float:
    """The same number; 0 for NaN."""
    return a if a == a else 0.0


def sample(samples: bytes, index: float) -> float:
    """See `Vocabulary.sample`."""
    return float(samples[int(index)]) if 0 <= index < len(samples) else 0.0


PURE: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        quotient, number, divide, floor, modulo, sqrt, sin, cos, exp, log, power, least, most,
        absolute, defined,
    )
}  # fmt: skip
"""The words by name; engines that compile read their meaning from here."""
