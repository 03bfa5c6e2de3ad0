"""Memory that is taken from the system only where it is used."""

from __future__ import annotations

import mmap
import sys
from typing import Any

PIECE = 1 << 20  # by so much memory is lengthened at once, or by an eighth
CAN_GROW = sys.platform == "linux"
"""Whether the system lengthens memory that was not used, and still is not taken then."""


def fresh_memory(size: int) -> mmap.mmap:
    """So many zeros, from the beginning of a page on."""
    return mmap.mmap(-1, size, access=mmap.ACCESS_COPY)


def growing_memory() -> Any:
    """No more than a page of zeros, to be lengthened."""
    if not CAN_GROW:
        return bytearray()
    return mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def lengthen(buffer: Any, size: int) -> None:
    """Zeros behind, at least up to this size, in pieces that take little memory beside it."""
    if isinstance(buffer, mmap.mmap):
        if len(buffer) < size:
            buffer.resize(max(-(-size // PIECE) * PIECE, len(buffer) * 9 // 8))
        return
    while len(buffer) < size:
        buffer.extend(bytes(min(size - len(buffer), PIECE)))


def taken(buffer: Any, used: int) -> int:
    """Bytes that it takes of memory, if it was written no further than that."""
    return min(used, len(buffer)) if isinstance(buffer, mmap.mmap) else len(buffer)
