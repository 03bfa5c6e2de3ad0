"""Stops are true, differ by kind and by what they say, and come back from JSON."""

import copy
import json
import pickle

import pytest

from planewalk.core.plane import TextPlane
from planewalk.core.state import State
from planewalk.core.step import STATUS, Fault, Halted, Hit, Hungry, Spent, Stalled, Stop

STOPS: list[Stop] = [
    Halted(),
    Hungry(),
    Spent("steps"),
    Spent("time"),
    Stalled(),
    Stalled("steps"),
    Hit("steps"),
    Fault("steps", (1, 2)),
    Fault("steps", (1.5, -0.25)),
    Fault("time", (1, 2)),
]


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
