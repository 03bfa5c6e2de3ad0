"""Signals that come round again: runs jump over rounds, and are where they would have been."""

import random
from collections.abc import Iterator
from math import inf, lcm
from unittest import mock

import pytest
from hypothesis import given, settings

from planewalk.core.barriers import Barriers, Landing
from planewalk.core.base.deadline import Deadline
from planewalk.core.geometry import Stance
from planewalk.core.limits import Limits
from planewalk.core.state import State, Walker
from planewalk.core.step import Stop
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages.bmprog import groups, rounds
from planewalk.languages.bmprog.engine import SignalEngine
from planewalk.languages.bmprog.engine import _read as read
from planewalk.languages.bmprog.flights import Flights
from planewalk.languages.bmprog.forms import Board, Codes, Form
from planewalk.languages.bmprog.groups import FollowedFlights
from planewalk.languages.bmprog.instructions import MOVING
from planewalk.languages.bmprog.kernels.layout import WORK
from planewalk.languages.bmprog.native import KERNELS, PLAIN, Kernels
from planewalk.languages.bmprog.outcomes import HEADINGS
from planewalk.languages.bmprog.planes import Planes
from planewalk.languages.bmprog.rules import LANGUAGE
from tests.languages.bmprog.test_engine import boards, engine_on, state_of

FORMS: list[type[Form]] = [Flights, Planes]
RINGS = [":v..........", ".>::v..>::::", ".:..:..:....", ".^::*::^....", "............"]
"""In each round one signal leaves, and toggles a bit."""
SIDES = {2: "<", 1: "*", 8: "<", 3: "*", 6: "*"}
"""Rings that have nothing to do with each other, by the length of their wires: their corners, of
which some send a signal away in each round."""
CYCLES = {10, 9, 22, 13, 19}


def wheels(only: int | None = None) -> State:
    """All these rings, each with its signal, or only one of them with one."""
    rows, bits = ["v" + 23 * ".", "#" + 23 * "."], 0
    for side, corner in SIDES.items():
        if only in (None, side):
            bits |= 1 << len(rows) - 1
        wire, rest = side * ":", (20 - side) * "."
        rows += [f".>{wire}v.{rest}", f".:{side * '.'}:.{rest}", f".^{wire}{corner}.{rest}"]
    return state_of(rows, bits)


PRICE = rounds.Rounds.price


@pytest.fixture(autouse=True)
def look_soon() -> Iterator[None]:
    """And jump whenever there is something to jump over."""
    if not KERNELS.ready:
        KERNELS.assemble(None)
    with (
        mock.patch.multiple(rounds, FIRST_LOOK=8, EARLY=0.0, SHARE=1e9),
        mock.patch.object(rounds.Rounds, "price", return_value=0.0),
    ):
        yield


def far(engine: SignalEngine | ReferenceEngine, tick: int) -> Stop | None:
    stop = None
    while stop is None and engine.state.tick < tick:
        stop = engine.advance(tick - engine.state.tick)
    return stop


@pytest.mark.parametrize("form", FORMS)
def test_a_run_jumps_to_where_it_would_have_been(form: type[Form]) -> None:
    engine = engine_on(state_of(RINGS), form)
    reference = ReferenceEngine(LANGUAGE, state_of(RINGS))
    for tick in (100, 101, 2_000, 2_007, 5_003):
        far(engine, tick)
        far(reference, tick)
        assert engine.state == reference.state, tick
    assert engine._rounds.found is not None
    (part,) = engine._rounds.found._parts
    assert part.cycles == 11 and part._end.bits == 1
    with mock.patch.object(rounds.Rounds, "price", return_value=inf):
        far(engine, 5_003 + 11)  # a way that is not worth a jump
    far(engine, 10**15 + 3)
    far(reference, 5_003 + (10**15 + 3 - 5_003) % (2 * part.cycles))
    reference.state.tick = engine.state.tick
    assert engine.state == reference.state


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=settings.default.max_examples // 6)
@given(state=boards())
def test_on_any_board(form: type[Form], state: State) -> None:
    engine, reference = engine_on(state.copy(), form), ReferenceEngine(LANGUAGE, state.copy())
    for tick in (60, 300, 301, 1_000):
        assert far(engine, tick) == far(reference, tick)
        assert engine.state == reference.state, tick


def test_signals_that_were_changed_are_looked_at_anew() -> None:
    engine = engine_on(state_of(RINGS), Flights)
    for tick in (500, 1_000, 1_500, 2_000):
        far(engine, tick)
    assert engine._rounds.found is not None
    engine.state.walkers = list(engine.state.walkers)[:1]
    reference = ReferenceEngine(LANGUAGE, engine.state.copy(), Limits())
    for it in (engine, reference):
        far(it, 2_900)
    assert engine.state == reference.state


@pytest.mark.parametrize("form", FORMS)
def test_each_part_comes_round_in_its_own_time(form: type[Form]) -> None:
    engine, known = engine_on(wheels(), form), ReferenceEngine(LANGUAGE, wheels())
    for tick in (300, 301, 1_000, 1_017):
        far(engine, tick)
        far(known, tick)
        assert engine.state == known.state, tick
    assert engine._rounds.found is not None
    assert {part.cycles for part in engine._rounds.found._parts} == CYCLES
    for tick in (10**15 + 7, 10**15 + 2 * lcm(*CYCLES) - 1):
        far(engine, tick)
        walkers, value = [], 0
        for side in SIDES:
            (cycles,) = (each for each in CYCLES if each in (2 * side + 6, 2 * side + 7))
            alone = ReferenceEngine(LANGUAGE, wheels(side), Limits())
            far(alone, 100 + (tick - 100) % (2 * cycles))
            walkers += alone.state.walkers
            value ^= alone.state.registers["value"]
        assert sorted(engine.state.walkers) == sorted(walkers)
        assert engine.state.registers["value"] == value


def hall(dice: random.Random) -> State:
    """A board with few instructions whose edges lead back inside, and signals anywhere on it."""
    width, height = dice.randint(6, 40), dice.randint(6, 30)
    cells = "." * dice.choice([8, 20, 40]) + "<>^v" * 2 + dice.choice(["", "", "*", "*#"])
    rows = ["<" + "".join(dice.choices(cells, k=width - 2)) + "<" for _ in range(height - 2)]
    rows = ["v" * width, *(">" + row[1:] for row in rows), "^" * width]
    if dice.random() < 0.3:  # signals may leave
        rows[-2] = rows[-2][:-1] + "."
    state = state_of(rows)
    there = {walker.stance for walker in state.walkers}
    for _ in range(dice.choice([3, 10])):
        heading = dice.choice(HEADINGS)
        there.add(Stance(dice.randrange(width), dice.randrange(height), *heading, MOVING))
    state.walkers = [Walker(stance) for stance in sorted(there)]
    return state


@pytest.mark.parametrize("form", FORMS)
def test_signals_that_meet_late(form: type[Form]) -> None:
    """Compared with flights that nobody follows, which are quick, and tested by themselves."""
    dice, parts = random.Random(7), []
    for _ in range(30):
        state = hall(dice)
        board = Board(state.plane)
        known = Flights(board, 0, read(state.walkers, board) or [])
        engine, stop, value = engine_on(state, form), None, 0
        for tick in sorted(dice.randint(1, 3_000) for _ in range(6)):
            while stop is None and known.tick < tick:
                stop = known.run(tick)
            value ^= known.take_bits()
            assert far(engine, tick) == stop
            assert (state.tick, state.registers["value"]) == (known.tick, value)
            assert sorted(read(state.walkers, board) or []) == sorted(known.codes())
        if engine._rounds.found is not None:
            parts.append(len(engine._rounds.found._parts))
    assert parts.count(1) > 3 and max(parts) > 2


def test_rounds_are_tried() -> None:
    """A sum may be the same by chance."""
    state = wheels(2)
    far(ReferenceEngine(LANGUAGE, state), 30)
    board = Board(state.plane)
    for cycles in range(1, 40):
        form = Flights(board, 30, read(state.walkers, board) or [])
        assert (rounds.Part.tried(form, cycles, Limits().deadline) is None) == (cycles % 10 != 0)


def test_parts_with_too_long_rounds_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, most in (("MOST_CYCLES", sum(CYCLES)), ("MOST_PARTS", len(CYCLES))):
        for less in (0, 1):
            with monkeypatch.context() as patch:
                patch.setattr(rounds, limit, most - less)
                engine = engine_on(wheels(), Flights)
                for tick in (100, 2_000):
                    far(engine, tick)
                assert (engine._rounds.found is None) == bool(less)


def test_whoever_watches_sees_all_cycles() -> None:
    """Also in a run that is followed when somebody begins to watch."""
    followed = 0
    for begin in range(3, 60):
        engine, reference = engine_on(wheels(), Flights), ReferenceEngine(LANGUAGE, wheels())
        barriers = Barriers(frozenset({Landing(3, 4)}))
        for it in (engine, reference):
            far(it, 3)
            far(it, begin)
        followed += isinstance(engine._form, FollowedFlights)
        assert engine.advance(100, barriers) == reference.advance(100, barriers)
        assert engine.state == reference.state
    assert followed > 10


def test_looking_ends_in_time() -> None:
    now = iter(range(1_000))
    board = Board(state_of(RINGS).plane)
    form = Flights(board, 0, [8])
    assert rounds.Part.tried(form, 1_000, Deadline(lambda: float(next(now)), 5)) is None
    assert form.tick < 500


# What it costs -----------------------------------------------------------------------------------


def turnstiles(count: int) -> State:
    """Signals that go to and fro on wires of many lengths, which never comes round as a whole."""
    rows = ["." + ">" + "." * (1 + y % 13) + "<" + "." * (16 - y % 13) for y in range(count)]
    state = state_of(["#" + "." * 18, *rows])
    state.walkers = [Walker(Stance(2, y, 1, 0, MOVING)) for y in range(1, count + 1)]
    return state


class Counted(Flights):
    """Flights that count what they do."""

    entered = handled = 0

    def enter(self, codes: Codes) -> None:
        Counted.entered += len(codes)
        super().enter(codes)

    def run(self, until: int) -> Stop | None:
        before = self._counters[WORK]
        stop = super().run(until)
        Counted.handled += self._counters[WORK] - before
        return stop


def work_of(kernels: Kernels, stretch: int, ticks: int) -> float:
    """Events that are handled in a run that is cut into stretches; to put a signal down counts as
    twenty of them, which is what it takes."""
    state = turnstiles(400)
    Counted.entered = Counted.handled = 0
    with (
        mock.patch.multiple(rounds, Flights=Counted, EARLY=40_000.0, SHARE=1 / 8),
        mock.patch.object(rounds.Rounds, "price", PRICE),
    ):
        engine = engine_on(state, Counted, kernels)
        for tick in range(stretch, ticks + 1, stretch):
            far(engine, tick)
    return Counted.handled + 20 * Counted.entered


@pytest.mark.parametrize("kernels", [KERNELS, PLAIN])
@pytest.mark.parametrize("stretch", [8, 64, 1_024])
def test_no_jump_takes_more_than_it_saves(kernels: Kernels, stretch: int) -> None:
    """Whatever stretches the clock cuts a run into: a jump puts down every signal anew."""
    ticks = 8_192
    with mock.patch.object(groups, "MOST_STATIONS", 0):  # nothing is ever followed
        plainly_run = work_of(kernels, ticks, ticks)
    assert work_of(kernels, stretch, ticks) < 1.1 * plainly_run


def test_long_stretches_are_jumped_over() -> None:
    assert work_of(KERNELS, 10**8, 10**9) < work_of(KERNELS, 8, 8_192) * 100
