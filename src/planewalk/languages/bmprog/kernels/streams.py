"""What kernels do for streams: `layout.py` says what `stream` holds. A symbol is some words.

`leaving` begins with those of the symbol that is pending."""

from __future__ import annotations

from ....engines.kernels.kernel import I64, U64, word
from .layout import (
    ASKED,
    BLOCKED,
    COUNT,
    DESERTED,
    DUE,
    ENDED,
    EVERY,
    FULL,
    GOING_ON,
    LEFT,
    MASK,
    READ,
    ROOM,
    SIZE,
    STROBE,
    WIDTH,
    WORDS,
    WRITTEN,
)  # fmt: skip


def gate(stream: I64, tick: int, flying: int, room: int) -> int:
    """Whether the cycle after so many can be done: not if it needs a symbol that is not there, or
    there is no room for a symbol that it may write, or for the signals of one that it reads."""
    if stream[DUE] == tick + 1 and stream[READ] == stream[COUNT]:
        return BLOCKED
    if stream[WRITTEN] == stream[ROOM]:
        return BLOCKED
    return FULL if 2 * flying + stream[WIDTH] > room else GOING_ON


def idle(stream: I64, tick: int, until: int) -> int:
    """The tick up to which nothing happens on a board without signals."""
    if stream[DUE] <= tick or stream[WRITTEN] == stream[ROOM]:
        return tick
    return min(until, stream[DUE] - 1)


def ending(stream: I64, exits: int, flying: int) -> int:
    """How the run goes after a cycle: ended if a signal left by row 0."""
    if exits:
        return ENDED
    return DESERTED if flying == 0 and stream[DUE] <= 0 else GOING_ON


def leave(stream: I64, leaving: U64, port: int) -> None:
    """Let a signal leave by a port: those at the top by column, then those at the bottom. It may
    be one at the left, which is less than 0."""
    bit = port - stream[WIDTH] - 1
    if port == 0:
        stream[ASKED] = 1
        stream[LEFT] += 1
    elif bit >= -1:
        stream[LEFT] += 1
        if bit == -1:
            stream[STROBE] = 1
        else:
            leaving[bit >> 6] ^= word(1) << (bit & 63)


def emit(stream: I64, leaving: U64) -> None:
    """Write the pending symbol, if a signal has finished it in this cycle."""
    if stream[STROBE]:
        begin = stream[SIZE] + stream[WRITTEN] * stream[WORDS]
        for i in range(stream[WORDS]):
            leaving[begin + i] = leaving[i]
        leaving[begin] &= word(stream[MASK])
        for i in range(stream[SIZE]):
            leaving[i] = word(0)
        stream[WRITTEN] += 1
        stream[STROBE] = 0


def order(stream: I64, cycle: int) -> int:
    """Note when the symbol after that of this cycle arrives; whether one does in this."""
    arrives = 1 if stream[DUE] == cycle else 0
    if arrives:
        stream[DUE] = cycle + stream[EVERY] if stream[EVERY] else 0
    if stream[ASKED] and stream[DUE] == 0 and stream[EVERY] == 0:
        stream[DUE] = cycle + 1
    stream[ASKED] = 0
    return arrives
