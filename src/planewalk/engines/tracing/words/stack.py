"""The words that reach into the stack."""

from __future__ import annotations

from typing import Any

from ..choices import MOST_CHOICES
from ..context import TraceContext
from ..ir import Leave, Node
from .numbers import TracedNumbers

DEEPEST_PEEK = 64  # values below the top of the real stack that an instruction may look at


class KnownStack:
    """A stack whose depth is known: all of it stands in the environment."""

    depth_known = True

    def __init__(self, context: TraceContext, numbers: TracedNumbers) -> None:
        self.context, self.numbers = context, numbers
        self.kept = numbers.rounded if context.state.floats else numbers.whole
        """What the stack keeps of a value."""
        self.values: list[Any] = []

    def has(self, n: Any) -> bool:
        return bool(n <= len(self.values))

    def need(self, index: int) -> None:
        """Have a value at that index, or leave."""
        if len(self.values) <= index:
            raise Leave

    def height(self) -> int:
        """How many values there are."""
        return len(self.values)

    def pop(self) -> Any:
        if not self.values:
            self.need(0)
        return self.values.pop()

    def push(self, value: Any) -> None:
        self.values.append(self.kept(value))

    def stack(self) -> list[Any]:
        self.height()
        return list(self.values)

    def place_of(self, index: Any) -> int:
        """Where a value stands in the environment's stack; an open index is asked for."""
        place: int | None = index
        if isinstance(index, Node):
            here = range(min(len(self.values), MOST_CHOICES))
            place = next((choice for choice in here if self.numbers.same(index, choice)), None)
        if place is None:
            raise Leave
        if len(self.values) <= place:
            if place > DEEPEST_PEEK:
                raise Leave
            self.need(place)
        return -1 - place

    def peek(self, index: Any) -> Any:
        return self.values[self.place_of(index)]

    def poke(self, index: Any, value: Any) -> None:
        self.values[self.place_of(index)] = self.kept(value)

    def pluck(self, index: Any) -> Any:
        return self.values.pop(self.place_of(index))


class OpenStack(KnownStack):
    """What was pushed on top of a real stack of which the depth is not known."""

    depth_known = False

    def has(self, n: Any) -> bool:
        env = self.context.env
        need = n - len(self.values) + env.drop
        if isinstance(need, Node):
            return self.context.asks("has", need)
        if n <= len(self.values) or need <= env.sure:
            return True
        if self.context.asks("has", need):
            env.sure = need
            return True
        return False

    def need(self, index: int) -> None:
        """Bring values of the real stack into the environment; leave if they are not there, which
        an instruction may not have asked."""
        if not self.has(index + 1):
            raise Leave
        env = self.context.env
        kind = "float" if self.context.state.floats else "int"
        while len(self.values) <= index:
            env.drop += 1
            self.values.insert(0, self.context.graph.make("under", (env.drop,), kind))

    def height(self) -> int:
        raise Leave
