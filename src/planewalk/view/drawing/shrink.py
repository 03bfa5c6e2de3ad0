"""Pictures made smaller by averaging: the other half of supersampling.

Each channel of a pixel is the mean of factor × factor samples, computed in whole numbers and
rounded to the nearest, halves upwards. So it is the same everywhere.
"""

from __future__ import annotations

import contextlib
from functools import cache

from ...engines.kernels.kernel import U8, Kernel

_SAMPLES_AT_ONCE = 1 << 22
"""Limit for one call, or one row: machine code cannot be interrupted."""


def average(source: U8, target: U8, first: int, last: int, width: int, factor: int) -> None:
    """The rows of the target from `first` to before `last`, each `width` pixels wide."""
    stride = 3 * width * factor
    samples = factor * factor
    for y in range(first, last):
        for x in range(width):
            for channel in range(3):
                corner = y * factor * stride + x * factor * 3 + channel
                total = samples // 2
                for down in range(factor):
                    for right in range(factor):
                        total += source[corner + down * stride + right * 3]
                target[(y * width + x) * 3 + channel] = total // samples


def shrink(pixels: bytes, width: int, factor: int) -> bytes:
    """Rows of red, green and blue, averaged to pixels; `width` is that of the result."""
    source = bytearray(pixels)
    rows = len(pixels) // (3 * width * factor * factor)
    target = bytearray(3 * width * rows)
    kernel = _assembled()
    at_once = max(1, _SAMPLES_AT_ONCE // (width * factor * factor))
    for first in range(0, rows, at_once):
        kernel(source, target, first, min(first + at_once, rows), width, factor)
    return bytes(target)


@cache
def _assembled() -> Kernel:
    """The kernel, as machine code where that can be made."""
    from ...engines.native.machine_code import why_not

    kernel = Kernel(average)
    with contextlib.suppress(OSError):
        if why_not() is None:
            kernel.assemble()
    return kernel
