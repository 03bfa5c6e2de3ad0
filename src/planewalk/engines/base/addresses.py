"""Where the bytes of Python's buffers are, for machine code."""

from __future__ import annotations

import ctypes
from array import array
from typing import Any


def address_of(buffer: bytearray | array[int]) -> int:
    """Where the numbers are; nothing must resize the buffer while machine code runs."""
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer)) if buffer else 0


def address_of_bytes(data: bytes) -> int:
    """The address of bytes while they exist; if there are none, that of a readable byte."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


def address_of_code(function: Any) -> int:
    """Where the machine code of a function is."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0
