"""Floats of 32 bits."""

import math
import struct

from planewalk.core.numbers.float32 import f32


def test_numbers_are_rounded_to_the_nearest_and_too_great_ones_are_infinite() -> None:
    for value in (0.0, -0.0, 0.1, 1 / 3, -1e30, 1e-46, 16_777_217.0):
        (nearest,) = struct.unpack("f", struct.pack("f", value))
        assert f32(value).hex() == nearest.hex()
    assert (f32(1e300), f32(-1e300)) == (math.inf, -math.inf)
    assert math.isnan(f32(math.nan))
