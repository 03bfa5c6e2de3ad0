"""Planes keep their cells, their box and their size."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planewalk.core.plane import (
    ANY_NUMBER,
    BoardPlane,
    BytePlane,
    SparsePlane,
    TextPlane,
    plane_from_json,
    range_of,
)

places = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
"""So few that cells are often cleared again."""


@given(st.lists(st.tuples(places, st.integers(0, 2)), max_size=60))
def test_the_box_of_a_sparse_plane_is_the_smallest_around_its_cells(changes: list) -> None:
    plane = SparsePlane()
    for (x, y), value in changes:
        plane.put(x, y, value)
        xs, ys = [x for x, _ in plane.cells], [y for _, y in plane.cells]
        expected = (min(xs), min(ys), max(xs), max(ys)) if xs else None
        assert plane.box() == expected
        twin = plane.copy()
        assert twin.box() == expected
        twin.put(9, -9, 1)
        assert plane.box() == expected


def test_toggling_one_far_cell_costs_nothing_that_grows() -> None:
    plane = SparsePlane({(0, 0): 1, (10**9, 0): 1})
    for _ in range(1000):
        plane.put(10**9, 0, 0)
        plane.put(10**9, 0, 1)
    assert plane.box() == (0, 0, 10**9, 0)
    assert len(plane.columns.counts) == 2


def test_ragged_text_is_not_padded() -> None:
    plane = TextPlane(["x" * 1000, *([""] * 1000)])
    assert (plane.width, plane.height) == (1000, 1001)
    assert plane.cell(999, 1000) == 32
    assert sum(map(len, plane.rows)) == 1000


def test_a_byte_plane_grows_downwards_with_zeros() -> None:
    plane = BytePlane(3, bytearray(b"abc"))
    assert plane.cell(1, 5) == 0
    plane.grow(4)
    plane.put(2, 3, 9)
    assert (plane.height, plane.cell(2, 3), plane.memory()) == (4, 9, 12)


def test_every_plane_survives_json() -> None:
    planes = [
        TextPlane(["ab", "c"], blank=0), BytePlane(2, bytearray(b"\0\xff\n ")),
        SparsePlane({(-3, 4): 2}), BoardPlane(2, b".>*#", ord(".")),
    ]  # fmt: skip
    for plane in planes:
        assert plane_from_json(plane.to_json()) == plane


def test_planes_say_between_which_numbers_their_cells_are() -> None:
    assert range_of(BytePlane(2, bytearray(2))) == (0, 255)
    assert range_of(BoardPlane(1, b"a", nothing=300)) == (0, 300)
    assert range_of(TextPlane(["ab\U0001f40c"], blank=40)) == (40, 0x1F40C)
    assert range_of(TextPlane([])) == (32, 32)
    assert range_of(SparsePlane({(0, 0): 5})) == ANY_NUMBER
    assert range_of(SparsePlane({(0, 0): 5}, (-2, 9))) == (-2, 9)


def test_a_plane_that_says_nothing_may_hold_anything() -> None:
    class OfSomebodyElse:
        kind, writable = "else", True

    assert range_of(OfSomebodyElse()) == (-math.inf, math.inf)


@pytest.mark.parametrize("holds", [(0, 2), (-9, 9), (-math.inf, 0), (0, 2**70)])
def test_a_sparse_plane_refuses_what_it_does_not_hold(holds: tuple[float, float]) -> None:
    plane = SparsePlane(holds=holds)
    for value in (-(2**80), -10, -9, -1, 0, 1, 2, 3, 9, 10, 2**70, 2**70 + 1):
        if holds[0] <= value <= holds[1]:
            plane.put(1, 1, value)
            assert plane.cell(1, 1) == value
        else:
            before = plane.cell(1, 1)
            with pytest.raises(ValueError, match=r"the number for cell \(1, 1\) is not from"):
                plane.put(1, 1, value)
            assert plane.cell(1, 1) == before
    assert range_of(plane.copy()) == holds
    assert range_of(plane_from_json(json.loads(json.dumps(plane.to_json())))) == holds


def test_a_range_without_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="a cell that nobody has put holds 0"):
        SparsePlane(holds=(1, 5))


def test_long_numbers_in_cells_survive_json() -> None:
    plane = SparsePlane({(0, 0): 2**53 + 1, (1, -1): -(10**9000), (2, 2): 7})
    text = json.dumps(plane.to_json())
    assert plane_from_json(json.loads(text)) == plane
    assert "[2, 2, 7]" in text and '"9007199254740993"' in text
