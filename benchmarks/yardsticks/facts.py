"""What a state comes down to, in the words that the C programs print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from zlib import crc32

from planewalk.core.state import State, Walker

Facts = dict[str, Any]

WAYS = {(1, 0): 0, (0, 1): 1, (-1, 0): 2, (0, -1): 3}
"""The ways of signals by number."""


def of_state(language: str, state: State, output: int) -> Facts:
    """The facts about a state; `output` is the checksum of all that was written."""
    return {"steps": state.tick, **FACTS[language](state, output)}


def differences(one: Facts, other: Facts) -> list[str]:
    """The facts that both know and do not agree on."""
    return [name for name in one if name in other and one[name] != other[name]]


def _refunge(state: State, output: int) -> Facts:
    plane: Any = state.plane
    return {
        "height": plane.height,
        "field": crc32(plane.data),
        "output": output,
        "cursors": _sum(map(_cursor, state.walkers)),
    }


def _cursor(walker: Walker) -> str:
    (x, y, dx, dy, mode), (hand_x, hand_y) = walker.stance, walker.hand or (0, 0)
    return f"{x} {y} {dx} {dy} {hand_x} {hand_y} {mode}"


def _mirrorfunge(state: State, output: int) -> Facts:
    stance = state.walkers[0].stance
    numbers = "".join(f"{value} " for value in state.stack)
    return {"output": output, "stack": crc32(numbers.encode()), "place": [stance.x, stance.y]}


def _gemooy(state: State, output: int) -> Facts:
    plane: Any = state.plane
    stance, hand = state.walkers[0]
    cells = sorted((y, x, cell) for (x, y), cell in plane.cells.items())
    lines = "".join(f"{x} {y} {cell}\n" for y, x, cell in cells)
    return {
        "cells": crc32(lines.encode()),
        "place": [stance.x, stance.y],
        "hand": list(hand or ()),
    }


def _webfunge(state: State, output: int) -> Facts:
    stance = state.walkers[0].stance
    numbers = crc32(state.registers.tobytes(), crc32(state.stack.tobytes()))
    return {"numbers": numbers, "place": [stance.x, stance.y]}


def bmprog_signals(state: State) -> Iterator[str]:
    """The lines that the C yardstick reads signals from."""
    return (f"{x} {y} {1 << WAYS[dx, dy]}\n" for (x, y, dx, dy, _), _ in state.walkers)


def _bmprog(state: State, output: int) -> Facts:
    signals: dict[tuple[int, int, Any], int] = {}
    for (x, y, dx, dy, mode), _ in state.walkers:
        place = (x, y, mode)
        signals[place] = signals.get(place, 0) | 1 << WAYS[dx, dy]
    return of_signals(signals)


def of_signals(signals: dict[tuple[int, int, Any], int]) -> Facts:
    """The facts about signals: by place and mode, a bit for each way."""
    lines = (f"{x} {y} {bits} {mode}" for (x, y, mode), bits in signals.items())
    return {"places": len(signals), "signals": _sum(lines)}


def _sum(lines: Iterable[str]) -> int:
    """A checksum that does not depend on the order of the lines."""
    return sum(crc32(line.encode()) for line in lines) & 0xFFFFFFFF


FACTS: dict[str, Callable[[State, int], Facts]] = {
    "refunge": _refunge,
    "mirrorfunge": _mirrorfunge,
    "gemooy": _gemooy,
    "webfunge": _webfunge,
    "bmprog": _bmprog,
}
