"""Memory that is taken only where it is used."""

import os
import sys

import pytest

from planewalk.core.plane import BytePlane
from planewalk.engines.base import memory
from planewalk.engines.base.addresses import address_of
from planewalk.engines.base.keeping import keeping_of
from planewalk.engines.base.memory import growing_memory, lengthen, taken

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
