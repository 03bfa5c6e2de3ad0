"""How planes keep their cells flat in memory, which is taken only where it is used."""

import os
import re
import sys
from pathlib import Path

import pytest

import planewalk
from planewalk.core.plane import BoardPlane, BytePlane, SparsePlane, TextPlane
from planewalk.engines.base import memory
from planewalk.engines.base.addresses import address_of
from planewalk.engines.base.keeping import FURTHEST, keeping_of
from planewalk.engines.base.memory import growing_memory, lengthen, taken


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


LARGE = 1 << 28
needs_growth = pytest.mark.skipif(not memory.CAN_GROW, reason="memory is taken at once here")


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@needs_growth
def test_what_was_not_written_takes_nothing() -> None:
    buffer, before = growing_memory(), resident()
    for size in (1_000, 1 << 24, LARGE):
        lengthen(buffer, size)
        assert len(buffer) >= size and address_of(buffer) != 0
        assert buffer[size - 1] == 0
    assert resident() - before < LARGE >> 4
    assert taken(buffer, 10) == 10 and taken(buffer, 2 * len(buffer)) == len(buffer)


@pytest.mark.parametrize("grows", [pytest.param(True, marks=needs_growth), False])
def test_what_was_written_stays(grows: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on systems that cannot lengthen memory by themselves, where all of it is taken."""
    monkeypatch.setattr(memory, "CAN_GROW", grows)
    buffer = growing_memory()
    lengthen(buffer, 100)
    buffer[7], buffer[99] = 1, 2
    lengthen(buffer, 10 << 20)
    assert buffer[7] == 1 and buffer[99] == 2 and buffer[:].count(0) == len(buffer) - 2
    assert taken(buffer, 100) == (100 if grows else 10 << 20)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is taken at once here")
def test_marks_of_a_field_count_as_far_as_they_reach() -> None:
    plane = BytePlane(10, bytearray(10 << 20))
    keeping = keeping_of(plane)
    keeping.mark({25})
    assert keeping.memory() == 26 and keeping.fits(len(plane.data) + 26)
    assert not keeping.fits(len(plane.data) + 25)
