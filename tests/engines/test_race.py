"""Whose turn it is: simulated engines, of which each has its pace, and a clock that they share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from planewalk.engines.policy import PATIENT
from planewalk.engines.tiering.race import (
    COMPILED,
    FAIR,
    INTERPRETED,
    SHARES,
    TURN,
    Race,
    TurnPace,
)

Rate = Callable[[float], float]
"""Ticks a second, by the seconds that an engine has had since the other one had its turn."""


class Spent(NamedTuple):
    """Seconds in all, and turns that were tries."""

    interpreted: float
    compiled: float
    tries: int


def steady(rate: float) -> Rate:
    return lambda _: rate


def run(race: Race, rates: tuple[Rate, Rate], seconds: float) -> Spent:
    """Let both run as the race says."""
    spent, tries, since, before = [0.0, 0.0], 0, 0.0, -1
    while sum(spent) < seconds:
        which = race.next()
        since = since if which == before else 0.0
        ticks, rate = race.turn(which, PATIENT), rates[which](since)
        tries += which != race.faster
        race.note(which, ticks, ticks / rate)
        spent[which] += ticks / rate
        since, before = since + ticks / rate, which
    return Spent(*spent, tries)


def test_code_that_is_new_is_soon_known_to_be_fast() -> None:
    """Its turns are short at first, since what was there before was slow."""
    pace = TurnPace(1e6)
    for _ in range(12):
        pace.note(ticks := pace.turn(PATIENT), ticks / 1e9)
    assert pace.rate == 1e9
    pace.note(10_000, 1e-2)
    assert 4e8 < pace.rate < 6e8, "and what is slow after all, by long turns"


@pytest.mark.parametrize(("rates", "slower"), [((1e9, 1e6), COMPILED), ((1e8, 1e9), INTERPRETED)])
def test_the_slower_one_has_less_and_less(rates: tuple[float, float], slower: int) -> None:
    """What its tries cost is a fixed share at most, and next to nothing of a long run."""
    both = steady(rates[0]), steady(rates[1])
    for seconds in (0.3, 3.0, 30.0):
        spent = run(Race(1e8, 1e6), both, seconds)
        assert spent[slower] < seconds / SHARES[COMPILED] + 10 * TURN
    assert spent[slower] < seconds / 100
    assert spent.tries < 60


def test_making_code_is_paid_for() -> None:
    race = Race(1e9, 1e6)
    for _ in range(FAIR):
        race.note(COMPILED, 5_000, TURN, making=1.0)
    assert race.owed >= FAIR * SHARES[COMPILED]
    assert race.next() == INTERPRETED


def test_code_that_is_new_need_not_wait() -> None:
    """Each turn lets expect more of it, until it is the faster one."""
    assert run(Race(1e9, 1e6), (steady(1e9), steady(4e9)), 0.2).interpreted < 0.05


def test_an_interpreter_that_has_to_warm_up_is_not_misjudged() -> None:
    """Beside code that was kept: it finds its superinstructions again first."""
    race = Race(1e8, 1e9)
    warm: Rate = lambda since: 5e7 if since < 1.5 * TURN else 1e11  # noqa: E731
    spent = run(race, (warm, steady(2e9)), 0.3)
    assert race.faster == INTERPRETED and spent.compiled < 0.1


def test_what_becomes_faster_is_found_out() -> None:
    """After no more than the same time again, or so."""
    race = Race(1e8, 1e6)
    run(race, (steady(1e9), steady(1e6)), 2.0)
    late = run(race, (steady(1e9), steady(1e10)), 4.0)
    assert late.interpreted < 3.0 and race.faster == COMPILED
    run(race, (steady(1e9), steady(1e10)), 4.0)
    late = run(race, (steady(1e9), steady(1e8)), 3.0)
    assert late.compiled < 1.5 and race.faster == INTERPRETED


def test_a_turn_is_no_longer_than_until_the_next_try() -> None:
    race = Race(1e9, 1e6)
    race.owed = TURN / 50
    assert race.turn(INTERPRETED, PATIENT) == 1e9 * TURN / 50
    race.owed = 1.0
    assert race.turn(INTERPRETED, PATIENT) == 1e9 * TURN
