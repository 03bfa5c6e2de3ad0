"""Division of numbers of 128 bits, many one after the other in one place that remembers."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterable
from typing import Any

import pytest

from planewalk.core import pure
from planewalk.engines.native.division import (
    LEAST_INVERTED,
    MOST_INVERTED,
    division_ir,
    learn_instructions,
)
from planewalk.engines.native.executable import KNOWN as KNOWN_PROCESSOR
from planewalk.engines.native.fusion import METADATA
from planewalk.engines.native.llvm import assemble, why_not

pytestmark = pytest.mark.skipif(why_not() is not None, reason="there is no machine code here")

LEAST, MOST = -(1 << 127), (1 << 127) - 1
WORDS = 4
"""How many a memory has."""

LOOP = """
define i64 @unit(ptr %w, i64 %count) {
start:
  %numbers = getelementptr i64, ptr %w, i64 4
  br label %again
again:
  %i = phi i64 [ 0, %start ], [ %next, %again ]
  %y.at = getelementptr [2 x i128], ptr %numbers, i64 %i, i64 0
  %x.at = getelementptr [2 x i128], ptr %numbers, i64 %i, i64 1
  %y = load i128, ptr %y.at, align 8
  %x = load i128, ptr %x.at, align 8
  %both = call {i128, i128} @division(i128 %y, i128 %x, ptr %w)
  %quotient = extractvalue {i128, i128} %both, 0
  %rest = extractvalue {i128, i128} %both, 1
  store i128 %quotient, ptr %y.at, align 8
  store i128 %rest, ptr %x.at, align 8
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %again, label %end
end:
  ret i64 0
}
"""
"""Puts quotients and what is left in the place of numbers that stand behind a memory."""

Numbers = list[tuple[int, int]]


class Dividing:
    """One place that divides."""

    def __init__(self, instruction: bool) -> None:
        learn_instructions()
        text = "\n".join([division_ir(instruction), LOOP, *METADATA])
        self.owner, self.call = assemble(text)

    def __call__(self, numbers: Numbers, memory: tuple[int, ...] = (0,) * WORDS) -> Numbers:
        """Quotients and what is left. Memory is what it is told at first."""
        data = b"".join(_bytes(word, 8) for word in memory)
        data += b"".join(_bytes(number, 16) for pair in numbers for number in pair)
        words = (ctypes.c_int64 * (len(data) // 8)).from_buffer_copy(data)
        self.call(ctypes.addressof(words), len(numbers))
        data = bytes(words)
        self.memory = tuple(int.from_bytes(data[i : i + 8], "little") for i in range(0, 32, 8))
        found = [
            int.from_bytes(data[i : i + 16], "little", signed=True)
            for i in range(8 * WORDS, len(data), 16)
        ]
        return list(zip(found[::2], found[1::2], strict=True))


def _bytes(number: int, size: int) -> bytes:
    return (number % (1 << 8 * size)).to_bytes(size, "little")


@pytest.fixture(
    scope="module",
    params=[True, False] if KNOWN_PROCESSOR else [False],
    ids=["instruction", "digits"],
)
def dividing(request: Any) -> Dividing:
    return Dividing(request.param)


def expected(y: int, x: int) -> tuple[int, int]:
    quotient = pure.quotient(y, x)
    return quotient, y - quotient * x


def divides(dividing: Dividing, numbers: Iterable[tuple[int, int]]) -> None:
    """All of them, as Python does; but for the one quotient that 128 bits do not hold."""
    asked = [pair for pair in numbers if pair != (LEAST, -1)]
    for pair, found in zip(asked, dividing(asked), strict=True):
        assert found == expected(*pair), pair


def divisors() -> list[int]:
    powers = [1 << bits for bits in (0, 1, 2, 3, 4, 31, 32, 33, 59, 60, 61, 62, 63, 64, 65, 126)]
    near = {power + by for power in powers for by in (-1, 0, 1)} | {10, 10**9, 10**18 + 9, 15**15}
    return sorted(x * sign for x in near if x for sign in (1, -1))


def dividends(x: int) -> list[int]:
    """Numbers at all edges of words, and where quotients, and the limit of an inverse, are near."""
    powers = [1 << bits for bits in (0, 31, 32, 60, 61, 62, 63, 64, 65, 96, 120, 126, 127)]
    limits = [(abs(x) >> 3) << 64, abs(x) << 61, abs(x) << 62, abs(x) << 63, abs(x) << 64]
    times = [abs(x) * times for times in (1, 2, 3, abs(x) - 1, abs(x), (1 << 61) - 1)]
    near = {0, *(it + by for it in powers + limits + times for by in (-1, 0, 1))}
    return sorted(y * sign for y in near for sign in (1, -1) if LEAST <= y * sign <= MOST)


def test_all_edges_by_the_same_number(dividing: Dividing) -> None:
    """From the third time on by its inverse, where it has one."""
    for x in divisors():
        divides(dividing, [(x, x), (x, x), *((y, x) for y in dividends(x))])


def test_numbers_that_take_turns(dividing: Dividing) -> None:
    """Each once, twice or three times in a row, so that inverses are made and forgotten."""
    chance = random.Random(61)
    known, numbers = divisors(), []
    for _ in range(4_000):
        x = chance.choice(known)
        ys = dividends(x)
        numbers += [(chance.choice(ys), x) for _ in range(chance.choice((1, 2, 3)))]
    divides(dividing, numbers)


def test_random_numbers_by_the_same_number(dividing: Dividing) -> None:
    chance = random.Random(3)
    for bits in range(1, 66):
        x = chance.getrandbits(bits) | 1 << (bits - 1)
        ys = [chance.randrange(min(x << chance.randrange(64), MOST)) for _ in range(200)]
        ys += [x * (chance.randrange(1 << min(64, 127 - bits))) - 1 for _ in range(200)]
        divides(dividing, [(y, x) for y in ys])


def test_inverses_that_are_hardly_exact(dividing: Dividing) -> None:
    """Numbers just below the limit, by those whose inverses lose most by being cut off."""
    chance = random.Random(8)
    for bits in range(4, 62):
        shift, low = bits - 2, 1 << (bits - 1)
        some = [low, low + 1, 2 * low - 1, *(low + chance.randrange(low) for _ in range(200))]
        x = max(some, key=lambda x: (2 ** (64 + shift) % x) / x)
        for by in {x, low, 2 * low - 1}:
            most = ((by >> 3) << 64) - 1
            ys = [most - chance.randrange(by << 2) for _ in range(200)]
            ys += [y // by * by + more for y in ys[:100] for more in (-1, 0)]
            divides(dividing, [(0, by), (0, by), *((max(y, 0), by) for y in ys)])


def test_an_inverse_is_made_the_second_time(dividing: Dividing) -> None:
    x = 10**18 + 9
    dividing([(5, 7), (5, x)])
    assert dividing.memory[:2] == (x, 0)
    dividing([(5, 7), (5, x), (5, x)])
    assert dividing.memory == (x, x >> 3, 2 ** (64 + 58) // x, 58)
    dividing([(5, x), (5, x), (5, 7)])
    assert dividing.memory[:2] == (7, 0)
    dividing([(5, x), (5, x), (-5, 7), (5, 1 << 64)])
    assert dividing.memory[:2] == (x, x >> 3)


@pytest.mark.parametrize("x", [1, 7, MOST_INVERTED + 1, (1 << 64) - 1])
def test_some_numbers_have_no_inverse(dividing: Dividing, x: int) -> None:
    assert not LEAST_INVERTED <= x <= MOST_INVERTED
    dividing([(0, x)] * 4)
    assert dividing.memory == (x, 0, 0, 1)  # and nobody looks for one again
    dividing([(0, x)] * 4 + [(0, 10)] * 2)
    assert dividing.memory[:2] == (10, 1)


def test_products_of_remainders_are_below_the_limit() -> None:
    """But for the last ones, so that nobody has to guess which way is taken."""
    for x in (LEAST_INVERTED, 10**9, 10**18 + 9, MOST_INVERTED - 1, MOST_INVERTED):
        assert (x - 9) ** 2 >> 64 < x >> 3


def test_an_inverse_is_used(dividing: Dividing) -> None:
    """One that is wrong gives what is wrong: a guess of 0, or the number after it."""
    x = 10**18 + 9
    y = 12_345 * x + 6
    assert dividing([(y, x)], (x, x >> 3, 2**122 // x, 58)) == [(12_345, 6)]
    assert dividing([(y, x)], (x, x >> 3, 0, 58))[0][0] in (0, 1)
    assert dividing([(y, x)], (x + 1, x >> 3, 0, 58)) == [(12_345, 6)]
    assert dividing([(y, x)], (x, 0, 0, 58)) == [(12_345, 6)]
