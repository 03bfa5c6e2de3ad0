"""Records: frozen values with named fields."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from planewalk.core.base.record import Record


class Spot(Record):
    """Two fields, one of which need not be said."""

    x: int
    act: Callable[[int], int] = abs


def test_values_come_by_place_by_name_and_by_default() -> None:
    assert vars(Spot(1)) == vars(Spot(x=1)) == {"x": 1, "act": abs}
    assert Spot(1, int).act is Spot(x=1, act=int).act is int


def test_a_function_in_a_field_is_no_method() -> None:
    class Doing(Record):
        act: Callable[[int], int] = lambda value: value + 1

    assert Doing().act(2) == 3


@pytest.mark.parametrize(("values", "fields", "told"), [
    ((), {}, "Spot needs the field 'x'"), ((1, abs, 3), {}, "Spot is given too many values"),
    ((1,), {"x": 2}, "or one of them twice"), ((1,), {"pace": 2}, "Spot has no field 'pace'"),
])  # fmt: skip
def test_wrong_values_are_told(values: Any, fields: Any, told: str) -> None:
    with pytest.raises(TypeError) as raised:
        Spot(*values, **fields)
    assert told in str(raised.value)


def test_a_record_cannot_be_changed() -> None:
    spot: Any = Spot(1)
    with pytest.raises(AttributeError, match="Spot cannot be changed; _replace gives another"):
        spot.x = 2
    with pytest.raises(AttributeError, match="cannot be changed"):
        del spot.x
    assert spot._replace(x=2).x == 2 and spot.x == 1


def test_records_of_one_kind_with_the_same_values_are_equal() -> None:
    assert Spot(1) == Spot(1) and hash(Spot(1)) == hash(Spot(1))
    assert Spot(1) != Spot(2) and Spot(1) != (1, abs)
    assert pickle.loads(pickle.dumps(Spot(3))) == Spot(3)
    assert repr(Spot(1)) == "Spot(x=1, act=<built-in function abs>)"
