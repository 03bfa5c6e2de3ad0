"""Patterns that grow for ever, in every direction: the window goes with them, and never begins
anew with a small one."""

from collections.abc import Iterator

import pytest

from planewalk.core.plane import SparsePlane
from planewalk.core.sparse.tiles import SIDE
from planewalk.core.state import State
from planewalk.engines.base.policy import HASTY, following
from planewalk.engines.choose import choose_engine
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.window import kernels, pane, window
from planewalk.engines.window.pane import BLOCK, Bounds, Pane
from planewalk.engines.window.window import Window
from planewalk.languages import registry
from tests.engines.agreement import quick_code

GEMOOY = registry.get("gemooy")
DIRECTIONS = {
    "E": (1, 0), "S": (0, 1), "W": (-1, 0), "N": (0, -1), "SE": (1, 1), "SW": (-1, 1),
    "NW": (-1, -1), "NE": (1, -1),
}  # fmt: skip
SMALL_PANE = 16 * SIDE * SIDE


def growing(direction: str) -> bytes:
    """A ring in which the walker goes round for ever. Each time it writes one cell more, and the
    hand goes on; in two directions, if another handle lies in a side of the ring."""
    turns, slanted = divmod(["E", "SE", "S", "SW", "W", "NW", "N", "NE"].index(direction), 2)
    down = 3 if slanted else 1
    ring = dict.fromkeys(((2, 2), (6, 6), (9, 6), (10, 7), (10, 7 + down), (1, 2)), "@")
    ring |= dict.fromkeys(((8, 9 + down), (1 + down, 9 + down), (-2, 6), (-2, 5)), "@")
    ring |= {(5, 5): "#", (7, 6): "#"} | ({(10, 8): "#"} if slanted else {})
    if turns < 2:
        ring[4, 4] = "#"  # what was taken away once is put in twice
    start = ((3, 3), (-1, 4), (down, 8 + down), (9, 8 + down))[turns]
    ring |= {start: "$", (14, 14 * slanted): "%"}
    for _ in range(turns):
        ring = {(-y, x): sign for (x, y), sign in ring.items()}
    left, top = (min(place[axis] for place in ring) for axis in (0, 1))
    width, height = (1 + max(place[axis] for place in ring) for axis in (0, 1))
    rows = ("".join(ring.get((x, y), " ") for x in range(left, width)) for y in range(top, height))
    return "\n".join(rows).encode()


def start(direction: str) -> State:
    return GEMOOY.start(growing(direction), {}, 0)


@pytest.fixture(params=[True, False], ids=["kernels", "python"])
def assembled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With what is done to many cells in machine code, and without."""
    if request.param:
        kernels.assemble(None)
    else:
        for kernel in kernels.KERNELS:
            monkeypatch.setattr(kernel, "_native", None)
        monkeypatch.setattr(window, "assemble", lambda store: None)
    yield


@pytest.mark.parametrize("engine", ["auto", "interpreter", "llvm"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_it_grows_there(direction: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pane, "MOST_CELLS", 4 * SIDE * SIDE)
    monkeypatch.setattr(SparsePlane, "many", 50)
    found, expected = start(direction), start(direction)
    with following(HASTY), quick_code():
        ours = choose_engine(engine, GEMOOY, found, ReferenceEngine(GEMOOY, expected)._limits)
    reference = ReferenceEngine(GEMOOY, expected)
    for until in (3_000, 7_001, 20_000):
        while found.tick < until:
            ours.advance(until - found.tick)
        reference.advance(until - expected.tick)
        assert found.walkers == expected.walkers
        assert found.plane.box() == expected.plane.box()
        assert GEMOOY.shown(found) == GEMOOY.shown(expected)
    before, (hand_x, hand_y) = start(direction).walkers[0].hand, found.walkers[0].hand or (0, 0)
    assert before is not None
    for step, way in zip(
        DIRECTIONS[direction], (hand_x - before[0], hand_y - before[1]), strict=True
    ):
        assert 700 * abs(step) <= step * way <= 1_000 and bool(step) == bool(way)


@pytest.mark.parametrize("straddles", [False, True])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_window_that_goes_on_stays_large(
    direction: str, straddles: bool, assembled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where what it needs lies in two tiles."""
    monkeypatch.setattr(pane, "MOST_CELLS", SMALL_PANE)
    monkeypatch.setattr(pane, "THIN", 0)
    right, down = DIRECTIONS[direction]
    first, model = 0 if straddles else SIDE // 2, {(0, 0): 1}
    plane = SparsePlane(model)
    seen = Window(plane, set())
    moved = 0
    for at in range(0, 300 * SIDE, 61):
        x, y = first + right * at, first + down * at
        before = seen.pane.frame
        seen.cover(x, y, 2)
        seen.lend()
        moved += before != seen.pane.frame
        if moved > 12:
            assert seen.pane.frame.width * seen.pane.frame.height >= SMALL_PANE // 4
        index = seen.pane.index(x, y)
        assert index is not None
        seen.count += 1 - bool(seen.pane.cells.bytes[index])
        seen.pane.cells.bytes[index] = seen.pane.changed.bytes[index // BLOCK] = model[x, y] = 1
    lefts, tops = zip(*model, strict=True)
    assert plane.box() == (min(lefts), min(tops), max(lefts), max(tops))
    assert dict(plane.cells.items()) == model
    assert moved < (110 if right and down else 50)


def filled(frame: Bounds) -> Pane:
    shown = Pane(frame)
    for number in range(0, frame.width * frame.height, 173):
        shown.cells.bytes[number] = 1 + number % 5
        marks = shown.changed if number % 2 else shown.known
        marks.bytes[number // BLOCK] = 1
    return shown


@pytest.mark.parametrize("larger", [(2, 0, 0, 0), (0, 3, 0, 0), (0, 0, 1, 0), (1, 1, 2, 3)])
def test_a_larger_pane_shows_the_same(larger: tuple[int, ...], assembled: None) -> None:
    old = Bounds(-SIDE, 0, 2 * SIDE, 2 * SIDE)
    left, top, right, bottom = (SIDE * more for more in larger)
    new = Bounds(old.left - left, old.top - top, old.right + right, old.bottom + bottom)
    shown, wider = filled(old), Pane(new)
    wider.copy_from(shown)
    for x in range(new.left, new.right, 7):
        for y in range(new.top, new.bottom):
            here, there = wider.index(x, y), shown.index(x, y)
            assert here is not None
            for ours, theirs in ((wider.changed, shown.changed), (wider.known, shown.known)):
                was = 0 if there is None else theirs.bytes[there // BLOCK]
                assert ours.bytes[here // BLOCK] == was
            was = 0 if there is None else shown.cells.bytes[there]
            assert wider.cells.bytes[here] == was
    assert wider.box() == shown.box()
    wider.settle()
    assert wider.changed.bytes.find(b"\1") < 0
    assert wider.known.bytes[:].count(1) == len(set(blocks(shown)))


def blocks(shown: Pane) -> list[int]:
    """Those that are marked somehow."""
    marks = (shown.changed.bytes[:], shown.known.bytes[:])
    return [at for kind in marks for at in range(len(kind)) if kind[at]]


@pytest.mark.parametrize("places", [[], [0], [383], [SIDE * 384 + 64, 100 * 384 + 3]])
def test_the_box_of_a_pane(places: list[int], assembled: None) -> None:
    shown = Pane(Bounds(-SIDE, SIDE, 2 * SIDE, 3 * SIDE))
    for at in places:
        shown.cells.bytes[at] = shown.known.bytes[at // BLOCK] = 1
    spots = [(at % 384 - SIDE, at // 384 + SIDE) for at in places]
    expected = None
    if spots:
        lefts, tops = zip(*spots, strict=True)
        expected = min(lefts), min(tops), max(lefts), max(tops)
    assert shown.box() == expected
