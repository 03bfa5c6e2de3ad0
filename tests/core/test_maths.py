"""Sine, cosine, exponential, logarithm, power: special cases, and below 1 ulp elsewhere."""

import math
import random
import struct
from collections.abc import Callable, Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction

import pytest

from planewalk.core.numbers import expansions, maths

INF, NAN = math.inf, math.nan


# The same functions to many digits, on ways of their own -----------------------------------------


def long_exp(x: float) -> Fraction:
    return Fraction(Decimal(x).exp())


def long_log(x: float) -> Fraction:
    return Fraction(Decimal(x).ln())


def long_power(x: float, y: float) -> Fraction:
    return Fraction((Decimal(abs(x)).ln() * Decimal(y)).exp())


def long_turn(x: float) -> tuple[Fraction, Fraction]:
    """Cosine and sine: by the series for a tiny part of the angle, which is then doubled."""
    doublings = 30 + max(0, math.frexp(x)[1])
    bits = 300 + 2 * doublings - min(0, math.frexp(x)[1])
    part = math.floor(Fraction(x) * (1 << bits)) >> doublings
    terms = [1 << bits]
    while abs(terms[-1]) > 1:
        terms.append(terms[-1] * part // (len(terms) << bits))
    cosine = sum(terms[0::4]) - sum(terms[2::4])
    sine = sum(terms[1::4]) - sum(terms[3::4])
    for _ in range(doublings):
        cosine, sine = (cosine**2 - sine**2) >> bits, 2 * cosine * sine >> bits
    return Fraction(cosine, 1 << bits), Fraction(sine, 1 << bits)


LONG: dict[str, Callable[..., Fraction]] = {
    "sin": lambda x: long_turn(x)[1], "cos": lambda x: long_turn(x)[0], "exp": long_exp,
    "log": long_log, "power": long_power,
}  # fmt: skip


def error(name: str, *args: float) -> float:
    """How far the result is off, in units of its last place."""
    result = getattr(maths, name)(*args)
    with localcontext(Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        right = LONG[name](*args)
    return float(abs(Fraction(result) - right) / Fraction(math.ulp(float(right))))


# Arguments ---------------------------------------------------------------------------------------


def singles(chance: random.Random) -> Iterator[float]:
    """Any numbers of 32 bits."""
    while True:
        (x,) = struct.unpack("<f", chance.randbytes(4))
        if math.isfinite(x):
            yield x


def doubles(chance: random.Random) -> Iterator[float]:
    while True:
        (x,) = struct.unpack("<d", chance.randbytes(8))
        if math.isfinite(x):
            yield x


def angles() -> Iterator[float]:
    chance = random.Random(1)
    yield from (0.0, 1e-300, 5e-324, 0.5, math.pi / 4, math.pi / 2, math.pi, 2.0**20, 2.0**20 - 1)
    for k in (1, 2, 3, 5, 1000, 12345, 333_333, 667_543, 667_544, 667_545, 10**9):
        for step in (-1, 0, 1):
            yield k * (math.pi / 2) * (1 + step * 2.0**-52)  # close to where it is 0
    yield 6381956970095103.0 * 2.0**797  # of all floats the closest to one
    yield 16367173.0 * 2.0**72
    yield 1.7976931348623157e308
    yield 3.4028234663852886e38
    for _ in range(100):
        yield chance.uniform(-1, 1)
        yield chance.uniform(-100, 100)
        yield next(singles(chance))
    for _ in range(20):
        yield next(doubles(chance))


def exponents() -> Iterator[float]:
    chance = random.Random(2)
    yield from (0.0, -0.0, 1.0, 1e-300, -1e-20, 709.782712893384, -708.4, -740.0, -745.1, 5e-324)
    yield from (math.log(2) / 2, -math.log(2) / 2, 0.34657359027997264, 0.3465735902799727)
    for _ in range(150):
        yield chance.uniform(-1, 1)
        yield chance.uniform(-745, 709)


def positives() -> Iterator[float]:
    chance = random.Random(3)
    yield from (5e-324, 2.0**-1022, 2.0**-1023, 1.7976931348623157e308, 2.0, 0.5, math.e)
    yield from (1 + 2.0**-52, 1 - 2.0**-53, 1 + 2.0**-23, 1 - 2.0**-24, 182 / 256, 182 / 128)
    for i in range(128):
        edge = maths.from_bits(maths.FROM + (i << maths.STRETCH))
        if edge != 1.0:
            yield edge
        yield math.nextafter(edge, 0)
    for _ in range(100):
        yield abs(next(doubles(chance))) or 1.5
        yield chance.uniform(0.99, 1.01)


def powers() -> Iterator[tuple[float, float]]:
    chance = random.Random(4)
    yield from ((2.0, 0.5), (10.0, -3.0), (1 + 2.0**-52, 2.0**60), (1 - 2.0**-53, -(2.0**61)))
    yield from ((2.0, -1074.0), (2.0, -1073.5), (3.0, -677.0), (5e-324, 0.5), (5e-324, -0.9))
    yield from ((1 + 2.0**-23, 2.0**32), (1.7976931348623157e308, 1.0), (1e-310, 1.0))
    for x in positives():
        yield x, chance.uniform(-1, 1) * min(700 / abs(math.log(x)), 1e300)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sine_and_cosine_are_good(name: str) -> None:
    assert max(error(name, x) for x in angles()) < 0.8


def test_the_exponential_is_good() -> None:
    assert max(error("exp", x) for x in exponents()) < 0.6


def test_the_logarithm_is_good() -> None:
    assert max(error("log", x) for x in positives()) < 0.51


def test_the_power_is_good() -> None:
    assert max(error("power", x, y) for x, y in powers()) < 0.6


def test_powers_that_are_floats_are_exact() -> None:
    for x in range(2, 40):
        for n in range(1, 30):
            if x**n < 2**53:
                assert maths.power(x, n) == x**n and maths.power(-x, n) == (-x) ** n
            if x ** (2 * n) < 2**53:
                assert maths.power(x ** (2 * n), 0.5) == x**n
    assert [maths.power(2.0, n) for n in range(-1074, 1024)] == [
        math.ldexp(1, n) for n in range(-1074, 1024)
    ]


# Special cases -----------------------------------------------------------------------------------

ODD = (1.0, -1.0, 3.0, -3.0, 2.0**53 - 1, -(2.0**53 - 1))
EVEN = (2.0, -2.0, 2.0**53, -(2.0**53), 1e300, -1e300)
BETWEEN = (0.5, -0.5, 1.5, -1.5, 2.0**52 - 0.5, 5e-324)
SPECIAL: dict[str, list[tuple[float, ...]]] = {
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN), (5e-324, 5e-324)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN), (NAN, NAN), (5e-324, 1.0)],
    "exp": [
        (0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (710.0, INF), (1e300, INF),
        (-746.0, 0.0), (-1e300, 0.0), (709.782712893384, 1.7976931348622732e308),
        (709.7827128933841, INF), (-745.1332191019411, 5e-324), (-745.1332191019412, 0.0),
    ],
    "log": [
        (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-INF, NAN), (-1.0, NAN), (NAN, NAN),
        (-5e-324, NAN),
    ],
    "power": [
        *((x, y, 1.0) for x in (NAN, INF, -INF, 0.0, -0.0, -2.0, 5.0) for y in (0.0, -0.0)),
        *((1.0, y, 1.0) for y in (NAN, INF, -INF, 5.0, -0.5)),
        *((NAN, y, NAN) for y in (1.0, -2.0, INF, NAN)),
        *((x, NAN, NAN) for x in (0.0, -1.0, INF, 2.0)),
        *((-1.0, y, 1.0) for y in (INF, -INF, *EVEN)),
        *((-1.0, y, -1.0) for y in ODD),
        *((x, INF, 0.0) for x in (0.5, -0.5, 0.0, -0.0)),
        *((x, -INF, INF) for x in (0.5, -0.5, 0.0, -0.0)),
        *((x, INF, INF) for x in (2.0, -2.0, INF, -INF)),
        *((x, -INF, 0.0) for x in (2.0, -2.0, INF, -INF)),
        *((0.0, y, 0.0 if y > 0 else INF) for y in (*ODD, *EVEN, *BETWEEN)),
        *((-0.0, y, -0.0 if y > 0 else -INF) for y in ODD),
        *((-0.0, y, 0.0 if y > 0 else INF) for y in (*EVEN, *BETWEEN)),
        *((INF, y, INF if y > 0 else 0.0) for y in (*ODD, *EVEN, *BETWEEN)),
        *((-INF, y, -INF if y > 0 else -0.0) for y in ODD),
        *((-INF, y, INF if y > 0 else 0.0) for y in (*EVEN, *BETWEEN)),
        *((-2.0, y, NAN) for y in BETWEEN),
        (10.0, 309.0, INF), (-10.0, 309.0, -INF), (-10.0, 400.0, INF), (10.0, -400.0, 0.0),
        (-10.0, -401.0, -0.0), (0.5, 1075.0, 0.0), (0.5, 1074.0, 5e-324), (5e-324, 1.0, 5e-324),
        (1 + 2.0**-52, 1e300, INF), (1 - 2.0**-53, 1e300, 0.0), (2.0, 5e-324, 1.0),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", SPECIAL)
def test_special_cases(name: str) -> None:
    for *args, expected in SPECIAL[name]:
        assert maths.bits(getattr(maths, name)(*args)) == maths.bits(expected), args


def test_whole_numbers_give_floats_too() -> None:
    results = [maths.sin(0), maths.cos(0), maths.exp(0), maths.log(1), maths.power(2, 3)]
    assert repr(results) == "[0.0, 1.0, 1.0, 0.0, 8.0]"


# Constants ---------------------------------------------------------------------------------------


def test_expansions_are_right_to_the_last_bits() -> None:
    with localcontext(Context(prec=60)):
        assert abs(expansions.log(2, 1, 150) - int(Decimal(2).ln() * 2**150)) < 4
    cosine, sine = long_turn(3.0)
    rest = Fraction(expansions.pi(200), 1 << 200) - 3  # pi is 3 and what has the sine of 3
    series = sum((-1) ** n * rest ** (2 * n + 1) / math.factorial(2 * n + 1) for n in range(30))
    assert abs(series - sine) < Fraction(4, 1 << 200)
    assert cosine < 0


def test_parts_add_up() -> None:
    number = expansions.pi(150)
    high, middle, low = expansions.in_parts(number, 150, 20, 70)
    assert high * 2**20 == int(high * 2**20)
    total = Fraction(high) + Fraction(middle) + Fraction(low)
    assert abs(total - Fraction(number, 1 << 150)) < Fraction(1, 1 << 120)
    digits = list(expansions.in_digits(0b1011_0110, 8, 4, 2))
    assert digits == [0b1011, 0b0110]


def test_places_are_in_the_digits_that_division_finds() -> None:
    for place in range(2047 - 1077 + maths.ZEROS + 1):
        assert place * maths.A_DIGIT >> 16 == place // maths.DIGIT
