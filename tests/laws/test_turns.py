"""`auto` ends where the reference engine does, whoever has the turn."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.apps.checking.laws import engines_agree
from planewalk.core.barriers import Barriers, Landing
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Hit
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import HASTY, following
from planewalk.engines.choose import compiled_ticks
from planewalk.engines.scheduling import scheduler
from planewalk.engines.scheduling.race import TierPace
from planewalk.engines.scheduling.scheduler import Scheduler
from planewalk.engines.stepping.reference import ReferenceEngine
from tests.engines import ledger
from tests.laws.programs import compiled_at_once, trials

NAMES = ["refunge", "mirrorfunge"]
"""Languages that have an interpreter."""
SHORT_TURNS = HASTY._replace(most_turn=60, profile=20)


@contextmanager
def turns_by_chance(seed: int) -> Iterator[None]:
    """Whose turn it is, and for how long, does not depend on who is faster."""
    dice = random.Random(seed)

    def any_of(paces: list[TierPace]) -> tuple[TierPace, float]:
        return dice.choice(paces), dice.uniform(0, 1e-5)

    with following(SHORT_TURNS), mock.patch.object(scheduler, "next_turn", any_of):
        yield


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data(), seed=st.integers(0, 99))
def test_turns_make_no_difference(name: str, data: st.DataObject, seed: int) -> None:
    with turns_by_chance(seed):
        assert engines_agree(data.draw(trials(name)), ["auto"]) is None


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=settings.default.max_examples // 12)
@given(data=st.data())
def test_auto_agrees_if_everything_is_compiled_at_once(name: str, data: st.DataObject) -> None:
    with compiled_at_once():
        assert engines_agree(data.draw(trials(name)), ["auto"]) is None


@pytest.mark.parametrize("sign", "1Aa ")
def test_programs_that_rewrite_themselves(sign: str) -> None:
    """Every round changes a cell on the way; whatever that comes to mean is performed."""
    rows = ["> i         v", "", "", "", "", f"^         {sign} <"]
    source = "\n".join(rows).encode()
    for seed in range(6):
        with turns_by_chance(seed):
            state = ledger.start(source, {"plane": "bytes", "hand": False}, 0)
            expected = state.copy()
            engine = Scheduler(ledger.LANGUAGE, state, Limits())
            reference = ReferenceEngine(ledger.LANGUAGE, expected, Limits())
            for tick in (50, 77, 400, 1_500):
                while state.tick < tick and engine.advance(tick - state.tick) is None:
                    pass
                reference.advance(tick - expected.tick)
                assert state == expected, (seed, tick)
            assert sum(compiled_ticks(engine)) > 0


def hits(engine: ReferenceEngine | Scheduler, barriers: Barriers) -> list[int]:
    """The ticks of a run at which it stops, in stretches with and without barriers."""
    state, found = engine.state, []
    for number, tick in enumerate(range(60, 601, 60)):
        stop = None
        while state.tick < tick and (stop is None or isinstance(stop, Hit)):
            stop = engine.advance(tick - state.tick, None if number % 3 == 0 else barriers)
            if isinstance(stop, Hit):
                found.append(state.tick)
        if state.stop is not None or len(state.walkers) > 40:
            break
    return found


places = st.tuples(st.integers(0, 6), st.integers(0, 4))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=settings.default.max_examples // 4)
@given(
    data=st.data(),
    seed=st.integers(0, 99),
    landings=st.frozensets(places.map(lambda place: Landing(*place)), max_size=2),
    cells=st.frozensets(places, max_size=2),
    output=st.booleans(),
)
def test_barriers_are_hit_whoever_has_the_turn(
    name: str, data: st.DataObject, seed: int,
    landings: frozenset[Landing], cells: frozenset[tuple[int, int]], output: bool,
) -> None:  # fmt: skip
    barriers = Barriers(landings, cells, cells, output)
    trial = data.draw(trials(name))
    limits = Limits(memory=1 << 18)
    states: list[State] = [trial.start(), trial.start()]
    for state in states:
        state.input = InputStream(trial.data)
    with turns_by_chance(seed):
        engine = Scheduler(trial.language, states[0], limits)
        found = hits(engine, barriers)
    assert found == hits(ReferenceEngine(trial.language, states[1], limits), barriers)
    assert states[0] == states[1]
