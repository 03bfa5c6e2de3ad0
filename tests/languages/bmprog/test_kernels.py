"""BMProg's kernels: on large boards, between all forms, and how a run gets to machine code."""

import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

import pytest

from planewalk.core.geometry import Stance
from planewalk.core.limits import Limits
from planewalk.core.plane import BoardPlane
from planewalk.core.state import State, Walker
from planewalk.core.step import Halted, Stalled
from planewalk.engines.base.policy import PATIENT, following
from planewalk.engines.choose import choose_engine
from planewalk.engines.native.machine_code import why_not
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages.bmprog import engine as engine_module
from planewalk.languages.bmprog import flights, native, planes, rounds
from planewalk.languages.bmprog.engine import SignalEngine
from planewalk.languages.bmprog.flights import Flights
from planewalk.languages.bmprog.forms import Board, Form
from planewalk.languages.bmprog.instructions import MOVING
from planewalk.languages.bmprog.native import KERNELS, PLAIN, Kernels
from planewalk.languages.bmprog.outcomes import HEADINGS
from planewalk.languages.bmprog.planes import Planes
from planewalk.languages.bmprog.rules import LANGUAGE
from planewalk.languages.bmprog.text import text_to_picture
from tests.engines.stores import MemoryStore
from tests.languages.bmprog.test_engine import engine_on, state_of
from tests.marks import plainly
from tests.patience import PATIENCE

ALL: list[Any] = [Flights, Planes]
CELLS = ["<>^v*#.:?", "<>^v*", "*.", "." * 20 + "<>^v*", "." * 60 + "<>^v*", "<>^v" + "." * 30]
needs_machine_code = pytest.mark.skipif(why_not() is not None, reason="there is none here")


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    """Machine code is made when it is asked for, and is there afterwards."""
    if not KERNELS.ready:
        KERNELS.assemble(None)
    with following(PATIENT._replace(background=False)):
        yield


def crowd(dice: random.Random, width: int, height: int, signals: int) -> State:
    """A random board some cycles after the start, with signals put anywhere."""
    cells = dice.choice(CELLS)
    rows = ["".join(dice.choices(cells, k=width)) for _ in range(height)]
    state = state_of(rows, dice.getrandbits(height))
    ReferenceEngine(LANGUAGE, state).advance(dice.choice([0, 1, 9]))
    state.stop = None
    there = {walker.stance for walker in state.walkers}
    for _ in range(signals):
        heading = dice.choice(HEADINGS)
        there.add(Stance(dice.randrange(width), dice.randrange(height), *heading, MOVING))
    state.walkers = [Walker(stance) for stance in sorted(there)]
    return state


def check(
    engine: SignalEngine, state: State, stretches: list[int], known: SignalEngine | None = None
) -> None:
    """Compare with the reference engine on a twin, or with an engine that is known to be right."""
    reference = known or ReferenceEngine(LANGUAGE, state)
    for ticks in stretches:
        stop = reference.advance(ticks)
        assert engine.advance(ticks) == stop
        assert (engine.state.tick, engine.state.stop) == (state.tick, stop)
        assert len(engine.state.walkers) == len(state.walkers)
        assert engine.state == state


@pytest.mark.parametrize("width", plainly([1, 63, 513], [7, 511, 512, 1024, 1100]))
def test_large_boards(width: int) -> None:
    """One form compared with the other, as the reference engine would take long."""
    dice = random.Random(width)
    for height in (1, 2, 3, 17, 35):
        state = crowd(dice, width, height, dice.choice([1, 10, 200]))
        twin = state.copy()
        stretches = [dice.choice([1, 2, 16, 17, 33, 50]) for _ in range(4)]
        check(engine_on(state, Flights), twin, stretches, engine_on(twin, Planes))


@pytest.mark.parametrize("form", [Flights, Planes])
def test_kernels_as_python(form: type[Form]) -> None:
    """The same functions, not compiled: they say what machine code is to do."""
    dice = random.Random(5)
    for width, height in ((3, 4), (12, 9), (514, 2)):
        state = crowd(dice, width, height, 12)
        check(engine_on(state.copy(), form, PLAIN), state, [1, 2, 17])


def any_form(monkeypatch: pytest.MonkeyPatch, dice: random.Random) -> None:
    """Let an engine change to any form at any time."""
    for form in ALL:
        monkeypatch.setattr(form, "cost", staticmethod(lambda board, events: dice.random()))
        monkeypatch.setattr(form, "cost_of_change", staticmethod(lambda board, signals: 0.0))
    monkeypatch.setattr(engine_module, "FIRST_WORK", 0)
    monkeypatch.setattr(flights, "EVENTS_AT_ONCE", 5)
    monkeypatch.setattr(flights, "_CYCLES_AT_ONCE", 7)
    monkeypatch.setattr(planes, "_STRIPES_AT_ONCE", 40)


@needs_machine_code
@pytest.mark.parametrize("seed", plainly([0, 1, 2], range(3, 12)))
def test_changing_between_all_forms(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(seed)
    any_form(monkeypatch, random.Random(seed))
    used = set()
    for form in ALL:
        run = form.run

        def noted(self: Any, until: int, run: Any = run) -> Any:
            used.add(type(self))
            return run(self, until)

        monkeypatch.setattr(form, "run", noted)
    for width, height in ((9, 8), (30, 20), (80, 15), (600, 4)):
        state = crowd(dice, width, height, 20)
        check(engine_on(state.copy()), state, [0, 1, 2, 3, 30, 60])
        check(engine_on(state.copy()), state, [50])
    assert used >= set(ALL)


@pytest.mark.parametrize("form", [Flights, Planes])
def test_the_end_in_the_middle_of_a_sweep(form: type[Form]) -> None:
    """Signals leave in every row, in all sorts of cycles, before row 0 ends it."""
    for length in range(1, 40):
        rows = ["." * length, *("." * (length - 1) + ".v><^*"[y % 6] for y in range(25))]
        state = state_of(rows, random.Random(length).getrandbits(25))
        check(engine_on(state.copy(), form), state, [1, length - 1, 50])
        assert state.stop == Halted() and state.tick == length + 1


@pytest.mark.parametrize("form", [Flights, Planes])
def test_the_last_signal_dies_in_the_middle_of_a_sweep(form: type[Form]) -> None:
    for length in range(1, 40):
        state = state_of(["." * length + "#."])
        exact = engine_on(state.copy(), form)
        check(engine_on(state.copy(), form), state.copy(), [3, 100])
        assert exact.advance(length + 2) == Stalled()  # at the limit itself
        assert exact.state.tick == length + 2


def test_the_pool_of_flights_grows() -> None:
    state = state_of(["*" * 30] * 30, (1 << 29) - 1)
    twin = state.copy()
    engine = engine_on(twin, Flights)
    check(engine, state, [5, 10, 20])
    assert isinstance(engine._form, Flights)
    assert len(engine._form._pool) > 4 * 30 + 64


def test_boards_that_would_take_too_much_memory() -> None:
    """A tall narrow one has few bits in each stripe, a crowded one too many stations."""
    tall = Board(BoardPlane(1, b"." * 300_000, ord(".")))
    crowded = Board(BoardPlane(1100, b"^" * 1_100_000, ord(".")))
    assert Planes.cost(tall, 5) == Flights.cost(crowded, 5) == inf
    assert Flights.cost(tall, 5) < inf and Planes.cost(crowded, 5) < inf


def test_after_an_interruption_the_state_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    for form in (Flights, Planes):
        state = state_of(["v.<", ">.^"])
        twin = state.copy()
        running = engine_on(state, form)
        running.advance(4)
        with monkeypatch.context() as patch:
            patch.setattr(form, "take_bits", interrupt)
            with pytest.raises(KeyboardInterrupt):
                running.advance(100)
        assert state.tick == 4
        running.advance(96)
        ReferenceEngine(LANGUAGE, twin).advance(100)
        assert state == twin


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


# How a run gets there ----------------------------------------------------------------------------

RING = ["v" + "." * 30 + "<", *["." * 32] * 20, ">" + "." * 30 + "^"]


def no_jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ring comes round, and would be jumped over."""
    monkeypatch.setattr(rounds, "EARLY", 0)
    monkeypatch.setattr(rounds, "SHARE", 0)


def run_to(engine: SignalEngine, tick: int) -> None:
    while engine.state.tick < tick and engine.state.stop is None:
        engine.advance(tick - engine.state.tick)


@needs_machine_code
def test_auto_climbs_when_the_run_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the reference engine to kernels in plain Python, and on to machine code."""
    no_jumps(monkeypatch)
    monkeypatch.setattr(engine_module, "KERNELS", Kernels())
    engine = choose_engine("auto", LANGUAGE, state_of(RING), Limits())
    assert isinstance(engine, SignalEngine)
    names = []
    for tick in (1, engine_module.FIRST_WORK + 1, 10_000_000):
        run_to(engine, tick)
        names.append(engine.name)
    assert names == ["reference", "python", "llvm"]
    assert isinstance(engine._form, Flights)


@needs_machine_code
def test_what_is_kept_is_used_without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes no longer to load than the reference engine went on; nothing is made."""
    store = MemoryStore()
    Kernels().assemble(store)
    monkeypatch.setattr(engine_module, "KERNELS", Kernels())
    monkeypatch.setattr(Kernels, "assemble", interrupt)
    engine = engine_module.engine_of(LANGUAGE, "auto", state_of(RING), Limits(), store)
    run_to(engine, engine_module.FIRST_WORK + 1)
    assert engine.name == "llvm"


@needs_machine_code
def test_many_signals_choose_planes_and_few_choose_flights() -> None:
    many = state_of([">v" * 100, "^<" * 100] * 100, (1 << 199) - 1)
    for state, form in ((many, Planes), (state_of(RING), Flights)):
        engine = choose_engine("llvm", LANGUAGE, state, Limits())
        assert engine.name == "llvm"
        engine.advance(200_000)
        assert isinstance(engine, SignalEngine)
        assert isinstance(engine._form, form)


def test_the_engine_called_python_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    no_jumps(monkeypatch)
    engine = choose_engine("python", LANGUAGE, state_of(RING), Limits())
    assert isinstance(engine, SignalEngine)
    run_to(engine, 1_000_000)
    assert engine.name == "python" and not PLAIN.ready
    assert isinstance(engine._form, Flights)


def test_machine_code_comes_from_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run goes on meanwhile, with the same buffers, and takes it when it is there."""
    no_jumps(monkeypatch)
    kernels = Kernels()
    monkeypatch.setattr(engine_module, "KERNELS", kernels)
    started: list[Any] = []
    state = state_of(RING)
    with following(PATIENT), monkeypatch.context() as later:
        later.setattr(threading.Thread, "start", lambda self: started.append(self))
        engine = engine_module.engine_of(LANGUAGE, "llvm", state.copy(), Limits(), None)
        check(engine, state, [3_000])
    form = engine._form
    assert len(started) == 1 and isinstance(form, Flights) and engine.name == "python"
    started[0].start()
    started[0].join()
    check(engine, state, [3_000])
    assert engine._form is form
    assert engine.name == ("llvm" if why_not() is None else "python")


def test_without_source_there_is_no_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(self: Any, store: Any) -> None:
        raise OSError("could not get source code")

    monkeypatch.setattr(native.Kernel, "assemble", missing)
    monkeypatch.setattr(engine_module, "KERNELS", Kernels())
    state = state_of(RING)
    engine = engine_module.engine_of(LANGUAGE, "llvm", state.copy(), Limits(), None)
    check(engine, state, [3_000])
    assert engine.name == "python"


def test_without_machine_code_a_large_board_stays_on_the_reference_engine(monkeypatch) -> None:
    """Plain Python would look at all of its cells for seconds, which nothing can interrupt."""
    monkeypatch.setattr(flights, "_MOST_CELLS", 32 * 22)
    state = state_of(RING)
    engine = SignalEngine(LANGUAGE, state.copy(), Limits())
    check(engine, state, [engine_module.FIRST_WORK, 100])
    assert engine._form is None and engine.name == "reference"


@needs_machine_code
def test_plain_python_does_less_in_a_call() -> None:
    """Nothing can interrupt a call, and limits hold all the same."""
    state = state_of(["v" + "." * 30 + "<", ">" + "." * 30 + "^"])
    codes = engine_module._read(state.walkers, Board(state.plane)) or []
    reached = []
    for kernels in (PLAIN, KERNELS):
        form = Flights(Board(state.plane, kernels), 0, codes)
        form.run(10**9)
        reached.append(form.tick)
    assert 10 * reached[0] < reached[1]


def test_without_llvmlite_the_run_goes_on_in_python(tmp_path: Path) -> None:
    (tmp_path / "llvmlite.py").write_text("raise ImportError('not here')")
    (tmp_path / "ring.png").write_bytes(text_to_picture("\n".join(RING).encode(), ".png"))
    done = subprocess.run(
        [sys.executable, "-m", "planewalk", "run", "ring.png", "--engine", "llvm",
         "--max-steps", "3000000"],
        capture_output=True, cwd=tmp_path, timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )  # fmt: skip
    assert done.returncode == 3
    assert done.stdout == b"0\n"
    assert b"llvmlite is not installed" in done.stderr
    assert b"Traceback" not in done.stderr
