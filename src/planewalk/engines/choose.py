"""Which engine runs: by name, or the best there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.base.named import NamedTuple
from ..core.engine import Engine
from ..core.errors import EngineRefused, closest
from ..core.language import Language
from ..core.limits import Limits
from ..core.state import State
from .base.policy import policy_in_force
from .scheduling.scheduler import Scheduler
from .stepping.reference import ReferenceEngine

if TYPE_CHECKING:
    from .native.machine_code import Store

NAMES = ("auto", "reference", "interpreter", "python", "llvm")
"""From the slowest start to the fastest run; `auto` climbs."""


class Compiled(NamedTuple):
    """How many ticks ran in generated Python, and in machine code."""

    python: int = 0
    native: int = 0


def choose_engine(
    name: str, language: Language, state: State, limits: Limits, store: Store | None = None
) -> Engine:
    """The engine of that name, ready to run `state`; machine code is kept in `store`."""
    check_engine(name)
    if name == "reference":
        return ReferenceEngine(language, state, limits)
    if name == "interpreter":
        from .interpreter.engine import InterpreterEngine

        return InterpreterEngine(language, state, limits, store)
    own = language.engines.special
    special = None if own is None else own(name, state, limits, store)
    if special is not None:
        return special
    if name == "python":
        from .python.python_engine import PythonEngine

        return PythonEngine(language, state, limits)
    eager = policy_in_force().eager
    return Scheduler(language, state, limits, None if eager else store, compiles=name == "llvm")


def preload() -> None:
    """Import what long runs need, for those who would rather not wait for it in a run."""
    from .machine.llvm_engine import LLVMEngine  # noqa: F401
    from .native.machine_code import why_not
    from .scheduling.tiers import Tier  # noqa: F401

    why_not()


def compiled_ticks(engine: Engine) -> Compiled:
    """How many ticks an engine ran in compiled code; those of languages' own do not tell."""
    return Compiled(getattr(engine, "python_ticks", 0), getattr(engine, "native_ticks", 0))


def check_engine(name: str) -> None:
    """Refuse names that no engine has."""
    if name not in NAMES:
        meant = closest(name, NAMES)
        hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(NAMES)}"
        raise EngineRefused(f"unknown engine {name!r}; {hint}")


def shortfall(name: str, engine: Engine) -> str | None:
    """What an engine asked for by name cannot do here, in one line; None if it can do all."""
    refused = getattr(engine, "refused", None)
    if name == "interpreter" and refused is not None:
        return f"there is no interpreter for it: {refused}; going on with the reference engine"
    if name != "llvm":
        return None
    from .native.machine_code import why_not

    reason = why_not()
    return None if reason is None else f"{reason}; going on with generated Python"


def detour(name: str, engine: Engine) -> str | None:
    """What did most of a run in place of the engine asked for by name, in one line; None if that
    did it."""
    if name != "llvm" or not isinstance(engine, Scheduler) or engine.share_of("interpreter") < 0.5:
        return None
    return "most of it ran on the interpreter, which was faster than machine code of the program"
