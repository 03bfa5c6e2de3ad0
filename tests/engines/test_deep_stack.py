"""Stacks that machine code has borrowed: they stay a list for everybody else."""

import json
import pickle
import random
from contextlib import suppress
from typing import Any

import pytest

from planewalk.core.keyframe import Keyframe
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Spent
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import HASTY, following
from planewalk.engines.choose import choose_engine, compiled_ticks
from planewalk.engines.interpreter import marshalling
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.native import deep_stack, unit
from planewalk.engines.native.abi import MOST_SHIFTED
from planewalk.engines.native.deep_stack import DeepStack
from planewalk.engines.stepping.drive import drive
from planewalk.engines.stepping.observe import Observer
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry

LONG = 1 << 80
MIRRORFUNGE = registry.get("mirrorfunge")

SIEVE = rb"""
\                /                                        \
       /    \         /                       \                 /                         \
\6f*a+#>0;(:</$2#>:2*#>11g6f*c+;-s$1g+:6f*a+;`</$):3f*5+;`</$02#>:6f*b+;-g!2g+2s$):6f*a+;`</$.@
            \/                                \/          \/                              \/
"""[1:]
"""How many primes there are below 100, with a flag for each on the stack."""


def begin(source: bytes, stack: list[Any] | None = None, given: bytes = b"") -> State:
    state = MIRRORFUNGE.start(source, MIRRORFUNGE.read_options({}), 5)
    state.input = InputStream(given)
    state.stack += stack or []
    return state


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little room everywhere, so that every end of it is come to."""
    for module in (deep_stack, marshalling, unit):
        monkeypatch.setattr(module, "STACK_SEEN", 8)
    monkeypatch.setattr(deep_stack, "SPARE", 5)


def run(engine: Any, until: int, slice_: int = 1 << 40) -> None:
    while engine.state.tick < until and engine.state.stop is None:
        engine.advance(min(slice_, until - engine.state.tick))


def borrowed(values: list[Any]) -> tuple[State, Any]:
    state = begin(b"@", values)
    return state, DeepStack(state)


# As a list ----------------------------------------------------------------------------------------


def change(stack: Any, chance: random.Random) -> Any:
    """Do something with a stack; gives what came of it."""
    size = len(stack)
    value = chance.choice((0, -5, (1 << 63) - 1, -(1 << 63), 1 << 63, LONG, -LONG, True))
    at = chance.randrange(-size, size) if size else 0
    low = chance.randrange(size + 1)
    kind = chance.randrange(14)
    if kind < 5:
        return stack.append(value)
    if kind < 8:
        return stack.pop() if stack else None
    if kind == 8:
        return stack.pop(at) if size else None
    if kind == 9:
        return stack[at] if size else None
    if kind == 10 and size:
        stack[at] = value
    if kind == 11:
        stack[low:] = [value] * chance.randrange(4)
    if kind == 12:
        del stack[low : low + chance.randrange(3)]
    if kind == 13:
        return stack[low:], stack[:low], stack[at : at + 3], stack[::2], list(stack), stack[-3:]
    return None


@pytest.mark.parametrize("seed", range(40))
def test_it_does_what_the_list_would_do(seed: int, narrow: None) -> None:
    chance = random.Random(seed)
    values: list[Any] = [*range(seed), 7]
    state, stack = borrowed(values)
    expected = list(values)
    for _ in range(300):
        same = chance.getstate()
        found = change(stack, chance)
        chance.setstate(same)
        assert found == change(expected, chance)
        assert len(stack) == len(state.held_stack) == len(expected)
        if chance.randrange(100) == 0:
            assert state.stack == expected  # called back
        if state.borrowed is None:
            with suppress(TypeError, OverflowError):  # not while something else is there
                stack = DeepStack(state)
    assert stack == expected
    assert [*map(type, state.stack)] == [*map(type, expected)]


def test_there_is_nothing_beyond_its_ends() -> None:
    _, stack = borrowed([1, 2])
    for at in (2, -3):
        with pytest.raises(IndexError):
            stack[at]
        with pytest.raises(IndexError):
            stack.pop(at)
    stack.clear()
    with pytest.raises(IndexError):
        stack.pop()
    stack.insert(0, 5)
    stack.insert(0, 4)
    assert stack == [4, 5] and repr(stack) == "[4, 5]"


def test_the_list_itself_comes_back() -> None:
    """Whoever held it before finds all in it again."""
    state = begin(b"@", [1, 2, 3])
    own = state.stack
    stack = DeepStack(state)
    assert own == [] and state.held_stack is stack
    stack.append(4)
    assert state.stack is own and own == [1, 2, 3, 4] and state.held_stack is own
    stack.append(5)  # who holds the other one does not lose it either
    assert own == [1, 2, 3, 4, 5] == stack and len(stack) == 5
    stack.give_back()
    assert own == [1, 2, 3, 4, 5]


def test_what_are_no_whole_numbers_stays_where_it_is() -> None:
    state = begin(b"@", [1, 2.5])
    with pytest.raises(TypeError):
        DeepStack(state)
    assert state.stack == [1, 2.5]
    state, stack = borrowed([1, 2])
    stack[0] = LONG
    assert state.borrowed is None and state.stack == [LONG, 2] == stack
    with pytest.raises(OverflowError):
        DeepStack(state)
    assert state.stack == [LONG, 2]


def test_states_are_exact_copies() -> None:
    state, stack = borrowed([*range(1_000)])
    twin = state.copy()
    assert state.borrowed is stack, "a copy leaves it where it is"
    stack.append(1)
    assert twin.stack == [*range(1_000)] and twin.borrowed is None
    assert state.memory() - twin.memory() == 40
    assert [number for some in state.whole_numbers() for number in some] == []
    for again in (
        pickle.loads(pickle.dumps(state)),
        State.from_json(json.loads(json.dumps(state.to_json()))),
        Keyframe(state, bytearray()).thaw(),
    ):
        assert again.stack == [*range(1_000), 1]


# In machine code ----------------------------------------------------------------------------------


@pytest.mark.parametrize("came_up", [1, 2, 7])
def test_the_lower_end_comes_up(came_up: int) -> None:
    """As if machine code had taken out the lowest values."""
    _, stack = borrowed([*range(32)])
    seen_by: Any = Shown()
    stack.show(seen_by)
    stack.take(32 - came_up, came_up)
    expected = [*range(came_up, 32)]
    assert stack == expected and len(stack) == len(expected)
    stack.append(5)
    assert stack.pop() == 5 and stack == expected


class Shown:
    """Notes what machine code is shown."""

    def show_stack(self, *shown: int) -> None:
        self.shown = shown


@pytest.mark.parametrize("depth", [0, 1, 1_000])
def test_there_is_room_for_all_that_machine_code_may_push(depth: int, narrow: None) -> None:
    _, stack = borrowed([*range(depth)])
    seen_by: Any = Shown()
    for shifted in [0] * 60_000 + [MOST_SHIFTED] * 5:
        stack.show(seen_by)
        address, seen, below, room = seen_by.shown
        assert (seen, below, room) == (len(stack), 0, len(stack) + deep_stack.SPARE)
        end = (address - stack.address) // 8 + room + MOST_SHIFTED
        assert end <= stack._room == len(stack._words)
        stack.take(room, shifted)


def both(
    source: bytes,
    ticks: int,
    stack: list[int] | None = None,
    given: bytes = b"",
    slice_: int = 10**9,
) -> InterpreterEngine:
    expected, state = begin(source, stack, given), begin(source, stack, given)
    with following(HASTY):
        engine = InterpreterEngine(MIRRORFUNGE, state)
    reference = ReferenceEngine(MIRRORFUNGE, expected)
    for until in range(min(slice_, ticks), ticks + 1, min(slice_, ticks)):
        run(reference, until)
        run(engine, until)
        assert len(state.held_stack) == len(expected.stack)
        assert state.copy() == expected
    assert state == expected
    return engine


@pytest.mark.parametrize("slice_", [97, 1_000, 60_000])
def test_a_sieve_on_the_stack(slice_: int, narrow: None) -> None:
    engine = both(SIEVE, 60_000, slice_=slice_)
    assert bytes(engine.state.output) == b"25"


@pytest.mark.parametrize("index", [b"1", b"5", b"f", b"ff+"])
@pytest.mark.parametrize("long_at", [None, 0, 8, 25, 39])
def test_values_are_taken_out_wherever_they_stand(
    index: bytes, long_at: int | None, narrow: None
) -> None:
    source = b">" + index + b"r1+:*v\n^" + b" " * (4 + len(index)) + b"<"
    stack = [*range(40)]
    if long_at is not None:
        stack[long_at] = LONG
    both(source, 2_000, stack, slice_=331)


@pytest.mark.parametrize("name", ["auto", "interpreter", "llvm", "python"])
def test_every_engine_knows_deep_stacks(name: str, narrow: None) -> None:
    for source in (SIEVE, b"1&", b"12g:r+;s", b"1:+:3g.1"):
        expected, state = begin(source), begin(source)
        with following(HASTY):
            engine = choose_engine(name, MIRRORFUNGE, state, Limits(memory=None))
        reference = ReferenceEngine(MIRRORFUNGE, expected)
        for until in range(700, 14_000, 700):
            run(engine, until)
            run(reference, until)
            assert state.copy() == expected


@pytest.mark.parametrize("pushed", [3, 7, 11])
def test_how_often_there_is_room_is_not_asked_in_128_bits(pushed: int) -> None:
    """LLVM divides the room by what each round pushes; a processor has no such division."""
    with following(HASTY):
        engine = choose_engine("llvm", MIRRORFUNGE, begin(b"1" * pushed), Limits(memory=None))
    run(engine, 40_000)
    assert compiled_ticks(engine).native > 20_000
    assert engine.state.stack == [1] * 40_000


# What it takes ------------------------------------------------------------------------------------


def count_copied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many numbers were borrowed or given back each time."""
    copied: list[int] = []
    words_of, give_back = deep_stack._words_of, DeepStack.give_back

    def noted(values: list[Any]) -> Any:
        copied.append(len(values))
        return words_of(values)

    def noted_back(self: DeepStack) -> None:
        copied.append(len(self))
        give_back(self)

    monkeypatch.setattr(deep_stack, "_words_of", noted)
    monkeypatch.setattr(DeepStack, "give_back", noted_back)
    return copied


@pytest.mark.parametrize("source", [b"1&", b"1111111111111111&", b"ff*:*g$"])
def test_to_leave_and_enter_does_not_copy_the_stack(source: bytes, monkeypatch) -> None:
    """Each time round, machine code is left for the reference engine."""
    copied = count_copied(monkeypatch)
    with following(HASTY):
        engine = InterpreterEngine(MIRRORFUNGE, begin(source, [1] * 60_000))
    run(engine, 20_000, 1_000)
    assert engine.native_ticks > 5_000
    assert engine.state.borrowed is not None
    assert sum(copied) <= 80_000


def test_somebody_who_looks_again_and_again_is_not_waited_for(monkeypatch) -> None:
    """To borrow it anew has to be paid for by visits."""
    copied = count_copied(monkeypatch)
    engine = InterpreterEngine(MIRRORFUNGE, begin(b"1ff*:*g$&$", [1] * 200_000))
    for _ in range(200):
        engine.advance(20)
        assert engine.state.stack[0] == 1
    assert len(copied) <= 20


def test_the_limit_of_memory_counts_it() -> None:
    """Forty bytes for each number, wherever it is."""
    limits = Limits(memory=8 << 20)
    state = begin(b"1", [1] * 50_000)
    engine = InterpreterEngine(MIRRORFUNGE, state, limits)
    assert isinstance(drive(engine, limits, lambda: 0.0), Spent)
    assert state.memory() > 8 << 20
    assert len(state.held_stack) < (8 << 20) // 40 + 2 * deep_stack.SPARE


def test_it_is_observed_where_it_is() -> None:
    state = begin(b"12+$", [7] * 1_000)
    observer = Observer(MIRRORFUNGE, state)
    told = []
    for _ in range(4):
        told.append(observer.step())
        DeepStack(state)
    popped = [list(action.popped) for step in told if step for action in step.actions]
    assert popped == [[], [], [2, 1], [3]]
    assert state.stack == [7] * 1_000
