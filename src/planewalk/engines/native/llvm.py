"""Machine code from LLVM IR, through llvmlite."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from functools import cache, partial
from struct import Struct
from typing import Any, Protocol
from zlib import crc32

from ...core.base.fingerprint import fingerprint
from ..base.jobs import FOR_EVER, CompileJob
from ..base.policy import policy_in_force
from . import executable

LIBRARY = "libllvmlite.so"
"""The file of llvmlite that LLVM is in, on Linux."""
LONG_TEXT = 100_000
"""Characters beyond which text takes longer than some frames of a film to become good code."""


class Care(Enum):
    """How much is done to make machine code good."""

    QUICK = 0
    """Made in a tenth of the time, and some times slower."""
    MANY_BRANCHES = 1
    """For code with many branches: most optimisations gain nothing there, and some lose, since they
    keep more values at hand than there are registers."""
    SOME = 2
    """What helps small loops most."""
    ALL = 3
    """Everything; best for small loops."""


MOST_PIPELINES = 1_000
"""How often a process may have everything: llvmlite never gives back the 60 KB that each time
takes. After that, some must do."""
_PIPELINES = iter(range(MOST_PIPELINES))
_no_more: list[bool] = []
"""True once they are used up."""


def best_care(size: int) -> Care:
    """What makes the best code of text of that size."""
    return Care.MANY_BRANCHES if size > LONG_TEXT else Care.ALL


class Store(Protocol):
    """Somewhere to keep machine code between runs, under keys of 64 hexadecimal digits.

    Whatever goes wrong there only costs time; what comes out went in.
    """

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, code: bytes) -> None: ...


UNIT = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)


def assemble(
    text: str, store: Store | None = None, *, prototype: Any = UNIT, care: Care = Care.ALL
) -> tuple[Any, Any]:
    """Machine code from text: the engine that owns it, and its function `unit`."""
    kept = recall(text, store, prototype=prototype, care=care) if store is not None else None
    if kept is not None:
        return kept
    return _unheard(partial(_assemble, text, store, prototype, care))


def _unheard(make: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any]:
    """Have it made where no signal is heard: LLVM calls back, and what is raised there is lost."""
    if threading.current_thread() is not threading.main_thread():
        return make()
    job = CompileJob(make).start()
    job.wait(FOR_EVER)
    return job.take()


def _assemble(text: str, store: Store | None, prototype: Any, care: Care) -> tuple[Any, Any]:
    with _LOCK:
        if care is Care.ALL and next(_PIPELINES, None) is None:
            care = Care.SOME
            _no_more[:] = [True]
        machine = _machine(care)
        code = machine.emit_object(_optimise(text, machine, care))
    if missing := _missing_functions(code):
        from .values import Unwritable

        raise Unwritable(f"LLVM made calls of functions that are not there: {', '.join(missing)}")
    if store is not None:
        store.put(key_of(text, care), _packed(code))
    return _load_object(code, prototype)


def _missing_functions(code: bytes) -> list[str]:
    """Functions that an object calls and this process does not have: LLVM would end the process
    or have it jump to 0."""
    from .object_file import borrowed_names

    return [name for name in borrowed_names(code) if executable.address_of_function(name) is None]


def recall(
    text: str, store: Store, *, prototype: Any = UNIT, care: Care = Care.ALL
) -> tuple[Any, Any] | None:
    """The same, if it is in the store; else None. Where no more can be had, some care must do."""
    found = _recall_object(store, key_of(text, care), prototype)
    if found is None and care is Care.ALL and _no_more:
        return recall(text, store, prototype=prototype, care=Care.SOME)
    return found


def remember(store: Store, name: str, text: str, care: Care = Care.ALL) -> None:
    """Have machine code found again by a name, which takes no text: by what that is made from."""
    store.put(name, NAMED + key_of(text, care).encode())


def recall_named(store: Store, name: str, prototype: Any) -> tuple[Any, Any] | None:
    """The machine code of that name; None if there is none."""
    content = store.get(name)
    if content is None or not content.startswith(NAMED):
        return None
    return _recall_object(store, content[len(NAMED) :].decode("ascii", "replace"), prototype)


def _recall_object(store: Store, key: str, prototype: Any) -> tuple[Any, Any] | None:
    content = store.get(key)
    image = _unpacked(content, IMAGE)
    if image is not None:
        return _load_image(image, prototype)
    kept = _unpacked(content, OBJECT)
    if kept is None or why_not() is not None or _missing_functions(kept):
        return None
    return _load_object(kept, prototype)


def _load_image(image: bytes, prototype: Any) -> tuple[Any, Any] | None:
    """Without LLVM; None if it cannot be, and then LLVM can say why."""
    from .code_image import NotWhole, load

    try:
        owner, address = load(image)
    except NotWhole:
        return None
    return owner, prototype(address)


def _load_object(kept: bytes, prototype: Any) -> tuple[Any, Any]:
    import llvmlite.binding as llvm

    with _LOCK:
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(Care.QUICK))
        engine.add_object_file(llvm.ObjectFileRef.from_data(kept))
        engine.finalize_object()
        return engine, prototype(engine.get_function_address("unit"))


IMAGE = b"planewalk image 1\n"
OBJECT = b"planewalk object 1\n"
NAMED = b"planewalk name 1\n"
"""The key of what it names follows."""
CHECK = Struct(">QI")
"""A length, and a checksum. LLVM ends the process over an object that is cut off."""


def _packed(code: bytes) -> bytes:
    """An object as it is kept: as an image where that is understood, which needs no LLVM."""
    if not executable.KNOWN or not policy_in_force().code_images:
        return _sealed(OBJECT, code)
    from .object_file import NotUnderstood, image_of

    try:
        return _sealed(IMAGE, image_of(code).dump())
    except NotUnderstood:
        return _sealed(OBJECT, code)


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


def _optimise(text: str, machine: Any, care: Care) -> Any:
    """A module from text, verified and optimised."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(text)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=2 if care is Care.ALL else 1)
    builder = llvm.create_pass_builder(machine, tuning)
    if care is Care.ALL:
        passes = builder.getModulePassManager()
    else:
        passes = llvm.create_new_module_pass_manager()
        if care is Care.SOME:
            passes.add_always_inliner_pass()
        passes.add_sroa_pass()
        if care is not Care.QUICK:
            passes.add_instruction_combine_pass()
            passes.add_simplify_cfg_pass()
        if care is Care.SOME:
            passes.add_new_gvn_pass()
            passes.add_instruction_combine_pass()
            passes.add_simplify_cfg_pass()
    passes.run(module, builder)
    return module


def optimised(text: str, care: Care) -> str:
    """The IR that machine code is made from in the end."""
    with _LOCK:
        return str(_optimise(text, _machine(care), care))


def assembly(text: str, care: Care) -> str:
    """The machine code, in this machine's own words."""
    with _LOCK:
        machine = _machine(care)
        machine.set_asm_verbosity(True)  # comments that name the blocks
        words: str = machine.emit_assembly(_optimise(text, machine, care))
        return words


_LOCK = threading.Lock()
"""LLVM's global set-up and its compilers are used by one thread at a time."""


def _machine(care: Care) -> Any:
    """A target of its own for each engine, which comes to own it."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    cpu, features = _host()
    opt = 0 if care is Care.QUICK else 2
    return target.create_target_machine(cpu=cpu, features=features, opt=opt, jit=True)


@cache
def _host() -> tuple[str, str]:
    """The name of this machine's processor, and what it can do."""
    import llvmlite.binding as llvm

    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def key_of(text: str, care: Care) -> str:
    """Everything that decides what machine code comes out, as one name."""
    return fingerprint(f"5 {care.name} {_surroundings()}\n{text}".encode())


@cache
def _surroundings() -> str:
    """What makes machine code, and for which processor: LLVM as it is part of llvmlite, and all
    that it asks the processor for. Where that is not known here, LLVM says it itself."""
    try:
        import llvmlite
    except ImportError:
        return "nothing, since there is no llvmlite"
    with suppress(OSError):
        if executable.KNOWN:
            from .processor import processor

            library = os.path.join(os.path.dirname(llvmlite.__file__), "binding", LIBRARY)
            return f"{llvmlite.__version__} {os.stat(library).st_size} {processor()}"
    import llvmlite.binding as llvm

    return f"{llvmlite.__version__} {llvm.llvm_version_info} {' '.join(_host())}"


def has_long_vectors() -> bool:
    """Whether this machine's processor has vectors of 512 bits."""
    with suppress(OSError):
        if executable.KNOWN:
            from .processor import processor

            return processor().avx512
    try:
        import llvmlite.binding as llvm
    except ImportError:
        return False
    return bool(llvm.get_host_cpu_features().get("avx512f"))


@cache
def why_not() -> str | None:
    """Why machine code cannot be made here; None if it can."""
    try:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.check_jit_execution()
    except ImportError:
        return "llvmlite is not installed (pip install llvmlite)"
    except OSError as error:
        return f"this machine forbids executable memory ({str(error).splitlines()[0][:60]})"
    return None
