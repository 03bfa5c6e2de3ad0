"""Which engine runs: by name, or the best there is."""

from __future__ import annotations

from ..core.engine import Engine
from ..core.errors import EngineRefused, closest
from ..core.language import Language
from ..core.limits import Limits
from ..core.state import State
from .reference import ReferenceEngine

NAMES = ("auto", "reference", "python", "llvm")
"""All names of the contract; those not built yet refuse with a reason."""


def choose_engine(name: str, language: Language, state: State, limits: Limits) -> Engine:
    """The engine of that name, ready to run `state`."""
    if name in ("auto", "reference"):
        return ReferenceEngine(language, state, limits)
    if name in NAMES:
        raise EngineRefused(
            f"the {name} engine is not part of this version; use --engine auto or reference"
        )
    meant = closest(name, NAMES)
    hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(NAMES)}"
    raise EngineRefused(f"unknown engine {name!r}; {hint}")
