"""Kernels do the same as machine code and as Python, each operation on its own."""

from __future__ import annotations

import gc
import weakref
from array import array
from collections.abc import Callable
from functools import cache
from itertools import product
from types import ModuleType
from typing import Any

import pytest

from planewalk.engines.functions.subset import SubsetError
from planewalk.engines.kernels.kernel import (
    I8,
    I32,
    I64,
    U8,
    U64,
    Kernel,
    ctz,
    lanes,
    popcount,
    put_lanes,
    word,
)
from planewalk.engines.native.machine_code import assemble, why_not
from tests.engines.stores import MemoryStore

layout = ModuleType("layout")
layout.DOUBLE = 2  # type: ignore[attr-defined]

pytestmark = pytest.mark.skipif(why_not() is not None, reason="there is no machine code here")

TEN = 10
NUMBERS = [0, 1, 2, 3, 7, -1, -2, -7, 63, 255, -128, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63)]
WORDS = [number % 2**64 for number in NUMBERS]


@cache
def machine(function: Callable[..., Any]) -> Kernel:
    kernel = Kernel(function)
    kernel.assemble()
    assert kernel.ready
    return kernel


def signed(value: int) -> int:
    """What is left of a number in 64 bits."""
    return (value + 2**63) % 2**64 - 2**63


def both(function: Callable[..., Any], *arguments: Any) -> int:
    """Run it as Python and as machine code on equal buffers; gives the result, of both."""
    twins = [[x if isinstance(x, int) else x[:] for x in arguments] for _ in range(2)]
    expected = signed(function(*twins[0]) or 0)
    assert machine(function)(*twins[1]) == expected, arguments
    assert twins[0] == twins[1], arguments
    return expected


# Numbers -----------------------------------------------------------------------------------------


def add(a: int, b: int) -> int:
    return a + b


def arithmetic(x: U64, a: int, b: int) -> None:
    x[0], x[1], x[2] = word(a + b), word(a - b), word(a * b)
    x[3], x[4], x[5], x[6] = word(a & b), word(a | b), word(a ^ b), word(~a ^ -b)
    x[7], x[8] = word(min(a, b)), word(max(a, b))
    x[9] = word((a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b))
    x[10] = word((a == b) + 2 * (a != b))
    x[11] = word(1 if 0 <= a < b != 7 else 0)
    x[12] = word(a % TEN + 0x7FFF_FFFF_FFFF_FFFF - b % 3)
    x[13] = word(truths(a, b))


def truths(a: int, b: int) -> int:
    if (a and b) or (not a and not b):
        return 1 if a else 2
    if not (a or b):
        return 3
    return (not a) + 4


def divisions(x: U64, a: int, b: int) -> None:
    x[0], x[1] = word(a // b), word(a % b)


def shifts(x: U64, a: int, bits: int) -> None:
    x[0], x[1] = word(a << bits), word(a >> bits)


def test_two_numbers() -> None:
    results = array("Q", bytes(8 * 14))
    for a, b in product(NUMBERS, repeat=2):
        both(arithmetic, results, a, b)
        if b and (a, b) != (-(2**63), -1):
            both(divisions, results, a, b)
    for a, bits in product(NUMBERS, (0, 1, 31, 63)):
        both(shifts, results, a, bits)


# Words -------------------------------------------------------------------------------------------


def word_arithmetic(x: U64) -> None:
    x[2] = word(x[0] + x[1])
    x[3] = word(x[0] - x[1])
    x[4] = word(x[0] * x[1])
    x[5] = x[0] & ~x[1]
    x[6] = x[0] | x[1]
    x[7] = x[0] ^ x[1]
    x[8] = min(x[0], x[1])
    x[9] = max(x[0], x[1])
    x[10] = word((x[0] < x[1]) + 2 * (x[0] <= x[1]) + 4 * (x[0] > x[1]) + 8 * (x[0] >= x[1]))
    x[11] = word(popcount(x[0]) + 100 * ctz(x[0]))
    x[12] = x[0] >> 1 | word(x[1] << 63)
    x[13] = word(int(x[0] >> 1) - 5)
    x[14] = x[0] & 0xFFFF_0000_FFFF_0000
    if x[1]:
        x[15] = x[0] // x[1] ^ x[0] % x[1]


def word_shifts(x: U64, bits: int) -> None:
    x[1] = word(x[0] << bits)
    x[2] = x[0] >> bits


def test_words_are_unsigned() -> None:
    for a in WORDS:
        for b in WORDS:
            both(word_arithmetic, array("Q", [a, b] + [0] * 14))
        for bits in (0, 1, 31, 63):
            both(word_shifts, array("Q", [a, 0, 0]), bits)


def bits_of(a: int) -> int:
    return popcount(a) * 100 + ctz(a)


def test_bits_of_numbers() -> None:
    for number in NUMBERS:
        both(bits_of, number)
    assert both(bits_of, 0) == 64


def lane_logic(x: U64) -> int:
    a, b = lanes(x, 0), lanes(x, 8)
    put_lanes(x, 16, a & b)
    put_lanes(x, 24, a | b)
    put_lanes(x, 32, a ^ ~b)
    put_lanes(x, 40, a << 1)
    put_lanes(x, 48, a >> 1)
    c = a & b
    return 1 if c else 2


def test_lanes() -> None:
    for begin in range(len(WORDS)):
        order = WORDS[begin:] + WORDS[:begin]
        both(lane_logic, array("Q", order[:16] + [0] * 40))
    assert both(lane_logic, array("Q", [1] * 8 + [2] * 8 + [0] * 40)) == 2


# Buffers -----------------------------------------------------------------------------------------


def widen(a: I8, b: U8, c: I32, d: I64, i: int) -> int:
    return a[i] + b[i] * 1_000 + c[i] * 1_000_000 + d[i]


def narrow(a: I8, b: U8, c: I32, d: I64, value: int) -> None:
    a[0], b[0], c[0], d[0] = value, value, value, value


def test_reads_widen_and_stores_cut_off() -> None:
    for number in (0, 1, 127, -128):
        buffers = (array("b", [0, number]), bytearray([7, number & 255]))
        both(widen, *buffers, array("i", [9, number]), array("q", [9, number]), 1)
    a, b, c, d = array("b", [0]), bytearray(1), array("i", [0]), array("q", [0])
    machine(narrow)(a, b, c, d, 0x1234_5678_9ABC_DEFF)
    assert (a[0], b[0], c[0], d[0]) == (-1, 0xFF, 0x9ABC_DEFF - 2**32, 0x1234_5678_9ABC_DEFF)


def reverse(x: I64, n: int) -> None:
    i, j = 0, n - 1
    while i < j:
        x[i], x[j] = x[j], x[i]
        i += 1
        j -= 1


def test_buffers_that_do_not_fit() -> None:
    for wrong in (bytes(8), array("i", [1, 2]), bytearray(8), memoryview(bytes(8)).cast("q")):
        with pytest.raises(TypeError):
            machine(reverse)(wrong, 1)
    with pytest.raises(ValueError):
        machine(reverse)(array("q"))
    machine(reverse)(array("q"), 0)


# Control -----------------------------------------------------------------------------------------


def loops(x: I64, n: int) -> int:
    """Every kind of loop, and what is left of their variables."""
    total, i = 0, 100
    for i in range(n):
        if i == 3:
            continue
        if i == 8:
            break
        total += x[i]
        i += 50  # says nothing to the loop
    for j in range(2, n, 3):
        for k in range(j, -2, -1):
            if k == 1:
                break
            total += 7 * j + k
    while True:
        total -= 1
        if total % 13 == 5:
            break
    while n > 0:
        n -= 2
        if n & 4:
            continue
        total ^= n
    return 1_000 * total + i


def square(x: I64, i: int) -> int:
    """Called, with a name of its own for everything."""
    n = x[i]
    x[i] = 0
    return n * n


def squares(x: I64, n: int) -> int:
    total = 0
    for i in range(n):
        total += square(x, i) if i % 2 else nothing(i)
    nothing(3)
    return total


def nothing(i: int) -> None:
    pass


def bump(x: I64) -> int:
    x[0] += 1
    return x[0]


def bumps(x: I64) -> int:
    x[bump(x)] += 10 * bump(x)
    x[0] -= 1
    return x[0]


def guarded(x: I64, n: int) -> int:
    """What a condition does not need is not looked at."""
    i = 0
    while i < n and x[i] >= 0:
        i += 1
    return i if i == n or x[i] < -5 else -i


def test_control() -> None:
    for n in range(12):
        both(loops, array("q", range(5, 20)), n)
    both(guarded, array("q", [1, 2, -3, -9]), 2)
    both(guarded, array("q", [1, 2, -3, -9]), 4)
    both(guarded, array("q", [1, 2, -9]), 3)


def test_calls() -> None:
    x = array("q", range(1, 8))
    assert machine(squares)(x, 7) == 4 + 16 + 36
    assert x.tolist() == [1, 0, 3, 0, 5, 0, 7]


def test_each_place_is_looked_for_once() -> None:
    assert both(bumps, array("q", [1, 0, 0, 0, 0])) == 2


def takes_numbers_of_a_module(x: I64) -> int:
    return x[layout.DOUBLE] + layout.DOUBLE  # type: ignore[attr-defined, no-any-return]


def test_numbers_of_an_imported_module() -> None:
    assert both(takes_numbers_of_a_module, array("q", [5, 6, 7, 8])) == 7 + 2


# What is refused ---------------------------------------------------------------------------------


def has_float(a: int) -> int:
    return a + 0.5  # type: ignore[return-value]


def mixes(x: U64, a: int) -> None:
    x[0] = x[0] + a


def changes_kind(x: U64) -> None:
    a = 1
    a = x[0]
    x[0] = a


def has_list(a: int) -> int:
    b = [a]
    return b[0]


def has_else(a: int) -> int:
    while a:
        a -= 1
    else:
        a = 5
    return a


def loops_over_list(x: I64) -> int:
    for a in x:
        return a
    return 0


def steps_by_variable(a: int) -> int:
    for i in range(0, 9, a):
        return i
    return 0


def unknown_name(a: int) -> int:
    return a + nowhere  # type: ignore[name-defined]  # noqa: F821


def unknown_function(a: int) -> int:
    return sorted(a)  # type: ignore[call-overload, no-any-return]


def takes_absolute(a: int) -> int:
    return abs(a)


def takes_float(a: int) -> int:
    return half(a)  # type: ignore[return-value]


def half(a: float) -> float:
    return a * 0.5


def same_buffer_twice(x: I64) -> int:
    return add_items(x, x)


def add_items(x: I64, y: I64) -> int:
    return x[0] + y[0]


def wrong_buffer(x: U8) -> int:
    return square(x, 0)


def untyped(a) -> int:  # type: ignore[no-untyped-def]
    return 0


def returns_word(x: U64) -> int:
    return x[0]


def power(a: int) -> int:
    return a**2


def too_large(a: int) -> int:
    return a + 0x1_0000_0000_0000_0000


def lanes_by_two(x: U64) -> None:
    put_lanes(x, 0, lanes(x, 0) << 2)


def raises(a: int) -> int:
    raise ValueError


def module_without_it(a: int) -> int:
    return a + layout.NOWHERE  # type: ignore[attr-defined, no-any-return]


def attribute_of_a_number(a: int) -> int:
    return a + a.real


REFUSED = {
    has_float: "kernels have no floats", mixes: "int and word do not mix",
    changes_kind: "int and word do not mix", has_list: "no such expression", has_else: "no else",
    loops_over_list: "over a range", steps_by_variable: "never changes",
    unknown_name: "nowhere has no value yet",
    unknown_function: "sorted is no function of the subset", same_buffer_twice: "each only once",
    wrong_buffer: "a buffer for I64", takes_absolute: "kernels have no floats",
    takes_float: "kernels have no floats", untyped: "an int, a float or a buffer",
    returns_word: "expected an int, not word", power: "no such operation",
    too_large: "a number of 64 bits", lanes_by_two: "one place at a time",
    raises: "no such statement", module_without_it: "layout.NOWHERE is no number of a module",
    attribute_of_a_number: "a.real is no number of a module",
}  # fmt: skip


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_what_is_refused_and_where(function: Callable[..., Any]) -> None:
    with pytest.raises(SubsetError) as caught:
        _ = Kernel(function).text
    message = str(caught.value)
    assert REFUSED[function] in message
    place, _, _ = message.partition(": ")
    path, _, line = place.rpartition(":")
    first = function.__code__.co_firstlineno
    assert path == __file__
    assert first <= int(line) <= first + 5


# Making it ---------------------------------------------------------------------------------------


def test_python_until_machine_code_is_made() -> None:
    kernel = Kernel(add)
    assert not kernel.ready
    assert kernel(2**63, 2**63) == 2**64
    kernel.assemble()
    assert kernel.ready
    assert kernel(2**62, 2**62) == -(2**63)


def test_machine_code_is_kept() -> None:
    """And found again before any IR is written; that of another function is another."""
    shelf = MemoryStore()
    for made in (True, False):
        kernel = Kernel(squares)
        assert kernel.recall(shelf) is not made
        kernel.assemble(shelf)
        assert kernel(array("q", range(1, 8)), 7) == 56
        assert ("text" in vars(kernel)) is made
    assert shelf.puts == len(shelf) == 2
    assert not Kernel(add).recall(shelf)


def test_machine_code_that_is_there_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel(add)
    kernel.assemble()
    monkeypatch.setattr("planewalk.engines.native.machine_code.assemble", None)
    kernel.assemble(MemoryStore())
    assert kernel(2, 3) == 5


def test_machine_code_stays_where_others_may_be_running_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads make the same kernel: one has it, and is in it, when the other comes."""
    kernel = Kernel(add)
    first = weakref.WeakSet[Any]()

    def both(*given: Any, **more: Any) -> tuple[Any, Any]:
        monkeypatch.setattr("planewalk.engines.native.machine_code.assemble", assemble)
        kernel.assemble()
        first.update(kernel._owners)
        return assemble(*given, **more)

    monkeypatch.setattr("planewalk.engines.native.machine_code.assemble", both)
    kernel.assemble()
    gc.collect()
    assert len(first) == 1 and kernel(2, 3) == 5


def test_annotations_of_kernels_are_names() -> None:
    """From which it is known what buffers hold."""

    def add_up(numbers: I64) -> int:
        return numbers[0]

    add_up.__annotations__["numbers"] = I64
    with pytest.raises(TypeError, match="from __future__ import annotations"):
        Kernel(add_up)
