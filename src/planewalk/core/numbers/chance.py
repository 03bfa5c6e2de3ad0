"""Randomness that can be replayed: every draw is a function of a seed and a counter.

Nothing is remembered but the counter, so any moment of a run can be gone back to, and runs
beside each other draw the same numbers as runs one after another.
"""

from __future__ import annotations

from array import array
from sys import byteorder

from ..base.deadline import Pause, no_pause

MASK = (1 << 64) - 1

# The numbers of splitmix64; engines that compile read them from here.
STRIDE = 0x9E3779B97F4A7C15
STIRS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
LAST_SHIFT = 31


def mix(seed: int, counter: int) -> int:
    """64 well-stirred bits from two numbers (the finaliser of splitmix64, applied twice)."""
    return stir(stir(seed) + counter * STRIDE)


def stir(bits: int) -> int:
    """64 bits, each of which depends on all that went in."""
    bits &= MASK
    for shift, factor in STIRS:
        bits = ((bits ^ (bits >> shift)) * factor) & MASK
    return bits ^ (bits >> LAST_SHIFT)


def below(bound: int, seed: int, counter: int, pause: Pause = no_pause) -> tuple[int, int]:
    """A number from 0 to `bound` - 1, each equally likely, and the counter after the draw."""
    if bound < 1:
        raise ValueError("below needs a bound of 1 or more")
    words = (bound.bit_length() + 63) // 64
    surplus = 64 * words - (bound - 1).bit_length()
    while words == 1:
        number = mix(seed, counter) >> surplus
        counter += 1
        if number < bound:
            return number, counter
    while True:
        drawn = array("Q")
        for at in range(counter, counter + words):
            if not at & 1023:
                pause()
            drawn.append(mix(seed, at))
        counter += words
        if byteorder == "little":
            drawn.byteswap()  # the first word is the upper end of the number
        number = int.from_bytes(drawn.tobytes(), "big") >> surplus
        if number < bound:
            return number, counter
