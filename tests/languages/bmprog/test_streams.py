"""Streams of BMProg, against a simulator that says each sentence of the rules once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import planewalk
from planewalk.core.errors import OptionError
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Halted, Hungry, Stalled, Stop
from planewalk.engines.choose import choose_engine
from planewalk.engines.stepping.observe import Observer, observe
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages.bmprog import engine, symbols
from planewalk.languages.bmprog.engine import SignalEngine
from planewalk.languages.bmprog.flights import Flights
from planewalk.languages.bmprog.forms import Form
from planewalk.languages.bmprog.native import KERNELS
from planewalk.languages.bmprog.planes import Planes
from planewalk.languages.bmprog.rules import LANGUAGE
from planewalk.languages.bmprog.text import text_to_picture

RIGHT, DOWN, LEFT, UP = (1, 0), (0, 1), (-1, 0), (0, -1)
STEER = {">": RIGHT, "v": DOWN, "<": LEFT, "^": UP}
CAT = ".........#"


@pytest.fixture(scope="module", autouse=True)
def kernels_at_once() -> Iterator[None]:
    """Where machine code cannot be made, the kernels are tested as Python."""
    if not KERNELS.ready:
        KERNELS.assemble(None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "FIRST_WORK", 7)
        patch.setattr(symbols, "MOST_SYMBOLS", 5)
        yield


class Circuit(NamedTuple):
    """A board, its options, and the symbols that come in."""

    rows: list[str]
    stream: str | int
    form: str
    symbols: list[int]
    argument: int = 0

    def input(self) -> bytes:
        if self.form == "bytes":
            return bytes(self.symbols)
        return " ".join(map(str, self.symbols)).encode()

    def state(self) -> State:
        given = {"stream": self.stream, "stream-as": self.form, "arg": self.argument}
        source = text_to_picture("\n".join(self.rows).encode(), ".png")
        return LANGUAGE.start(source, LANGUAGE.read_options(given), 0)


class Told(NamedTuple):
    stop: str
    cycles: int
    value: int
    output: bytes


def simulated(circuit: Circuit, cycles: int) -> Told:
    """Run a circuit by the rules, as sets of signals (x, y, direction, waits)."""
    rows, (width, height) = circuit.rows, (len(circuit.rows[0]), len(circuit.rows))
    inside = [y for y in range(1, height) if circuit.argument >> y - 1 & 1]
    signals = {(-1, y, RIGHT, False) for y in [0, *inside]}
    symbols, ended, value, pending = list(circuit.symbols), False, 0, 0
    due: int | None = 1
    output: list[int] = []
    for cycle in range(1, cycles + 1):
        if due == cycle:
            arriving = {(x, -1) for x in range(1, width) if symbols and symbols[0] >> x - 1 & 1}
            if symbols:
                arriving.add((0, -1))
            elif width > 1:
                arriving.add((width - 1, -1))
            ended = ended or not symbols
            symbols = symbols[1:]
            signals |= {(x, y, DOWN, False) for x, y in arriving}
            due = None if ended or circuit.stream == "ask" else cycle + int(circuit.stream)
        moved, exits = moves(rows, signals)
        signals = {each for each in moved if 0 <= each[0] < width and 0 <= each[1] < height}
        assert not [left for left, count in exits.items() if count > 1]
        gone = {(x, y) for x, y in exits if x == width or y in (-1, height)}
        for x, y in gone:
            value ^= 1 << y - 1 if x == width and y else 0
            pending ^= 1 << x - 1 if y == height and x else 0
        if (0, height) in gone:
            output.append(pending)
            pending = 0
        if (0, -1) in gone and circuit.stream == "ask" and not ended:
            due = cycle + 1
        if (width, 0) in gone or not (signals or due):
            stop = "halted" if (width, 0) in gone else "stalled"
            return Told(stop, cycle, value, written(circuit, output))
    return Told("limit", cycles, value, written(circuit, output))


def moves(rows: list[str], signals: set[Any]) -> tuple[set[Any], Counter[Any]]:
    """Where signals are after a cycle, and how many have left for which place outside."""
    moved, exits, places = set(), Counter[Any](), {(x, y) for x, y, _, _ in signals}
    for x, y in places:
        here = [(way, waits) for px, py, way, waits in signals if (px, py) == (x, y)]
        on = 0 <= x < len(rows[0]) and 0 <= y < len(rows)
        for (dx, dy), held in becomes(rows[y][x] if on else ".", here):
            signal = (x, y, (dx, dy), True) if held else (x + dx, y + dy, (dx, dy), False)
            moved.add(signal)
            if not (0 <= signal[0] < len(rows[0]) and 0 <= signal[1] < len(rows)):
                exits[signal[:2]] += 1
    return moved, exits


def becomes(cell: str, here: list[Any]) -> Iterator[Any]:
    """The ways that signals of a cell go on, and whether they are held first."""
    if cell in STEER:
        dx, dy = STEER[cell]
        yield (((dx, dy) if len(here) == 1 else (-dx, -dy)), False)
    elif cell == "*":
        yield from ((way, False) for way, waits in here if waits)
        fresh = [way for way, waits in here if not waits]
        if UP in fresh or DOWN in fresh:
            yield from ((way, True) for way in (LEFT, RIGHT))
        if LEFT in fresh or RIGHT in fresh:
            yield from ((way, True) for way in (UP, DOWN))
    elif cell != "#":
        yield from ((way, False) for way, _ in here)


def written(circuit: Circuit, output: list[int]) -> bytes:
    if circuit.form == "bytes":
        return bytes(symbol % 256 for symbol in output)
    return "".join(f"{symbol}\n" for symbol in output).encode()


@st.composite
def circuits(draw: st.DrawFn) -> Circuit:
    width = draw(st.one_of(st.integers(1, 12), st.integers(60, 140)))
    height = draw(st.integers(1, 7))
    cells = draw(st.sampled_from(["<>^v*#.", "." * 12 + "<>^v*#", "..>^v", "^v.#*"]))
    row = st.text(st.sampled_from(cells), min_size=width, max_size=width)
    rows = draw(st.lists(row, min_size=height, max_size=height))
    stream = draw(st.one_of(st.just("ask"), st.integers(1, 12)))
    form = draw(st.sampled_from(["bytes", "numbers"]))
    most = 255 if form == "bytes" else draw(st.sampled_from([1 << 14, 1 << 130, 1 << 1100]))
    symbols = draw(st.lists(st.integers(0, most), max_size=12))
    return Circuit(rows, stream, form, symbols, draw(st.integers(0, 1 << height)))


def told(state: State, stop: Stop | None) -> Told:
    name = {Halted: "halted", Stalled: "stalled"}.get(type(stop), "limit")
    return Told(name, state.tick, state.registers["value"], bytes(state.output))


@given(circuits(), st.integers(0, 150))
def test_reference_engine_does_what_the_rules_say(circuit: Circuit, cycles: int) -> None:
    state = circuit.state()
    state.input.data += circuit.input()
    stop = choose_engine("reference", LANGUAGE, state, Limits()).advance(cycles)
    assert told(state, stop) == simulated(circuit, cycles)


ENGINES = ("auto", "interpreter", "python", "llvm", Flights, Planes)
PIECES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6)), max_size=20)


@pytest.mark.parametrize("name", ENGINES)
@given(circuit=circuits(), pieces=PIECES, output=st.one_of(st.none(), st.integers(0, 12)))
def test_engines_agree_however_input_comes(
    name: Any, circuit: Circuit, pieces: list[tuple[int, int]], output: int | None
) -> None:
    reference, other = circuit.state(), circuit.state()
    reference.input.closed = other.input.closed = False
    limits = Limits(output=output)
    known = choose_engine("reference", LANGUAGE, reference, limits)
    if isinstance(name, str):
        special = choose_engine(name, LANGUAGE, other, limits)
    else:
        there = symbols.symbols_of(other, limits)
        special = SignalEngine(LANGUAGE, other, limits, KERNELS, only=name, symbols=there)
    rest = circuit.input()
    for ticks, size in [*pieces, (40, len(rest)), (0, 0), (100, 0)]:
        piece, rest = rest[:size], rest[size:]
        if piece or not (ticks or size):
            reference.input.feed(piece)
            other.input.feed(piece)
        stop = known.advance(ticks)
        assert special.advance(ticks) == stop
        assert other == reference
        assert other.registers == reference.registers
        assert State.from_json(other.to_json()) == reference
        if stop == Hungry():
            before = reference.to_json()
            assert known.advance(1) == Hungry()
            assert reference.to_json() == before


def run(rows: str, data: bytes, **options: Any) -> planewalk.Run:
    return planewalk.run(
        source=rows.encode(), language="bmprog", input=data, **{"max_steps": 10_000, **options}
    )


@pytest.mark.parametrize("value", ["0", "-1", "on", "1.5", "", 0, True, None])
def test_a_wrong_value_is_refused(value: Any) -> None:
    with pytest.raises(OptionError, match="expected off, ask or a number of cycles, 1 or more"):
        run(CAT, b"", stream=value)


def test_a_narrow_board_is_warned_of_once() -> None:
    (note,) = run("....\n...#", b"a", stream="ask").state.notes
    assert "3 bits of each byte" in note
    assert not run("....\n...#", b"1", stream="ask", stream_as="numbers").state.notes
    assert not run("....\n...#", b"a").state.notes
    assert not run(CAT, b"a", stream=2).state.notes


@pytest.mark.parametrize(
    ("data", "number", "byte", "shown"),
    [
        (b"x", 1, 1, "x"),
        (b" 7\n-1 4", 2, 4, "-1"),
        (b"1 2 3 \x1b[0m", 4, 7, "\\x1b[0m"),
        (b"1 " + b"9" * 30 + b"z", 2, 3, "9" * 20 + "…"),
    ],
)
def test_a_bad_numeral_is_named_with_its_place(
    data: bytes, number: int, byte: int, shown: str
) -> None:
    stop = run(CAT, data, stream=3, stream_as="numbers").stop
    expected = f"number {number} of the input, at byte {byte}, is no decimal number: '{shown}'"
    assert getattr(stop, "reason", None) == expected


@pytest.mark.parametrize("power", [59, 60, 63, 1_000])
@pytest.mark.parametrize("name", ["reference", "auto", "llvm"])
def test_a_second_symbol_may_be_due_later_than_any_run_lasts(name: str, power: int) -> None:
    done = run(CAT, b"ab", stream=1 << power, max_steps=1_000, engine=name)
    assert (done.status, done.output, done.steps) == ("limit", b"a", 1_000)


def test_long_numbers_go_straight_through() -> None:
    number = 7**3000
    done = run("." * 9_000 + "#", b"%d %d" % (number, 5), stream=2, stream_as="numbers")
    assert done.output == b"%d\n5\n" % number


def test_output_of_a_board_that_prints_for_ever_ends_at_its_limit() -> None:
    rows = ">v\n^*\n..\n.."  # the strobe column gets a signal every few cycles
    assert (
        run(rows, b"", stream="ask", max_steps=1_000).output
        == simulated(Circuit(rows.split("\n"), "ask", "bytes", []), 1_000).output
    )


@given(circuits(), PIECES)
def test_observed_steps_tell_what_comes_and_goes(
    circuit: Circuit, pieces: list[tuple[int, int]]
) -> None:
    state, plain = circuit.state(), circuit.state()
    state.input.data += circuit.input()
    plain.input.data += circuit.input()
    observer, known = Observer(LANGUAGE, state, Limits()), ReferenceEngine(LANGUAGE, plain)
    for step in observe(observer, 60):
        read, written = plain.input.position, plain.written
        known.advance(1)
        assert state == plain
        assert step.input == bytes(plain.input.data[read : plain.input.position])
        assert step.output == bytes(plain.output[written:])
        walkers = [now for _, _, now in step.moves] + [walker for _, _, walker in step.born]
        assert sorted(walkers) == sorted(plain.walkers)
        assert all(parents or walker.stance.y == 0 for _, parents, walker in step.born)


def test_a_session_waits_and_walks_in_both_directions() -> None:
    """> ruling: "The clock stands still (status `waiting`) while input has not come yet."."""
    walk = planewalk.session(source=CAT, language="bmprog", stream=4)
    assert walk.forward(20) == Hungry() and walk.tick == 0
    walk.feed(b"AB")
    assert walk.forward(20) == Hungry() and walk.tick == 8 and walk.output == b"AB"
    walk.back(6)
    assert walk.state.registers == {"value": 0, "pending": 0, "due": 5, "arrived": 1}
    assert walk.output == b"A"
    walk.forward(6)
    walk.feed(b"")
    assert walk.end() == Stalled() and walk.tick == 11  # the starter takes so long


@pytest.mark.parametrize("edited", [{"pending": -1}, {"pending": 1 << 70}, {"due": 1 << 90}])
@pytest.mark.parametrize("name", ENGINES[:4])
def test_registers_may_be_edited(name: str, edited: dict[str, int]) -> None:
    states = [Circuit([CAT, CAT], 4, "bytes", [1, 2, 3]).state() for _ in range(2)]
    for state, each in zip(states, (name, "reference"), strict=True):
        state.input.data += b"ABC"
        state.registers |= edited
        choose_engine(each, LANGUAGE, state, Limits()).advance(60)
    assert states[0] == states[1]


@pytest.mark.parametrize("form", [Flights, Planes])
def test_a_run_goes_on_after_an_interrupt(form: type[Form]) -> None:
    state, plain = (Circuit([CAT] * 3, 2, "bytes", []).state() for _ in range(2))
    for each in (state, plain):
        each.input.data += b"0123456789" * 4
    there = symbols.symbols_of(state, Limits())
    special = SignalEngine(LANGUAGE, state, Limits(), KERNELS, only=form, symbols=there)
    special.advance(5)
    go, calls = form.run, iter(range(9))

    def cut_off(self: Form, until: int) -> Stop | None:
        stop = go(self, until)
        if next(calls) == 2:
            raise KeyboardInterrupt
        return stop

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(form, "run", cut_off)
        special.advance(70)
    assert (state.tick, state.input.position) == (5, 3)
    special.advance(70)
    ReferenceEngine(LANGUAGE, plain).advance(75)
    assert state == plain and state.written > 20
