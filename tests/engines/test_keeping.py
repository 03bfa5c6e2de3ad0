"""How each kind of plane keeps its cells: flat in memory, by index, with hands that are near."""

import re
from pathlib import Path

import pytest

import planewalk
from planewalk.core.plane import BoardPlane, BytePlane, SparsePlane, TextPlane
from planewalk.engines.base.keeping import FURTHEST, keeping_of


def test_boards_lie_flat_as_they_are() -> None:
    keeping = keeping_of(BoardPlane(2, b"\0\1\xfe\xff"))
    assert keeping.flattened() == b"\0\1\xfe\xff" and keeping.codes == 256


def test_planes_that_are_written_are_not_copied() -> None:
    for plane in (BytePlane(2, bytearray(b"ab")), SparsePlane({(0, 0): 1})):
        with pytest.raises(TypeError):
            keeping_of(plane).flattened()


def test_hands_stay_in_a_field_and_near_elsewhere() -> None:
    field = keeping_of(BytePlane(2, bytearray(b"abcd")))
    assert field.confined and field.is_near((1, FURTHEST - 1))
    for hand in ((2, 0), (-1, 0), (0, -1), (0, FURTHEST)):
        assert not field.is_near(hand)
    text = keeping_of(TextPlane(["ab"]))
    assert not text.confined and text.is_near((-5, 1 - FURTHEST))
    assert not text.is_near((0, FURTHEST)) and not text.is_near((-FURTHEST, 0))


def test_cells_are_known_by_number_in_a_field_and_by_place_elsewhere() -> None:
    assert keeping_of(BytePlane(3, bytearray(6))).index(2, 1) == 5
    assert keeping_of(SparsePlane()).index(2, 1) == (2, 1)


def test_no_engine_asks_what_kind_a_plane_is() -> None:
    """That is what a keeping is for."""
    engines = Path(planewalk.__file__).parent / "engines"
    asks = re.compile(r"\.kind (==|!=|in|not in) [^\n]*[\"'{(](text|bytes|sparse|board)\b")
    for file in engines.rglob("*.py"):
        assert not asks.search(file.read_text()), file.name
