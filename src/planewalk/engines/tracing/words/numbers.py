"""The words of arithmetic, and what becomes of numbers that are not known yet."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ....core.geometry import Stance
from ....core.numbers.float32 import f32
from ....core.numbers.pure import PURE
from ....core.plane import ANY_NUMBER
from ....core.vocabulary import Vocabulary
from ..choices import MOST_CHOICES
from ..context import TraceContext
from ..ir import Leave, Node, Overflow, bounds_of, kind_of
from ..ops import NARROW, PURE_OPS


class TracedNumbers:
    """Arithmetic on nodes, and plain numbers where an instruction asks for them."""

    here: Stance  # where the instruction stands that asks

    def __init__(self, context: TraceContext) -> None:
        self.context = context
        self.asked = 0

    def begin(self, here: Stance) -> None:
        """Count the plain numbers that are asked for at a stance."""
        self.here, self.asked = here, 0

    # What is kept of a value -----------------------------------------------------------------

    def whole(self, value: Any) -> Any:
        """A whole number as it is; what is none is left to the reference engine."""
        self.context.stay_within(value, ANY_NUMBER)
        graph = self.context.graph
        if not isinstance(value, Node) and not graph.holds(value):
            graph.wide = True
            if self.context.native:
                raise Overflow
        return value

    def rounded(self, value: Any) -> Any:
        """What a float32 keeps of a value."""
        if isinstance(value, Node):
            if value.kind == "float" and value.op in NARROW:
                return value
            return self.context.graph.make("round", (value,), "float")
        return f32(value)

    # Words -----------------------------------------------------------------------------------

    def effort(self, ticks: Any) -> None:
        self.context.stay_within(ticks, (0, math.inf))

    def known(self, value: Any) -> Any:
        """A plain number: one of the few that the value can be, or was seen to be."""
        question = (self.here, self.asked)
        self.asked += 1
        if not isinstance(value, Node):
            return value
        choices: Collection[Any] = self.context.seen.get(question, ())
        if value.kind == "int" and value.spread < MOST_CHOICES:
            choices = range(int(value.low), int(value.high) + 1)
        if len(choices) <= MOST_CHOICES:
            for choice in choices:
                if self.same(value, choice):
                    return choice
        raise Leave

    def chosen(self, values: Sequence[Any], index: Any, size: int, offset: int = 0) -> Any:
        words: Any = self
        return Vocabulary.chosen(words, values, index, size, offset)

    def same(self, value: Node, choice: Any) -> bool:
        """Whether a value is that very number; a float's zeros are two numbers."""
        if value.kind == "int":
            return bool(value == choice)
        return self.context.asks("same", value, choice)

    def one_of(self, value: Node, choices: Collection[Any]) -> Any:
        """Which of these a value is; if it is none of the others it must be the last."""
        *others, last = choices
        return next((choice for choice in others if self.same(value, choice)), last)

    def times(self, y: Any, x: Any) -> Any:
        product = y * x
        large = isinstance(product, Node) and not self.context.graph.holds(product)
        if large and not self.context.native and self.context.asks("wide", y, x):
            raise Leave
        return product

    def keep_quotient_short(self, y: Any, x: Any) -> None:
        """Long division is left to the reference engine, which looks at the clock."""
        graph = self.context.graph
        graph.stay_off_zero(x)
        # One quotient alone has more bits than others: that of the least number and -1.
        (least, _), (low, high) = bounds_of(y), bounds_of(x)
        if least <= graph.numbers[0] and low <= -1 <= high:
            graph.stay_within_bits("/", y, x)
        if not self.context.native and isinstance(x, Node) and not graph.holds(x):
            graph.wide = True
            if self.context.asks("long", x):
                raise Leave


def _pure(name: str) -> Callable[..., Any]:
    function = PURE[name]
    kind = PURE_OPS[name].gives

    def word(self: TracedNumbers, *args: Any) -> Any:
        if name == "quotient" and {*map(kind_of, args)} != {"int"}:
            raise Leave
        if any(isinstance(arg, Node) for arg in args):
            if name == "quotient":
                self.keep_quotient_short(*args)
            return self.context.graph.make(name, args, kind)
        return function(*args)

    return word


for _name in PURE:
    setattr(TracedNumbers, _name, _pure(_name))
