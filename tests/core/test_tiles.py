"""Tiles hold what a dictionary would, in few bytes, and copies do not disturb each other."""

import json
from array import array
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.plane import SparsePlane, plane_from_json
from planewalk.core.sparse.tiles import AREA, SIDE, Tiles, aligned, cells_in, flat_of, zipped

lines = st.one_of(
    st.integers(-3, 3), st.integers(SIDE - 2, SIDE + 1), st.sampled_from([-(1 << 70), 1 << 40])
)
places = st.tuples(lines, lines)
numbers = st.one_of(
    st.just(0), st.integers(0, 3), st.sampled_from([-1, 4, 255, 256, 1 << 18, 1 << 50, 1 << 80])
)
changes = st.lists(st.tuples(places, numbers), max_size=40)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if four cells were many."""
    monkeypatch.setattr(SparsePlane, "many", 4)


def put(cells: Any, place: tuple[int, int], number: int) -> None:
    if number:
        cells[place] = number
    else:
        cells.pop(place, None)


@given(changes, changes, changes)
def test_tiles_are_like_a_dict_and_so_are_copies(first: list, ours: list, theirs: list) -> None:
    model: dict = {}
    tiles = Tiles()
    for place, number in first:
        put(model, place, number)
        put(tiles, place, number)
    twin, other = tiles.copy(), dict(model)
    for place, number in ours:
        put(model, place, number)
        put(tiles, place, number)
    for place, number in theirs:
        put(other, place, number)
        put(twin, place, number)
    for found, expected in ((tiles, model), (twin, other)):
        assert dict(found.items()) == expected and len(found) == len(expected)
        assert sorted(found) == sorted(expected)
        assert found == expected and expected == found and found == Tiles(expected)
        assert all(found.get(place, 0) == expected.get(place, 0) for place, _ in first + ours)
        assert found.highest() >= max(expected.values(), default=0)
        assert set(found.long_numbers()) >= {n for n in expected.values() if n >> 64}
        for x, y in [place for place, _ in first + ours]:
            row = [expected.get((x + at, y), 0) for at in range(-5, 9)]
            assert list(found.numbers(x - 5, y, 14)) == row
    assert (tiles == twin) == (model == other)
    assert set(tiles.different(twin)) == {place for place, _ in model.items() ^ other.items()}


@given(changes, st.lists(places, max_size=8))
def test_the_box_of_a_plane_in_tiles(steps: list, asked: list) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SparsePlane, "many", 4)
        plane = SparsePlane({(x, 0): 1 for x in range(5)})
        model = {(x, 0): 1 for x in range(5)}
        for at, (place, number) in enumerate(steps):
            plane.put(*place, number)
            put(model, place, number)
            xs, ys = [x for x, _ in model], [y for _, y in model]
            expected = (min(xs), min(ys), max(xs), max(ys)) if model else None
            if at % 3:
                assert plane.box() == expected
            if at % 5 == 4:
                plane = plane.copy()  # which may come to be a dict, and back
                assert plane.box() == expected


def test_the_box_shrinks_when_the_outermost_cells_go(few: None) -> None:
    plane = SparsePlane({(x, 0): 1 for x in range(6)})
    for place in ((9, 0), (9, 3), (-2, 1)):
        plane.put(*place, 1)
    assert plane.box() == (-2, 0, 9, 3)
    plane.put(9, 0, 0)
    assert plane.box() == (-2, 0, 9, 3), "there is another one on that line"
    plane.put(9, 3, 0)
    assert plane.box() == (-2, 0, 5, 1)
    plane.put(-2, 1, 0)
    assert plane.box() == (0, 0, 5, 0)


@pytest.mark.parametrize("many", [0, 1 << 10])
def test_tiles_given_to_a_plane_keep_its_box(few: None, many: int, monkeypatch) -> None:
    """One by one, or all together."""
    monkeypatch.setattr("planewalk.core.sparse.tiles.MANY_TILES", many)
    monkeypatch.setattr("planewalk.core.plane.MANY_TILES", many)
    start = {(x, x): 1 for x in range(0, 600, 7)}
    plane = SparsePlane(start)
    assert plane.box() == (0, 0, 595, 595)
    for changed in (
        {},
        {(0, 0): 0},
        {(3, 3): 2, (-200, 5): 1},
        {(-200, 5): 0, (595, 595): 0},
        {(900, 595): 1},
        dict.fromkeys(start, 0),
    ):
        twin = plane.cells.copy()
        for place, number in changed.items():
            put(twin, place, number)
            put(start, place, number)
        assert isinstance(twin, Tiles)
        flat = twin.flat((2, 0))
        twin.put_tiles([((2, 0), flat, AREA - flat.count(0))])  # as it is
        plane.adopt(twin)
        assert plane.cells == start
        model = SparsePlane(dict(start))
        assert plane.box() == model.box() and len(plane.cells) == len(start)


@pytest.mark.parametrize("most", [2, 255, 300])
def test_a_tile_changes_its_form_as_it_fills_and_empties(most: int) -> None:
    tiles, model = Tiles(), {}
    for y in range(SIDE):
        row = [(7 * x + y) % most + 1 for x in range(SIDE)]
        model |= {(x, y): number for x, number in enumerate(row)}
        tiles.put_row(0, y, row)
    assert tiles == model and len(tiles.tiles) == 1
    if most < 256:
        assert isinstance(tiles.tiles[0, 0], bytearray) and tiles.memory() < AREA + 500
    tiles = tiles.copy()
    for y in range(1, SIDE):
        tiles.put_row(0, y, [0] * SIDE)
    assert tiles == {(x, 0): model[x, 0] for x in range(SIDE)}
    tiles = tiles.copy()
    del tiles[SIDE - 1, 0]
    assert isinstance(tiles.tiles[0, 0], array) and tiles.memory() < 1000


def test_a_compressed_tile_knows_how_many_cells_it_has() -> None:
    tile = zipped(bytes([7] * 300) + bytes(AREA - 300), 300)
    assert isinstance(tile, bytes) and cells_in(tile) == 300


def test_rows_are_read_and_written_as_bytes() -> None:
    for others in ({}, {(9, 9): -5}, {(x, y): 1 for x in range(SIDE) for y in range(SIDE)}):
        tiles = Tiles(others)
        tiles.put_row(64, 3, bytes(range(64)))
        assert tiles.row(64, 3, 64) == bytes(range(64))
        assert tiles.row(62, 3, 4) == bytes([len(others) > 1, len(others) > 1, 0, 1])
        expected = {**others, **{(64 + n, 3): n for n in range(64)}}
        assert tiles == {place: number for place, number in expected.items() if number}
        tiles.put_row(64, 3, bytes(64))
        assert tiles.row(64, 3, 64) == bytes(64)


rows = st.lists(st.sampled_from([b"\1", b"\2\3", b"\1\0", b"\4", b"\0"]), min_size=3, max_size=3)


@given(
    st.lists(rows, min_size=1, max_size=20), changes, st.integers(-2, 2), st.integers(0, 2 * SIDE)
)
def test_lines_are_written_as_cells_are(several: list, first: list, column: int, y: int) -> None:
    """Also over cells that are there, and without disturbing copies."""
    model = {place: number for place, number in first if 0 < number < 256}
    tiles = Tiles(model)
    twin, x = tiles.copy(), column * SIDE
    lines = {
        (y & -SIDE) + (y + 3 * at) % SIDE: b"".join(part * (SIDE // len(part)) for part in parts)
        for at, parts in enumerate(several)
    }
    expected = {
        (at, y): n for (at, y), n in model.items() if y not in lines or not 0 <= at - x < 3 * SIDE
    }
    for y, row in lines.items():
        expected |= {(x + at, y): number for at, number in enumerate(row) if number}
    for _ in range(2):
        tiles.put_lines(x, lines)
        assert dict(tiles.items()) == expected and len(tiles) == len(expected)
        assert tiles == Tiles(expected) and twin == model
    for key in tiles.tiles:
        model = {place: n for place, n in expected.items() if (place[0] >> 7, place[1] >> 7) == key}
        assert tiles.flat(key) == Tiles(model).flat(key)


@given(changes, st.sampled_from([0, 1, 2, 5, 40, 256]))
def test_whole_tiles_are_written_as_lines_are(first: list, most: int) -> None:
    model = {place: number for place, number in first if 0 < number < 256}
    tiles, whole = Tiles(model), Tiles(model)
    lines = {y: bytes(y * x * x % (most or 1) for x in range(2 * SIDE)) for y in range(SIDE)}
    for y, row in lines.items():
        tiles.put_lines(-SIDE, {y: row})
    flats = [b"".join(row[x : x + SIDE] for row in lines.values()) for x in (0, SIDE)]
    whole.put_tiles(((x, 0), flat, AREA - flat.count(0)) for x, flat in enumerate(flats, -1))
    assert whole == tiles and len(whole) == len(tiles) == len(dict(tiles.items()))


@settings(max_examples=settings.default.max_examples // 6)
@given(st.lists(st.sampled_from([0, 1, 127, 128, 129, 300]), max_size=9), st.sampled_from([1, 60]))
def test_a_plane_is_made_of_rows(lengths: list, each: int) -> None:
    rows = [
        bytes((x * y + 1) % 3 for x in range(length)) for y, length in enumerate(lengths * each)
    ]
    model = {(x, y): n for y, row in enumerate(rows) for x, n in enumerate(row) if n}
    plane = SparsePlane.of_rows(rows, (0, 2))
    assert plane == SparsePlane(model, (0, 2)) and plane.holds == (0, 2)
    assert plane.box() == SparsePlane(model).box() and len(plane.cells) == len(model)


def test_pieces_of_a_row_are_in_one_tile_each() -> None:
    assert list(aligned(-3, 3 + SIDE + 5)) == [(-3, 3), (0, SIDE), (SIDE, 5)]
    assert list(aligned(7, 0)) == []


def test_a_place_that_is_no_place_is_asked_for_as_in_a_dict() -> None:
    model = {(1, 2): 3}
    tiles = Tiles(model)
    for place in [(1.0, 2.0), (1.5, 2), (float("inf"), 2), (float("nan"), 2), ("1", 2), (True, 2)]:
        assert tiles.get(place, 0) == model.get(place, 0)  # type: ignore[call-overload]


@pytest.mark.parametrize(("dx", "dy", "thick"), [(1, 0, 1), (0, 1, 1), (1, 1, 1), (-1, 1, 6)])
def test_lines_take_at_most_four_bytes_a_cell(dx: int, dy: int, thick: int) -> None:
    tiles = Tiles(
        {(dx * at, dy * at + n): 1 + at % 2 for at in range(20_000) for n in range(thick)}
    )
    assert tiles.memory() <= 4 * len(tiles)


def test_copies_of_a_plane_in_tiles_share_what_nobody_writes(few: None) -> None:
    plane = SparsePlane({(x, 0): 1 for x in range(0, 2000, 10)})
    twin = plane.copy()
    twin.put(5, 5, 2)
    ours, theirs = plane.cells, twin.cells
    assert isinstance(ours, Tiles) and isinstance(theirs, Tiles)
    assert [key for key in ours.tiles if ours.tiles[key] is not theirs.tiles[key]] == [(0, 0)]
    assert list(plane.places(twin)) == [(5, 5)] and plane != twin
    assert plane_from_json(json.loads(json.dumps(twin.to_json()))) == twin
    assert SparsePlane({(0, 0): 1}) != twin and list(SparsePlane().places(twin))


@pytest.mark.parametrize("bits", [0, 2, 5, 7])
def test_squares_are_those_that_hold_cells(bits: int) -> None:
    """In tiles of every form: codes, bytes, compressed ones and dicts."""
    full = {(x, y): 1 + (x ^ y) % 3 for x in range(SIDE) for y in range(40, SIDE)}
    cells = {**full, (-5, 300): 2, (-130, 301): 1 << 80, (SIDE, 3): 1, (SIDE + 60, 60): 300}
    tiles = Tiles(cells)
    tiles.tiles[0, 0] = bytearray(flat_of(tiles.tiles[0, 0]))
    for _ in range(2):
        found = dict(tiles.squares(bits))
        assert found.keys() == {(x >> bits << bits, y >> bits << bits) for x, y in cells}
        for (left, top), number in found.items():
            side = range(1 << bits)
            assert number in {cells.get((left + x, top + y)) for x in side for y in side}
        tiles.tiles[0, 0] = zipped(bytes(tiles.tiles[0, 0]), len(full))
