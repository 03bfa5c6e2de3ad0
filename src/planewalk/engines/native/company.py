"""Several walkers on one plane beside the code of one alone: in machine code, if there is some."""

from __future__ import annotations

from functools import cached_property, partial

from ...core.engine import Crowd
from ...core.step import Stop
from ..tiering.code_map import CodeMap
from ..tiering.jobs import CompileQueue
from ..tracing.refusal import Refusals
from .gathering import Gathering
from .llvm import Store, why_not


class Company:
    """Runs several walkers on the reference engine, and once it is ready, as a crowd."""

    def __init__(
        self, code_map: CodeMap, queue: CompileQueue, store: Store | None, refusals: Refusals
    ) -> None:
        self.run, self.code_map = code_map.run, code_map
        self.queue, self.store, self.refusals = queue, store, refusals
        self.steps = 0
        """Of single walkers, where there were several."""
        self._begun = False
        """Whether machine code is being made, or was."""

    @cached_property
    def gathering(self) -> Gathering:
        """The crowd, with machine code at once if that is kept."""
        run = self.run
        return Gathering(run.language, run.state, run.limits, run.policy, self.store)

    @property
    def ticks(self) -> int:
        """All that ran in machine code."""
        return self.gathering.ticks if "gathering" in vars(self) else 0

    def advance(self, target: int) -> Stop | None:
        """Run for a while."""
        run, policy, gathering = self.run, self.run.policy, self.gathering
        state, crowd = run.state, gathering.crowd
        before, walkers = state.tick, max(len(state.walkers), 1)
        if gathering.suits(target - before):
            with self.code_map.looking():
                return gathering.advance(target - before, run.barriers, run.step)
        piece = min(policy.stretch, max(policy.worth_a_crowd // walkers, 1))
        stop = run.step(min(piece, target - before))
        self.steps += (state.tick - before) * walkers
        if crowd is not None and not self._begun and self.steps > policy.worth_a_crowd:
            self._begun = True
            self.queue.begin("a crowd", partial(self._gather, crowd))
        return stop

    def _gather(self, crowd: Crowd) -> None:
        """Make the machine code for many walkers. Runs beside the run."""
        if why_not() is not None:
            return
        try:
            crowd.assemble(self.store)
        except Exception as error:
            self.refusals.note(error)
