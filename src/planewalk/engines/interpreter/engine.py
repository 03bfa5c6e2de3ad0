"""The interpreter: any program of a language in machine code that was made once for the language.

It runs one walker; what it cannot do it leaves to the reference engine, tick by tick. Nothing is
made for a program, so it is there at once and stays true whatever a program writes.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any

from ...core.deadline import NEVER, Deadline, OutOfTime
from ...core.fingerprint import fingerprint
from ...core.geometry import Stance
from ...core.language import Language
from ...core.limits import Limits
from ...core.plane import range_of
from ...core.state import State, Walker
from ...core.step import Spent, Stop
from ..keeping import keeping_of
from ..native import cache_key, llvm
from ..native.abi import UnitIR
from ..native.llvm import Care, Store, assemble
from ..native.shelf import Shelf
from ..native.unit import NativeUnit
from ..policy import policy_in_force
from ..reference import ReferenceEngine
from ..tiering.jobs import CompileJob, CompileQueue
from ..tracing.ir import Key
from ..tracing.refusal import Refusals
from .abi import (
    MOVED,
    PLACE_X,
    PLACE_Y,
    PROCESSORS,
    TOO_DEEP,
    NoInterpreter,
    posture_of,
    why_not,
)  # fmt: skip
from .kept import KeptInterpreter
from .leap_table import CountedLeap, Leaps
from .marshalling import InterpreterUnit, Marshaller

if TYPE_CHECKING:
    from ...core.barriers import Barriers
    from .mixed_mode import MixedMode
    from .surroundings import Surroundings

MOST_FUEL = 1 << 40
LAST_TICK = (1 << 63) - 1
ENOUGH_TICKS, ENOUGH_NUMBERS, ENOUGH_OUTPUT = 1 << 14, 1 << 16, 1 << 20
"""What the reference engine runs, and a stack or the output grows by, before somebody looks at the
clock and the memory."""
SHORT_STAY, LONGEST_REST = 16, 4_096
"""Ticks that a visit must last on average; else the reference engine goes on for a while."""
MOVED_IN_A_TICK = 8
"""Values that are moved in a stack in the time of a tick."""
GOOD = Care.LONG_WAYS
"""What is done for an interpreter that runs for long; at first it is made quickly."""
UNEVEN = "its lines are of too different lengths"
MANY_TICKS, LOST_TICKS = 32, 1_024
"""Ticks of several walkers after which they are counted; and of one that no window suits, after
which another engine may go on."""


class Interpreter:
    """The machine code for a language, with the postures that it begins and ends in."""

    def __init__(
        self,
        written: UnitIR,
        care: Care,
        code: tuple[Any, Any],
        refusals: Refusals,
        kept: KeptInterpreter | None = None,
    ) -> None:
        """`written` has an outline of its text alone if the code is good already."""
        self.written, self._kept = written, kept
        self.refusals = refusals
        """What went wrong when it was made; nobody knows if that was by an earlier run."""
        self.entries = written.entries
        self.care = care
        self._owners: list[Any] = []
        self._take(code)

    def improve(self, store: Store | None) -> None:
        """Make good code of quick code, which may be running meanwhile."""
        if self.care is Care.QUICK:
            self._take(assemble(self.written.text, store, care=GOOD))
            self.care = GOOD
            if self._kept is not None:
                self._kept.remember(self.written.text, GOOD)

    def _take(self, code: tuple[Any, Any]) -> None:
        owner, self.call = code
        self._owners.append(owner)  # code lives as long as its owner


_MADE: dict[Any, tuple[Language, Interpreter | NoInterpreter]] = {}
"""What this process has made or found, by language, kind of plane, and options."""


def interpreter_for(
    language: Language, state: State, store: Store | None, deadline: Deadline = NEVER
) -> Interpreter:
    """The interpreter of a language, from where the first walker stands on; raises `NoInterpreter`
    with the reason if there is none, and `OutOfTime` if it cannot be there in time."""
    name = (id(language), type(state.plane), settings(state))
    posture = posture_of(state.walkers[0].stance)
    known = _MADE.get(name)
    found = None if known is None else known[1]
    if isinstance(found, NoInterpreter):
        raise found
    if found is None or posture not in found.entries:
        before = [] if found is None else list(found.entries)

        def make() -> Interpreter:
            try:
                made = _find(language, state, store, [*before, posture])
            except NoInterpreter as refused:
                _MADE[name] = language, refused
                raise
            _MADE[name] = language, made
            return made

        return _made_in_time(make, deadline)
    return found


def is_at_hand(language: Language, state: State, store: Store | None) -> bool:
    """Whether the interpreter of a language need not be made."""
    if (id(language), type(state.plane), settings(state)) in _MADE:
        return True
    name = None if store is None else _name_in(store, language, state)
    return store is not None and name is not None and store.get(name) is not None


def _name_in(store: Store, language: Language, state: State) -> str | None:
    """Under which name it is kept; engines of one program look for that once."""
    if not isinstance(store, Shelf):
        return name_of(language, state)
    about = type(state.plane), settings(state)
    return store.name(about, partial(name_of, language, state))


def _made_in_time(make: Callable[[], Interpreter], deadline: Deadline) -> Interpreter:
    """Have it made for as long as there is time. After that it is made all the same, for others:
    LLVM cannot be stopped."""
    left = deadline.left()
    if left == math.inf:
        return make()
    if left <= 0:
        raise OutOfTime
    job = CompileJob(partial(copy_context().run, make)).start()
    job.wait(left)
    if not job.ready:
        raise OutOfTime
    return job.take()


def _find(
    language: Language, state: State, store: Store | None, postures: list[Key]
) -> Interpreter:
    _refuse(why_not(language, state))
    name = None if store is None else _name_in(store, language, state)
    kept = None if store is None or name is None else KeptInterpreter(store, name)
    found = None if kept is None else _found_again(kept, postures)
    if found is not None:
        return found
    _refuse(_why_none_is_made())
    from .write import write  # which takes long to import

    refusals = Refusals()
    written = write(language, state, postures, has_hands(state), refusals)
    made = _assembled(written, store, refusals, kept)
    if kept is not None:
        kept.put(written)
    return made


def _found_again(kept: KeptInterpreter, postures: list[Key]) -> Interpreter | None:
    """What is kept, if it knows these postures: good code, or else text to make some of."""
    written = kept.known()
    if written is None or not set(postures) <= set(written.entries):
        return None
    code = kept.code(GOOD)
    if code is not None:
        return Interpreter(written, GOOD, code, Refusals())
    whole = kept.with_text(written)
    return None if whole is None else _assembled(whole, kept.store, Refusals(), kept)


def _refuse(why: str | None) -> None:
    if why is not None:
        raise NoInterpreter(why)


def _why_none_is_made() -> str | None:
    """Why there is none here but what is kept already."""
    import platform  # which is not needed for that

    machine = platform.machine()
    if machine.lower() not in PROCESSORS:
        return f"there is none for processors like this one ({machine})"
    return llvm.why_not()


def _assembled(
    written: UnitIR, store: Store | None, refusals: Refusals, kept: KeptInterpreter | None
) -> Interpreter:
    """Quick code, from the store if there is some."""
    code = None if store is None else llvm.recall(written.text, store, care=Care.QUICK)
    if code is None:
        _refuse(_why_none_is_made())
        code = assemble(written.text, store, care=Care.QUICK)
    return Interpreter(written, Care.QUICK, code, refusals, kept)


def name_of(language: Language, state: State) -> str | None:
    """Under which name the interpreter of a language is kept; None if it is not."""
    made_from = cache_key.digest(language, type(state.plane), dict(state.options))
    if made_from is None:
        return None
    about = f"interpreter 3 {sys.version} {made_from} {_kinds(state)}"
    return fingerprint(about.encode())


def settings(state: State) -> str:
    """What else an interpreter is made for: options, hands, numbers, the names of registers."""
    options = sorted(state.options.items(), key=repr)
    return repr((options, *_kinds(state)))


def _kinds(state: State) -> tuple[Any, ...]:
    numbers = range_of(state.plane) if keeping_of(state.plane).windowed else None
    return has_hands(state), type(state.stack).__name__, list(state.registers), numbers


def has_hands(state: State) -> bool:
    """Whether walkers have something that they move beside themselves."""
    return any(walker.hand is not None for walker in state.walkers)


def _surroundings(plane: Any, store: Store | None) -> Surroundings:
    from .surroundings import Surroundings  # which planes with edges do without

    return Surroundings(plane, store)


class InterpreterEngine:
    """Runs the machine code of a language's interpreter. See `core.engine.Engine`."""

    name = "interpreter"

    def __init__(
        self,
        language: Language,
        state: State,
        limits: Limits | None = None,
        store: Any = None,
        queue: CompileQueue | None = None,
    ) -> None:
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
        self._improving: CompileJob[None] | None = None
        self._unit: NativeUnit | None = None
        self.postures: Mapping[Key, int] = {}
        """Those in which machine code can be entered."""
        plane: Any = state.plane
        self._around = _surroundings(plane, store) if self.keeping.windowed else None
        self.marshaller = Marshaller(state, self.limits, self._around)
        self.leaps = None if self.keeping.windowed else Leaps(self.reference, self.limits)
        self.mixed: MixedMode | None = None
        """The compiled code that it leaves for."""
        self._visits = self._stayed = self._rest = 0
        with suppress(OutOfTime):
            self._entry()  # to know at once if there is none

    def suits(self) -> bool:
        """Whether it does the work itself, and takes turns with others quickly."""
        walkers, around = self.state.walkers, self._around
        return len(walkers) == 1 and (around is None or around.suits(walkers[0]))

    def memory(self) -> int:
        """See `core.engine.Engine`."""
        leaps = 0 if self.leaps is None else self.leaps.memory()
        return leaps + self.marshaller.memory()

    def advance(self, ticks: int, barriers: Barriers | None = None) -> Stop | None:
        """Run at most that many ticks. See `core.engine.Engine.advance`."""
        if barriers:  # which it does not know
            return self.reference.advance(ticks, barriers)
        self._improve()
        if self.leaps is not None:
            self.leaps.begin()
        try:
            return self._advance(ticks)
        except OutOfTime:  # while machine code was being made
            return Spent("time")
        finally:
            if self.leaps is not None:
                self.leaps.end()

    def _improve(self) -> None:
        """Have good code made beside a run that goes on for long."""
        found, job = self._found, self._improving
        if job is not None:
            if job.ready:
                job.take()
                self._improving = None
        elif (
            found is not None
            and found.care is Care.QUICK
            and self.native_ticks > self.policy.worth_care
        ):
            self._improving = self.queue.begin(
                "a better interpreter", partial(found.improve, self.store)
            )

    def _advance(self, ticks: int) -> Stop | None:
        state, machine = self.state, self.reference.machine
        target, enough = state.tick + ticks, len(state.stack) + ENOUGH_NUMBERS
        stop, slow = None, 0
        while stop is None and state.stop is None and state.tick < target:
            if not self._run(target - state.tick):
                before, height = state.tick, getattr(state.plane, "height", 0)
                stop = self.reference.advance(min(self._pause(), target - before))
                slow += state.tick - before
                if getattr(state.plane, "height", 0) != height:
                    self.marshaller.spare = max(2 * self.marshaller.spare, 16)
            if machine.efforts:
                target -= machine.efforts
                machine.efforts = 0
            if (
                slow > (MANY_TICKS if self._is_lost() else ENOUGH_TICKS)
                or len(state.stack) > enough
                or len(state.output) > ENOUGH_OUTPUT
                or self.limits.deadline.left() <= 0
            ):
                break  # for somebody to look at the clock and the memory, or for another engine
        if stop is None and self._goes_on():
            return None
        return self.reference.advance(0) if stop is None else stop

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
        """How many ticks the reference engine should do now: one, if visits have been long."""
        if len(self.state.walkers) != 1 or self.refused is not None:
            return MANY_TICKS
        if self._is_lost():
            return LOST_TICKS
        if self._visits < 8:
            return 1
        short = self._stayed < SHORT_STAY * self._visits
        self._rest = min(2 * self._rest + SHORT_STAY, LONGEST_REST) if short else 0
        self._visits = self._stayed = 0
        return self._rest + 1

    def _run(self, fuel: int) -> bool:
        """Run machine code; says whether it stopped for want of fuel alone, or of a window."""
        entry = self._entry()
        if entry is None or self._unit is None or self._found is None:
            return False
        state, unit = self.state, self._unit
        words, walker = unit.words, state.walkers[0]
        fuel = min(fuel, MOST_FUEL, LAST_TICK - state.tick)
        self._visits += 1
        if not self.marshaller.begin(unit, fuel):
            return False
        words[PLACE_X], words[PLACE_Y] = walker.stance.x, walker.stance.y
        if self.leaps is not None:
            self.leaps.show(words, self._found.call)
        number = self._call(self._found.call, words, entry)
        left = self.marshaller.end(unit)
        (posture, _) = unit.exits[number]
        stance = Stance(words[PLACE_X], words[PLACE_Y], *posture.stance[2:])
        state.walkers[0] = Walker(stance, None if walker.hand is None else left.hand)
        self.reference.machine.efforts += words[MOVED] // MOVED_IN_A_TICK
        used = fuel - left.fuel
        state.tick += used
        if self.leaps is not None:
            self.leaps.take(words)
        self.native_ticks += used
        self._stayed += used
        if (used == 0 or words[TOO_DEEP]) and self.marshaller.see_more():
            self._visits = self._stayed = 0  # from now on they may be longer
        beyond = self._around is not None and used > 0 and self._around.is_left(state.walkers[0])
        return beyond or left.fuel == 0

    def _call(self, code: Any, words: Any, entry: int) -> int:
        """Run machine code from an entry on, its own or compiled code; gives how it left."""
        mixed, leaps = self.mixed, self.leaps
        if mixed is None or leaps is None or not leaps.keep_code_true():
            number: int = code(ctypes.addressof(words), entry)
            return number
        return mixed.run(code, words, entry)

    def mix(self, mixed: MixedMode | None) -> None:
        """Leave for this compiled code where it begins."""
        self.mixed = mixed
        if self.leaps is not None:
            self.leaps.mark_heads(() if mixed is None else mixed.heads)

    def take_interpreted(self) -> int | None:
        """The ticks since this was asked last that were not in compiled code; none if there is no
        such code."""
        return None if self.mixed is None else self.mixed.take_interpreted()

    def stance_of(self, leap: CountedLeap) -> Stance:
        """Where a leap begins."""
        plane: Any = self.state.plane
        y, x = divmod(leap.cell, plane.width)
        posture = next(key for key, number in self.postures.items() if number == leap.posture)
        return posture.stance._replace(x=x, y=y)

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
        if found.entries is not self.postures:
            self.mix(None)  # which counts on other postures
        self._found = found
        self._unit, self.postures = InterpreterUnit.again(found.written), found.entries
        self.refusals = found.refusals
        return found.entries[posture]
