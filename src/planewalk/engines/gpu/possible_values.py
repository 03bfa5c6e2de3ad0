"""Which plain numbers a value can be: what a shader must know before it runs.

A program that jumps to a place asks for plain numbers. Where they were decided earlier (a
comparison pushes 1 or 0), only these few can arrive; they are followed from tree to tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..tracing.choices import MOST_CHOICES, outcomes
from ..tracing.footprint import blocks
from ..tracing.ir import Goto, Join, Key, Node
from ..tracing.ops import COMPARING
from ..tracing.trees import Tree

Choices = frozenset[str] | None
"""Numbers as `float.hex` writes them, which tells zeros apart; None: too many, or not known."""

NONE_YET: frozenset[str] = frozenset()
ZERO: frozenset[str] = frozenset({(0.0).hex()})


class PossibleValues:
    """What can stand in each stack slot and register at the head of each tree."""

    def __init__(self, trees: list[Tree]) -> None:
        self._either: dict[int, list[Any]] = {}
        ways: list[tuple[Key, Goto]] = []
        self._stored: set[Any] = set()
        for tree in trees:
            for block in blocks(tree):
                if isinstance(block.end, Join):
                    for node, value in block.end.values:
                        self._either.setdefault(node.id, []).append(value)
                elif isinstance(block.end, Goto):
                    ways.append((tree.key, block.end))
                    self._stored |= block.end.env.registers.keys()
        start = trees[0].key
        self._sets: dict[tuple[Key, str, Any], Choices] = {
            (start, "slot", i): None for i in range(start.depth or 0)
        }
        self._sets |= {(start, "register", slot): ZERO for slot in self._stored}
        self._follow(ways)

    def of(self, key: Key, value: Any) -> Choices:
        """What a value in the tree of that key can be."""
        return self._each(key, [value])[0]

    def _each(self, key: Key, values: list[Any]) -> list[Choices]:
        """What each of these values can be; what they are made from is looked at once."""
        found: dict[int, Choices] = {}

        def choices(value: Any) -> Choices:
            known = isinstance(value, Node)
            return found[value.id] if known else frozenset({float(value).hex()})

        for node in self._made_from(values):
            if node.op in ("slot", "register"):
                found[node.id] = self._held(key, node.op, node.args[0])
            elif node.op == "either":
                found[node.id] = _union(map(choices, self._either[node.id]))
            else:
                found[node.id] = _computed(node.op, node.args, choices)
        return [choices(value) for value in values]

    def _made_from(self, values: list[Any]) -> list[Node]:
        """The nodes that values are made from, each behind its own."""
        found: dict[int, Node] = {}
        work = list(values)
        while work:
            value = work.pop()
            if isinstance(value, Node) and value.id not in found:
                found[value.id] = value
                work += self._either[value.id] if value.op == "either" else value.args
        return [found[number] for number in sorted(found)]  # numbers grow as nodes are made

    def _held(self, key: Key, kind: str, number: Any) -> Choices:
        """What a slot or register can hold at a head; a register without stores holds 0."""
        if kind == "register" and number not in self._stored:
            return ZERO
        return self._sets.get((key, kind, number), NONE_YET)

    def _follow(self, ways: list[tuple[Key, Goto]]) -> None:
        """Carry what is known along every way until nothing new arrives anywhere."""
        changed = True
        while changed:
            changed = False
            for key, goto in ways:
                env = goto.env
                places = [("slot", i) for i in range(len(env.stack))]
                places += [("register", slot) for slot in env.registers]
                values = self._each(key, [*env.stack, *env.registers.values()])
                arriving = dict(zip(places, values, strict=True))
                for slot in self._stored - env.registers.keys():
                    arriving["register", slot] = self._held(key, "register", slot)
                for (kind, number), choices in arriving.items():
                    at = (goto.key, kind, number)
                    before = self._sets.get(at, NONE_YET)
                    after = _union([before, choices])
                    if after != before:
                        self._sets[at] = after
                        changed = True


def _union(sets: Iterable[Choices]) -> Choices:
    found: frozenset[str] = NONE_YET
    for choices in sets:
        if choices is None:
            return None
        found |= choices
    return found if len(found) <= MOST_CHOICES else None


def _computed(op: str, args: tuple[Any, ...], choices: Callable[[Any], Choices]) -> Choices:
    """What an operation on few numbers gives."""
    if op in COMPARING:
        return None
    known = [None if (few := choices(arg)) is None else [*map(float.fromhex, few)] for arg in args]
    found = outcomes(op, known)
    if found is None or any(number != number for number in found):
        return None
    return frozenset(float(number).hex() for number in found)
