"""The order of trees in a shader: loops in one piece, and all ways lead on to what comes later."""

from __future__ import annotations

from typing import NamedTuple

from ..ir import Key
from ..trace import Tree


class Part(NamedTuple):
    """Trees that lead to each other again and again, or a single one that does not come again."""

    trees: list[Tree]
    loops: bool


def in_order(trees: list[Tree]) -> list[Part]:
    """The parts, each before those it leads to; the first tree's is the first."""
    by_key = {tree.key: tree for tree in trees}
    # A tree is finished when all that it leads to is; the last finished goes first.
    finished: list[Key] = []
    seen: set[Key] = set()
    for tree in trees:
        work: list[tuple[Key, bool]] = [(tree.key, False)]
        while work:
            key, done = work.pop()
            if done:
                finished.append(key)
            elif key not in seen:
                seen.add(key)
                work.append((key, True))
                work += [(target, False) for target in by_key[key].targets]
    sources: dict[Key, list[Key]] = {key: [] for key in by_key}
    for tree in trees:
        for target in tree.targets:
            sources[target].append(tree.key)
    parts: list[Part] = []
    placed: set[Key] = set()
    for first in reversed(finished):
        together: list[Key] = []
        waiting = [first]
        while waiting:  # whatever leads here and is not placed yet can be reached from here, too
            key = waiting.pop()
            if key not in placed:
                placed.add(key)
                together.append(key)
                waiting += sources[key]
        if together:
            loops = len(together) > 1 or first in by_key[first].targets
            parts.append(Part([by_key[key] for key in together], loops))
    return parts


def longest_ways(parts: list[Part]) -> dict[Key, float]:
    """How many steps may be over at the head of each tree; infinite in and behind loops."""
    longest: dict[Key, float] = {tree.key: 0 for part in parts for tree in part.trees}
    for part in parts:
        for tree in part.trees:
            if part.loops:
                longest[tree.key] = float("inf")
        for tree in part.trees:
            for target in tree.targets:
                way = longest[tree.key] + tree.longest
                longest[target] = max(longest[target], way)
    return longest
