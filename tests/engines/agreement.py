"""Engines compared on one program, however its run is cut into pieces."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

from planewalk.core.language import Language
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.engines.choose import choose_engine
from planewalk.engines.native import unit
from planewalk.engines.native.machine_code import Care

ENGINES = ("interpreter", "python", "llvm", "auto")
LIMITS = Limits(memory=1 << 22)


@contextmanager
def quick_code() -> Iterator[None]:
    """Machine code that is made in half the time, where it is not about how good it is."""
    with mock.patch.object(unit, "best_care", lambda size: Care.QUICK):
        yield


def loaded(state: State) -> State:
    """The same state, saved and loaded."""
    return State.from_json(json.loads(json.dumps(state.to_json())))


def go_to(
    engine: str, language: Language, state: State, ticks: list[int], *, save: bool = False
) -> State:
    """Run in pieces up to these ticks; with `save`, each piece from a state that was loaded."""
    running = choose_engine(engine, language, state, LIMITS)
    for tick in ticks:
        while state.tick < tick and running.advance(tick - state.tick) is None:
            pass
        if save:
            state = loaded(state)
            running = choose_engine(engine, language, state, LIMITS)
    return state


def engines_agree(language: Language, first: Callable[[], State], ticks: list[int]) -> None:
    """All engines come to the states of the reference engine, in pieces, whole, and saved."""
    expected = go_to("reference", language, first(), ticks)
    for engine in ENGINES:
        assert go_to(engine, language, first(), ticks) == expected, engine
        assert go_to(engine, language, first(), ticks[-1:]) == expected, f"{engine} in one piece"
    for engine in ("interpreter", "llvm"):
        assert go_to(engine, language, first(), ticks, save=True) == expected, f"{engine}, saved"
