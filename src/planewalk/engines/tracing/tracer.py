"""The tracer: performs instruction functions on nodes, and so records what they do.

It is put together from parts: the words that instructions call, what is known where trees begin,
the recording of a tick and of its branches, and the exploring of all that can be reached. Tracers
for other code put other parts in their places.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from ...core.base.named import NamedTuple
from ...core.geometry import Stance
from ...core.language import Language
from ...core.plane import range_of
from ...core.state import State
from .branching import Branching, Leaving, left
from .context import Seen, TraceContext
from .explore import Explorer
from .headers import LoopHeaders
from .ir import Key, NodeGraph
from .joins import Joins
from .limits import MOST_DECISIONS, MOST_DEPTHS, MOST_INSTRUCTIONS, MOST_TICKS
from .ops import WORD
from .refusal import Refusals
from .trees import Tree
from .views import DecodedView, GroundView
from .walk import Walk
from .words.cells import FixedCells, PlaneCells, WritableCells
from .words.combined import TracedWords
from .words.hand import TracedHand
from .words.numbers import TracedNumbers
from .words.registers import PixelChance, RunChance, TracedRegisters
from .words.stack import KnownStack, OpenStack
from .words.streams import TracedStreams

if TYPE_CHECKING:
    from ...core.barriers import Barriers


class Parts(NamedTuple):
    """What a tracer is put together from."""

    fixed_cells: Callable[[TraceContext, TracedNumbers, Any], PlaneCells] = FixedCells
    writable_cells: Callable[[TraceContext, TracedNumbers, Any], PlaneCells] = WritableCells
    numbers: Callable[[TraceContext], TracedNumbers] = TracedNumbers
    registers: Callable[[TraceContext, TracedNumbers], TracedRegisters] = TracedRegisters
    chance: Callable[[TraceContext, TracedRegisters], PixelChance] = RunChance
    hand: Callable[[TraceContext], TracedHand] = TracedHand
    words: Callable[..., TracedWords] = TracedWords
    more_words: tuple[object, ...] = ()
    """Parts that know words which are left to the reference engine otherwise."""
    headers: Callable[[TraceContext, TracedHand], LoopHeaders] = LoopHeaders
    walk: Callable[[TraceContext, TracedWords, Any, int, int], Walk] = Walk
    leaving: Leaving = left
    numbers_apart: bool = True  # see `Joins`
    most_decisions: int = MOST_DECISIONS
    most_ticks: int = MOST_TICKS
    most_depths: int = MOST_DEPTHS


USUAL = Parts()


class Tracer:
    """Records all trees that can be reached from a key."""

    def __init__(
        self,
        language: Language,
        state: State,
        allowed: set[Stance] | None,
        seen: Seen,
        growing: bool,
        room: int = MOST_INSTRUCTIONS,
        foreign: Collection[Key] = (),
        beginnings: Collection[Key] = (),
        *,
        known_depth: bool = True,
        native: bool = False,
        bits: int = WORD,
        armed: Barriers | None = None,
        refusals: Refusals | None = None,
        parts: Parts = USUAL,
    ) -> None:
        self.context = context = TraceContext(
            language, state, NodeGraph(native, range_of(state.plane), bits), native=native,
            growing=growing, seen=seen, allowed=allowed, armed=armed, refusals=refusals,
        )  # fmt: skip
        self.room = room
        ground: Any = state.plane
        decoded: Any = state.plane
        cells = parts.fixed_cells
        if state.plane.writable:
            ground, decoded, cells = GroundView(context), DecodedView(context), parts.writable_cells
        self.numbers = numbers = parts.numbers(context)
        registers, hand = parts.registers(context, numbers), parts.hand(context)
        stack = KnownStack if known_depth else OpenStack
        self.words = parts.words(
            context, ground, decoded, numbers, stack(context, numbers),
            parts.chance(context, registers), hand, registers, cells(context, numbers, ground),
            TracedStreams(context), *parts.more_words,
        )  # fmt: skip
        self.walk = parts.walk(context, self.words, decoded, parts.most_depths, room)
        joins = Joins(context, registers, parts.numbers_apart)
        self.branching = Branching(self.walk, joins, room, parts.most_decisions, parts.leaving)
        self.headers = parts.headers(context, hand)
        self.explorer = Explorer(
            self.branching, self.headers, room, foreign, beginnings, known_depth,
            parts.most_decisions, parts.most_ticks,
        )  # fmt: skip

    def explore(self, entry: Key, hints: Collection[Key] = ()) -> list[Tree]:
        """All trees that can be reached from here. See `Explorer.explore`."""
        return self.explorer.explore(entry, hints)

    @property
    def graph(self) -> NodeGraph:
        """Where nodes are made."""
        return self.context.graph

    @property
    def touched(self) -> dict[Any, Any]:
        """The cells that code was made from, and what they held."""
        return self.context.touched

    @property
    def frontier(self) -> set[Key]:
        """Where there was no room to go on."""
        return self.branching.frontier

    @property
    def work(self) -> int:
        """How many instructions were performed."""
        return self.walk.work

    @property
    def acted(self) -> int:
        """How many instructions all trees hold."""
        return self.explorer.acted

    @property
    def blocks(self) -> int:
        """How many blocks they hold."""
        return self.explorer.blocks

    def forget(self) -> None:
        """Let go of everything: nodes refer to each other in circles, and would have to wait for
        the garbage collector, which stops the run for a while."""
        self.context.graph.forget()
        vars(self).clear()
