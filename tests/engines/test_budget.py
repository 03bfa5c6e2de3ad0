"""When the time on an interpreter pays for code of a program's own."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.policy import HASTY, PATIENT, Policy
from planewalk.engines.tiering import budget
from planewalk.engines.tiering.budget import LATER, TracingBudget
from planewalk.languages import registry

LINE = b" @" + b" " * 50
PRICE = PATIENT._replace(seconds_a_cell=1.0, tracing_seconds=1.0, loading_seconds=0)


def interpreter(language: str = "refunge", source: bytes = LINE) -> InterpreterEngine:
    found = registry.get(language)
    state = found.start(source, found.read_options({}), 0)
    return InterpreterEngine(found, state, Limits())


def paid(policy: Policy = PRICE, seconds: float = 0.0) -> TracingBudget:
    account = TracingBudget(policy, 0)
    account.note(seconds)
    return account


def test_a_run_pays_for_its_code() -> None:
    engine = interpreter()
    account = TracingBudget(HASTY._replace(worth_tracing=60, tracing_seconds=2.0), 40)
    assert account.missing(1e3, 40) == 2_000 and account.missing(1.0, 40) == 60
    account.note(1.5)
    assert account.missing(1e3, 100) == 500 and not account.covers(engine)
    account.note(0.5)
    assert account.missing(1e3, 100) == 0 and account.covers(engine)


def test_loading_llvm_is_part_of_the_price(monkeypatch: pytest.MonkeyPatch) -> None:
    account = TracingBudget(HASTY._replace(loading_seconds=5.0), -HASTY.worth_tracing)
    monkeypatch.setitem(sys.modules, budget.LLVM, sys)
    assert account.missing(1e6, 0) == 0
    monkeypatch.delitem(sys.modules, budget.LLVM)
    assert account.missing(1e6, 0) == 5_000_000


@pytest.mark.parametrize("language", ["refunge", "mirrorfunge"])
def test_all_cells_that_are_walked_are_paid_for(language: str) -> None:
    """On planes that can be written, and on those that cannot."""
    engine = interpreter(language, LINE if language == "refunge" else b"1$1$" + b" " * 48)
    engine.advance(200)
    assert engine.leaps is not None
    cells = engine.leaps.count_walked()
    assert 40 < cells <= len(LINE)
    account = paid(seconds=cells + 0.5)
    assert not account.covers(engine)
    account = paid(seconds=cells + 1.5)
    assert account.covers(engine)


def test_a_plane_without_edges_is_paid_for_by_its_size() -> None:
    engine = interpreter("gemooy", b"  *  \n" * 6)
    assert engine.leaps is None
    size = engine.keeping.size()
    assert not paid(seconds=size + 0.5).covers(engine) and paid(seconds=size + 1.5).covers(engine)


def test_one_unit_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """However large a program is."""
    engine: Any = interpreter()
    monkeypatch.setattr(engine.leaps, "count_walked", lambda: 10**9)
    assert paid(PRICE._replace(most_instructions=10), 20.0).covers(engine)


def test_cells_are_not_counted_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many more are found each time: that takes a fixed share of the time."""
    engine: Any = interpreter()
    counts: list[int] = []

    def count_walked() -> int:
        counts.append(0)
        return 10**9

    monkeypatch.setattr(engine.leaps, "count_walked", count_walked)
    account = paid(PRICE._replace(seconds_a_cell=0.0001, most_instructions=10**9))
    while account.seconds < 1_000:
        assert not account.covers(engine)
        account.note(1.0)
    assert 1 <= len(counts) <= 32 and LATER**31 > 1_000
