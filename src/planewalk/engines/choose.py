"""Which engine runs: by name, or the best there is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..core.engine import Engine
from ..core.errors import EngineRefused, closest
from ..core.language import Language
from ..core.limits import Limits
from ..core.named import NamedTuple
from ..core.state import State
from ..core.step import Stop
from .native.shelf import Shelf
from .policy import following, policy_in_force
from .reference import ReferenceEngine

if TYPE_CHECKING:
    from ..core.barriers import Barriers
    from .native.gathering import Gathering
    from .native.llvm import Store
    from .tracing.refusal import Refusal

NAMES = ("auto", "reference", "interpreter", "python", "llvm")
"""From the slowest start to the fastest run; `auto` climbs."""

PIECE = 64
"""Ticks after which walkers are counted, which may be many soon."""


class Compiled(NamedTuple):
    """How many ticks ran in generated Python, and in machine code."""

    python: int = 0
    native: int = 0


class ClimbingEngine:
    """`auto`: starts on the reference engine, goes on in machine code if the run is long."""

    def __init__(
        self, language: Language, state: State, limits: Limits, store: Store | None = None
    ) -> None:
        self.language = language
        self.state = state
        self.limits = limits
        self.store = store
        self.engine: Engine = ReferenceEngine(language, state, limits)
        self.policy = policy_in_force()
        known = isinstance(store, Shelf) and bool(store)  # then the run has proven long already
        self.left = 0 if known else self.policy.short
        self.gathering: Gathering | None = None
        """What runs several walkers until then, if machine code for them is kept."""

    @property
    def name(self) -> str:
        """The engine that it has climbed to."""
        return "llvm" if self.gathered_ticks else self.engine.name

    @property
    def gathered_ticks(self) -> int:
        """How many ticks ran in kept machine code for several walkers."""
        return 0 if self.gathering is None else self.gathering.ticks

    @property
    def refusals(self) -> Counter[Refusal]:
        """What went wrong while code was made, and how often."""
        found: Counter[Refusal] | None = getattr(self.engine, "refusals", None)
        return Counter() if found is None else found

    def memory(self) -> int:
        """See `core.engine.Engine`."""
        return self.engine.memory()

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        state = self.state
        target = state.tick + ticks
        while isinstance(self.engine, ReferenceEngine) and state.tick < target:
            before = state.tick
            if self._gathers(target - before):
                stop = self._advance_crowd(target - before, barriers)
            elif self.left > 0:
                stop = self._advance_few(target - before, barriers)
            else:
                break
            if stop is not None or state.tick == before:
                return stop
        if self.left <= 0 and isinstance(self.engine, ReferenceEngine):
            with following(self.policy):
                self.engine = self._climb(len(self.engine.places_walked()))
        return self.engine.advance(target - state.tick, barriers)

    def _advance_few(self, ticks: int, barriers: Barriers | None) -> Stop | None:
        """Run for a while on the reference engine."""
        before, walkers = self.state.tick, max(len(self.state.walkers), 1)
        left = self.policy.modest - self.policy.short + self.left
        if walkers > 1 and left > 0:
            left //= 4  # a crowd may grow, and soon be worth more
        few = min(PIECE, max((left if left > 0 else self.left) // walkers, 1))
        stop = self.engine.advance(min(few, ticks), barriers)
        self.left -= (self.state.tick - before) * walkers
        return stop

    def _gathers(self, ticks: int) -> bool:
        """Whether several walkers are worth kept machine code, and there is some."""
        policy = self.policy
        if len(self.state.walkers) < 2 or policy.eager or policy.short - self.left < policy.modest:
            return False
        if self.gathering is None:
            from .native.gathering import Gathering

            language, state, limits = self.language, self.state, self.limits
            self.gathering = Gathering(language, state, limits, policy, self.store)
        return self.gathering.suits(ticks)

    def _advance_crowd(self, ticks: int, barriers: Barriers | None) -> Stop | None:
        assert self.gathering is not None
        return self.gathering.advance(
            ticks, barriers, lambda few: self.engine.advance(few, barriers)
        )

    def _climb(self, walked: int) -> Engine:
        if self.policy.eager:
            return _compiled("llvm", self.language, self.state, self.limits, self.store)
        from .tiering.turns import TurnTakingEngine

        return TurnTakingEngine(self.language, self.state, self.limits, self.store, walked=walked)


def _compiled(
    name: str, language: Language, state: State, limits: Limits, store: Store | None
) -> Engine:
    if name == "python":
        from .python.engine import PythonEngine

        return PythonEngine(language, state, limits)
    from .interpreter.abi import why_not

    policy = policy_in_force()
    if policy.background and why_not(language, state) is None:
        from .tiering.turns import TurnTakingEngine

        return TurnTakingEngine(language, state, limits, store, compiles=True)
    from .native.engine import LLVMEngine

    return LLVMEngine(language, state, limits, None if policy.eager else store)


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
    if name == "auto":
        return ClimbingEngine(language, state, limits, store)
    return _compiled(name, language, state, limits, store)


def preload() -> None:
    """Import what long runs need, for those who would rather not wait for it in a run."""
    from .native.engine import LLVMEngine  # noqa: F401
    from .native.llvm import why_not
    from .tiering.turns import TurnTakingEngine  # noqa: F401

    why_not()


def compiled_ticks(engine: Engine) -> Compiled:
    """How many ticks an engine ran in compiled code; those of languages' own do not tell."""
    gathered = 0
    if isinstance(engine, ClimbingEngine):
        gathered, engine = engine.gathered_ticks, engine.engine
    native = gathered + getattr(engine, "native_ticks", 0)
    return Compiled(getattr(engine, "python_ticks", 0), native)


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
    from .native.llvm import why_not

    reason = why_not()
    return None if reason is None else f"{reason}; going on with generated Python"


def detour(name: str, engine: Engine) -> str | None:
    """What did most of a run in place of the engine asked for by name, in one line; None if that
    did it."""
    interpreter = getattr(engine, "interpreter", None)
    if name != "llvm" or interpreter is None or 2 * interpreter.native_ticks < engine.state.tick:
        return None
    return "most of it ran on the interpreter, which was faster than machine code of the program"
