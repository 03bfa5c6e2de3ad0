"""Two short ways to one place as a single way: both are computed, and one is selected.

Which of them a program takes is often anybody's guess, the processor's too, and a wrong guess costs
as much as twenty operations. What one way would leave for is asked on both, and then whether it
was taken at all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from ...core.base.named import NamedTuple
from ..base.policy import policy_in_force
from ..tracing.ir import Block, ConditionalBranch, Exit, Goto, Node, NodeGraph, identity
from ..tracing.layout import nodes_in
from ..tracing.ops import WORD
from ..tracing.trees import Tree
from .passages import Passages
from .state import StateWriter

METADATA = [
    "!0 = !{}",
    '!1 = !{!"branch_weights", i32 1, i32 1000000}',
    '!2 = !{!"branch_weights", i32 1000000, i32 1}',
]
"""What is said about instructions: nobody knows the answer; it is no, or yes, but for once."""
FIRST_NEW = 1 << 40
"""Numbers of nodes that no tracer has made."""
MOST_COSTS = 8
"""Operations on both ways together, beyond which a guess is worth its risk."""
COSTS = {
    "slot": 0, "hand": 0, "not": 0, "number": 1, "+": 1, "-": 1, "*": 1, "&": 1, ">>": 1, "<": 1,
    "==": 1, "overflow +": 1, "overflow -": 1, "overflow *": 1,
}  # fmt: skip
"""Operations that may be done in vain, and in how many instructions."""


class Guard(NamedTuple):
    """Where a way may leave: if `condition` is `answer`. Else it goes on `behind`."""

    condition: Node
    answer: bool
    exit: Block
    behind: Block


class Way(NamedTuple):
    """One of the two."""

    first: Block
    guards: list[Guard]
    end: Goto


def fused(fork: Any, known: Iterable[int]) -> tuple[Way, Way] | None:
    """The ways from the end of a block if it is a fork, and they should be one; `known` is what has
    been computed before."""
    if not isinstance(fork, ConditionalBranch) or fork.join is not None:
        return None
    yes, no = _way(fork.yes), _way(fork.no)
    if yes is None or no is None or not _alike(yes.end, no.end):
        return None
    needed = {node.id: node for way in (yes, no) for node in _needed(way, known)}
    costs = [_cost(node) for node in needed.values()]
    return (yes, no) if None not in costs and sum(filter(None, costs)) <= MOST_COSTS else None


def exact_quotients(fork: ConditionalBranch, yes: Way, no: Way) -> list[Node]:
    """Quotients of one way alone, which the fork is about: they leave no remainder there."""
    condition, exact, other = fork.condition, yes, no
    if condition.op == "not":
        condition, exact, other = condition.args[0], other, exact
    if condition.op != "==" or type(condition.args[1]) is not int or condition.args[1] != 0:
        return []
    rest, elsewhere = condition.args[0], {node.id for node in _needed(other, ())}
    if not isinstance(rest, Node) or rest.op != "remainder":
        return []
    return [
        node
        for node in _needed(exact, ())
        if node.op == "quotient"
        and node.args[0] is rest.args[0]
        and node.args[1] == rest.args[1]
        and node.id not in elsewhere
    ]


def _way(block: Block) -> Way | None:
    first, guards = block, []
    while isinstance(block.end, ConditionalBranch) and not block.ops:
        condition, yes, no, join = block.end
        leaving = [isinstance(it.end, Exit) and not it.ops for it in (yes, no)]
        if join is not None or leaving[0] == leaving[1]:
            return None
        exit, block = (yes, no) if leaving[0] else (no, yes)
        guards.append(Guard(condition, leaving[0], exit, block))
    if block.ops or not isinstance(block.end, Goto):
        return None
    return Way(first, guards, block.end)


def _alike(one: Goto, other: Goto) -> bool:
    """Whether they come to the same place, with values for the same things."""
    a, b = one.env, other.env
    return bool(
        one.key == other.key
        and len(a.stack) == len(b.stack)
        and a.drop == b.drop
        and [*a.registers] == [*b.registers]
        and not a.cells
        and not b.cells
    )


def _needed(way: Way, known: Iterable[int]) -> Iterable[Node]:
    values: list[Any] = [guard.condition for guard in way.guards]
    return nodes_in([*values, *way.end.env.values()], known)


def _cost(node: Node) -> int | None:
    """None if it is not for being done in vain."""
    if node.kind == "float":
        return None
    if node.op in ("quotient", "remainder"):
        by = node.args[1]
        return 2 if type(by) is int and by > 1 and by & (by - 1) == 0 else None
    return COSTS.get(node.op)


class FusingWriter(StateWriter, ABC):
    """Writes such ways, and goes through passages."""

    fuses = True
    """Whether there are any."""

    def __init__(self, trees: list[Tree], floats: bool, hands: bool) -> None:
        super().__init__(trees, floats, hands)
        self.policy = policy_in_force()
        self.passages = Passages(trees if self.fuses and self.policy.passages else [], hands)
        self.blocks: dict[str, Block] = {}
        """Which block each label stands before."""

    @abstractmethod
    def _goto(self, end: Goto, there: dict[int, str], spent: str = "") -> None:
        """Go on at a head, after so many ticks."""

    @abstractmethod
    def _exit(self, end: Exit, there: dict[int, str]) -> None:
        """Leave."""

    def _fuse(self, fork: Any, yes: Way, no: Way, there: dict[int, str]) -> None:
        """Two ways as one, which leaves where the one that is taken would."""
        taken = self._value(fork.condition, there)
        for node in exact_quotients(fork, yes, no) if self.bits == WORD else ():
            y, x = (self._value(arg, there) for arg in node.args)
            there[node.id] = self._define(f"sdiv exact {self.word} {y}, {x}")
        for way, mine in ((yes, True), (no, False)):
            label = self._stand_before(way.first)
            self._emit(f"  br label %{label}")
            self._emit(f"{label}:")
            for condition, answer, exit, behind in way.guards:
                leaves = self._value(condition, there)
                on, out = self._stand_before(behind), self._stand_before(exit)
                self._part(leaves, answer, f"ask{out}", on)
                self._emit(f"ask{out}:")
                self._part(taken, mine, out, on)
                self._emit(f"{out}:")
                assert isinstance(exit.end, Exit)
                self._exit(exit.end, dict(there))
                self._emit(f"{on}:")
        env, others = yes.end.env.copy(), no.end.env.values()
        pairs = zip(env.values(), others, strict=True)
        env.set_values([self._selected(fork.condition, *pair, there) for pair in pairs])
        end = self.passages.led_on(yes.end._replace(env=env))
        ticks = (f"i64 {way.end.ticks + end.ticks - yes.end.ticks}" for way in (yes, no))
        spent = self._define(f"select i1 {taken}, {', '.join(ticks)}")
        self._goto(end, there, spent)

    def _selected(self, condition: Node, one: Any, other: Any, there: dict[int, str]) -> Any:
        """One value or the other."""
        if identity(one) == identity(other):
            return one
        names = [f"{self.word} {self._value(value, there)}" for value in (one, other)]
        name = self._define(
            f"select i1 {there[condition.id]}, {', '.join(names)}, !unpredictable !0"
        )
        node = self._new_node(condition.graph, "selected", ())
        there[node.id] = name
        return node

    def _new_node(self, graph: NodeGraph, op: str, args: tuple[Any, ...]) -> Node:
        """One that no tracer has made."""
        self.count += 1
        return Node(graph, FIRST_NEW + self.count, op, args, "int")

    def _stand_before(self, block: Block) -> str:
        """A label for a block."""
        self.count += 1
        label = f"b{self.count}"
        self.blocks[label] = block
        return label

    def _part(self, condition: str, answer: bool, there: str, elsewhere: str) -> None:
        """Go one way if the condition is that, else the other."""
        yes, no = (there, elsewhere) if answer else (elsewhere, there)
        weights = 1 if answer else 2
        self._emit(f"  br i1 {condition}, label %{yes}, label %{no}, !prof !{weights}")
