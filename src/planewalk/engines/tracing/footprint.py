"""What the trees of a unit need: which stack slots, how many bytes of output, where headers are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .ir import DRAWS, Block, ConditionalBranch, Exit, Goto, Join, Key, Node, NodeGraph, Register
from .trees import Env, Tree

LONGEST_NUMBER = 20  # the digits and the sign of a number of 64 bits


class UnitLayout:
    """Facts about a unit that every writer needs.

    `low` is the deepest stack slot that any tree looks at or changes: those below stay where they
    are. `deep` says that the unit works at any stack depth and has no slots at all.
    """

    def __init__(self, trees: list[Tree]) -> None:
        self.trees = trees
        self.heads: dict[Key, int] = {tree.key: number for number, tree in enumerate(trees)}
        self.deep = any(key.depth is None for key in self.heads)
        self.low = 0 if self.deep else self._lowest()
        self.deepest = max(key.depth or 0 for key in self.heads)
        ends = (block.end for tree in trees for block in blocks(tree))
        envs: list[Env] = [end.env for end in ends if isinstance(end, (Goto, Exit))]
        self.deepest_ever = max([self.deepest, *(len(env.stack) for env in envs)])
        changed = {slot for env in envs for slot in env.registers if isinstance(slot, Register)}
        self.stored: list[Register] = sorted(changed - {DRAWS})
        """The whole registers that any tree changes."""
        values = [value for tree in trees for block in blocks(tree) for value in values_of(block)]
        read = (it for it in nodes_in(values) if it.op == "register" and it.kind == "int")
        self.registers: list[Register] = sorted({*self.stored, *(node.args[0] for node in read)})
        """The registers that any tree reads or changes."""

    def _lowest(self) -> int:
        found = [key.depth or 0 for key in self.heads]
        for tree in self.trees:
            for block in blocks(tree):
                for op in block.ops:
                    found += slots_in(op[1:])
                end = block.end
                if isinstance(end, ConditionalBranch):
                    found += slots_in((end.condition,))
                elif isinstance(end, Join):
                    found += slots_in(value for _, value in end.values)
                elif isinstance(end, (Goto, Exit)):
                    found += self._slots_of(end.env)
        return min(found)

    def _slots_of(self, env: Env) -> list[int]:
        changed = [(i, value) for i, value in enumerate(env.stack) if not is_slot(value, i)]
        values = (*(value for _, value in changed), env.hand_x, env.hand_y)
        return [
            len(env.stack),
            *(i for i, _ in changed),
            *slots_in(values),
            *slots_in((*env.registers.values(), *env.cells.values())),
        ]

    def writes(self, tree: Tree, longest_number: int = LONGEST_NUMBER) -> int:
        """How many bytes a tree may write at most."""
        sizes = {"byte": 1, "number": longest_number}
        ops = (op for block in blocks(tree) for op in block.ops)
        return sum(len(op[1]) if op[0] == "bytes" else sizes.get(op[0], 0) for op in ops)

    def reach(self, tree: Tree) -> tuple[int, int]:
        """On a stack of any depth: how far down a tree looks, and how much it may grow."""
        takes = pushes = 0
        for block in blocks(tree):
            for node in nodes_in(values_of(block)):
                if node.op == "under":
                    takes = max(takes, node.args[0])
            if isinstance(block.end, (Goto, Exit)):
                env = block.end.env
                takes = max(takes, env.drop)
                pushes = max(pushes, len(env.stack) - env.drop)
        return takes, pushes

    def untouched(self, size: int) -> Env:
        """What stands where at a header, before anything has happened."""
        graph = NodeGraph()
        stack = [Node(graph, -1 - i, "slot", (i,), "int") for i in range(size)]
        hand = [Node(graph, -1001 - i, "hand", (axis,), "int") for i, axis in enumerate("xy")]
        return Env(stack, *hand)


def blocks(tree: Tree) -> Iterator[Block]:
    """All blocks of a tree."""
    return blocks_from(tree.root)


def blocks_from(first: Block) -> Iterator[Block]:
    """A block, and all that follow it in its tree."""
    work = [first]
    while work:
        block = work.pop()
        yield block
        if isinstance(block.end, ConditionalBranch):
            work += [block.end.yes, block.end.no]
            if block.end.join is not None:
                work.append(block.end.join)


def values_of(block: Block) -> list[Any]:
    """All values that a block uses."""
    values = [value for op in block.ops for value in op[1:]]
    if isinstance(block.end, ConditionalBranch):
        values.append(block.end.condition)
    elif isinstance(block.end, Join):
        values += [value for _, value in block.end.values]
    elif block.end is not None:
        env: Env = block.end.env
        values += env.values()
    return values


def nodes_in(values: Iterable[Any], known: Iterable[int] = ()) -> Iterator[Node]:
    """The nodes that values are made from, but for those that are known and what is behind them."""
    work, done = list(values), {*known}
    while work:
        value = work.pop()
        if isinstance(value, Node) and value.id not in done:
            done.add(value.id)
            yield value
            work += value.args


def slots_in(values: Iterable[Any]) -> list[int]:
    """The stack slots that values are made from."""
    return [node.args[0] for node in nodes_in(values) if node.op == "slot"]


def is_slot(value: Any, index: int) -> bool:
    """Whether a value is what that slot held at the header."""
    return isinstance(value, Node) and value.op == "slot" and value.args[0] == index
