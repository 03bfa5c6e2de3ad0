"""Guards that are left out: several that are one, and those of values that are never used.

A walker along a column asks in every tick whether there is another row. Where nothing but such
guards ends a block, the last of them leaves whenever one of the others would: so it is asked
first, and the others are not asked at all. That leaves earlier, on a state that is as exact.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from .ir import Block, ConditionalBranch, Exit, Key, Node, apart, identity
from .layout import blocks, nodes_in, values_of
from .trees import Tree

GUARDED = {f"overflow {symbol}": symbol for symbol in ("+", "-", "*")}
"""What is asked before these, which have a value even if they overflow."""


def merge_guards(trees: Iterable[Tree], frontier: Collection[Key]) -> None:
    """Ask as few guards as possible in these trees. Where they leave for other code that begins at
    one of the `frontier`, that stays as it is."""
    for tree in trees:
        work = [tree.root]
        while work:
            work += _merge_from(work.pop(), frontier)


def drop_idle_guards(trees: Iterable[Tree]) -> None:
    """Do not ask whether a number has too many bits if it is never used: code that counts down and
    compares with 0 compares the number before with 1, and uses no more than that."""
    for tree in trees:
        guards = [block for block in blocks(tree) if _guarded(block)]
        if guards:
            values = (value for block in blocks(tree) for value in values_of(block))
            needed = {_known_by(node.op, node.args) for node in nodes_in(values)}
            for block in reversed(guards):
                if _guarded(block) not in needed:
                    tree.counted_on += _go_on(block).args


def _guarded(block: Block) -> Any:
    """What the number is known by that a block asks about, if it leaves for want of bits."""
    end = block.end
    if not isinstance(end, ConditionalBranch) or end.join is not None or not leaves(end.yes):
        return None
    symbol = GUARDED.get(end.condition.op)
    return None if symbol is None else _known_by(symbol, end.condition.args)


def _known_by(op: str, args: tuple[Any, ...]) -> Any:
    return op, *map(identity, args)


def _go_on(block: Block) -> Node:
    """Go on in the branch that does not leave, without a question; gives the question."""
    end = block.end
    assert isinstance(end, ConditionalBranch)
    kept = end.no if leaves(end.yes) else end.yes
    block.ops += kept.ops
    block.walked += kept.walked
    block.end = kept.end
    return end.condition


def leaves(block: Block) -> bool:
    """Whether a block does nothing but leave."""
    return not block.ops and isinstance(block.end, Exit)


def _merge_from(block: Block, frontier: Collection[Key]) -> list[Block]:
    """Merge guards up to the next branch that is none; gives the blocks after that."""
    asked: dict[Any, Block] = {}
    """The blocks that ask, by what they ask about."""
    while True:
        end = block.end
        if not isinstance(end, ConditionalBranch):
            return []
        if end.join is not None or leaves(end.yes) == leaves(end.no):
            return [end.yes, end.no] if end.join is None else [end.yes, end.no, end.join]
        side, kept = (end.yes, end.no) if leaves(end.yes) else (end.no, end.yes)
        assert isinstance(side.end, Exit)
        stays = side.end.key in frontier
        about = None if stays else _about(end.condition, side is end.yes)
        before = asked.get(about)
        if before is None:
            if about is not None:
                asked[about] = block
            block = kept
            continue
        _ask_more(before, end.condition, side is end.yes)
        _go_on(block)


def is_about_hand(condition: Node) -> bool:
    """Whether a question is if the hand, or what is so far from it, is before a limit."""
    if condition.op != "<":
        return False
    base, _ = apart(condition.args[0])
    return isinstance(base, Node) and base.op == "hand"


def _about(condition: Node, leaves_if: bool) -> Any:
    """What a question is about if others may say as much."""
    if not is_about_hand(condition):
        return None
    base, _ = apart(condition.args[0])
    return identity(base), identity(condition.args[1]), leaves_if


def _ask_more(block: Block, condition: Node, leaves_if: bool) -> None:
    """Have a guard leave where another one would, too."""
    end = block.end
    assert isinstance(end, ConditionalBranch)
    here, there = apart(end.condition.args[0])[1], apart(condition.args[0])[1]
    if (there < here) == leaves_if:
        block.end = end._replace(condition=condition)
