"""Exploring: which code belongs together, and where one tree of it ends and another begins.

A key that is met again becomes a loop header. The tree that ran through it ends there from then on,
and the tree of that header goes on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from .branching import Branching
from .headers import LoopHeaders
from .ir import Exit, Goto, Key
from .limits import MOST_BLOCKS, MOST_DECISIONS, MOST_TICKS
from .trees import Path, Tree, TreeVisit


class Explorer:
    """Finds all trees that can be reached."""

    def __init__(
        self,
        branching: Branching,
        headers: LoopHeaders,
        room: int,
        foreign: Collection[Key],
        beginnings: Collection[Key],
        known_depth: bool,
        most_decisions: int = MOST_DECISIONS,
        most_ticks: int = MOST_TICKS,
    ) -> None:
        self._branching, self._headers = branching, headers
        self.room = room
        self._foreign = foreign  # where other code begins, which this one leaves for
        self._beginnings = beginnings  # where other code had no room to go on
        self._known_depth = known_depth
        self._most_decisions, self._most_ticks = most_decisions, most_ticks
        self.blocks = self.acted = 0

    def start(self, entry: Key) -> Key:
        """Where to begin: without the depth of the stack, unless code is made for one."""
        return entry if self._known_depth else entry._replace(depth=None)

    def explore(self, entry: Key, hints: Collection[Key] = ()) -> list[Tree]:
        """All trees that can be reached from here, the entry's first. `hints` are headers found
        earlier, to begin with."""
        start = self.start(entry)
        if self._beginnings:
            found = self._explore_beginnings(start)
        else:
            found = self.record([start], {start, *hints})
        for tree in found:
            tree.finish()
        return found

    def _explore_beginnings(self, entry: Key) -> list[Tree]:
        """The same from where other code had no room to go on, each of which stays a header."""
        starts = [*self._beginnings]
        trees = self.record(starts, set(starts))
        if any(entry == tree.key or entry in tree.through for tree in trees):
            return trees
        return self.record([*starts, entry], {entry, *(it.key for it in trees)}, trees)

    def record(
        self, starts: list[Key], headers: set[Key], recorded: Collection[Tree] = ()
    ) -> list[Tree]:
        """One tree for each header that is reached; keys met again are added to the headers.

        Trees that are `recorded` already stay, unless there was no room for them.
        """
        self._headers.begin(recorded)
        trees = {tree.key: tree for tree in recorded if not tree.full}
        owners = {key: tree for tree in trees.values() for key in tree.through}
        self.blocks = sum(tree.blocks for tree in trees.values())
        self.acted = sum(tree.acted for tree in trees.values())
        self._branching.frontier = set()
        waiting, again = deque(starts), set()
        for tree in trees.values():
            waiting += tree.targets
        while waiting:
            key = waiting.popleft()
            if key in trees:
                continue
            tree = trees[key] = Tree(key)
            if key not in again and (self.acted > self.room or self.blocks > MOST_BLOCKS):
                tree.root.end = Exit(key, self._headers.at(key), 0)  # enough is enough
                tree.full = True
                self._branching.frontier.add(key)
                continue
            changed = [tree, *self._grow(tree, headers, owners)]
            for stale in self._headers.known_too_well(changed):
                del trees[stale.key]
                for through in stale.through:
                    del owners[through]
                self._count(-stale.acted, -stale.blocks)
                again.add(stale.key)
                waiting.appendleft(stale.key)
            waiting += [it for other in changed for it in other.targets if it not in trees]
        return self._reached(starts, trees)

    def _reached(self, starts: list[Key], trees: dict[Key, Tree]) -> list[Tree]:
        """The trees that are left, in the order in which they are come by."""
        found = {start: trees[start] for start in starts}
        work = list(found.values())
        while work:
            for target in work.pop().targets:
                if target not in found:
                    found[target] = trees[target]
                    work.append(trees[target])
        return list(found.values())

    def _grow(self, tree: Tree, headers: set[Key], owners: dict[Key, Tree]) -> list[Tree]:
        """Record one tree; gives the others that end earlier by that."""
        ended: list[Tree] = []
        first = Path(tree.root, tree.key, self._headers.at(tree.key), 0, {}, 0)
        work = self._branching.perform(tree, first)
        self._count(tree.acted, tree.blocks)
        while work:
            path = work.pop()
            block, key, env, ticks, _, decisions = path
            if key in self._foreign:
                block.end = Exit(key, env, ticks)
                continue
            far = ticks > self._most_ticks or decisions > self._most_decisions
            if key in owners:
                headers.add(key)
                owner = owners[key]
                there = self._end_at(owner, key, owners)
                if owner is not tree:
                    ended.append(owner)
                elif tree.visits[-1].path is there.path and len(work) >= there.waiting:
                    del work[there.waiting :]  # this path comes from there
                    continue
            before = path, len(work), len(block.ops), len(block.walked)
            if far or key in headers:
                headers.add(key)
                tree.visits.append(TreeVisit(*before, ends=True))
                block.end = Goto(key, env, ticks)
                continue
            owners[key] = tree
            acted, blocks = tree.acted, tree.blocks
            work += self._branching.perform(tree, path)
            acted, blocks = tree.acted - acted, tree.blocks - blocks
            tree.visits.append(TreeVisit(*before, acted, blocks))
            self._count(acted, blocks)
        return ended

    def _count(self, acted: int, blocks: int) -> None:
        self.acted += acted
        self.blocks += blocks

    def _end_at(self, tree: Tree, key: Key, owners: dict[Key, Tree]) -> TreeVisit:
        """Let a tree end at a key that it runs through; gives how it came there."""
        gone = tree.end_at(key)
        for visit in gone:
            self._count(-visit.acted, -visit.blocks)
            if not visit.ends:
                del owners[visit.path.key]
        self._headers.cut_back(gone[0])
        return gone[0]
