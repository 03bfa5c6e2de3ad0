"""Floats of 32 bits, as stacks and registers of floats keep them."""

from __future__ import annotations

from array import array


def f32(value: float) -> float:
    """A number as a float of 32 bits keeps it; too great ones are infinite."""
    return array("f", (value,))[0]
