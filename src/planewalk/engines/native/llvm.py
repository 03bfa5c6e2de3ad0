"""Objects from LLVM IR, made and loaded by LLVM, through llvmlite."""

from __future__ import annotations

import threading
from enum import Enum
from functools import cache
from typing import Any

from ...core.base.named import NamedTuple

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


class Target(NamedTuple):
    """Another machine that code is made for: what LLVM calls it, and what it can do."""

    triple: str
    features: str = ""


def best_care(size: int) -> Care:
    """What makes the best code of text of that size."""
    return Care.MANY_BRANCHES if size > LONG_TEXT else Care.ALL


def has_no_more() -> bool:
    """Whether some care must do from now on."""
    return bool(_no_more)


def object_of(text: str, care: Care, target: Target | None = None) -> tuple[bytes, Care]:
    """An object from text, and the care that was taken; for this machine unless one is named."""
    with _LOCK:
        if care is Care.ALL and next(_PIPELINES, None) is None:
            care = Care.SOME
            _no_more[:] = [True]
        machine = _machine(care, target)
        module = _parsed(text)
        if target is not None:
            module.triple, module.data_layout = target.triple, str(machine.target_data)
        return machine.emit_object(_optimise(module, machine, care)), care


def load_object(code: bytes) -> tuple[Any, int]:
    """What owns the code of an object from now on, and the address of its function `unit`."""
    import llvmlite.binding as llvm

    with _LOCK:
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(Care.QUICK))
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return engine, engine.get_function_address("unit")


def _parsed(text: str) -> Any:
    """A module from text, verified."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(text)
    module.verify()
    return module


def _optimise(module: Any, machine: Any, care: Care) -> Any:
    """The module, optimised."""
    import llvmlite.binding as llvm

    tuning = llvm.create_pipeline_tuning_options(speed_level=2 if care is Care.ALL else 1)
    builder = llvm.create_pass_builder(machine, tuning)
    if care is Care.ALL:
        passes = builder.getModulePassManager()
    else:
        passes = llvm.create_new_module_pass_manager()
        if care is not Care.QUICK:
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
        return str(_optimise(_parsed(text), _machine(care), care))


def assembly(text: str, care: Care) -> str:
    """The machine code, in this machine's own words."""
    with _LOCK:
        machine = _machine(care)
        machine.set_asm_verbosity(True)  # comments that name the blocks
        words: str = machine.emit_assembly(_optimise(_parsed(text), machine, care))
        return words


_LOCK = threading.Lock()
"""LLVM's global set-up and its compilers are used by one thread at a time."""


def _machine(care: Care, other: Target | None = None) -> Any:
    """A target of its own for each engine, which comes to own it."""
    import llvmlite.binding as llvm

    opt = 0 if care is Care.QUICK else 2
    if other is not None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple(other.triple)
        return target.create_target_machine(features=other.features, opt=opt, reloc="pic")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    cpu, features = _host()
    return target.create_target_machine(cpu=cpu, features=features, opt=opt, jit=True)


@cache
def _host() -> tuple[str, str]:
    """The name of this machine's processor, and what it can do."""
    import llvmlite.binding as llvm

    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def surroundings() -> str:
    """What makes machine code, and for which processor, as LLVM says it."""
    import llvmlite
    import llvmlite.binding as llvm

    return f"{llvmlite.__version__} {llvm.llvm_version_info} {' '.join(_host())}"


def has_feature(name: str) -> bool:
    """Whether this machine's processor can do something, as far as LLVM is there to say it."""
    try:
        import llvmlite.binding as llvm
    except ImportError:
        return False
    return bool(llvm.get_host_cpu_features().get(name))


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
