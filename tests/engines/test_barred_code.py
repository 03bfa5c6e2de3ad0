"""Compiled code stops at barriers exactly where the reference engine does."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from planewalk.core.barriers import Barriers, Landing
from planewalk.core.limits import Limits
from planewalk.core.state import State
from planewalk.core.step import Hit
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import HASTY, PATIENT, following
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.examples import gallery
from planewalk.languages import registry
from tests.marks import plainly

TICKS = 15_000
LONG = [
    ("mirrorfunge", "primes.mf"), ("mirrorfunge", "mandelbrot.mf"), ("refunge", "squares.ref"),
    ("refunge", "sierpinski.ref"), ("gemooy", "ant.gemooy"), ("gemooy", "loop.gemooy"),
]  # fmt: skip
KNOWN = {(example.language, example.file) for example in gallery()}


def begun(name: str, file: str) -> State:
    (example,) = [each for each in gallery(name) if each.file == file]
    language = registry.get(name)
    state = language.start(example.read(), language.read_options({}), 0)
    state.input = InputStream(b"25\n", closed=True)
    return state


def hits(engine: Any, barriers: Barriers, most: int = 300) -> list[tuple[int, str]]:
    """Where the run stops, and why; at most so many."""
    state = engine.state
    found: list[tuple[int, str]] = []
    while state.tick < TICKS and len(found) < most:
        stop = engine.advance(TICKS - state.tick, barriers)
        state.take_output()
        if isinstance(stop, Hit):
            found.append((state.tick, stop.reason))
        elif stop is not None:
            break
    return found


def some_barriers(state: State, name: str, seed: int) -> Barriers:
    """Places and cells that the run comes by, and some that it does not."""
    rng = random.Random(seed)
    twin = state.copy()
    engine = ReferenceEngine(registry.get(name), twin, Limits())
    walked, hands = [], []
    for _ in range(1_500):
        if engine.advance(rng.randint(1, 7)) is not None or not twin.walkers:
            break
        walked.append(twin.walkers[0].stance)
        hands.append(twin.walkers[0].hand or (3, 3))
    stances = rng.sample(walked, min(2, len(walked)))
    landings = {Landing(stance.x, stance.y, (stance.dx, stance.dy)) for stance in stances}
    cells = frozenset(rng.sample(hands, min(2, len(hands))) + [(999, 999)])
    kinds = rng.randint(1, 15)
    return Barriers(
        frozenset(landings | {Landing(500, 500)}) if kinds & 1 else frozenset(),
        cells if kinds & 2 else frozenset(),
        cells if kinds & 4 else frozenset(),
        bool(kinds & 8),
    )


@pytest.fixture
def at_once() -> Iterator[None]:
    """Code is made in the foreground, so that every run is the same."""
    with following(PATIENT._replace(background=False, short=500)):
        yield


@pytest.mark.parametrize(("name", "file"), [pair for pair in LONG if pair in KNOWN])
@pytest.mark.parametrize("seed", plainly([0], range(4)))
def test_compiled_runs_stop_where_the_reference_engine_does(
    name: str, file: str, seed: int, at_once: None
) -> None:
    language = registry.get(name)
    plain = begun(name, file)
    barriers = some_barriers(plain, name, seed)
    expected = hits(ReferenceEngine(language, plain, Limits()), barriers)
    for kind in (PythonEngine, LLVMEngine):
        engine = kind(language, begun(name, file), Limits())
        assert hits(engine, barriers) == expected, engine.name
        assert engine.state == plain, engine.name


@pytest.mark.parametrize("kind", [PythonEngine, LLVMEngine])
def test_barriers_that_are_not_hit_leave_the_run_compiled(
    kind: type[PythonEngine], at_once: None
) -> None:
    language = registry.get("mirrorfunge")
    state = begun("mirrorfunge", "mandelbrot.mf")
    engine = kind(language, state, Limits())
    far = Barriers(
        frozenset(Landing(900 + n, 900) for n in range(10)),
        frozenset((900 + n, 900) for n in range(10)),
    )
    while state.tick < 200_000:
        assert engine.advance(200_000 - state.tick, far) is None
    assert sum(unit.ticks for unit in set(engine.units.at.values())) > 100_000


def test_barriers_come_and_go(at_once: None) -> None:
    """Code that was made for barriers is right without them, and the other way round."""
    name, file = "mirrorfunge", "mandelbrot.mf"
    language = registry.get(name)
    plain, state = begun(name, file), begun(name, file)
    reference = ReferenceEngine(language, plain, Limits())
    engine = LLVMEngine(language, state, Limits())
    walked = some_barriers(plain, name, 1).landings or frozenset({Landing(30, 3)})
    rng = random.Random(5)
    for _ in range(40):
        ticks = rng.randint(1, 4_000)
        barriers = rng.choice([None, Barriers(walked), Barriers(output=True)])
        for each in (reference, engine):
            target = each.state.tick + ticks
            while each.state.tick < target:
                stop = each.advance(target - each.state.tick, barriers)
                if stop is not None:
                    break
        assert state == plain


@pytest.mark.parametrize("kind", [PythonEngine, LLVMEngine])
def test_a_watched_cell_below_the_plane_is_noticed_when_the_plane_grows(
    kind: type[PythonEngine],
) -> None:
    """By code that goes on where it has grown."""
    language = registry.get("refunge")
    first, second = (language.start(b"v+^~v", language.read_options({}), 0) for _ in range(2))
    barriers = Barriers(written=frozenset({(0, 3), (0, 40), (0, 300)}))
    expected = hits(ReferenceEngine(language, first, Limits()), barriers, 20)
    with following(HASTY):
        found = hits(kind(language, second, Limits()), barriers, 20)
    assert found == expected and len(found) == 3
