"""What is hot and has no code yet: visits, the order of code for it, and when to order again.

To order code costs as much as the tracer does. So after each order the reference engine has to run
for as long as that took before the next one, and after each in vain for twice as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

from ...core.geometry import Stance
from ...core.step import Stop
from ..base.jobs import CompileJob, CompileQueue
from ..tracing.ir import Key
from .survey import Survey
from .task import Task
from .unit import Made

Order = Callable[[Task, list[Key]], Callable[[], Made]]
"""Gives what makes a unit from one of these places, beside the run."""

TURN, REST = 0.004, 0.001
"""Seconds after which the reference engine lets the tracer go on, and for how long at least: both
are Python, of which one part runs at a time, and the code will be quicker by far."""
GOOD_ENTRIES = 12  # how many places are tried for one from which a unit does not leave at once
MOST_PLACES = 20_000  # how many visited or refused stances are remembered
MOST_DOUBT = 1_000  # times the ticks of a profile until another order, at most, if all were in vain
MOST_EAGER_ORDERS = 20


class HotSpots:
    """Runs where there is no code, and orders some for what is met often."""

    def __init__(
        self, survey: Survey, queue: CompileQueue, order: Order, adopt: Callable[[Any], None]
    ) -> None:
        self.run, self.code_map, self.units = survey.run, survey.code_map, survey.units
        self.policy = survey.run.policy
        self.survey, self.queue = survey, queue
        self._order, self._adopt = order, adopt
        self.job: CompileJob[Made] | None = None  # the unit that is being made
        self.visits: dict[Stance, int] = {}
        self.refused: set[Stance] = set()  # stances that are not for compiling
        self.compiled_ticks = 0  # ticks that other code ran, and all those before the last order
        self._patience = 0  # ticks on the reference engine before the next order
        self._doubt = 1  # doubles with every order in vain
        self.orders = 0
        self.unwritable = 0  # orders that the back end had no words for
        self._allowed: set[Stance] | None = None  # the stances that code was ordered for last
        self._turn_ends = 0.0

    # Running -------------------------------------------------------------------------------------

    def advance(self, target: int) -> Stop | None:
        """Run on the reference engine up to where code begins, and order code for hot places."""
        run = self.run
        state, policy, stretch = run.state, self.policy, self.policy.stretch
        if self.job is not None:
            if perf_counter() > self._turn_ends:  # leave the Python interpreter to the tracer
                self.job.wait(REST)
                self._turn_ends = perf_counter() + TURN
        elif run.now - self.compiled_ticks < self._patience:
            stretch = policy.long_stretch
        elif self._is_hot(state.walkers[0].stance):
            self.visits.clear()
            return self._compile_here(target)
        # Always at the same ticks, however the run is cut into stretches.
        stretch = min(stretch - state.tick % stretch, target - state.tick)
        run.reference.landings = self.code_map.landings
        try:
            return run.step(stretch)
        finally:
            run.reference.landings = ()

    def _is_hot(self, stance: Stance) -> bool:
        if self.survey.cells_walked is not None and not self.units.at:
            return stance not in self.refused  # the engine that marked those ran for long enough
        visits = self.visits[stance] = self.visits.get(stance, 0) + 1
        if len(self.visits) > MOST_PLACES:
            self.visits.clear()
        return visits >= self.policy.hot and stance not in self.refused

    # Ordering ------------------------------------------------------------------------------------

    def _compile_here(self, target: int) -> Stop | None:
        """Watch where the program walks for a while, then have it compiled."""
        run = self.run
        if self.policy.eager:
            self._compile_at_once()
            return None
        stop = self.survey.watch(min(self.policy.profile, target - run.state.tick))
        self.code_map.keep_true()
        path = self.survey.profile.path
        if not run.state.plane.writable:
            self.order(None, path[:GOOD_ENTRIES])
        elif stop is None and len(run.state.walkers) == 1:
            self._compile_walked(path)
        return stop

    def _compile_walked(self, path: list[Key]) -> None:
        """Order code of the stances that were walked alone: others may be data."""
        walked, full = self.survey.walked(), self.survey.full
        if self.units.at and not full and walked == self._allowed:  # the same code would come out
            self.doubt()
        else:
            self.order(walked, path[:1] if full else path[-1:])

    def _compile_at_once(self) -> None:
        """Order code of all that can be reached from here, walked or not."""
        here = self.run.here()
        if self.orders < MOST_EAGER_ORDERS:
            self.order(None, [here])
        else:
            self.refuse([here.stance])

    def order(self, allowed: set[Stance] | None, entries: list[Key]) -> None:
        """Have a unit made from one of these places, of these stances alone."""
        self._allowed, self.compiled_ticks = allowed, self.run.now
        self.orders += 1
        make = self._order(self.survey.task(allowed), entries)
        self.job = self.queue.begin("code", make)
        self._turn_ends = perf_counter() + TURN
        self.receive()

    def receive(self) -> None:
        """Take over the unit that is ready, unless what it was made from has changed since."""
        if self.job is None or not self.job.ready:
            return
        job, self.job = self.job, None
        unit, refused, work, failed, unwritable = job.take()
        self.unwritable += unwritable
        self.refuse(refused)
        if failed:
            self.doubt()
        policy = self.policy
        self._patience = max(policy.patience * work, policy.profile * self._doubt)
        if unit is not None and self.code_map.admits(unit):
            self._adopt(unit)

    # What came of it -----------------------------------------------------------------------------

    def trust(self) -> None:
        """Code has proven to be of use."""
        self._doubt = 1

    def doubt(self) -> None:
        """An order was in vain: wait for twice as long as the last time."""
        self._doubt = min(2 * self._doubt, MOST_DOUBT)
        self._patience = max(self._patience, self.policy.profile * self._doubt)
        self.compiled_ticks = self.run.now

    def refuse(self, stances: Iterable[Stance]) -> None:
        """These stances are not for compiling."""
        if len(self.refused) > MOST_PLACES:
            self.refused.clear()
        self.refused.update(stances)

    def forget(self) -> None:
        """Code is made for something else now: nothing has been tried yet."""
        self._allowed = None
        self.refused.clear()
        self.visits.clear()
        self._patience, self._doubt = 0, 1
