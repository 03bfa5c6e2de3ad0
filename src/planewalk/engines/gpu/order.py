"""The order of trees in a shader: loops in one piece, and all ways lead on to what comes later."""

from __future__ import annotations

from typing import NamedTuple

from ..picture.schedule import components
from ..tracing.ir import Key
from ..tracing.trees import Tree


class Component(NamedTuple):
    """Trees that lead to each other again and again, or a single one that does not come again."""

    trees: list[Tree]
    loops: bool


def in_order(trees: list[Tree]) -> list[Component]:
    """The parts, each before those it leads to; the first tree's is the first."""
    numbers = {tree.key: number for number, tree in enumerate(trees)}
    edges = {n: {numbers[target] for target in tree.targets} for n, tree in enumerate(trees)}
    groups = components(list(edges), frozenset(edges), edges)
    return [
        Component(
            [trees[number] for number in group], len(group) > 1 or group[0] in edges[group[0]]
        )
        for group in groups
    ]


def longest_ways(parts: list[Component]) -> dict[Key, float]:
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
