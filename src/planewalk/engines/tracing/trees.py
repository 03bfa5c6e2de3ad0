"""Recorded code: trees of blocks between loop headers, and what stands where in them."""

from __future__ import annotations

from typing import Any

from ...core.base.named import NamedTuple
from .ir import Block, Goto, Key


class Env:
    """What values stand where, between two instructions.

    With a known depth, `stack` is the whole stack. Else it is what has been pushed on top of the
    real one, of which `drop` values have been taken, and at least `sure` are known to be there.
    """

    __slots__ = (
        "cells", "drop", "grown", "hand_x", "hand_y", "last", "reads", "registers", "stack",
        "stirred", "sure", "version",
    )  # fmt: skip

    def __init__(self, stack: list[Any], hand_x: Any, hand_y: Any) -> None:
        self.stack = stack
        self.drop = 0
        self.sure = 0
        self.hand_x = hand_x
        self.hand_y = hand_y
        self.registers: dict[Any, Any] = {}
        self.version = self.grown = self.reads = 0
        self.last: tuple[Any, Any, Any] | None = None
        self.cells: dict[tuple[int, int], Any] = {}
        """What was put where, seen from the hand at the header; only for code on a window."""
        self.stirred = False
        """Whether values deep in the real stack have changed, or changed their places."""

    def copy(self) -> Env:
        twin = Env(self.stack[:], self.hand_x, self.hand_y)
        twin.drop, twin.sure = self.drop, self.sure
        twin.registers = dict(self.registers)
        twin.version, twin.grown, twin.last = self.version, self.grown, self.last
        twin.reads, twin.stirred = self.reads, self.stirred
        twin.cells = dict(self.cells)
        return twin

    def values(self) -> list[Any]:
        """All values in it, always in the same order."""
        kept = (*self.registers.values(), *self.cells.values())
        return [*self.stack, self.hand_x, self.hand_y, *kept]

    def set_values(self, values: list[Any]) -> None:
        """Replace what `values` gave."""
        depth = len(self.stack)
        self.stack = values[:depth]
        self.hand_x, self.hand_y = values[depth : depth + 2]
        kept = depth + 2 + len(self.registers)
        self.registers = dict(zip(self.registers, values[depth + 2 : kept], strict=True))
        self.cells = dict(zip(self.cells, values[kept:], strict=True))


class Path(NamedTuple):
    """How far one path through a tree is recorded."""

    block: Block
    key: Key
    env: Env
    ticks: int
    facts: dict[int, bool]
    decisions: int


class TreeVisit(NamedTuple):
    """A key that a path through a tree came by: it runs through, or ends there, at a header."""

    path: Path
    waiting: int  # how many other paths were still to be recorded then; later ones come from here
    ops: int
    walked: int  # how much of both the block held by then
    acted: int = 0
    blocks: int = 0  # what it took to run through
    ends: bool = False


class Tree:
    """Everything that can happen from a header to the next headers and exits."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.root = Block()
        self.longest = 0
        self.blocks = self.acted = 0
        self.visits: list[TreeVisit] = []
        self.full = False  # whether there was no room to go on somewhere

    @property
    def targets(self) -> list[Key]:
        """The headers it goes on to."""
        return [visit.path.key for visit in self.visits if visit.ends]

    @property
    def through(self) -> list[Key]:
        """The keys it runs through."""
        return [visit.path.key for visit in self.visits if not visit.ends]

    def finish(self) -> None:
        """Nothing will be changed any more: forget what was only needed for that."""
        self.visits = [visit for visit in self.visits if visit.ends]

    def end_at(self, key: Key) -> list[TreeVisit]:
        """End at a key that it runs through; gives the visits that are gone, that one first."""
        visits = self.visits
        at = next(i for i, it in enumerate(visits) if it.path.key == key and not it.ends)
        there = visits[at]
        after = range(at + 1, len(visits))
        end = next((i for i in after if visits[i].waiting < there.waiting), len(visits))
        gone = visits[at:end]
        visits[at:end] = [there._replace(acted=0, blocks=0, ends=True)]
        block, _, env, ticks, _, _ = there.path
        del block.ops[there.ops :]
        del block.walked[there.walked :]
        block.end = Goto(key, env, ticks)
        self.acted -= sum(visit.acted for visit in gone)
        self.blocks -= sum(visit.blocks for visit in gone)
        self.longest = max(it.path.ticks + (not it.ends) for it in visits)
        return gone
