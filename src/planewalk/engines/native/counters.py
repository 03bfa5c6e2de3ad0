"""Counters: numbers that cannot overflow for as long as code runs.

What a loop adds to a counter is a plain number, and there is fuel for so many ticks only. So it is
enough to ask where code is entered whether a counter is far from overflowing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..tracing.ir import ConditionalBranch, Goto, Join, Key, Node
from ..tracing.layout import blocks, nodes_in, values_of
from ..tracing.trees import Tree
from .abi import MOST_FUEL

MOST_A_TICK = 1 << 12
"""What may be added to a counter on a way, for each tick that this takes; and ..."""
DRIFT = MOST_FUEL * MOST_A_TICK
"""... how far it gets so."""
COUNTING = ("overflow +", "overflow -")
NO_SLOT = -1

Place = tuple[Key, int]
"""A slot of the stack at a head."""
Parts = dict[int, int]
"""What a value may be: a slot of the head or its opposite, or 0 (`NO_SLOT`), and how far from each
of these at most."""


class Counters:
    """Those that some trees have, for numbers of so many bits."""

    def __init__(self, trees: list[Tree], bits: int) -> None:
        self.most = 1 << (bits - 2)
        """No counter is further than that from 0 where code is entered."""
        asked = [(tree.key, node) for tree in trees for node in _asked(tree)]
        self._parts = _parts_in(trees) if asked else {}
        self._ways = [(tree.key, end) for tree in trees for end in _gotos(tree)] if asked else []
        self._all = self._found(trees) if asked else set()
        self._never = {(key, node.id) for key, node in asked if self._is_sure(key, node)}
        self._needed = self._needed_for(
            (key, slot)
            for key, node in asked
            if (key, node.id) in self._never
            for arg in node.args
            for slot in self._of(arg) or ()
        )

    def never(self, key: Key | None, node: Node) -> bool:
        """Whether this is about an overflow that cannot be, in the tree of a head."""
        return (key, node.id) in self._never

    def at(self, key: Key) -> list[int]:
        """The slots that are asked for where code is entered at a head."""
        return sorted(slot for head, slot in self._needed if head == key)

    def _of(self, value: Any) -> Parts | None:
        return {NO_SLOT: abs(value)} if type(value) is int else self._parts.get(id(value))

    def _found(self, trees: list[Tree]) -> set[Place]:
        """All slots that are counted in, whichever way is taken."""
        found = {(tree.key, slot) for tree in trees for slot in range(tree.key.depth or 0)}
        before = -1
        while before != len(found):
            before = len(found)
            for key, end in self._ways:
                for slot, value in enumerate(end.env.stack):
                    if not self._is_counted(key, value, end.ticks, found):
                        found.discard((end.key, slot))
        return found

    def _is_counted(self, key: Key, value: Any, ticks: int, found: set[Place]) -> bool:
        parts = self._of(value)
        return parts is not None and all(
            by <= self.most
            if slot == NO_SLOT
            else (key, slot) in found and by <= MOST_A_TICK * ticks
            for slot, by in parts.items()
        )

    def _is_sure(self, key: Key, node: Node) -> bool:
        """Whether a sum or a difference surely has no more bits than there are."""
        furthest = 0
        for arg in node.args:
            parts = self._of(arg)
            if parts is None or not all(
                slot == NO_SLOT or (key, slot) in self._all for slot in parts
            ):
                return False
            furthest += max(
                by if slot == NO_SLOT else by + self.most + DRIFT for slot, by in parts.items()
            )
        return furthest < 2 * self.most

    def _needed_for(self, places: Iterable[Place]) -> set[Place]:
        """The slots that some are counted from, and these."""
        needed: set[Place] = set()
        work = [place for place in places if place[1] != NO_SLOT]
        while work:
            place = work.pop()
            if place in needed:
                continue
            needed.add(place)
            for key, end in self._ways:
                if end.key == place[0]:
                    parts = self._of(end.env.stack[place[1]]) or {}
                    work += [(key, slot) for slot in parts if slot != NO_SLOT]
        return needed


def _asked(tree: Tree) -> Iterator[Node]:
    """All questions whether a sum overflows."""
    for block in blocks(tree):
        if isinstance(block.end, ConditionalBranch) and block.end.condition.op in COUNTING:
            yield block.end.condition


def _gotos(tree: Tree) -> Iterator[Goto]:
    return (block.end for block in blocks(tree) if isinstance(block.end, Goto))


def _parts_in(trees: list[Tree]) -> dict[int, Parts]:
    """What values may be, by their identity; none for those that are anything else."""
    joined: dict[int, list[Any]] = {}
    values: list[Any] = []
    for block in (block for tree in trees for block in blocks(tree)):
        values += values_of(block)
        for node, value in block.end.values if isinstance(block.end, Join) else ():
            joined.setdefault(id(node), []).append(value)
    found: dict[int, Parts] = {}
    for node in sorted(nodes_in(values), key=lambda node: node.id):  # in the order of making
        parts = _parts_of(node, joined.get(id(node), []), found)
        if parts is not None:
            found[id(node)] = parts
    return found


def _parts_of(node: Node, joined: list[Any], found: dict[int, Parts]) -> Parts | None:
    if node.op == "slot":
        return {node.args[0]: 0}
    if node.op == "either":
        terms, by = joined, 0
    elif node.op in ("+", "-") and type(node.args[1]) is int:
        terms, by = [node.args[0]], abs(node.args[1])
    elif node.op == "-" and type(node.args[0]) is int:
        terms, by = [node.args[1]], abs(node.args[0])
    else:
        return None
    parts: Parts = {}
    for term in terms:
        more = {NO_SLOT: abs(term)} if type(term) is int else found.get(id(term))
        if more is None:
            return None
        for slot, off in more.items():
            parts[slot] = max(parts.get(slot, 0), off + by)
    return parts or None
