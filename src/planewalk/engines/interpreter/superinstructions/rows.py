"""What ticks do as rows of numbers, made from the trees of an interpreter.

There are rows for ticks that move a walker and its hand, put a sum of cells into a cell, write one
as output, or take one of two paths by what a cell holds: superinstructions are made of those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....core.base.named import NamedTuple
from ...tracing.ir import Block, ConditionalBranch, Exit, Goto, Join, Key, Node, apart
from ...tracing.trees import Tree
from ..abi import LARGEST
from ..tick_tracer import PostureTrees
from .layout import *

BYTE = 256
Offset = tuple[int, int]


class OtherTick(Exception):
    """A way through a tree that is none of that."""


class EdgeBounds:
    """Numbers that must lie between the edges of the plane, as seen from one of them."""

    def __init__(self) -> None:
        self.least = self.most = 0

    def add(self, offset: int) -> int:
        if abs(offset) >= FAR:
            raise OtherTick
        self.least, self.most = min(self.least, offset), max(self.most, offset)
        return offset


class CellQuestion(NamedTuple):
    """Whether a cell, as seen from the hand, holds a number."""

    cell: Offset
    value: int


class TickPath(NamedTuple):
    """One way through a tree."""

    question: CellQuestion | None
    answer: bool
    row: list[int]


class WayReader:
    """Reads one way through a tree: what is asked on it, what is done, and where it leads."""

    def __init__(self, joined: Mapping[int, Any]) -> None:
        self.joined = joined
        self.walk, self.columns, self.rows = EdgeBounds(), EdgeBounds(), EdgeBounds()
        self.question: CellQuestion | None = None
        self.answer = False

    def read(
        self,
        turns: list[tuple[Node, bool]],
        effects: list[tuple[Any, ...]],
        goto: Goto,
        postures: Mapping[Key, int],
    ) -> TickPath:
        env = goto.env
        if env.stack or env.drop or env.registers or env.reads or env.cells:
            raise OtherTick
        for condition, answer in turns:
            self._ask(condition, answer)
        step = self._step(env.x), self.walk.add(self._plain(env.y, "place", "y"))
        move = self._hand(env.hand_x, env.hand_y)
        written = self._written(effects)
        to, terms = self._sum([] if written else effects)
        row = [
            postures[goto.key], *step, self.walk.least, self.walk.most, *move,
            self.columns.least, self.columns.most, self.rows.least, self.rows.most,
            len(terms), *to, 0, *(written or (0, 0)), 0, int(written is not None),
        ]  # fmt: skip
        for (x, y), times in terms.items():
            row += [x, y, times]
        if self.question is not None and effects:
            raise OtherTick
        return TickPath(self.question, self.answer, row + [0] * (ROW - len(row)))

    # What is asked -------------------------------------------------------------------------------

    def _ask(self, condition: Node, answer: bool) -> None:
        if condition.op == "==" and type(condition.args[1]) is int and self.question is None:
            self.question = CellQuestion(self._cell(condition.args[0]), condition.args[1])
            self.answer = answer
            return
        if condition.op != "<":
            raise OtherTick
        lesser, limit = condition.args
        if not answer and type(lesser) is int and lesser >= LARGEST:  # than which no plane is
            lesser, limit = limit, 0
        before_end = answer and _is(limit, "height", 0)
        from_the_beginning_on = not answer and type(limit) is int and limit == 0
        if not (before_end or from_the_beginning_on):
            raise OtherTick
        base, offset = apart(lesser)
        if _is(base, "place", "y"):
            self.walk.add(offset)
        elif _is(base, "hand", "y"):
            self.rows.add(offset)
        else:
            raise OtherTick

    # What is done --------------------------------------------------------------------------------

    def _written(self, effects: list[tuple[Any, ...]]) -> Offset | None:
        """The cell that is written as output, if nothing else is done."""
        if len(effects) == 1 and effects[0][0] == "byte":
            return self._cell(effects[0][1])
        return None

    def _sum(self, effects: list[tuple[Any, ...]]) -> tuple[Offset, dict[Offset, int]]:
        """What is put where: how often each cell is added up."""
        if not effects:
            return (0, 0), {}
        if len(effects) > 1 or effects[0][0] != "put":
            raise OtherTick
        _, x, y, value = effects[0]
        to = self._hand(x, y)
        terms: dict[Offset, int] = {}
        self._add_up(value, 1, terms)
        terms.setdefault(to, 0)  # so that there is a term, also of a cell that is cleared
        if len(terms) > MOST_TERMS:
            raise OtherTick
        return to, terms

    def _add_up(self, value: Any, times: int, terms: dict[Offset, int]) -> None:
        if type(value) is int and value % BYTE == 0:
            return
        if not isinstance(value, Node):
            raise OtherTick
        if value.op == "cell":
            cell = self._cell(value)
            terms[cell] = (terms.get(cell, 0) + times) % BYTE
        elif value.op in ("+", "-"):
            self._add_up(value.args[0], times, terms)
            self._add_up(value.args[1], times if value.op == "+" else -times, terms)
        elif value.op == "%" and type(value.args[1]) is int and value.args[1] == BYTE:
            self._add_up(value.args[0], times, terms)
        else:
            raise OtherTick

    def _cell(self, value: Any) -> Offset:
        if not _is(value, "cell") or value.args[2] != 0:
            raise OtherTick
        return self._hand(*value.args[:2])

    # Where that is -------------------------------------------------------------------------------

    def _hand(self, x: Any, y: Any) -> Offset:
        """A place as seen from the hand. It must not come round the edge."""
        round_x = _is(x, "%") and _is(x.args[1], "width")
        column = self._plain(x.args[0] if round_x else x, "hand", "x")
        return self.columns.add(column), self.rows.add(self._plain(y, "hand", "y"))

    def _step(self, x: Any) -> int:
        """How many columns the walker goes, round the edge as often as that takes."""
        x = self._chosen(x)
        step = 0
        while not _is(x, "place", "x"):
            if not _is(x, "%") or not _is(x.args[1], "width"):
                raise OtherTick
            x, more = apart(x.args[0])
            step += more
        if abs(step) >= FAR:
            raise OtherTick
        return step

    def _plain(self, value: Any, kind: str, axis: str) -> int:
        """How far a value is from where the walker, or its hand, was."""
        base, offset = apart(self._chosen(value))
        if not _is(base, kind, axis) or type(offset) is not int:
            raise OtherTick
        return offset

    def _chosen(self, value: Any) -> Any:
        """What a value is on this way, where it differs."""
        return self.joined.get(value.id, value) if isinstance(value, Node) else value


def _is(value: Any, op: str, *args: Any) -> bool:
    return isinstance(value, Node) and value.op == op and value.args[: len(args)] == args


def _paths(
    block: Block,
    turns: Sequence[tuple[Node, bool]] = (),
    effects: Sequence[tuple[Any, ...]] = (),
    joins: Sequence[Block] = (),
    joined: Mapping[int, Any] | None = None,
) -> Iterator[tuple[list[tuple[Node, bool]], list[tuple[Any, ...]], dict[int, Any], Goto]]:
    """All paths through a tree that lead to a next tick."""
    end, joined = block.end, dict(joined or {})
    effects = [*effects, *(op for op in block.ops if op[0] != "let")]
    if isinstance(end, ConditionalBranch):
        after = joins if end.join is None else (*joins, end.join)
        for answer, following in ((True, end.yes), (False, end.no)):
            asked = (*turns, (end.condition, answer))
            yield from _paths(following, asked, effects, after, joined)
    elif isinstance(end, Join):
        joined |= {node.id: value for node, value in end.values}
        yield from _paths(joins[-1], turns, effects, joins[:-1], joined)
    elif isinstance(end, Goto):
        yield list(turns), effects, joined, end
    else:
        assert isinstance(end, Exit)


def _read_tree(tree: Tree, postures: Mapping[Key, int]) -> list[TickPath]:
    """The way through a tree that has a row; or two, if a cell decides."""
    found = []
    for turns, effects, joined, goto in _paths(tree.root):
        try:
            found.append(WayReader(joined).read(turns, effects, goto, postures))
        except OtherTick:
            continue
    asked = sorted((way for way in found if way.question is not None), key=lambda way: way.answer)
    if len(found) == 1 and not asked:
        return found
    both = len(found) == 2 and [way.answer for way in asked] == [False, True]
    return asked if both and asked[0].question == asked[1].question else []


def rows_of(by_posture: list[PostureTrees]) -> list[int]:
    """The rows of a language, behind where each is found; nothing if no tick has one."""
    postures = {it.posture: number for number, it in enumerate(by_posture)}
    found = [0] * (CODES * len(by_posture))
    rows: list[int] = []
    written: dict[int, int] = {}
    for number, it in enumerate(by_posture):
        for code, tree in enumerate(it.trees[:CODES]):
            if tree is None:
                continue
            if id(tree) not in written:
                written[id(tree)] = _write(_read_tree(tree, postures), rows, len(found))
            found[number * CODES + code] = written[id(tree)]
    return found + rows if rows else []


def _write(paths: list[TickPath], rows: list[int], begin: int) -> int:
    """Add the row of a tree, and give where it begins."""
    if not paths:
        return 0
    at, row, question = begin + len(rows), paths[0].row, paths[0].question
    rows += row
    if question is not None:
        rows += paths[1].row
        first = at - begin
        _share_bounds(rows, first, first + ROW)
        rows[first + IF_EQUAL] = at + ROW
        rows[first + ASKED_X : first + ASKED_FOR + 1] = *question.cell, question.value
    return at


def _share_bounds(rows: list[int], one: int, other: int) -> None:
    """Before it is known which of two paths is taken, there must be room for both."""
    for bounds, which in (
        ((WALK_LEAST, HAND_LEAST_X, HAND_LEAST_Y), min),
        ((WALK_MOST, HAND_MOST_X, HAND_MOST_Y), max),
    ):
        for at in bounds:
            rows[one + at] = rows[other + at] = which(rows[one + at], rows[other + at])
