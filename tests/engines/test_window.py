"""Machine code on a plane without edges: the window it works on, and how it comes and goes."""

import math
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.base.deadline import Deadline, OutOfTime
from planewalk.core.difference import plane_changes
from planewalk.core.geometry import Stance
from planewalk.core.limits import Limits
from planewalk.core.plane import SparsePlane
from planewalk.core.sparse.tiles import AREA, SIDE
from planewalk.core.state import State, Walker
from planewalk.core.step import Spent
from planewalk.engines.base.lending import is_lent
from planewalk.engines.base.policy import PATIENT, following, policy_in_force
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.ir import Key
from planewalk.engines.tracing.tracer import Tracer
from planewalk.engines.tracing.views import sure_box
from planewalk.engines.window import kernels, pane, window
from planewalk.engines.window.pane import BLOCK, Bounds
from planewalk.engines.window.window import Window
from planewalk.examples import find_example, gallery
from planewalk.languages import registry
from tests.engines.agreement import quick_code
from tests.marks import plainly

GEMOOY = registry.get("gemooy")
LIVELY = [
    e.file for e in gallery("gemooy") if e.file not in ("turn-around.gemooy", "vanish.gemooy")
]

SMALL = {"MOST_CELLS": 2 * AREA, "THIN": SIDE, "MOST_LONG_CELLS": 3 * AREA}
"""Sizes with which a window moves all the time."""


@pytest.fixture(autouse=True)
def soon() -> Iterator[None]:
    with following(PATIENT._replace(background=False, hot=2, stretch=3, profile=200)), quick_code():
        yield


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(window, "MARGIN", 0)
    monkeypatch.setattr(window, "GROWTHS", (1,))
    for name, value in SMALL.items():
        monkeypatch.setattr(pane, name, value)
    with following(policy_in_force()._replace(worth_a_visit=0)):
        yield


def started(file: str) -> State:
    return GEMOOY.start(find_example(file).read(), {}, 0)


def moved(state: State, dx: int, dy: int) -> State:
    """The same program elsewhere on the plane."""
    (x, y, *heading), hand = state.walkers[0]
    assert hand is not None
    state.walkers[0] = Walker(Stance(x + dx, y + dy, *heading), (hand[0] + dx, hand[1] + dy))
    plane = state.plane
    assert isinstance(plane, SparsePlane)
    state.plane = SparsePlane({(x + dx, y + dy): cell for (x, y), cell in plane.cells.items()})
    return state


def assert_agree(state: State, limits: list[int]) -> LLVMEngine:
    """Run on both engines and compare at each of these ticks; the first ones without a look."""
    expected, found = state.copy(), state.copy()
    reference, engine = ReferenceEngine(GEMOOY, expected), LLVMEngine(GEMOOY, found)
    for at, tick in enumerate(limits):
        stops = [engine.advance(tick - found.tick), reference.advance(tick - expected.tick)]
        assert stops[0] == stops[1] and found.walkers == expected.walkers, tick
        assert found.memory() == expected.memory(), tick
        if at % 3 == 2:
            assert found == expected, tick
            assert found.plane.box() == expected.plane.box(), tick
    assert found == expected and found.plane.box() == expected.plane.box()
    return engine


LIMITS = [100, 399, 400, 777, 1_000, 1_001, 1_002, 3_000, 3_500, 7_000, 12_000, 12_345]


@pytest.mark.parametrize("file", plainly(["grow.gemooy", "ant.gemooy", "counter.gemooy"], LIVELY))
def test_engines_agree_while_the_window_moves(file: str, small: None) -> None:
    assert_agree(started(file), LIMITS)


PLACES = [(-1_000_003, 70), (5, -(1 << 40)), (1 << 59, 1 << 58)]
WORKING = ["grow.gemooy", "counter.gemooy", "ant.gemooy"]


@pytest.mark.parametrize(
    ("place", "file"), plainly([(PLACES[2], WORKING[0])], product(PLACES, WORKING))
)
def test_engines_agree_anywhere_on_the_plane(
    place: tuple[int, int], file: str, small: None
) -> None:
    engine = assert_agree(moved(started(file), *place), LIMITS)
    assert engine.native_ticks > 6_000


def test_a_hand_beyond_64_bits_stays_out_of_machine_code() -> None:
    engine = assert_agree(moved(started("grow.gemooy"), 1 << 63, -(1 << 70)), LIMITS)
    assert engine.native_ticks == 0


def test_nobody_looks_at_the_cells_for_the_sake_of_a_limit() -> None:
    """A line that grows: bringing it to the plane would take much longer than running."""
    state = started("grow.gemooy")
    engine = LLVMEngine(GEMOOY, state)
    engine.advance(10_000)
    assert len(state.plane.cells) > 400  # type: ignore[attr-defined]
    for ticks in (50_000, 1, 20, 21, 22, 49_999):
        assert engine.advance(ticks) is None
        assert is_lent(state.plane)
        assert state.memory() > 300 * (state.tick // 21)
    assert is_lent(state.plane)
    assert state.plane.copy() == state.plane and not is_lent(state.plane)


def test_many_cells_in_a_window_count_as_the_memory_they_take(monkeypatch) -> None:
    monkeypatch.setattr(SparsePlane, "many", 100)
    state = started("grow.gemooy")
    engine = LLVMEngine(GEMOOY, state)
    engine.advance(400_000)
    seen = engine.backend.cells.window
    assert seen is not None and is_lent(state.plane) and seen.count > 19_000
    seen.pane._counted_again = 0.0  # it is time
    lent = state.plane.memory()
    assert 4 * seen.count < lent < 6 * seen.count
    assert len(state.plane.copy().cells) == seen.count  # type: ignore[attr-defined]
    assert not is_lent(state.plane)
    assert seen.count < state.plane.memory() < lent  # what was to come was counted


def test_no_cell_is_thought_to_be_smaller_than_machine_code_makes_it() -> None:
    engine = LLVMEngine(GEMOOY, started("grow.gemooy"))
    engine.advance(5_000)
    assert engine.backend.cells.window is not None and engine.units.at
    engine.backend.cells.window.highest = 0
    engine.advance(1_000)
    assert engine.backend.cells.window.highest == 2


def test_the_outermost_cells_of_what_was_walked_are_code() -> None:
    """Code relies on them when it takes it for granted that the program is not over."""
    state = started("loop.gemooy")
    plane = state.plane
    assert isinstance(plane, SparsePlane)
    corners = {(-9, 2), (2, -9), (99, 2), (2, 99)}
    for x, y in corners:
        plane.put(x, y, 2)
    walked = {Stance(x, y, 1, 1) for x in range(-20, 120) for y in range(-20, 120)}
    tracer = Tracer(GEMOOY, state, walked, {}, False)
    assert corners <= tracer.touched.keys()
    columns, lines = sure_box(tracer.context)
    assert (columns, lines) == ((-9, 99), (-9, 99))


def test_no_code_is_made_of_the_void() -> None:
    """Where nothing stands, a program would be over, unless something gets there before it: the
    ways out are followed for a step."""
    tracer = Tracer(GEMOOY, GEMOOY.start(b"$ @\n @ @\n  @", {}, 0), None, {}, False)
    tracer.explore(Key(Stance(0, 0, 1, 1), 0))
    assert 10 < tracer.acted < 60


def test_the_end_is_seen_at_the_last_tick_of_a_limit() -> None:
    """The mark under the hand changes: the loop is left, by ways that were walked before."""

    def leave(state: State) -> State:
        x, y = state.walkers[0].hand or (0, 0)
        state.plane.put(x, y, 1)  # type: ignore[attr-defined]
        return state

    way_out = leave(started("loop.gemooy"))
    reference = ReferenceEngine(GEMOOY, way_out)
    walked = set()
    while reference.advance(1) is None:
        walked.add(way_out.walkers[0].stance)
    walked.add(way_out.walkers[0].stance)
    for ticks in range(1, way_out.tick + 12):
        expected, found = started("loop.gemooy"), started("loop.gemooy")
        engine = LLVMEngine(GEMOOY, found)
        engine.survey.profile.walked |= walked
        engine.advance(1_000)
        ReferenceEngine(GEMOOY, expected).advance(1_000)
        before = engine.native_ticks
        stop = engine.advance(ticks) if leave(found) else None
        assert stop == ReferenceEngine(GEMOOY, leave(expected)).advance(ticks), ticks
        assert found == expected
        assert engine.native_ticks > before


@pytest.mark.parametrize("file", plainly(["counter.gemooy"], ["ant.gemooy"]))
def test_ways_that_are_new_come_into_machine_code(file: str) -> None:
    """Watched for a few ticks only, hardly any of its ways is known at first."""
    with following(policy_in_force()._replace(profile=10)):
        engine = assert_agree(started(file), [30_000, 90_000])
    assert engine.hot_spots.orders > 1
    before = engine.native_ticks
    engine.advance(50_000)
    assert engine.native_ticks - before > 45_000


def test_numbers_that_are_no_bytes_stay_out_of_machine_code() -> None:
    for number in (256, -1):
        state = started("grow.gemooy")
        state.plane = SparsePlane({**state.plane.cells, (100, 100): number})  # type: ignore[attr-defined]
        engine = LLVMEngine(GEMOOY, state)
        engine.advance(5_000)
        assert engine.native_ticks == 0 and not engine.units.at


def test_without_memory_for_more_the_window_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    class Poor(pane.Memory):
        def __init__(self, size: int) -> None:
            if size > 4 * AREA:
                raise OSError("no memory")
            super().__init__(size)

    monkeypatch.setattr(pane, "Memory", Poor)
    engine = assert_agree(started("grow.gemooy"), LIMITS)
    assert engine.native_ticks > 6_000


# The window alone -------------------------------------------------------------------------------

far_or_near = st.integers(-40, 40)
steps = st.lists(
    st.tuples(st.sampled_from("nnnnnnpm!?c"), far_or_near, far_or_near, st.integers(0, 2)),
    max_size=60,
)
SOME = {(x, y): 1 for x in range(-60, 60) for y in range(-30, 30) if (x * y) % 3 == 1}
CODED = {(x, y) for x in range(-200, 200, 5) for y in range(-200, 200, 3)}


def box_around(model: dict[tuple[int, int], int]) -> Any:
    places = [place for place, cell in model.items() if cell]
    columns, lines = [x for x, _ in places], [y for _, y in places]
    return (min(columns), min(lines), max(columns), max(lines)) if places else None


@given(steps=steps, far=st.integers(0, 6), large=st.booleans(), many=st.sampled_from([9, 1 << 16]))
@settings(max_examples=settings.default.max_examples // 3)
def test_a_window_shows_the_plane(steps, far, large, many) -> None:
    """As machine code, as another engine, and by looking: always the same cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SparsePlane, "many", many)
        patch.setattr(window, "MOST_CHANGES", 20 * far)
        patch.setattr(pane, "BROAD", 1 + far % 3)
        patch.setattr(window, "GROWTHS", (1,))
        for name, value in SMALL.items():
            patch.setattr(pane, name, value * (1 + 9 * (large and name == "MOST_CELLS")))
        model = dict(SOME)
        plane = SparsePlane(model)
        seen = Window(plane, CODED)
        x = y = 0
        for kind, dx, dy, value in steps:
            x, y = x + dx, y + dy
            if kind == "!":
                assert plane.cells == {place: cell for place, cell in model.items() if cell}
                continue
            if kind == "?":
                assert plane.box() == box_around(model)
                assert plane.cell(x, y) == model.get((x, y), 0)
                row = [model.get((x + at, y), 0) for at in range(-90, 90)]
                assert list(plane.row(x - 90, y, 180)) == row
                continue
            if kind == "c":
                twin = plane.copy()
                twin.put(x, y, 3)
                assert plane.cell(x, y) == model.get((x, y), 0)
                continue
            if kind == "p":
                plane.put(x, y, value)
                model[x, y] = value
                continue
            if kind == "m":  # a long way off
                x += 1_000_003
            seen.cover(x, y, far)
            seen.lend()
            for place in ((x, y), (x - far, y), (x + far, y - far), (x, y + far)):
                at = seen.pane.index(*place)
                assert at is not None and seen.pane.cells.bytes[at] == model.get(place, 0)
                assert seen.pane.code.bytes[at] == (place in CODED)
                seen.count += bool(value) - bool(seen.pane.cells.bytes[at])
                seen.pane.cells.bytes[at] = value
                seen.pane.changed.bytes[at // pane.BLOCK] = 1
                model[place] = value
        left = {place: cell for place, cell in model.items() if cell}
        assert plane.cells == left and plane == SparsePlane(left)
        assert plane.box() == box_around(left) and len(plane.cells) == len(left)


def test_kernels_of_panes_are_the_same_as_python() -> None:
    width, tiles = 3 * SIDE, array("q", [1, 5])
    cells = bytearray(x * y % 7 % 3 * 127 for y in range(2 * SIDE) for x in range(width))
    row = width // BLOCK
    marks = bytearray(2 * SIDE * row)
    marks[4 * row + 2] = marks[4 * row + 3] = marks[(2 * SIDE - 1) * row + 5] = 1
    kernels.assemble(None)
    outcomes = []
    for gather, scatter, wipe, marked in (
        (kernels.GATHER, kernels.SCATTER, kernels.WIPE, kernels.MARKED),
        (kernels.gather, kernels.scatter, kernels.wipe, kernels.marked),
    ):
        found = array("q", [9] * 6)
        assert marked(marks, row, 2, SIDE // BLOCK, bytearray(row), found) == 2
        tall = array("q", [9] * 6)  # as if there were one tile across
        assert marked(marks, row // 3, 6, SIDE // BLOCK, bytearray(2), tall) == 2
        assert tall[:2] == array("q", [0, 5])
        flat, counts, ours = bytearray(2 * AREA), array("q", [0, 0]), cells[:]
        words = memoryview(ours).cast("Q")
        gather(words, width, tiles, 2, memoryview(flat).cast("Q"), counts)
        wipe(words, width, tiles, 2)
        shown, known = bytearray(len(cells)), bytearray(len(cells) // BLOCK)
        lines = scatter(flat, shown, SIDE, width, known, BLOCK)
        outcomes.append((flat, counts, ours, shown, known, found, lines))
    assert outcomes[0] == outcomes[1]
    flat, counts, ours, shown, known, found, lines = outcomes[0]
    assert found[:2] == tiles

    def tile(content: bytearray, x: int, y: int) -> list[bytearray]:
        begin = y * SIDE * width + x * SIDE
        return [content[at : at + SIDE] for at in range(begin, begin + SIDE * width, width)]

    assert flat == b"".join(tile(cells, 1, 0) + tile(cells, 2, 1))
    assert counts[0] + counts[1] == len(flat) - flat.count(0)
    for x, y in [(x, y) for y in range(2) for x in range(3)]:
        gone = y * 3 + x in tiles
        assert tile(ours, x, y) == ([bytes(SIDE)] * SIDE if gone else tile(cells, x, y))
    assert tile(shown, 1, 0) == tile(cells, 1, 0)
    assert lines == sum(any(row) for row in tile(cells, 1, 0)) < SIDE
    assert sum(known) == 2 * lines


def write(seen: Window, model: dict[tuple[int, int], int], x: int, y: int) -> None:
    """Put a 1, as machine code does."""
    index = seen.pane.index(x, y)
    assert index is not None
    seen.count += 1 - bool(seen.pane.cells.bytes[index])
    seen.pane.cells.bytes[index] = seen.pane.changed.bytes[index // BLOCK] = model[x, y] = 1


@pytest.mark.parametrize(("right", "down"), [(9, 9), (-9, 9), (40, -4), (-3, -30), (0, 9), (9, 0)])
def test_a_pane_goes_ahead_of_what_it_shows(right: int, down: int) -> None:
    """It is as large as before, and the longer to a side the more it goes there."""
    came, needed = (
        Bounds(0, 0, 9, 9),
        Bounds(1000 * right, 1000 * down, 1000 * right + 9, 1000 * down + 9),
    )
    frame = Bounds(-8 * SIDE, -2 * SIDE, 8 * SIDE, 2 * SIDE).ahead(needed, came)
    assert frame.width * frame.height == 64 * AREA and frame.holds(needed)
    assert not any(edge % SIDE for edge in frame)
    if abs(right) == abs(down):
        assert frame.width == frame.height
    else:
        assert (frame.width > frame.height) == (abs(right) > abs(down))
    for way, before, behind in (
        (right, needed.left - frame.left, frame.right - needed.right),
        (down, needed.top - frame.top, frame.bottom - needed.bottom),
    ):
        if 1000 * abs(way) > max(frame.width, frame.height):
            assert (behind > 2 * before) if way > 0 else (before > 2 * behind)


@pytest.mark.parametrize("broad", [1, 100])
def test_a_pane_that_moves_shows_its_new_place_alone(broad, small: None, monkeypatch) -> None:
    monkeypatch.setattr(pane, "BROAD", broad)
    monkeypatch.setattr(SparsePlane, "many", 9)
    monkeypatch.setattr(pane, "MOST_CELLS", 4 * AREA)  # the memory of it is kept
    model = dict(SOME)
    plane = SparsePlane(model)
    seen = Window(plane, CODED)
    frames = set()
    for at in range(12):
        seen.cover(60 * at, 40 * at, 3)
        seen.lend()
        frames.add(seen.pane.frame)
        left, top, right, bottom = seen.pane.frame
        places = [(x, y) for y in range(top, bottom) for x in range(left, right)]
        assert seen.pane.cells.bytes[:] == bytes(model.get(place, 0) for place in places)
        assert seen.pane.code.bytes[:] == bytes(place in CODED for place in places)
        for x in (60 * at, 60 * at + 1):
            write(seen, model, x, 40 * at)
    assert len(frames) > 3 and plane.cells == model


class Impatient(Deadline):
    """One that is over for a moment, after so many looks."""

    def __init__(self, looks: int) -> None:
        super().__init__(lambda: 0.0, math.inf)
        self.looks = self.left_over = looks
        self.times = 0

    def check(self) -> None:
        self.left_over -= 1
        if self.left_over <= 0:
            self.times += 1
            self.left_over = self.looks + self.times  # else some would try again for ever
            raise OutOfTime


@pytest.mark.parametrize("broad", [1, 100])
def test_nothing_is_lost_where_a_window_has_no_time_to_move(
    broad: int, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pane, "BROAD", broad)
    monkeypatch.setattr(SparsePlane, "many", 9)
    for looks in range(1, 6):
        model, deadline = dict(SOME), Impatient(looks)
        plane = SparsePlane(model)
        seen = Window(plane, CODED)
        for at in range(-3, 4):
            x, y = 60 * at, 45 * at
            with suppress(OutOfTime):
                seen.cover(x, y, 3, deadline.check)
            for line in range(y - 2, y + 3):
                row = [model.get((x + column, line), 0) for column in range(-9, 9)]
                assert list(plane.row(x - 9, line, 18)) == row
            seen.cover(x, y, 3)
            seen.lend()
            write(seen, model, x, y)
        assert deadline.times and plane.cells == model and len(plane.cells) == len(model)


@pytest.mark.parametrize("looks", [2, 3])
@pytest.mark.parametrize("engine_of", [LLVMEngine, InterpreterEngine])
def test_a_run_goes_on_where_a_window_had_no_time_to_move(
    looks: int, engine_of: Any, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparsePlane, "many", 20)
    expected, found = started("grow.gemooy"), started("grow.gemooy")
    deadline = Impatient(looks)
    reference = ReferenceEngine(GEMOOY, expected)
    engine = engine_of(GEMOOY, found, Limits(deadline=deadline))
    while found.tick < 30_000:
        assert engine.advance(7_000) in (None, Spent("time"))
        reference.advance(found.tick - expected.tick)
        assert found.walkers == expected.walkers
    assert found == expected and deadline.times > 1 and engine.native_ticks > 10_000


def test_rows_go_on_where_a_window_ends() -> None:
    cells = {(x, y): 1 + x % 7 for x in range(-300, 300) for y in (0, 1)}
    plane = SparsePlane(cells)
    seen = Window(plane, set())
    seen.cover(0, 0, 8)
    seen.lend()
    for x in (-301, -150, -5, 0, 200):
        row = [cells.get((x + at, 1), 0) for at in range(300)]
        assert list(plane.row(x, 1, 300)) == row and is_lent(plane)


def test_cells_that_are_lent_come_back_to_whoever_uses_them() -> None:
    """However somebody looks, and also through what was taken hold of while they were lent.
    What is the same for all is answered at once."""
    answered: list[Callable[[Any], Any]] = [
        lambda plane: plane.cell(3, 4),
        lambda plane: plane.cell(3000, 4),
        lambda plane: plane.cells.get((0, 0)),
        lambda plane: [list(plane.row(at, 4, 90)) for at in (0, 3, -80, 3000)],
        lambda plane: plane.box(),
        lambda plane: plane.memory(),
    ]
    uses: list[Callable[[Any], Any]] = [
        *answered, lambda plane: plane.cells[3, 4], lambda plane: dict(plane.cells),
        lambda plane: {**plane.cells}, lambda plane: sorted(plane.cells),
        lambda plane: (3, 4) in plane.cells, lambda plane: bool(plane.cells),
        lambda plane: plane.cells == {(0, 0): 1, (3, 4): 7},
        lambda plane: plane == SparsePlane({(0, 0): 1, (3, 4): 7}),
        lambda plane: plane.columns.most, lambda plane: plane.copy().cells,
        lambda plane: plane.put(5, 5, 0), lambda plane: list(plane_changes(plane, SparsePlane())),
    ]  # fmt: skip
    for use in uses:
        plane, expected = SparsePlane({(0, 0): 1}), SparsePlane({(0, 0): 1, (3, 4): 7})
        seen = Window(plane, set())
        held = plane.cells
        for _ in range(2):  # as it is, and lent again
            seen.cover(0, 0, 8)
            seen.lend()
            held = plane.cells
            at = seen.pane.index(3, 4)
            assert at is not None and is_lent(plane) and len(plane.cells) == seen.count
            seen.pane.cells.bytes[at], seen.pane.changed.bytes[at // pane.BLOCK] = 7, 1
            seen.count = 2
            assert use(plane) == use(expected) and is_lent(plane) == (use in answered)
        seen.lend()
        assert held == expected.cells and not is_lent(plane)
        assert held.numbers(2, 4, 3) == [0, 7, 0]


def test_memory_is_counted_again_after_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long that takes, it takes a small part of the time."""
    now = iter([0.0, 1.0, 5.0, 9.9, 11.0, 12.0])
    monkeypatch.setattr(pane, "perf_counter", lambda: next(now))
    looked: list[object] = []
    monkeypatch.setattr(pane, "_pages", lambda marks: looked.append(marks) or 0)
    seen = pane.Pane(pane.Bounds(0, 0, 64, 1))
    for times in (2, 2, 2, 4):
        seen.memory()
        assert len(looked) == times


@pytest.mark.parametrize("far", [3_000, 100_000_000])
def test_where_there_is_no_memory_for_a_window(far: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A walker may be put far from its hand: the reference engine goes on then."""

    def fresh_memory(size: int) -> Any:
        if size > 1 << 33:
            raise OSError(12, "Cannot allocate memory")
        return original(size)

    original = pane.fresh_memory
    monkeypatch.setattr(pane, "fresh_memory", fresh_memory)
    states = []
    for kind in (ReferenceEngine, InterpreterEngine):
        state = started("ant.gemooy")
        ReferenceEngine(GEMOOY, state).advance(500)
        walker = state.walkers[0]
        there = walker.stance._replace(x=walker.stance.x + far)
        state.walkers = [walker._replace(stance=there)]
        engine = kind(GEMOOY, state)
        with quick_code():
            while state.tick < 2_000:
                engine.advance(2_000 - state.tick)
        states.append(state)
    assert states[0] == states[1]
