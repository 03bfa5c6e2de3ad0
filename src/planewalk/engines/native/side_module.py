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
HANDS_ON, TAIL_CALLS = "musttail ", ",+tail-call"
"""For text that has such calls alone: others are loaded by older browsers, too."""
LINKER = "ziglang"
LINK = ("wasm-ld", "-shared", "--experimental-pic", "--import-memory", "--strip-all", "-O2")
NO_LINKER = (
    "WebAssembly is linked by ziglang, which is not installed; pip install 'planewalk[site]'"
)

CONVENTION = "preserve_nonecc "
"""A way of calling that WebAssembly has no registers for."""
PRODUCT, OWN_PRODUCT = "@llvm.smul.with.overflow.i64", "@planewalk.product"
"""What LLVM would make of products calls its runtime library, which pages do not have."""
OWN = """
define internal {i64, i1} @planewalk.product(i64 %y, i64 %x) alwaysinline {
  %product = mul i64 %y, %x
  %y.low = trunc i64 %y to i32
  %x.low = trunc i64 %x to i32
  %y.again = sext i32 %y.low to i64
  %x.again = sext i32 %x.low to i64
  %y.short = icmp eq i64 %y, %y.again
  %x.short = icmp eq i64 %x, %x.again
  %short = and i1 %y.short, %x.short
  br i1 %short, label %done, label %long
long:
  %over = call i1 @planewalk.overflows(i64 %y, i64 %x, i64 %product)
  br label %done
done:
  %overflow = phi i1 [ false, %0 ], [ %over, %long ]
  %one = insertvalue {i64, i1} undef, i64 %product, 0
  %both = insertvalue {i64, i1} %one, i1 %overflow, 1
  ret {i64, i1} %both
}
define internal i1 @planewalk.overflows(i64 %y, i64 %x, i64 %product) noinline {
  switch i64 %x, label %usual [ i64 0, label %zero i64 -1, label %minus ]
zero:
  ret i1 false
minus:
  %least = icmp eq i64 %y, -9223372036854775808
  ret i1 %least
usual:
  %back = sdiv i64 %product, %x
  %differs = icmp ne i64 %back, %y
  ret i1 %differs
}
"""


# Made, on another machine ------------------------------------------------------------------------


def target_for(text: str) -> Target:
    """The machine of a page that can run what is made from a text."""
    return Target(TRIPLE, FEATURES + (TAIL_CALLS if HANDS_ON in text else ""))


def adapted(text: str) -> str:
    """The text as LLVM can make WebAssembly of it."""
    text = text.replace(CONVENTION, "")
    if PRODUCT not in text:
        return text
    return text.replace(f"declare {{i64, i1}} {PRODUCT}(i64, i64)", OWN).replace(
        PRODUCT, OWN_PRODUCT
    )


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
    return f"this browser does not take the machine code that came along: {_refused[0]}"
