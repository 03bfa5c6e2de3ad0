"""When the time on an interpreter pays for code of a program's own."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.policy import HASTY, PATIENT
from planewalk.engines.tiering import budget
from planewalk.engines.tiering.budget import TracingBudget
from planewalk.languages import registry

REFUNGE = registry.get("refunge")
TWO_LOOPS = b" @" + b" " * 50 + b"#|.@.|"
"""One over the whole line, and then a short one."""


def interpreter(source: bytes) -> InterpreterEngine:
    state = REFUNGE.start(source, REFUNGE.read_options({}), 0)
    return InterpreterEngine(REFUNGE, state, Limits())


def test_a_run_pays_for_its_code() -> None:
    engine = interpreter(TWO_LOOPS)
    account = TracingBudget(HASTY._replace(worth_tracing=60, tracing_seconds=2.0), 40)
    assert account.missing(1e3, 40) == 2_000 and account.missing(1.0, 40) == 60
    account.note(1.5)
    assert account.missing(1e3, 100) == 500 and not account.covers(engine)
    account.note(0.5)
    assert account.missing(1e3, 100) == 0 and account.covers(engine)
    account.ordered(100, in_vain=False)
    assert account.missing(1e3, 100) == 2_000, "and for more of it anew"
    account.ordered(100, in_vain=True)
    assert account.missing(1e3, 100) == 4_000, "twice as much if nothing has come of it"


def test_loading_llvm_is_part_of_the_price(monkeypatch: pytest.MonkeyPatch) -> None:
    account = TracingBudget(HASTY._replace(loading_seconds=5.0), -HASTY.worth_tracing)
    monkeypatch.setitem(sys.modules, budget.LLVM, sys)
    assert account.missing(1e6, 0) == 0
    monkeypatch.delitem(sys.modules, budget.LLVM)
    assert account.missing(1e6, 0) == 5_000_000


@pytest.mark.parametrize("enough", [1, 40])
def test_only_cells_that_are_walked_now_are_paid_for(
    enough: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If they are few, somebody looks for longer."""
    monkeypatch.setattr(budget, "FEW_CELLS", enough)
    engine = interpreter(TWO_LOOPS)
    engine.advance(100)
    assert engine.cells_walked() > 50
    account = TracingBudget(PATIENT._replace(seconds_a_cell=1.0), 0)
    account.note(2.0)
    looks = []
    assert account.missing(1e3, 10**9) == 0
    while not account.covers(engine) and account.looking:
        assert engine.cells_walked() == 0
        looks.append(account.missing(1e3, 0))
        engine.advance(100)
    assert looks[0] == budget.SHORTEST_LOOK and looks == sorted(set(looks))
    assert (len(looks) == 1) == (enough == 1)
    assert 3 < account._due - PATIENT.tracing_seconds < 8, "those between the bars"
    account.note(10.0)
    assert not account.covers(engine), "first it is seen once more where the program walks"
    engine.advance(100)
    while account.looking:
        assert account.covers(engine) != account.looking


def test_one_unit_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """However large a program is."""
    engine: Any = interpreter(TWO_LOOPS)
    monkeypatch.setattr(engine, "cells_walked", lambda: 10**9)
    policy = PATIENT._replace(seconds_a_cell=1.0, most_instructions=10)
    monkeypatch.setattr(budget, "LONGEST_LOOK", 0)
    account = TracingBudget(policy, 0)
    account.note(20.0)
    assert not account.covers(engine) and account.looking
    account.note(1.0)
    assert account.covers(engine)


def test_small_loops_come_first() -> None:
    account = TracingBudget(PATIENT, 0)
    found = []
    for _ in range(6):
        found.append(account._enough)
        account.ordered(0, in_vain=False)
    assert found[0] < found[1] < found[-1] == account._enough


def test_there_is_an_end_to_orders() -> None:
    engine = interpreter(TWO_LOOPS)
    account = TracingBudget(HASTY._replace(most_orders=2), 0)
    for _ in range(2):
        assert account.covers(engine)
        account.ordered(0, in_vain=False)
    assert not account.covers(engine)


def test_cells_that_are_passed_once_are_not_hot(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short look at a long loop says little."""
    monkeypatch.setattr(budget, "FEW_CELLS", 1)
    engine: Any = interpreter(TWO_LOOPS)
    monkeypatch.setattr(engine.leaps, "count_walked", lambda: 3_000)
    account = TracingBudget(PATIENT._replace(seconds_a_cell=1e-9), 0)
    account.note(2.0)
    looks = []
    while not account.covers(engine):
        looks.append(account.missing(1.0, 0))
    assert looks[-2] < budget.HOT * 3_000 < looks[-1]
