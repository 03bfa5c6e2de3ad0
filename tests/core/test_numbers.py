"""Numerals of any length, chance, sizes, and IEEE corner cases."""

import math
import struct
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planewalk.core.errors import OptionError
from planewalk.core.limits import parse_size, show_size
from planewalk.core.numbers import chance, pure
from planewalk.core.numbers.float32 import f32
from planewalk.core.numbers.numerals import both_ends, from_decimal, numeral_length, to_decimal


@given(st.integers(), st.integers(0, 60_000))
def test_numerals_of_any_length_go_there_and_back(number: int, shift: int) -> None:
    number <<= shift
    text = to_decimal(number)
    assert from_decimal(text) == number
    assert len(text) <= numeral_length(number) + 1


def test_long_numerals_leave_the_setting_of_the_process_alone() -> None:
    before = sys.get_int_max_str_digits()
    assert to_decimal(10**20_000) == "1" + "0" * 20_000
    assert from_decimal("9" * 20_000) == 10**20_000 - 1
    assert sys.get_int_max_str_digits() == before


@given(st.integers(1, 1 << 200), st.integers(0, 1 << 64), st.integers(0, 1000))
def test_a_draw_lies_below_its_bound_and_can_be_repeated(bound: int, seed: int, at: int) -> None:
    drawn, after = chance.below(bound, seed, at)
    assert 0 <= drawn < bound and after > at
    assert chance.below(bound, seed, at) == (drawn, after)


def test_draws_are_spread_evenly() -> None:
    counts = Counter(chance.below(6, 1, at)[0] for at in range(6000))
    assert set(counts) == set(range(6))
    assert all(850 < count < 1150 for count in counts.values())


@pytest.mark.parametrize(
    ("text", "size"), [("4096", 4096), ("64M", 64 << 20), ("1.5g", 3 << 29), ("2 KiB", 2048)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "M", "-1", "3Q", "nan", "inf", "1e999", "0x10"])
def test_what_is_no_size_says_so(text: str) -> None:
    with pytest.raises(OptionError, match="is not a size"):
        parse_size(text)


def test_sizes_are_shown_short() -> None:
    assert [show_size(s) for s in (5, 2048, 1 << 20, 3 << 29)] == [
        "5 bytes", "2 KiB", "1 MiB", "1.5 GiB",
    ]  # fmt: skip


def test_floats_follow_ieee_where_python_would_raise() -> None:
    inf, nan = math.inf, math.nan
    assert (
        pure.divide(1, 0) == inf and pure.divide(-1, 0.0) == -inf and pure.divide(1, -0.0) == -inf
    )
    assert math.isnan(pure.divide(0.0, 0.0)) and math.isnan(pure.modulo(5, 0))
    assert math.isnan(pure.modulo(5, inf))
    assert pure.defined(math.nan) == 0 and pure.defined(-inf) == -inf
    data = b"\x07\xff"
    outside = (-1.0, -0.5, 2.0, inf, -inf, math.nan)
    assert [pure.sample(data, index) for index in (0.0, 1.0, 1.5, *outside)] == [7, 255, 255] + [
        0
    ] * len(outside)
    assert pure.log(0) == -inf and math.isnan(pure.log(-1)) and math.isnan(pure.sqrt(-1))
    assert pure.exp(1000) == inf and math.isnan(pure.sin(inf)) and math.isnan(pure.cos(-inf))
    assert pure.power(1, nan) == 1 and pure.power(nan, 0) == 1
    assert pure.power(0.0, -1) == inf and pure.power(-0.0, -1) == -inf
    assert math.isnan(pure.power(-8, 1 / 3))
    assert pure.power(-10, 309) == -inf and pure.power(-10, 400) == inf
    assert math.isnan(pure.least(nan, 1)) and math.isnan(pure.most(1, nan))
    assert math.copysign(1, pure.least(0.0, -0.0)) == -1
    assert math.copysign(1, pure.most(-0.0, 0.0)) == 1
    assert math.copysign(1, pure.floor(-0.0)) == -1 and pure.floor(-inf) == -inf


def test_quotients_are_cut_off_towards_zero() -> None:
    assert [pure.quotient(y, x) for y, x in ((7, 2), (-7, 2), (7, -2), (-7, -2))] == [3, -3, -3, 3]


LONG_ONES = [10**4000, 10**4000 - 1, -(10**4321), 3**20_000, -(7**9_999), (1 << 50_000) - 1]


@pytest.mark.parametrize("number", [*LONG_ONES, 10**60, -(10**60) + 1], ids=range(8))
@pytest.mark.parametrize("digits", [12, 50])
def test_both_ends_are_those_of_the_numeral(number: int, digits: int) -> None:
    numeral = to_decimal(number)
    assert both_ends(number, digits) == f"{numeral[:digits]}…{numeral[-digits:]}"


def test_numbers_are_rounded_to_the_nearest_and_too_great_ones_are_infinite() -> None:
    for value in (0.0, -0.0, 0.1, 1 / 3, -1e30, 1e-46, 16_777_217.0):
        (nearest,) = struct.unpack("f", struct.pack("f", value))
        assert f32(value).hex() == nearest.hex()
    assert (f32(1e300), f32(-1e300)) == (math.inf, -math.inf)
    assert math.isnan(f32(math.nan))
