"""Long runs of boards with streams: rounds that write, and stops at what happens on the way."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest

from planewalk.core.barriers import ANY, Barriers, Landing
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Hit, Hungry, Spent, Stop
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages.bmprog import engine, rounds, symbols
from planewalk.languages.bmprog.engine import SignalEngine
from planewalk.languages.bmprog.flights import Flights
from planewalk.languages.bmprog.forms import Form
from planewalk.languages.bmprog.instructions import MOVING, WAITING
from planewalk.languages.bmprog.native import KERNELS
from planewalk.languages.bmprog.outcomes import HEADINGS
from planewalk.languages.bmprog.planes import Planes
from planewalk.languages.bmprog.rules import LANGUAGE
from tests.languages.bmprog.test_streams import Circuit

FORMS = [None, Flights, Planes]
CLOCK = ["v.<...........", ".>*...........", ".^<....>*.....", ".......^<.....", ".............."]
"""The ring at the left writes every five cycles; the other toggles 128."""


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    """Kernels run from the first cycles on, and jump whenever there is something to jump over."""
    if not KERNELS.ready:
        KERNELS.assemble(None)
    with (
        mock.patch.multiple(rounds, FIRST_LOOK=8, EARLY=0.0, SHARE=1e9),
        mock.patch.object(rounds.Rounds, "price", return_value=0.0),
        mock.patch.object(engine, "FIRST_WORK", 7),
        mock.patch.object(symbols, "MOST_SYMBOLS", 5),
    ):
        yield


def hall(dice: random.Random) -> Circuit:
    """A board whose edges mostly lead back inside, with a few gaps at the bottom."""
    width, height = dice.randint(4, 14), dice.randint(4, 10)
    cells = "." * dice.choice([4, 8, 20]) + "<>^v" * dice.choice([1, 2]) + dice.choice(["*", "**"])
    rows = [[*dice.choices(cells, k=width - 1), "<"] for _ in range(height)]
    for row, letter in ((0, "v"), (-1, "^")):
        if dice.random() < 0.8:
            rows[row] = [letter] * width
    for row in rows:
        if row[0] != "v" and dice.random() < 0.7:
            row[0] = dice.choice(">v")
    for column in [0] * dice.randint(0, 1) + dice.choices(range(width), k=dice.randint(0, 3)):
        rows[-1][column] = "."
    stream, form = dice.choice(["ask", "ask", 1_000, 100, 7]), dice.choice(["bytes", "numbers"])
    incoming = [dice.randrange(256) for _ in range(dice.randrange(5))]
    return Circuit(["".join(row) for row in rows], stream, form, incoming, dice.randrange(1 << 9))


class Pair:
    """A board on the reference engine, and on that of BMProg's own."""

    def __init__(self, circuit: Circuit, form: type[Form] | None, limits: Limits) -> None:
        self.states = [circuit.state(), circuit.state()]
        for state in self.states:
            state.input.data += circuit.input()
            state.input.closed = False
        there = symbols.symbols_of(self.state, limits)
        own = SignalEngine(LANGUAGE, self.state, limits, KERNELS, only=form, symbols=there)
        self.rounds = lambda: own._rounds.found
        self._engines = ReferenceEngine(LANGUAGE, self.states[1], limits), own

    @property
    def state(self) -> State:
        return self.states[0]

    def go(self, tick: int, barriers: Barriers | None = None) -> Stop | None:
        """Run both up to that tick, or a stop, which has to be the same."""
        found = []
        for each in self._engines:
            stop = None
            while stop is None and each.state.tick < tick:
                stop = each.advance(tick - each.state.tick, barriers)
            found.append(stop)
        assert told(found[0]) == told(found[1])
        first, second = self.states
        assert first == second and first.registers == second.registers
        return found[0]

    def feed(self, data: bytes) -> None:
        for state in self.states:
            state.input.feed(data)


def told(stop: Stop | None) -> Any:
    return sorted(map(repr, stop.events)) if isinstance(stop, Hit) else stop


@pytest.mark.parametrize("form", FORMS)
def test_rounds_write_what_they_would_have_written(form: type[Form] | None) -> None:
    dice, silent, writing = random.Random(1), 0, 0
    for _ in range(40):
        pair = Pair(hall(dice), form, Limits(output=dice.choice([None, None, 3, 40])))
        for tick in sorted(dice.randint(1, 1_500) for _ in range(5)):
            if pair.go(tick) == Hungry() and dice.random() < 0.7:
                pair.feed(bytes(dice.choices(b"0123 \n", k=dice.randrange(4))))
        found = pair.rounds()
        if found is not None:
            silent, writing = (
                silent + (not found.output_period),
                writing + bool(found.output_period),
            )
    assert silent > 5 and writing > 2


@pytest.mark.parametrize("form", FORMS)
def test_stops_are_those_of_the_reference_engine(form: type[Form] | None) -> None:
    dice, seen = random.Random(2), set()
    for _ in range(25):
        circuit = hall(dice)._replace(stream=dice.choice(["ask", 1, 2, 3, 7, 50]))
        circuit = circuit._replace(symbols=[dice.randrange(256) for _ in range(12)])
        pair = Pair(circuit, form, Limits(output=dice.choice([None, 3, 10])))
        for _ in range(15):
            to = pair.state.tick + dice.choice([1, 3, 20, 100])
            stop = pair.go(to, barriers(dice, circuit) if dice.random() < 0.8 else None)
            if isinstance(stop, Hit):
                seen |= {type(event).__name__ for event in stop.events}
            if stop == Hungry() and dice.random() < 0.7:
                pair.feed(bytes(dice.choices(b"0123 \n", k=dice.randrange(4))))
    assert seen == {"Landed", "Wrote", "Took"}


def barriers(dice: random.Random, circuit: Circuit) -> Barriers:
    width, height = len(circuit.rows[0]), len(circuit.rows)
    landings = frozenset(
        Landing(
            dice.randrange(-1, width + 1),
            dice.randrange(-1, height),
            dice.choice([ANY, *HEADINGS]),
            dice.choice([ANY, MOVING, WAITING]),
        )
        for _ in range(dice.choice([0, 0, 1, 3]))
    )
    return Barriers(landings, output=dice.random() < 0.4, input=dice.random() < 0.3)


@pytest.mark.parametrize("form", FORMS)
def test_a_board_that_writes_for_ever_is_jumped_over(form: type[Form] | None) -> None:
    state = Circuit(CLOCK, "ask", "bytes", [], 3).state()
    there = symbols.symbols_of(state, Limits())
    run, written = SignalEngine(LANGUAGE, state, Limits(), KERNELS, only=form, symbols=there), 0
    assert run.advance(40) is None
    calls = 0
    while state.tick < 10**8:
        assert run.advance(10**8 - state.tick) is None
        calls, written = calls + 1, state.written
        state.take_output()
    assert calls < 20 and written == 39_999_997


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("as_", ["bytes", "numbers"])
def test_a_limit_of_output_holds_after_a_jump(form: type[Form] | None, as_: str) -> None:
    for most in range(90, 130):
        pair = Pair(Circuit(CLOCK, "ask", as_, [], 3), form, Limits(output=most))
        pair.feed(b"")
        assert pair.go(2_000) == Spent("output")


def test_what_is_pending_may_be_edited_between_rounds() -> None:
    pair = Pair(Circuit(CLOCK, "ask", "numbers", [], 3), Flights, Limits())
    pair.feed(b"")
    pair.go(1_000)
    assert pair.rounds().output_period
    for state in pair.states:
        state.registers["pending"] = 21
    pair.go(2_000)
    assert b"\n21\n" in pair.state.output or b"\n149\n" in pair.state.output
