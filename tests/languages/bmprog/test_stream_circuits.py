"""The example circuits that read and write: every byte, and bytes in any order."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from itertools import accumulate
from random import Random

import pytest

import planewalk
from planewalk import Run

EVERY = bytes(range(256))
KEYSTREAM = 60
"""Cycles from one byte of the keystream to the next."""


def plain(code: int) -> int:
    """The number of a Gray code."""
    number = 0
    while code:
        number ^= code
        code >>= 1
    return number


FILTERS: dict[str, Callable[[int], int]] = {
    "cat": lambda byte: byte,
    "invert": lambda byte: 255 - byte,
    "byte-parity": lambda byte: byte.bit_count() % 2,
    "gray": lambda byte: byte ^ byte >> 1,
    "from-gray": plain,
}


def pour(name: str, data: bytes, stream: str | int = "ask") -> Run:
    board = (files("planewalk.examples") / "bmprog" / f"{name}.png").read_bytes()
    return planewalk.run(source=board, language="bmprog", input=data, stream=stream)


def shuffled(seed: int) -> bytes:
    dice = Random(seed)
    return bytes(dice.randrange(256) for _ in range(dice.randrange(100, 300)))


@pytest.mark.parametrize("data", [b"", b"\0", b"\xff", EVERY, shuffled(1), shuffled(2)])
@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_does_the_same_to_every_byte_and_ends_with_the_input(
    name: str, data: bytes
) -> None:
    found = pour(name, data)
    assert (found.status, found.output) == ("halted", bytes(map(FILTERS[name], data)))
    assert not list(found.show()["pending"])


@pytest.mark.parametrize("data", [EVERY, shuffled(3)])
def test_a_keystream_depends_on_no_byte_and_deciphers_what_it_enciphered(data: bytes) -> None:
    keystream = pour("lfsr", bytes(len(data)), KEYSTREAM).output
    found = pour("lfsr", data, KEYSTREAM)
    assert found.status == "halted"
    assert found.output == bytes(a ^ b for a, b in zip(data, keystream, strict=True))
    assert pour("lfsr", found.output, KEYSTREAM).output == data
    assert len(set(keystream)) > len(keystream) // 3


@pytest.mark.parametrize("data", [b"", EVERY, shuffled(4), b"\xff" * 300, b"\x7f\1" * 130])
def test_a_running_sum_carries_over_every_bit(data: bytes) -> None:
    found = pour("running-sum", data)
    sums = bytes(total % 256 for total in accumulate(data))
    assert (found.status, found.output) == ("halted", sums)


def test_a_running_sum_adds_every_byte_to_every_sum() -> None:
    pairs = ((byte, 1 - byte) for byte in range(256) for _ in range(256))  # each makes 1 more
    test_a_running_sum_carries_over_every_bit(bytes(part % 256 for pair in pairs for part in pair))


@pytest.mark.parametrize("data", [b"", b"\0", b"\xff" * 9, EVERY, shuffled(5)])
@pytest.mark.parametrize("every", [37, 40, 64])
def test_a_serial_line_gives_every_byte_back(data: bytes, every: int) -> None:
    found = pour("serial", data, every)
    assert (found.status, found.output) == ("halted", data)


@pytest.mark.parametrize("data", [b"", b"z{", EVERY, EVERY[::-1], shuffled(6)])
@pytest.mark.parametrize("every", [88, 90, 131])
def test_letters_become_capitals_and_other_bytes_stay(data: bytes, every: int) -> None:
    found = pour("uppercase", data, every)
    assert (found.status, found.output) == ("halted", data.upper())
