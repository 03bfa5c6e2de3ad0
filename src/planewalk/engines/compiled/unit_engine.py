"""Running compiled units, and having them made: the reference engine does whatever is left.

A unit is all code reachable from a stance that proved hot. The engine enters it with the fuel it
has; the unit leaves on an exact state, and the reference engine performs at least one tick. How
units are written, and entered, is for a back end to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...core.geometry import Stance
from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State
from ...core.step import Stop
from ..base.jobs import CompileQueue
from ..base.policy import Policy, policy_in_force
from ..tracing.ir import Key
from ..tracing.limits import MOST_CALLS
from ..tracing.refusal import Refusals
from .code_map import CodeMap, UnitSet
from .hot_spots import HotSpots
from .run import LiveRun, names_of
from .survey import Survey
from .task import Task, TreeFinder
from .unit import CompiledUnit, Made, Visit

if TYPE_CHECKING:
    from ...core.barriers import Barriers

ENOUGH_TICKS, ENOUGH_NUMBERS, ENOUGH_OUTPUT = 1 << 16, 1 << 16, 1 << 20
"""What a back end that takes short visits runs, and what a stack or the output grows by, before
the caller looks at the clock and the memory."""
FORGET_BARRIERS = 2_000_000
"""Ticks without barriers after which code is made that does not leave for them."""
FAIR_TRIAL = 50  # how often a unit leaves before it is judged
MOST_STRAYS = 8
"""How often units may leave for new stances before one is made anew; then twice as often."""
MOST_UNITS = 200


class Backend:
    """How units are made, entered and left."""

    impatient = False  # whether the caller is to look at clock and memory after `ENOUGH_TICKS`
    ticks = 0  # all that ran in its units

    def begin(self) -> None:
        """There is another state now."""

    def rearmed(self) -> None:
        """All code was dropped, since the run stops at something else."""

    def order(self, task: Task, entries: list[Key]) -> Callable[[], Made]:
        """What makes a unit from one of these places, beside the run."""
        raise NotImplementedError

    def prepare(self, unit: Any, key: Key) -> bool:
        """Whether a unit can be entered on the state as it is."""
        raise NotImplementedError

    def run(self, unit: Any, key: Key, fuel: int) -> Visit:
        """Enter a unit that is prepared."""
        raise NotImplementedError

    def replaces(self, unit: Any, overflowed: bool) -> bool:
        """Whether other code is to be made where a unit was of no use."""
        return False

    def is_surely_alive(self) -> bool:
        """Whether it is known that the program has not ended."""
        return False


class UnitEngine:
    """Runs one walker on units of one back end, and has them made of what is hot."""

    name = "units"
    backend: Backend

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
        self.finder = TreeFinder(language)
        self.units: UnitSet[Any] = UnitSet(self.code_map)
        self.survey = Survey(self.run, self.code_map, self.units)
        self.backend = self._new_backend()
        self.hot_spots = HotSpots(self.survey, self.queue, self.backend.order, self.adopt)
        self._armed_at = 0  # when there were barriers last
        self._strays, self._most_strays = 0, MOST_STRAYS

    def _new_backend(self) -> Backend:
        raise NotImplementedError

    def restart(self, state: State) -> None:
        """Go on with another state of the same program; what is compiled stays.

        Only on a plane that no program can write: another state of it would not be what was
        compiled.
        """
        if state.plane.writable and self.units.at:
            raise ValueError("code for a plane that changes belongs to one state")
        renamed = names_of(state.registers) != names_of(self.state.registers)
        self.state = state
        self.run.restart(state)
        self.code_map.begin()
        self.backend.begin()
        if renamed:  # code knows registers by their names and places
            self._rearm(self.code_map.armed)

    def adopt(self, unit: CompiledUnit) -> None:
        """From now on this unit runs."""
        units = self.units.all()
        if len(units) >= MOST_UNITS:
            self.units.drop(units)
        self.units.adopt(unit)

    # How far it has come ------------------------------------------------------------------------

    def memory(self) -> int:
        """See `core.engine.Engine`."""
        return self.code_map.keeping.memory()

    @property
    def refusals(self) -> Refusals:
        """What went wrong while code was made."""
        return self.finder.refusals

    def is_making_code(self) -> bool:
        """Whether something is being made that is not there yet; what is ready is taken over."""
        if self.code_map.has_room():
            self.hot_spots.receive()
        job = self.hot_spots.job
        return job is not None and not job.ready

    def wait_for_code(self, seconds: float) -> None:
        """Leave the processor to the thread that makes code, for a while."""
        if self.hot_spots.job is not None:
            self.hot_spots.job.wait(seconds)

    @contextmanager
    def set_aside(self, may_have_written: Callable[[], bool] = lambda: True) -> Iterator[None]:
        """Let another engine run the state meanwhile, and drop code that it has written over, if it
        may have."""
        before = self.state.tick
        with self.code_map.looking(may_have_written):
            yield
        self.hot_spots.compiled_ticks += self.state.tick - before  # not left alone
        self.code_map.keep_true()

    # Going on -----------------------------------------------------------------------------------

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        state, run = self.state, self.run
        target = state.tick + ticks
        if self.language.rules.meet:
            return run.reference.advance(ticks, barriers)
        if ticks > 0:  # else the caller only asks whether the program has ended
            self._arm(barriers)
        stop = None
        code_map, hot_spots, backend = self.code_map, self.hot_spots, self.backend
        machine, deadline = run.reference.machine, self.limits.deadline
        enough, enough_ticks = len(state.held_stack) + ENOUGH_NUMBERS, backend.ticks + ENOUGH_TICKS
        while stop is None and state.stop is None and state.tick < target:
            roomy = code_map.has_room()
            if roomy and hot_spots.job is not None:
                hot_spots.receive()
            alone = len(state.walkers) == 1 and not state.acted and len(state.calls) <= MOST_CALLS
            if alone and roomy:
                stop = self._advance_one(target)
            else:
                short = self.policy.long_stretch if alone else self.policy.stretch
                stop = run.step(min(short, target - state.tick))
            code_map.keep_true()
            if machine.efforts:
                target -= machine.efforts
                machine.efforts = 0
            if (
                (backend.impatient and backend.ticks > enough_ticks)
                or len(state.held_stack) > enough
                or len(state.output) > ENOUGH_OUTPUT
                or deadline.left() <= 0
            ):
                break  # for the caller to look at the clock and the memory
        if stop is None and not backend.is_surely_alive():
            stop = run.reference.advance(0)
        return stop

    def _advance_one(self, target: int) -> Stop | None:
        before, key = self.state.tick, self.run.here()
        short = min(self.policy.stretch, target - before)
        if not self._hand_is_near():
            return self.run.step(short)
        unit = self.units.at.get(key)
        if unit is None:
            key = Key(key.stance, None, key.calls)
            unit = self.units.at.get(key)
        if unit is None:
            return self.hot_spots.advance(target)
        if 0 < unit.outgrown_at < self.run.now:
            self.units.drop({unit})
            self.hot_spots.visits.clear()
            return self.hot_spots.advance(target)
        if not self.backend.prepare(unit, key):
            unit.missed += 1
            if unit.missed > FAIR_TRIAL:
                self._dismiss(unit, overflowed=False)
            return self.run.step(short)
        return self._go_on(self._visit(unit, key, target - before), before, target)

    def _hand_is_near(self) -> bool:
        """Whether the hand is where compiled code expects it."""
        hand = self.state.walkers[0].hand
        if hand is None:
            return True
        pairs = zip(hand, self.code_map.reach, strict=True)
        return all(type(at) is int and least <= at <= most for at, (least, most) in pairs)

    def _visit(self, unit: CompiledUnit, key: Key, fuel: int) -> bool:
        """Run a unit; says whether it stopped for want of fuel, or where other code begins."""
        visit = self.backend.run(unit, key, fuel)
        unit.entered += 1
        unit.ticks += visit.ticks
        self.hot_spots.compiled_ticks += visit.ticks
        if visit.spent or (visit.ticks > 0 and self.units.at.get(visit.left, unit) is not unit):
            return True
        self._judge(unit, visit)
        return False

    def _judge(self, unit: CompiledUnit, visit: Visit) -> None:
        """Drop code that leaves too soon, and have code made anew that leaves for new stances."""
        hot_spots, least = self.hot_spots, self.policy.worth_a_visit
        unit.left += 1
        if unit.left == FAIR_TRIAL and unit.ticks >= least * unit.left:
            hot_spots.trust()
        elif unit.left > FAIR_TRIAL and unit.ticks < least * unit.left:
            self._dismiss(unit, visit.overflowed)
        elif unit.allowed is not None and visit.left.stance not in unit.allowed:
            self._note_stray(unit.allowed, visit.left)

    def _dismiss(self, unit: CompiledUnit, overflowed: bool) -> None:
        """Drop code that was of no use; what stands there is not for compiling, unless the back
        end can make other code of it."""
        self.units.drop({unit})
        if not self.backend.replaces(unit, overflowed):
            self.hot_spots.refuse(key.stance for key in unit.entries)
            self.hot_spots.doubt()

    def _note_stray(self, allowed: set[Stance], key: Key) -> None:
        """Have a unit made anew, for more stances, if code leaves again and again for new ones."""
        self._strays += 1
        if self._strays > self._most_strays and self.hot_spots.job is None and not self.survey.full:
            self._strays, self._most_strays = 0, 2 * self._most_strays
            walked = self.survey.walked() | {key.stance}
            if walked != allowed:
                self.hot_spots.order(walked, [key])

    def _go_on(self, spent: bool, before: int, target: int) -> Stop | None:
        """After compiled code: let the reference engine do what it could not."""
        run, state = self.run, self.state
        landed = run.landed() if state.tick > before else None
        if landed is not None:
            return landed
        if not spent:
            self.survey.profile.walked.add(state.walkers[0].stance)
            return run.step(min(1, target - state.tick))
        if state.tick == before:  # fewer ticks are left than its shortest way round takes
            return run.step(min(self.policy.long_stretch, target - state.tick))
        return None

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
        self.hot_spots.forget()
        self.backend.rearmed()
