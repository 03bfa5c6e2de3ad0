"""Complete states: copies of them, and what belongs to them."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from planewalk.core.errors import LimitReached
from planewalk.core.geometry import RIGHT, Stance
from planewalk.core.plane import BytePlane
from planewalk.core.state import LazyWalkers, State, Walker
from planewalk.core.stream import InputStream, Starved
from planewalk.languages import registry

HERE = Walker(Stance(0, 0, *RIGHT))


def full() -> State:
    state = State(BytePlane(2, bytearray(b"ab")), [HERE], stack=[1], registers={"a": 1})
    state.calls, state.acted, state.log = [HERE.stance], [HERE], ["said"]
    state.output += b"out"
    state.input = InputStream(b"in", closed=False)
    return state


CHANGES: dict[str, Callable[[Any], Any]] = {
    "plane": lambda state: state.plane.put(1, 0, 7),
    "walkers": lambda state: state.walkers.append(HERE), "acted": lambda state: state.acted.clear(),
    "stack": lambda state: state.stack.append(2),
    "registers": lambda state: state.registers.update(a=2),
    "calls": lambda state: state.calls.pop(), "output": lambda state: state.output.extend(b"more"),
    "log": lambda state: state.log.append("more"), "input": lambda state: state.input.feed(b"more"),
}  # fmt: skip


@pytest.mark.parametrize("part", CHANGES)
def test_what_happens_to_a_copy_does_not_happen_to_the_other(part: str) -> None:
    state = full()
    twin = state.copy()
    assert twin == full()
    CHANGES[part](twin)
    assert state == full() and twin != full()
    assert state.to_json() == full().to_json()


def test_who_looks_at_the_first_walkers_leaves_the_others_unmade() -> None:
    walkers = [Walker(Stance(x, 0, *RIGHT)) for x in range(5)]
    for index in (0, 2, slice(2), slice(1, 3), slice(5)):
        lazy = LazyWalkers.later(lambda: 5, lambda: iter(walkers))
        assert lazy[index] == walkers[index] and not lazy.seen


@pytest.mark.parametrize("step", [None, -1, 1, 2])
def test_walkers_that_are_made_later_are_picked_as_from_a_list(step: int | None) -> None:
    walkers = [Walker(Stance(x, 0, *RIGHT)) for x in range(5)]
    for start, stop in product([None, -6, -2, 0, 3, 9], repeat=2):
        lazy = LazyWalkers.later(lambda: 5, lambda: iter(walkers))
        assert lazy[start:stop:step] == walkers[start:stop:step], (start, stop)
        with pytest.raises(IndexError):
            lazy[5]


@pytest.mark.parametrize(("change", "said"), [
    ({"plane": {"kind": "bytes", "width": 10**17, "data": "K1hYIV4="}}, "'width' of the plane"),
    ({"plane": {"kind": "bytes", "width": 2, "data": "K1hYIV4="}}, "'width' of the plane"),
    ({"walkers": [[[0, 0, 1, 0, "none"], [0, 10**17]]]}, "down to the hand of a walker takes"),
])  # fmt: skip
def test_states_larger_than_memory_are_refused(change: dict[str, Any], said: str) -> None:
    language = registry.get("refunge")
    whole = language.start(b"+XX!^", language.read_options({}), 0).to_json()
    with pytest.raises((ValueError, LimitReached), match=said):
        State.from_json(whole | change)


def test_whether_input_has_ended_is_not_known_until_it_is_closed() -> None:
    stream = InputStream(b"x", closed=False)
    assert not stream.ended
    assert stream.read_byte() == ord("x")
    with pytest.raises(Starved):
        _ = stream.ended
    stream.feed(b"")
    assert stream.ended


def test_long_input_is_read_in_order_also_behind_what_is_dropped() -> None:
    """What was read is dropped after 64 KiB, and nobody can tell."""
    data = b"".join(number.to_bytes(4, "big") for number in range(60_000))
    stream, read = InputStream(closed=False), bytearray()
    for begin in range(0, len(data), 50_000):
        stream.feed(data[begin : begin + 50_000])
        while stream.unread > 3:
            read.append(stream.read_byte())
        twin = InputStream.from_json(stream.to_json())
        assert stream.position == len(read) and twin == stream == stream.copy()
    stream.feed(b"")
    assert stream.dropped > 1 << 17
    while (byte := stream.read_byte()) >= 0:
        read.append(byte)
    assert bytes(read) == data
