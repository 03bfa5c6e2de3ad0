"""A picture as columns: the program is performed once for all pixels.

The reference engine performs it on columns. Where a column decides something, both ways are gone;
if they come to the same place in the same tick, what differs is chosen by that column, else it is
chosen at the end. This is for programs that do much the same in every pixel: whoever needs more
is told so before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ...core.geometry import Stance
from ...core.limits import Limits
from ...core.named import NamedTuple
from ...core.state import Walker
from ...core.step import Halted
from ..reference import Machine, ReferenceEngine
from .column_slots import CHOOSE, FLOATS
from .columns import MOST_WHOLE, AnyColumn, Column, NotForColumns, Sheet, TruthAsked, number
from .single import SinglePixels, keeps_floats

MOST_TICKS = 1_000
"""Of all ways together; longer programs are worth code of their own."""
MOST_WAYS = 16
MOST_FACTS = 64
"""Decisions of a way."""


class _ColumnStack(list[Any]):
    """What stands for an array of 32-bit floats."""

    def __init__(self, values: Iterable[Any], sheet: Sheet) -> None:
        super().__init__(map(sheet.rounded, values))
        self._rounded = sheet.rounded

    def append(self, value: Any) -> None:
        super().append(self._rounded(value))

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, value if isinstance(at, slice) else self._rounded(value))


class ColumnMachine(Machine):
    """The words, performed on columns."""

    unlike = ""
    """The option that is not the same for all."""
    sheet: Sheet
    seed: Callable[[], Any]
    """Gives that of the chance of every pixel."""

    def known(self, value: Any) -> Any:
        while type(value) is Column and value.op == CHOOSE:
            truth, one, other = value.args
            value = one if truth else other
        return _same_for_all(value)

    def note(self, entry: Any) -> None:
        """Nobody sees the log of a pixel in a picture."""

    def look(self, x: Any, y: Any) -> Any:
        return super().look(_same_for_all(x), _same_for_all(y))

    def sample(self, index: Any) -> Any:
        return super().sample(_same_for_all(index))

    def draw(self) -> Any:
        return self.sheet.mixed(self.seed(), self.tick)

    def below(self, bound: Any) -> Any:
        raise NotForColumns

    def option(self, name: str) -> Any:
        if name == self.unlike:
            raise NotForColumns
        return super().option(name)


def _same_for_all(value: Any) -> Any:
    if isinstance(value, AnyColumn):
        raise NotForColumns
    return value


def _word(name: str) -> Callable[..., Any]:
    plain = getattr(Machine, name)

    def perform(self: Machine, *values: Any) -> Any:
        for value in values:
            if type(value) is Column:
                return value.sheet.make(name, *values)
        return plain(*values)

    return perform


for _name in FLOATS:
    if hasattr(Machine, _name):
        setattr(ColumnMachine, _name, _word(_name))


class PixelWay(NamedTuple):
    """Where pixels have come to that decided alike, and what they have."""

    facts: dict[int, bool]
    """What is known of columns, since it was decided on this way."""
    tick: int
    walker: Walker
    stack: list[Any]
    registers: list[Any]
    calls: list[Stance]

    @property
    def place(self) -> tuple[Any, ...]:
        """Ways that have this in common can be gone together."""
        return self.tick, self.walker, len(self.stack), tuple(self.calls)


Colour = list[Any]
"""Red, green and blue: numbers or columns."""


class WayFork(NamedTuple):
    """Two ways that parted in a tick, or colours that they have led to."""

    truth: Column
    yes: Outcome
    no: Outcome


Outcome = PixelWay | WayFork | Colour


class ColumnRecorder:
    """Performs a program for all pixels at once."""

    def __init__(self, single: SinglePixels, time: float | None) -> None:
        program, steps = single.program, single.limits.steps
        self.language = language = program.language
        self.shading: Any = language.drawing.shading
        state = self.state = single.start(0, 0, time)
        if self.shading is None or state.plane.writable or len(state.walkers) != 1:
            raise NotForColumns
        if not keeps_floats(state) or max(program.size) > MOST_WHOLE:
            raise NotForColumns
        self.sheet = sheet = Sheet()
        now = program.time if time is None else float(time)
        width, height = map(float, program.size)
        begin = self.shading.stack(sheet.x, sheet.y, width, height, now)
        state.stack, state.registers = (
            _ColumnStack(begin, sheet),
            _ColumnStack(state.registers, sheet),
        )
        # It looks at no clock, and steps are counted here.
        self._engine = ReferenceEngine(language, state, Limits(memory=None))
        self._machine = self._engine.machine = ColumnMachine(language, state, Limits())
        self._machine.unlike = language.pictures.pixel
        self._machine.sheet = sheet
        self._machine.seed = partial(self.shading.seed, sheet.mixed, single.seed, sheet.x, sheet.y)
        self._ticks = MOST_TICKS
        self._steps = MOST_TICKS if steps is None else steps
        self._ways = MOST_WAYS

    def colour(self) -> Colour:
        """That of every pixel."""
        return [*map(number, self._colour(self._moment({})))]

    def _colour(self, end: Outcome, passed: frozenset[Any] = frozenset()) -> Colour:
        """That of the pixels on some ways, which have parted at these places before. Loops whose
        end every pixel decides for itself are not for columns."""
        while isinstance(end, PixelWay):
            way, end = end, self._after_a_tick(end)
            if isinstance(end, WayFork):
                place = way.place[1:]  # at any tick
                self._ways -= 1
                if self._ways <= 0 or place in passed:
                    raise NotForColumns
                passed |= {place}
        if not isinstance(end, WayFork):
            return end
        yes, no = self._colour(end.yes, passed), self._colour(end.no, passed)
        return self._chosen(end.truth, yes, no)

    def _after_a_tick(self, way: PixelWay) -> Outcome:
        self._show(way)
        self._ticks -= 1
        if self._ticks <= 0 or len(way.facts) > MOST_FACTS or way.tick >= self._steps:
            raise NotForColumns
        try:
            return self._performed(way)
        except TruthAsked as undecided:
            truth = undecided.column
        except Exception:  # what is wrong is told by the pixel that it happens to
            raise NotForColumns from None
        m = self._machine
        if m.company or m.wishes or m.pause:  # it has done something before it asked
            raise NotForColumns
        yes, no = (
            self._after_a_tick(way._replace(facts={**way.facts, id(truth): answer}))
            for answer in (True, False)
        )
        return self._joined(way, truth, yes, no)

    def _performed(self, way: PixelWay) -> PixelWay | Colour:
        """Where a tick leads to, or the colour that it ends with."""
        state = self.state
        stop = self._engine.advance(1)
        if stop is None and len(state.walkers) == 1 and not state.acted:
            return self._moment(way.facts)
        if not isinstance(state.stop, Halted):
            raise NotForColumns
        return list(self.shading.channels(self._machine, state.stack))

    def _joined(self, way: PixelWay, truth: Column, yes: Outcome, no: Outcome) -> Outcome:
        """What both sides of a decision have come to, as one if that can be."""
        if isinstance(yes, PixelWay) and isinstance(no, PixelWay) and yes.place == no.place:
            stack = self._chosen(truth, yes.stack, no.stack)
            registers = self._chosen(truth, yes.registers, no.registers)
            return yes._replace(facts=way.facts, stack=stack, registers=registers)
        return WayFork(truth, yes, no)

    def _chosen(self, truth: Column, yes: list[Any], no: list[Any]) -> list[Any]:
        return [self.sheet.chosen(truth, *pair) for pair in zip(yes, no, strict=True)]

    def _moment(self, facts: dict[int, bool]) -> PixelWay:
        state = self.state
        stack, registers, calls = list(state.stack), list(state.registers), list(state.calls)
        return PixelWay(facts, state.tick, state.walkers[0], stack, registers, calls)

    def _show(self, way: PixelWay) -> None:
        """Have the engine go on from there."""
        state, self.sheet.facts = self.state, way.facts
        state.tick, state.stop, state.walkers, state.acted = way.tick, None, [way.walker], []
        state.stack[:], state.registers[:] = way.stack, way.registers
        state.calls[:] = way.calls
