"""Interpreter and compiled code lead on to each other, and nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from planewalk.core.limits import Limits
from planewalk.core.state import State, Walker
from planewalk.core.step import Stop
from planewalk.engines.addresses import address_of_code
from planewalk.engines.interpreter.abi import posture_of
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.interpreter.leap_table import HEAD
from planewalk.engines.interpreter.mixed_mode import CODE, UNITS, MixedMode
from planewalk.engines.keeping import HEIGHT
from planewalk.engines.native import unit
from planewalk.engines.native.code_cache import recall
from planewalk.engines.native.llvm import Care
from planewalk.engines.policy import HASTY, following
from planewalk.engines.reference import ReferenceEngine
from planewalk.engines.tiering.survey import StancesAndCells
from planewalk.engines.tiering.turns import TurnTakingEngine
from planewalk.engines.tracing.ir import Key
from planewalk.examples import find_example
from planewalk.languages import registry
from tests.engines.stores import MemoryStore

REFUNGE = registry.get("refunge")


@pytest.fixture(autouse=True)
def quick_code() -> Iterator[None]:
    with following(HASTY):
        yield


def begin(source: bytes) -> State:
    return REFUNGE.start(source, REFUNGE.read_options({}), 0)


def example(name: str) -> State:
    return begin(find_example(name).read())


def turns(state: State, store: Any = None) -> TurnTakingEngine:
    engine = TurnTakingEngine(REFUNGE, state, Limits(), store)
    assert engine.interpreter is not None
    return engine


def run(engine: Any, tick: int) -> Stop | None:
    stop = None
    while stop is None and engine.state.tick < tick:
        stop = engine.advance(tick - engine.state.tick)
    return stop


class Shares:
    """What ran in compiled code that the interpreter left for, and what did not."""

    def __init__(self, engine: TurnTakingEngine, monkeypatch: pytest.MonkeyPatch) -> None:
        self.interpreted, self.all, self.rounds = 0, 0, 0
        interpreter = engine.interpreter
        assert interpreter is not None
        take, call = interpreter.take_interpreted, interpreter._run

        def taken() -> int | None:
            found = take()
            self.interpreted += found or 0
            return found

        def called(fuel: int) -> bool:
            before = engine.state.tick
            done = call(fuel)
            if interpreter.mixed is not None:
                self.all += engine.state.tick - before
                self.rounds += 1
            return done

        monkeypatch.setattr(interpreter, "take_interpreted", taken)
        monkeypatch.setattr(interpreter, "_run", called)


@pytest.mark.parametrize("name", ["squares.ref", "sierpinski.ref"])
@pytest.mark.parametrize("slices", [1, 40])
def test_both_do_their_part(name: str, slices: int, monkeypatch: pytest.MonkeyPatch) -> None:
    state = example(name)
    expected, engine = state.copy(), turns(state)
    reference, shares = ReferenceEngine(REFUNGE, expected, Limits()), Shares(engine, monkeypatch)
    dice = Random(slices)
    for _ in range(slices):
        steps = state.tick + (20_000 if slices == 1 else dice.randrange(600))
        assert run(engine, steps) == run(reference, steps)
        assert state == expected
    assert shares.all > shares.interpreted > 0, "compiled code had its part"


def test_random_programs_come_to_the_same() -> None:
    dice = Random(11)
    for _ in range(60):
        cells = [dice.choices(b"/\\|#@><v^X+-~ \x01", k=9) for _ in range(6)]
        source = b"\n".join(map(bytes, cells))
        state = begin(source)
        expected, engine = state.copy(), turns(state)
        reference = ReferenceEngine(REFUNGE, expected, Limits())
        for tick in (100, 333, 1_000, 3_000):
            assert run(engine, tick) == run(reference, tick), source
            assert state == expected, (source, tick)


def compiled_in_part(
    source: bytes, columns: range, hand: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> TurnTakingEngine:
    """An engine that has code of some columns of the first row alone, and will not have more. The
    walker stands where they begin."""
    state = begin(source)
    stance = state.walkers[0].stance._replace(x=columns[0])
    state.walkers[0] = Walker(stance, hand)
    engine = turns(state)
    monkeypatch.setattr(engine, "_pays", lambda _: False)
    compile_part(engine, columns)
    return engine


def compile_part(engine: TurnTakingEngine, columns: range) -> None:
    compiled = engine._compile()
    stance = engine.state.walkers[0].stance
    cells = bytes(at in columns for at in range(columns.stop))
    may = StancesAndCells(set(), cells, compiled.code_map.keeping.index)
    compiled.native.promotion.order(may, Key(stance._replace(x=columns[0]), 0))
    compiled.native.receive()
    assert compiled.natives


ADDING = b"+>~<  \x018    "
"""Adds one to the 8 in each round, which soon is an instruction: `<`."""


@pytest.mark.parametrize(
    "columns", [[range(4)], [range(4, 12)], [range(5, 9)], [range(4), range(5, 9)]]
)
@pytest.mark.parametrize("pieces", [1, 7])
def test_what_one_writes_the_other_sees(
    columns: list[range], pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled code writes cells that the interpreter leaps over, or other code was made from; or
    the interpreter writes over it."""
    engine = compiled_in_part(ADDING, columns[0], (6, 0), monkeypatch)
    for more in columns[1:]:
        compile_part(engine, more)
    expected = engine.state.copy()
    reference, shares = ReferenceEngine(REFUNGE, expected, Limits()), Shares(engine, monkeypatch)
    engine.policy = engine.policy._replace(least_turn=700 // pieces, most_turn=700 // pieces)
    for tick in range(700 // pieces, 701, 700 // pieces):
        run(engine, tick)
        run(reference, tick)
        assert engine.state == expected, tick
    assert shares.all > shares.interpreted > 0


def test_a_head_that_is_none_here_is_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in another posture; nobody has to come back for that."""
    engine = compiled_in_part(b"+>~<        \n\x01", range(4), (0, 1), monkeypatch)
    interpreter = engine.interpreter
    assert interpreter is not None and interpreter.leaps is not None
    engine._mix(interpreter)
    assert interpreter.mixed is not None
    interpreter.leaps.mark_heads(interpreter.mixed.heads | {9, 10})
    shares = Shares(engine, monkeypatch)
    interpreter.advance(300)
    assert shares.rounds == 1 and shares.all == 300
    assert 100 < (interpreter.take_interpreted() or 0) < 300


def test_leaps_end_where_code_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = compiled_in_part(b" " * 20, range(10, 13), (0, 0), monkeypatch)
    assert engine.interpreter is not None
    engine._mix(engine.interpreter)
    engine.interpreter.advance(2_000)
    assert engine.interpreter.take_interpreted() == 2_000 * 17 // 20


def test_other_code_is_known_as_soon_as_there_is_some(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = compiled_in_part(b" " * 20, range(4), (0, 0), monkeypatch)
    compile_part(engine, range(10, 13))
    interpreter, compiled = engine.interpreter, engine.compiled
    assert interpreter is not None and compiled is not None
    engine._run_interpreter(interpreter, 10)
    assert interpreter.mixed is not None and interpreter.mixed.heads == {0, 10}
    first = next(unit for key, unit in compiled.natives.items() if key.stance.x == 0)
    compiled.native.units.drop({first})
    engine._run_interpreter(interpreter, 10)
    assert interpreter.mixed is not None and interpreter.mixed.heads == {10}
    compiled.native.units.drop(compiled.native.units.all())
    engine._run_interpreter(interpreter, 10)
    assert interpreter.mixed is None


def test_code_that_counts_rows_is_not_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other part may make the plane grow."""
    engine = compiled_in_part(b" " * 9, range(4), (0, 0), monkeypatch)
    interpreter, compiled = engine.interpreter, engine.compiled
    assert interpreter is not None and compiled is not None
    mixed = MixedMode(interpreter.postures, interpreter.keeping, None)
    assert mixed.know(compiled.natives)
    (unit,) = compiled.native.units.all()
    unit.touched = {**unit.touched, HEIGHT: 1}
    assert not MixedMode(interpreter.postures, interpreter.keeping, None).know(compiled.natives)


def test_postures_of_another_interpreter_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = compiled_in_part(b" " * 9, range(4), (0, 0), monkeypatch)
    interpreter = engine.interpreter
    assert interpreter is not None
    for other in (False, True):
        engine._mix(interpreter)
        assert interpreter.mixed is not None
        if other:
            interpreter.postures = {**interpreter.postures}
        interpreter._begin(posture_of(engine.state.walkers[0].stance))
        assert (interpreter.mixed is None) == other


def test_code_that_was_written_over_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has written it; what runs then is what stands there now."""
    engine = compiled_in_part(b" " * 9, range(4), (0, 0), monkeypatch)
    interpreter = engine.interpreter
    assert interpreter is not None and interpreter.leaps is not None
    engine._mix(interpreter)
    interpreter.leaps._code_written = True
    monkeypatch.setattr(interpreter.mixed, "run", lambda *_: pytest.fail("it is stale"))
    interpreter.advance(100)
    assert engine.state.tick == 100


def test_an_interpreter_without_compiled_code_has_no_heads() -> None:
    engine = InterpreterEngine(REFUNGE, begin(b"|   ~|"), Limits())
    engine.advance(100)
    assert engine.leaps is not None
    engine.leaps.mark_heads([2, 10**9])
    assert [at for at, noted in enumerate(engine.leaps.passed) if noted & HEAD] == [2]
    engine.mix(None)
    assert not any(noted & HEAD for noted in engine.leaps.passed)


def test_code_of_a_plane_with_more_rows_waits_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was kept by a run whose plane had grown by then."""
    store, source = MemoryStore(), b" v~"
    run(turns(begin(source), store=store), 1_500)
    engine, expected = turns(begin(source), store=store), begin(source)
    assert engine.compiled is not None and not engine.compiled.natives
    later = engine.compiled.native.maker.later
    assert later and min(unit.height for unit in later) > engine.state.plane.height
    monkeypatch.setattr(engine, "_pays", lambda _: False)  # nothing is made anew
    run(engine, 2_500)
    assert engine.compiled.natives and not engine.compiled.native.maker.later
    assert engine.interpreter is not None and engine.interpreter.mixed is not None
    run(ReferenceEngine(REFUNGE, expected, Limits()), 2_500)
    assert engine.state == expected


def test_code_of_other_heights_stays_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that has made more does not forget it; and what it makes leaves for all there is."""
    store, source = MemoryStore(), b" v~"
    run(turns(begin(source), store=store), 1_500)
    engine = turns(begin(source), store=store)
    assert engine.compiled is not None
    later = {unit.kept_as for unit in engine.compiled.native.maker.later}
    compile_part(engine, range(3))
    name = engine.compiled.native.maker.kept_as
    assert name is not None and later < {unit.kept_as for unit in recall(store, name)}
    task = engine.compiled.survey.task(None)
    assert task.foreign == set(engine.compiled.natives) != set()


def test_more_code_begins_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """All gaps that the program was seen in are closed at once, wherever the run is."""
    engine = compiled_in_part(b" " * 20, range(4), (0, 0), monkeypatch)
    compile_part(engine, range(10, 13))
    compiled = engine.compiled
    assert compiled is not None
    may = StancesAndCells(set(), bytes([1] * 16), compiled.code_map.keeping.index)
    task = compiled.survey.task(may)
    assert {key.stance.x for key in task.beginnings} == {4, 13}
    assert {key.stance.x for key in task.foreign} == {0, 10}


def test_better_code_is_made_of_what_runs_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the ticks that each unit had, and it is what runs from then on."""
    monkeypatch.setattr(unit, "QUICK_FIRST", 0)
    engine = compiled_in_part(b"@  ~  > <    ~  ", range(16), (3, 0), monkeypatch)
    expected, compiled = engine.state.copy(), engine.compiled
    assert compiled is not None and engine.interpreter is not None
    (native,) = set(compiled.natives.values())
    quick, price = native.call, 200
    promotion = compiled.native.promotion
    promotion.policy = promotion.policy._replace(worth_more=price, more_a_character=0)
    while native.care is Care.QUICK:
        assert engine.state.tick <= price + HASTY.most_turn
        engine.advance(50)
    run(engine, engine.state.tick + 100)
    run(ReferenceEngine(REFUNGE, expected, Limits()), engine.state.tick)
    assert engine.state == expected
    assert price < native.all_ticks <= engine.state.tick and native.call is not quick
    mixed = engine.interpreter.mixed
    assert mixed is not None and mixed._table[UNITS + CODE] == address_of_code(native.call)


def test_code_begins_at_the_first_place_that_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = compiled_in_part(b" " * 20, range(4), (0, 0), monkeypatch)
    run(engine, 100)
    compiled, orders = engine.compiled, []
    assert compiled is not None
    monkeypatch.setattr(compiled.climber, "_order", lambda _, entries: orders.extend(entries))
    here = engine.state.walkers[0].stance
    compiled.climber.back_off.refused.add(here._replace(x=7))
    places = [here._replace(x=x) for x in (0, 7, 9, 11)]
    compiled.order_code(places[:2])
    assert not orders
    compiled.order_code(places)
    assert [key.stance for key in orders] == [places[2]]
