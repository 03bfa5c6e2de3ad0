"""Films of runs: the moments that are shown, and the scene that each of them makes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ...core.base.deadline import Clock
from ...core.engine import Engine
from ...core.errors import OptionError
from ...core.language import Language
from ...core.limits import USUAL, Limits
from ...core.plane import Box
from ...core.state import State
from ...core.step import STATUS, Spent, Stop
from ...engines.stepping.drive import drive
from ..scene.panels import Fitter, OutputTail, PanelText, Seen, Teller
from ..scene.scene import CellLooks, ColumnPort, Hand, Mark, Panel, Scene, Warmth
from ..walk.follow import Follower, cell_of, lies_in

HOLD = 1.5
"""Seconds for which the last frame stays before a film begins anew."""
KEPT = 4096
"""Bytes of output that a film remembers."""
FAR = 1 << 40
"""Cells further away are not drawn."""

ENDINGS = {
    "halted": "ended",
    "fault": "failed",
    "waiting": "asked for input",
    "stalled": "stalled",
    "limit": "hit a limit",
}


class Shot(NamedTuple):
    """Which moments are shown: steps from `first` to `last`, every so many, and what of the past:
    `trail` ticks of it, and with `heat` how often each cell was visited since the first step."""

    first: int
    last: int
    every: int = 1
    trail: int = 8
    heat: bool = False


class FilmedState(NamedTuple):
    """A state that is shown, and what the state itself does not know."""

    state: State
    follower: Follower
    output: OutputTail
    stop: Stop | None


class FilmSurvey(NamedTuple):
    """The sizes that a film needs, known after a first pass over its run."""

    frames: int
    box: Box | None
    walkers: int
    told: Seen


def survey(moments: Iterable[FilmedState], teller: Teller) -> FilmSurvey:
    told: dict[tuple[str, str], set[PanelText]] = {}
    box: Box | None = None
    frames = walkers = 0
    for moment in moments:
        frames += 1
        state = moment.state
        walkers = max(walkers, len(state.walkers))
        # Whether walkers need letters is known only at the end, so room is left for them.
        for one in teller.told(state, moment.follower, moment.output, named=True):
            if not one.idle:
                told.setdefault(one.key, set()).add(one)
        boxes = [*_extent(state), *([] if box is None else [box])]
        if boxes:
            lefts, tops, rights, bottoms = zip(*boxes, strict=True)
            box = min(lefts), min(tops), max(rights), max(bottoms)
    return FilmSurvey(frames, box, walkers, told)


def no_watch(state: State) -> None:
    """For runs that are not watched."""


class Reel:
    """A run from its first step on, which can be repeated any number of times.

    After a pass, `stop` says why it was over before the last step, if it was, and `steps` where.
    """

    def __init__(
        self,
        language: Language,
        state: State,
        shot: Shot,
        engine: Callable[[State], Engine],
        clock: Clock,
        watch: Callable[[State], None] = no_watch,
        limits: Limits = USUAL,
    ) -> None:
        """Runs to where the first trail begins; `watch` sees the state on the way."""
        self.language, self.shot, self.limits = language, shot, limits
        self.engine, self.clock, self.watch = engine, clock, watch
        self.begin, self.output = state, OutputTail()
        run = _Run(self, state, engine)
        run.go(shot.first - shot.trail)
        self.output = run.output
        self._note(run)

    def moments(self) -> Iterator[FilmedState]:
        """Every moment that is shown; each is valid until the next is taken."""
        shot, ahead = self.shot, None
        follower = Follower(self.language, self.limits, shot.trail)
        run = _Run(self, self.begin.copy(), follower.follow)
        self._walk(run, shot.first)
        self.require(shot.first)
        if shot.heat:
            follower.count_visits()
        yield FilmedState(run.state, follower, run.output, run.stop)
        for target in range(shot.first + shot.every, shot.last + 1, shot.every):
            if run.stop is not None:
                return
            before = run.state.tick
            if target - shot.trail > before and not shot.heat:
                ahead = ahead or _Run(self, self.begin.copy(), self.engine)
                ahead.go(target - shot.trail)
                run = ahead.twin(follower.follow)
            self._walk(run, target)
            if run.state.tick > before:
                yield FilmedState(run.state, follower, run.output, run.stop)

    def _walk(self, run: _Run, target: int) -> None:
        """Go to a tick, and note whether the run ended before it."""
        run.go(run.state.tick)
        run.go(target)
        self._note(run)

    def _note(self, run: _Run) -> None:
        """Note where a run is; raises if it ran out of time."""
        self.stop, self.steps = run.stop, run.state.tick
        if run.stop == Spent("time"):
            raise self.limits.out_of_time()

    def end(self) -> int:
        """The step at which the run is over; `stop` says why."""
        run = _Run(self, self.begin.copy(), self.engine)
        run.go(None)
        self._note(run)
        return self.steps

    def require(self, step: int) -> None:
        """Raise an `OptionError` if the run ended before that step."""
        if self.steps < step:
            raise OptionError(
                f"there is no step {step:,}: the program {_ended(self.stop)} after {self.steps:,}"
            )


class _Run:
    """One pass over the run: an engine, and the end of the output so far."""

    def __init__(self, reel: Reel, state: State, engine: Callable[[State], Engine]) -> None:
        self.reel, self.state, self.output = reel, state, reel.output
        self.engine = engine(state)
        self.stop: Stop | None = None

    def twin(self, engine: Callable[[State], Engine]) -> _Run:
        """A copy on another engine."""
        twin = _Run(self.reel, self.state.copy(), engine)
        twin.output, twin.stop = self.output, self.stop
        return twin

    def go(self, tick: int | None) -> None:
        if self.stop is None and (tick is None or tick > self.state.tick):
            limits = self.reel.limits._replace(steps=tick)
            stop = drive(self.engine, limits, self.reel.clock, drain=self._drain)
            if tick is None or self.state.tick < tick:
                self.stop = stop
        if self.stop is None:
            self.stop = self.engine.advance(0)  # the program may have ended with this very tick
            self._drain()

    def _drain(self) -> None:
        if self.state.output:
            text, above = self.output
            text += self.state.take_output()
            self.output = OutputTail(text[-KEPT:], above + text[:-KEPT].count(b"\n"))
        self.reel.watch(self.state)


class Stage:
    """Makes the scenes of a film, from what is the same in all of them and a moment."""

    def __init__(
        self, teller: Teller, survey: FilmSurvey, shot: Shot, title: str, box: Box, panels: bool
    ) -> None:
        self.teller, self.fitter, self.survey = teller, Fitter(survey.told), survey
        self.shot, self.title, self.box, self.panels = shot, title, box, panels
        self.looks = CellLooks(teller.language)

    def scene(self, moment: FilmedState, room: int) -> Scene:
        """The scene of a moment, with so many letters in a line of its panels."""
        state, follower, output, stop = moment
        caption = f"step {state.tick:,}"
        if stop is not None:
            caption += f", {_ended(stop)}"
        box: Box = self.box
        panels: tuple[Panel, ...] = ()
        if self.panels:
            told = self.teller.told(state, follower, output, named=self.survey.walkers > 1)
            panels = tuple(self.fitter.panels(told, room))
        hands = (Hand(*hand, number) for number, (_, hand) in follower.walkers if hand is not None)
        return Scene(
            self.title,
            caption,
            box,
            self.looks.rows(state.plane, state.plane.box(), box),
            tuple(warmth for warmth in self._heat(follower) if lies_in(warmth[:2], box)),
            tuple(foot for foot in follower.trail() if lies_in(foot[:2], box)),
            self.shot.trail,
            tuple(hand for hand in hands if lies_in(hand[:2], box)),
            tuple(self._marks(follower)),
            panels,
            tuple(self._ports(state)),
        )

    def _ports(self, state: State) -> Iterator[ColumnPort]:
        """The columns that have words and can be seen, where the edges of the plane can be."""
        words, plane = self.teller.language.results.column_ports, state.plane.box()
        left, top, right, bottom = self.box
        if words is None or plane is None or top > plane[1] or bottom < plane[3]:
            return
        for x in range(max(left, plane[0]), min(right, plane[2]) + 1):
            into, out = words(state, x)
            if into or out:
                yield ColumnPort(x, into, out)

    def _heat(self, follower: Follower) -> Iterator[Warmth]:
        visits: dict[tuple[int, int], int] = follower.visits or {}
        most = max(visits.values(), default=1)
        for (x, y), times in sorted(visits.items()):
            # The cube root tells 10 visits from 100 and 100 from 1000.
            yield Warmth(x, y, (times / most) ** (1 / 3))

    def _marks(self, follower: Follower) -> Iterator[Mark]:
        for number, (stance, _) in follower.walkers:
            place = cell_of(stance.x, stance.y)
            if place is not None and lies_in(place, self.box):
                way = (stance.dx, stance.dy)
                dx, dy = way if all(map(math.isfinite, way)) else (0, 0)
                yield Mark(*place, dx, dy, number)


def _ended(stop: Stop | None) -> str:
    return "goes on" if stop is None else ENDINGS[STATUS[type(stop)]]


def _extent(state: State) -> list[Box]:
    """The box of the plane, and the cells of walkers and hands."""
    box = state.plane.box()
    boxes = [] if box is None else [box]
    for stance, hand in state.walkers:
        for place in (cell_of(stance.x, stance.y), hand):
            if place is not None and abs(place[0]) < FAR and abs(place[1]) < FAR:
                boxes.append((*place, *place))
    return boxes
