"""Sine, cosine, exponential, logarithm and power: written once, the same bits everywhere.

All that happens here is the four operations on 64-bit floats, each rounded by itself, comparisons,
and whole numbers of 64 bits. So Python, machine code, vector lanes and graphics cards agree to the
last bit. The error is below 1 unit in the last place; none above 0.8 was found.

The functions stay within the subset of Python that machine code is made of, which
`engines/functions/subset.py` describes.

Some numbers are pairs here: a float, and a much smaller one that belongs to it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from math import factorial, inf, nan

from . import expansions
from .expansions import in_digits, in_parts

_pack_float: Callable[[float], bytes] = struct.Struct("<d").pack
_pack_whole: Callable[[int], bytes] = struct.Struct("<q").pack
_read_float: Callable[[bytes], tuple[float, ...]] = struct.Struct("<d").unpack
_read_whole: Callable[[bytes], tuple[int, ...]] = struct.Struct("<q").unpack


def bits(x: float) -> int:
    """The 64 bits of a float, as a whole number with a sign."""
    return _read_whole(_pack_float(x))[0]


def from_bits(i: int) -> float:
    """The float that has these bits."""
    return _read_float(_pack_whole(i))[0]


ROUND = 1.5 * 2.0**52
"""Added and taken away, it rounds to whole numbers; added, its low bits are that number."""
ROUND_BITS = bits(ROUND)
FRACTION = 2**52 - 1
EVEN = 2.0**53  # from here on all floats are even
SMALLEST_NORMAL = 2.0**-1022
CUT = 1.5 * 2.0**26  # added and taken away, it leaves 26 binary places
HALVES = 2.0**27 + 1
F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12, F13, F14, F15, F16, F17, F18 = (
    1 / factorial(n) for n in range(2, 19)
)
"""1 / n!"""


def _product(a: float, b: float) -> tuple[float, float]:
    """a * b as a pair, exactly: both are cut into halves, whose products need no rounding."""
    c, d = a * HALVES, b * HALVES
    a1, b1 = c - (c - a), d - (d - b)
    a2, b2 = a - a1, b - b1
    high = a * b
    return high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2


# Exponential -------------------------------------------------------------------------------------

LN2 = expansions.log(2, 1, 128)
LN2_HIGH, LN2_LOW = in_parts(LN2, 128, 42)  # the high part times any exponent is exact
LOG2_E = (1 << 128) / LN2


def exp(x: float) -> float:
    """e to the power x."""
    x = float(x)
    result = _exp(x, 0.0)
    return result if x == x else nan


def _exp(x: float, low: float) -> float:
    """e to the power of a pair: 2^n, exactly, times the series of what is left, below 0.35."""
    x = x if x < 710.0 else 710.0
    x = x if x > -750.0 else -750.0
    turned = x * LOG2_E + ROUND
    k = turned - ROUND
    first, second = x - k * LN2_HIGH, k * LN2_LOW - low
    r = first - second
    rest = (first - r) - second
    z = r * r
    w = z * z
    even = F2 + w * (F6 + w * (F10 + w * F14)) + z * (F4 + w * (F8 + w * F12))
    odd = F3 + w * (F7 + w * F11) + z * (F5 + w * (F9 + w * F13))
    near = 1.0 + r
    result = near + (((1.0 - near) + r) + (z * (even + r * odd) + rest * near))
    n = bits(turned) - ROUND_BITS
    half = n >> 1  # in two steps, since a float may be too small or too large for one
    return result * from_bits((half + 1023) << 52) * from_bits((n - half + 1023) << 52)


# Logarithm ---------------------------------------------------------------------------------------

FROM = bits(182 / 256)
"""Every number is a power of 2 times one from here up to twice that, near 1 therefore."""
STRETCH = 45  # bits of a number within its stretch; there are 128 stretches


def _stretches() -> tuple[list[float], list[float], list[float]]:
    """For each stretch about 1 / its middle, in 13 bits, and minus the logarithm of that in two
    parts. It is exactly 1 next to 1, where the logarithm has to be good though it is small."""
    factors, high, low = list[float](), list[float](), list[float]()
    logarithm, last = 0, 4096
    for i in range(128):
        begin, end = (from_bits(FROM + (j << STRETCH)) for j in (i, i + 1))
        factor = 4096 if 1.0 in (begin, end) else round(8192 / (begin + end))
        logarithm += expansions.log(last, factor, 112)
        logarithm = logarithm if factor != 4096 else 0  # not just nearly
        parts = in_parts(logarithm, 112, 42)
        last = factor
        factors.append(factor / 4096)
        high.append(next(parts))
        low.append(next(parts))
    return factors, high, low


FACTORS, LOGS_HIGH, LOGS_LOW = _stretches()


def log(x: float) -> float:
    """The natural logarithm; of 0 it is -infinity, of less NaN."""
    x = float(x)
    high, _ = _log(x)
    result = high if x < inf else inf
    return result if x > 0.0 else (-inf if x == 0.0 else nan)


def _log(x: float) -> tuple[float, float]:
    """The logarithm of a number above 0 as a pair: x is 2^k * m, and m * factor is 1 + r."""
    scaled = x * 2.0**54 if x < SMALLEST_NORMAL else x
    shift = 54 if x < SMALLEST_NORMAL else 0
    i = bits(scaled)
    above = i - FROM
    whole = above >> 52
    stretch = above >> STRETCH & 127
    m = from_bits(i - (whole << 52))
    k = float(whole - shift)
    factor = FACTORS[stretch]
    m1 = (m + CUT) - CUT
    first, second = m1 * factor - 1.0, (m - m1) * factor
    r = first + second
    rest = (first - r) + second
    square, more = _product(r, r)
    even = 1 / 3 + square * (1 / 5 + square * (1 / 7 + square * (1 / 9)))
    odd = 1 / 4 + square * (1 / 6 + square * (1 / 8 + square * (1 / 10)))
    cube = square * r * (even - r * odd)
    base = k * LN2_HIGH + LOGS_HIGH[stretch]
    near = base + r
    most = near - 0.5 * square
    lost = ((base - near) + r) + ((near - most) - 0.5 * square)
    less = lost + (k * LN2_LOW + LOGS_LOW[stretch] + (rest - r * rest - 0.5 * more + cube))
    high = most + less
    return high, (most - high) + less


# Power -------------------------------------------------------------------------------------------


def power(x: float, y: float) -> float:
    """C's `pow`: 1 to any power and anything to the power 0 are 1, NaN included."""
    x, y = float(x), float(y)
    size, times = abs(x), abs(y)
    enough = times if times < 2.0**65 else 2.0**65  # for infinity, and still no overflow
    enough = -enough if y < 0.0 else enough
    high, low = _log(size)
    product, more = _product(enough, high)
    more = more + enough * low if abs(product) < 800.0 else 0.0
    result = _exp(product, more)
    edge = size == 0.0 or size == inf or (times == inf and size != 1.0)
    result = (inf if (size > 1.0) == (y > 0.0) else 0.0) if edge else result
    ones = times + 2.0**52 if times < 2.0**52 else times
    whole = times >= 2.0**52 or ones - 2.0**52 == times
    odd = whole and times < EVEN and bits(ones) & 1 == 1
    result = -result if odd and bits(x) < 0 else result
    result = nan if x != x or y != y or (x < 0.0 and size < inf and not whole) else result
    return 1.0 if x == 1.0 or y == 0.0 else result


# Sine and cosine ---------------------------------------------------------------------------------

PLACES = 1300
PI = expansions.pi(PLACES)
TURNS_A_QUARTER = (2 << PLACES) / PI
QUARTER_1, QUARTER_2, QUARTER_3 = in_parts(PI, PLACES + 1, 32, 65)
"""A quarter of a turn. The first two parts have 33 bits: times 20 bits they are exact."""
QUARTER_HIGH, QUARTER_LOW = in_parts(PI, PLACES + 1, 52)
FAR, CLOSE = 2.0**20, 2.0**-30
"""Beyond the first the parts are no longer exact; nearer than the second to a whole number of
quarters they have too few bits."""
DIGIT, DIGITS, ZEROS = 26, 48, 54
ONES = (1 << DIGIT) - 1
A_DIGIT = (1 << 16) // DIGIT + 1
"""A place times this, and 16 bits less, is the digit it is in: quicker than to divide."""
TWO_OVER_PI = list(in_digits((2 << 2 * PLACES) // PI, PLACES + ZEROS, DIGIT, DIGITS))
"""Its digits of 26 bits, with 54 zeros before it."""


def sin(x: float) -> float:
    """The sine of an angle in radians."""
    x = float(x)
    result = _turn(x, 0)
    return result if x != 0.0 else x


def cos(x: float) -> float:
    """The cosine of an angle in radians."""
    return _turn(float(x), 1)


def _turn(x: float, quarters: int) -> float:
    """The sine of x and so many quarter turns: what is left of x after k quarters, as a pair."""
    turned = x * TURNS_A_QUARTER + ROUND
    k = turned - ROUND
    first, second = x - k * QUARTER_1, k * QUARTER_2
    near = first - second
    back = first - near
    rest = (first - (near + back)) + (back - second) - k * QUARTER_3
    if not (abs(x) < FAR and (k == 0.0 or abs(near) > CLOSE)):
        return _far_turn(x, quarters)
    high = near + rest
    return _wave(high, (near - high) + rest, bits(turned) + quarters)


def _far_turn(x: float, quarters: int) -> float:
    """The same for any x from 1 on: from the bits of x / (pi / 2) below the fours.

    x is a whole number m times a power of 2, which only says where in 2 / pi to begin.
    """
    i = bits(x)
    m = i & FRACTION | FRACTION + 1
    place = (i >> 52 & 2047) - 1077 + ZEROS
    place = place if place > 0 else 0  # a small x may come along in another lane
    at = place * A_DIGIT >> 16
    by = DIGIT - (place - at * DIGIT)
    t0, t1, t2, t3 = _digit(at, by), _digit(at + 1, by), _digit(at + 2, by), _digit(at + 3, by)
    t4, t5, t6 = _digit(at + 4, by), _digit(at + 5, by), _digit(at + 6, by)
    low, top = m & ONES, m >> DIGIT
    c5 = low * t5 + top * t6
    c4 = low * t4 + top * t5 + (c5 >> DIGIT)
    c3 = low * t3 + top * t4 + (c4 >> DIGIT)
    c2 = low * t2 + top * t3 + (c3 >> DIGIT)
    c1 = low * t1 + top * t2 + (c2 >> DIGIT)
    c0 = low * t0 + top * t1 + (c1 >> DIGIT)
    turned = (c0 & ONES) << DIGIT | c1 & ONES
    k = (turned + 2**49) >> 50
    first = float(turned - (k << 50)) * 2.0**-50
    second = float((c2 & ONES) << DIGIT | c3 & ONES) * 2.0**-102
    third = float((c4 & ONES) << DIGIT | c5 & ONES) * 2.0**-154
    near = first + second
    product, more = _product(near, QUARTER_HIGH)
    more = more + (near * QUARTER_LOW + ((first - near) + second + third) * QUARTER_HIGH)
    high = product + more
    rest = (product - high) + more
    back = x < 0.0
    k = 0 - k if back else k
    result = _wave(-high if back else high, -rest if back else rest, quarters + k)
    return result if abs(x) < inf else nan


def _digit(at: int, by: int) -> int:
    """26 bits of 2 / pi."""
    return (TWO_OVER_PI[at] << DIGIT | TWO_OVER_PI[at + 1]) >> by & ONES


def _wave(r: float, low: float, quarters: int) -> float:
    """The sine of a pair below pi/4 and so many quarter turns."""
    z = r * r
    curve = _cosine(r, low, z) if quarters & 1 else _sine(r, low, z)
    return -curve if quarters & 2 else curve


def _sine(r: float, low: float, z: float) -> float:
    w = z * z
    even = F3 + w * (F7 + w * (F11 + w * F15))
    odd = F5 + w * (F9 + w * (F13 + w * F17))
    return r + (low * (1.0 - 0.5 * z) - r * z * (even - z * odd))


def _cosine(r: float, low: float, z: float) -> float:
    w = z * z
    even = F4 + w * (F8 + w * (F12 + w * F16))
    odd = F6 + w * (F10 + w * (F14 + w * F18))
    r1 = (r + CUT) - CUT  # its square is exact
    square = 0.5 * r1 * r1
    near = 1.0 - square
    rest = (1.0 - near) - square - 0.5 * (r + r1) * (r - r1) - r * low
    return near + (rest + w * (even - z * odd))
