"""When the time on an interpreter pays for code of a program's own."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.interpreter.leap_table import Leaps
from planewalk.engines.policy import HASTY, PATIENT, Policy, following
from planewalk.engines.tiering import budget
from planewalk.engines.tiering.budget import TracingBudget
from planewalk.languages import registry

REFUNGE = registry.get("refunge")
TWO_LOOPS = b" @" + b" " * 50 + b"#|.@.|"
"""One over the whole line, and then a short one."""


def interpreter(source: bytes) -> InterpreterEngine:
    """One that has nothing but leaps to be counted."""
    state = REFUNGE.start(source, REFUNGE.read_options({}), 0)
    with following(PATIENT._replace(superinstructions=False)):
        return InterpreterEngine(REFUNGE, state, Limits())


def test_a_run_pays_for_its_code() -> None:
    engine = interpreter(TWO_LOOPS)
    account = TracingBudget(HASTY._replace(worth_tracing=60, tracing_seconds=2.0), 40)
    assert account.missing(1e3, 40) == 2_000 and account.missing(1.0, 40) == 60
    account.note(1.5)
    assert account.missing(1e3, 100) == 500 and not account.covers(engine, 1e3)
    account.note(0.5)
    assert account.missing(1e3, 100) == 0 and account.covers(engine, 1e3)
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


def looked(account: TracingBudget, engine: InterpreterEngine, rate: float) -> bool:
    """Whether it covers, after all the looks that it takes."""
    while not (covered := account.covers(engine, rate)) and account.looking:
        engine.advance(account.missing(rate, 0))
    return covered


def paid(policy: Policy = PATIENT, seconds: float = 2.0) -> TracingBudget:
    account = TracingBudget(policy, 0)
    account.note(seconds)
    return account


@pytest.mark.parametrize("enough", [1, 40])
def test_only_cells_that_are_walked_now_are_paid_for(
    enough: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If they are few, somebody looks for longer."""
    monkeypatch.setattr(budget, "FEW_CELLS", enough)
    monkeypatch.setattr(TracingBudget, "_is_hot", is_hot_anyway)
    engine = interpreter(TWO_LOOPS)
    engine.advance(100)
    assert walked(engine) > 50
    account = paid(PATIENT._replace(seconds_a_cell=1.0))
    looks = []
    assert account.missing(1e3, 10**9) == 0
    while not account.covers(engine, 1e3) and account.looking:
        assert walked(engine) == 0
        looks.append(account.missing(1e3, 0))
        engine.advance(100)
    assert looks[0] == budget.SHORTEST_LOOK and looks == sorted(set(looks))
    assert (len(looks) == 1) == (enough == 1)
    assert 3 < account._due - PATIENT.tracing_seconds < 8, "those between the bars"
    account.note(10.0)
    assert not account.covers(engine, 1e3), "first it is seen once more where the program walks"
    assert looked(account, engine, 1e3)


def walked(engine: InterpreterEngine) -> int:
    assert engine.leaps is not None
    return engine.leaps.count_walked()


def is_hot_anyway(account: TracingBudget, leaps: Leaps, rate: float) -> bool:
    account._hot = leaps.counted(1)
    return True


def test_one_unit_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """However large a program is."""
    monkeypatch.setattr(TracingBudget, "_is_hot", is_hot_anyway)
    engine: Any = interpreter(TWO_LOOPS)
    engine.advance(1_000)
    monkeypatch.setattr(engine.leaps, "count_walked", lambda: 10**9)
    monkeypatch.setattr(budget, "LONGEST_LOOK", 0)
    account = paid(PATIENT._replace(seconds_a_cell=1.0, most_instructions=10), 20.0)
    assert looked(account, engine, 1e3)


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
        assert account.covers(engine, 1e3)
        account.ordered(0, in_vain=False)
    assert not account.covers(engine, 1e3)


def test_cells_that_are_passed_once_are_not_hot(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short look at a long loop says little."""
    monkeypatch.setattr(budget, "FEW_CELLS", 1)
    monkeypatch.setattr(TracingBudget, "_is_hot", is_hot_anyway)
    engine: Any = interpreter(TWO_LOOPS)
    engine.advance(100)
    monkeypatch.setattr(engine.leaps, "count_walked", lambda: 3_000)
    account = paid(PATIENT._replace(seconds_a_cell=1e-9))
    looks = []
    while not account.covers(engine, 1e3):
        looks.append(account.missing(1.0, 0))
        engine.advance(100)
    assert looks[-2] < budget.HOT * 3_000 < looks[-1]


@pytest.mark.parametrize(
    ("times", "seconds", "hot"), [(600, 0.8, True), (650, 0.7, False), (600, 0.9, False)]
)
def test_time_is_spent_on_what_is_come_by_often(times: int, seconds: float, hot: bool) -> None:
    """Each cell pays for its own code, and all of them for the rest of an order. Here there are 617
    rounds of eight ticks."""
    engine = interpreter(TWO_LOOPS)
    engine.advance(5_000)
    policy = PATIENT._replace(seconds_a_cell=0.1, tracing_seconds=seconds, loading_seconds=0)
    account = paid(policy, 1e9)
    assert looked(account, engine, 10.0 * times) == hot
    assert bool(account.hot_now) == hot
    if not hot:
        assert account.missing(1.0, 10**9) > 0, "it is asked again, but later"


def test_code_begins_where_most_time_is_spent() -> None:
    engine = interpreter(TWO_LOOPS)
    engine.advance(5_000)
    assert engine.leaps is not None
    account = paid(PATIENT._replace(seconds_a_cell=0.1, tracing_seconds=0, loading_seconds=0), 1e9)
    assert looked(account, engine, 1e3)
    hottest = engine.stance_of(account.hot_now[0])
    assert account.hot_now == sorted(account.hot_now, reverse=True)
    assert hottest.y == 0 and TWO_LOOPS.index(b"|") <= hottest.x < len(TWO_LOOPS)
    assert all(engine.leaps.cells_walked()[leap.cell] for leap in account.hot_now)


def test_a_place_that_was_hot_once_is_not_where_code_begins() -> None:
    """The program may walk elsewhere now."""
    engine = interpreter(TWO_LOOPS)
    engine.advance(5_000)
    assert engine.leaps is not None
    account = paid(PATIENT._replace(seconds_a_cell=0.1, tracing_seconds=0, loading_seconds=0), 1e9)
    while not account.covers(engine, 1e3):
        assert account.looking or account.missing(1.0, 10**9) > 0
        if not account.looking:
            break
    assert not account.hot_now, "nobody has walked since"


def test_what_only_reads_its_ground_pays_for_what_was_leapt_over() -> None:
    mirrorfunge = registry.get("mirrorfunge")
    state = mirrorfunge.start(b"1$1$  ", mirrorfunge.read_options({}), 0)
    engine = InterpreterEngine(mirrorfunge, state, Limits())
    engine.advance(100)
    account = paid(
        PATIENT._replace(seconds_a_cell=1.0, tracing_seconds=1.0, loading_seconds=0), 3.5
    )
    assert not account.covers(engine, 1e3) and not account.looking
    account.note(0.5)
    assert account.covers(engine, 1e3)
