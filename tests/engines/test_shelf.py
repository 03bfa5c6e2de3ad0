"""Code of one engine is taken over by the next, on any state of the same program it is true of."""

import pytest

from planewalk.core.barriers import Barriers, Landing
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.core.state import State
from planewalk.debug.session import Session
from planewalk.engines.base.policy import HASTY, following
from planewalk.engines.interpreter import loader as interpreter
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.native.shelf import MOST_UNITS, Shelf
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.examples import find_example
from planewalk.languages import registry
from tests.engines.stores import MemoryStore
from tests.engines.test_code_cache import begun

PROGRAMS = ["squares.ref", "gcd-sum.mf", "collatz.mf", "ant.gemooy"]


pytestmark = pytest.mark.usefixtures("in_the_foreground")


def engine_of(state: State, name: str, shelf: Shelf) -> LLVMEngine:
    return LLVMEngine(registry.get(find_example(name).language), state, Limits(), shelf)


def test_code_for_other_options_is_not_handed_on() -> None:
    shelf = Shelf(None)
    state = begun("squares.ref", b"300")
    engine = engine_of(state, "squares.ref", shelf)
    engine.advance(20_000)
    native = next(iter(engine.units.all()))
    assert shelf.fitting(native.armed, state)
    state.options = {**state.options, "input-adds": not state.options["input-adds"]}
    assert not shelf.fitting(native.armed, state)


@pytest.mark.parametrize("name", PROGRAMS)
def test_another_state_of_the_run_has_the_code(name: str) -> None:
    shelf = Shelf(None)
    first = engine_of(begun(name, b"300"), name, shelf)
    while first.state.tick < 20_000 and first.advance(20_000 - first.state.tick) is None:
        pass
    assert first.units.at and shelf
    plain = begun(name, b"300")
    reference = ReferenceEngine(registry.get(find_example(name).language), plain)
    while plain.tick < 7_001:
        reference.advance(7_001 - plain.tick)
    second = engine_of(plain.copy(), name, shelf)
    assert second.units.at, "from the first tick on"
    for tick in (7_002, 7_400, 12_345):
        while second.state.tick < tick:
            second.advance(tick - second.state.tick)
        while plain.tick < tick:
            reference.advance(tick - plain.tick)
        assert second.state == plain
    assert second.native_ticks > 1_000


def test_code_is_not_taken_where_its_cells_hold_something_else() -> None:
    shelf = Shelf(None)
    first = engine_of(begun("squares.ref"), "squares.ref", shelf)
    first.advance(15_000)
    assert first.units.at
    other = begun("squares.ref")
    for native in set(first.units.at.values()):
        at = min(at for at in native.touched if isinstance(at, int))
        other.plane.data[at] ^= 1  # type: ignore[attr-defined]
    assert not engine_of(other, "squares.ref", shelf).units.at


def test_code_of_another_text_is_not_taken() -> None:
    """On a plane nobody can write, code knows no cells that could be compared."""
    shelf = Shelf(None)
    language = registry.get("mirrorfunge")
    with following(HASTY):
        states = [Program(language, source).start(0) for source in (b"1$1$", b"2$2$", b"1$1$")]
        engines = []
        for state in states:
            engines.append(LLVMEngine(language, state, Limits(), shelf))
            if state is states[0]:
                engines[0].advance(2_000)
                assert engines[0].units.at
    assert not engines[1].units.at and engines[2].units.at


def test_code_for_barriers_is_taken_for_the_same_barriers() -> None:
    shelf = Shelf(None)
    bars = Barriers(frozenset({Landing(900, 900)}))
    first = engine_of(begun("squares.ref"), "squares.ref", shelf)
    first.advance(15_000, bars)
    assert first.units.at
    second = engine_of(begun("squares.ref"), "squares.ref", shelf)
    assert not second.units.at
    second.advance(1, bars)
    assert second.units.at.keys() == first.units.at.keys()


def test_code_that_looks_for_marks_is_good_for_all_watched_reads() -> None:
    shelf = Shelf(None)
    first = engine_of(begun("ant.gemooy"), "ant.gemooy", shelf)
    first.advance(15_000, Barriers(read=frozenset({(900, 900)})))
    assert first.units.at
    second = engine_of(begun("ant.gemooy"), "ant.gemooy", shelf)
    bars = Barriers(read=frozenset({begun("ant.gemooy").walkers[0].hand}))
    stop = second.advance(15_000, bars)
    assert second.units.at.keys() == first.units.at.keys() and not second.hot_spots.orders
    plain = begun("ant.gemooy")
    assert ReferenceEngine(second.language, plain).advance(15_000, bars) == stop is not None
    assert second.state == plain


def test_watched_cells_need_no_other_code() -> None:
    engine = engine_of(begun("squares.ref"), "squares.ref", Shelf(None))
    engine.advance(15_000)
    before = dict(engine.units.at)
    assert before
    engine.advance(1, Barriers(written=frozenset({(0, 0)}), output=True))
    assert engine.units.at == before and engine.code_map.guarded
    engine._armed_at = -(10**9)
    engine.advance(1)
    assert not engine.code_map.guarded, "nobody watches any more"


def test_who_asks_whether_the_program_has_ended_lays_no_barriers_down() -> None:
    engine = engine_of(begun("squares.ref"), "squares.ref", Shelf(None))
    engine.advance(15_000, Barriers(frozenset({Landing(900, 900)})))
    before = dict(engine.units.at)
    assert before
    engine._armed_at = -(10**9)
    assert engine.advance(0) is None and engine.units.at == before
    engine.advance(1)
    assert not engine.units.at, "others ran without any for long"


def test_engines_of_a_session_look_once_whether_there_is_an_interpreter(monkeypatch) -> None:
    looks: list[object] = []
    monkeypatch.setattr(interpreter, "_MADE", {})
    monkeypatch.setattr(interpreter, "name_of", lambda *given: looks.append(given))
    state, shelf = begun("squares.ref"), Shelf(MemoryStore())
    for _ in range(3):
        assert not interpreter.is_at_hand(registry.get("refunge"), state, shelf)
    assert len(looks) == 1


def test_watched_reads_are_not_taken_for_code() -> None:
    """Code that reads code, of which nobody watches a cell, goes on."""
    language = registry.get("refunge")
    state = language.start(b"+v~^", language.read_options({}), 0)
    with following(HASTY):
        engine = LLVMEngine(language, state, Limits(), None)
        bars = Barriers(read=frozenset({(2, 0)}))
        while state.tick < 5_000:
            assert engine.advance(5_000 - state.tick, bars) is None
    assert engine.native_ticks > 4_000


def test_a_shelf_holds_so_many_and_keeps_what_a_store_keeps() -> None:
    store = MemoryStore()
    shelf = Shelf(store)
    shelf.put("a", b"code")
    assert store == {"a": b"code"} and shelf.get("a") == b"code" and not shelf.has_units
    assert Shelf(None).get("a") is None
    first = engine_of(begun("squares.ref"), "squares.ref", shelf)
    first.advance(15_000)
    native = next(iter(first.units.at.values()))
    for _ in range(2 * MOST_UNITS):
        shelf.lay(native, first.state)
    assert len(shelf._units) == MOST_UNITS


def test_a_session_makes_its_code_once() -> None:
    shelf = Shelf(None)
    made: list[LLVMEngine] = []

    def make(*given):  # type: ignore[no-untyped-def]
        made.append(LLVMEngine(*given, shelf))
        return made[-1]

    program = Program(registry.get("refunge"), find_example("squares.ref").read())
    walk = Session(program, b"", 0, engine=make)
    walk.goto(20_000)
    assert made[0].hot_spots.orders > 0
    walk.goto(9_000)
    assert len(made) > 1 and made[-1].units.at and made[-1].hot_spots.orders == 0
