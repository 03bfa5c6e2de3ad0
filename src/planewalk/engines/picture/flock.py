"""Pixels that follow the same path, run together: their common work is done once.

Where lanes have no code, pictures are often uniform: every pixel follows the same path until its
stack overflows or its steps are spent. So the reference engine performs each instruction once for
a whole flock of pixels. Values that differ between them are computed lazily; a branch on one splits
the flock, and flocks that reach the same place in the same tick are merged. Pixels that this does
not suit are left to run singly.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import chain, count, islice, repeat
from typing import Any

from ...core.base.deadline import NEVER, Deadline
from ...core.base.named import NamedTuple
from ...core.geometry import Stance
from ...core.limits import Limits
from ...core.numbers import chance
from ...core.numbers.pure import PURE
from ...core.state import State, Walker
from ...core.step import Fault, Spent, Stop
from ..stepping.reference import Machine, ReferenceEngine
from .single import PixelTally, SinglePixels, keeps_floats

LARGEST = 1 << 15
"""Pixels of a flock: what all of them keep must fit into memory."""
LEAST = 64
"""Fewer pixels are run singly."""
MOST_STEPS = 1 << 16
"""Longer runs are not for flocks, whose memory is not limited."""
NOTED = 1 << 20
"""Numbers in logs that may be left out; longer ones may be more than there is memory for."""


class WaysPart(BaseException):
    """A plain number is asked for that differs between the pixels."""

    def __init__(self, keys: Sequence[Any]) -> None:
        self.keys = keys


class Unfit(Exception):
    """These pixels have to be run singly."""


class Many:
    """A number for each pixel of a flock, computed lazily."""

    __slots__ = ("_make", "_sources", "_values")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, make: Callable[..., Sequence[Any]], *sources: Any) -> None:
        """`make` gets a column of each source: its numbers, or one number again and again."""
        self._make, self._sources = make, sources
        self._values: Sequence[Any] | None = None

    @classmethod
    def each(cls, function: Callable[..., Any], *sources: Any) -> Many:
        """What a function makes of the numbers of each pixel."""
        return cls(lambda *columns: list(map(function, *columns)), *sources)

    def values(self) -> Sequence[Any]:
        """The numbers. What they are made from may be a long chain, and is let go."""
        work = [self]
        while work:
            many = work[-1]
            missing = [s for s in many._sources if isinstance(s, Many) and s._values is None]
            work += missing
            if not missing:
                if many._values is None:
                    many._values = many._make(*map(_column, many._sources))
                    many._sources = ()
                work.pop()
        assert self._values is not None
        return self._values

    def one(self) -> Any:
        """The number, if it is the same for all."""
        values = self.values()
        keys = _keys(values)
        if keys.count(keys[0]) != len(keys):
            raise WaysPart(keys)
        return values[0]

    def __bool__(self) -> bool:
        return bool(Many.each(bool, self).one())


def _column(source: Any) -> Iterable[Any]:
    return source.values() if isinstance(source, Many) else repeat(source)


def _keys(values: Sequence[Any]) -> list[Any]:
    """What tells numbers apart: their bits, for there are zeros of two signs, and NaN."""
    if not isinstance(values[0], float):
        return list(values)
    return memoryview(array("d", values)).cast("B").cast("q").tolist()


def _operator(name: str, order: int = 1) -> Callable[..., Any]:
    function = getattr(operator, name)
    return lambda *values: Many.each(function, *values[::order])


for _name in ("add", "sub", "mul", "truediv", "mod", "and_", "or_", "xor", "lshift", "rshift"):
    setattr(Many, f"__{_name.strip('_')}__", _operator(_name))
    setattr(Many, f"__r{_name.strip('_')}__", _operator(_name, -1))
for _name in ("neg", "pos", "abs", "eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Many, f"__{_name}__", _operator(_name))


def _rounded(value: Any) -> Any:
    """As an array of 32-bit floats keeps it."""
    if isinstance(value, Many):
        return Many(partial(array, "f"), value)
    return array("f", (value,))[0]


class _Numbers(list[Any]):
    """What stands for an array of 32-bit floats."""

    def append(self, value: Any) -> None:
        super().append(_rounded(value))

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, value if isinstance(at, slice) else _rounded(value))


class FlockMachine(Machine):
    """The words, performed for a whole flock."""

    noted = 0
    seeds: Many
    """That of the chance of each pixel in this flock."""
    unlike = ""
    """The option that is not the same for all."""

    def known(self, value: Any) -> Any:
        return value.one() if isinstance(value, Many) else value

    def note(self, entry: Any) -> None:
        """Only counted: pictures do not show the logs of pixels."""
        self.noted += len(entry) if isinstance(entry, list) else 1
        if self.noted > NOTED:
            raise Unfit

    def look(self, x: Any, y: Any) -> Any:
        return self._each(super().look, x, y)

    def sample(self, index: Any) -> Any:
        return self._each(super().sample, index)

    def draw(self) -> Any:
        tick = self.tick
        return Many.each(lambda seed: chance.mix(seed, tick), self.seeds)

    def below(self, bound: Any) -> Any:
        raise Unfit

    def option(self, name: str) -> Any:
        if name == self.unlike:
            raise Unfit
        return super().option(name)

    def _each(self, function: Callable[..., Any], *values: Any) -> Any:
        many = any(isinstance(value, Many) for value in values)
        return Many.each(function, *values) if many else function(*values)


def _pure_word(name: str) -> Callable[..., Any]:
    return lambda self, *values: self._each(PURE[name], *values)


for _name in PURE:
    setattr(FlockMachine, _name, _pure_word(_name))


class Flock(NamedTuple):
    """Pixels that have followed the same path, and their state."""

    pixels: list[int]
    """Their numbers."""
    tick: int
    stance: Stance
    stack: list[Any]
    registers: list[Any]
    calls: list[Stance]

    @property
    def place(self) -> tuple[Any, ...]:
        """Flocks that have this in common can go on together."""
        return self.tick, self.stance, len(self.stack), tuple(self.calls)

    def part(self, at: list[int]) -> Flock:
        known: dict[int, Many] = {}

        def some(value: Any) -> Any:
            if not isinstance(value, Many):
                return value
            if id(value) not in known:
                known[id(value)] = Many(lambda column: [column[i] for i in at], value)
            return known[id(value)]

        return self._replace(
            pixels=[self.pixels[i] for i in at],
            stack=[*map(some, self.stack)],
            registers=[*map(some, self.registers)],
        )

    def joined(self, other: Flock) -> Flock:
        known: dict[tuple[int, int], Many] = {}
        sizes = len(self.pixels), len(other.pixels)

        def both(a: Any, b: Any) -> Any:
            if not isinstance(a, Many) and not isinstance(b, Many) and _keys([a]) == _keys([b]):
                return a
            if (id(a), id(b)) not in known:
                known[id(a), id(b)] = Many(partial(_one_behind_the_other, sizes), a, b)
            return known[id(a), id(b)]

        return self._replace(
            pixels=self.pixels + other.pixels,
            stack=[*map(both, self.stack, other.stack)],
            registers=[*map(both, self.registers, other.registers)],
        )


def _one_behind_the_other(sizes: tuple[int, int], *columns: Iterable[Any]) -> list[Any]:
    parts = (islice(column, size) for size, column in zip(sizes, columns, strict=True))
    return list(chain.from_iterable(parts))


class EndedFlock(NamedTuple):
    """Pixels whose runs ended alike, as numbers of the places that were given."""

    pixels: list[int]
    colours: Sequence[bytes]
    steps: int
    limited: bool
    fault: Fault | None

    @property
    def tally(self) -> PixelTally:
        many, faults = len(self.pixels), () if self.fault is None else (self.fault,)
        return PixelTally(many, many * len(faults), many * self.limited, faults=faults)


class Flocks:
    """Runs the pixels at some places in flocks."""

    def __init__(
        self,
        single: SinglePixels,
        places: Sequence[tuple[int, int]],
        time: float | None = None,
        end: Deadline = NEVER,
    ) -> None:
        self.single, self.places, self.end = single, places, end
        self.language, self.steps = single.program.language, single.limits.steps or 0
        self.left: list[int] = []
        """The numbers of those that must be run by themselves."""
        self._tries = 4 * self.steps + 2 * len(places)
        """Ticks that may be tried: flocks are slow where every pixel goes its own way."""
        self._apart: list[Flock] = []
        """Those that have parted, and not gone on since."""
        self._waiting: dict[Any, Flock] = {}
        self._order: list[tuple[int, int, Any]] = []
        self._numbers = count()
        state = self.state = single.start(*places[0], time)
        first = self._begun(state)
        # It looks at no clock, and steps are counted here.
        self._engine = ReferenceEngine(self.language, state, Limits(memory=None))
        self._machine = self._engine.machine = FlockMachine(self.language, state, Limits())
        self._machine.unlike = self.language.pictures.pixel
        self._add(first)

    def _begun(self, state: State) -> Flock:
        """All of them, at the beginning."""
        shading = self.language.drawing.shading
        if shading is None or state.plane.writable or len(state.walkers) != 1:
            raise Unfit
        if not keeps_floats(state) or state.walkers[0].hand is not None:
            raise Unfit
        places, size = self.places, self.single.program.size
        x, y = Many(lambda: [x for x, _ in places]), Many(lambda: [y for _, y in places])
        now = state.options[self.language.pictures.time]
        stack: Any = _Numbers(map(_rounded, shading.stack(x, y, *size, now)))
        registers: Any = _Numbers(state.registers)
        state.stack, state.registers = stack, registers
        return self._moment(list(range(len(places))))

    def ended(self) -> Iterator[EndedFlock]:
        """Groups of pixels that ended alike; those in `left` have to be run singly."""
        while self._apart or self._order:
            if self._apart:
                flock = self._apart.pop()
            else:
                flock = self._waiting.pop(heappop(self._order)[-1])
            try:
                found = self._led_on(flock)
                if found is not None:
                    yield found
            except Unfit:
                self.left += flock.pixels

    def _led_on(self, flock: Flock) -> EndedFlock | None:
        """Lead a flock on, up to its end, or by a tick if there are others to be met."""
        state = self.state
        self._show(flock)
        while state.stop is None and state.tick < self.steps:
            if self._tries <= 0 or self.end.left() <= 0:
                raise Unfit
            try:
                self._step()
            except WaysPart as parting:
                self._part(flock, parting.keys)
                return None
            if state.stop is None:
                flock = self._moment(flock.pixels)
                if self._apart or self._waiting:
                    self._add(flock)
                    return None
        return self._end(flock.pixels)

    def _step(self) -> None:
        self._tries -= 1
        try:
            self._engine.advance(1)
        except Unfit:
            raise
        except Exception:  # what is wrong is told by the pixel that it happens to
            raise Unfit from None
        if len(self.state.walkers) != 1 or self.state.acted:
            raise Unfit

    def _moment(self, pixels: list[int]) -> Flock:
        state = self.state
        stack, registers, calls = list(state.stack), list(state.registers), list(state.calls)
        return Flock(pixels, state.tick, state.walkers[0].stance, stack, registers, calls)

    def _show(self, flock: Flock) -> None:
        """Have the engine go on with a flock."""
        state = self.state
        state.tick, state.walkers, state.acted = flock.tick, [Walker(flock.stance)], []
        state.stack[:], state.registers[:] = flock.stack, flock.registers
        state.calls[:] = flock.calls
        shading = self.language.drawing.shading
        assert shading is not None
        mix = partial(shading.seed, chance.mix, self.single.seed)
        self._machine.seeds = Many(lambda: [mix(*self.places[pixel]) for pixel in flock.pixels])

    def _add(self, flock: Flock) -> None:
        place = flock.place
        met = self._waiting.get(place)
        if met is None:
            heappush(self._order, (flock.tick, next(self._numbers), place))
        self._waiting[place] = flock if met is None else met.joined(flock)

    def _part(self, flock: Flock, keys: Sequence[Any]) -> None:
        parts: dict[Any, list[int]] = {}
        for at, key in enumerate(keys):
            parts.setdefault(key, []).append(at)
        if 2 * len(parts) > len(keys):
            raise Unfit
        self._apart += [flock.part(part) for part in parts.values()]

    def _end(self, pixels: list[int]) -> EndedFlock:
        state = self.state
        stop, state.stop = state.stop, None
        limited = stop is None or isinstance(stop, Spent)
        fault = stop if isinstance(stop, Fault) else None
        return EndedFlock(pixels, self._colours(stop, len(pixels)), state.tick, limited, fault)

    def _colours(self, stop: Stop | None, many: int) -> list[bytes]:
        drawing, state = self.language.drawing, self.state
        assert drawing.shading is not None and drawing.colour is not None
        if isinstance(stop, Fault):
            return [self._colour_of(stop)] * many
        channels = drawing.shading.channels(self._machine, state.stack)
        columns = map(_column, channels)
        return [bytes(map(_whole, colour)) for colour in islice(zip(*columns, strict=False), many)]

    def _colour_of(self, fault: Fault) -> bytes:
        """That of a pixel with that fault, if it does not matter what it has computed."""
        state, colour = self.state, self.language.drawing.colour
        assert colour is not None
        state.stop = fault
        try:
            return bytes(colour(state))
        except (WaysPart, TypeError):
            raise Unfit from None
        finally:
            state.stop = None


def _whole(value: float) -> int:
    return int(value) if value == value else 0
