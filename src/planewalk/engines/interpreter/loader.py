"""Finding the interpreter of a language: at hand, kept, or made."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any

from ...core.base.deadline import NEVER, Deadline, OutOfTime
from ...core.base.fingerprint import fingerprint
from ...core.language import Language
from ...core.plane import range_of
from ...core.state import State
from ..base.addresses import address_of_code
from ..base.jobs import CompileJob
from ..base.keeping import keeping_of
from ..native import cache_key, machine_code
from ..native.abi import UnitIR
from ..native.machine_code import Care, Store, assemble
from ..native.shelf import Shelf
from ..tracing.ir import Key
from ..tracing.refusal import Refusals
from .abi import ASK_ROWS, NoInterpreter, posture_of, why_not
from .interpreter_cache import KeptInterpreter

GOOD = Care.MANY_BRANCHES
"""What is done for an interpreter that runs for long; at first it is made quickly."""


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
        """What went wrong when it was made, if this run made it."""
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
        self._rows = -1

    @property
    def address(self) -> int:
        """Where its machine code is."""
        return address_of_code(self.call)

    def rows(self, words: Any) -> int:
        """Where the rows of its ticks are; 0 if there are none."""
        if self._rows < 0:
            self._rows = self.call(ctypes.addressof(words), ASK_ROWS)
        return self._rows


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


def forget() -> None:
    """Look for all interpreters anew, as a process does that begins."""
    _MADE.clear()


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
    _refuse(machine_code.why_no_interpreter())
    from .write import write  # which takes long to import

    refusals = Refusals()
    written = write(language, state, postures, has_hands(state), refusals)
    made = _assembled(written, store, refusals, kept)
    if kept is not None:
        kept.put(written)
    return made


def keep_good(language: Language, state: State, store: Store) -> None:
    """Have good machine code of an interpreter kept, without any that is made quickly; raises
    `NoInterpreter` if there can be none."""
    _refuse(why_not(language, state) or machine_code.why_no_interpreter())
    from .write import write

    name = name_of(language, state)
    postures = [posture_of(state.walkers[0].stance)]
    written = write(language, state, postures, has_hands(state), Refusals())
    if name is not None:
        kept = KeptInterpreter(store, name)
        kept.put(written)
        assemble(written.text, store, care=GOOD)
        kept.remember(written.text, GOOD)


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


def _assembled(
    written: UnitIR, store: Store | None, refusals: Refusals, kept: KeptInterpreter | None
) -> Interpreter:
    """Quick code, from the store if there is some."""
    code = None if store is None else machine_code.recall(written.text, store, care=Care.QUICK)
    if code is None:
        _refuse(machine_code.why_no_interpreter())
        code = assemble(written.text, store, care=Care.QUICK)
    return Interpreter(written, Care.QUICK, code, refusals, kept)


def name_of(language: Language, state: State) -> str | None:
    """Under which name the interpreter of a language is kept; None if it is not."""
    made_from = cache_key.digest(language, type(state.plane), dict(state.options))
    if made_from is None:
        return None
    return fingerprint(f"interpreter 6 {made_from} {_kinds(state)}".encode())


def settings(state: State) -> str:
    """What else an interpreter is made for: options, hands, numbers, the names of registers."""
    options = sorted(state.options.items(), key=repr)
    return repr((options, *_kinds(state)))


def _kinds(state: State) -> tuple[Any, ...]:
    numbers = range_of(state.plane) if keeping_of(state.plane).windowed else None
    return has_hands(state), "array" if state.floats else "list", list(state.registers), numbers


def has_hands(state: State) -> bool:
    """Whether walkers have something that they move beside themselves."""
    return any(walker.hand is not None for walker in state.walkers)
