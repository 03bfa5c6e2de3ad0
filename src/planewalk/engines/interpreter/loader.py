"""Finding the interpreter of a language: at hand, kept, or made."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from contextlib import suppress
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
from ..native.cache_format import Damaged, Kept, NotPlain, dump, load
from ..native.machine_code import UNIT, Care, Store, assemble, recall_named, remember
from ..native.shelf import Shelf
from ..tracing.ir import Key
from ..tracing.refusal import Refusals
from .abi import ASK_ROWS, NoInterpreter, posture_of, why_not

CARE = Care.MANY_BRANCHES


class Interpreter:
    """The machine code for a language, with the postures that it begins and ends in."""

    def __init__(self, written: UnitIR, code: tuple[Any, Any], refusals: Refusals) -> None:
        """`written` has no text if it was kept; `refusals` are what went wrong when it was made, if
        this run made it."""
        self.written, self.entries, self.refusals = written, written.entries, refusals
        self._owner, self.call = code  # code lives as long as its owner
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


class InterpreterSource:
    """Where the interpreter of a language comes from, or that of its crowds."""

    def __init__(
        self, language: Language, state: State, store: Store | None, crowd: bool = False
    ) -> None:
        self.language, self.state, self.store, self.crowd = language, state, store, crowd
        self._about = (id(language), type(state.plane), settings(state), crowd)

    def recall(self, postures: list[Key]) -> Interpreter | None:
        """One that knows these postures, as far as it need not be made."""
        found = self._known() or self._kept()
        if found is None or not set(postures) <= set(found.entries):
            return None
        _MADE[self._about] = self.language, found
        return found

    def get(self, postures: list[Key]) -> Interpreter:
        """One that knows these postures; raises `NoInterpreter` if there can be none."""
        _, known = _MADE.get(self._about, (None, None))
        if isinstance(known, NoInterpreter):
            raise known
        found = self.recall(postures)
        if found is not None:
            return found
        before = self._known() or self._kept()
        every = dict.fromkeys([*(() if before is None else before.entries), *postures])
        try:
            made = self.make(list(every))
        except NoInterpreter as refused:
            _MADE[self._about] = self.language, refused
            raise
        _MADE[self._about] = self.language, made
        return made

    def is_at_hand(self) -> bool:
        """Whether it need not be made."""
        if self._about in _MADE:
            return True
        name = self._name()
        return self.store is not None and name is not None and self.store.get(name) is not None

    def _known(self) -> Interpreter | None:
        """What this process has."""
        _, found = _MADE.get(self._about, (None, None))
        return None if isinstance(found, NoInterpreter) else found

    def _kept(self) -> Interpreter | None:
        """What is in the store, if that is whole."""
        name = self._name()
        if self.store is None or name is None:
            return None
        code = recall_named(self.store, _code_name(name), UNIT)
        if code is not None:
            with suppress(Damaged):  # it will be made again
                return Interpreter(load(self.store.get(name)).written, code, Refusals())
        return None

    def make(self, postures: list[Key]) -> Interpreter:
        """A new one, which is kept."""
        refusals = Refusals()
        written = self._write(postures, refusals)
        code = assemble(written.text, self.store, care=CARE)
        self._remember(written)
        return Interpreter(written, code, refusals)

    def keep(self, postures: list[Key]) -> None:
        """Have a new one in the store, perhaps for other machines."""
        written = self._write(postures, Refusals())
        if self.store is not None:
            machine_code.keep(written.text, self.store, None, CARE)
            self._remember(written)

    def _write(self, postures: list[Key], refusals: Refusals) -> UnitIR:
        why = why_not(self.language, self.state) or machine_code.why_no_interpreter()
        if why is not None:
            raise NoInterpreter(why)
        from .write import write  # which takes long to import

        hands = has_hands(self.state)
        return write(self.language, self.state, postures, hands, refusals, self.crowd)

    def _remember(self, written: UnitIR) -> None:
        """Have it found by its name."""
        name = self._name()
        if self.store is not None and name is not None:
            with suppress(NotPlain):
                self.store.put(name, dump(Kept(written._replace(text="", size=0), 0, {})))
                remember(self.store, _code_name(name), written.text, CARE)

    def _name(self) -> str | None:
        """Under which name it is kept; engines of one program look for that once."""
        if not isinstance(self.store, Shelf):
            return None if self.store is None else self._fresh_name()
        return self.store.name(self._about[1:], self._fresh_name)

    def _fresh_name(self) -> str | None:
        name = name_of(self.language, self.state)
        return fingerprint(f"crowd {name}".encode()) if name is not None and self.crowd else name


def _code_name(name: str) -> str:
    return f"interpreter {name}"


def interpreter_for(
    language: Language, state: State, store: Store | None, deadline: Deadline = NEVER
) -> Interpreter:
    """The interpreter of a language, from where the first walker stands on; raises `NoInterpreter`
    with the reason if there is none, and `OutOfTime` if it cannot be there in time."""
    source = InterpreterSource(language, state, store)
    known, postures = source._known(), [posture_of(state.walkers[0].stance)]
    if known is not None and postures[0] in known.entries:
        return known
    return _made_in_time(partial(source.get, postures), deadline)


def forget() -> None:
    """Look for all interpreters anew, as a process does that begins."""
    _MADE.clear()


def is_at_hand(language: Language, state: State, store: Store | None) -> bool:
    """Whether the interpreter of a language need not be made."""
    return InterpreterSource(language, state, store).is_at_hand()


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


def name_of(language: Language, state: State) -> str | None:
    """Under which name the interpreter of a language is kept; None if it is not."""
    made_from = cache_key.digest(language, type(state.plane), dict(state.options))
    if made_from is None:
        return None
    return fingerprint(f"interpreter 7 {made_from} {_kinds(state)}".encode())


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
