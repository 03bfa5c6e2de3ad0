"""Tracing for lanes: one program from its first tick to its last, for every pixel at once.

Lanes always begin at the start, so more is known at loop headers than in a run that is entered
anywhere: plain numbers that are the same on all paths there, registers that were not written yet,
and the place, the size and the time that the pixel was given.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NoReturn

from ...core.program import Program
from ...core.state import State
from ..tracing.branching import left
from ..tracing.choices import distinct, outcomes
from ..tracing.context import Seen, TraceContext
from ..tracing.footprint import blocks
from ..tracing.headers import LoopHeaders
from ..tracing.ir import Exit, Goto, Key, Leave, Node, Undecided
from ..tracing.ops import PURE_OPS
from ..tracing.tracer import Parts, Tracer
from ..tracing.trees import Env, Tree
from ..tracing.words.cells import FixedCells
from ..tracing.words.hand import TracedHand
from ..tracing.words.numbers import TracedNumbers
from ..tracing.words.registers import PixelChance, TracedRegisters
from ..window.window_tracer import Every

GIVEN = ("x", "y", "width", "height", "time")
"""What a pixel starts from."""
MOST_CELLS = 1 << 16
"""Of a text that lanes look into wherever they like."""
ROOM = 3_000
"""Instructions: larger programs would take too long to become lanes."""


class Halts(Leave):
    """The program ends with this instruction."""


class PixelRegisters(TracedRegisters):
    """Registers that are 0 when a pixel begins."""

    def slots_of(self, registers: Any) -> dict[Any, Any]:
        zeros = () if isinstance(registers, dict) else enumerate(registers)
        return {slot: slot for slot, value in zeros if value == 0}


class LaneRegisters(PixelRegisters):
    """The same where it is known at each header what was written before."""

    def register(self, name: Any) -> Any:
        return self.context.env.registers.get(self.slot(name), 0.0)


class LaneNumbers(TracedNumbers):
    """Numbers of which all possible values follow from the program, where these are few."""

    def __init__(self, context: TraceContext) -> None:
        super().__init__(context)
        self.in_the_dark = False
        """Whether a plain number was asked for that was never seen."""
        self._chosen_from: dict[int, list[Any] | None] = {}
        """The numbers that nodes can be, as far as that was asked."""

    def known(self, value: Any) -> Any:
        choices = self._choices(value) if isinstance(value, Node) else None
        if choices is None:
            try:
                return super().known(value)
            except Leave:
                self.in_the_dark = True
                raise
        self.asked += 1
        return self.one_of(value, choices)

    def chosen(self, values: Sequence[Any], index: Any, size: int, offset: int = 0) -> Any:
        if self._choices(index) is not None:
            return super().chosen(values, index, size, offset)
        self.asked += 1
        return self.context.graph.make("chosen", (index, size, offset, *values), "float")

    def _choices(self, value: Any) -> list[Any] | None:
        """All numbers that a value can be; None if they are too many."""
        if not isinstance(value, Node):
            return [value]
        if value.id not in self._chosen_from:  # one node may be reached along very many paths
            self._chosen_from[value.id] = self._find_choices(value)
        return self._chosen_from[value.id]

    def _find_choices(self, value: Node) -> list[Any] | None:
        if value.op == "either":
            parts = [self._choices(part) for part in self.context.alternatives[value.id]]
            found = [number for part in parts if part is not None for number in part]
            return None if None in parts else distinct(found)
        if value.kind != "float" or value.op not in PURE_OPS:
            return None
        return outcomes(value.op, [self._choices(operand) for operand in value.args])


class LaneCells(FixedCells):
    """A text that lanes look into wherever they like."""

    def look(self, x: Any, y: Any) -> Any:
        if not isinstance(x, Node) and not isinstance(y, Node):
            return super().look(x, y)
        plane = self.context.real_plane
        if plane.width * plane.height > MOST_CELLS:
            raise Leave
        self.numbers.asked += 2  # as is counted where the place is known
        return self.context.graph.make("text", (x, y), "float")


class PixelLog:
    """The log, which pictures do not show."""

    def note(self, entry: Any) -> None:
        """Only that of a single pixel is shown."""


class LaneEnds(PixelLog):
    """The end of a program, which lanes reach."""

    def halt(self) -> NoReturn:
        raise Halts


class LaneHeaders(LoopHeaders):
    """What is the same on all paths to a header."""

    def __init__(self, context: TraceContext, hand: TracedHand) -> None:
        super().__init__(context, hand)
        self.known_at: dict[Key, Env] = {}
        """What is known at each header; a register that is not there was never written."""
        self._recorded: dict[Key, Tree] = {}

    def at(self, key: Key) -> Env:
        return self.known_at[key].copy()

    def begin(self, recorded: Collection[Tree]) -> None:
        self._recorded = {tree.key: tree for tree in recorded if not tree.full}

    def known_too_well(self, changed: list[Tree]) -> list[Tree]:
        stale = []
        self._recorded[changed[0].key] = changed[0]
        for tree in changed:
            for block in blocks(tree):
                if isinstance(block.end, Goto) and self._learns_less(block.end.key, block.end.env):
                    known_too_well = self._recorded.pop(block.end.key, None)
                    if known_too_well is not None:
                        stale.append(known_too_well)
        return stale

    def _learns_less(self, key: Key, env: Env) -> bool:
        """Join what is known on one more path to a header; says whether it is less than before."""
        old = self.known_at.get(key)
        joined = self.open(key.depth)
        before = env if old is None else old
        changed = old is None
        for i, (a, b) in enumerate(zip(before.stack, env.stack, strict=True)):
            if _is_fixed(a) and _same(a, b):
                joined.stack[i] = a
            else:
                changed |= a is not joined.stack[i]
        for slot in sorted({*before.registers, *env.registers}):
            a, b = before.registers.get(slot, 0.0), env.registers.get(slot, 0.0)
            open_register = self.context.graph.make("register", (slot,), "float")
            kept = a if _is_fixed(a) and _same(a, b) else open_register
            joined.registers[slot] = kept
            changed |= kept is not a
        self.known_at[key] = joined
        return changed


class LaneTracer(Tracer):
    """Records a program for nodes that stand for one value in each lane."""

    numbers: LaneNumbers
    headers: LaneHeaders

    def __init__(self, program: Program, state: State, seen: Seen) -> None:
        parts = Parts(
            fixed_cells=LaneCells,
            numbers=LaneNumbers,
            registers=LaneRegisters,
            chance=PixelChance,
            more_words=(LaneEnds(),),
            headers=LaneHeaders,
            leaving=self._end,
            numbers_apart=False,  # a selection costs lanes less than a branch
            most_decisions=60,
            most_ticks=2_000,  # fuel is not looked at on the way
            most_depths=24,
        )
        super().__init__(program.language, state, None, seen, False, ROOM, native=True, parts=parts)
        self.entry = Key(state.walkers[0].stance, len(state.stack), tuple(state.calls))
        self.shading = program.language.drawing.shading
        assert self.shading is not None
        given = (self.graph.make("given", (name,), "float") for name in GIVEN)
        values = [self.numbers.rounded(value) for value in self.shading.stack(*given)]
        self.start = Env(values, 0, 0)
        self.known_at = self.headers.known_at
        self.known_at[self.entry] = self.start.copy()

    def trees(self, careful: bool) -> list[Tree]:
        """All trees of the program: long ones, or with care of one tick each."""
        if careful:
            return self.explorer.record([self.entry], Every())
        return self.explore(self.entry)

    def channels(self, stack: list[Any]) -> list[Any]:
        """Red, green and blue of a pixel that ends with this stack."""
        assert self.shading is not None
        return list(self.shading.channels(self.words, stack))

    def _end(self, key: Key, env: Env, ticks: int, why: BaseException) -> Exit:
        if not isinstance(why, Halts):
            return left(key, env, ticks, why)
        end = self.context.env
        try:
            end.stack = self.channels(end.stack)
        except (Leave, Undecided):
            return left(key, env, ticks, why)
        return Exit(key, end, ticks + 1, halted=True)


def _is_fixed(value: Any) -> bool:
    """Whether a value is the same at all times of a pixel's life."""
    return not isinstance(value, Node) or value.op == "given"


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Node) or isinstance(b, Node):
        return a is b
    return repr(a) == repr(b)
