"""Ticks that change nothing but where a walker stands, how, and where its hand is.

Which of them follow each other depends on cells alone, so that others can leap over them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..tracing.ir import Block, ConditionalBranch, Exit, Goto, Join, Node, apart
from ..tracing.layout import nodes_in
from ..tracing.trees import Tree

FAR = 2
"""How far a hand may move in a quiet tick."""
ABOUT_PLACES = {"place", "width", "height", "+", "-", "%", "<", "<=", ">", ">=", "=="}
"""What the way of a walker may be computed from, beside plain numbers."""


class Bound(NamedTuple):
    """A hand, moved by so much, is where the plane begins or behind, or before its end."""

    axis: str
    offset: int
    end: bool


class QuietTick(NamedTuple):
    """The way through a tree that changes nothing else."""

    turns: list[tuple[Node, bool]]
    """What is asked on that way, and the answers; ..."""
    bounds: list[Bound]
    """... those that are about the hand; and what its moves ask for."""
    goto: Goto
    moves: tuple[int, int]
    """How far the hand goes."""
    in_any_height: bool
    """Whether it is the same way on a plane that has grown."""


def quiet_tick(tree: Tree) -> QuietTick | None:
    """The quiet way through a tree; none if there is no such way, or more than one."""
    found = [tick for turns, goto in _ways(tree.root) if (tick := _quiet(turns, goto)) is not None]
    return found[0] if len(found) == 1 else None


def _ways(
    block: Block, turns: tuple[tuple[Node, bool], ...] = (), joins: tuple[Block, ...] = ()
) -> Iterator[tuple[list[tuple[Node, bool]], Goto]]:
    """Ways to a next tick on which nothing is performed."""
    end = block.end
    if any(op[0] != "let" for op in block.ops) or isinstance(end, Exit):
        return
    if isinstance(end, ConditionalBranch):
        after = joins if end.join is None else (*joins, end.join)
        yield from _ways(end.yes, (*turns, (end.condition, True)), after)
        yield from _ways(end.no, (*turns, (end.condition, False)), after)
    elif isinstance(end, Join):
        if not end.values:
            yield from _ways(joins[-1], turns, joins[:-1])
    elif isinstance(end, Goto):
        yield list(turns), end


def _quiet(turns: list[tuple[Node, bool]], goto: Goto) -> QuietTick | None:
    env = goto.env
    if env.stack or env.drop or env.registers or env.version or env.reads or env.cells:
        return None
    bounds, in_any_height = [], True
    for condition, answer in turns:
        if _is_about_places([condition]):
            in_any_height &= not _mentions_height([condition]) or _stays_true(condition, answer)
            continue
        bound = _bound(condition, answer)
        if bound is None:
            return None
        bounds.append(bound)
    moves = [_move(axis, value) for axis, value in (("x", env.hand_x), ("y", env.hand_y))]
    if None in moves or not _is_about_places([env.x, env.y]):
        return None
    for axis, move in zip("xy", moves, strict=True):
        if move is not None and move[1]:
            bounds += [Bound(axis, move[0], False), Bound(axis, move[0], True)]
    (x, _), (y, _) = ((0, False) if move is None else move for move in moves)
    in_any_height &= not _mentions_height([env.x, env.y])
    return QuietTick(turns, bounds, goto, (x, y), in_any_height)


def _is_about_places(values: Iterable[Any]) -> bool:
    return all(node.op in ABOUT_PLACES for node in nodes_in(values))


def _mentions_height(values: Iterable[Any]) -> bool:
    return any(node.op == "height" for node in nodes_in(values))


def _stays_true(condition: Node, answer: bool) -> bool:
    """Whether what is less than the height still is when that has grown."""
    if condition.op != "<" or not answer:
        return False
    return _is(condition.args[1], "height") and not _mentions_height(condition.args[:1])


def _bound(condition: Node, answer: bool) -> Bound | None:
    """What an answer says of the hand; none if that is something else."""
    if condition.op != "<":
        return None
    (base, offset), limit = apart(condition.args[0]), condition.args[1]
    if not _is(base, "hand") or abs(offset) > FAR:
        return None
    axis: str = base.args[0]
    if answer and _is(limit, "width" if axis == "x" else "height"):
        return Bound(axis, offset, True)
    return Bound(axis, offset, False) if not answer and limit == 0 else None


def _is(value: Any, op: str) -> bool:
    return isinstance(value, Node) and value.op == op


def _move(axis: str, value: Any) -> tuple[int, bool] | None:
    """How far a hand moves, and whether it would come round an end; none if it does anything else.
    Where there is no hand, it is a plain number."""
    if not isinstance(value, Node):
        return 0, False
    round_an_end = value.op == "%" and axis == "x" and _is(value.args[1], "width")
    base, offset = apart(value.args[0] if round_an_end else value)
    if not _is(base, "hand") or base.args[0] != axis or abs(offset) > FAR:
        return None
    return offset, round_an_end
