"""What is known at loop headers, where trees begin."""

from __future__ import annotations

from collections.abc import Collection

from .context import TraceContext
from .ir import Key
from .trees import Env, Tree, TreeVisit
from .words.hand import TracedHand


class LoopHeaders:
    """Nothing is known there but the depth of the stack."""

    def __init__(self, context: TraceContext, hand: TracedHand) -> None:
        self.context, self.hand = context, hand

    def at(self, key: Key) -> Env:
        """What values stand where at the header with this key."""
        return self.open(key.depth)

    def open(self, depth: int | None) -> Env:
        """An environment of which nothing else is known."""
        kind = "float" if self.context.state.floats else "int"
        stack = [self.context.graph.make("slot", (i,), kind) for i in range(depth or 0)]
        return Env(stack, *self.hand.at_start())

    def begin(self, recorded: Collection[Tree]) -> None:
        """Trees are recorded from here on, beside those that there are."""

    def known_too_well(self, changed: list[Tree]) -> Collection[Tree]:
        """The trees to be recorded again when others have changed, since less is known where they
        begin."""
        return ()

    def cut_back(self, visit: TreeVisit) -> None:
        """A tree ends from now on where it made this visit."""
