"""Keyframes share what has not changed, and stay within their budget."""

from itertools import pairwise

import pytest

from planewalk.core.geometry import RIGHT, Stance
from planewalk.core.keyframe import PAGE, Keyframe
from planewalk.core.plane import BytePlane, SparsePlane
from planewalk.core.state import State, Walker
from planewalk.debug.replay.keyframes import Keyframes


def field(pages: int) -> State:
    plane = BytePlane(64, bytearray(pages * PAGE))
    return State(plane, [Walker(Stance(0, 0, *RIGHT))], stack=list(range(3_000)))


def test_a_page_that_did_not_change_is_the_same_object() -> None:
    state = field(8)
    first = Keyframe(state, bytearray())
    state.plane.put(3, 0, 7)  # type: ignore[attr-defined]
    state.stack.append(1)
    second = Keyframe(state, bytearray(), first)
    same = {id(part) for part, _ in first.parts()} & {id(part) for part, _ in second.parts()}
    assert len(same) == 7 + 2  # pages, and pieces of the stack
    assert second.thaw().plane.cell(3, 0) == 7 and first.thaw().plane.cell(3, 0) == 0
    assert second.thaw() == state


def test_a_tile_that_did_not_change_is_the_same_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparsePlane, "many", 4)
    state = State(SparsePlane({(x, 0): 1 for x in range(0, 1280, 10)}), [])
    first = Keyframe(state, bytearray())
    state.plane.put(700, 1, 2)  # type: ignore[attr-defined]
    second = Keyframe(state, bytearray(), first)
    same = {id(part) for part, _ in first.parts()} & {id(part) for part, _ in second.parts()}
    assert len(first.parts()) == len(second.parts()) == 10 and len(same) == 9
    assert second.thaw() == state and first.thaw().plane.cell(700, 1) == 0


def test_they_are_thinned_to_their_budget_and_the_first_stays() -> None:
    state = field(1)
    kept = Keyframes(Keyframe(state, bytearray()), budget=20 * PAGE)
    for tick in range(1, 200):
        state.tick = tick
        state.plane.data[:] = bytes([tick % 256]) * PAGE  # type: ignore[attr-defined]
        kept.keep(state, bytearray())
        assert kept.size <= 20 * PAGE
    assert kept.before(0).tick == 0 and kept.before(10**9).tick == 199
    gaps = sorted(kept.kept)
    assert max(b - a for a, b in pairwise(gaps)) < 100, "spread over the run"


def test_the_size_is_that_of_the_parts_there_are() -> None:
    state = field(4)
    kept = Keyframes(Keyframe(state, bytearray()), budget=1 << 30)
    before = kept.size
    for tick in range(1, 10):
        state.tick = tick
        kept.keep(state, bytearray())
    assert kept.size - before < PAGE, "nothing has changed, so hardly anything is kept"


def test_one_that_is_too_large_does_not_drive_the_others_out() -> None:
    state = field(1)
    kept = Keyframes(Keyframe(state, bytearray()), budget=20 * PAGE)
    for tick in range(1, 8):
        state.tick = tick
        state.plane.data[:] = bytes([tick]) * PAGE  # type: ignore[attr-defined]
        kept.keep(state, bytearray())
    for pages in (6, 30):
        large = field(pages)
        large.tick = 100 + pages
        large.plane.data[:] = bytes(range(1, 1 + pages)) * PAGE  # type: ignore[attr-defined]
        kept.keep(large, bytearray())
    assert list(kept.kept) == list(range(8)) and kept.size <= 20 * PAGE
