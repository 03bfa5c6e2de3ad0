"""The engine of BMProg's own is exact at every cycle, in each of its forms."""

import copy
from collections.abc import Callable, Iterator
from itertools import chain, compress, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.geometry import Stance
from planewalk.core.limits import Limits
from planewalk.core.plane import BoardPlane
from planewalk.core.state import LazyWalkers, State, Walker
from planewalk.core.step import Halted, Stalled
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages.bmprog import engine as engine_module
from planewalk.languages.bmprog import flights, planes
from planewalk.languages.bmprog.engine import SignalEngine
from planewalk.languages.bmprog.flights import Flights
from planewalk.languages.bmprog.forms import Form
from planewalk.languages.bmprog.instructions import HELD, MOVING, WAITING
from planewalk.languages.bmprog.kernels.layout import WORK
from planewalk.languages.bmprog.native import KERNELS, Kernels
from planewalk.languages.bmprog.outcomes import HEADINGS, LETTERS
from planewalk.languages.bmprog.planes import Planes
from planewalk.languages.bmprog.rules import LANGUAGE

FORMS: list[type[Form] | None] = [Flights, Planes, None]
FEW = settings(max_examples=settings.default.max_examples // 3)
"""Each form has its own."""


@pytest.fixture(scope="module", autouse=True)
def machine_code() -> None:
    """Where it cannot be made, the kernels are tested as Python."""
    if not KERNELS.ready:
        KERNELS.assemble(None)


@pytest.fixture(scope="module", autouse=True)
def few_steps_on_the_reference_engine() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_module, "FIRST_WORK", 7)
        yield


def state_of(rows: list[str], arg: int = 0) -> State:
    """The start of a text board."""
    plane = BoardPlane(len(rows[0]), "".join(rows).encode(), ord("."))
    entered = [y for y in range(plane.height) if y == 0 or arg >> (y - 1) & 1]
    walkers = [Walker(Stance(-1, y, 1, 0, MOVING)) for y in entered]
    return State(plane, walkers, registers={"value": 0}, options={"stream": "off"})


@st.composite
def boards(draw: st.DrawFn) -> State:
    """Dense boards and sparse ones, some of them a single row or column."""
    sides = st.one_of(st.just(1), st.integers(1, 8), st.integers(1, 24))
    width, height = draw(sides), draw(sides)
    cells = draw(
        st.sampled_from(["<>^v*#.:?", "<>^v*", "*.", "." * 20 + "<>^v*", "<>^v" + "." * 9])
    )
    row = st.text(st.sampled_from(cells), min_size=width, max_size=width)
    rows = draw(st.lists(row, min_size=height, max_size=height))
    return state_of(rows, draw(st.integers(0, (1 << height) - 1)))


@st.composite
def crowds(draw: st.DrawFn) -> State:
    """Boards with signals anywhere, and copies that wait in splits."""
    state = draw(boards())
    plane = state.plane
    assert isinstance(plane, BoardPlane)
    x, y = st.integers(0, plane.width - 1), st.integers(0, plane.height - 1)
    moving = draw(st.sets(st.tuples(x, y, st.sampled_from(HEADINGS)), max_size=40))
    state.walkers += [Walker(Stance(x, y, *heading, MOVING)) for x, y, heading in sorted(moving)]
    for y, x in (divmod(at, plane.width) for at, cell in enumerate(plane.data) if cell == 42):
        for axis in draw(st.sampled_from(["", "", "", "-", "|", "-|"])):
            pair = HEADINGS[::2] if axis == "-" else HEADINGS[1::2]
            state.walkers += [Walker(Stance(x, y, *heading, WAITING)) for heading in pair]
    return state


@st.composite
def oddities(draw: st.DrawFn) -> State:
    """Walkers that no run makes: doubled, held, waiting anywhere, outside."""
    state = draw(boards())
    x, y = st.integers(-2, 25), st.integers(0, 25)
    modes = st.sampled_from([MOVING, HELD, WAITING])
    odd = st.builds(lambda x, y, h, mode: Walker(Stance(x, y, *h, mode)), x, y, HEADING, modes)
    state.walkers = draw(st.lists(odd, max_size=8))
    if draw(st.booleans()):
        state.walkers *= 2
    return state


HEADING = st.sampled_from([*HEADINGS, (1, 1)])
STRETCHES = st.lists(st.one_of(st.integers(0, 3), st.integers(0, 70)), min_size=1, max_size=6)


Make = Callable[[State], SignalEngine]


def engine_on(
    state: State, form: type[Form] | None = None, kernels: Kernels = KERNELS
) -> SignalEngine:
    """An engine that holds signals in that form alone, or in any."""
    return SignalEngine(LANGUAGE, state, Limits(), kernels, only=form)


def of(form: type[Form] | None) -> Make:
    return lambda state: engine_on(state, form)


def check(state: State, make: Make, stretches: list[int]) -> None:
    """Run twins on both engines, and look at them after every stretch."""
    reference, special = state.copy(), state.copy()
    known, engine = ReferenceEngine(LANGUAGE, reference), make(special)
    for number, ticks in enumerate(stretches):
        stop = known.advance(ticks)
        assert engine.advance(ticks) == stop
        assert len(special.walkers) == len(reference.walkers)
        if number % 3:
            continue  # nobody has looked at the walkers of this stretch
        assert special == reference
        assert State.from_json(special.to_json()) == reference
        middle = special.copy()
        again = reference.copy()
        assert make(middle).advance(5) == ReferenceEngine(LANGUAGE, again).advance(5)
        assert middle == again
    assert special == reference
    assert (special.tick, special.stop) == (reference.tick, reference.stop)


def meetings() -> Iterator[State]:
    """Every kind of cell, with every set of signals in it."""
    pairs = [HEADINGS[::2], HEADINGS[1::2]]
    for letter in set(LETTERS):
        waits = product([False, True], repeat=2) if letter == ord("*") else [(False, False)]
        for ways, waiting in product(range(16), waits):
            state = state_of(["...", f".{chr(letter)}.", "..."])
            held = chain.from_iterable(compress(pairs, waiting))
            state.walkers = [
                Walker(Stance(1, 1, *HEADINGS[way], MOVING)) for way in range(4) if ways >> way & 1
            ]
            state.walkers += [Walker(Stance(1, 1, *heading, WAITING)) for heading in held]
            if state.walkers:
                yield state


@pytest.mark.parametrize("form", FORMS)
def test_every_cell_and_every_set_of_signals(form: type[Form] | None) -> None:
    for state in meetings():
        check(state, of(form), [1, 2])


@pytest.mark.parametrize("form", FORMS)
@FEW
@given(state=boards(), stretches=STRETCHES)
def test_from_the_start(form: type[Form] | None, state: State, stretches: list[int]) -> None:
    check(state, of(form), stretches)


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", FORMS)
@FEW
@given(state=crowds(), stretches=STRETCHES)
def test_from_the_middle(form: type[Form] | None, state: State, stretches: list[int]) -> None:
    check(state, of(form), stretches)


@pytest.mark.parametrize("form", FORMS)
@FEW
@given(state=oddities(), stretches=STRETCHES)
def test_walkers_that_no_run_makes(
    form: type[Form] | None, state: State, stretches: list[int]
) -> None:
    check(state, of(form), stretches)


@FEW
@given(state=crowds(), stretches=STRETCHES, cost=st.sampled_from([0.1, 1.0, 5.0]))
def test_changing_forms_all_the_time(state: State, stretches: list[int], cost: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for form in (Flights, Planes):
            patch.setattr(form, "cost_of_change", staticmethod(lambda board, signals: 0.0))
        patch.setattr(flights, "EVENTS_AT_ONCE", 2)
        patch.setattr(flights, "_CYCLES_AT_ONCE", 2)
        patch.setattr(planes, "_STRIPES_AT_ONCE", 40)
        patch.setattr(flights, "_EVENT", cost * planes._STRIPE_OF_CYCLE)
        check(state, of(None), stretches)


@given(state=crowds(), stretches=STRETCHES)
def test_somebody_else_goes_on_in_between(state: State, stretches: list[int]) -> None:
    alone, shared = state.copy(), state.copy()
    engines = [engine_on(shared), ReferenceEngine(LANGUAGE, shared)]
    for number, ticks in enumerate(stretches):
        ReferenceEngine(LANGUAGE, alone).advance(ticks)
        engines[number % 2].advance(ticks)
    assert shared == alone


@pytest.mark.parametrize("form", FORMS)
def test_the_end_keeps_what_is_on_the_board(form: type[Form] | None) -> None:
    state = state_of(["..", "v.", "..", ".."], 0b11)
    assert engine_on(state, form).advance(1_000) == Halted()
    assert (state.tick, state.registers["value"]) == (3, 0b10)
    assert list(state.walkers) == [Walker(Stance(0, 3, 0, 1, MOVING))]


@pytest.mark.parametrize("form", FORMS)
def test_stalling(form: type[Form] | None) -> None:
    state = state_of(["#.", "..", ".."], 0b11)
    assert engine_on(state, form).advance(1_000) == Stalled()
    assert (state.tick, state.registers["value"], len(state.walkers)) == (3, 0b11, 0)


def test_long_empty_wires_cost_nothing() -> None:
    """There and back again on a million cells, as a row and as a column."""
    length = 1_000_000
    row = state_of([">" + "." * (length - 2) + "<"])
    column = state_of(["v", *"." * (length - 2), "^"])
    for state in (row, column):
        running = engine_on(state)
        assert running.advance(2 * length) is None
        assert isinstance(running._form, Flights)
        assert running._form._counters[WORK] < 10
    assert row.walkers == [Walker(Stance(1, 0, 1, 0, MOVING))]
    assert column.walkers == [Walker(Stance(0, 1, 0, 1, MOVING))]


@pytest.mark.parametrize("form", FORMS)
def test_walkers_are_made_when_looked_at(form: type[Form] | None, monkeypatch) -> None:
    state = state_of(["*..", "..."])
    monkeypatch.setattr(engine_module, "FIRST_WORK", 0)
    running = engine_on(state, form)
    running.advance(2)
    seen = state.walkers
    running.advance(1)
    assert isinstance(seen, LazyWalkers)
    assert len(seen) == 2
    assert "data" not in seen.__dict__
    pair = [Walker(Stance(0, 0, 0, dy, WAITING)) for dy in (1, -1)]  # as it was, not as it is now
    assert seen == pair
    assert copy.copy(seen) == seen[:] == seen.copy() == pair
    assert state.walkers == [Walker(Stance(0, 1, 0, 1, MOVING))]
