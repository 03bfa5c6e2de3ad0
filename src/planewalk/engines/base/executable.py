"""Memory that holds machine code: no address can be both written and executed.

What is here and in `native/code_image.py` does for kept code what LLVM would do, without the time
that it takes to load LLVM. It knows Linux on x86-64; elsewhere LLVM does it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from mmap import mmap
from typing import Any

KNOWN = sys.platform == "linux" and sys.maxsize > 1 << 32 and os.uname().machine == "x86_64"
"""Whether this is a machine of the kind that is known here."""

RUNTIME = "libgcc_s.so.1"
"""The runtime library of compilers on Linux; elsewhere its functions are part of the system."""
READ, WRITE, EXECUTE = 1, 2, 4
SHARED, PRIVATE, ANONYMOUS = 1, 2, 0x20
FAILED = (1 << 64) - 1


class MappedMemory:
    """A memory mapping, freed with this object: callers of code in it must keep a reference."""

    def __init__(self, size: int, access: int, kind: int, file: int = -1) -> None:
        self.size = size
        self.address: int = _system().mmap(None, size, access, kind, file, 0)
        if self.address == FAILED:
            self.size = 0
            raise OSError(ctypes.get_errno(), "there is no memory for machine code")

    _is_ending = staticmethod(sys.is_finalizing)  # modules may be gone by then

    def __del__(self) -> None:
        # When Python ends, a thread may still be in there.
        if self.size and not self._is_ending():
            _system().munmap(self.address, self.size)


class ExecutableMemory(MappedMemory):
    """Memory for code that is written once."""

    def __init__(self, size: int) -> None:
        super().__init__(size, READ | WRITE, PRIVATE | ANONYMOUS)

    def fill(self, code: bytes | bytearray) -> None:
        """Put code there, for good; raises `OSError` where it may not be executed."""
        if len(code) > self.size:
            raise ValueError("there is too much code")
        ctypes.memmove(self.address, bytes(code), len(code))
        if _system().mprotect(self.address, self.size, READ | EXECUTE):
            raise OSError(ctypes.get_errno(), "memory may not be executed")


class PatchableMemory(MappedMemory):
    """Memory for code that is written while other parts of it run: seen in two places, to be
    written in one and executed in the other. Raises `OSError` where that may not be."""

    def __init__(self, size: int) -> None:
        self.size = 0
        if not hasattr(os, "memfd_create"):
            raise OSError("this Python knows no memory that is seen in two places")
        file = os.memfd_create("planewalk")
        try:
            os.ftruncate(file, size)
            self.writable = mmap(file, size)
            super().__init__(size, READ | EXECUTE, SHARED, file)
        finally:
            os.close(file)


@cache
def _system() -> Any:
    """The system's own functions for that."""
    library = ctypes.CDLL(None, use_errno=True)
    word, number = ctypes.c_size_t, ctypes.c_int
    library.mmap.argtypes = ctypes.c_void_p, word, number, number, number, ctypes.c_int64
    library.mmap.restype = word
    library.mprotect.argtypes = word, word, number
    library.munmap.argtypes = word, word
    return library


def address_of_function(name: str) -> int | None:
    """The address of a function of this process, as LLVM would find it; None if there is none.

    Machine code calls the runtime library of the compiler to divide numbers of 128 bits. That is
    loaded when a function is missing."""
    if os.name != "posix":
        return None
    function = getattr(_system(), name, None)
    if function is None and _load_runtime():
        function = getattr(_system(), name, None)
    return None if function is None else ctypes.cast(function, ctypes.c_void_p).value


@cache
def _load_runtime() -> bool:
    """Load the compiler's runtime library, for LLVM to find as well; False if there is none."""
    try:
        ctypes.CDLL(RUNTIME, mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return False
    return True
