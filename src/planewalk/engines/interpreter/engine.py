"""The interpreter: any program of a language in machine code that was made once for the language.

It runs one walker; what it cannot do it leaves to the reference engine, tick by tick. Nothing is
made for a program, so it is there at once and stays true whatever a program writes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from ...core.base.deadline import OutOfTime
from ...core.base.platform import thread_time
from ...core.geometry import Stance
from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State, Walker
from ...core.step import Spent, Stop
from ..base.jobs import CompileJob, CompileQueue
from ..base.keeping import keeping_of
from ..base.policy import policy_in_force
from ..native import machine_code
from ..native.deep_stack import rest
from ..native.unit import NativeUnit
from ..stepping.reference import ReferenceEngine
from ..tracing.ir import Key
from ..tracing.refusal import Refusals
from .abi import (
    MOVED,
    PLACE_X,
    PLACE_Y,
    NoInterpreter,
    posture_of,
    why_not,
)  # fmt: skip
from .loader import Interpreter, interpreter_for
from .marks import CellMarks
from .marshalling import InterpreterUnit, Marshaller
from .superinstructions import table as superinstructions
from .superinstructions.driver import driver
from .superinstructions.layout import MOST_PLACES
from .trials import VisitTrials

if TYPE_CHECKING:
    from ...core.barriers import Barriers
    from .surroundings import Surroundings

MOST_FUEL = 1 << 40
LAST_TICK = (1 << 63) - 1
ENOUGH_TICKS, ENOUGH_NUMBERS, ENOUGH_OUTPUT = 1 << 14, 1 << 16, 1 << 20
"""What the reference engine runs, and a stack or the output grows by, before clock and memory are
checked."""
MOVED_IN_A_TICK = 8  # values that are moved in a stack in the time of a tick
UNEVEN = "its lines are of too different lengths"
MANY_TICKS, LOST_TICKS = 32, 1_024
"""Ticks of several walkers after which they are counted; and of one that no window suits, after
which another engine may go on."""


class InterpreterEngine:
    """Runs the machine code of a language's interpreter. See `core.engine.Engine`."""

    name = "interpreter"

    def __init__(
        self, language: Language, state: State, limits: Limits | None = None, store: Any = None,
        queue: CompileQueue | None = None,
    ) -> None:  # fmt: skip
        self.language, self.state, self.store = language, state, store
        self.policy = policy_in_force()
        self.queue = queue or CompileQueue(self.policy.background)
        self.limits = limits or Limits(memory=None)
        self.reference = ReferenceEngine(language, state, self.limits)
        self.keeping = keeping_of(state.plane)
        self.refused = why_not(language, state)
        """Why it is the reference engine that does all the work."""
        self.native_ticks = 0
        self.refusals = Refusals()
        self._found: Interpreter | None = None
        self._unit: NativeUnit | None = None
        self.postures: Mapping[Key, int] = {}  # those in which machine code can be entered
        plane: Any = state.plane
        self._around: Surroundings | None = None
        if self.keeping.windowed:
            from .surroundings import Surroundings  # which planes with edges do without

            self._around = Surroundings(plane, store)
        self.marshaller = Marshaller(state, self.limits, self._around)
        marked = plane.writable and not self.keeping.windowed
        self.marks = CellMarks(self.reference, self.limits) if marked else None
        self.supers: superinstructions.Supers | None = None
        self._making: CompileJob[None] | None = None
        self._sought = False
        """The superinstructions of the run, who makes machine code for them, and whether some that
        is kept was looked for."""
        self._trials = VisitTrials(self.policy.trial_visits if self.policy.trials else 1 << 62)
        with suppress(OutOfTime):
            self._entry()  # to know at once if there is none

    def suits(self) -> bool:
        """Whether it does the work itself, and takes turns with others quickly."""
        handy = self._around is None or self._around.is_handy()
        return len(self.state.walkers) == 1 and handy and not self._is_lost()

    def memory(self) -> int:
        """See `core.engine.Engine`."""
        parts = (self.marks, self.supers, self.marshaller)
        return sum(part.memory() for part in parts if part is not None)

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        if barriers:  # which it does not know
            return self.reference.advance(ticks, barriers)
        if self.marks is not None:
            self.marks.begin()
        try:
            return self._advance(ticks)
        except OutOfTime:  # while machine code was being made
            return Spent("time")
        finally:
            if self.marks is not None:
                self.marks.end()

    def _advance(self, ticks: int) -> Stop | None:
        state, machine = self.state, self.reference.machine
        target, enough = state.tick + ticks, len(state.held_stack) + ENOUGH_NUMBERS
        stop, slow = None, 0
        while stop is None and state.stop is None and state.tick < target:
            if not self._run(target - state.tick):
                before = state.tick
                stop = self._step(min(self._trials.rest or self._pause(), target - before))
                slow += state.tick - before
            if machine.efforts:
                target -= machine.efforts
                machine.efforts = 0
            if (
                slow > (MANY_TICKS if self._is_lost() else ENOUGH_TICKS)
                or len(state.held_stack) > enough
                or len(state.output) > ENOUGH_OUTPUT
                or self.limits.deadline.left() <= 0
            ):
                break  # to have clock and memory checked, or for another engine
        if stop is None and self._goes_on():
            return None
        return self.reference.advance(0) if stop is None else stop

    def _run(self, fuel: int) -> bool:
        """Run machine code, if it is worth it; says whether it goes on there at once."""
        impossible = self.refused is not None or len(self.state.walkers) != 1
        if impossible or not self._trials.begin(self.state.tick):
            return False
        entry = self._entry()  # to look for one takes time as well
        return entry is not None and self._enter(entry, fuel)

    def _is_lost(self) -> bool:
        """Whether the walker and its hand are too far apart for a window."""
        walkers, around = self.state.walkers, self._around
        return around is not None and len(walkers) == 1 and around.is_too_wide(walkers[0])

    def _goes_on(self) -> bool:
        """Whether it is plain that the program has not ended."""
        state, around = self.state, self._around
        if around is None or state.stop is not None or len(state.walkers) != 1 or state.acted:
            return False
        return around.goes_on(self.language.rules.over, state.walkers[0].stance)

    def _pause(self) -> int:
        """How many ticks the reference engine should do where machine code cannot be entered."""
        if len(self.state.walkers) != 1 or self.refused is not None:
            return MANY_TICKS
        return LOST_TICKS if self._is_lost() else 1

    def _step(self, ticks: int) -> Stop | None:
        """Let the reference engine go on."""
        state, plane, began = self.state, self.state.plane, thread_time()
        before, height = state.tick, getattr(plane, "height", 0)
        rest(state, ticks)
        if self._around is not None and self._trials.rest:
            self._around.let_go()
        stop = self.reference.advance(min(ticks, ENOUGH_TICKS))
        self._trials.rested(state.tick - before, thread_time() - began)
        if getattr(plane, "height", 0) != height:
            self.marshaller.spare = max(2 * self.marshaller.spare, 16)
        return stop

    def _enter(self, entry: int, fuel: int) -> bool:
        """Run machine code; says whether it stopped for want of fuel alone, or of a window."""
        assert self._unit is not None and self._found is not None
        state, unit = self.state, self._unit
        words, walker = unit.words, state.walkers[0]
        fuel = min(fuel, MOST_FUEL, LAST_TICK - state.tick)
        if not self.marshaller.begin(unit, fuel):
            return False
        words[PLACE_X], words[PLACE_Y] = walker.stance.x, walker.stance.y
        if self.marks is not None:
            self.marks.show(words)
        number = self._code(words)(ctypes.addressof(words), entry)
        left = self.marshaller.end(unit)
        (posture, _) = unit.exits[number]
        stance = Stance(words[PLACE_X], words[PLACE_Y], *posture.stance[2:])
        state.walkers[0] = Walker(stance, None if walker.hand is None else left.hand)
        self.reference.machine.efforts += words[MOVED] // MOVED_IN_A_TICK
        used = fuel - left.fuel
        state.tick += used
        if self.marks is not None:
            self.marks.take(words)
        if self.supers is not None:
            self.supers.take(words)
        self.native_ticks += used
        self._trials.stayed(used)
        beyond = self._around is not None and used > 0 and self._around.is_left(state.walkers[0])
        return beyond or left.fuel == 0

    def _code(self, words: Any) -> Any:
        """Its own machine code, or that which performs superinstructions as well."""
        found = self._found
        assert found is not None
        if self.marks is None or not self._combines(self.marks) or not found.rows(words):
            return found.call
        if self.supers is None:
            self.supers = superinstructions.Supers(self.limits, self.keeping.size(), self.policy)
        self.supers.show(words, found.rows(words), found.address)
        return driver(self.store)

    def _combines(self, marks: CellMarks) -> bool:
        """Whether it makes superinstructions: it must be noted which cells they pass."""
        if not self.policy.superinstructions or not marks.noting:
            return False
        return self.keeping.size() <= MOST_PLACES and (superinstructions.is_ready() or self._make())

    def _make(self) -> bool:
        """Have machine code for superinstructions: what is kept, or else what is made beside a run
        that goes on for long. Says whether it is there."""
        if not self._sought and self.store is not None:
            superinstructions.recall(self.store)
        self._sought, job = True, self._making
        if job is None and not superinstructions.is_ready():
            waits = self.policy.background and self.native_ticks <= self.policy.worth_kernels
            if not waits and machine_code.why_not() is None:
                self._making = self.queue.begin(
                    "superinstructions", partial(superinstructions.assemble, self.store)
                )
        elif job is not None and job.ready:
            job.take()
        return superinstructions.is_ready()

    def _entry(self) -> int | None:
        """Where machine code is entered; None if the reference engine has to go on."""
        state = self.state
        if self.refused is not None or len(state.walkers) != 1 or state.acted or state.calls:
            return None
        if max(state.tick, state.draws) >= LAST_TICK:
            return None
        stance = state.walkers[0].stance
        if [*map(type, (stance, *stance[:2]))] != [Stance, int, int]:
            return None
        posture = posture_of(stance)
        entry = self.postures.get(posture)
        if entry is None:
            entry = self._begin(posture)
        return entry if entry is not None and self.marshaller.is_inside(state.walkers[0]) else None

    def _begin(self, posture: Key) -> int | None:
        """Have an interpreter that knows this posture."""
        try:
            found = interpreter_for(self.language, self.state, self.store, self.limits.deadline)
            if not self.marshaller.flatten():
                raise NoInterpreter(UNEVEN)
        except NoInterpreter as refused:
            self.refused = str(refused)
            return None
        self._found, self.supers = found, None
        self._unit, self.postures = InterpreterUnit(found.written), found.entries
        self.refusals = found.refusals
        return found.entries[posture]
