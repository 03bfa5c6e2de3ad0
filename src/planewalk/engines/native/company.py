"""Several walkers on one plane: in machine code, if their language has some for them."""

from __future__ import annotations

from functools import partial

from ...core.engine import Crowd
from ...core.step import Stop
from ..tiering.code_map import CodeMap
from ..tiering.jobs import CompileQueue
from ..tracing.refusal import Refusals
from .llvm import Store, why_not

ENOUGH, MOST_APART = 16, 64
"""Ticks for which it pays to gather a crowd, and those that it is left alone for at most if it
makes fewer: putting it into machine code and back takes as long as some ticks."""


class Company:
    """Runs several walkers on the reference engine, and once it is ready, as a crowd."""

    def __init__(
        self, code_map: CodeMap, queue: CompileQueue, store: Store | None, refusals: Refusals
    ) -> None:
        self.run, self.code_map = code_map.run, code_map
        self.queue, self.store, self.refusals = queue, store, refusals
        self.crowd: Crowd | None = None
        self.steps = 0
        """Of single walkers, where there were several."""
        self.ticks = 0
        """All that ran in machine code."""
        self._begun = False
        """Whether machine code is being made, or was."""
        self._apart = 1
        """Ticks of the reference engine after the crowd could not go on: more, if it is in vain."""

    def advance(self, target: int) -> Stop | None:
        """Run for a while."""
        run, policy = self.run, self.run.policy
        state, crowd = run.state, self._kept_crowd()
        before, walkers = state.tick, max(len(state.walkers), 1)
        if crowd is not None and crowd.ready and self._is_worth_gathering(target - before):
            return self._advance_crowd(crowd, target - before)
        piece = min(policy.stretch, max(policy.worth_a_crowd // walkers, 1))
        stop = run.step(min(piece, target - before))
        self.steps += (state.tick - before) * walkers
        if crowd is not None and not self._begun and self.steps > policy.worth_a_crowd:
            self._begun = True
            self.queue.begin("a crowd", partial(self._gather, crowd))
        return stop

    def _kept_crowd(self) -> Crowd | None:
        """The crowd, with machine code at once if that is kept."""
        run, make = self.run, self.run.language.engines.crowd
        if self.crowd is None and make is not None:
            self.crowd = make(run.state, run.limits)
            if self.store is not None:
                self.crowd.recall(self.store)
        return self.crowd

    def _is_worth_gathering(self, ticks: int) -> bool:
        run = self.run
        if run.limits.output is not None:
            return False
        return ticks * len(run.state.walkers) >= run.policy.worth_gathering

    def _gather(self, crowd: Crowd) -> None:
        """Make the machine code for many walkers. Runs beside the run."""
        if why_not() is not None:
            return
        try:
            crowd.assemble(self.store)
        except Exception as error:
            self.refusals.note(error)

    def _advance_crowd(self, crowd: Crowd, ticks: int) -> Stop | None:
        """Run many walkers in machine code, and see what they did to the code of one alone."""
        state = self.run.state
        before = state.tick
        with self.code_map.looking():
            going = crowd.advance(ticks, self.run.barriers)
        made = state.tick - before
        self.ticks += made
        if going or made == ticks:
            return None
        self._apart = min(2 * self._apart, MOST_APART) if made < ENOUGH else 1
        return self.run.step(min(self._apart, ticks - made))
