"""What the parts of a tracer share: their task, what was found out, and the tick at hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from ...core.geometry import Stance
from ...core.language import Language
from ...core.plane import Range
from ...core.state import State
from ..base.keeping import keeping_of
from .ir import Block, Leave, Node, NodeGraph, bounds_of, kind_of
from .limits import TooComplex
from .refusal import Refusals
from .trees import Env, Tree

if TYPE_CHECKING:
    from ...core.barriers import Barriers

Seen = Mapping[tuple[Stance, int], Collection[Any]]
"""The plain numbers that a run was seen to ask for (`known`): by stance, and which question."""


def stays_as_it_was(touched: dict[Any, Any], at: Any, value: Any) -> Any:
    """Note what a cell holds that code is made from; it must be the same each time."""
    if touched.setdefault(at, value) != value:
        raise TooComplex  # changed by the run that goes on beside the tracer
    return value


class TraceContext:
    """The task of a tracer, the graph of its nodes, and the tick that is being recorded."""

    block: Block  # where operations are recorded
    env: Env  # what values stand where, as far as the tick has changed it
    tree: Tree  # the tree that is being recorded

    def __init__(
        self,
        language: Language,
        state: State,
        graph: NodeGraph,
        *,
        native: bool = True,
        growing: bool = True,
        seen: Seen | None = None,
        allowed: set[Stance] | None = None,
        armed: Barriers | None = None,
        refusals: Refusals | None = None,
    ) -> None:
        self.language, self.state, self.graph, self.native = language, state, graph, native
        self.real_plane: Any = state.plane
        self.keeping = keeping_of(state.plane)
        self.growing = growing
        """Whether the code may change the height of the plane; else it may count on it."""
        self.seen: Seen = {} if seen is None else seen
        self.allowed = allowed  # the stances that were visited, if only their code is wanted
        self.armed = armed  # what the run stops at: code leaves before it
        self.refusals = Refusals() if refusals is None else refusals
        """What instructions raised; engines have their own for all tracers."""
        self.touched: dict[Any, Any] = {}  # the cells that were looked at, and what they held
        self.alternatives: dict[int, tuple[Any, ...]] = {}
        """Of each node that is one of several values, depending on the branch: those values."""
        self.effects: list[tuple[Any, ...]] = []
        self.grown: Any = None  # the height that the plane was given in this tick, if any
        self.ticks = 0  # how many ticks the tree has recorded before, along this path

    def begin(self, block: Block, env: Env, ticks: int, facts: dict[int, bool]) -> None:
        """Begin to record a tick, with what is known by then."""
        self.block, self.env, self.ticks = block, env.copy(), ticks
        self.graph.facts = facts
        self.effects, self.grown = [], None

    def load(self, op: str, *args: Any) -> Node:
        """A whole number that may be different a moment later, so it is read now."""
        node = self.graph.make(op, args, "int")
        self.block.ops.append(("let", node))
        return node

    def asks(self, op: str, *args: Any) -> bool:
        """The answer to a question to the running program."""
        return bool(self.graph.make(op, args, "bool"))

    def stay_within(self, value: Any, numbers: Range) -> None:
        """Leave unless a value is a whole number in this range."""
        if kind_of(value) != "int":
            raise Leave
        (low, high), (least, most) = bounds_of(value), numbers
        if (low < least and value < least) or (high > most and value > most):
            raise Leave
