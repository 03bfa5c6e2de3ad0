"""The interpreter leaps over ticks that only lead on, and comes to where walking would."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from struct import Struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Stop
from planewalk.core.stream import InputStream
from planewalk.engines.base.addresses import address_of
from planewalk.engines.base.policy import EAGER, PATIENT, following
from planewalk.engines.interpreter import leap_table
from planewalk.engines.interpreter.abi import MOST_POSTURES, posture_of
from planewalk.engines.interpreter.engine import InterpreterEngine
from planewalk.engines.interpreter.leap_table import ENTRY_BYTES, NEXT, TICKS
from planewalk.engines.interpreter.quiet import quiet_tick
from planewalk.engines.interpreter.trace import TickTracer
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages import registry

REFUNGE = registry.get("refunge")
WORD = Struct("=q")

LOOP = b"+X~>  <-  \n\x01\x01\x01"
"""Two additions, and ticks that only walk, round and round."""


@pytest.fixture(autouse=True)
def quick_code() -> Iterator[None]:
    with following(EAGER):
        yield


def begin(source: bytes) -> State:
    state = REFUNGE.start(source, REFUNGE.read_options({}), 5)
    state.input = InputStream(b"planes")
    return state


def run(engine: Any, tick: int) -> Stop | None:
    stop = None
    while stop is None and engine.state.tick < tick:
        stop = engine.advance(tick - engine.state.tick)
    return stop


def expected(source: bytes, tick: int) -> State:
    state = begin(source)
    run(ReferenceEngine(REFUNGE, state, Limits()), tick)
    return state


def interpreter(source: bytes, limits: Limits | None = None) -> InterpreterEngine:
    with following(PATIENT._replace(superinstructions=False)):
        engine = InterpreterEngine(REFUNGE, begin(source), limits or Limits())
    assert engine.refused is None
    return engine


def known_leaps(engine: InterpreterEngine) -> list[int]:
    """Where in the table there are some."""
    assert engine.leaps is not None
    table = engine.leaps._table
    places = range(0, engine.leaps._room * ENTRY_BYTES, ENTRY_BYTES)
    return [at for at in places if any(table[at : at + 8])]


def ways(character: str, mode: str) -> Any:
    """What a character does to a cursor that goes right in a mode."""
    state = begin(b" ")
    stance = state.walkers[0].stance._replace(mode=mode)
    tracer = TickTracer(REFUNGE, state)
    tree = tracer.ways(posture_of(stance)).trees[ord(character)]
    assert tree is not None
    return quiet_tick(tree)


@pytest.mark.parametrize("character", " ~+-!?#\\/|")
def test_what_only_leads_on_is_quiet(character: str) -> None:
    tick = ways(character, "add")
    assert tick is not None
    assert tick.moves == (0, 0)
    assert tick.in_any_height


HAND_MOVES = {">": (1, 0), "<": (-1, 0), "v": (0, 1), "^": (0, -1), "X": (0, 0)}


@pytest.mark.parametrize(("character", "moves"), list(HAND_MOVES.items()))
def test_a_hand_that_only_moves_is_quiet(character: str, moves: tuple[int, int]) -> None:
    tick = ways(character, "none")
    assert tick is not None
    assert tick.moves == moves
    assert ways(character, "add") is None


def test_what_looks_at_a_cell_is_not_quiet() -> None:
    assert ways("@", "none") is None


def test_leaps_are_taken() -> None:
    """A leap that is made wrong leads elsewhere."""
    engine = interpreter(LOOP)
    run(engine, 200)
    assert engine.state == expected(LOOP, 200)
    found = known_leaps(engine)
    assert found
    assert engine.leaps is not None
    table = engine.leaps._table
    for at in found:
        (ticks,) = WORD.unpack_from(table, at + TICKS)
        WORD.pack_into(table, at + TICKS, ticks + 1)
    run(engine, 400)
    assert engine.state != expected(LOOP, 400)


SOUP = " " * 6 + "~+-><v^X@#!?\\/|"


@st.composite
def soups(draw: Any) -> bytes:
    """Small fields on which a cursor goes round the first row, and much is written over."""
    chance = Random(draw(st.integers(0, 2**32)))
    width = chance.randint(3, 9)
    first = "".join(chance.choice(SOUP[:-3] + "+X>") for _ in range(width))
    others = [
        "".join(chance.choice(SOUP) for _ in range(width)) for _ in range(chance.randint(0, 3))
    ]
    return "\n".join([first, *others]).encode()


def links(engine: InterpreterEngine) -> dict[int, int]:
    """Which leap comes after which, by where in the table they are."""
    assert engine.leaps is not None
    table = engine.leaps._table
    begin = address_of(table)
    return {at: WORD.unpack_from(table, at + NEXT)[0] - begin for at in known_leaps(engine)}


def test_leaps_are_linked_to_those_that_came_next() -> None:
    """Round and round from one addition to the other."""
    engine = interpreter(b"  +X  ~  -X  ")
    run(engine, 200)
    first, second = known_leaps(engine)
    assert links(engine) == {first: second, second: first}


def test_leaps_stand_as_they_come() -> None:
    """One behind the other, also if they are recorded anew."""
    engine = interpreter(b"  +X  ~  -X  ")
    run(engine, 200)
    assert engine.leaps is not None
    assert known_leaps(engine) == [0, ENTRY_BYTES]
    engine.leaps.epoch += 1
    run(engine, 400)
    assert known_leaps(engine) == [0, ENTRY_BYTES]
    assert engine.leaps._taken == engine.leaps._most_taken == 2
    assert engine.state == expected(b"  +X  ~  -X  ", 400)


@settings(max_examples=settings.default.max_examples // 4)
@given(source=soups(), room=st.sampled_from([1, 2, 4]))
def test_when_there_is_no_more_room_leaps_take_the_place_of_the_first(
    source: bytes, room: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leap_table, "FEWEST_LEAPS", room)
        patch.setattr(leap_table, "MOST_LEAPS", room)
        patch.setattr(leap_table, "fresh_memory", lambda size: bytearray(size + 1_000))
        engine = interpreter(source)
        for tick in (40, 200, 1_500):
            if len(engine.state.walkers) != 1 or run(engine, tick) is not None:
                break
            assert engine.state == expected(source, tick)
        assert engine.leaps is not None
        assert not any(engine.leaps._table[-1_000:] + engine.leaps._found[-1_000:])


def test_a_table_ends_where_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b" +X ~ -X ~ +X ~ -X ~ "
    for name in ("FEWEST_LEAPS", "MOST_LEAPS"):
        monkeypatch.setattr(leap_table, name, 1)
    monkeypatch.setattr(leap_table, "fresh_memory", lambda size: bytearray(size + 1_000))
    engine = interpreter(source)
    run(engine, 400)
    assert engine.state == expected(source, 400)
    assert engine.leaps is not None and known_leaps(engine) == [0]
    assert not any(engine.leaps._table[-1_000:] + engine.leaps._found[-1_000:])


def test_memory_for_leaps_is_taken_and_counted_as_they_come() -> None:
    """As many as there are cells; no more than a part of the memory that is allowed."""
    rows = b"\n".join(b"X" + b"~ >< " * 20 + b"@" for _ in range(200))
    engine, little = interpreter(rows), interpreter(rows, Limits(memory=1 << 20))
    for each in (engine, little):
        run(each, 10_000)
    assert engine.leaps is not None and little.leaps is not None
    assert engine.leaps._room > len(rows) > little.leaps._room >= leap_table.FEWEST_LEAPS
    width = rows.index(b"\n")
    assert engine.leaps.memory() == width, "a row of marks; what is there anyway is not counted"
    engine.leaps._most_taken = leap_table.FEWEST_LEAPS + 1_000
    assert engine.leaps.memory() >= 1_000 * ENTRY_BYTES


def test_a_run_that_goes_on_is_linked_to_its_first_leap_alone() -> None:
    engine = interpreter(b"  +X  ~  -X  ")
    run(engine, 200)
    assert engine.leaps is not None and engine.state.walkers[0].stance.x == 200 % 13
    run(engine, 215)  # over both
    table = engine.leaps._table
    (address,) = WORD.unpack_from(table, engine.leaps._room * ENTRY_BYTES + NEXT)
    (tag,) = WORD.unpack_from(table, address - address_of(table))
    assert tag // MOST_POSTURES == 11  # behind the second addition


@pytest.mark.parametrize("source", [b"-X@ ~>   <+X", b"+X@X ~  >  < ", b"-v@^  ~v   ^ @"])
def test_a_leap_that_came_next_is_not_taken_from_elsewhere(source: bytes) -> None:
    """What follows `@` is now one leap and now the other."""
    source += b"\n" + bytes(range(1, len(source)))
    engine = interpreter(source)
    for tick in (60, 61, 400, 3_000):
        run(engine, tick)
        assert engine.state == expected(source, tick)


def test_a_leap_that_came_next_and_is_no_longer_true() -> None:
    source = b"+X~>   <-X~  "
    engine, other = interpreter(source), expected(source, 100)
    run(engine, 100)
    before = links(engine)
    assert before
    for state in (engine.state, other):
        put = engine.reference.machine.put if state is engine.state else state.plane.put
        put(5, 0, ord(">"))
    run(engine, 103)
    assert links(engine).items() & before.items()  # they are there, but nobody follows them
    run(engine, 300)
    run(ReferenceEngine(REFUNGE, other, Limits()), 300)
    assert engine.state == other


@settings(max_examples=settings.default.max_examples // 2)
@given(source=soups(), seed=st.integers(0, 2**32))
def test_whatever_is_written_and_wherever_the_hand_goes(source: bytes, seed: int) -> None:
    """In pieces, and with the reference engine or somebody else in between."""
    chance = Random(seed)
    engine = interpreter(source)
    native = engine._run
    engine._run = lambda fuel: chance.random() < 0.8 and native(fuel)  # type: ignore[method-assign]
    tick = 0
    while tick < 1_500 and engine.state.stop is None and len(engine.state.walkers) == 1:
        tick += chance.choice([1, 7, 60, 400])
        if chance.random() < 0.1:
            run(ReferenceEngine(REFUNGE, engine.state, Limits()), tick)
        if run(engine, tick) is not None:
            break
        assert engine.state == expected(source, tick)


@pytest.mark.parametrize(
    "source", [b"~>   @ ", b"~<   @ ", b"~<@>@ ", b"~>>@<@<@", b"~v  @ ", b"~vv@^@"]
)
def test_a_hand_that_comes_to_an_end_of_the_plane(source: bytes) -> None:
    for tick in (9, 40, 200):
        engine = interpreter(source)
        run(engine, tick)
        assert engine.state == expected(source, tick)


@pytest.mark.parametrize("told", [True, False])
def test_others_write_where_leaps_pass(told: bool) -> None:
    """The reference engine, which performs single ticks in between, or somebody else."""
    source = b"~   @  "
    engine, other = interpreter(source), expected(source, 30)
    run(engine, 30)
    for state in (engine.state, other):
        put = engine.reference.machine.put if told and state is engine.state else state.plane.put
        put(2, 0, ord(">"))
        state.tick += not told
    run(engine, 80)
    run(ReferenceEngine(REFUNGE, other, Limits()), 80)
    assert engine.state == other


def test_a_cell_that_was_written_once_ends_leaps() -> None:
    """They pass it no more, so that the next writes cost nothing."""
    source = b"+>   ^<v  \n" + bytes(range(1, 11))
    engine = interpreter(source)
    run(engine, 3_000)
    assert engine.state == expected(source, 3_000)
    assert engine.leaps is not None
    assert engine.leaps.epoch < 30


def test_without_memory_for_marks_it_walks() -> None:
    engine = interpreter(LOOP, Limits(memory=len(LOOP) - 2))
    run(engine, 500)
    assert engine.state == expected(LOOP, 500)
    assert engine.memory() < 10
    assert not known_leaps(engine)
    assert engine.native_ticks > 400


def test_leaps_that_would_end_at_once_take_no_room() -> None:
    """Of four instructions, one has ground after it that only leads on."""
    language = registry.get("mirrorfunge")
    state = language.start(b"1$1$  ", language.read_options({}), 0)
    engine = InterpreterEngine(language, state, Limits())
    run(engine, 100)
    assert len(known_leaps(engine)) == 1


def test_leaps_are_forgotten_with_the_cells_that_they_pass() -> None:
    """Whoever writes there would not know that they are no longer true."""
    source = b"~  >  @ "
    engine, other = interpreter(source), expected(source, 30)
    run(engine, 30)
    assert engine.leaps is not None and engine.leaps.count_walked() == len(source)
    engine.leaps.passed[:] = bytes(len(engine.leaps.passed))
    engine.leaps.epoch += 1
    assert engine.leaps.count_walked() == 0
    for state in (engine.state, other):
        put = engine.reference.machine.put if state is engine.state else state.plane.put
        put(2, 0, ord("<"))
    run(engine, 80)
    run(ReferenceEngine(REFUNGE, other, Limits()), 80)
    assert engine.state == other
    assert engine.leaps.count_walked() > 0


def test_cells_that_leaps_pass_are_counted() -> None:
    """Those that are marked, above the data that nobody walks; or where nothing is marked, all that
    leaps lead over."""
    engine = interpreter(b"~  >  @ \n" + b"\n" * 100 + b" ")
    run(engine, 80)
    leaps = engine.leaps
    assert leaps is not None and leaps.notes_cells
    assert leaps.count_walked() == 8 == len(leaps.cells_walked())
    mirrorfunge = registry.get("mirrorfunge")
    state = mirrorfunge.start(b"1$1$    ", mirrorfunge.read_options({}), 0)
    engine = InterpreterEngine(mirrorfunge, state, Limits())
    assert engine.leaps is not None and engine.leaps.count_walked() == 0
    run(engine, 100)
    assert not engine.leaps.notes_cells and engine.leaps.count_walked() == 5
