"""A short name for a state: two with the same future have the same, at whatever ticks they are.

Large states are named piece by piece, with a pause before each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from ...core.base.deadline import SOME_WORK, Pause
from ...core.base.fingerprint import hashing
from ...core.plane import BytePlane, Plane, SparsePlane
from ...core.state import State, freeze

AT_ONCE = 1 << 20
"""Bytes of a plane that are named at once."""


def name_of(state: State, pause: Pause) -> bytes:
    """Its name, which leaves out the tick and the output: no future depends on those alone."""
    named = hashing()
    parts = _rest(state), _of_walkers(state), _of_numbers(state), _of_plane(state.plane)
    for piece in chain.from_iterable(parts):
        pause()
        named.update(piece)
    return named.digest()


def _rest(state: State) -> Iterator[bytes]:
    """What is small, and the sizes of all else: one part never passes for another."""
    sizes = [len(part) for part in (state.walkers, state.acted, state.calls, state.stack)]
    options = {name: freeze(value) for name, value in state.options.items()}
    fields = (state.language, sizes, len(state.registers), options, state.draws)
    yield f"{fields!r} {state.stop!r} {state.seed:x} {state.input.to_json()!r}".encode()


def _of_walkers(state: State) -> Iterator[bytes]:
    for walkers in (state.walkers, state.acted):
        yield from _pieces(walkers, lambda walker: repr((freeze(walker.stance), walker.hand)))
    yield from _pieces(state.calls, lambda stance: repr(freeze(stance)))


def _of_numbers(state: State) -> Iterator[bytes]:
    yield from _pieces(state.stack, _number)
    registers = state.registers
    if isinstance(registers, dict):
        yield from _pieces(registers.items(), lambda item: f"{item[0]!r}:{item[1]:x}")
    else:
        yield from _pieces(registers, _number)


def _number(number: float) -> str:
    """All of it: Python shows no decimals of very long ones."""
    return number.hex() if isinstance(number, float) else f"{number:x}"


def _of_plane(plane: Plane) -> Iterator[bytes]:
    if isinstance(plane, BytePlane):
        yield f"{plane.kind} {plane.width} {len(plane.data)}".encode()
        for begin in range(0, len(plane.data), AT_ONCE):
            yield bytes(plane.data[begin : begin + AT_ONCE])
    elif isinstance(plane, SparsePlane):
        yield f"{plane.kind} {plane.holds}".encode()
        cells = chain.from_iterable(plane.in_reading_order())
        yield from _pieces(cells, lambda cell: f"{cell[0]},{cell[1]}:{cell[2]:x}")
    else:
        yield repr(plane.to_json()).encode()


def _pieces(things: Iterable[Any], told: Callable[[Any], str]) -> Iterator[bytes]:
    """Things, so many at once, each with an end."""
    rest = iter(things)
    while some := [*islice(rest, SOME_WORK)]:
        yield "".join([told(thing) + ";" for thing in some]).encode()
