"""NVIDIA's driver through ctypes: as much of it as a picture needs.

The library belongs to the driver of the card, so nothing has to be installed for it.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from ctypes import byref, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any

from ...core.errors import EngineRefused

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
MAJOR, MINOR = 75, 76
"""Attributes of a device: its compute capability."""
LOG_SIZE = 4096
LOG_BUFFER, LOG_BUFFER_SIZE = 5, 6
"""Options of loading a module: where errors are told, and how much room there is."""


class NoCard(EngineRefused):
    """There is no card to draw on, or it failed; the words say why."""


class Card:
    """The first card there is. What is taken from it is given back by `close`."""

    def __init__(self) -> None:
        self._modules: list[Any] = []
        self._memory: list[tuple[str, Any]] = []
        """Memory that was taken: what frees it, and its address."""
        try:
            self._library = ctypes.CDLL(LIBRARY)
        except OSError:
            raise NoCard(f"no driver of an NVIDIA card was found ({LIBRARY})") from None
        self._do("cuInit", c_int(0))
        count = c_int()
        self._do("cuDeviceGetCount", byref(count))
        if not count.value:
            raise NoCard("the driver knows of no NVIDIA card")
        self._device, self._context = c_int(), c_void_p()
        self._do("cuDeviceGet", byref(self._device), c_int(0))
        self._do("cuDevicePrimaryCtxRetain", byref(self._context), self._device)
        self._do("cuCtxSetCurrent", self._context)
        name = ctypes.create_string_buffer(100)
        self._do("cuDeviceGetName", name, c_int(100), self._device)
        self.name = name.value.decode(errors="replace")

    @property
    def chip(self) -> str:
        """What the card is called where code is made for it."""
        return f"sm_{self._attribute(MAJOR)}{self._attribute(MINOR)}"

    def _attribute(self, number: int) -> int:
        value = c_int()
        self._do("cuDeviceGetAttribute", byref(value), c_int(number), self._device)
        return value.value

    def load(self, ptx: str, name: str) -> Any:
        """A function of a piece of PTX."""
        log = ctypes.create_string_buffer(LOG_SIZE)
        options = (c_int * 2)(LOG_BUFFER, LOG_BUFFER_SIZE)
        values = (c_void_p * 2)(ctypes.addressof(log), LOG_SIZE)
        module, function = c_void_p(), c_void_p()
        try:
            self._do("cuModuleLoadDataEx", byref(module), ptx.encode(), c_int(2), options, values)
        except NoCard as error:
            told = log.value.decode(errors="replace").strip().replace("\n", "; ")
            raise NoCard(f"{error}: {told}" if told else str(error)) from None
        self._modules.append(module)
        self._do("cuModuleGetFunction", byref(function), module, name.encode())
        return function

    def allocate(self, size: int) -> int:
        """Memory of the card; gives its address there."""
        address = c_uint64()
        self._do("cuMemAlloc_v2", byref(address), c_size_t(size))
        self._memory.append(("cuMemFree_v2", address))
        return address.value

    def clear(self, address: int, words: int) -> None:
        """Fill so many words of 32 bits with zeros."""
        self._do("cuMemsetD32_v2", c_uint64(address), c_int(0), c_size_t(words))

    def allocate_here(self, size: int) -> Any:
        """Memory of this machine that the card writes to by itself, as an array of bytes."""
        address = c_void_p()
        self._do("cuMemAllocHost_v2", byref(address), c_size_t(size))
        self._memory.append(("cuMemFreeHost", address))
        return (ctypes.c_ubyte * size).from_address(address.value or 0)

    def free(self) -> None:
        """All memory that was taken, there and here."""
        while self._memory:
            self._do(*self._memory.pop())

    def fetch(self, memory: Any, address: int, size: int) -> None:
        """Fill the beginning of an array from the card."""
        self._do("cuMemcpyDtoH_v2", memory, c_uint64(address), c_size_t(size))

    def send(self, address: int, data: bytes) -> None:
        """Bring bytes to the card."""
        self._do("cuMemcpyHtoD_v2", c_uint64(address), data, c_size_t(len(data)))

    def launch(
        self, function: Any, groups: tuple[int, int], threads: tuple[int, int], *values: Any
    ) -> None:
        """Begin to run a function on a grid of groups of threads."""
        pointers = (c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        sizes = (c_int(n) for n in (*groups, 1, *threads, 1, 0))
        self._do("cuLaunchKernel", function, *sizes, None, pointers, None)

    def wait(self) -> None:
        self._do("cuCtxSynchronize")

    def enter(self) -> None:
        """Use the card from this thread."""
        self._do("cuCtxSetCurrent", self._context)

    def close(self) -> None:
        """Give everything back, as far as a card that failed still lets us."""
        if not self._context:
            return
        with contextlib.suppress(NoCard):
            self.enter()
            self.free()
            while self._modules:
                self._do("cuModuleUnload", self._modules.pop())
        with contextlib.suppress(NoCard):
            self._do("cuDevicePrimaryCtxRelease_v2", self._device)
        self._context = c_void_p()

    def _do(self, name: str, *args: Any) -> None:
        code = getattr(self._library, name)(*args)
        if code != 0:
            text = ctypes.c_char_p()
            self._library.cuGetErrorString(c_int(code), byref(text))
            why = (text.value or b"unknown error").decode(errors="replace")
            raise NoCard(f"the card refuses {name}: {why} ({code})")


__all__ = ["Card", "NoCard", "c_double", "c_int", "c_int64", "c_uint64"]
