"""What the processor can do, asked without LLVM.

LLVM asks the processor itself, with the instruction `cpuid`. So do we, with two functions that are
given here as machine code. (What Linux tells about the processor is less: it leaves out what it
does not use itself, and LLVM may.)
"""

from __future__ import annotations

import ctypes
from functools import cache

from ...core.base.named import NamedTuple
from ..base.executable import ExecutableMemory

CPUID = bytes.fromhex(
    "53"  # push rbx
    "89f0"  # mov eax, esi
    "89d1"  # mov ecx, edx
    "0fa2"  # cpuid
    "8907"  # mov [rdi], eax
    "895f04"  # mov [rdi + 4], ebx
    "894f08"  # mov [rdi + 8], ecx
    "89570c"  # mov [rdi + 12], edx
    "5b"  # pop rbx
    "c3"  # ret
)
XGETBV = bytes.fromhex(
    "31c9"  # xor ecx, ecx
    "0f01d0"  # xgetbv
    "48c1e220"  # shl rdx, 32
    "4809d0"  # or rax, rdx
    "c3"  # ret
)
A, B, C, D = range(4)
LEAVES = (
    (0, 0, (A, B, C, D)),  # who made it
    (1, 0, (A, C, D)),  # family, model, stepping; B tells which of the processors this is
    (7, 0, (A, B, C, D)),
    (7, 1, (A, B, C, D)),
    (0xD, 1, (A,)),
    (0x14, 0, (A, B)),
    (0x19, 0, (A, B)),
    (0x1E, 1, (A,)),
    (0x24, 0, (A, B)),
    (0x8000_0000, 0, (A,)),
    (0x8000_0001, 0, (A, C, D)),
    (0x8000_0008, 0, (B,)),
)
"""Whatever LLVM looks at when it finds out about a processor, and which registers: the same on all
processors of a machine, whichever is asked."""
EXTENDED = 0x8000_0000
XSAVE = 1 << 27
AVX512 = 1 << 16
AVX512_STATE = 0xE6
"""Registers that a system must save for its processes to use AVX-512."""


class Processor(NamedTuple):
    """What the processor has answered, and which registers the system saves."""

    answers: tuple[tuple[int, ...], ...]
    saved: int

    @property
    def avx512(self) -> bool:
        """Whether it has vectors of 512 bits that may be used."""
        _, features, _, _ = self.answers[2]
        return bool(features & AVX512) and self.saved & AVX512_STATE == AVX512_STATE


@cache
def processor() -> Processor:
    """This machine's; raises `OSError` where memory may not be executed."""
    memory = ExecutableMemory(len(CPUID) + len(XGETBV))
    memory.fill(CPUID + XGETBV)
    number = ctypes.c_uint32
    ask = ctypes.CFUNCTYPE(None, ctypes.c_void_p, number, number)(memory.address)
    saved = ctypes.CFUNCTYPE(ctypes.c_uint64)(memory.address + len(CPUID))
    found = (number * 4)()

    def answer(leaf: int, part: int) -> list[int]:
        ask(ctypes.addressof(found), leaf, part)
        return list(found)

    last = {0: answer(0, 0)[A], EXTENDED: answer(EXTENDED, 0)[A]}
    answers = tuple(
        tuple(answer(leaf, part)[register] for register in registers)
        if leaf <= last[leaf & EXTENDED] else (0,) * len(registers)
        for leaf, part, registers in LEAVES
    )  # fmt: skip
    return Processor(answers, saved() if answers[1][1] & XSAVE else 0)
