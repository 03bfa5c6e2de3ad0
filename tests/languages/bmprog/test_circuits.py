"""The example circuits, with every argument they are made for."""

from collections.abc import Callable
from importlib.resources import files
from itertools import pairwise

import pytest

import planewalk
from planewalk.languages.bmprog.text import text_to_picture


def circuit(name: str) -> bytes:
    return (files("planewalk.examples") / "bmprog" / f"{name}.png").read_bytes()


def run(source: bytes, arg: int = 0, max_steps: int = 1_000) -> planewalk.Run:
    return planewalk.run(source=source, language="bmprog", arg=arg, max_steps=max_steps)


CIRCUITS: dict[str, tuple[int, int, Callable[[int], int]]] = {
    "hello": (8, 22, lambda arg: arg), "not": (1, 22, lambda arg: 1 - arg),
    "and": (2, 21, lambda arg: int(arg == 3)), "or": (2, 21, lambda arg: int(arg != 0)),
    "xor": (2, 21, lambda arg: int(arg in (1, 2))),
    "half-adder": (2, 21, lambda arg: arg.bit_count()),
    "full-adder": (3, 32, lambda arg: arg.bit_count()),
    "adder": (8, 113, lambda arg: arg % 16 + arg // 16),
    "parity": (8, 38, lambda arg: arg.bit_count() % 2), "delay-line": (8, 124, lambda arg: arg),
    "memory": (1, 24, lambda arg: arg), "splitter-tree": (0, 26, lambda arg: 0b10101010101010),
}  # fmt: skip
"""How many bits each takes, how many cycles it needs, and what it computes."""


@pytest.mark.parametrize("name", CIRCUITS)
def test_every_argument(name: str) -> None:
    bits, cycles, function = CIRCUITS[name]
    source = circuit(name)
    for arg in range(1 << bits):
        found = run(source, arg)
        assert (found.status, found.steps, found.value) == ("halted", cycles, function(arg)), arg


def changes(name: str, cycles: int) -> list[tuple[int, int]]:
    """The cycles in which the value changes, and what it changes to."""
    source, found, before = circuit(name), [], 0
    for cycle in range(cycles):
        value = run(source, max_steps=cycle).value
        assert value is not None
        if value != before:
            found.append((cycle, value))
            before = value
    return found


def test_the_clock_ticks_every_nineteen_cycles() -> None:
    assert changes("clock", 100) == [(21, 1), (40, 0), (59, 1), (78, 0), (97, 1)]


def test_the_heart_beats_every_forty_seven_cycles() -> None:
    assert changes("heart", 200) == [(34, 1), (81, 0), (128, 1), (175, 0)]


def test_the_counter_counts() -> None:
    """Higher bits come a little later, so look at one bit at a time."""
    found = changes("counter", 173)
    for bit in range(4):
        states = [0] + [value >> bit & 1 for _, value in found]
        toggles = sum(a != b for a, b in pairwise(states))
        assert toggles >= 16 >> bit
    end = run(circuit("counter"))
    assert (end.status, end.steps, end.value) == ("halted", 173, 16)


@pytest.mark.parametrize("name", ["and", "or", "half-adder", "full-adder"])
def test_every_cell_of_a_gate_matters(name: str) -> None:
    """A gate has no idle instruction: without any one of them, some argument goes wrong."""
    text = (files("planewalk.examples") / "bmprog" / f"{name}.txt").read_bytes()
    bits, cycles, function = CIRCUITS[name]
    for at, letter in enumerate(text):
        if letter in b"^<>v*#":
            source = text_to_picture(text[:at] + b"." + text[at + 1 :], ".png")
            results = [
                (found.status, found.steps, found.value)
                for found in (run(source, arg, 200) for arg in range(1 << bits))
            ]
            right = [("halted", cycles, function(arg)) for arg in range(1 << bits)]
            assert results != right, divmod(at, text.index(b"\n") + 1)
