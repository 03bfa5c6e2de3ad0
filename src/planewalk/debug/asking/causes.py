"""Why: where a value comes from, as a tree of causes down to cells and input bytes.

The same instruction functions are performed once more, on numbers that carry where they come from.
Arithmetic joins the causes of its operands; a decision (`if` on such a number) is a cause of all
that the same instruction makes afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from re import Match, Pattern
from typing import Any

from ...core.geometry import Stance
from ...core.instruction import Instruction
from ...core.language import Arrivals, Language, Rules
from ...core.limits import Limits
from ...core.numbers.pure import PURE
from ...core.state import State
from ...engines.stepping.observe import decoding
from ...engines.stepping.reference import Machine, ReferenceEngine

MOST_LINES = 60


@dataclass(eq=False, repr=False, slots=True)
class Cause:
    """Where a value comes from.

    `kind` is `cell` (what stands at `place` since the beginning), `input` (the byte of that
    `index`), `end` (there was no input any more), `computed` (by the instruction at `place`, in
    that tick, from `parents`), `chance`, or `earlier` (before the tick from which on causes were
    followed).
    """

    kind: str
    tick: int
    place: tuple[Any, Any] | None = None
    index: int | None = None
    instruction: Instruction | None = None
    parents: tuple[Cause, ...] = ()
    value: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        """In rows, each behind its parents: chains are longer than Python calls are deep."""
        rows: list[tuple[Any, ...]] = []
        number: dict[int, int] = {}
        work = [self]
        while work:
            cause = work[-1]
            missing = [parent for parent in cause.parents if id(parent) not in number]
            work += missing
            if not missing and work.pop() is cause and id(cause) not in number:
                number[id(cause)] = len(rows)
                parents = [number[id(parent)] for parent in cause.parents]
                about = (cause.kind, cause.tick, cause.place)
                rows.append((about, cause.index, cause.instruction, parents, cause.value))
        return _from_rows, (rows,)

    def __repr__(self) -> str:
        return f"<Cause: {self.told()}>"

    def told(self) -> str:
        where = "" if self.place is None else f" {self.place[0]:g},{self.place[1]:g}"
        if self.kind == "cell":
            return f"the cell{where}"
        if self.kind == "input":
            return f"byte {self.index} of the input, at tick {self.tick:,}"
        if self.kind == "end":
            return f"the end of the input, at tick {self.tick:,}"
        if self.kind == "computed" and self.instruction is not None:
            act = self.instruction
            return f"{act.symbol!r} ({act.name}) at{where}, tick {self.tick:,}"
        if self.kind == "earlier":
            what = f"what the cell{where} held" if where else "what was there"
            return f"{what} at tick {self.tick:,}"
        return f"{self.kind}{where}, tick {self.tick:,}"

    def leaves(self) -> list[Cause]:
        """The cells and input bytes that it comes from in the end, each once."""
        seen: set[int] = set()
        found: dict[tuple[Any, ...], Cause] = {}
        work = [self]
        while work:
            cause = work.pop()
            if id(cause) in seen:
                continue
            seen.add(id(cause))
            if not cause.parents:
                found.setdefault((cause.kind, cause.place, cause.index), cause)
            work += cause.parents
        return list(found.values())

    def before(self) -> list[Cause]:
        """What it was made from: its parents, or theirs where one instruction computed both."""
        deed = self.instruction, self.place, self.tick
        found: dict[str, Cause] = {}
        work = list(reversed(self.parents))
        while work:
            cause = work.pop()
            if cause.kind == "computed" and (cause.instruction, cause.place, cause.tick) == deed:
                work += reversed(cause.parents)
            else:
                found.setdefault(cause.told(), cause)
        return list(found.values())

    def lines(self, most: int = MOST_LINES) -> Iterator[str]:
        """The tree as indented lines, at most so many; what was told is not told again."""
        told: set[int] = set()
        work: list[tuple[Cause, int]] = [(self, 0)]
        count = 0
        while work:
            cause, depth = work.pop()
            if count == most:
                yield "..."
                return
            count += 1
            again = id(cause) in told and bool(cause.parents)
            yield "  " * depth + cause.told() + (" (see above)" if again else "")
            told.add(id(cause))
            if not again:
                work += [(parent, depth + 1) for parent in reversed(cause.before())]


def _from_rows(rows: list[tuple[Any, ...]]) -> Cause:
    """The cause that is last of these rows."""
    made: list[Cause] = []
    for (kind, tick, place), index, act, parents, value in rows:
        above = tuple(made[number] for number in parents)
        made.append(Cause(kind, tick, place, index, act, above, value))
    return made[-1]


class _Sourced:
    """What numbers that carry their cause share."""

    cause: Cause
    machine: CausalMachine

    def __bool__(self) -> bool:
        self.machine.decided(self.cause)
        return bool(plain(self))


class SourcedInt(_Sourced, int):
    """A whole number with its cause."""


class SourcedFloat(_Sourced, float):
    """A float with its cause."""


def plain(value: Any) -> Any:
    """The number itself."""
    if isinstance(value, SourcedInt):
        return int.__int__(value)
    return float.__float__(value) if isinstance(value, SourcedFloat) else value


def _operator(name: str, kind: type) -> Callable[..., Any]:
    function = getattr(kind, name)

    def perform(self: Any, *others: Any) -> Any:
        result = function(self, *map(plain, others))
        if result is NotImplemented:
            return result
        return self.machine.made(result, [self, *others])

    return perform


_OPERATORS = (
    "add", "sub", "mul", "floordiv", "truediv", "mod", "pow", "lshift", "rshift", "and", "or",
    "xor", "neg", "pos", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge", "radd", "rsub",
    "rmul", "rfloordiv", "rtruediv", "rmod", "rpow", "rlshift", "rrshift", "rand", "ror", "rxor",
)  # fmt: skip
for _kind, _base in ((SourcedInt, int), (SourcedFloat, float)):
    for _name in _OPERATORS:
        if hasattr(_base, f"__{_name}__"):
            setattr(_kind, f"__{_name}__", _operator(f"__{_name}__", _base))
    setattr(_kind, "__hash__", _base.__hash__)  # noqa: B010 - it goes with __eq__


class CausalMachine(Machine):
    """The words, performed on numbers that carry where they come from."""

    def __init__(self, language: Language, state: State, limits: Limits, begins: int) -> None:
        super().__init__(language, state, limits)
        self.begins = begins
        self.here: tuple[Stance, Instruction] | None = None
        self.control: list[Cause] = []
        self.used: list[Cause] = []
        self.stack_causes = [self.old(None)] * len(state.stack)
        self.cell_causes: dict[tuple[Any, Any], Cause] = {}
        self.register_causes: dict[Any, Cause | None] = {}
        """None for what was set on no account of anything."""
        self.output_causes: list[Cause] = []
        self.read: list[Cause] = []
        """The bytes of the input, and its end, that were read in this tick."""
        self._real_cell, self._real_put = self.cell, self.put
        self.cell, self.put = self._cell, self._put

    def begin(self, stance: Stance, instruction: Instruction) -> None:
        """Another instruction acts."""
        self.here = (stance, instruction)
        self.control, self.used = [], []

    def begin_aside(self) -> None:
        """Something is done that no walker does alone."""
        self.here = None
        self.control, self.used, self.read = [], [], []

    def old(self, place: tuple[Any, Any] | None) -> Cause:
        """What was there before anybody looked."""
        kind = "cell" if place is not None and self.begins == 0 else "earlier"
        return Cause(kind, self.begins, place)

    def decided(self, cause: Cause) -> None:
        """Something depends on that value from now on."""
        if cause not in self.control:
            self.control.append(cause)

    def made(self, value: Any, sources: list[Any]) -> Any:
        """A number that was computed from others."""
        parents = [source.cause for source in sources if isinstance(source, _Sourced)]
        return self._wrapped(value, self.joined(parents))

    def _wrapped(self, value: Any, cause: Cause) -> Any:
        if isinstance(value, (bool, int)):
            sourced: Any = SourcedInt(value)
        elif isinstance(value, float):
            sourced = SourcedFloat(value)
        else:
            return value
        sourced.cause, sourced.machine = cause, self
        return sourced

    def joined(self, parents: list[Cause]) -> Cause:
        unique = tuple(dict.fromkeys(parents))
        if len(unique) == 1 and unique[0].kind == "computed" and unique[0].tick == self.ticks:
            return unique[0]
        place, instruction = None, None
        if self.here is not None:
            (stance, instruction) = self.here
            place = (stance.x, stance.y)
        return Cause("computed", self.ticks, place, instruction=instruction, parents=unique)

    def _cause(self, value: Any, *addresses: Any) -> Cause:
        """That of a value which is stored: its own, and what was decided before."""
        own = [item.cause for item in (value, *addresses) if isinstance(item, _Sourced)]
        parents = list(dict.fromkeys([*own, *self.control]))
        if len(parents) == 1 and own:
            return parents[0]
        if parents:
            return self.joined(parents)
        if self.here is None:
            return self.old(None)
        stance, instruction = self.here
        return Cause("cell", self.ticks, (stance.x, stance.y), instruction=instruction)

    def sourced(self, wish: tuple[Any, ...], cause: Cause) -> tuple[Any, ...]:
        """A wish for which there is that cause."""
        return tuple(self._wrapped(part, cause) for part in wish)

    def _taken(self, value: Any, cause: Cause) -> Any:
        self.used.append(cause)
        return self._wrapped(value, cause)

    # The words -------------------------------------------------------------------------------

    def use_stack(self, numbers: Any) -> None:
        super().use_stack(numbers)
        self.pop, self.push = self._pop, self._push

    def _pop(self) -> Any:
        return self._taken(self.numbers.pop(), self.stack_causes.pop())

    def _push(self, value: Any) -> None:
        self.numbers.append(plain(value))
        self.stack_causes.append(self._cause(value))

    def peek(self, index: Any) -> Any:
        at = -1 - int(plain(index))
        return self._taken(self.numbers[at], self.stack_causes[at])

    def poke(self, index: Any, value: Any) -> None:
        at = -1 - int(plain(index))
        self.numbers[at] = plain(value)
        self.stack_causes[at] = self._cause(value, index)

    def pluck(self, index: Any) -> Any:
        at = -1 - int(plain(index))
        return self._taken(self.numbers.pop(at), self.stack_causes.pop(at))

    def stack(self) -> Any:
        pairs = zip(self.numbers, self.stack_causes, strict=True)
        return [self._taken(value, cause) for value, cause in pairs]

    def _cell(self, x: Any, y: Any) -> Any:
        place = (plain(x), plain(y))
        cause = self.cell_causes.get(place) or self.old(place)
        addresses = [item.cause for item in (x, y) if isinstance(item, _Sourced)]
        value = self._real_cell(*place)
        return self._taken(value, self.joined([cause, *addresses]) if addresses else cause)

    def _put(self, x: Any, y: Any, value: Any) -> None:
        place = (plain(x), plain(y))
        self._real_put(*place, plain(value))
        self.cell_causes[place] = self._cause(value, x, y)

    def look(self, x: Any, y: Any) -> Any:
        place = (plain(x), plain(y))
        return self._taken(super().look(*place), self.old(place))

    def register(self, name: Any) -> Any:
        key = plain(name)
        cause = self.register_causes.get(key, self.old(None))
        value = super().register(key)
        return value if cause is None else self._taken(value, cause)

    def set_register(self, name: Any, value: Any) -> None:
        super().set_register(plain(name), plain(value))
        constant = self.here is None and not self.control and not isinstance(value, _Sourced)
        self.register_causes[plain(name)] = None if constant else self._cause(value, name)

    def turn(self, dx: Any, dy: Any) -> None:
        super().turn(plain(dx), plain(dy))

    def go(self, x: Any, y: Any) -> None:
        super().go(plain(x), plain(y))

    def reach(self, x: Any, y: Any) -> None:
        self.hand_x, self.hand_y = plain(x), plain(y)

    def grow(self, height: Any) -> None:
        super().grow(plain(height))

    def read_byte(self) -> Any:
        index = self.state.input.position
        byte = super().read_byte()
        if self.state.input.position == index:  # there was none
            cause = Cause("end", self.ticks)
        else:
            cause = Cause("input", self.ticks, index=index)
        self.read.append(cause)
        return self._taken(byte, cause)

    def scan(self, pattern: Pattern[bytes]) -> Match[bytes]:
        first = self.state.input.position
        found = super().scan(pattern)
        for index in range(first, self.state.input.position):
            cause = Cause("input", self.ticks, index=index)
            self.read.append(cause)
            self.decided(cause)
        return found

    def below(self, bound: Any) -> Any:
        value = super().below(plain(bound))
        return self._taken(value, Cause("chance", self.ticks))

    def draw(self) -> Any:
        return self._taken(super().draw(), Cause("chance", self.ticks))

    def known(self, value: Any) -> Any:
        if isinstance(value, _Sourced):
            self.decided(value.cause)
        return plain(value)

    def quotient(self, y: Any, x: Any) -> Any:
        return self.made(Machine.quotient(self, plain(y), plain(x)), [y, x])

    def times(self, y: Any, x: Any) -> Any:
        return self.made(super().times(plain(y), plain(x)), [y, x])

    def write(self, data: bytes) -> None:
        super().write(data)
        parents = list(dict.fromkeys([*self.control, *self.used]))
        cause = self.joined(parents) if parents else self._cause(None)
        self.output_causes += [cause] * len(data)

    def write_byte(self, value: Any) -> None:
        self._written(value, lambda: Machine.write_byte(self, plain(value)))

    def write_number(self, value: Any) -> None:
        self._written(value, lambda: Machine.write_number(self, plain(value)))

    def _written(self, value: Any, write: Callable[[], None]) -> None:
        """What is written comes from this value alone, and from what was decided."""
        used, self.used = self.used, [value.cause] if isinstance(value, _Sourced) else []
        write()
        self.used = used

    def note(self, entry: Any) -> None:
        super().note([*map(plain, entry)] if isinstance(entry, list) else plain(entry))


def _pure_word(name: str) -> Callable[..., Any]:
    function = PURE[name]

    def word(self: CausalMachine, *values: Any) -> Any:
        return self.made(function(*map(plain, values)), list(values))

    return word


for _name in PURE.keys() - vars(CausalMachine).keys():
    setattr(CausalMachine, _name, _pure_word(_name))


class CausalEngine(ReferenceEngine):
    """The reference engine on such numbers."""

    def __init__(self, language: Language, state: State, limits: Limits) -> None:
        rules = language.rules
        act = _perform
        if rules.meet:
            ways = _Ways(rules, rules.after or language.move)
            act, rules = ways.act, ways.rules()
        watched = language._replace(decode=decoding(language, act), rules=rules)
        super().__init__(watched, state, limits)
        self.machine = self.causal = CausalMachine(language, state, limits, state.tick)


def _perform(instruction: Instruction, m: Any) -> None:
    m.begin(m.stance, instruction)
    instruction.act(m)


class _Ways:
    """Where walkers that act in groups come from: all they tell is that they are there."""

    def __init__(self, rules: Rules, after: Callable[[Any, Stance], Stance | None]) -> None:
        self._rules, self._after = rules, after
        self._tick = -1
        self._here: dict[Stance, Cause] = {}
        self._next: dict[Stance, Cause] = {}
        self._leaving: dict[Stance, Cause] = {}
        self._held: set[Stance] = set()
        """Those that an instruction kept where they were."""

    def rules(self) -> Rules:
        """The same rules, which note where wishes come from, and who arrives."""
        arrivals = self._rules.arrivals
        return self._rules._replace(
            leave=self._leave,
            settle=self._settle,
            arrivals=lambda options: self._noted(arrivals(options)),
        )

    def act(self, instruction: Instruction, m: CausalMachine) -> None:
        """Perform an instruction, and note what has made its walkers what they are then."""
        self._turn(m)
        met = m.met
        causes = {stance: self._here.get(stance) or m.old(None) for stance in met}
        _perform(instruction, m)
        if m.became == met:
            heirs = [*causes.items()]
        else:
            released = {s[2:4]: cause for s, cause in causes.items() if s in self._held}
            fresh = dict.fromkeys(cause for s, cause in causes.items() if s not in self._held)
            place = m.stance.x, m.stance.y
            made = Cause("computed", m.ticks, place, instruction=instruction, parents=tuple(fresh))
            heirs = [(stance, released.pop(stance[2:4], made)) for stance in m.became]
        for stance, cause in heirs:
            way = self._after(m.plane, stance)
            if way is None:
                self._leaving[stance] = cause
                continue
            self._next[way] = cause
            if way[:2] == stance[:2]:
                self._held.add(way)
            else:
                self._held.discard(way)

    def _turn(self, m: CausalMachine) -> None:
        if m.ticks != self._tick:
            self._tick = m.ticks
            self._here, self._next = self._next, {}
            self._leaving = {}

    def _leave(self, m: CausalMachine, stance: Stance) -> None:
        before = len(m.wishes)
        self._rules.leave(m, stance)
        for at in range(before, len(m.wishes)):
            m.wishes[at] = m.sourced(m.wishes[at], self._leaving[stance])

    def _settle(self, m: CausalMachine, wishes: list[Any]) -> None:
        m.begin_aside()
        self._rules.settle(m, wishes)

    def _noted(self, arrivals: Arrivals | None) -> Arrivals | None:
        """The same, noting the input that brings walkers."""
        if arrivals is None:
            return None
        arrive = arrivals.arrive

        def noted(m: CausalMachine, state: State) -> list[Stance]:
            self._turn(m)
            m.begin_aside()
            stances = arrive(m, state)
            cause = m.read[0] if len(m.read) == 1 else m.joined(m.read)
            self._next.update(dict.fromkeys(stances, cause))
            self._held.difference_update(stances)
            return stances

        return arrivals._replace(arrive=noted)
