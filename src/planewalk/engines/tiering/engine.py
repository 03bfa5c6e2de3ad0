"""Running compiled units, and climbing to them: the reference engine does whatever is left.

A unit is all code reachable from a stance that proved hot. The engine enters it with the fuel it
has; the unit leaves on an exact state, and the reference engine performs at least one tick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State
from ...core.step import Stop
from ..policy import Policy, policy_in_force
from ..python.executor import ENOUGH_TICKS
from ..python.maker import PythonMaker, UnitWriter
from ..python.tier import PythonTier
from ..python.unit import Unit
from ..tracing.ir import Key
from ..tracing.refusal import Refusals
from ..tracing.trace import MOST_CALLS
from .back_off import BackOff
from .climber import Climber
from .code_map import CodeMap
from .jobs import CompileJob, CompileQueue
from .run import LiveRun, names_of
from .survey import Survey
from .task import TreeFinder

if TYPE_CHECKING:
    from ...core.barriers import Barriers
    from ..native.tier import NativeTier

ENOUGH_NUMBERS, ENOUGH_OUTPUT = 1 << 16, 1 << 20
"""What a stack or the output grows by before somebody looks at the clock and the memory."""
FORGET_BARRIERS = 2_000_000
"""Ticks without barriers after which code is made that does not leave for them."""


class TieredEngine:
    """Runs each stretch on the fastest tier that has code for it."""

    name = "tiers"
    native: NativeTier | None = None
    """What is above generated Python."""

    def __init__(
        self,
        language: Language,
        state: State,
        limits: Limits | None = None,
        policy: Policy | None = None,
        queue: CompileQueue | None = None,
    ) -> None:
        self.language, self.state = language, state
        self.limits = limits or Limits(memory=None)
        self.policy = policy or policy_in_force()
        self.queue = queue or CompileQueue(self.policy.background)
        self.run = LiveRun(language, state, self.limits, self.policy)
        self.code_map = CodeMap(self.run)
        self.python = PythonTier(self.run, self.code_map, BackOff(self.run))
        self.survey = Survey(self.run, self.code_map, self.python)
        self.maker = PythonMaker(TreeFinder(language), UnitWriter(language, self.policy).write)
        self.climber = Climber(self.survey, self.maker, self.queue, self._adopt)
        self._armed_at = 0
        """When there were barriers last."""

    def restart(self, state: State) -> None:
        """Go on with another state of the same program; what is compiled stays.

        Only on a plane nobody can write: another state of it would not be what was compiled.
        """
        if state.plane.writable and self.python.units.at:
            raise ValueError("code for a plane that changes belongs to one state")
        if names_of(state.registers) != names_of(self.state.registers):
            self._rearm(self.code_map.armed)  # code knows registers by their names and places
        self.state = state
        self.run.restart(state)
        self.code_map.begin()
        self.python.executor.begin()
        if self.native is not None:
            self.native.cells.begin()

    # How far it has come ------------------------------------------------------------------------

    def memory(self) -> int:
        """See `core.engine.Engine`."""
        return self.code_map.keeping.memory()

    @property
    def units(self) -> dict[Key, Unit]:
        """Generated Python, by where it is entered."""
        return self.python.units.at

    @property
    def refusals(self) -> Refusals:
        """What went wrong while code was made."""
        return self.maker.finder.refusals

    @property
    def python_ticks(self) -> int:
        """Ticks that ran in generated Python."""
        return self.python.executor.ticks

    def _jobs(self) -> Iterator[CompileJob[Any]]:
        jobs = (self.climber.job, None if self.native is None else self.native.promotion.job)
        return (job for job in jobs if job is not None and not job.ready)

    def is_making_code(self) -> bool:
        """Whether something is being made that is not there yet; what is ready is taken over."""
        if self.code_map.has_room():
            self.climber.receive()
            if self.native is not None:
                self.native.receive()
        return any(self._jobs())

    def wait_for_code(self, seconds: float) -> None:
        """Leave the processor to those who make code, for a while."""
        for job in self._jobs():
            job.wait(seconds)

    @contextmanager
    def set_aside(self, may_have_written: Callable[[], bool] = lambda: True) -> Iterator[None]:
        """Let another engine run the state meanwhile, and drop code that it has written over, if it
        may have."""
        before = self.state.tick
        with self.code_map.looking(may_have_written):
            yield
        self.python.back_off.compiled_ticks += self.state.tick - before  # not left alone
        self.code_map.keep_true()

    # Going on -----------------------------------------------------------------------------------

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        state, run = self.state, self.run
        target = state.tick + ticks
        if self.language.rules.meet:
            return run.reference.advance(ticks, barriers)
        if ticks > 0:  # else somebody only asks whether the program has ended
            self._arm(barriers)
        stop = None
        code_map, climber, executor = self.code_map, self.climber, self.python.executor
        machine, deadline = run.reference.machine, self.limits.deadline
        enough, enough_ticks = len(state.held_stack) + ENOUGH_NUMBERS, executor.ticks + ENOUGH_TICKS
        while stop is None and state.stop is None and state.tick < target:
            roomy = code_map.has_room()
            if roomy and climber.job is not None:
                climber.receive()
            if len(state.walkers) == 1 and not state.acted and len(state.calls) <= MOST_CALLS:
                short = min(self.policy.long_stretch, target - state.tick)
                stop = self._advance_one(target) if roomy else run.step(short)
            else:
                stop = self._advance_many(target)
            code_map.keep_true()
            if machine.efforts:
                target -= machine.efforts
                machine.efforts = 0
            if (
                executor.ticks > enough_ticks
                or len(state.held_stack) > enough
                or len(state.output) > ENOUGH_OUTPUT
                or deadline.left() <= 0
            ):
                break  # for somebody to look at the clock and the memory, or for another engine
        if stop is None and not (self.native is not None and self.native.is_surely_alive()):
            stop = run.reference.advance(0)
        return stop

    def _advance_many(self, target: int) -> Stop | None:
        """Units are for one walker alone."""
        if self.native is not None:
            return self.native.company.advance(target)
        return self.run.step(min(self.policy.stretch, target - self.state.tick))

    def _advance_one(self, target: int) -> Stop | None:
        before, units = self.state.tick, self.python.units.at
        if not self._hand_is_near():
            return self.run.step(min(self.policy.stretch, target - before))
        key = here = self.run.here()
        unit = units.get(key)
        if unit is None:
            key = Key(key.stance, None, key.calls)
            unit = units.get(key)
        if unit is None:
            return self._climb(here, target)
        if not unit.knows(self.state.registers):
            return self.run.step(min(self.policy.stretch, target - before))
        if 0 < unit.outgrown_at < self.run.now:
            self.python.units.drop({unit})
            self.climber.back_off.visits.clear()
            return self._climb(here, target)
        return self._go_on(self._run(unit, key, target - before), before, target)

    def _hand_is_near(self) -> bool:
        """Whether the hand is where compiled code expects it."""
        hand = self.state.walkers[0].hand
        if hand is None:
            return True
        pairs = zip(hand, self.code_map.reach, strict=True)
        return all(type(at) is int and least <= at <= most for at, (least, most) in pairs)

    def _run(self, unit: Unit, key: Key, fuel: int) -> bool:
        """Run the code there is; says whether it stopped for want of fuel alone."""
        if self.native is None:
            return self.python.run(unit, key, fuel)
        before, native = self.state.tick, self.native.find(key)
        if native is None and unit.code is not None:
            missing = key not in self.native.units.at
            piece = min(fuel, self.native.consider(unit, key))
            native = self.native.find(key) if missing else None  # it may have been made at once
        if native is not None:
            spent = self.native.run(native, key, fuel)
            unit.entered += 1
            unit.ticks += self.state.tick - before
            return spent
        if unit.code is None:  # there was machine code once
            self.python.units.drop({unit})
            return False
        spent = self.python.run(unit, key, piece)
        unit.earned += self.state.tick - before
        return spent

    def _climb(self, key: Key, target: int) -> Stop | None:
        """Machine code can be entered where the unit that it was ordered for cannot."""
        before, native = self.state.tick, None if self.native is None else self.native.find(key)
        if self.native is None or native is None:
            return self.climber.climb(target)
        return self._go_on(self.native.run(native, key, target - before), before, target)

    def _go_on(self, spent: bool, before: int, target: int) -> Stop | None:
        """After compiled code: let the reference engine do what it could not."""
        run, state = self.run, self.state
        landed = run.landed() if state.tick > before else None
        if landed is not None:
            return landed
        if not spent:
            self.survey.profile.walked.add(state.walkers[0].stance)
            left = min(1, target - state.tick)
            stop = run.reference.end() if left else None
            return run.step(left) if stop is None else stop
        if state.tick == before:  # fewer ticks are left than its shortest way round takes
            return run.step(min(self.policy.long_stretch, target - state.tick))
        return None

    def _adopt(self, unit: Unit) -> None:
        self.python.adopt(unit)
        if self.native is not None and unit.native is not None:
            self.native.units.adopt(unit.native)

    # Barriers -----------------------------------------------------------------------------------

    def _arm(self, barriers: Barriers | None) -> None:
        """Have code leave at what the run stops at. Code that leaves more often is as right."""
        self.run.barriers = barriers or None
        armed, now = self.code_map.armed, self.run.now
        if not barriers:
            if now - self._armed_at > FORGET_BARRIERS and (self.code_map.guarded or armed):
                self._rearm(None)
            return
        self._armed_at = now
        needed = self.code_map.needed(barriers)
        if needed and (armed is None or not needed.within(armed)):
            self._rearm(needed)
        self.code_map.guard(barriers)

    def _rearm(self, barriers: Barriers | None) -> None:
        """Make all code anew."""
        self.code_map.rearm(barriers)
        self.climber.forget()
        if self.native is not None:
            self.native.promotion.forget()
            self.native.take_from_shelf()
