"""The complete state of a run. Only a `State` ever crosses from one engine to another."""

from __future__ import annotations

import base64
from array import array
from collections import UserList
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from sys import getsizeof
from typing import Any, Protocol

from .base.named import NamedTuple
from .geometry import Stance
from .limits import allowed
from .numbers.numerals import from_decimal, to_decimal
from .plane import BytePlane, Plane, plane_from_json
from .step import STATUS, Fault, Halted, Spent, Stalled, Stop
from .stream import InputStream


class Walker(NamedTuple):
    """Whatever moves: where and how it stands, and the place of its hand if it has one."""

    stance: Stance
    hand: tuple[int, int] | None = None


DEEPEST = 100
"""Lists in one another that a mode, an option or a note may have."""
FEW = 64
"""Walkers that are made again at each look at them alone."""


class LazyWalkers(UserList[Walker]):
    """The walkers of a state, made when they are read: most stretches are not looked at.

    Only their number is asked for after every one. Who goes through them once, goes through
    walkers that are made on the way and not kept.
    """

    _count: Callable[[], int]
    _make: Callable[[], Iterator[Walker]]

    @classmethod
    def later(cls, count: Callable[[], int], make: Callable[[], Iterator[Walker]]) -> LazyWalkers:
        """So many walkers, which `make` gives if ever asked for."""
        walkers = cls.__new__(cls)
        walkers._count, walkers._make = count, make
        return walkers

    @cached_property
    def data(self) -> list[Walker]:  # type: ignore[override]
        """The walkers themselves."""
        return list(self._make())

    def __iter__(self) -> Iterator[Walker]:
        return iter(self.data) if self.seen else self._make()

    def __getitem__(self, index: Any) -> Any:
        """Who looks at a few of the first ones leaves the others unmade."""
        if isinstance(index, slice):
            begin, end = (index.start or 0, index.stop or 0) if index.step is None else (0, 0)
        else:
            begin, end = index, index + 1
        if self.seen or begin < 0 or not 0 < end <= min(FEW, len(self)):
            return super().__getitem__(index)
        return list(islice(self._make(), end))[index]

    def __copy__(self) -> LazyWalkers:
        copied: LazyWalkers = self[:]
        return copied

    @property
    def seen(self) -> bool:
        """Whether anybody has looked."""
        return "data" in self.__dict__

    def __len__(self) -> int:
        return len(self.data) if self.seen else self._count()


WALKER_MEMORY = 400  # measured: a walker, its stance, its hand, and their next versions
_NUMBER_MEMORY = 40  # a slot of the stack and a number that is not shared


class BorrowedStack(Protocol):
    """The numbers of a stack while an engine keeps them in a form of its own. It can be used as the
    list that they came from."""

    def give_back(self) -> None:
        """Put them into the list, and have the state know."""

    def __len__(self) -> int: ...

    def __getitem__(self, at: Any) -> Any: ...


_FINAL_BY_NAME = {STATUS[kind]: kind for kind in (Halted, Stalled, Fault, Spent)}


class State:
    """Everything needed to go on with a run: `copy()`, `==`, `to_json()` and `from_json()`.

    - `stack`: a list of whole numbers of any size, or an `array('f')` of floats; machine code may
      have borrowed them until they are read
    - `registers`: whatever the language keeps besides, an `array('f')` or a dict of numbers
    - `calls`: the stances to return to
    - `acted`: walkers that have had their turn, while a tick of several is not finished
    - `output`: what the program wrote since `take_output`; `taken` counts what that took before
    - `stop`: set once the program has ended
    - `notes`: what the user who loaded the program should be told; no part of the state proper
    - `language`: the name of the language it is a state of, as far as that is known
    """

    __slots__ = (
        "_stack", "acted", "borrowed", "calls", "draws", "input", "language", "log", "notes",
        "options", "output", "plane", "registers", "seed", "stop", "taken", "tick", "walkers",
    )  # fmt: skip

    def __init__(
        self,
        plane: Plane,
        walkers: list[Walker],
        *,
        stack: list[int] | array[float] | None = None,
        registers: dict[str, int] | array[float] | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
        stop: Stop | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.plane = plane
        self.walkers = walkers
        self.acted: list[Walker] = []
        self._stack: Any = [] if stack is None else stack
        self.borrowed: BorrowedStack | None = None
        self.registers: Any = {} if registers is None else registers
        self.calls: list[Stance] = []
        self.options: Mapping[str, Any] = options or {}
        self.tick = 0
        self.output = bytearray()
        self.taken = 0
        self.log: list[Any] = []
        self.input = InputStream()
        self.seed = seed
        self.draws = 0
        self.stop = stop
        self.notes = notes
        self.language = ""

    @property
    def stack(self) -> Any:
        """The numbers themselves, called back if machine code has them."""
        if self.borrowed is not None:
            self.borrowed.give_back()
        return self._stack

    @stack.setter
    def stack(self, numbers: Any) -> None:
        self._stack, self.borrowed = numbers, None

    @property
    def held_stack(self) -> Any:
        """The stack for those who look at its top, wherever its numbers are."""
        return self._stack if self.borrowed is None else self.borrowed

    @property
    def floats(self) -> bool:
        """Whether the stack holds floats, and not whole numbers."""
        return _is_array(self._stack)

    def take_output(self) -> bytes:
        """What was written since the last time; it is the caller's from now on."""
        taken = bytes(self.output)
        self.taken += len(taken)
        self.output.clear()
        return taken

    @property
    def written(self) -> int:
        """How many bytes the program has written in all."""
        return self.taken + len(self.output)

    def copy(self) -> State:
        """An independent twin: running one does not change the other."""
        twin = State.__new__(State)
        twin.plane = self.plane.copy()
        twin.walkers = list(self.walkers)
        twin.acted = self.acted[:]
        twin._stack, twin.borrowed = self.held_stack[:], None
        twin.registers = self.registers[:] if _is_array(self.registers) else dict(self.registers)
        twin.calls = self.calls[:]
        twin.options = self.options
        twin.tick = self.tick
        twin.output = self.output[:]
        twin.taken = self.taken
        twin.log = self.log[:]
        twin.input = self.input.copy()
        twin.seed = self.seed
        twin.draws = self.draws
        twin.stop = self.stop
        twin.notes = self.notes
        twin.language = self.language
        return twin

    def memory(self) -> int:
        """About how many bytes the run has come to hold, numbers of ordinary size assumed."""
        return (
            _NUMBER_MEMORY * len(self.held_stack)
            + self.plane.memory()
            + len(self.output)
            + len(self.input.data)
            + WALKER_MEMORY * len(self.walkers)
            + 200 * len(self.calls)
            + 2_000 * len(self.log)
        )

    def whole_numbers(self, at_once: int = 1 << 19) -> Iterator[Sequence[int]]:
        """All numbers that may be of any length, some at a time."""
        if self.borrowed is None and not self.floats:  # else none is long
            for begin in range(0, len(self._stack), at_once):
                yield self._stack[begin : begin + at_once]
        named = self.registers.values() if isinstance(self.registers, dict) else ()
        others = chain(named, self.plane.long_numbers())
        while some := tuple(islice(others, at_once)):
            yield some

    def __repr__(self) -> str:
        parts = [f"step {self.tick:,}", _number(len(self.walkers), "walker")]
        parts += [f"stack of {len(self.held_stack):,}"] if self.held_stack else []
        parts += [f"{_number(self.written, 'byte')} written"] if self.written else []
        parts += [STATUS[type(self.stop)]] if self.stop is not None else []
        return f"<State{self.language and f' in {self.language}'}: {', '.join(parts)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._compared() == other._compared()

    __hash__ = None  # type: ignore[assignment]

    def _compared(self) -> tuple[Any, ...]:
        # As text where floats may be: NaN equals NaN there, and 0 is not -0.
        return (
            self.tick, sorted(repr(bare(walker)) for walker in self.walkers),
            repr(bare(tuple(self.acted))),
            repr(self.stack) if _is_array(self.stack) else self.stack,
            repr(self.registers) if _is_array(self.registers) else self.registers,
            repr(bare(tuple(self.calls))), self.written, self.output, repr(self.log), self.seed,
            self.draws, repr(self.stop), self.input, self.plane,
        )  # fmt: skip

    def __getstate__(self) -> object:
        return object.__getstate__(self.copy())  # what engines work on stays here

    def to_json(self) -> dict[str, Any]:
        """Plain data that survives `json.dumps` and comes back through `from_json`."""
        stop = self.stop
        return {
            "language": self.language,
            "plane": self.plane.to_json(),
            "walkers": [[freeze(walker.stance), walker.hand] for walker in self.walkers],
            "acted": [[freeze(walker.stance), walker.hand] for walker in self.acted],
            "stack": _numbers_to_json(self.stack),
            "registers": _numbers_to_json(self.registers),
            "calls": [freeze(stance) for stance in self.calls],
            "options": {name: freeze(value) for name, value in self.options.items()},
            "tick": self.tick,
            "output": base64.b64encode(self.output).decode(),
            "taken": self.taken,
            "log": freeze(self.log),
            "input": self.input.to_json(),
            "seed": to_decimal(self.seed),
            "draws": self.draws,
            "stop": stop if stop is None else [STATUS[type(stop)], *freeze(stop.details)],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> State:
        """The state that `to_json` described."""
        state = cls(
            plane_from_json(data["plane"]),
            _walkers_from_json(data["walkers"]),
            stack=_numbers_from_json(data["stack"]),
            registers=_numbers_from_json(data["registers"]),
            options={name: thaw(value) for name, value in data["options"].items()},
            seed=from_decimal(data["seed"]),
        )
        if isinstance(state.registers, list) or isinstance(state.stack, dict):
            raise ValueError("stack and registers are not of their kinds")
        for _, hand in state.walkers:  # there may be no room for the rows up to there
            if hand is not None and isinstance(state.plane, BytePlane):
                size = (hand[1] + 1) * state.plane.width
                allowed().allow(size, "a plane down to the hand of a walker")
        state.language = str(data.get("language", ""))
        state.calls = [Stance(*thaw(stance)) for stance in data["calls"]]
        state.acted = _walkers_from_json(data["acted"])
        state.tick = _count(data, "tick")
        state.output = bytearray(base64.b64decode(data["output"]))
        state.taken = _count(data, "taken")
        state.log = [
            list(entry) if isinstance(entry, tuple) else entry for entry in thaw(data["log"])
        ]
        state.input = InputStream.from_json(data["input"])
        state.draws = _count(data, "draws")
        if data["stop"] is not None:
            kind, *details = data["stop"]
            state.stop = _FINAL_BY_NAME[kind](*thaw(details))
        return state


def _count(data: dict[str, Any], name: str) -> int:
    count = data[name]
    if type(count) is not int or count < 0:
        raise ValueError(f"{name!r} is no whole number from 0 on")
    return count


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def long_numbers(numbers: Sequence[int]) -> tuple[int, int]:
    """What `memory` leaves out of these numbers, and how many bits the longest has; it looks at
    every one of them, so do not ask too often."""
    sizes = [size for size in map(getsizeof, numbers) if size > _NUMBER_MEMORY]
    return sum(sizes), 8 * max(sizes, default=0)


def _walkers_from_json(data: list[Any]) -> list[Walker]:
    return [
        Walker(Stance(*thaw(stance)), None if hand is None else (hand[0], hand[1]))
        for stance, hand in data
    ]


def bare(value: Any) -> Any:
    """Named tuples as bare ones: a mode that comes from JSON has lost its name."""
    return tuple(map(bare, value)) if isinstance(value, tuple) else value


def _is_array(values: object) -> bool:
    return isinstance(values, array)


def _numbers_to_json(values: Any) -> Any:
    if _is_array(values):
        return {"floats": base64.b64encode(values.tobytes()).decode()}
    if isinstance(values, dict):
        return {"named": {name: to_decimal(value) for name, value in values.items()}}
    return {"whole": [to_decimal(value) for value in values]}


def _numbers_from_json(data: dict[str, Any]) -> Any:
    if "floats" in data:
        return array("f", base64.b64decode(data["floats"]))
    if "named" in data:
        return {name: from_decimal(value) for name, value in data["named"].items()}
    return [from_decimal(value) for value in data["whole"]]


def freeze(value: Any) -> Any:
    """Nested tuples, floats and bytes as JSON; floats keep every bit, NaN and infinity too."""
    if isinstance(value, (tuple, list)):
        return [freeze(item) for item in value]
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, int) and not isinstance(value, bool):
        return {"whole": to_decimal(value)} if abs(value) >> 53 else value
    return value


def thaw(value: Any, deepest: int = DEEPEST) -> Any:
    """What `freeze` made plain; a ValueError if it is nested too deep to be anything of ours."""
    if isinstance(value, list):
        if not deepest:
            raise ValueError(f"something is nested more than {DEEPEST} deep")
        return tuple(thaw(item, deepest - 1) for item in value)
    if isinstance(value, dict):
        if "float" in value:
            return float.fromhex(value["float"])
        if "whole" in value:
            return from_decimal(value["whole"])
        return base64.b64decode(value["bytes"])
    return value
