"""Whatever runs: at the end of its time a run stops, soon, on an exact state."""

from itertools import count

import pytest

from planewalk.core.limits import Limits
from planewalk.core.numbers import long, numerals
from planewalk.core.state import State
from planewalk.core.step import Spent, Stop
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import EAGER, PATIENT, following
from planewalk.engines.choose import choose_engine
from planewalk.engines.stepping import reference
from planewalk.engines.stepping.drive import drive
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.stepping.scales import Scales
from planewalk.languages import registry
from tests.marks import plainly

BOMB = b"\\|||||||\n" + b"YYYYYYYY\n" * 4 + b"||||||||\n"
SQUARE = b":*" * 13
ENGINES = ("reference", "interpreter", "python", "llvm")

SLOW = {
    "a long product": ("mirrorfunge", b"9" + SQUARE + b":*@", b""),
    "a long quotient": ("mirrorfunge", b"9" + SQUARE + b":9*;|@", b""),
    "a long number printed": ("mirrorfunge", b"9" + SQUARE + b".@", b""),
    "a long number drawn": ("mirrorfunge", b"09" + SQUARE + b":*:*:*:*:*:*?@", b""),
    "a long number read": ("mirrorfunge", b"&@", b"7" * 20_000),
    "a deep stack dumped": ("mirrorfunge", b"1" * 99 + b"=", b""),
    "many walkers": ("refunge", BOMB, b""),
}
LATER = {"a long number printed": (400, 500)}
"""Where the number itself takes long to come to."""


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces so small that numbers need not be very long."""
    monkeypatch.setattr(long, "_EASY_PRODUCT", 1 << 14)
    monkeypatch.setattr(long, "_EASY_QUOTIENT", 1 << 14)
    monkeypatch.setattr(long, "_EASY_DIVISOR", 1 << 7)
    monkeypatch.setattr(numerals, "_EASY_DECIMALS", 200)
    monkeypatch.setattr(reference, "_SOME", 16)


def start(name: str, source: bytes, given: bytes) -> State:
    language = registry.get(name)
    state = language.start(source, language.read_options({}), 1)
    state.input = InputStream(given)
    return state


def run_until(engine: str, name: str, state: State, looks: int) -> tuple[Stop, int]:
    """Run with a clock that goes on by one whenever it is looked at; how often was that?"""
    ticking = count()

    def clock() -> float:
        return float(next(ticking))

    limits = Limits(seconds=looks).begun(clock)
    stop = drive(choose_engine(engine, registry.get(name), state, limits), limits, clock)
    return stop, next(ticking)


@pytest.mark.parametrize("engine", plainly(["llvm"], ENGINES))
@pytest.mark.parametrize("what", SLOW)
def test_time_ends_in_the_middle_of_what_takes_long(what: str, engine: str) -> None:
    name, source, given = SLOW[what]
    stopped_at = set()
    for looks in LATER.get(what, (120, 200)):
        state = start(name, source, given)
        stop, looked = run_until(engine, name, state, looks)
        assert stop == Spent("time")
        assert looked < looks + 20
        expected = start(name, source, given)
        while expected.tick < state.tick:
            assert ReferenceEngine(registry.get(name), expected).advance(1) is None
        assert state == expected
        stopped_at.add(state.tick)
    assert max(stopped_at) < 5_000


def test_numbers_that_were_put_aside_shorten_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may be added in every tick that comes."""
    monkeypatch.setattr("planewalk.engines.stepping.drive._LONG_WORK", 1 << 22)
    stretches: list[int] = []

    class Counted(ReferenceEngine):
        def advance(self, ticks: int, *more: object) -> Stop | None:
            stretches.append(ticks)
            return super().advance(ticks)

    limits = Limits(steps=20_000)
    aside = b"9" + SQUARE + b":*" * 3
    for source, kept in ((aside, True), (aside + b"$", False)):
        stretches.clear()
        blank = b" " * len(source)
        ring = [b"v", b">v", b"^<"]
        rows = [before + part for before, part in zip((source, blank, blank), ring, strict=True)]
        state = start("mirrorfunge", b"\n".join(rows), b"")
        engine = Counted(registry.get("mirrorfunge"), state, limits)
        assert drive(engine, limits, lambda: 0.0) == Spent("steps")
        assert (max(stretches[3:]) < 200) == kept


def test_input_that_is_too_long_to_be_one_number_ends_the_run() -> None:
    limits = Limits(memory=1 << 20)
    state = start("mirrorfunge", b"&@", b"7" * 200_000)
    stop = drive(choose_engine("reference", registry.get("mirrorfunge"), state, limits), limits,
                 lambda: 0.0)  # fmt: skip
    assert stop == Spent("memory")
    assert state.input.position == 0 and state.tick == 0


def test_unread_input_is_counted() -> None:
    limits = Limits(memory=1 << 20)
    for given, stop in ((1 << 19, "steps"), (1 << 21, "memory")):
        state = start("mirrorfunge", b"1$", b"x" * given)
        limited = limits._replace(steps=1_000)
        engine = ReferenceEngine(registry.get("mirrorfunge"), state, limited)
        assert drive(engine, limited, lambda: 0.0) == Spent(stop)


PAINTING = b"   %\n\n @@\n@  $\n@   #\n     #\n      @# @\n          @\n          @\n     @   @\n"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "source"), [("gemooy", PAINTING), ("mirrorfunge", b"1")])
def test_a_run_that_grows_is_stopped_at_its_limit(name: str, source: bytes, engine: str) -> None:
    """However far it could go before somebody looks again: here nobody ever sees time pass."""
    state, limits = start(name, source, b""), Limits(memory=2 << 20)
    quick = engine == "interpreter"  # which is made in less time if the run waits for it
    with following(PATIENT._replace(background=not quick)):
        stop = drive(choose_engine(engine, registry.get(name), state, limits), limits, lambda: 0.0)
    assert stop == Spent("memory")
    assert limits.memory is not None
    assert limits.memory < state.memory() < 1.1 * limits.memory


def test_machine_code_takes_no_room_that_is_not_there() -> None:
    """It marks cells that are code, in a field as large as the plane."""
    state, limits = start("refunge", b"v" * 500, b""), Limits(memory=4 << 20)
    with following(EAGER):
        ReferenceEngine(registry.get("refunge"), state).advance(6_000)
        engine = choose_engine("llvm", registry.get("refunge"), state, limits)
        stop = drive(engine, limits, lambda: 0.0)
    assert stop == Spent("memory")
    assert state.memory() + engine.memory() < 1.1 * (4 << 20)


@pytest.mark.parametrize("engine", ["auto", "interpreter", "llvm"])
def test_a_field_that_grows_has_nearly_all_memory(engine: str) -> None:
    """Where nobody walks, marks of cells take none."""
    state, limits = start("refunge", b"v" * 500, b""), Limits(memory=4 << 20)
    with following(
        PATIENT._replace(background=False, tracing_price=0, cell_price=0, loading_price=0)
    ):
        running = choose_engine(engine, registry.get("refunge"), state, limits)
        stop = drive(running, limits, lambda: 0.0)
    assert stop == Spent("memory")
    assert running.memory() < 1 << 18
    assert 0.9 * (4 << 20) < state.memory() < 1.1 * (4 << 20)


@pytest.mark.parametrize(("bits", "heavy"), [(1, False), (80_000, True)])
def test_long_numbers_count_as_memory(bits: int, heavy: bool) -> None:
    """Thirty numbers, which are small or have 10 kB each."""
    language = registry.get("mirrorfunge")
    state = language.start(b"@", {}, 0)
    state.stack = [(1 << bits) + n for n in range(30)]
    scales = Scales(ReferenceEngine(language, state), Limits(memory=200_000), lambda: 0.0)
    assert scales.too_heavy(0.0) is heavy
