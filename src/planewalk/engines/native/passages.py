"""Trees that only lead on, which others go through without a look at the fuel.

Where ways meet there is a head, also if nothing follows but a turn to the next one. Who goes there
knows what it will find, and has looked for fuel for all of the way.
"""

from __future__ import annotations

from typing import Any

from ..tracing.ir import Goto, Key, Node
from ..tracing.layout import blocks
from ..tracing.trees import Env, Tree

MOST_TICKS = 100
"""On one way: who has less fuel than that does not even begin."""


class Passages:
    """Those among the trees of a unit."""

    def __init__(self, trees: list[Tree], hands: bool) -> None:
        self._ends: dict[Key, Goto] = {}
        for tree in trees:
            end = tree.root.end
            known = tree.key.depth is not None and not tree.root.ops
            if known and isinstance(end, Goto) and _is_plain(end.env, hands):
                self._ends[tree.key] = end

    def led_on(self, end: Goto) -> Goto:
        """Where a way comes to in the end, and with what."""
        seen = {end.key}
        while end.key in self._ends:
            key, env, ticks = self._ends[end.key]
            if key in seen or end.ticks + ticks > MOST_TICKS:
                break
            seen.add(key)
            before, after = end.env.stack, end.env.copy()
            after.stack = [before[it.args[0]] if isinstance(it, Node) else it for it in env.stack]
            end = Goto(key, after, end.ticks + ticks)
        return end

    def longest(self, tree: Tree) -> int:
        """The most ticks that a way through a tree takes, passages with it."""
        ends = (block.end for block in blocks(tree))
        ticks = [self.led_on(end).ticks for end in ends if isinstance(end, Goto)]
        return max([tree.longest, *ticks])


def _is_plain(env: Env, hands: bool) -> bool:
    """Whether nothing is changed but the order of what stands on the stack."""
    return (
        (not hands or (_is_hand(env.hand_x, "x") and _is_hand(env.hand_y, "y")))
        and not env.drop
        and not env.registers
        and not env.cells
        and all(not isinstance(it, Node) or it.op == "slot" for it in env.stack)
    )


def _is_hand(value: Any, axis: str) -> bool:
    """Whether a value is where the hand was at the head."""
    return isinstance(value, Node) and value.op == "hand" and value.args == (axis,)
