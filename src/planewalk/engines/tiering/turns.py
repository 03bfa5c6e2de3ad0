"""Interpreter and compiled code by turns: what `auto` runs on once a run is not short.

The interpreter is there at once, and code of a program's own is made only if the run goes on. Then
both are measured (`race.py`), and the faster one has nearly all of the time.
"""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager
from functools import partial
from time import perf_counter, thread_time
from typing import TYPE_CHECKING

from ...core.engine import Engine
from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State
from ...core.step import Stop
from ..interpreter.abi import why_not
from ..interpreter.engine import InterpreterEngine
from ..interpreter.finding import Interpreter, interpreter_for, is_at_hand
from ..native import code_cache
from ..native.shelf import Shelf
from ..policy import policy_in_force
from ..reference import ReferenceEngine
from .budget import TracingBudget
from .jobs import CompileJob, CompileQueue
from .race import COMPILED, INTERPRETED, Race

if TYPE_CHECKING:
    from ...core.barriers import Barriers
    from ..native.engine import LLVMEngine
    from ..native.llvm import Store
    from ..tracing.refusal import Refusal

AWAITING = 0.02
"""Seconds that a turn takes while code is made: after each, Python may be busy for a while."""
SLOW = 2e7
"""Ticks a second with which the interpreter is of little use, since it leaves too often; and a
program's own code, since that is not machine code."""
KNOWN = 1e9
"""Ticks a second that are expected of code that is there already."""
WORTH_MAKING, WORTH_MAKING_SOON = 0.5, 0.2
"""Seconds of a run before an interpreter is made that was never needed before, which takes as long;
and before one is made for a large program, which would be slow for much longer without."""
LARGE = 1_000
"""Places that a run has been to so soon that tracing would take longer than an interpreter."""
LOOK = 0.02
"""Seconds after which somebody may look at the clock and the memory."""
REST = LOOK / 2
"""Seconds that Python is left to those who make code, while nothing but Python runs."""


class InterpreterOrder:
    """The interpreter of a language for one run: at hand, being made, or not worth it yet."""

    def __init__(
        self,
        language: Language,
        state: State,
        store: Store | None,
        queue: CompileQueue,
        seconds: float,
    ) -> None:
        self.make = partial(interpreter_for, language, _still(state), store)
        self.queue = queue
        self.due = thread_time() + seconds
        """When it will be worth making."""
        self.job: CompileJob[Interpreter] | None = None

    def is_made(self, rate: float) -> bool:
        """Whether it is there by now; it is made beside a run that has gone on for long, and whose
        own code is slow."""
        if self.job is None and rate < SLOW and thread_time() > self.due:
            self.job = self.queue.begin("an interpreter", self.make)
        return self.job is not None and self.job.ready

    def wait(self) -> None:
        """Leave Python to those who make it, for a moment."""
        if self.job is not None:
            self.job.wait(LOOK)


class TurnTakingEngine:
    """Runs on the interpreter, on compiled code, or on both by turns."""

    def __init__(
        self,
        language: Language,
        state: State,
        limits: Limits,
        store: Store | None = None,
        queue: CompileQueue | None = None,
        walked: int = 0,
        compiles: bool = False,
    ) -> None:
        """`walked` says how many places the run has been to. One that compiles does so from the
        start, and has an interpreter only if that does not get it far."""
        self.language, self.state, self.limits, self.store = language, state, limits, store
        self.policy = policy_in_force()
        self.queue = queue or CompileQueue(self.policy.background)
        self.interpreter: InterpreterEngine | None = None
        self.compiled: LLVMEngine | None = None
        self.reference: ReferenceEngine | None = None
        """What runs until a large program has an interpreter."""
        self.order: InterpreterOrder | None = None
        self.race = Race(1e8, 1e6)
        self._shelved = isinstance(store, Shelf) and bool(store)
        """Whether other engines of this program have left code: then none is looked for on disk."""
        known = store is None or self._shelved
        self._kept_as = None if known else code_cache.name_of(language, state)
        self.budget = TracingBudget(self.policy, state.tick)
        self._in_python = True
        """Whether what ran last was not machine code. Then those who make code wait for Python."""
        if compiles:
            self._order(WORTH_MAKING_SOON)
            self._compile()
        else:
            self._begin(walked > LARGE)

    def _begin(self, large: bool) -> None:
        """Have an interpreter, now or later, and compiled code if there is no other way."""
        known = self._has_code()
        if known:
            self.race = Race(1e8, KNOWN)
        if why_not(self.language, self.state) is None and len(self.state.walkers) == 1:
            if not self.policy.background or is_at_hand(self.language, self.state, self.store):
                self._interpret()
            else:  # a short run does not pay for it
                self._order(WORTH_MAKING_SOON if large else WORTH_MAKING)
        if self.order is not None and large and not known:
            self.reference = ReferenceEngine(self.language, self.state, self.limits)
        elif self.interpreter is None or known:
            self._compile()

    def _order(self, seconds: float) -> None:
        """Have an interpreter made once it is worth it."""
        self.order = InterpreterOrder(self.language, self.state, self.store, self.queue, seconds)

    def _has_code(self) -> bool:
        """Whether there is code of the program's own already."""
        if self.store is None or self._shelved:
            return self._shelved
        return self._kept_as is not None and self.store.get(self._kept_as) is not None

    def _interpret(self) -> None:
        made = InterpreterEngine(self.language, self.state, self.limits, self.store, self.queue)
        if made.refused is None:
            self.interpreter = made
            self._introduce()

    def _compile(self) -> LLVMEngine:
        if self.compiled is None:
            from ..native.engine import LLVMEngine  # which short runs do without

            policy = self.policy.after_proof() if self.budget.seconds else self.policy
            self.compiled = LLVMEngine(
                self.language, self.state, self.limits, self.store, policy, self.queue,
                self._kept_as,
            )  # fmt: skip
            self._introduce()
        return self.compiled

    def _introduce(self) -> None:
        """Have the interpreter know which cells compiled code was made from."""
        leaps = None if self.interpreter is None else self.interpreter.leaps
        if leaps is not None and self.compiled is not None and self.state.plane.writable:
            code_map = self.compiled.code_map
            code_map.others = leaps
            self.compiled.survey.cells_walked = leaps.cells_walked
            self.compiled.native.maker.hurries = False
            for touched in code_map.in_use():
                leaps.mark(touched, True)

    # What it has come to --------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The engine that it has climbed to."""
        engine = self.compiled or self.interpreter or self.reference
        assert engine is not None
        return engine.name

    @property
    def refusals(self) -> Counter[Refusal]:
        """What went wrong while code was made, and how often."""
        found: Counter[Refusal] = Counter()
        for engine in (self.interpreter, self.compiled):
            found.update(engine.refusals if engine is not None else ())
        return found

    @property
    def python_ticks(self) -> int:
        """How many ticks ran in generated Python."""
        return 0 if self.compiled is None else self.compiled.python_ticks

    @property
    def native_ticks(self) -> int:
        """How many ticks ran in machine code."""
        engines = (self.compiled, self.interpreter)
        return sum(engine.native_ticks for engine in engines if engine is not None)

    def memory(self) -> int:
        """See `core.engine.Engine`."""
        engines = (self.compiled, self.interpreter)
        return sum(engine.memory() for engine in engines if engine is not None)

    # Turns ----------------------------------------------------------------------------------------

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        target, began = self.state.tick + ticks, perf_counter()
        while True:
            before = self.state.tick
            if self.order is not None:
                self._look_for_interpreter(self.order)
            stop = self._turn(target - before, barriers)
            if stop is not None or self.state.tick >= target or self.state.tick == before:
                return stop
            if perf_counter() - began > LOOK:
                return None  # for somebody to look at the clock and the memory

    def _look_for_interpreter(self, order: InterpreterOrder) -> None:
        """Have the interpreter once it is there."""
        if order.is_made(self.race.paces[COMPILED].rate):
            self.order = self.reference = None
            self._interpret()
        else:
            order.wait()

    def _turn(self, ticks: int, barriers: Barriers | None) -> Stop | None:
        """Let the engine run whose turn it is."""
        interpreter, (pace, compiled_pace) = self.interpreter, self.race.paces
        if self._in_python and self.compiled is not None and self.compiled.is_making_code():
            self.compiled.wait_for_code(REST)
            ticks = min(ticks, compiled_pace.turn(self.policy))
        if self.order is not None and (self.reference or self.order.job):
            ticks = min(ticks, compiled_pace.turn(self.policy))
        if barriers or interpreter is None or not interpreter.suits():
            return self._run_compiled(ticks, barriers)
        if self.compiled is None and pace.rate >= SLOW and not self._pays(interpreter):
            missing = max(self.budget.missing(pace.rate, self.state.tick), self.policy.least_turn)
            turn = min(missing, int(LOOK * pace.rate))
            return self._run_interpreter(interpreter, min(ticks, turn))
        if self._awaits_code():
            turn = pace.turn(self.policy, AWAITING)
            return self._run_interpreter(interpreter, min(ticks, turn))
        which = self.race.next()
        ticks = min(ticks, self.race.turn(which, self.policy))
        if which == INTERPRETED:
            return self._run_interpreter(interpreter, ticks)
        return self._run_compiled(ticks, None)

    def _awaits_code(self) -> bool:
        """Whether there is nothing but slower code yet, and more is being made."""
        slower = self.race.faster == INTERPRETED
        return slower and self.compiled is not None and self.compiled.is_making_code()

    def _pays(self, interpreter: InterpreterEngine) -> bool:
        """Whether the run is worth code of its own."""
        if self.budget.missing(self.race.paces[INTERPRETED].rate, self.state.tick) > 0:
            return False
        return self.budget.covers(interpreter)

    def _run_interpreter(self, interpreter: InterpreterEngine, ticks: int) -> Stop | None:
        before, began = self.state.tick, thread_time()
        if self.compiled is None:
            stop = interpreter.advance(ticks)
        else:
            with self._set_aside(self.compiled, interpreter):
                stop = interpreter.advance(ticks)
        seconds = thread_time() - began
        self.race.note(INTERPRETED, self.state.tick - before, seconds)
        self._in_python = self.race.paces[INTERPRETED].rate < SLOW
        self.budget.note(seconds)
        return stop

    def _set_aside(
        self, compiled: LLVMEngine, interpreter: InterpreterEngine
    ) -> AbstractContextManager[None]:
        """Have compiled code dropped that the interpreter writes over."""
        if interpreter.leaps is None:
            return compiled.set_aside()
        return compiled.set_aside(interpreter.leaps.has_written_code)

    def _other(self, barriers: Barriers | None) -> Engine:
        """What runs where the interpreter does not: compiled code, unless it is better to wait."""
        if self.reference is None or barriers or len(self.state.walkers) > 1:
            self.reference = None
            return self._compile()
        return self.reference

    def _run_compiled(self, ticks: int, barriers: Barriers | None) -> Stop | None:
        compiled = self._other(barriers)
        before, began, native = self.state.tick, thread_time(), self.native_ticks
        stop = compiled.advance(ticks, barriers)
        seconds = thread_time() - began
        ticks, making = self.state.tick - before, self.queue.take_seconds()
        if barriers or self.interpreter is None:  # it had no choice
            self.race.paces[COMPILED].note(ticks, seconds)
        else:
            self.race.note(COMPILED, ticks, seconds, making)
        self._in_python = 2 * (self.native_ticks - native) < self.state.tick - before
        return stop


def _still(state: State) -> State:
    """What an interpreter is made for, which the run beside does not change."""
    registers = {**state.registers} if isinstance(state.registers, dict) else state.registers[:]
    return State(
        state.plane, state.walkers[:1], stack=state.held_stack[:0], registers=registers,
        options=state.options,
    )  # fmt: skip
