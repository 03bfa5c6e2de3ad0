"""The branches of a session as plain runs: a state for every tick, and what can be told by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from planewalk.core.language import Language
from planewalk.core.limits import Limits
from planewalk.core.observation import Step
from planewalk.core.state import State
from planewalk.core.step import Stop
from planewalk.engines.stepping.observe import Observer
from planewalk.engines.stepping.reference import ReferenceEngine

LIMITS = Limits(memory=1 << 24)


class Moment(NamedTuple):
    """A run at a tick: its state, all that was written before, and why it stands, if it does."""

    state: State
    output: bytes
    stop: Stop | None


class Fact(NamedTuple):
    """The last access to a cell: in which tick, what was there then, and whether by an edit."""

    tick: int
    value: Any
    by_hand: bool = False


class Timeline:
    """A branch, run on the reference engine tick by tick."""

    def __init__(
        self,
        language: Language,
        name: str,
        state: State,
        output: bytes = b"",
        parent: Timeline | None = None,
    ) -> None:
        self.language, self.name, self.parent = language, name, parent
        self.begins = self.reached = state.tick
        self.heard_last = 0
        """The tick at which input came last."""
        self.arrivals: list[tuple[int, bytes]] = []
        self._moments = [self._at_rest(state.copy(), output)]
        self._steps: dict[int, Step] = {}

    def _at_rest(self, state: State, output: bytes) -> Moment:
        stop = ReferenceEngine(self.language, state, LIMITS).advance(0)
        return Moment(state, output + state.take_output(), stop)

    def at(self, tick: int) -> Timeline:
        """This one, or the one it was forked from where it was not yet."""
        return self if tick >= self.begins or self.parent is None else self.parent.at(tick)

    def moment(self, tick: int) -> Moment:
        """That of a tick of this very branch, or its last one."""
        while tick - self.begins >= len(self._moments) and self._moments[-1].stop is None:
            last = self._moments[-1]
            state = last.state.copy()
            ReferenceEngine(self.language, state, LIMITS).advance(1)
            if state.tick == last.state.tick:
                return last  # input is missing, which shows when it is asked for
            for when, data in self.arrivals:
                if when == state.tick:
                    state.input.feed(data)
            self._moments.append(self._at_rest(state, last.output))
        return self._moments[min(tick - self.begins, len(self._moments) - 1)]

    def step(self, tick: int) -> Step:
        """What happens in a tick."""
        if tick not in self._steps:
            observer = Observer(self.language, self.moment(tick).state.copy(), LIMITS)
            step = observer.step()
            assert step is not None
            self._steps[tick] = step
        return self._steps[tick]

    def step_to(self, tick: int) -> Step | None:
        """The step that led to a tick; none to the one it begins with."""
        return None if tick == self.begins else self.step(tick - 1)

    def feed(self, tick: int, data: bytes) -> None:
        """Input comes at a tick, and all that was after it is another run."""
        state, output, _ = self.moment(tick)
        self.arrivals.append((tick, data))
        self.heard_last = tick
        del self._moments[tick - self.begins :]
        self._steps = {when: step for when, step in self._steps.items() if when < tick}
        state = state.copy()
        state.input.feed(data)
        self._moments.append(self._at_rest(state, output))

    # The past --------------------------------------------------------------------------------

    def steps_before(self, tick: int) -> Iterator[Step]:
        """The steps of all ticks before one, the first one first."""
        for when in range(tick):
            yield self.at(when).step(when)

    def last_read(self, tick: int, x: int, y: int) -> Fact | None:
        """The last time before a tick that a cell was read."""
        found = None
        for step in self.steps_before(tick):
            for read in step.reads:
                if (read.x, read.y) == (x, y):
                    found = Fact(step.tick, read.value)
        return found

    def life(self, tick: int, x: int, y: int, *, changes: bool) -> list[Fact]:
        """The writes to a cell before a tick, and edits of it; only `changes`, or all."""
        found = [Fact(0, self.at(0).moment(0).state.plane.cell(x, y))]
        for step in self.steps_before(tick):
            found += self.at(step.tick).edits(step.tick, x, y)
            wrote = [write for write in step.writes if (write.x, write.y) == (x, y)]
            if any(write.old != write.new or not changes for write in wrote):
                found.append(Fact(step.tick, wrote[-1].new))
        return found + self.at(tick).edits(tick, x, y)

    def edits(self, tick: int, x: int, y: int) -> list[Fact]:
        """What forking at a tick has done to a cell."""
        forks, line = [], self
        while line.parent is not None and line.begins == tick:
            old = line.parent.at(tick).moment(tick).state.plane.cell(x, y)
            new = line.moment(tick).state.plane.cell(x, y)
            forks += [Fact(tick, new, True)] if old != new else []
            line = line.parent
        return forks[::-1]
