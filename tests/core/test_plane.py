"""Planes keep their cells, their box and their size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planewalk.core.plane import BoardPlane, BytePlane, SparsePlane, TextPlane, plane_from_json

places = st.tuples(st.integers(-6, 6), st.integers(-6, 6))


@given(st.lists(st.tuples(places, st.integers(0, 2)), max_size=60))
def test_the_box_of_a_sparse_plane_is_the_smallest_around_its_cells(changes: list) -> None:
    plane = SparsePlane()
    for (x, y), value in changes:
        plane.put(x, y, value)
        xs, ys = [x for x, _ in plane.cells], [y for _, y in plane.cells]
        expected = (min(xs), min(ys), max(xs), max(ys)) if xs else None
        assert plane.box() == expected
        assert plane.copy().box() == expected


def test_toggling_one_far_cell_costs_nothing_that_grows() -> None:
    plane = SparsePlane({(0, 0): 1, (10**9, 0): 1})
    for _ in range(1000):
        plane.put(10**9, 0, 0)
        plane.put(10**9, 0, 1)
    assert plane.box() == (0, 0, 10**9, 0)
    assert len(plane.columns.ascending) == 2


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
        TextPlane(["ab", "c"], blank=0),
        BytePlane(2, bytearray(b"\0\xff\n ")),
        SparsePlane({(-3, 4): 2}),
        BoardPlane(2, b".>*#", ord(".")),
    ]
    for plane in planes:
        assert plane_from_json(plane.to_json()) == plane
