"""Memory that is taken from the system only where it is used."""

from __future__ import annotations

import mmap


def fresh_memory(size: int) -> mmap.mmap:
    """So many zeros, from the beginning of a page on."""
    return mmap.mmap(-1, size, access=mmap.ACCESS_COPY)
