"""Which engine runs: by name, or the best there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.engine import Engine
from ..core.errors import EngineRefused, closest
from ..core.language import Language
from ..core.limits import Limits
from ..core.state import State
from ..core.step import Stop
from .reference import ReferenceEngine

if TYPE_CHECKING:
    from .llvm import Store

NAMES = ("auto", "reference", "python", "llvm")
"""From the slowest start to the fastest run; `auto` climbs."""


SHORT = 20_000
"""Ticks after which a run counts as long: a short one never pays for a compiler."""


class ClimbingEngine:
    """`auto`: starts on the reference engine, goes on with compiled code if the run is long."""

    def __init__(
        self, language: Language, state: State, limits: Limits, store: Store | None = None
    ) -> None:
        self.language = language
        self.state = state
        self.limits = limits
        self.store = store
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
                self.engine = _compiled("llvm", self.language, self.state, self.limits, self.store)
            return stop
        return self.engine.advance(ticks)


def _compiled(
    name: str, language: Language, state: State, limits: Limits, store: Store | None
) -> Engine:
    special = language.special("python", state, limits) if language.special else None
    if special is not None:
        return special
    if name != "python":
        from .native import LLVMEngine

        return LLVMEngine(language, state, limits, store)
    from .compiled import PythonEngine

    return PythonEngine(language, state, limits)


def choose_engine(
    name: str, language: Language, state: State, limits: Limits, store: Store | None = None
) -> Engine:
    """The engine of that name, ready to run `state`; machine code is kept in `store`."""
    if name == "auto" and language.special is None:
        return ClimbingEngine(language, state, limits, store)
    if name == "reference":
        return ReferenceEngine(language, state, limits)
    if name in NAMES:
        return _compiled(name, language, state, limits, store)
    meant = closest(name, NAMES)
    hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(NAMES)}"
    raise EngineRefused(f"unknown engine {name!r}; {hint}")


def shortfall(name: str) -> str | None:
    """What an engine asked for by name cannot do here, in one line; None if it can do all."""
    if name != "llvm":
        return None
    from .llvm import why_not

    reason = why_not()
    return None if reason is None else f"{reason}; going on with generated Python"
