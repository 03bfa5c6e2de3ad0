"""What is known of divisions that were asked before whether they divide by 0.

Two ways join behind such a question: y / x on one, 0 on the other. Whichever it is, multiplied by x
it is no further from 0 than y: neither that nor what it leaves of y overflows. What is left is a
remainder on one way and y on the other, which are there when the ways join.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...core.named import NamedTuple
from ..tracing.ir import Join, Node, identity
from ..tracing.layout import blocks
from ..tracing.trees import Tree


class Share(NamedTuple):
    """A value that is y / x or 0."""

    node: Node
    y: Any
    x: Any


class Shares:
    """All that some trees have."""

    def __init__(self, trees: Iterable[Tree]) -> None:
        joined: dict[int, tuple[Node, list[Any]]] = {}
        ends = (block.end for tree in trees for block in blocks(tree))
        for end in ends:
            for node, value in end.values if isinstance(end, Join) else ():
                joined.setdefault(id(node), (node, []))[1].append(value)
        self._known = {it: _share(*found) for it, found in joined.items()}

    def of(self, value: Any) -> Share | None:
        """What a value is, if it is one."""
        return self._known.get(id(value))

    def taken_back(self, one: Any, other: Any) -> Share | None:
        """The share that two factors take back, if they are one and what was divided by."""
        for factor, by in ((one, other), (other, one)):
            share = self.of(factor)
            if share is not None and identity(share.x) == identity(by):
                return share
        return None

    def without(self, number: Any, product: Any) -> Share | None:
        """The share without which this difference is what is left, if it is that."""
        if not isinstance(product, Node) or product.op != "*":
            return None
        share = self.taken_back(*product.args)
        return share if share is not None and identity(share.y) == identity(number) else None

    def never(self, node: Node) -> bool:
        """Whether this is about an overflow that cannot be."""
        ask = {"overflow *": self.taken_back, "overflow -": self.without}.get(node.op)
        return ask is not None and ask(*node.args) is not None

    def is_rest(self, node: Node) -> bool:
        """Whether a node is what is left."""
        return node.op == "-" and self.without(*node.args) is not None


def _share(node: Node, values: list[Any]) -> Share | None:
    """What ways that join have for a node, if it is one."""
    quotients = {id(it): it for it in values if isinstance(it, Node) and it.op == "quotient"}
    others = [value for value in values if id(value) not in quotients]
    if len(quotients) != 1 or any(type(value) is not int or value != 0 for value in others):
        return None
    (quotient,) = quotients.values()
    return Share(node, *quotient.args)
