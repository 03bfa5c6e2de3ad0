"""Long arithmetic in pieces: the same numbers as Python's own, with pauses on the way."""

import random
import sys
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planewalk.core.base.deadline import Deadline, OutOfTime, no_pause
from planewalk.core.numbers import chance, long, numerals
from planewalk.core.numbers.pure import quotient

lengths = st.integers(0, 3_000)


@pytest.fixture(autouse=True, scope="module")
def small_pieces() -> object:
    """Pieces so small that ordinary numbers are taken apart."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long, "_EASY_PRODUCT", 1 << 9)
        patch.setattr(long, "_EASY_QUOTIENT", 1 << 9)
        patch.setattr(long, "_EASY_DIVISOR", 16)
        patch.setattr(numerals, "_EASY_DECIMALS", 600)
        yield


@given(st.integers(), lengths, st.integers(), lengths)
def test_products_and_quotients_are_those_of_python(a: int, i: int, b: int, j: int) -> None:
    y, x = (a << i) - a, (b << j) + b
    assert long.product(y, x, no_pause) == y * x
    if x:
        assert long.quotient(y, x, no_pause) == quotient(y, x)
        assert long.quotient(y * x, x, no_pause) == y


@pytest.mark.parametrize("bits", [17, 31, 64, 333, 1_000])
def test_divisors_at_the_edges_of_their_length(bits: int) -> None:
    for x in (1 << (bits - 1), (1 << (bits - 1)) + 1, (1 << bits) - 1):
        for y in (
            x * x - 1,
            x << bits,
            (x << bits) - 1,
            (1 << 3 * bits) - 1,
            x * ((1 << bits) - 1),
        ):
            assert long.divide(y, x, no_pause) == divmod(y, x)


def test_numerals_are_those_of_python() -> None:
    dice = random.Random(1)
    for digits in (4_000, 5_001, 12_345):
        number = dice.randrange(10 ** (digits - 1), 10**digits)
        text = numerals.to_decimal(number)
        assert len(text) == digits and numerals.from_decimal(text) == number
        assert int(text[:40]) == number // 10 ** (digits - 40)
        assert int(text[-40:]) == number % 10**40
        sys.set_int_max_str_digits(sys.get_int_max_str_digits())  # it was left alone


def test_a_long_draw_is_made_of_the_same_words_as_ever() -> None:
    bound = 1 << 200
    words = [chance.mix(7, at) for at in range(3, 7)]
    expected = 0
    for word in words:
        expected = expected << 64 | word
    assert chance.below(bound, 7, 3) == (expected >> 56, 7)


@pytest.mark.parametrize("bound", [0, -1, -5, -(1 << 5_000)])
def test_there_is_no_number_below_such_a_bound(bound: int) -> None:
    """An error at once, not a search for ever."""
    with pytest.raises(ValueError, match="below needs a bound of 1 or more"):
        chance.below(bound, 7, 3)


def test_there_is_a_pause_every_now_and_then() -> None:
    y, x = (1 << 9_000) - 1, (1 << 4_000) + 1
    for work in (
        lambda pause: long.product(y, x, pause),
        lambda pause: long.quotient(y, x, pause),
        lambda pause: numerals.to_decimal(y * y, pause),
        lambda pause: numerals.from_decimal("7" * 9_000, pause),
        lambda pause: chance.below(1 << 1_000_000, 1, 0, pause),
    ):
        pauses = Mock()
        work(pauses)
        assert pauses.call_count > 10


def test_a_deadline_is_a_moment_on_a_clock() -> None:
    now = [5.0]
    deadline = Deadline(lambda: now[0], 2)
    deadline.check()
    now[0] = 6.5
    assert deadline.left() == 0.5
    now[0] = 7.0
    with pytest.raises(OutOfTime):
        deadline.check()
