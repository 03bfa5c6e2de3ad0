"""The reference engine as others use it: barriers, and one state after another."""

from planewalk.core.barriers import Barriers, Landed, Landing
from planewalk.core.geometry import Stance
from planewalk.core.observation import Write
from planewalk.core.state import Walker
from planewalk.core.step import Hit
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry


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
        while engine.advance(1) is None:
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
