"""The reference engine as others use it: ends that need no machine, and one state after another."""

from collections.abc import Callable

import pytest

from planewalk.core.barriers import Barriers, Landed, Landing
from planewalk.core.geometry import Stance
from planewalk.core.language import Language
from planewalk.core.observation import Write
from planewalk.core.state import State, Walker
from planewalk.core.step import Hit
from planewalk.core.vocabulary import Vocabulary
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry


def standing_on(language: Language, symbol: str) -> State:
    """A state in which one walker is about to perform an instruction."""
    source = f" {symbol} ".encode("latin-1")
    state = language.start(source, language.read_options({}), 0)
    x, y, dx, dy, mode = state.walkers[0].stance
    state.walkers = [Walker(Stance(x + dx, y, dx, dy, mode), state.walkers[0].hand)]
    return state


@pytest.mark.parametrize(
    ("name", "ends"), [("webfunge", {"@"}), ("mirrorfunge", {"@"}), ("refunge", set())]
)
def test_what_only_ends_the_program_is_known(name: str, ends: set[str]) -> None:
    """Whatever else an instruction does, on this stack or another, is left to the machine."""
    language = registry.get(name)
    found = set()
    for code in range(33, 127):
        state, before, after = (standing_on(language, chr(code)) for _ in range(3))
        stop = ReferenceEngine(language, state).end()
        ReferenceEngine(language, after).advance(1)
        assert state == (before if stop is None else after), chr(code)
        if stop is not None:
            assert stop == after.stop
            found.add(chr(code))
    assert found == ends


def turn_and_halt(m: Vocabulary) -> None:
    m.turn(0.0, 1.0)
    m.halt()


def stand_elsewhere_and_halt(m: Vocabulary) -> None:
    m.stance = m.stance._replace(x=5.0)
    m.halt()


def halt_on_a_short_stack(m: Vocabulary) -> None:
    if not m.has(9):
        m.halt()


def do_nothing(m: Vocabulary) -> None:
    pass


@pytest.mark.parametrize(
    "act", [turn_and_halt, stand_elsewhere_and_halt, halt_on_a_short_stack, do_nothing]
)
def test_what_does_more_than_ending_needs_the_machine(act: Callable[[Vocabulary], None]) -> None:
    webfunge = registry.get("webfunge")
    instruction = webfunge.table[ord("@")]._replace(act=act)
    language = webfunge._replace(decode=lambda plane, stance: instruction)
    state = standing_on(language, "@")
    assert ReferenceEngine(language, state).end() is None and state == standing_on(language, "@")


def test_another_state_on_the_same_plane_or_another() -> None:
    """What was learnt of one plane is not believed of another."""
    language = registry.get("webfunge")
    options = language.read_options({})
    engine = ReferenceEngine(language, language.start(b"12+@", options, 0))
    for source in (b"12+@", b"12+@", b"12-v\n  @<", b"@", b"12+@"):
        state = language.start(source, options, 0)
        twin = state.copy()
        ReferenceEngine(language, twin).advance(100)
        engine.restart(state)
        while engine.end() is None and engine.advance(1) is None:
            pass
        assert state == twin and state.stop is not None, source


def test_a_cell_that_is_watched_stops_the_run_with_the_tick_that_writes_it() -> None:
    language = registry.get("gemooy")
    state = language.start(b"$ %\n #\n  @", {}, 0)
    engine = ReferenceEngine(language, state)
    assert engine.advance(1, Barriers(written=frozenset({(0, 2)}))) is None
    stop = engine.advance(1, Barriers(written=frozenset({(2, 0)})))
    assert isinstance(stop, Hit) and stop.events == (Write(2, 0, 0, 2),)
    assert state.tick == 2 and state.plane.cell(2, 0) == 2


def test_whoever_arrives_in_company_stops_the_run() -> None:
    language = registry.get("refunge")
    state = language.start(b"    \n    ", language.read_options({}), 0)
    ((x, y, dx, dy, mode), hand) = state.walkers[0]
    state.walkers.append(Walker(Stance(x, y + 1, dx, dy, mode), hand))
    stop = ReferenceEngine(language, state).advance(9, Barriers(frozenset({Landing(2, 1)})))
    assert isinstance(stop, Hit) and stop.events == (Landed(Stance(2, 1, dx, dy, mode)),)
    assert state.tick == 2 and len(state.walkers) == 2
