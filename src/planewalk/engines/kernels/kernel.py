"""Kernels: plain Python functions on numbers and buffers that also become machine code.

A kernel is written once, in the subset of Python that `functions/subset.py` describes. As Python it
is slow and easy to test; a `Kernel` makes machine code of the same function, and then calls that
instead. Here are also the words of which kernels consist beside plain Python.

Machine code cannot be interrupted: a kernel does a few milliseconds of work for each call.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, MutableSequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..base.addresses import address_of_code

if TYPE_CHECKING:
    from ..native.machine_code import Care, Store

I8 = MutableSequence[int]
U8 = MutableSequence[int]
I32 = MutableSequence[int]
I64 = MutableSequence[int]
U64 = MutableSequence[int]

Function = Callable[..., "int | None"]


WIDTHS = {"I8": 1, "U8": 1, "I32": 4, "I64": 8, "U64": 8}  # bytes of an item, by the kind of buffer


def widths(function: Function) -> list[int]:
    """For each parameter the bytes of an item, 0 for a number."""
    kinds = [kind for name, kind in function.__annotations__.items() if name != "return"]
    if not all(isinstance(kind, str) for kind in kinds):
        raise TypeError("a kernel's module begins with `from __future__ import annotations`")
    return [WIDTHS.get(kind, 0) for kind in kinds]


class Kernel:
    """A function of the subset; machine code from `assemble` on, Python before."""

    def __init__(self, function: Function, all_care: bool = True) -> None:
        """Without all care it has no loops that are made for many rounds, if they have few."""
        self.function = function
        self._all_care = all_care
        self._native: Any = None
        self._owners: list[Any] = []
        self._widths = widths(function)

    @cached_property
    def text(self) -> str:
        """The LLVM IR of the function and of all that it calls."""
        from ..functions.module import kernel_text

        return kernel_text(self.function)

    @property
    def _care(self) -> Care:
        from ..native.machine_code import Care

        return Care.ALL if self._all_care else Care.SOME

    @property
    def ready(self) -> bool:
        """Whether it is machine code by now."""
        return self._native is not None

    @property
    def address(self) -> int:
        """Where its machine code is; 0 while it is Python."""
        return address_of_code(self._native)

    def recall(self, store: Store) -> bool:
        """Take machine code from the store; False if there is none."""
        from ..native.machine_code import recall_named

        name = self._name()
        found = None if name is None else recall_named(store, name, self._prototype())
        if found is not None:
            self._take(*found)
        return found is not None

    def assemble(self, store: Store | None = None) -> None:
        """Make machine code, or take it from the store, unless it is there already."""
        from ..native.machine_code import assemble, remember, titled

        if self.ready or (store is not None and self.recall(store)):
            return
        store = store and titled(store, self.function.__name__)
        self._take(*assemble(self.text, store, prototype=self._prototype(), care=self._care))
        name = self._name()
        if store is not None and name is not None:
            remember(store, name, self.text, self._care)

    def keep(self, store: Store) -> None:
        """Have machine code in a store, without taking it."""
        from ..native.machine_code import keep, titled

        keep(self.text, titled(store, self.function.__name__), self._name(), self._care)

    def _take(self, owner: Any, native: Any) -> None:
        """Be that machine code. Another thread may be in what two threads made at the same time, so
        all of it stays."""
        self._owners.append(owner)
        self._native = native

    def _prototype(self) -> Any:
        types = [ctypes.c_void_p if width else ctypes.c_int64 for width in self._widths]
        return ctypes.CFUNCTYPE(ctypes.c_int64, *types)

    def _name(self) -> str | None:
        """Under which machine code is found before any text is written; None if it cannot be."""
        from ..native.cache_key import digest

        made_from = digest(self.function)
        return made_from and f"kernel 2 {self._care.name} {made_from}"

    def __call__(self, *arguments: Any) -> int:
        if self._native is None:
            return self.function(*arguments) or 0
        taken = [
            _hold(argument, width) if width else argument
            for argument, width in zip(arguments, self._widths, strict=True)
        ]
        return int(self._native(*taken))


def _hold(buffer: Any, width: int) -> Any:
    """A buffer as ctypes wants it, which also keeps it from being resized during the call."""
    view = memoryview(buffer)
    if view.itemsize != width or view.readonly:
        raise TypeError(f"expected a writable buffer of {width} bytes an item, not {buffer!r:.60}")
    return (ctypes.c_char * view.nbytes).from_buffer(buffer)


# What the words of a kernel mean in Python -------------------------------------------------------


def word(value: int) -> int:
    """The low 64 bits, as a number that is not negative."""
    return value & 0xFFFF_FFFF_FFFF_FFFF


def ctz(value: int) -> int:
    """How many zeros the lowest one has below it; 64 if there is none."""
    return (value & -value).bit_length() - 1 if value else 64


def popcount(value: int) -> int:
    """How many of the 64 bits are set."""
    return word(value).bit_count()


class Lanes(tuple[int, ...]):
    """512 bits, dealt out to eight words in turn: bit i is in word i % 8.

    So `<< 1` and `>> 1`, which move every bit to the next or the last place, move whole words.
    """

    def _each(self, act: Callable[[int, int], int], other: Lanes) -> Lanes:
        return Lanes(map(act, self, other))

    def __and__(self, other: Lanes) -> Lanes:
        return self._each(operator.and_, other)

    def __or__(self, other: Lanes) -> Lanes:
        return self._each(operator.or_, other)

    def __xor__(self, other: Lanes) -> Lanes:
        return self._each(operator.xor, other)

    def __invert__(self) -> Lanes:
        return Lanes(map(word, map(operator.invert, self)))

    def __lshift__(self, one: int) -> Lanes:
        return Lanes((word(self[7] << one), *self[:7]))

    def __rshift__(self, one: int) -> Lanes:
        return Lanes((*self[1:], self[0] >> one))

    def __bool__(self) -> bool:
        return any(self)


def lanes(buffer: U64, at: int) -> Lanes:
    """The eight words that begin there."""
    return Lanes(buffer[at : at + 8])


def put_lanes(buffer: U64, at: int, value: Lanes) -> None:
    """Store eight words."""
    for i in range(8):
        buffer[at + i] = value[i]
