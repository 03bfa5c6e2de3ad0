"""A branch in motion: an engine at some tick of it, which may go on, also beyond what was seen."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from ...core.barriers import OPEN, Barriers
from ...core.base.deadline import OutOfTime, never
from ...core.engine import Engine
from ...core.keyframe import Keyframe
from ...core.limits import Limits
from ...core.observation import Step
from ...core.state import State
from ...core.step import FINAL, Hit, Hungry, Spent, Stop
from ...engines.stepping.loops import LoopDetector
from ...engines.stepping.observe import Observer
from ...engines.stepping.scales import Scales
from ...engines.stepping.stretch import FIRST_STRETCH, StretchLength
from .branch import Branch, ProvenLoop

Clock = Callable[[], float]
Pause = Callable[[], bool]
"""Whether to leave off; asked now and then."""

OUT_OF_TIME = Spent("time")
"""Sessions have no time that could run out: the caller has cancelled."""
LARGE = 32 << 20
"""Bytes of a state that are worth a collection."""
LONGEST_STRETCH = 1 << 24
"""Ticks; shorter than those of runs without a session, so that a pause is heard sooner."""
CROWD = 1 << 16
"""Steps of single walkers in a first stretch of several: they may become many soon."""
TOLD = 2 << 10
"""Bytes for what is told of a walker in a tick."""
INTERVAL = 0.05
"""Seconds of running between two keyframes, at least."""
LONG_RUN = 2.0
"""Seconds that a run takes, or still has to go, before it is examined for a loop."""
LOOKING_SHARE = 0.04
"""Of the time of a run, how much may go into looking for loops."""
KEEPING_SHARE = 0.06
"""The same for keyframes. One that takes long for once is paid for by and by."""


def next_step(observer: Observer) -> Step | None:
    """What happens in the next tick; raises `OutOfTime`, and then the state is that before it.
    Refuses ticks of which more would have to be told than there is memory for."""
    walkers = len(observer.state.walkers)
    observer.machine.limits.allow(TOLD * walkers, f"to tell what {walkers:,} walkers do in a tick")
    step = observer.step()
    if step is None and observer.pause == OUT_OF_TIME:
        raise OutOfTime
    return step


class Garbage:
    """Frees the large states that walks and questions have left, before others are made: engines
    are cycles, which Python collects rarely."""

    def __init__(self) -> None:
        self._large = False

    def note(self, state: State) -> None:
        """A state that will be left some time."""
        self._large = self._large or state.memory() > LARGE

    def collect(self) -> None:
        if self._large:
            self._large = False
            gc.collect()


class Maker(NamedTuple):
    """What a course is made with."""

    engine: Callable[[State], Engine]
    limits: Limits
    clock: Clock
    detector: Callable[[State], LoopDetector]
    garbage: Garbage


class Course:
    """A state on a branch, and an engine that runs it."""

    def __init__(self, branch: Branch, keyframe: Keyframe, maker: Maker) -> None:
        self.branch, self.maker = branch, maker
        self.state = keyframe.thaw()
        self.renew()
        self.stop: Stop | None = self.state.stop
        self._fed = sum(
            keyframe.closed if closes else end <= keyframe.length
            for _, end, closes in branch.arrivals
        )
        self._stretch, self._crowd = StretchLength(longest=LONGEST_STRETCH), CROWD
        self._ran = self._kept = self._keeping = 0.0
        """Seconds that it has run, also when the last keyframe was made, and that those took."""
        self._costs = 0.0, 0.0
        """Of the last two."""
        self._detector: LoopDetector | None = None
        self.search: Any = None
        """A search along it that was paused, and can go on."""
        self.is_aside = False
        """Whether it is there for a question alone, and may be left in any state."""

    @property
    def tick(self) -> int:
        return self.state.tick

    def skip_rounds(self, tick: int) -> None:
        """Be at a later tick of a loop, if the state there is the one here."""
        if tick <= self.tick or self.branch.in_loop(tick) != self.tick:
            return
        self.state.tick = tick
        if not self.is_aside:
            self.branch.reached = max(self.branch.reached, tick)
        self.renew()

    def renew(self) -> None:
        """Go on with an engine that knows nothing of what came before."""
        self.engine = self.maker.engine(self.state)
        self._scales = Scales(self.engine, self.maker.limits, self.maker.clock)

    def go(
        self, target: int | None, barriers: Barriers = OPEN, pause: Pause = never
    ) -> Stop | None:
        """Run to a tick, or for ever; stops early at a barrier, at the end, where input is missing,
        at a limit, or when `pause` says so (then the answer is None). Raises `OutOfTime`."""
        self.stop = None
        while self.stop is None and (target is None or self.tick < target) and not pause():
            self.maker.limits.deadline.check()
            self.stop = self._run_stretch(target, barriers)
            if target is not None and self.branch.in_loop(target) != target and barriers == OPEN:
                break  # the rest can be known without running
        self.feed()
        if self.stop is None:
            self.stop = self._at_rest()
        return self.stop

    def approach(self, tick: int, distances: Iterable[int]) -> None:
        """Go to a tick, and leave keyframes so many ticks before it, from the farthest on."""
        for distance in distances:
            if self.tick < tick - distance:
                self.go(tick - distance)
                if self.tick == tick - distance and not self.keep(near=True):
                    break
        self.go(tick)

    def _at_rest(self) -> Stop | None:
        """Whether the program has ended with the last tick, or waits for input that is missing."""
        stop = self.engine.advance(0)
        self.note(stop)
        return None if stop == OUT_OF_TIME else stop

    def _run_stretch(self, target: int | None, barriers: Barriers) -> Stop | None:
        state, clock = self.state, self.maker.clock
        if self.is_full():
            return Spent("memory")
        self.feed()
        began = clock()
        ends = [t for t in (target, self.next_arrival(), self.branch.full) if t is not None]
        some = [self._stretch.ticks, max(self._scales.fit, FIRST_STRETCH)]
        walkers = len(state.walkers)
        if walkers > 1:
            some.append(max(self._crowd // walkers, 1))
        ticks = min([*some, *(tick - state.tick for tick in ends)])
        stop = self.engine.advance(ticks, barriers)
        self.note(stop)
        if stop == OUT_OF_TIME:
            raise OutOfTime
        if isinstance(stop, Hungry) and self.next_arrival() == state.tick:
            stop = None
        now = clock()
        self._learn(now - began, walkers)
        self._ran += now - began
        with suppress(OutOfTime):  # what was reached is told; only the next stretch does not begin
            if self.is_too_heavy(now, stop) and stop is None:
                return Spent("memory")
            self._keep_at_times(now)
        return stop

    def is_full(self) -> bool:
        """Whether it was at its limit of memory here, or before."""
        return self.branch.full is not None and self.tick >= self.branch.full

    def is_too_heavy(self, now: float, stop: Stop | None = None) -> bool:
        """Whether the run has come to its limit of memory, which it does not go beyond from then
        on. What was seen before is seen again, weighed when it may be. Raises `OutOfTime`."""
        heavy = self._scales.too_heavy(now) or stop == Spent("memory")
        if heavy and self.tick >= self.branch.reached and self.branch.full is None:
            self.branch.full = self.tick
        return self.is_full()

    def _learn(self, seconds: float, walkers: int) -> None:
        """How long a stretch should be, after one that took so long."""
        change = self._stretch.learn(seconds)
        if change > 0:
            self._crowd = 2 * self._crowd if 1 < walkers == len(self.state.walkers) else CROWD
        elif change < 0:
            self._crowd = max(self._crowd // 2, CROWD)

    def note(self, stop: Stop | None) -> None:
        """What was written, and how far the branch is known by now."""
        state, branch = self.state, self.branch
        self.maker.garbage.note(state)
        begins = state.taken
        branch.output.note(state.take_output(), begins)
        if state.tick >= branch.reached and not self.is_aside:
            branch.reached = state.tick
            branch.ending = stop if isinstance(stop, FINAL) or state.stop is not None else None

    # Input -----------------------------------------------------------------------------------

    def next_arrival(self) -> int | None:
        """The tick at which input comes next, if any does."""
        arrivals = self.branch.arrivals
        return arrivals[self._fed].tick if self._fed < len(arrivals) else None

    def feed(self) -> None:
        """Hand over what came at this tick."""
        branch = self.branch
        while self.next_arrival() == self.tick:
            _, end, closes = branch.arrivals[self._fed]
            state = self.state
            begins = state.input.position + state.input.unread
            state.input.feed(b"" if closes else bytes(branch.arrived[begins:end]))
            self._fed += 1

    # Keyframes and loops -----------------------------------------------------------------------

    def keep(self, near: bool = False) -> bool:
        """Keep the state as it is now; False if it is too large. Raises `OutOfTime`."""
        pause = self.maker.limits.deadline.check
        return self.branch.keyframes.keep(self.state, self.branch.arrived, near, pause)

    def _keep_at_times(self, now: float) -> None:
        paid = KEEPING_SHARE * self._ran - self._keeping
        if self._ran - self._kept < INTERVAL or paid < min(self._costs):
            return
        self.keep()
        cost = self.maker.clock() - now
        self._kept, self._keeping = self._ran, self._keeping + cost
        self._costs = cost, self._costs[0]

    def look_for_loop(self, seconds: float, left: float | None = None) -> None:
        """See whether a long run repeats, for a small part of the seconds that it has taken; if it
        is proven, the branch knows it from then on. Without the seconds that it has left, those it
        has taken say whether it is long."""
        if self.branch.loop is not None or self.next_arrival() is not None:
            return
        if (seconds if left is None else left) <= LONG_RUN:
            return
        if self._detector is None:
            self._detector = self.maker.detector(self.state)
        if self._detector.spent > LOOKING_SHARE * seconds:
            return
        if self._detector.look() is not None:
            witness = self._detector.witness
            if witness is not None and not witness.wrote:
                self.branch.loop = ProvenLoop(witness.anchor.tick, witness.walked)


def is_over(stop: Stop | None) -> bool:
    """Whether a stop is for good, and no hit of a condition."""
    return stop is not None and not isinstance(stop, Hit)
