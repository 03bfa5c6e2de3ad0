"""The tiers of a run, from the slowest start to the fastest run, as the scheduler sees them.

Each answers the same questions: may it run here and now, what does it cost to make, how fast has it
been, what does it hold in memory. What a tier runs on is imported once it may be made: importing
the interpreter takes 8 ms, which a crowd does without.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from ...core.base.named import NamedTuple
from ...core.engine import Crowd
from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State
from ...core.step import Stop
from ..base.jobs import CompileJob, CompileQueue
from ..base.policy import Policy
from ..native.shelf import Shelf
from ..stepping.reference import ReferenceEngine
from ..tracing.refusal import Refusals
from .race import COMPILED, GAIN, GENERATED, INTERPRETED, REFERENCE, TierPace

if TYPE_CHECKING:
    from ...core.barriers import Barriers
    from ..compiled.unit_engine import UnitEngine
    from ..interpreter.engine import InterpreterEngine
    from ..interpreter.loader import Interpreter
    from ..native.machine_code import Store
    from ..tracing.refusal import Refusal

LLVM = "llvmlite.binding"  # what has to be imported for machine code


class Scheduled(NamedTuple):
    """The run that all tiers are for."""

    language: Language
    state: State
    limits: Limits
    store: Store | None
    policy: Policy
    queue: CompileQueue


class Tier:
    """A way of running, which may have to be made first."""

    name: str
    """That of the engine that a run is said to be on."""
    label: str
    """What it is called where a run is explained."""
    expected: float
    """Steps of walkers a second."""

    def __init__(self, run: Scheduled) -> None:
        self.run = run
        self.pace = TierPace(self.expected)
        self.engine: Any = None  # what runs, once it is there
        self.ticks, self.seconds = 0, 0.0  # all that ran here, and its CPU time

    def is_ready(self) -> bool:
        """Whether it is there; what was made beside the run is taken over."""
        return self.engine is not None

    def price(self, spent: float) -> float:
        """Seconds that making it takes; infinite if it cannot be, or need not. `spent` is what the
        run has cost."""
        return math.inf

    def make(self) -> None:
        """Make it, or have it made beside the run."""

    def suits(self, ticks: int, barriers: Barriers | None) -> bool:
        """Whether it may run here and now."""
        return self.is_ready()

    def waits(self) -> bool:
        """Whether it would rather run later, when code that is being made is there."""
        return False

    def rest(self, seconds: float) -> None:
        """Leave Python to the threads that make code."""

    def aside(self, other: Tier) -> AbstractContextManager[None]:
        """Have code dropped that another tier writes over."""
        return nullcontext()

    def advance(self, ticks: int, barriers: Barriers | None) -> Stop | None:
        """See `core.engine.Engine.advance`."""
        stop: Stop | None = self.engine.advance(ticks, barriers)
        return stop

    def has_written_code(self) -> bool:
        """Whether it may have written cells that are compiled, since that was last asked."""
        return True

    def memory(self) -> int:
        """Bytes beside the state."""
        return self.engine.memory() if self.engine is not None else 0

    def native_ticks(self) -> int:
        """How many ticks ran in machine code."""
        return int(getattr(self.engine, "native_ticks", 0))

    def refusals(self) -> Mapping[Refusal, int]:
        """What went wrong while code was made, and how often."""
        return getattr(self.engine, "refusals", {})

    def is_used(self) -> bool:
        """Whether it is there for the run."""
        return self.engine is not None

    def told(self, spent: float) -> str:
        """What became of it in a run that has cost so many seconds, in a line."""
        if self.ticks:
            did = f"{self.ticks:,} steps in {self.seconds:.3g} s of CPU time"
            tries = self.pace.in_vain
            return f"{did}; left {tries} times as slower than others" if tries else did
        if self.engine is not None:
            return "there, but had no turn"
        price = self.price(spent)
        if price == math.inf:
            return "not possible here"
        if price > spent:
            return f"not made: that takes {price:.2g} s, more than the run"
        return "not made: others are faster than it can be"


class ReferenceTier(Tier):
    """The reference engine, which is there at once and does everything."""

    name = label = "reference"
    expected = REFERENCE
    engine: ReferenceEngine

    def __init__(self, run: Scheduled, engine: ReferenceEngine) -> None:
        super().__init__(run)
        self.engine = engine
        self.pace.tried = True


class InterpreterTier(Tier):
    """The interpreter of the language, which comes along or is made beside a run that lasts."""

    name = label = "interpreter"
    expected = INTERPRETED
    engine: InterpreterEngine | None

    def __init__(self, run: Scheduled, reluctant: bool = False) -> None:
        """A reluctant one is made late even if it comes along."""
        super().__init__(run)
        self._reluctant = reluctant
        self._job: CompileJob[Interpreter] | None = None
        self._possible, self._looked = True, False

    def is_ready(self) -> bool:
        job = self._job
        if job is not None and job.ready:
            self._job = None
            self._take()
        return self.engine is not None

    def _take(self) -> None:
        from ..interpreter.engine import InterpreterEngine

        language, state, limits, store, _, queue = self.run
        made = InterpreterEngine(language, state, limits, store, queue)
        self._possible = made.refused is None
        self.engine = made if self._possible else None

    def price(self, spent: float) -> float:
        if self._job or self.engine or len(self.run.state.walkers) != 1 or not self._can_be():
            return math.inf
        late = self._reluctant or not self._is_at_hand()
        return self.run.policy.interpreter_price if late else 0.0

    def _can_be(self) -> bool:
        """Whether the language has one for this plane, as far as that is known."""
        if self._possible and not self._looked:
            from ..interpreter.abi import why_not

            self._looked = True
            self._possible = why_not(self.run.language, self.run.state) is None
        return self._possible

    def _is_at_hand(self) -> bool:
        from ..interpreter.loader import is_at_hand

        language, state, _, store, policy, _ = self.run
        return not policy.background or is_at_hand(language, state, store)

    def make(self) -> None:
        from ..interpreter.loader import interpreter_for

        language, state, _, store, _, queue = self.run
        if self._is_at_hand():
            self._take()
        else:
            make = partial(interpreter_for, language, _still(state), store)
            self._job = queue.begin("an interpreter", make)

    def suits(self, ticks: int, barriers: Barriers | None) -> bool:
        if not self.is_ready() or barriers or self.engine is None:
            return False
        return self.engine.suits()

    def advance(self, ticks: int, barriers: Barriers | None) -> Stop | None:
        assert self.engine is not None
        return self.engine.advance(ticks)

    def has_written_code(self) -> bool:
        marks = None if self.engine is None else self.engine.marks
        return marks is None or marks.has_written_code()

    def cells_walked(self) -> int | None:
        """How many cells the program walks, as far as that is known."""
        from ..interpreter.marks import WALKED

        marks = None if self.engine is None else self.engine.marks
        return None if marks is None else marks.cells_walked().count(WALKED) or None


class UnitTier(Tier):
    """Units of code compiled from what is hot in the program."""

    engine: UnitEngine | None

    def _is_wanted(self) -> bool:
        """Whether there is one walker, and no engine for it yet."""
        return self.engine is None and len(self.run.state.walkers) == 1

    def _begin(self, engine: UnitEngine) -> None:
        self.engine = engine
        if not engine.units.at:
            self.pace.rate = REFERENCE  # until there is some

    def aside(self, other: Tier) -> AbstractContextManager[None]:
        if self.engine is None or other is self:
            return nullcontext()
        return self.engine.set_aside()

    def suits(self, ticks: int, barriers: Barriers | None) -> bool:
        return self.engine is not None and len(self.run.state.walkers) == 1

    def waits(self) -> bool:
        return self.engine is not None and self.engine.is_making_code()

    def rest(self, seconds: float) -> None:
        assert self.engine is not None
        self.engine.wait_for_code(seconds)


class CompiledTier(UnitTier):
    """Machine code of the program."""

    name, label = "llvm", "machine code"
    expected = COMPILED

    def __init__(
        self, run: Scheduled, reference: ReferenceEngine, interpreter: InterpreterTier | None
    ) -> None:
        super().__init__(run)
        self.reference, self.interpreter = reference, interpreter
        self._introduced = False
        self.possible = run.policy.machine_code and not run.language.rules.meet
        """Whether there can be any, as far as that is known."""
        self._due = 0.0
        store = run.store
        self._shelved = isinstance(store, Shelf) and bool(store)
        """Whether other engines of this program have left code: then none is looked for on disk."""
        self._kept_as: str | None = None
        if store is not None and self._is_wanted() and run.policy.kept_units and not self._shelved:
            from ..machine import code_cache

            self._kept_as = code_cache.name_of(run.language, run.state)

    def has_code(self) -> bool:
        """Whether there is code of the program already."""
        store = self.run.store
        if store is None or self._shelved:
            return self._shelved
        return self._kept_as is not None and store.get(self._kept_as) is not None

    def price(self, spent: float) -> float:
        policy = self.run.policy
        if not self.possible or not self._is_wanted():
            return math.inf
        fixed = policy.tracing_price + (0.0 if LLVM in sys.modules else policy.loading_price)
        if spent < max(fixed, self._due) or not policy.cell_price:
            return max(fixed, self._due)
        walked = None if self.interpreter is None else self.interpreter.cells_walked()
        cells = len(self.reference.places_walked()) if walked is None else walked
        price = fixed + policy.cell_price * min(cells, policy.most_instructions)
        self._due = max(price, GAIN * spent)  # cells are counted again only then
        return price

    def make(self) -> None:
        language, state, limits, store, policy, queue = self.run
        from ..native.machine_code import why_not  # which takes long to import

        if not self.has_code() and why_not() is not None:
            self.possible = False
            return
        from ..machine.llvm_engine import LLVMEngine

        self._begin(LLVMEngine(language, state, limits, store, policy, queue, self._kept_as))

    def _introduce(self) -> None:
        """Have the interpreter know which cells compiled code was made from."""
        interpreter = None if self.interpreter is None else self.interpreter.engine
        marks = None if interpreter is None else interpreter.marks
        if self._introduced or self.engine is None or interpreter is None or marks is None:
            return
        self._introduced = True
        code_map = self.engine.code_map
        code_map.others = marks
        if interpreter.supers is not None:
            self.engine.survey.cells_walked = marks.cells_walked
        for touched in code_map.in_use():
            marks.mark(touched, True)

    def aside(self, other: Tier) -> AbstractContextManager[None]:
        if self.engine is None or other is self:
            return nullcontext()
        return self.engine.set_aside(other.has_written_code)

    def suits(self, ticks: int, barriers: Barriers | None) -> bool:
        engine = self.engine
        if engine is None or not super().suits(ticks, barriers):
            return False
        if engine.hot_spots.unwritable and not engine.units.at:
            self.possible = False  # machine code has no words for what is hot in the program
        self._introduce()
        return True


class PythonTier(UnitTier):
    """Generated Python of the program, for what has no machine code or is slow in it: floats on a
    stack, numbers of any length."""

    name, label = "python", "generated Python"
    expected = GENERATED

    def __init__(self, run: Scheduled, compiled: CompiledTier, reluctant: bool) -> None:
        """A reluctant one is made only where there can be no machine code."""
        super().__init__(run)
        self.compiled, self._reluctant = compiled, reluctant
        self._possible = not run.language.rules.meet

    def price(self, spent: float) -> float:
        if not self._possible or not self._is_wanted():
            return math.inf
        if self._reluctant and self.compiled.possible:
            return math.inf
        return self.run.policy.tracing_price

    def make(self) -> None:
        from ..python.python_engine import PythonEngine

        language, state, limits, _, policy, queue = self.run
        self._begin(PythonEngine(language, state, limits, policy, queue))


class CrowdTier(Tier):
    """Several walkers on one plane, in machine code that comes along or is made of the language."""

    name, label = "llvm", "crowd"
    expected = INTERPRETED
    engine: Crowd | None

    def __init__(self, run: Scheduled, reference: ReferenceEngine) -> None:
        super().__init__(run)
        self.reference = reference
        self._looked = self._begun = False
        self._job: CompileJob[None] | None = None
        self._refusals = Refusals()
        self._native_ticks = 0

    def crowd(self) -> Crowd | None:
        """What a language has of its own, or what can be made from its instructions; ready at once
        if its machine code is kept."""
        language, state, limits, store, policy, _ = self.run
        if self._looked or len(state.walkers) < 2:
            return self.engine
        self._looked = True
        if policy.crowds and language.engines.crowd is not None:
            self.engine = language.engines.crowd(state, limits)
        elif policy.crowds:
            from ..interpreter.crowd import crowd_of  # which not every language needs

            self.engine = crowd_of(language, state, limits)
        if self.engine is not None and store is not None:
            self.engine.recall(store)
        return self.engine

    def price(self, spent: float) -> float:
        policy, crowd = self.run.policy, self.crowd()
        if crowd is None or crowd.ready or self._begun or len(self.run.state.walkers) < 2:
            return math.inf
        return policy.tracing_price + (0.0 if LLVM in sys.modules else policy.loading_price)

    def make(self) -> None:
        self._begun = True
        crowd = self.crowd()
        assert crowd is not None

        def assemble() -> None:
            from ..native.machine_code import why_not

            if why_not() is None:
                crowd.assemble(self.run.store)

        self._job = self.run.queue.begin("a crowd", assemble)

    def suits(self, ticks: int, barriers: Barriers | None) -> bool:
        job = self._job
        if job is not None and job.ready:
            self._job = None
            try:
                job.take()
            except Exception as error:
                self._refusals.note(error)
        crowd, several = self.crowd(), len(self.run.state.walkers) > 1
        return several and crowd is not None and crowd.ready

    def advance(self, ticks: int, barriers: Barriers | None) -> Stop | None:
        """Run in machine code, up to a tick that the reference engine has to do, and that one."""
        state, crowd = self.run.state, self.engine
        assert crowd is not None
        before = state.tick
        going = crowd.advance(ticks, barriers)
        made = state.tick - before
        self._native_ticks += made
        return None if going or made == ticks else self.reference.advance(1, barriers)

    def memory(self) -> int:
        return 0

    def native_ticks(self) -> int:
        return self._native_ticks

    def refusals(self) -> Mapping[Refusal, int]:
        return self._refusals

    def is_used(self) -> bool:
        return self._native_ticks > 0


def _still(state: State) -> State:
    """What an interpreter is made for, which the run beside does not change."""
    registers = {**state.registers} if isinstance(state.registers, dict) else state.registers[:]
    return State(
        state.plane, state.walkers[:1], stack=state.held_stack[:0], registers=registers,
        options=state.options,
    )  # fmt: skip
