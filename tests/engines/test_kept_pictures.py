"""Machine code of pictures is found again by the program, before anything is traced."""

from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.engines.base import executable
from planewalk.engines.native.machine_code import NAMED, why_not
from planewalk.engines.picture import Painter, painter
from planewalk.engines.picture import write as written
from planewalk.engines.picture.lane_code import name_of
from planewalk.languages import registry
from tests.engines.missing import without_llvm
from tests.engines.stores import MemoryStore

if why_not() is not None:
    pytest.skip("no machine code here", allow_module_level=True)

SIZE = (64, 64)
"""Enough pixels for kept code to be looked for."""


def program(source: bytes = b"4y0y2y/1y3y/@", size: tuple[int, int] = SIZE, **more: Any) -> Program:
    return Program(registry.get("webfunge"), source, {"size": size, "time": 0.25, **more})


def drawn(program: Program, store: MemoryStore, **more: Any) -> tuple[bytes, Painter]:
    easel = Painter(program, Limits(steps=100), store=store, **more)
    return easel.paint(), easel


@pytest.fixture(autouse=True)
def lanes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painter, "WORTH_LANES", 1)


@pytest.fixture
def no_tracing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise AssertionError("traced")

    monkeypatch.setattr(written, "write", fail)
    monkeypatch.setattr(painter.SinglePixels, "run", fail)


def test_the_second_time_nothing_is_traced(request: pytest.FixtureRequest) -> None:
    store = MemoryStore()
    first, _ = drawn(program(), store)
    later, _ = drawn(program(time=0.5), MemoryStore())
    request.getfixturevalue("no_tracing")
    again, easel = drawn(program(), store)
    assert again == first and easel.code is not None and store.puts == 2
    assert drawn(program(time=0.5), store)[0] == later != first
    with pytest.raises(AssertionError, match="traced"):
        drawn(program(b"4y0y2y/1y2y/@"), store)


@pytest.mark.skipif(not executable.KNOWN, reason="LLVM loads kept code here")
def test_kept_code_needs_no_llvm() -> None:
    store = MemoryStore()
    first, _ = drawn(program(), store)
    with without_llvm():
        again, easel = drawn(program(), store)
    assert again == first and easel.code is not None


def test_few_pixels_load_nothing() -> None:
    store = MemoryStore()
    drawn(program(), store)
    assert not drawn(program(size=(8, 8)), store)[1]._sought


def test_names_tell_all_apart_that_code_depends_on() -> None:
    names = {
        name_of(program(), 16, False),
        name_of(program(), 32, False),
        name_of(program(), 16, True),
        name_of(program(b"4y0y2y/1y3y/@ "), 16, False),
        name_of(program(texture=[(1, 1, b"abc")]), 16, False),
    }
    assert len(names) == 5 and None not in names
    assert name_of(program(time=7.0, size=(64, 65)), 16, False) in names


@pytest.mark.parametrize("harm", ["object gone", "object cut", "name cut", "name of nothing"])
def test_what_is_damaged_is_made_again(harm: str) -> None:
    store = MemoryStore()
    first, _ = drawn(program(), store)
    (alias,) = [key for key, content in store.items() if content.startswith(NAMED)]
    (made,) = store.keys() - {alias}
    if harm == "object gone":
        del store[made]
    elif harm == "object cut":
        store[made] = store[made][:-1]
    elif harm == "name cut":
        store[alias] = store[alias][:-1]
    else:
        store[alias] = NAMED + b"\xff" * 64
    again, easel = drawn(program(), store)
    assert again == first and easel.code is not None
    assert drawn(program(), store)[0] == first


def test_careful_code_is_kept_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """For pixels that come to the step limit."""
    monkeypatch.setattr(painter, "WORTH_CARE", 0)
    endless = program(b"4y0y2y/1y3y/>< @", time=0.0)
    store = MemoryStore()
    first, _ = drawn(endless, store)
    monkeypatch.setattr(written, "write", None)
    again, easel = drawn(endless, store)
    assert again == first and easel.careful is not None and easel.drawn_again == 0
