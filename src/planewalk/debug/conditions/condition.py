"""What to stop at, in a small language of its own: see `conditions.md` beside it.

A condition is asked at a tick: of the state as it is then, and of what happened in the tick that
led there. Its barriers say in which ticks it can become true, so that a run need not be looked at
in all the others; conditions on what no barrier is about have none, and are asked at every tick.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from math import lcm
from operator import attrgetter
from typing import Any, NamedTuple

from ...core.barriers import Barriers, Event, Landing, Took, Wrote
from ...core.base.deadline import SOME_WORK, Pause, no_pause
from ...core.language import Language
from ...core.observation import Read, Step, Write
from ...core.state import State, Walker

Region = tuple[int, int, int, int]
"""Least x, least y, greatest x, greatest y, all included."""


class Firsts:
    """At which tick of a run each of many things was there for the first time."""

    def __init__(self, things: Callable[[State, Pause], Collection[Any]], known: int) -> None:
        """`things` are those of a state, with pauses between parts of a large one."""
        self.things = things
        self.ticks: dict[Any, int] = {}
        self.known = known
        """The last tick that was looked at, and all before it."""
        self._latest: Collection[Any] = ()

    def look(self, moment: Situation) -> None:
        """Note what is there at the next tick; of earlier ones it is known."""
        tick = moment.state.tick
        if tick <= self.known:
            return
        assert tick == self.known + 1, "all ticks are looked at, one after the other"
        self._latest = self.things(moment.state, moment.pause)
        for thing in self._latest:
            self.ticks.setdefault(thing, tick)
        self.known = tick

    def of(self, moment: Situation) -> Iterator[int]:
        """When all that is there was there first."""
        state = moment.state
        latest = state.tick == self.known and self._latest
        for thing in latest or self.things(state, moment.pause):
            yield self.ticks.get(thing, state.tick)

    def inherit(self, older: Firsts, before: int) -> None:
        """Know what was known of the ticks before one."""
        self.ticks = {thing: tick for thing, tick in older.ticks.items() if tick < before}
        self.known, self._latest = before - 1, ()


def places_of(state: State, pause: Pause) -> Collection[Any]:
    places: set[Any] = set()
    rest = iter(state.walkers)
    while some := {(walker.stance.x, walker.stance.y) for walker in islice(rest, SOME_WORK)}:
        pause()
        places |= some
    return places


def names_of(state: State, pause: Pause) -> Collection[Any]:
    """The one name that states with the same future have."""
    from .sameness import name_of  # only where a condition needs it

    return (name_of(state, pause),)


class Past:
    """What some conditions must remember of a run, from its first tick on."""

    def __init__(self, begins: int = 0) -> None:
        self.visited = Firsts(places_of, begins - 1)
        self.seen = Firsts(names_of, begins - 1)

    def forget_from(self, tick: int) -> None:
        """From that tick on the run is another."""
        for memory in (self.visited, self.seen):
            if memory.known >= tick:
                memory.inherit(memory, tick)


class Situation(NamedTuple):
    """What a condition is asked of."""

    language: Language
    state: State
    events: tuple[Event, ...]
    """What happened in the last tick, as far as the condition has asked to be told."""
    output: Callable[[int], bytes]
    """The last so many bytes of all that was written."""
    step: Step | None
    """All of what happened, for conditions without barriers."""
    past: Past
    pause: Pause = no_pause
    """Between parts of long work."""


class Condition:
    """Something that is true at some ticks and not at others."""

    barriers: Barriers | None = None
    """If it was not true a tick ago and is now, one of these was hit in between."""
    both_ways: Barriers | None = None
    """The same if it was true a tick ago and is not now."""
    watched: Barriers = Barriers()
    """Events it has to be told of."""
    remembers: bool = False
    """Whether what is true at a tick depends on all the ticks before."""
    rhythm: int = 1
    """In equal states, its truth repeats after so many ticks, except over `turns`."""
    turns: frozenset[int] = frozenset()
    """Ticks at which its truth may change although the state repeats."""

    def test(self, moment: Situation) -> bool:
        """Whether it is true now."""
        raise AssertionError("every kind of condition has its own test")

    def memories(self, past: Past) -> list[Firsts]:
        """What it has to know of all the ticks before."""
        return []

    def note(self, moment: Situation) -> None:
        """Remember what it must of this moment, unless that is known."""

    def sees(self, moment: Situation) -> bool:
        """Whether it is true now, at the first look or a later one."""
        self.note(moment)
        return self.test(moment)


class Either(Condition):
    def __init__(self, parts: list[Condition]) -> None:
        self.parts = parts
        self.barriers = _joined([part.barriers for part in parts])
        self.both_ways = _joined([part.both_ways for part in parts])
        self.watched = _joined([part.watched for part in parts]) or Barriers()
        self.remembers = any(part.remembers for part in parts)
        self.rhythm = lcm(*(part.rhythm for part in parts))
        self.turns = frozenset().union(*(part.turns for part in parts))

    def test(self, moment: Situation) -> bool:
        return any(part.test(moment) for part in self.parts)

    def memories(self, past: Past) -> list[Firsts]:
        return [memory for part in self.parts for memory in part.memories(past)]

    def note(self, moment: Situation) -> None:
        for part in self.parts:
            part.note(moment)


class All(Either):
    def test(self, moment: Situation) -> bool:
        return all(part.test(moment) for part in self.parts)


class Not(Condition):
    def __init__(self, part: Condition) -> None:
        self.part = part
        self.barriers = self.both_ways = part.both_ways
        self.watched, self.remembers = part.watched, part.remembers
        self.rhythm, self.turns = part.rhythm, part.turns

    def test(self, moment: Situation) -> bool:
        return not self.part.test(moment)

    def memories(self, past: Past) -> list[Firsts]:
        return self.part.memories(past)

    def note(self, moment: Situation) -> None:
        self.part.note(moment)


def _joined(barriers: list[Barriers | None]) -> Barriers | None:
    whole = Barriers()
    for some in barriers:
        if some is None:
            return None
        whole = whole.joined(some)
    return whole


class At(Condition):
    """A walker stands at a place and will act there, perhaps only with a heading or mode."""

    def __init__(self, x: int, y: int, heading: str | None = None, mode: str | None = None) -> None:
        self.x, self.y, self.heading, self.mode = x, y, heading, mode
        self.barriers = self.watched = Barriers(landings=frozenset({Landing(x, y)}))

    def test(self, moment: Situation) -> bool:
        return moment.state.stop is None and any(
            (walker.stance.x, walker.stance.y) == (self.x, self.y)
            and has_way(moment.language, walker, self.heading, self.mode)
            for walker in moment.state.walkers
        )


def has_way(language: Language, walker: Walker, heading: str | None, mode: str | None) -> bool:
    """Whether a walker goes that way, in words of the language."""
    stance = walker.stance
    ways = {language.looks.headings.get((stance.dx, stance.dy)), f"{stance.dx:g},{stance.dy:g}"}
    modes = {language.looks.manner(stance), str(stance.mode).lower()}
    return (heading is None or heading in ways) and (mode is None or mode in modes)


class Heads(Condition):
    """Some walker has that heading or mode."""

    def __init__(self, heading: str | None, mode: str | None) -> None:
        self.heading, self.mode = heading, mode

    def test(self, moment: Situation) -> bool:
        walkers = moment.state.walkers
        return any(has_way(moment.language, w, self.heading, self.mode) for w in walkers)


class CellTouched(Condition):
    """A cell was read as data or written in the last tick; with `changed` only if its value is
    another one."""

    def __init__(self, kind: type[Read | Write], x: int, y: int, changed: bool = False) -> None:
        self.kind, self.place, self.changed = kind, (x, y), changed
        place = frozenset({self.place})
        touched = Barriers(read=place) if kind is Read else Barriers(written=place)
        self.barriers = self.watched = touched

    def test(self, moment: Situation) -> bool:
        return any(
            isinstance(event, self.kind)
            and event[:2] == self.place
            and not (self.changed and isinstance(event, Write) and event.old == event.new)
            for event in moment.events
        )


class Cell(Condition):
    """A cell compares so with a value."""

    def __init__(self, x: int, y: int, compare: Callable[[Any], bool]) -> None:
        self.x, self.y, self.compare = x, y, compare
        written = Barriers(written=frozenset({(x, y)}))
        self.barriers = self.both_ways = self.watched = written

    def test(self, moment: Situation) -> bool:
        return self.compare(moment.state.plane.cell(self.x, self.y))


class OutputWritten(Condition):
    """Something was written in the last tick; with a text, one that ends with or holds it."""

    def __init__(self, text: bytes = b"") -> None:
        self.text = text
        self.barriers = self.watched = Barriers(output=True)

    def test(self, moment: Situation) -> bool:
        fresh = sum(len(event.data) for event in moment.events if isinstance(event, Wrote))
        return fresh > 0 and self.text in moment.output(fresh + max(len(self.text) - 1, 0))


class Input(Condition):
    """Input was read in the last tick."""

    def __init__(self) -> None:
        self.barriers = self.watched = Barriers(input=True)

    def test(self, moment: Situation) -> bool:
        return any(isinstance(event, Took) for event in moment.events)


class Number(Condition):
    """Something that can be counted compares so: the depth of the stack, the walkers, the tick."""

    def __init__(self, of: Callable[[State], Any], compare: Callable[[Any], bool]) -> None:
        self.of, self.compare = of, compare

    def test(self, moment: Situation) -> bool:
        value = self.of(moment.state)
        return value is not None and self.compare(value)


class Tick(Number):
    def __init__(self, compare: Callable[[Any], bool], value: int) -> None:
        super().__init__(attrgetter("tick"), compare)
        self.turns = frozenset((value - 1, value, value + 1))


class TickInRhythm(Number):
    """The number of the tick modulo another compares so."""

    def __init__(self, rhythm: int, compare: Callable[[Any], bool]) -> None:
        super().__init__(self._phase, compare)
        self.rhythm = rhythm

    def _phase(self, state: State) -> int:
        return state.tick % self.rhythm


class Happened(Condition):
    """What a step tells: a walker was born, is gone, met another."""

    def __init__(self, told: Callable[[Step], object]) -> None:
        self.told = told

    def test(self, moment: Situation) -> bool:
        return moment.step is not None and bool(self.told(moment.step))


class Crossed(Condition):
    """A walker entered a region in the last tick, or left it."""

    def __init__(self, region: Region, entered: bool) -> None:
        self.region, self.entered = region, entered

    def test(self, moment: Situation) -> bool:
        moves = () if moment.step is None else moment.step.moves
        for _, before, after in moves:
            was, now = (is_inside(self.region, walker) for walker in (before, after))
            if was != now and now == self.entered:
                return True
        return False


class Inside(Condition):
    """A walker is in a region."""

    def __init__(self, region: Region) -> None:
        self.region = region

    def test(self, moment: Situation) -> bool:
        return any(is_inside(self.region, walker) for walker in moment.state.walkers)


def is_inside(region: Region, walker: Walker) -> bool:
    left, top, right, bottom = region
    stance = walker.stance
    return bool(left <= stance.x <= right and top <= stance.y <= bottom)


class First(Condition):
    """Something of this tick was there first at one that compares so with it."""

    remembers = True

    def __init__(self, memory: str, compare: Callable[[int, int], bool]) -> None:
        """`memory` names what is looked at, as `Past` does."""
        self.of, self.compare = attrgetter(memory), compare

    def memories(self, past: Past) -> list[Firsts]:
        return [self.of(past)]

    def note(self, moment: Situation) -> None:
        self.of(moment.past).look(moment)

    def test(self, moment: Situation) -> bool:
        tick = moment.state.tick
        return any(self.compare(first, tick) for first in self.of(moment.past).of(moment))


class Ended(Condition):
    def test(self, moment: Situation) -> bool:
        return moment.state.stop is not None
