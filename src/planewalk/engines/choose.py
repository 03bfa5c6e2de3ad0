"""Which engine runs: by name, or the best there is."""

from __future__ import annotations

from ..core.engine import Engine
from ..core.errors import EngineRefused, closest
from ..core.language import Language
from ..core.limits import Limits
from ..core.state import State
from ..core.step import Stop
from .reference import ReferenceEngine

NAMES = ("auto", "reference", "python", "llvm")
"""All names of the contract; those not built yet refuse with a reason."""


SHORT = 2_000
"""Ticks after which a run counts as long: a short one never pays for a compiler."""


class ClimbingEngine:
    """`auto`: starts on the reference engine, goes on with generated code if the run is long."""

    def __init__(self, language: Language, state: State, limits: Limits) -> None:
        self.language = language
        self.state = state
        self.limits = limits
        self.engine: Engine = ReferenceEngine(language, state, limits)
        self.left = SHORT

    @property
    def name(self) -> str:
        """The engine that it has climbed to."""
        return self.engine.name

    def advance(self, ticks: int) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        if self.left > 0:
            before = self.state.tick
            stop = self.engine.advance(min(ticks, self.left))
            self.left -= self.state.tick - before
            if self.left <= 0 and stop is None:
                self.engine = _python_engine(self.language, self.state, self.limits)
            return stop
        return self.engine.advance(ticks)


def _python_engine(language: Language, state: State, limits: Limits) -> Engine:
    special = language.special("python", state, limits) if language.special else None
    if special is not None:
        return special
    from .compiled import PythonEngine

    return PythonEngine(language, state, limits)


def choose_engine(name: str, language: Language, state: State, limits: Limits) -> Engine:
    """The engine of that name, ready to run `state`."""
    if name == "auto":
        return ClimbingEngine(language, state, limits)
    if name == "reference":
        return ReferenceEngine(language, state, limits)
    if name == "python":
        return _python_engine(language, state, limits)
    if name in NAMES:
        raise EngineRefused(
            f"the {name} engine is not part of this version; use --engine auto or reference"
        )
    meant = closest(name, NAMES)
    hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(NAMES)}"
    raise EngineRefused(f"unknown engine {name!r}; {hint}")
