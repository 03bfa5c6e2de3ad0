"""Whose turn it is: the fastest tier's, and for a shrinking share of the time the others'."""

from collections.abc import Callable

from planewalk.engines.scheduling.race import FAIR, SHARE, TURN, TierPace, fastest, next_turn, note

Speed = Callable[[float], float]
"""Ticks a second of a tier, by how many seconds it has run."""


def steady(rate: float) -> Speed:
    return lambda _: rate


def run(paces: list[TierPace], speeds: list[Speed], seconds: float) -> list[float]:
    """How long each tier runs in a run of so many seconds."""
    spent = [0.0] * len(paces)
    while sum(spent) < seconds:
        pace, most = next_turn(paces)
        at = paces.index(pace)
        took = min(most, TURN)
        spent[at] += took
        note(paces, pace, int(speeds[at](spent[at]) * took), took)
    return spent


def test_the_fastest_has_nearly_all_of_the_time() -> None:
    for rates in ([1e6, 1e9, 1e8], [1e8, 1e7, 1e9], [5e7, 6e7]):
        speeds = [steady(rate) for rate in rates]
        spent = run([TierPace(1e7) for _ in rates], speeds, 10.0)
        best = rates.index(max(rates))
        assert spent[best] > 9.0, spent


def test_tries_in_vain_are_ever_rarer() -> None:
    """Twice as long a run has hardly more of them."""
    tried = []
    for seconds in (2.0, 4.0, 8.0):
        paces = [TierPace(1e9), TierPace(1e9)]
        tried.append(run(paces, [steady(1e9), steady(1e8)], seconds)[1])
    assert tried[2] - tried[1] <= FAIR * TURN * 1.01 and tried[1] - tried[0] <= FAIR * TURN * 1.01


def test_making_code_counts_as_trying() -> None:
    paces = [TierPace(1e9), TierPace(1e9)]
    for _ in range(2 * FAIR):
        note(paces, paces[1], int(1e8 * TURN), TURN, making=0.1)
        if paces[1].rest > 0:
            break
    assert paces[1].rest >= SHARE * 0.1


def test_a_try_goes_on_while_each_turn_lets_expect_more() -> None:
    """Code that has to find out again what is hot starts slow."""
    paces = [TierPace(1e9), TierPace(1e6)]
    spent = run(paces, [steady(1e9), lambda seconds: 1e6 * 2 ** (seconds / TURN)], 1.0)
    assert fastest(paces) is paces[1] and spent[1] > 0.5


def test_a_tier_that_slows_down_is_left() -> None:
    paces = [TierPace(1e8), TierPace(1e8)]
    spent = run(paces, [steady(1e8), lambda seconds: 1e9 if seconds < 0.5 else 1e7], 2.0)
    assert 0.5 <= spent[1] < 0.8 and fastest(paces) is paces[0]


def test_one_that_comes_to_be_the_fastest_is_found_out() -> None:
    """After no more than twice the time that it was in vain."""
    ran = 0.0

    def later(_: float) -> float:
        return 1e8 if ran < 1.0 else 1e10

    paces = [TierPace(1e9), TierPace(1e9)]
    while (ran < 10.0 and fastest(paces) is paces[0]) or ran < 0.1:
        pace, most = next_turn(paces)
        took = min(most, TURN)
        ran += took
        note(paces, pace, int((later(ran) if pace is paces[1] else 1e9) * took), took)
    assert ran < 4.0


def test_one_that_is_much_slower_is_not_tried_again_until_the_fastest_slows_down() -> None:
    slow, fast = TierPace(1e6), TierPace(1e9)
    slow.tried = True
    assert next_turn([slow, fast]) == (fast, float("inf"))
    fast.rate = 1e7
    assert next_turn([slow, fast])[0] is slow


def test_a_rate_that_is_exceeded_doubles_at_least() -> None:
    pace = TierPace(1e6)
    pace.learn(4_000, 1e-6)
    assert pace.rate == 2e6
