"""Which cells are code: as long as a unit depends on them, or somebody watches them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from planewalk.core.barriers import Barriers
from planewalk.core.geometry import Stance
from planewalk.core.limits import Limits
from planewalk.engines.base.keeping import HEIGHT
from planewalk.engines.base.policy import PATIENT
from planewalk.engines.compiled.code_map import CodeMap, UnitSet
from planewalk.engines.compiled.run import LiveRun
from planewalk.engines.tracing.ir import Key
from tests.engines import ledger

PLACES = (0, 0), (1, 0), (2, 0)


def key(number: int) -> Key:
    return Key(Stance(number, 0, 1, 0), 0, ())


class House:
    """A code map with units of two tiers."""

    def __init__(self, plane: str) -> None:
        state = ledger.start(b"123456", {"plane": plane, "hand": False}, 0)
        self.run = LiveRun(ledger.LANGUAGE, state, Limits(memory=None), PATIENT)
        self.map = CodeMap(self.run)
        self.low: UnitSet[Any] = UnitSet(self.map)
        self.high: UnitSet[Any] = UnitSet(self.map)

    def unit(self, *places: tuple[int, int], entry: int = 0) -> Any:
        cells = {self.map.keeping.index(*at): ord("1") + at[0] for at in places}
        return _Unit(entries={key(entry): 0}, touched=cells, armed=None, registers=[])

    def marked(self) -> list[bool]:
        marks, indices = self.map.marks, [self.map.keeping.index(*at) for at in PLACES]
        return [at < len(marks) and bool(marks[at]) if isinstance(at, int) else at in marks
                for at in indices]  # fmt: skip

    def write(self, x: int) -> None:
        self.run.reference.machine.put(x, 0, 99)
        self.map.keep_true()


class _Unit(SimpleNamespace):
    __hash__ = object.__hash__


def marked(house: House) -> Any:
    """All marks that there are, set or not."""
    marks = house.map.marks
    return marks if isinstance(marks, set) else marks[:]


@pytest.fixture(params=["bytes", "sparse"])
def house(request: Any) -> House:
    return House(request.param)


def test_cells_are_code_as_long_as_a_unit_depends_on_them(house: House) -> None:
    first, second = house.unit(*PLACES[:2]), house.unit(*PLACES[1:], entry=1)
    house.low.adopt(first)
    house.high.adopt(second)
    assert house.marked() == [True, True, True]
    house.low.drop({first})
    assert house.marked() == [False, True, True]
    house.high.drop({second})
    assert house.marked() == [False, False, False] and not any(marked(house))


def test_a_cell_that_changes_drops_what_depends_on_it(house: House) -> None:
    first, second = house.unit(*PLACES[:2]), house.unit(*PLACES[1:], entry=1)
    house.low.adopt(first)
    house.high.adopt(second)
    house.write(0)
    assert not house.low.at and house.high.all() == {second}
    assert house.marked() == [False, True, True]
    house.write(0)
    assert house.high.all() == {second}, "no code any more"
    house.write(2)
    assert not house.high.at and house.marked() == [False, False, False]


def test_a_cell_that_keeps_changing_is_restless(house: House) -> None:
    stance = key(0).stance
    for value in range(50, 54):
        assert not house.map.is_restless(stance)
        house.low.adopt(house.unit(PLACES[0]))
        house.run.reference.machine.put(0, 0, value)
        house.map.keep_true()
    assert house.map.is_restless(stance)


def test_what_is_watched_stays_marked(house: House) -> None:
    unit = house.unit(*PLACES[:2])
    house.low.adopt(unit)
    house.map.guard(Barriers(written=frozenset(PLACES[1:2]), read=frozenset(PLACES[2:])))
    assert house.marked() == [True, True, True]
    house.low.drop({unit})
    assert house.marked() == [False, True, True]
    house.map.guard(Barriers(written=frozenset(PLACES[1:2])))
    assert house.marked() == [False, True, False]
    house.map.guard(None)
    assert house.marked() == [False, False, False]


def test_watching_ends_and_code_stays(house: House) -> None:
    house.map.guard(Barriers(written=frozenset(PLACES[:2])))
    house.low.adopt(house.unit(PLACES[0]))
    house.map.guard(None)
    assert house.marked() == [True, False, False]


def test_other_barriers_drop_all_code(house: House) -> None:
    barriers = Barriers(output=True)
    house.low.adopt(house.unit(PLACES[0]))
    house.high.adopt(house.unit(PLACES[1], entry=1))
    house.map.rearm(barriers)
    assert not house.low.at and not house.high.at and not any(marked(house))
    assert not house.map.admits(house.unit(PLACES[0])), "it would not leave"
    unit = house.unit(PLACES[0])
    unit.armed = barriers
    assert house.map.admits(unit)


def test_who_else_marks_cells_is_told(house: House) -> None:
    told: list[tuple[set[Any], bool]] = []
    house.map.others = SimpleNamespace(mark=lambda cells, coded: told.append((set(cells), coded)))
    if not isinstance(house.map.marks, set):
        return  # only planes without edges have windows
    first, second = house.unit(*PLACES[:2]), house.unit(*PLACES[1:], entry=1)
    house.low.adopt(first)
    house.high.adopt(second)
    house.low.drop({first})
    assert told == [(set(PLACES[:2]), True), (set(PLACES[1:]), True), ({PLACES[0]}, False)]


def test_landings_are_where_there_is_code(house: House) -> None:
    first, second = house.unit(PLACES[0]), house.unit(PLACES[1], entry=1)
    assert house.map.landings == set()
    house.low.adopt(first)
    assert house.map.landings == {key(0).stance}
    house.high.adopt(second)
    assert house.map.landings == {key(0).stance, key(1).stance}
    house.low.drop({first})
    assert house.map.landings == {key(1).stance}


def test_code_that_counts_on_the_height_goes_when_there_are_more_rows() -> None:
    house = House("bytes")
    plane: Any = house.run.state.plane
    unit = house.unit(PLACES[0])
    unit.touched[HEIGHT] = plane.height
    house.low.adopt(unit)
    house.map.keep_true()
    assert house.low.at
    plane.grow(plane.height + 1)
    house.map.keep_true()
    assert not house.low.at


def test_a_watched_cell_may_come_later() -> None:
    house = House("bytes")
    plane: Any = house.run.state.plane
    below = plane.height
    house.run.barriers = Barriers(written=frozenset({(1, below)}))
    house.map.guard(house.run.barriers)
    assert not any(marked(house))
    plane.grow(below + 1)
    house.map.keep_true()
    assert house.map.marks[below * plane.width + 1]
