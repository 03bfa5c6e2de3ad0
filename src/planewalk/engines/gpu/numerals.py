"""Floats of 32 bits as short decimal numerals."""

from __future__ import annotations

from array import array


def numeral(value: float) -> str:
    """The shortest numeral that is read as the same float of 32 bits, with a point in it."""
    rounded = _rounded(value)
    for digits in range(1, 10):
        text = f"{rounded:.{digits}g}"
        if _rounded(float(text)) == rounded:
            break
    return repr(float(text)).replace("e+", "e")


def _rounded(value: float) -> float:
    return array("f", (value,))[0]
