"""Machine code: how it is found, made, loaded and called. Engines ask here, and know no platform.

What is kept of it is a piece of one of few kinds: an image, which is loaded without LLVM on the
machines that `executable.py` knows, an object, which LLVM loads anywhere, or a module of
WebAssembly. `AnyMachine` says what each kind of machine makes of that.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from struct import Struct
from typing import Any, Protocol
from zlib import crc32

from ...core.base import platform
from ...core.base.fingerprint import fingerprint
from ..base import executable
from ..base.executable import PatchableMemory
from ..base.jobs import FOR_EVER, CompileJob
from ..base.policy import policy_in_force
from . import llvm, side_module
from .llvm import LONG_TEXT as LONG_TEXT
from .llvm import Care as Care
from .llvm import best_care as best_care

LIBRARY = "libllvmlite.so"
"""The file of llvmlite that LLVM is in, on Linux."""
HANDING_ON = ("x86_64", "amd64", "aarch64", "arm64")
"""Processors for which LLVM can have functions call each other with all registers left to them."""
UNIT = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)


class Store(Protocol):
    """Somewhere to keep machine code between runs, under keys of 64 hexadecimal digits.

    Whatever goes wrong there only costs time; what comes out went in.
    """

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, code: bytes) -> None: ...


def titled(store: Store, title: str) -> Store:
    """The same store, which is told what is put there if it shows that to people."""
    told: Store = store.titled(title) if hasattr(store, "titled") else store
    return told


# Kinds of machines -------------------------------------------------------------------------------

IMAGE = b"planewalk image 1\n"
OBJECT = b"planewalk object 1\n"
CHECK = Struct(">QI")
"""A length, and a checksum. LLVM ends the process over an object that is cut off."""
Loaded = tuple[Any, int]
"""What owns machine code, and the address of its function `unit`."""


class AnyMachine:
    """Any machine that LLVM knows: LLVM makes its code, and loads it."""

    hands_on = True
    """Whether functions that end with calls of each other are the fastest interpreter there."""

    def why_not(self) -> str | None:
        """Why machine code cannot be made here; None if it can."""
        return llvm.why_not()

    def why_no_interpreter(self) -> str | None:
        """Why no interpreter can be made here, which are more than other machine code."""
        from platform import machine as machine_name  # which is not needed where one is kept

        machine = machine_name()
        if machine.lower() not in HANDING_ON:
            return f"there is none for processors like this one ({machine})"
        return self.why_not()

    def patchable_memory(self, size: int) -> PatchableMemory | None:
        """Memory for templates, if this is a machine for which some can be written."""
        return None

    def surroundings(self) -> str:
        """What makes machine code, and for which processor."""
        try:
            return llvm.surroundings()
        except ImportError:
            return "nothing, since there is no llvmlite"

    def has_long_vectors(self) -> bool:
        """Whether the processor has vectors of 512 bits."""
        return llvm.has_feature("avx512f")

    def make(self, text: str, care: Care) -> tuple[bytes, Care]:
        """An object from text, and the care that was taken. Raises `Unwritable` if LLVM could not
        load it."""
        code, care = llvm.object_of(text, care)
        if missing := _missing_functions(code):
            from .values import Unwritable

            names = ", ".join(missing)
            raise Unwritable(f"LLVM made calls of functions that are not there: {names}")
        return code, care

    def packed(self, code: bytes) -> bytes:
        """An object as it is kept."""
        return _sealed(OBJECT, code)

    def load(self, content: bytes | None) -> Loaded | None:
        """What was kept, ready to be called; None if it is damaged, or not for this machine."""
        code = _unpacked(content, OBJECT)
        if code is None or self.why_not() is not None or _missing_functions(code):
            return None
        return llvm.load_object(code)


class KnownMachine(AnyMachine):
    """Linux on x86-64, where images are loaded without LLVM, which takes long to import."""

    def patchable_memory(self, size: int) -> PatchableMemory | None:
        with suppress(OSError):
            return executable.PatchableMemory(size)
        return None

    def surroundings(self) -> str:
        """LLVM as it is part of llvmlite, and all that it asks the processor for."""
        try:
            import llvmlite

            from .processor import processor

            library = os.path.join(os.path.dirname(llvmlite.__file__), "binding", LIBRARY)
            return f"{llvmlite.__version__} {os.stat(library).st_size} {processor()}"
        except (ImportError, OSError):
            return super().surroundings()

    def has_long_vectors(self) -> bool:
        from .processor import processor

        with suppress(OSError):
            return processor().avx512
        return super().has_long_vectors()

    def packed(self, code: bytes) -> bytes:
        """As an image where that is understood."""
        if policy_in_force().code_images:
            from .object_file import NotUnderstood, image_of

            with suppress(NotUnderstood):
                return _sealed(IMAGE, image_of(code).dump())
        return super().packed(code)

    def load(self, content: bytes | None) -> Loaded | None:
        image = _unpacked(content, IMAGE)
        if image is None:
            return super().load(content)
        from .code_image import NotWhole, load

        try:
            return load(image)
        except NotWhole:  # if LLVM can do no better, it can say why
            return None


class WebPage(AnyMachine):
    """A web page, which loads side modules and makes none: other machines make them for it."""

    hands_on = False

    def why_not(self) -> str | None:
        return "a web page makes no machine code" if platform.IN_A_PAGE else None

    def why_no_interpreter(self) -> str | None:
        if not platform.IN_A_PAGE:
            return None
        return side_module.why_not_loaded() or "no machine code of one came along with this page"

    def surroundings(self) -> str:
        """Nothing in a page: what came along was made for it, from the same files."""
        return "side modules 1"

    def has_long_vectors(self) -> bool:
        return False

    def make(self, text: str, care: Care) -> tuple[bytes, Care]:
        return llvm.object_of(side_module.adapted(text), care, side_module.target_for(text))

    def packed(self, code: bytes) -> bytes:
        return side_module.linked(code)

    def load(self, content: bytes | None) -> Loaded | None:
        return None if content is None else side_module.load(content)


ANY, KNOWN, WEB_PAGE = AnyMachine(), KnownMachine(), WebPage()
_target: AnyMachine | None = None


def here() -> AnyMachine:
    """This machine, or the one that code is made for now."""
    if _target is not None:
        return _target
    if platform.IN_A_PAGE:
        return WEB_PAGE
    return KNOWN if executable.KNOWN else ANY


@contextmanager
def making_for(machine: AnyMachine) -> Iterator[None]:
    """What is kept meanwhile is for another machine; nothing should run."""
    global _target
    before, _target = _target, machine
    try:
        yield
    finally:
        _target = before


def why_not() -> str | None:
    """Why machine code cannot be made here; None if it can."""
    return here().why_not()


def hands_on() -> bool:
    """Whether an interpreter is made of functions that call each other, or of one with a loop."""
    return here().hands_on


def why_no_interpreter() -> str | None:
    """Why no interpreter can be made here; None if one can."""
    return here().why_no_interpreter()


def patchable_memory(size: int) -> PatchableMemory | None:
    """Memory for machine code that planewalk writes itself, if it knows the processor."""
    return here().patchable_memory(size)


def has_long_vectors() -> bool:
    """Whether this machine's processor has vectors of 512 bits."""
    return here().has_long_vectors()


def _sealed(kind: bytes, code: bytes) -> bytes:
    return kind + CHECK.pack(len(code), crc32(code)) + code


def _unpacked(content: bytes | None, kind: bytes) -> bytes | None:
    """What is in there, if it is of that kind and whole."""
    begin = len(kind) + CHECK.size
    if content is None or not content.startswith(kind) or len(content) < begin:
        return None
    code = content[begin:]
    is_whole = CHECK.unpack_from(content, len(kind)) == (len(code), crc32(code))
    return code if is_whole else None


def _missing_functions(code: bytes) -> list[str]:
    """Functions that an object calls and this process does not have: LLVM would end the process
    or have it jump to 0."""
    from .object_file import borrowed_names

    return [name for name in borrowed_names(code) if executable.address_of_function(name) is None]


# Made, kept and found ----------------------------------------------------------------------------

NAMED = b"planewalk name 1\n"
"""The key of what it names follows."""


def assemble(
    text: str, store: Store | None = None, *, prototype: Any = UNIT, care: Care = Care.ALL
) -> tuple[Any, Any]:
    """Machine code from text: what owns it, and its function `unit`."""
    kept = recall(text, store, prototype=prototype, care=care) if store is not None else None
    if kept is not None:
        return kept
    return _callable(_unheard(partial(_assemble, text, store, care)), prototype)


def _callable(loaded: Loaded, prototype: Any) -> tuple[Any, Any]:
    owner, address = loaded
    return owner, prototype(address)


def _unheard(make: Callable[[], Loaded]) -> Loaded:
    """Have it made where no signal is heard: LLVM calls back, and what is raised there is lost."""
    if threading.current_thread() is not threading.main_thread():
        return make()
    job = CompileJob(make).start()
    job.wait(FOR_EVER)
    return job.take()


def keep(text: str, store: Store, name: str | None, care: Care = Care.ALL) -> None:
    """Have machine code in a store, under a name if it has one, without loading it."""
    code, taken = here().make(text, care)
    store.put(key_of(text, taken), here().packed(code))
    if name is not None:
        remember(store, name, text, taken)


def _assemble(text: str, store: Store | None, care: Care) -> Loaded:
    code, care = here().make(text, care)
    if store is not None:
        store.put(key_of(text, care), here().packed(code))
    return llvm.load_object(code)


def recall(
    text: str, store: Store, *, prototype: Any = UNIT, care: Care = Care.ALL
) -> tuple[Any, Any] | None:
    """The same, if it is in the store; else None. Where no more can be had, some care must do."""
    found = here().load(store.get(key_of(text, care)))
    if found is not None:
        return _callable(found, prototype)
    if care is Care.ALL and llvm.has_no_more():
        return recall(text, store, prototype=prototype, care=Care.SOME)
    return None


def remember(store: Store, name: str, text: str, care: Care = Care.ALL) -> None:
    """Have machine code found again by a name, which takes no text: by what that is made from."""
    store.put(_key_of_name(name), NAMED + key_of(text, care).encode())


def recall_named(store: Store, name: str, prototype: Any) -> tuple[Any, Any] | None:
    """The machine code of that name for this machine; None if there is none."""
    content = store.get(_key_of_name(name))
    if content is not None and content.startswith(NAMED):
        content = store.get(content[len(NAMED) :].decode("ascii", "replace"))
    found = here().load(content)
    return None if found is None else _callable(found, prototype)


def key_of(text: str, care: Care) -> str:
    """Everything that decides what machine code comes out, as one name."""
    return fingerprint(f"5 {care.name} {_surroundings(here())}\n{text}".encode())


def _key_of_name(name: str) -> str:
    return fingerprint(f"name 1 {_surroundings(here())}\n{name}".encode())


@cache
def _surroundings(machine: AnyMachine) -> str:
    return machine.surroundings()
