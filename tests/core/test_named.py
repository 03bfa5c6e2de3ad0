"""Named tuples that are made late are as those of `typing` in all that anybody sees of them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any
from typing import NamedTuple as Usual

import pytest

from planewalk.core.base import named

LATE: Any = named.NamedTuple


class Early(Usual):
    """A place."""

    x: int
    y: NotLookedAt[int] = 2  # type: ignore[name-defined]  # noqa: F821
    """With words about it."""
    z: Any = None

    def doubled(self) -> Early:
        return self._replace(x=2 * self.x)

    @property
    def total(self) -> int:
        return self.x + self.y


class Late(LATE):
    """A place."""

    x: int
    y: NotLookedAt[int] = 2  # type: ignore[name-defined]  # noqa: F821
    """With words about it."""
    z: Any = None

    def doubled(self) -> Late:
        return self._replace(x=2 * self.x)

    @property
    def total(self) -> int:
        return self.x + self.y


def _matched(kind: Any) -> Any:
    match kind(7, 8):
        case Early(x, y) | Late(x, y):
            return x, y


SIGHTS: list[Callable[[Any], Any]] = [
    lambda kind: kind(1),
    lambda kind: kind(1, 3, z=[4]),
    lambda kind: kind(x=5)._asdict(),
    lambda kind: kind._make("abc"),
    lambda kind: kind(1)._replace(y=9, z=8),
    lambda kind: kind(4).doubled().total,
    lambda kind: (kind._fields, kind._field_defaults, kind.__match_args__, kind.__doc__),
    lambda kind: (kind(1) == (1, 2, None), hash(kind(1)), kind(1) < kind(2)),
    lambda kind: pickle.loads(pickle.dumps(kind(1))),
    lambda kind: copy.deepcopy(kind([1])),
    lambda kind: list(kind.__annotations__),
    lambda kind: hasattr(kind(1), "__dict__"),
    _matched,
]


@pytest.mark.parametrize("sight", SIGHTS)
def test_they_look_alike(sight: Callable[[Any], Any]) -> None:
    early, late = sight(Early), sight(Late)
    assert early == late and repr(early).replace("Early", "Late") == repr(late)


@pytest.mark.parametrize(("wrong", "error"), [
    (lambda kind: kind(), TypeError), (lambda kind: kind(1, 2, 3, 4), TypeError),
    (lambda kind: kind(1, w=2), TypeError), (lambda kind: kind._make([1]), TypeError),
    (lambda kind: kind(1)._replace(w=2), ValueError),
    (lambda kind: setattr(kind(1), "x", 2), AttributeError),
])  # fmt: skip
def test_they_refuse_the_same(wrong: Callable[[Any], Any], error: type[Exception]) -> None:
    told = []
    for kind in (Early, Late):
        with pytest.raises(error) as caught:
            wrong(kind)
        told.append(str(caught.value).replace("Early", "Late"))
    assert told[0] == told[1] or error is AttributeError


def test_classes_of_such_classes() -> None:
    class Nearer(Late):
        def __new__(cls, x: int) -> Nearer:
            return super().__new__(cls, x, 5)

    assert Nearer(1) == (1, 5, None) and type(Nearer(1)) is Nearer and type(Late(1)) is Late


def test_fields_with_defaults_come_last() -> None:
    with pytest.raises(TypeError, match="come last"):
        type(LATE)("Wrong", (LATE,), {"__annotations__": {"a": "int", "b": "int"}, "a": 1})
