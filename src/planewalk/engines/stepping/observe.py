"""Observed runs: what happened in each tick, told by the words themselves as they are performed.

An `Observer` is the reference engine with a machine that notes what instructions ask for and
change. Who is who from tick to tick is known, not guessed: walkers act in the order of the state,
and what becomes of each stands in the same order in the next one.

An `Onlooker` looks at a run that is going on already, and notes the little that a profile is made
of, at a fifth of the cost. `observe` goes through the ticks of either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from re import Match, Pattern
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ...core.base.deadline import SOME_WORK, no_pause
from ...core.base.named import NamedTuple
from ...core.geometry import EndlessWalk, Stance
from ...core.instruction import Instruction
from ...core.language import Arrivals, Language, Pace
from ...core.limits import Limits
from ...core.observation import Action, Birth, Loss, Move, Read, RegisterWrite, Step, Write
from ...core.state import State, Walker
from ...core.step import Stop
from .reference import Machine, ReferenceEngine, _Ended

if TYPE_CHECKING:
    from ...core.barriers import Barriers


class _Deed:
    """What is noted while something is done: an action, or the settling of wishes."""

    __slots__ = (
        "drawn", "fetched", "heights", "input", "notes", "output", "peeked", "popped", "pushed",
        "reads", "stored", "writes",
    )  # fmt: skip

    def __init__(self) -> None:
        self.popped: list[Any] = []
        self.pushed: list[Any] = []
        self.heights: list[int] = []
        """How high above the bottom of the stack each of these stands: the lowest comes first."""
        self.reads: list[Read] = []
        self.writes: list[Write] = []
        self.fetched: list[tuple[Any, Any]] = []
        self.stored: list[RegisterWrite] = []
        self.drawn: list[Any] = []
        self.output = bytearray()
        self.input = bytearray()
        self.notes: list[Any] = []
        self.peeked: list[Any] = []

    def give(self, value: Any, height: int) -> None:
        """A value that stands on the stack now: pushed, or put below others."""
        at = len(self.heights)
        while at and self.heights[at - 1] > height:
            at -= 1
        self.heights.insert(at, height)
        self.pushed.insert(at, value)

    def action(
        self,
        walkers: tuple[int, ...],
        stance: Stance,
        hand: tuple[int, int] | None,
        instruction: Instruction,
    ) -> Action:
        return Action(
            walkers, stance, hand, instruction, tuple(self.popped), tuple(self.pushed),
            tuple(self.reads), tuple(self.writes), tuple(self.fetched), tuple(self.stored),
            tuple(self.drawn), bytes(self.output), bytes(self.input), tuple(self.notes),
            tuple(self.peeked),
        )  # fmt: skip


def _noting(word: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """A word that also notes the value it gives."""

    def noted(m: ObservedMachine, *given: Any) -> Any:
        value = word(m, *given)
        getattr(m.deed, kind).append(value)
        return value

    return noted


class ObservedMachine(Machine):
    """The words, performed on numbers and noted."""

    def __init__(self, language: Language, state: State, limits: Limits) -> None:
        super().__init__(language, state, limits)
        self.deed = _Deed()
        self._put, self._look_at = self.put, self.cell
        self.cell = self._noted_cell
        self.put = self._noted_put

    def use_stack(self, numbers: Any) -> None:
        super().use_stack(numbers)
        self._take, self.pop, self.push = self.pop, self._noted_pop, self._noted_push

    def _noted_pop(self) -> Any:
        value = self._take()
        self.deed.popped.append(value)
        return value

    def _noted_push(self, value: Any) -> None:
        self.numbers.append(value)
        self.deed.give(self.numbers[-1], len(self.numbers))

    def _noted_cell(self, x: Any, y: Any) -> Any:
        value = self._look_at(x, y)
        self.deed.reads.append(Read(x, y, value))
        return value

    def _noted_put(self, x: Any, y: Any, value: Any) -> None:
        old = self._look_at(x, y)
        self._put(x, y, value)
        self.deed.writes.append(Write(x, y, old, value))

    def look(self, x: Any, y: Any) -> Any:
        value = super().look(x, y)
        self.deed.reads.append(Read(x, y, value))
        return value

    def poke(self, index: Any, value: Any) -> None:
        self.deed.popped.append(super().peek(index))
        super().poke(index, value)
        self.deed.give(super().peek(index), self.depth - index)

    def register(self, name: Any) -> Any:
        value = super().register(name)
        self.deed.fetched.append((name, value))
        return value

    def set_register(self, name: Any, value: Any) -> None:
        registers = self.state.registers
        old = registers.get(name) if isinstance(registers, dict) else registers[name]
        super().set_register(name, value)
        self.deed.stored.append(RegisterWrite(name, old, registers[name]))

    def read_byte(self) -> Any:
        byte = super().read_byte()
        if byte >= 0:
            self.deed.input.append(byte)
        return byte

    def scan(self, pattern: Pattern[bytes]) -> Match[bytes]:
        found = super().scan(pattern)
        self.deed.input += found[0]
        return found

    def write(self, data: bytes) -> None:
        super().write(data)
        self.deed.output += data

    def note(self, entry: Any) -> None:
        super().note(entry)
        self.deed.notes.append(entry)

    peek = _noting(Machine.peek, "peeked")
    pluck = _noting(Machine.pluck, "popped")
    below = _noting(Machine.below, "drawn")
    draw = _noting(Machine.draw, "drawn")


class _Heir(NamedTuple):
    """What a walker should have become: the numbers of who it was, and how it stands."""

    number: int | None
    """None for one that is new."""
    parents: tuple[int, ...]
    walker: Walker


def decoding(
    language: Language, act: Callable[[Instruction, Any], None]
) -> Callable[[Any, Stance], Instruction]:
    """The `decode` of a language, with instructions that `act` performs."""
    known: dict[int, tuple[Instruction, Instruction]] = {}

    def decode(plane: Any, stance: Stance) -> Instruction:
        instruction = language.decode(plane, stance)
        found = known.get(id(instruction))
        if found is None:
            acting = instruction._replace(act=partial(act, instruction))
            found = known[id(instruction)] = (acting, instruction)
        return found[0]

    return decode


class Observer(ReferenceEngine):
    """The reference engine, tick by tick, with a `Step` for each. See `observe`."""

    def __init__(
        self, language: Language, state: State, limits: Limits | None = None,
        numbers: list[int] | None = None, asks: bool = False,
    ) -> None:  # fmt: skip
        """`numbers` are those of the walkers, in the order of the state; else 0, 1 and so on. One
        that `asks` raises `OutOfTime` also when a tick is over and only to be told: for those who
        do not need the state any more."""
        settle, leave = language.rules.settle, language.rules.leave
        arrivals = language.rules.arrivals
        rules = language.rules._replace(
            settle=lambda m, wishes: self._aside(m, settle, wishes),
            leave=lambda m, stance: self._aside(m, leave, stance),
            arrivals=lambda options: self._noted_arrivals(arrivals(options)),
        )
        watched = language._replace(decode=decoding(language, self._act), rules=rules)
        super().__init__(watched, state, limits)
        self.machine = ObservedMachine(watched, state, self._limits)
        walkers = len(state.acted) + len(state.walkers)
        self.numbers = list(range(walkers)) if numbers is None else list(numbers)
        """The numbers of the walkers, in the order of the state, those that have acted first."""
        self.born = max(self.numbers, default=-1) + 1
        """The number of the next walker that comes to be."""
        self.pause: Stop | None = None  # why there was no step, or should be no further one
        self.ask = self._limits.deadline.check if asks else no_pause
        """A pause in the midst of telling a tick."""
        self._begin()

    def step(self) -> Step | None:
        """Perform one tick. None if the program has ended, or must wait; `pause` says why."""
        self.pause = self.advance(1)
        if self.state.tick > self._tick:
            return self._finish()
        if self.language.rules.pace is Pace.TOGETHER:
            self._begin()  # all of it will be done again
        return None

    def _begin(self) -> None:
        """A new tick."""
        state = self.state
        self._tick = state.tick
        self._rows = getattr(state.plane, "height", 0)
        standing = [*state.acted, *state.walkers]
        self._before = dict(zip(self.numbers, standing, strict=True))
        self._done = len(state.acted)
        self._turns = iter(self._groups())
        self._actions: list[Action] = []
        self._deeds: list[_Deed] = []
        self._stored: list[RegisterWrite] = []
        self._left: dict[int | None, Stance] = {}
        self._heirs = [
            _Heir(number, (), walker) for number, walker in islice(self._before.items(), self._done)
        ]
        self._ended: int | None = None

    def _groups(self) -> list[tuple[int, ...]]:
        """The numbers of walkers in the order in which they will act, together where they meet."""
        waiting = list(self._before.items())[self._done :]
        if not self.language.rules.meet:
            return [(number,) for number, _ in waiting]
        places: dict[tuple[Any, Any], tuple[int, ...]] = {}
        for number, (stance, _) in waiting:
            place = (stance.x, stance.y)
            places[place] = (*places.get(place, ()), number)
        return list(places.values())

    # What is noted ---------------------------------------------------------------------------

    def _act(self, instruction: Instruction, m: Any) -> None:
        """Perform an instruction and note what it does, unless it must be done again later."""
        m.deed = _Deed()
        stance = m.stance
        try:
            instruction.act(m)
        except _Ended:
            self._ended = self._note(m, stance, instruction)[0]
            raise
        who = self._note(m, stance, instruction)
        self._heirs += self._inherit(m, who)

    def _note(self, m: Any, stance: Stance, instruction: Instruction) -> tuple[int, ...]:
        who = next(self._turns)
        hand = self._before[who[0]].hand
        self._actions.append(m.deed.action(who, stance, hand, instruction))
        self._keep(m.deed)
        return who

    def _keep(self, deed: _Deed) -> None:
        """Remember what others can see of a deed, if there is any; most of a crowd only moves."""
        if deed.reads or deed.writes or deed.output or deed.input:
            self._deeds.append(deed)

    def _aside(self, m: Any, do: Callable[[Any, Any], None], given: Any) -> None:
        """What no walker does alone: wishes coming true, walking off the plane."""
        m.deed = deed = _Deed()
        try:
            do(m, given)
        finally:
            self._keep(deed)
            self._stored += [write for write in deed.stored if write.old != write.new]

    def _noted_arrivals(self, arrivals: Arrivals | None) -> Arrivals | None:
        """The same, noting who comes and what is read for that."""
        if arrivals is None:
            return None
        arrive = arrivals.arrive

        def noted(m: Any, state: State) -> list[Stance]:
            stances: list[Stance] = []
            self._aside(m, lambda m, state: stances.extend(arrive(m, state)), state)
            self._heirs += [_Heir(None, (), Walker(stance)) for stance in stances]
            return stances

        return arrivals._replace(arrive=noted)

    # Who is who ------------------------------------------------------------------------------

    def _inherit(self, m: Any, who: tuple[int, ...]) -> list[_Heir]:
        """What should become of who has just acted, in the order of the state."""
        if self.language.rules.meet:
            return self._inherit_met(m.became, who)
        hand = None if self._before[who[0]].hand is None else (m.hand_x, m.hand_y)
        if not m.company:
            heir = self._heir(who[0], who, m.stance, hand)
            return [] if heir is None else [heir]
        x, y, _, _, mode = m.stance
        kept = [(who[0], m.stance)] if m.present else []
        twins = [(None, Stance(x, y, dx, dy, mode)) for dx, dy in m.twins]
        heirs = [self._heir(number, who, stance, hand) for number, stance in [*kept, *twins]]
        return [heir for heir in heirs if heir is not None]

    def _inherit_met(self, became: list[Stance], who: tuple[int, ...]) -> list[_Heir]:
        """Of those that met, who goes straight on stays itself; others take what numbers are left,
        and there may be more, or fewer."""
        left = list(who)
        numbers: dict[int, int] = {}
        for at, stance in enumerate(became):
            for number in left:
                before = self._before[number].stance
                if (before.dx, before.dy) == (stance.dx, stance.dy):
                    numbers[at] = number
                    left.remove(number)
                    break
        for at in range(len(became)):
            if at not in numbers and left:
                numbers[at] = left.pop(0)
        heirs = [self._heir(numbers.get(at), who, s, None) for at, s in enumerate(became)]
        return [heir for heir in heirs if heir is not None]

    def _heir(
        self, number: int | None, who: tuple[int, ...], stance: Stance, hand: Any
    ) -> _Heir | None:
        try:
            way = self._ways.get(stance) or self._way(stance)
        except EndlessWalk:
            way = stance  # it stays, and the run ends
        if way is None:
            self._left[number] = stance
            return None
        return _Heir(number, who, Walker(way, hand))

    def _expected(self) -> list[_Heir]:
        """Who should be there now, before some were found not to stay."""
        if self._ended is None:
            return self._heirs
        if self.language.rules.pace is Pace.TOGETHER:  # no walker has moved yet
            return [_Heir(number, (), walker) for number, walker in self._before.items()]
        numbers = list(self._before)
        left = numbers[numbers.index(self._ended) :]
        return self._heirs + [_Heir(number, (), self._before[number]) for number in left]

    def _present(self) -> list[tuple[_Heir, Walker]]:
        """Who is there, with what it was expected to be; both stand in the same order."""
        now = [*self.state.acted, *self.state.walkers]
        expected = self._expected()
        if len(expected) == len(now):
            return list(zip(expected, now, strict=True))
        heirs = iter(expected)
        return [(next(heir for heir in heirs if heir.walker == walker), walker) for walker in now]

    # The step --------------------------------------------------------------------------------

    def _finish(self) -> Step:
        state = self.state
        self.ask()
        moves, born = [], []
        numbers = []
        for heir, walker in self._present():
            number = heir.number
            if number is None:
                number, self.born = self.born, self.born + 1
                born.append(Birth(number, heir.parents, walker))
            else:
                moves.append(Move(number, self._before[number], walker))
            numbers.append(number)
            if not len(numbers) % SOME_WORK:
                self.ask()
        self.ask()
        here = set(numbers)
        gone = [
            Loss(number, walker, self._deed_of(number))
            for number, walker in self._before.items()
            if number not in here
        ]
        deeds = self._deeds
        self.ask()
        step = Step(
            self._tick, tuple(self._actions), tuple(moves), tuple(born), tuple(gone),
            tuple(read for deed in deeds for read in deed.reads),
            tuple(write for deed in deeds for write in deed.writes),
            b"".join(bytes(deed.output) for deed in deeds),
            b"".join(bytes(deed.input) for deed in deeds),
            getattr(state.plane, "height", 0) - self._rows, state.stop, tuple(self._stored),
        )  # fmt: skip
        self.numbers = numbers
        self.ask()
        self._begin()
        self.ask()
        return step

    def _deed_of(self, number: int) -> str:
        """What a walker that is gone did by that."""
        told, stance = self.language.results.leaving, self._left.get(number)
        return "" if told is None or stance is None else told(self.state, stance)


class Glance(NamedTuple):
    """What an `Onlooker` notes of a tick."""

    stance: Stance
    depth: int
    calls: tuple[Stance, ...]
    """How the walker stood before, with how many numbers on the stack, and who called."""
    asked: list[Any]
    """What the words were given that it listens to, one after the other."""


class Onlooker:
    """Looks at an engine with one walker while it runs; others may use it before and after."""

    def __init__(
        self,
        engine: ReferenceEngine,
        words: Mapping[str, int],
        barriers: Barriers | None = None,
    ) -> None:
        """`words` says how many of the numbers that each is given are noted."""
        self.engine, self.words, self.barriers = engine, words, barriers
        self.pause: Stop | None = None
        self._asked: list[Any] = []

    def __enter__(self) -> Onlooker:
        machine = self.engine.machine
        heard = {word: self._heard(getattr(machine, word), n) for word, n in self.words.items()}
        self._end = machine.listen(heard)
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def step(self) -> Glance:
        """Perform one tick, or begin it, if it must wait."""
        state = self.engine.state
        glance = Glance(state.walkers[0].stance, len(state.held_stack), tuple(state.calls), [])
        self._asked = glance.asked
        self.pause = self.engine.advance(1, self.barriers)
        return glance

    def _heard(self, word: Callable[..., Any], numbers: int) -> Callable[..., Any]:
        """The same word, which also notes the numbers that it is given."""

        def perform(*given: Any) -> Any:
            self._asked += given[:numbers]
            return word(*given)

        return perform


Told = TypeVar("Told", covariant=True)


class Observed(Protocol[Told]):
    """An engine that performs one tick at a time and tells of each."""

    pause: Stop | None

    def step(self) -> Told | None: ...


def observe(engine: Observed[Told], ticks: int | None = None) -> Iterator[Told]:
    """The steps of a run, at most that many; ends where the program does, or must wait."""
    while ticks is None or ticks > 0:
        step = engine.step()
        if step is None:
            return
        yield step
        if engine.pause is not None:
            return
        ticks = None if ticks is None else ticks - 1
