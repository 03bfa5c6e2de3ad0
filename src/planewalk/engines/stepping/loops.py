"""Proof that a run will never end: its complete state has come back, and nothing else counts.

What a program has written does not count either: no instruction can look at it.

Beside the run a witness walks: the reference engine on a copy of the state, tick by tick, looking
out for the state it began with. After Brent, it begins again from where the run is by then once
it has walked 1024 ticks in vain, then 2048, 4096 and so on; so it holds one snapshot at a time,
and finds a loop soon after the run has entered it. The witness also notes whether an instruction
asks for the tick or for chance that comes from the tick: a state that leaves those out proves
nothing then.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from struct import pack
from typing import Any

from ...core.errors import LanguageError
from ...core.language import Language
from ...core.limits import Limits
from ...core.state import State
from ...core.step import Stalled, Stop
from .reference import ReferenceEngine

FIRST_WALK = 1024  # ticks the first witness walks before the next one takes its place
MANY = 64  # steps of single walkers between two looks at the clock
SHARE = 1 / 8
GRACE = 0.02
"""Of the time of a run, how much may go into looking; and the seconds it may take at once."""


class Witness(ReferenceEngine):
    """Walks from a state, and sees whether it comes back to it."""

    def __init__(self, language: Language, state: State, limits: Limits) -> None:
        limits = limits._replace(output=None)  # a loop is one, however much it may write
        super().__init__(language, state.copy(), limits)
        self.anchor = state.copy()
        self.hopeless = False
        self.wrote = False
        self._forget_what_was_written()

    @property
    def walked(self) -> int:
        """Ticks since it began."""
        return self.state.tick - self.anchor.tick

    def step(self) -> bool:
        """Walk one tick; says whether the state is that of the beginning."""
        before = self.state.tick
        try:
            stop = self.advance(1)
        except LanguageError:  # the run itself meets it
            self.hopeless = True
            return False
        if self.state.output or self.state.log:
            self.wrote = True
            self._forget_what_was_written()
        self.hopeless = (
            stop is not None
            or self.state.tick == before
            or self.machine.asked_for_tick
            or self.state.draws != self.anchor.draws  # which nothing can undo
            or self.state.input.position != self.anchor.input.position
        )
        return not self.hopeless and same_future(self.state, self.anchor)

    def _forget_what_was_written(self) -> None:
        self.state.output.clear()
        self.state.log.clear()

    def told(self) -> str:
        """What the witness has seen, in words."""
        every = "every step" if self.walked == 1 else f"every {self.walked:,} steps"
        apart = ", apart from what it writes" if self.wrote else ""
        return f"the complete state repeats {every}{apart}"


def same_future(a: State, b: State) -> bool:
    """Whether two states of a run have the same future, as long as nothing was read or drawn
    between them and the tick is not read.

    Stricter than `==`: walkers in the same order, and floats equal to the bit. What differs most
    often is compared first, so that hardly any tick of a walk costs more than a glance.
    """
    return (
        a.walkers == b.walkers
        and len(a.stack) == len(b.stack)
        and _same_numbers(a.stack, b.stack)
        and _same_numbers(a.registers, b.registers)
        and repr((a.walkers, a.acted, a.calls)) == repr((b.walkers, b.acted, b.calls))
        and a.plane == b.plane
    )


def _same_numbers(a: Any, b: Any) -> bool:
    """Equal to the bit: for floats, 0 is not -0, and NaN is itself; and 1 is not True."""
    if isinstance(a, array):
        return bool(a.tobytes() == b.tobytes())
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_alike(value, b[name]) for name, value in a.items())
    return all(map(_alike, a, b))


def _alike(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    return pack("d", a) == pack("d", b) if isinstance(a, float) else bool(a == b)


class LoopDetector:
    """Looks at a run from time to time; `look` gives the stop once the run can never end."""

    def __init__(
        self, language: Language, state: State, limits: Limits, clock: Callable[[], float]
    ) -> None:
        self.language = language
        self.state = state
        self.limits = limits
        self.clock = clock
        self.began = clock()
        self.spent = 0.0
        self.walk = FIRST_WALK
        self.witness: Witness | None = None

    def look(self) -> Stop | None:
        """Walk on for as long as the share of time allows."""
        now = self.clock()
        until = now + GRACE + SHARE * (now - self.began) - self.spent
        started = now
        stop = None
        while stop is None and now < until and self._room():
            stop = self._walk_on()
            now = self.clock()
            if self.witness is None:
                break  # the next one begins where the run will be then
        self.spent += now - started
        return stop

    def _room(self) -> bool:
        """Whether the run, the snapshot and the witness fit into the memory of the run."""
        return self.limits.memory is None or 3 * self.state.memory() <= self.limits.memory

    def _walk_on(self) -> Stop | None:
        """Some ticks of the witness, a new one if there is none."""
        witness = self.witness
        if witness is None:
            witness = self.witness = Witness(self.language, self.state, self.limits)
        for _ in range(max(MANY // max(len(witness.state.walkers), 1), 1)):
            if witness.step():
                return Stalled(witness.told())
            if witness.hopeless or witness.walked >= self.walk:
                self.witness = None
                if not witness.hopeless:
                    self.walk *= 2
                break
        return None
