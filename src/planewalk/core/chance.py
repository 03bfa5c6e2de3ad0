"""Randomness that can be replayed: every draw is a function of a seed and a counter.

Nothing is remembered but the counter, so any moment of a run can be gone back to, and runs
beside each other draw the same numbers as runs one after another.
"""

from __future__ import annotations

_MASK = (1 << 64) - 1


def mix(seed: int, counter: int) -> int:
    """64 well-stirred bits from two numbers (the finaliser of splitmix64, applied twice)."""
    return _stir((_stir(seed & _MASK) + counter * 0x9E3779B97F4A7C15) & _MASK)


def _stir(bits: int) -> int:
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & _MASK
    return bits ^ (bits >> 31)


def below(bound: int, seed: int, counter: int) -> tuple[int, int]:
    """A number from 0 to `bound` - 1, each equally likely, and the counter after the draw."""
    words = (bound.bit_length() + 63) // 64
    surplus = 64 * words - (bound - 1).bit_length()
    while True:
        drawn = 0
        for _ in range(words):
            drawn = drawn << 64 | mix(seed, counter)
            counter += 1
        drawn >>= surplus
        if drawn < bound:
            return drawn, counter
