"""Why a run stops: stops are true and differ by kind, barriers catch, limits hold."""

import copy
import json
import pickle

import pytest

from planewalk.core.barriers import Barriers, Landing
from planewalk.core.errors import LimitReached
from planewalk.core.geometry import DOWN, RIGHT, Stance
from planewalk.core.limits import Limits, allowance, allowed, allowing
from planewalk.core.plane import TextPlane
from planewalk.core.state import State
from planewalk.core.step import STATUS, Fault, Halted, Hit, Hungry, Spent, Stalled, Stop

STOPS: list[Stop] = [
    Halted(), Hungry(), Spent("steps"), Spent("time"), Stalled(), Stalled("steps"), Hit("steps"),
    Fault("steps", (1, 2)), Fault("steps", (1.5, -0.25)), Fault("time", (1, 2)),
]  # fmt: skip


def test_every_stop_is_true_and_equals_only_its_like() -> None:
    for i, stop in enumerate(STOPS):
        assert stop
        assert [stop == other for other in STOPS] == [i == j for j in range(len(STOPS))]
        assert stop != stop.details
    assert len(set(STOPS)) == len(STOPS)
    assert {type(stop) for stop in STOPS} == set(STATUS), "a kind is missing here"


def test_a_stop_never_changes() -> None:
    for stop in STOPS:
        with pytest.raises(AttributeError, match="never changes"):
            stop.reason = "another"  # type: ignore[union-attr]
    with pytest.raises(ValueError):
        Halted("early")


def test_stops_can_be_copied_pickled_and_read() -> None:
    for stop in STOPS:
        assert copy.deepcopy(stop) == pickle.loads(pickle.dumps(stop)) == stop
        assert eval(repr(stop)) == stop


@pytest.mark.parametrize("stop", [s for s in STOPS if not isinstance(s, (Hungry, Hit))], ids=repr)
def test_the_stop_of_a_state_survives_json(stop: Stop) -> None:
    state = State(TextPlane(["@"]), [], stop=stop)
    again = State.from_json(json.loads(json.dumps(state.to_json())))
    assert again == state and again.stop == stop


def test_states_that_stopped_otherwise_differ() -> None:
    states = [State(TextPlane(["@"]), [], stop=stop) for stop in STOPS]
    assert sum(a == b for a in states for b in states) == len(states)


HERE = Stance(3, 4, *RIGHT, "string")


@pytest.mark.parametrize(("landing", "caught"), [
    (Landing(3, 4), True), (Landing(3, 5), False), (Landing(2, 4), False),
    (Landing(3, 4, RIGHT), True), (Landing(3, 4, DOWN), False),
    (Landing(3, 4, mode="string"), True), (Landing(3, 4, mode=None), False),
    (Landing(3, 4, RIGHT, None), False),
])  # fmt: skip
def test_a_landing_may_be_of_one_heading_or_mode_alone(landing: Landing, caught: bool) -> None:
    assert landing.catches(HERE) is caught
    assert Barriers(frozenset({landing, Landing(9, 9)})).catch(HERE) is caught


def test_time_begins_once() -> None:
    now = 100.0
    limits = Limits(seconds=5).begun(lambda: now)
    now = 103.0
    again = limits.begun(lambda: now)
    assert again.deadline.left() == 2
    again.allow_time(1)
    with pytest.raises(LimitReached, match="the limit of 5 seconds is reached") as caught:
        again.allow_time(2)
    assert caught.value.reason == "time"


def test_without_seconds_there_is_no_deadline() -> None:
    limits = Limits()
    assert limits.begun(lambda: 1e9) is limits
    limits.allow_time(1e12)


def test_what_takes_too_much_memory_is_refused_with_both_sizes() -> None:
    limits = Limits(memory=1 << 20)
    limits.allow(1 << 20, "a plane")
    with pytest.raises(LimitReached, match=r"a plane takes 2 MiB of memory, more than .* 1 MiB"):
        limits.allow(2 << 20, "a plane")
    Limits(memory=None).allow(1 << 60, "a plane")


def test_what_is_allowed_holds_in_a_block() -> None:
    before = allowed()
    with allowing(Limits(memory=5)):
        assert allowance() == 5
    assert allowed() is before
