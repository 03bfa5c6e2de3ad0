"""Machine code for web pages: WebAssembly as a side module of the Python that runs there.

It is made on another machine, by LLVM and a linker, and loaded as Emscripten loads shared
libraries: it shares Python's memory and its table of functions, whose places are addresses.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import Any
from zlib import crc32

from ...core.errors import EngineRefused
from .llvm import Target

MAGIC = b"\0asm"
TRIPLE = "wasm32-unknown-emscripten"
FEATURES = "+simd128,+bulk-memory,+bulk-memory-opt,+sign-ext,+nontrapping-fptoint,+mutable-globals"
HANDS_ON = "musttail "
TAIL_CALLS = ",+tail-call"
"""For text that has such calls alone: without them code is loaded by more browsers."""
LINKER = "ziglang"
LINK = ("wasm-ld", "-shared", "--experimental-pic", "--import-memory", "--strip-all", "-O2")
NO_LINKER = (
    "WebAssembly is linked by ziglang, which is not installed; pip install 'planewalk[site]'"
)

CONVENTION = "preserve_nonecc "
"""A way of calling that WebAssembly has no registers for."""
LONG_PRODUCT = """
define internal i64 @planewalk.high(i64 %y, i64 %x) {
  %y.low = and i64 %y, 4294967295
  %y.high = lshr i64 %y, 32
  %x.low = and i64 %x, 4294967295
  %x.high = lshr i64 %x, 32
  %low = mul i64 %y.low, %x.low
  %one = mul i64 %y.high, %x.low
  %other = mul i64 %y.low, %x.high
  %high = mul i64 %y.high, %x.high
  %carry = lshr i64 %low, 32
  %sum = add i64 %one, %carry
  %sum.low = and i64 %sum, 4294967295
  %sum.high = lshr i64 %sum, 32
  %middle = add i64 %other, %sum.low
  %middle.high = lshr i64 %middle, 32
  %almost = add i64 %high, %sum.high
  %result = add i64 %almost, %middle.high
  ret i64 %result
}
define hidden i128 @__multi3(i128 %y, i128 %x) noinline {
  %y.low = trunc i128 %y to i64
  %x.low = trunc i128 %x to i64
  %y.shifted = lshr i128 %y, 64
  %x.shifted = lshr i128 %x, 64
  %y.high = trunc i128 %y.shifted to i64
  %x.high = trunc i128 %x.shifted to i64
  %low = mul i64 %y.low, %x.low
  %carried = call i64 @planewalk.high(i64 %y.low, i64 %x.low)
  %one = mul i64 %y.high, %x.low
  %other = mul i64 %y.low, %x.high
  %both = add i64 %one, %other
  %high = add i64 %carried, %both
  %low.wide = zext i64 %low to i128
  %high.wide = zext i64 %high to i128
  %high.there = shl i128 %high.wide, 64
  %result = or i128 %high.there, %low.wide
  ret i128 %result
}
"""
"""A function of the compiler's runtime library that pages do not have."""


# Made, on another machine ------------------------------------------------------------------------


def target_for(text: str) -> Target:
    """The machine of a page that can run what is made from a text."""
    return Target(TRIPLE, FEATURES + (TAIL_CALLS if HANDS_ON in text else ""))


def adapted(text: str) -> str:
    """The text as LLVM can make WebAssembly of it."""
    return text.replace(CONVENTION, "") + (LONG_PRODUCT if "mul.with.overflow" in text else "")


def linked(code: bytes) -> bytes:
    """A side module from an object."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = os.path.join(folder, "code.o"), os.path.join(folder, "code.wasm")
        with open(given, "wb") as file:
            file.write(code)
        command = [sys.executable, "-m", LINKER, *LINK, "--export=unit", "-o", made, given]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise EngineRefused(
                NO_LINKER if "No module named" in done.stderr else done.stderr.strip()[-500:]
            )
        with open(made, "rb") as file:
            return file.read()


# Loaded, in a page -------------------------------------------------------------------------------

_refused: list[str] = []
"""Why the first module that the browser did not load was not."""


def load(content: bytes) -> tuple[Any, int] | None:
    """A side module and the address of its function `unit`; None if this browser does not take
    it."""
    if not content.startswith(MAGIC):
        return None
    path = os.path.join(tempfile.gettempdir(), f"planewalk-{crc32(content):08x}.wasm")
    try:
        with open(path, "wb") as file:
            file.write(content)
        module = ctypes.CDLL(path)
        return module, ctypes.cast(module.unit, ctypes.c_void_p).value or 0
    except (OSError, AttributeError) as error:
        _refused.append(" ".join(str(error).split())[:200])
        return None
    finally:
        with suppress(OSError):
            os.remove(path)


def why_not_loaded() -> str | None:
    """Why this browser does not load what came along; None if it has loaded all so far."""
    if not _refused:
        return None
    return (
        f"this browser lacks tail calls, or something else that machine code takes: {_refused[0]}"
    )
