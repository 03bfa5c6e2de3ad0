"""Floats of 32 bits as short decimal numerals."""

from __future__ import annotations

from ...core.numbers.float32 import f32


def numeral(value: float) -> str:
    """The shortest numeral that is read as the same float of 32 bits, with a point in it."""
    rounded = f32(value)
    for digits in range(1, 10):
        text = f"{rounded:.{digits}g}"
        if f32(float(text)) == rounded:
            break
    return repr(float(text)).replace("e+", "e")
