"""`auto`: runs on the fastest tier that is there, and has faster ones made while that pays.

Two rules decide, for all languages. A tier is made once the run has cost as much as making it will,
as one who may ski for any number of days rents until the rent has come to the price: so a run costs
at most twice what it would if its length had been known. And of the tiers that are there, the
fastest runs; the others are tried for a share of the time that shrinks with every try in vain.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from math import isqrt
from time import perf_counter
from typing import TYPE_CHECKING

from ...core.base.platform import thread_time
from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State
from ...core.step import Stop
from ..base.jobs import CompileQueue
from ..base.policy import following, policy_in_force
from ..stepping.reference import ReferenceEngine
from .race import INTERPRETED, SHARE, TURN, next_turn, note

if TYPE_CHECKING:
    from ...core.barriers import Barriers
    from ..native.machine_code import Store
    from ..tracing.refusal import Refusal
    from .tiers import CompiledTier, Tier

LOOK = SHARE * TURN  # seconds after which the caller may look at the clock and the memory


class Scheduler:
    """An engine that goes from tier to tier. See `core.engine.Engine`."""

    def __init__(
        self, language: Language, state: State, limits: Limits, store: Store | None = None,
        queue: CompileQueue | None = None, compiles: bool = False,
    ) -> None:  # fmt: skip
        """One that compiles does so from the start: `llvm` by name."""
        self.language, self.state, self.limits, self.store = language, state, limits, store
        self.policy = policy_in_force()
        self.queue = queue or CompileQueue(self.policy.background)
        self.reference = ReferenceEngine(language, state, limits)
        self.compiles = compiles
        self.tiers: list[Tier] = []  # none in a short run
        self.compiled: CompiledTier | None = None
        self.spent, self.invested = 0.0, 0.0  # CPU seconds of the run, and of what was made for it
        self._begun = self._steps = 0  # ticks before there are tiers, and all steps of walkers
        if compiles or getattr(store, "has_units", False):
            self._set_up()

    def _set_up(self) -> None:
        from .tiers import (
            CompiledTier,
            CrowdTier,
            InterpreterTier,
            PythonTier,
            ReferenceTier,
            Scheduled,
        )

        policy = self.policy
        run = Scheduled(self.language, self.state, self.limits, self.store, policy, self.queue)
        interprets = policy.interpreter and not (
            policy.eager or (self.compiles and not policy.background)
        )
        interpreter = InterpreterTier(run, reluctant=self.compiles) if interprets else None
        self.compiled = CompiledTier(run, self.reference, interpreter)
        reluctant = self.compiles or policy.eager
        self.tiers = [
            ReferenceTier(run, self.reference),
            PythonTier(run, self.compiled, reluctant),
            *([interpreter] if interpreter is not None else ()),
            self.compiled,
            CrowdTier(run, self.reference),
        ]
        with following(policy):
            if self.compiles or policy.eager or self.compiled.has_code():
                self.compiled.make()

    # Going on ------------------------------------------------------------------------------------

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        state = self.state
        target, began = state.tick + ticks, perf_counter()
        while True:
            before = state.tick
            left = target - before
            stop = self._turn(left, barriers) if self.tiers else self._begin(left, barriers)
            if stop is not None or state.tick >= target or state.tick == before:
                return stop
            if perf_counter() - began > LOOK:
                return None  # for the caller to look at the clock and the memory

    def _begin(self, ticks: int, barriers: Barriers | None) -> Stop | None:
        """Run on the reference engine until the run is worth a look at other tiers."""
        state, policy = self.state, self.policy
        before, walkers = state.tick, max(len(state.walkers), 1)
        enough = policy.short - self._steps
        if enough <= 0:
            self._set_up()
            return self._turn(ticks, barriers)
        began = thread_time()
        few = min(ticks, max(isqrt(enough) // walkers, 1))  # there may be many walkers soon
        stop = self.reference.advance(few, barriers)
        self._begun += state.tick - before
        self._steps += (state.tick - before) * walkers
        self.spent += thread_time() - began
        return stop

    def _turn(self, ticks: int, barriers: Barriers | None) -> Stop | None:
        """Let the tier run whose turn it is; many walkers make few ticks in the same time."""
        with following(self.policy):
            self._invest(ticks, barriers)
        ready = [tier for tier in self.tiers if tier.suits(ticks, barriers)]
        tier, seconds = self._next(ready)
        rate = tier.pace.rate
        if rate < INTERPRETED / 2:
            # It works in Python, as machine code does that is left at once: the threads that make
            # code need its lock. Without a rest meanwhile, short runs take 1.2 x the CPU time.
            for waiting in self.tiers:
                if waiting.waits():
                    waiting.rest(LOOK / 2)
        most = int(min(rate * seconds, self.policy.most_turn))
        most = max(most // max(len(self.state.walkers), 1), 1)
        return self._run(tier, ready, min(ticks, most), barriers)

    def _invest(self, ticks: int, barriers: Barriers | None) -> None:
        """Have tiers made that may be faster, if the run has cost as much as they will, or would
        have at the rate at which it goes on now: a faster tier may have to give up."""
        for tier in reversed(self.tiers):  # a slower one need not be made as well
            rate = max(it.pace.rate for it in self.tiers if it.suits(ticks, barriers))
            cost = max(self.spent, self._steps / rate)
            if tier.expected > rate and self.invested + tier.price(cost) <= cost:
                tier.make()

    def _next(self, ready: list[Tier]) -> tuple[Tier, float]:
        """Whose turn it is, and for how many seconds. A tier that is having code made waits for
        that, if there is a faster one meanwhile."""
        best = max(ready, key=lambda tier: tier.pace.rate)
        able = [tier for tier in ready if tier is best or not tier.waits()]
        pace, seconds = next_turn([tier.pace for tier in able])
        tier = next(tier for tier in able if tier.pace is pace)
        return tier, min(seconds, LOOK)

    def _run(
        self, tier: Tier, ready: list[Tier], ticks: int, barriers: Barriers | None
    ) -> Stop | None:
        state = self.state
        before, walkers, began = state.tick, len(state.walkers), thread_time()
        with ExitStack() as aside:
            for other in self.tiers:
                aside.enter_context(other.aside(tier))
            stop = tier.advance(ticks, barriers)
        made, seconds = state.tick - before, thread_time() - began
        making = self.queue.take_seconds()
        steps = made * max((walkers + len(state.walkers)) // 2, 1)
        note([tier.pace for tier in ready], tier.pace, steps, seconds, making)
        self._steps += steps
        tier.ticks += made
        tier.seconds += seconds
        self.spent += seconds
        self.invested += making
        return stop

    # What it has come to --------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The engine that it has climbed to."""
        return next((tier.name for tier in reversed(self.tiers) if tier.is_used()), "reference")

    @property
    def refusals(self) -> Counter[Refusal]:
        """What went wrong while code was made, and how often."""
        found: Counter[Refusal] = Counter()
        for tier in self.tiers:
            found.update(tier.refusals())
        return found

    @property
    def python_ticks(self) -> int:
        """How many ticks ran in generated Python."""
        return sum(getattr(tier.engine, "python_ticks", 0) for tier in self.tiers)

    @property
    def native_ticks(self) -> int:
        """How many ticks ran in machine code."""
        return sum(tier.native_ticks() for tier in self.tiers)

    def memory(self) -> int:
        """See `core.engine.Engine`."""
        return sum(tier.memory() for tier in self.tiers)

    def told(self) -> list[tuple[str, str]]:
        """Each tier, and what became of it."""
        first = [("reference", f"the first {self._begun:,} steps")]
        return (first if self._begun else []) + [
            (tier.label, tier.told(self.spent)) for tier in self.tiers
        ]

    def lacks_a_crowd(self) -> bool:
        """Whether there are several walkers, and no machine code for them."""
        from .tiers import CrowdTier

        crowds = (tier for tier in self.tiers if isinstance(tier, CrowdTier))
        return len(self.state.walkers) > 1 and not any(tier.crowd() for tier in crowds)

    def share_of(self, name: str) -> float:
        """Which part of the run was done by a tier."""
        ticks = sum(tier.ticks for tier in self.tiers if tier.name == name)
        return ticks / max(self.state.tick, 1)
