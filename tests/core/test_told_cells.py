"""Cells in reading order, as lists and as JSON."""

import json
from itertools import chain
from random import Random

import pytest

from planewalk.core.plane import SparsePlane, ToldCells
from planewalk.core.sparse import tiles
from planewalk.core.sparse.tiles import SIDE, Tiles
from planewalk.view.walk.run_report import json_pieces

NAMES = ["", "#", '"é']


def some(seed: int) -> dict[tuple[int, int], int]:
    """Cells in a few tiles, of all kinds: some crowded, some with a single row or column."""
    chance, cells = Random(seed), {}
    for _ in range(seed % 7):
        left, top = chance.randrange(-3, 3) * SIDE, chance.randrange(-2, 2) * SIDE
        wide, high = chance.choice([(SIDE, SIDE), (1, SIDE), (SIDE, 1), (9, 70)])
        for _ in range(chance.choice([1, 40, 3_000])):
            cells[left + chance.randrange(wide), top + chance.randrange(high)] = chance.randrange(
                1, 3
            )
    return cells


@pytest.mark.parametrize("many", [1 << 30, 5])
@pytest.mark.parametrize("seed", range(14))
def test_cells_are_told_in_reading_order(seed: int, many: int, monkeypatch) -> None:
    monkeypatch.setattr(SparsePlane, "many", many)
    monkeypatch.setattr(tiles, "AT_ONCE", 50)
    cells = some(seed)
    plane = SparsePlane(cells)
    expected = [[x, y, NAMES[cells[x, y]]] for y, x in sorted((y, x) for x, y in cells)]
    assert list(ToldCells(plane, NAMES)) == expected
    assert "".join(json_pieces(ToldCells(plane, NAMES))) == json.dumps(expected)
    assert "".join(json_pieces({"cells": ToldCells(plane, NAMES)})) == json.dumps(
        {"cells": expected}
    )


def test_any_numbers_come_in_reading_order() -> None:
    cells = {(5, 0): -1, (3, 0): 300, (-SIDE, 0): 2, (0, 200): 1 << 70, (1, -1): 7, (2, 199): 255}
    found = [*chain.from_iterable(Tiles(cells).in_reading_order())]
    assert found == [(x, y, cells[x, y]) for y, x in sorted((y, x) for x, y in cells)]


def test_not_every_cell_is_there_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "AT_ONCE", 256)
    full = Tiles({(x, y): 1 for x in range(4 * SIDE) for y in range(SIDE)})
    assert max(map(len, full.in_reading_order())) <= 256 + SIDE


def test_crowded_rows_that_begin_inside_a_tile() -> None:
    cells = {(x, y): 1 + x % 2 for x in range(40, SIDE) for y in range(SIDE) if (x * y) % 11}
    plane = SparsePlane(cells)
    plane.keep_tiles(Tiles(cells))
    assert {*map(type, plane.cells.tiles.values())} <= {bytes, bytearray}  # type: ignore[union-attr]
    expected = [[x, y, NAMES[cells[x, y]]] for y, x in sorted((y, x) for x, y in cells)]
    assert list(ToldCells(plane, NAMES)) == expected
