"""Several walkers that take turns, in machine code made from the instructions of their language."""

from __future__ import annotations

import ctypes
from array import array
from itertools import chain, islice
from typing import Any

from ...core.barriers import Barriers
from ...core.geometry import Stance
from ...core.language import Language, Pace
from ...core.limits import Limits
from ...core.state import State, Walker
from ..base.keeping import keeping_of
from ..native.machine_code import Store
from ..tracing.ir import Key
from .abi import CROWD, CROWD_SIZE, TURN_OF, posture_of, why_not
from .crowd_code import LEFT, WALKER
from .engine import LAST_TICK
from .loader import Interpreter, InterpreterSource, has_hands
from .marshalling import InterpreterUnit, Marshaller

AT_ONCE = 1 << 20  # steps of single walkers in one call, which nothing can interrupt


def crowd_of(language: Language, state: State, limits: Limits) -> InterpretedCrowd | None:
    """A crowd for a language that has none of its own; None if its walkers cannot be one."""
    in_turns = language.rules.pace is Pace.ALONE and language.rules.over is None
    if not in_turns or keeping_of(state.plane).windowed or why_not(language, state) is not None:
        return None
    return InterpretedCrowd(language, state, limits)


def turned(posture: Key) -> list[Key]:
    """A posture in all four headings: twins may set out in others than there are."""
    x, y, dx, dy, mode = posture.stance
    headings = dict.fromkeys([(dx, dy), (-dy, dx), (-dx, -dy), (dy, -dx)])
    return [Key(Stance(x, y, *heading, mode), None) for heading in headings]


class InterpretedCrowd:
    """The walkers of a state in machine code. See `core.engine.Crowd`."""

    def __init__(self, language: Language, state: State, limits: Limits) -> None:
        self.language, self.state, self.limits = language, state, limits
        self.marshaller = Marshaller(state, limits)
        self._found: Interpreter | None = None
        self._unit: Any = None
        self._postures = dict.fromkeys(posture_of(walker.stance) for walker in state.walkers)
        """How walkers stood when there were several for the first time."""

    @property
    def ready(self) -> bool:
        """See `core.engine.Crowd`."""
        return self._found is not None

    def recall(self, store: Store) -> bool:
        """See `core.engine.Crowd`."""
        found = InterpreterSource(self.language, self.state, store, True).recall(self._needed())
        return found is not None and self._take(found)

    def assemble(self, store: Store | None) -> None:
        """See `core.engine.Crowd`. Raises `NoInterpreter` if there can be none."""
        source = InterpreterSource(self.language, self.state, store, True)
        self._take(source.get(self._turned()))

    def keep(self, store: Store) -> None:
        """See `core.engine.Crowd`."""
        InterpreterSource(self.language, self.state, store, True).keep(self._turned())

    def _turned(self) -> list[Key]:
        # The run goes on beside, and may be in the midst of a tick.
        postures = dict.fromkeys([*self._postures, *self._needed()])
        return [*dict.fromkeys(chain(*map(turned, postures)))]

    def _needed(self) -> list[Key]:
        return [posture_of(walker.stance) for walker in self.state.walkers]

    def _take(self, found: Interpreter) -> bool:
        if not self.marshaller.flatten():
            return False
        self._unit, self._found = InterpreterUnit(found.written), found
        return True

    # Running ----------------------------------------------------------------------------------

    def advance(self, ticks: int, barriers: Barriers | None = None) -> bool:
        """See `core.engine.Crowd`."""
        crowd = None if barriers else self._gathered()
        if crowd is None:
            return False
        state, size, alone = self.state, len(self.state.walkers), self.state.walkers[0].hand is None
        target = min(state.tick + ticks, LAST_TICK)
        turn, how = 0, 0
        while how != LEFT and state.tick < target and self.limits.deadline.left() > 0:
            how, turn = self._run(crowd, min(target - state.tick, max(AT_ONCE // size, 1)))
        walkers = list(self._walkers(crowd, alone))
        state.acted, state.walkers = walkers[:turn], walkers[turn:]
        return how != LEFT and turn == 0

    def _run(self, crowd: array[int], fuel: int) -> tuple[int, int]:
        """Make at most so many ticks; says how it ended, and with whose turn."""
        assert self._found is not None
        state, words = self.state, self._unit.words
        if not self.marshaller.begin(self._unit, fuel):
            return LEFT, 0
        words[CROWD], words[CROWD_SIZE] = crowd.buffer_info()[0], len(crowd) // len(WALKER)
        how = self._found.call(ctypes.addressof(words), 0)
        left = self.marshaller.end(self._unit)
        state.tick += fuel - left.fuel
        return how, words[TURN_OF]

    def _gathered(self) -> array[int] | None:
        """The walkers as machine code sees them; None if one is not for machine code."""
        state = self.state
        if self._found is None or state.acted or state.calls or len(state.walkers) < 2:
            return None
        if max(state.tick, state.draws) >= LAST_TICK:
            return None
        entries, numbers, handless = self._found.entries, array("q"), not has_hands(state)
        for walker in state.walkers:
            stance, hand = walker
            if [*map(type, (stance, *stance[:2]))] != [Stance, int, int]:
                return None
            posture = entries.get(posture_of(stance))
            if (
                posture is None
                or (hand is None) != handless
                or not self.marshaller.is_inside(walker)
            ):
                return None
            numbers.extend((posture, stance.x, stance.y, *(hand or (0, 0))))
        return numbers

    def _walkers(self, crowd: array[int], handless: bool) -> Any:
        assert self._found is not None
        headings = [posture.stance[2:] for posture in self._found.entries]
        numbers = iter(crowd)
        while some := tuple(islice(numbers, len(WALKER))):
            posture, x, y, hand_x, hand_y = some
            stance = Stance(x, y, *headings[posture])
            yield Walker(stance, None if handless else (hand_x, hand_y))
