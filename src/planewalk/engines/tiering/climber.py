"""From the reference engine to generated Python: what is met often is compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter

from ...core.geometry import Stance
from ...core.step import Stop
from ..python.maker import PythonMaker, Tried
from ..python.unit import Unit
from ..tracing.ir import Key
from .jobs import CompileJob, CompileQueue
from .survey import Survey

TURN, REST = 0.004, 0.001
"""Seconds after which the reference engine lets the tracer go on, and for how long at least: both
are Python, of which one part runs at a time, and the code will be quicker by far."""
GOOD_ENTRIES = 12
"""How many places are tried for one from which a unit does not leave at once."""


class Climber:
    """Runs where there is no code, and has some made."""

    def __init__(
        self,
        survey: Survey,
        maker: PythonMaker,
        queue: CompileQueue,
        adopt: Callable[[Unit], None],
    ) -> None:
        self.run, self.code_map, self.python = survey.run, survey.code_map, survey.python
        self.survey, self.back_off = survey, survey.python.back_off
        self.maker, self.queue, self._adopt = maker, queue, adopt
        self.job: CompileJob[Tried] | None = None
        """The unit that is being made."""
        self._may: set[Stance] | None = None
        self._turn_ends = 0.0
        self.before_first: Callable[[], object] | None = None
        """What else will be needed once there is code."""

    def climb(self, target: int) -> Stop | None:
        """Run on the reference engine up to where code begins, and compile what is met often."""
        run = self.run
        state, policy, stretch = run.state, run.policy, run.policy.stretch
        if self.job is not None:
            self._give_way(self.job)
        elif self.back_off.is_waiting():
            stretch = policy.long_stretch
        elif self._is_hot(state.walkers[0].stance):
            self.back_off.visits.clear()
            return self._compile_here(target)
        # Always at the same ticks, however the run is cut into stretches.
        stretch = min(stretch - state.tick % stretch, target - state.tick)
        run.reference.landings = self.code_map.landings
        try:
            return run.step(stretch)
        finally:
            run.reference.landings = ()

    def _give_way(self, job: CompileJob[Tried]) -> None:
        """Let the tracer have its turn."""
        if self.maker.finder.tracing and perf_counter() > self._turn_ends:
            job.wait(REST)
            self._turn_ends = perf_counter() + TURN

    def _is_hot(self, stance: Stance) -> bool:
        python, policy = self.python, self.run.policy
        if self.survey.cells_walked is not None and not python.units.at:
            return stance not in self.back_off.refused  # who saw that has run for long enough
        beside_code = python.units.at and not python.full
        return self.back_off.is_hot(stance, policy.again if beside_code else policy.hot)

    def _compile_here(self, target: int) -> Stop | None:
        """Watch where the program walks for a while, then have it compiled."""
        run = self.run
        prepare, self.before_first = self.before_first, None
        if prepare is not None:
            prepare()
        if run.policy.eager:
            self._compile_at_once()
            return None
        stop = self.survey.watch(min(run.policy.profile, target - run.state.tick))
        self.code_map.keep_true()
        path = self.survey.profile.path
        if not run.state.plane.writable:
            self._order(None, path[:GOOD_ENTRIES])
        elif stop is None and len(run.state.walkers) == 1:
            self._compile_walked(path)
        return stop

    def _compile_walked(self, path: list[Key]) -> None:
        """Have code made of the ways that were walked alone: the others may be data."""
        may, python = self.survey.walked(), self.python
        if python.full:
            entries = path[:1]  # where code is missing
        elif python.units.at and may == self._may:  # the same code would come out
            self.back_off.try_later()
            return
        else:
            entries = path[-1:]
        self._may = may
        self._order(may, entries)

    def _compile_at_once(self) -> None:
        """Make code of all that can be reached from here, walked or not."""
        here = self.run.here()
        if self.back_off.one_more_try():
            self._begin(None, [here])
        else:
            self.back_off.refuse([here.stance])

    def _order(self, may: set[Stance] | None, entries: list[Key]) -> None:
        self.back_off.begin_anew()
        self._begin(may, entries)

    def _begin(self, may: set[Stance] | None, entries: list[Key]) -> None:
        make = partial(self.maker.make, self.survey.task(may), entries)
        self.job = self.queue.begin("generated Python", make)
        self._turn_ends = perf_counter() + TURN
        self.receive()

    def receive(self) -> None:
        """Take over the unit that is ready, unless what it was made from has changed since."""
        if self.job is None or not self.job.ready:
            return
        job, self.job = self.job, None
        unit, refused, work, failed = job.take()
        self.back_off.refuse(refused)
        if failed:
            self.back_off.try_later()
        self.back_off.wait_after(work, self.python.full)
        if unit is not None and self.code_map.admits(unit):
            self._adopt(unit)

    def forget(self) -> None:
        """Code is made for something else now."""
        self._may = None
        self.back_off.forget()
