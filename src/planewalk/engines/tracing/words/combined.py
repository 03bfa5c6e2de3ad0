"""The words that instruction functions call, while they are traced.

A word is a method of one of the parts that the words are put together from: whatever a part has
that is named like a word of the vocabulary. An instruction that uses another word is left to the
reference engine.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NoReturn

from ....core.geometry import Stance
from ....core.vocabulary import NumberWords, Vocabulary
from ..context import TraceContext
from ..ir import Key, Leave, Node
from ..limits import MOST_CALLS
from .hand import TracedHand
from .numbers import TracedNumbers
from .registers import PixelChance
from .stack import KnownStack

NAMES = {
    name
    for kind in (NumberWords, Vocabulary)
    for name in (*vars(kind), *kind.__annotations__)
    if name[0] != "_"
}


def leave(*_: Any) -> NoReturn:
    """Leave an instruction to the reference engine."""
    raise Leave


@cache
def words_of(kind: Any) -> list[str]:
    """The words that a part has."""
    return [name for name in sorted(NAMES) if callable(getattr(kind, name, None))]


class TracedWords:
    """All words, performed on nodes; those about the walker itself are here."""

    stance: Stance
    enter: Any = Vocabulary.enter
    go: Any = Vocabulary.go

    def __init__(
        self,
        context: TraceContext,
        ground: Any,
        decoded: Any,
        numbers: TracedNumbers,
        stack: KnownStack,
        chance: PixelChance,
        hand: TracedHand,
        *parts: object,
    ) -> None:
        self.plane = ground
        self.values = stack
        self.wishes: list[Any] = []
        self._context, self._decoded = context, decoded
        self._numbers, self._chance, self._hand = numbers, chance, hand
        for part in (numbers, stack, chance, *parts):
            kind: Any = type(part)
            vars(self).update({name: getattr(part, name) for name in words_of(kind)})

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES:
            raise AttributeError(name)
        return leave

    def begin(self, key: Key) -> None:
        """Begin an instruction in the environment that the context has begun with."""
        env = self._context.env
        self.wishes = []
        self.stance = key.stance
        self.hand_x, self.hand_y = env.hand_x, env.hand_y
        self.calls = list(key.calls)
        self.values.values = env.stack
        self._numbers.begin(key.stance)

    def settle_hand(self) -> None:
        """Keep where the hand is now."""
        env = self._context.env
        if self.hand_x is not env.hand_x or self.hand_y is not env.hand_y:
            self._hand.keep_near(self.hand_x, self.hand_y)
        env.hand_x, env.hand_y = self.hand_x, self.hand_y

    # Words -----------------------------------------------------------------------------------

    def turn(self, dx: Any, dy: Any) -> None:
        if isinstance(dx, Node) or isinstance(dy, Node):
            raise Leave
        words: Any = self
        Vocabulary.turn(words, dx, dy)

    def reach(self, x: Any, y: Any) -> None:
        if not self._hand.exists:
            raise Leave
        self.hand_x, self.hand_y = x, y

    def move(self) -> None:
        moved = self._context.language.move(self._decoded, self.stance)
        if moved is not None:
            self.stance = moved

    def call(self, stance: Stance) -> None:
        if len(self.calls) == MOST_CALLS:
            raise Leave
        self.calls.append(stance)

    def returned(self) -> Stance | None:
        return self.calls.pop() if self.calls else None

    def wish(self, what: tuple[Any, ...]) -> None:
        self.wishes.append(what)

    @property
    def depth(self) -> int:
        return self.values.height()

    @property
    def tick(self) -> Any:
        return self._chance.now()

    @property
    def input_ended(self) -> bool:
        raise Leave

    @property
    def met(self) -> list[Stance]:
        raise Leave
