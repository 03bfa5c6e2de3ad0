"""In which order lanes visit the trees of a program.

Lanes are independent, so any order is right. This one lets those that leave a loop wait until the
last one has left it: everything that belongs to a loop stands together, and what follows behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class LaneLoop(NamedTuple):
    """Trees that lead to each other; lanes come back to the first one."""

    first: int
    rest: list[Item]
    members: frozenset[int]


Item = int | LaneLoop

Edges = Mapping[int, set[int]]


def schedule(start: int, edges: Edges) -> list[Item]:
    """The trees reachable from the start, each before those it leads to, but for loops."""
    return _arranged([start], frozenset(edges), edges)


def _arranged(starts: list[int], among: frozenset[int], edges: Edges) -> list[Item]:
    items: list[Item] = []
    for group in components(starts, among, edges):
        first = group[0]
        if len(group) == 1 and first not in edges[first]:
            items.append(first)
            continue
        members = frozenset(group)
        inner = members - {first}
        items.append(LaneLoop(first, _arranged(sorted(inner), inner, edges), members))
    return items


def components(starts: list[int], among: frozenset[int], edges: Edges) -> list[list[int]]:
    """Groups of trees that lead to each other (Kosaraju's way), sources first.

    Each group begins with the tree through which it is entered.
    """
    order = _finished(starts, {tree: edges[tree] & among for tree in among}, set())[::-1]
    back: dict[int, set[int]] = {tree: set() for tree in order}
    for tree in order:
        for target in edges[tree] & among:
            back[target].add(tree)
    seen: set[int] = set()
    groups = (_finished([tree], back, seen)[::-1] for tree in order)
    return [group for group in groups if group]


def _finished(starts: list[int], edges: Edges, seen: set[int]) -> list[int]:
    """All that is reachable and not seen yet, each behind those that were reached through it."""
    found: list[int] = []
    work = [(start, False) for start in reversed(starts)]
    while work:
        tree, finished = work.pop()
        if finished:
            found.append(tree)
        elif tree not in seen:
            seen.add(tree)
            work.append((tree, True))
            work += [(target, False) for target in sorted(edges[tree], reverse=True)]
    return found
