"""What a compile job is told, and the trees it finds. Nothing here changes the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.base.named import NamedTuple
from ...core.geometry import Stance
from ...core.language import Language
from ...core.state import State
from ..base.keeping import keeping_of
from ..tracing.context import Seen
from ..tracing.ir import Key
from ..tracing.limits import TooComplex, TooManyDepths
from ..tracing.ops import WORD
from ..tracing.refusal import Refusals
from ..tracing.tracer import Tracer
from ..tracing.trees import Tree

if TYPE_CHECKING:
    from ...core.barriers import Barriers

DEEPEST = 48


class Task(NamedTuple):
    """What is given to the tracer besides the place to begin."""

    state: State
    may: set[Stance] | None
    seen: Seen
    growing: bool
    room: int
    foreign: set[Key]  # where other code begins, which this one leaves for
    beginnings: list[Key]  # where other code ran out of room
    hints: list[Key]  # heads that were found before
    armed: Barriers | None  # what the run stops at
    hands: bool  # whether walkers have hands
    ordered_at: int  # how long the run was by then

    @property
    def width(self) -> int:
        """That of a field of bytes, which never changes; else 0."""
        plane: Any = self.state.plane
        return plane.width if keeping_of(plane).grows else 0

    def at_depths(self, known: bool) -> Task:
        """What of it is for stacks of known depth, or for those of any."""
        beginnings = [key for key in self.beginnings if (key.depth is not None) == known]
        hints = [key for key in self.hints if (key.depth is not None) == known]
        return self._replace(beginnings=beginnings, hints=hints)


def has_known_depth(key: Key) -> bool:
    """Whether code from there is made for one depth of the stack."""
    return key.depth is not None and key.depth <= DEEPEST


class TreeFinder:
    """Has trees recorded, for all tiers of an engine."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.refusals = Refusals()  # what went wrong while code was made
        self.tracing = False
        """Whether it is at it: that is Python, which the run should leave some time."""

    def find(
        self, task: Task, entry: Key, native: bool = False, bits: int = WORD
    ) -> tuple[Tracer, list[Tree]]:
        """The trees reachable from a key; none if it is not for compiling. In machine code, numbers
        have so many bits."""
        known_depth = has_known_depth(entry)
        self.tracing = True
        try:
            while True:
                given = task.at_depths(known_depth)
                tracer = Tracer(
                    self.language, given.state, given.may, given.seen, given.growing, given.room,
                    given.foreign, given.beginnings, known_depth=known_depth, native=native,
                    bits=bits, armed=given.armed, refusals=self.refusals,
                )  # fmt: skip
                try:
                    return tracer, tracer.explore(entry, given.hints)
                except TooManyDepths:
                    known_depth = False
                except TooComplex:
                    return tracer, []
        finally:
            self.tracing = False
