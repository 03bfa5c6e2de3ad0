"""Performing an instruction in every branch that it can take.

An instruction is acted on a copy of the environment. If Python asks a node for its truth, the
instruction is rolled back, the block ends in a branch, and the same instruction is acted again on
both sides with the answer known. So every decision stands before its instruction, and whatever
cannot be compiled leaves on the exact state between two instructions.
"""

from __future__ import annotations

from collections.abc import Callable

from ...core.geometry import EndlessWalk
from .ir import Block, ConditionalBranch, Exit, Key, Leave, Overflow, Undecided
from .joins import Joins
from .limits import MOST_BLOCKS, TooComplex, TooManyDepths
from .trees import Env, Path, Tree
from .walk import Walk

Leaving = Callable[[Key, Env, int, BaseException], Exit]
"""How a block ends before an instruction that could not be performed: its key, the environment
before it, the ticks before it, and why."""


def left(key: Key, env: Env, ticks: int, why: BaseException) -> Exit:
    """The reference engine performs it."""
    return Exit(key, env, ticks, overflow=isinstance(why, Overflow))


class Branching:
    """Records instructions, one at a time, with their branches."""

    def __init__(
        self, walk: Walk, joins: Joins, room: int, most_decisions: int, leaving: Leaving = left
    ) -> None:
        self.walk, self.joins, self.room = walk, joins, room
        self.context = walk.context
        self.most_decisions, self.leaving = most_decisions, leaving
        self.frontier: set[Key] = set()  # where there was no room to go on

    def perform(self, tree: Tree, path: Path) -> list[Path]:
        """One instruction in all its branches; gives the paths on."""
        _, key, env, ticks, _, _ = path
        tree.longest = max(tree.longest, ticks + 1)
        self.context.tree = tree
        work, done = [(path.block, path.facts, path.decisions)], []
        while work:
            block, facts, decisions = work.pop()
            if tree.acted > self.room or tree.blocks > MOST_BLOCKS:
                block.end = Exit(key, env, ticks)
                tree.full = True
                self.frontier.add(key)
                continue
            tree.acted += 1
            try:
                following = self.walk.tick(key, env, ticks, block, facts)
            except Undecided as undecided:
                if decisions > 2 * self.most_decisions:  # one instruction that asks too much
                    block.end = Exit(key, env, ticks)
                    continue
                tree.blocks += 2
                yes, no = Block(), Block()
                block.end = ConditionalBranch(undecided.node, yes, no)
                for side, truth in ((yes, True), (no, False)):
                    work.append((side, {**facts, undecided.node.id: truth}, decisions + 1))
            except (Leave, EndlessWalk) as why:
                block.end = self.leaving(key, env, ticks, why)
            except (TooComplex, TooManyDepths):
                raise
            except Exception as error:  # the instruction expects what there is only in a run
                self.context.refusals.note(error)
                block.end = self.leaving(key, env, ticks, error)
            else:
                done.append(self._path(block, following, ticks, facts, decisions))
        return self.joins.joined(path, done) if len(done) > 1 else done

    def _path(
        self, block: Block, key: Key, ticks: int, facts: dict[int, bool], decisions: int
    ) -> Path:
        """How it goes on after the tick that was recorded."""
        context = self.context
        block.ops += context.effects
        if context.grown is not None:
            facts = self.joins.facts_after_growth(facts)
        return Path(block, key, context.env, ticks + 1, facts, decisions)
