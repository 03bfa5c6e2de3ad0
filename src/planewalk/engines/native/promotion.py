"""From generated Python to machine code: what is worth it, and what is being made."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ...core.geometry import Stance
from ..python.unit import Unit
from ..tiering.jobs import CompileJob, CompileQueue
from ..tiering.survey import Survey
from ..tracing.ir import Key, Leave, Undecided
from ..tracing.ops import WIDE, WORD, fits
from ..window.code import WindowUnit
from .abi import STACK_SEEN
from .executor import NativeCells
from .llvm import Care
from .maker import NativeMaker
from .unit import NativeUnit

CHARACTERS_OF_A_LINE = 40
REBATE = 10
"""Sooner by so much is machine code made for a program that has proven to run long."""


class Promotion:
    """Has machine code made of what runs long."""

    def __init__(
        self, survey: Survey, maker: NativeMaker, queue: CompileQueue, cells: NativeCells
    ) -> None:
        self.survey, self.maker, self.queue, self.cells = survey, maker, queue, cells
        self.policy = survey.run.policy
        self.job: CompileJob[NativeUnit | None] | None = None
        """What is being made."""
        self.tried: set[Key] = set()
        self.wide: set[Key] = set()
        """Where numbers of more than 64 bits were met."""
        self._ordered: set[Key] = set()
        """What of it was tried last."""
        self.orders = 0
        self.worth_it = self.policy.worth_it
        self.slice = self.policy.short_slice
        """Ticks in generated Python until somebody looks for machine code again."""
        self.strays, self.most_strays = 0, self.policy.most_strays

    def consider(self, unit: Unit, key: Key) -> None:
        """Have machine code made of a unit that has earned it."""
        if self.job is not None or unit.earned <= self._price(unit):
            return
        if self._has_long_numbers():
            self.widen(unit.entries)
        # First where the unit begins, which is the same place in every run.
        entry = key if unit.entry in self.tried else unit.entry
        if entry not in self.tried and self.orders < self.policy.most_orders:
            self.order(unit.may, entry, unit)
        unit.earned = 0  # the next place must earn it anew

    def _has_long_numbers(self) -> bool:
        """Whether there are some of more than 64 bits where code would see them."""
        state = self.survey.run.state
        return not state.floats and not all(map(fits, state.held_stack[-STACK_SEEN:]))

    def _price(self, unit: Unit) -> int:
        """Ticks in generated Python that take about as long as machine code does to make."""
        worth_it = self.worth_it // 4 if self.survey.run.state.floats else self.worth_it
        price = worth_it + self.policy.line_price * len(unit.source.text) // CHARACTERS_OF_A_LINE
        return price // REBATE if self.maker.shelf else price

    def longer_slice(self, useful: bool) -> int:
        """In slices, to come by a place that has machine code; longer ones while it has no use."""
        self.slice = min(2 * self.slice, self.policy.slice)
        return self.slice if useful else self.policy.slice

    def order(self, may: set[Stance] | None, entry: Key, unit: Unit | None = None) -> None:
        """Have machine code made while the run goes on."""
        self._ordered = {entry}
        self.orders += 1
        highest = self.cells.open()
        task = self.survey.task(may, unit)
        bits = WIDE if entry in self.wide else WORD
        if unit is not None and unit.trees is not None and bits == WORD:
            self._ordered.update(unit.entries)
            make = partial(self.maker.assemble, task, unit, unit.trees)
            unit.trees = None
        else:
            make = partial(self.maker.make, task, entry, highest, bits)
        self.tried |= self._ordered
        self.job = self.queue.begin("machine code", make)

    def ran(self, native: NativeUnit, ticks: int) -> None:
        """Machine code was of use; of what runs long, better code is made."""
        if ticks > self.policy.worth_a_visit:
            self.slice = self.policy.short_slice
        price = self.policy.worth_more + self.policy.more_a_character * native.size
        if native.all_ticks > price and native.care is Care.QUICK and self.job is None:
            self.job = self.queue.begin("better code", partial(native.improve, self.maker.store))

    def note_stray(self, native: WindowUnit, key: Key) -> None:
        """If code leaves again and again for ways that were not walked before, make it anew."""
        before = native.facts.may
        self.strays += before is not None and key.stance not in before
        if (
            self.strays > self.most_strays
            and self.job is None
            and self.orders < self.policy.most_orders
        ):
            self.strays, self.most_strays = 0, 2 * self.most_strays
            may = self.survey.walked() | {key.stance}
            if may != before:
                self.order(may, key)

    def take(self) -> NativeUnit | None:
        """What is ready; none if it could not be made, or is there already, only better now."""
        assert self.job is not None
        job, self.job = self.job, None
        try:
            return job.take()
        except (Exception, Leave, Undecided) as error:
            self.maker.finder.refusals.note(error)
            return None

    def came_too_late(self) -> None:
        """What was made last is no longer true: it may be made again."""
        self.tried -= self._ordered

    def widen(self, keys: Iterable[Key]) -> None:
        """Where numbers have too many bits, code is made for more, if it has not been before."""
        more = set(keys) - self.wide
        self.wide |= more
        self.tried -= more

    def give_up(self, native: NativeUnit) -> None:
        """It was not worth it."""
        self.tried.update(native.entries)
        self.worth_it *= 8  # what is beside it will hardly do better

    def forget(self) -> None:
        """Code is made for something else now."""
        self.tried.clear()
        self.wide.clear()
