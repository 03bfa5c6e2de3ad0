"""Machine code of earlier runs is there when a run begins."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from planewalk.core.limits import Limits
from planewalk.core.plane import SparsePlane
from planewalk.core.state import State, Walker
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import HASTY, PATIENT, following
from planewalk.engines.machine import code_cache as kept
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.tracing.ir import Key
from planewalk.examples import find_example
from planewalk.languages import registry
from tests.engines.stores import MemoryStore

SOON = PATIENT._replace(background=False)


pytestmark = pytest.mark.usefixtures("in_the_foreground")


def begun(name: str, given: bytes = b"", **options: object) -> State:
    example = find_example(name)
    language = registry.get(example.language)
    state = language.start(example.read(), language.read_options(options), 0)
    state.input = InputStream(given, closed=True)
    return state


def engine_of(state: State, name: str, store: MemoryStore) -> LLVMEngine:
    return LLVMEngine(registry.get(find_example(name).language), state, Limits(), store)


@pytest.mark.parametrize(
    ("name", "given"),
    [("collatz.mf", b"30"), ("squares.ref", b""), ("gcd-sum.mf", b"300"), ("grow.gemooy", b"")],
)
def test_a_second_run_has_the_code_of_the_first(name: str, given: bytes) -> None:
    store = MemoryStore()
    first = engine_of(begun(name, given), name, store)
    first.advance(15_000)
    assert first.units.at
    second = engine_of(begun(name, given), name, store)
    assert second.units.at.keys() >= first.units.at.keys()
    assert second.hot_spots.orders == 0
    expected = begun(name, given)
    reference = ReferenceEngine(registry.get(find_example(name).language), expected)
    for steps in (1, 99, 1_234, 15_000):
        second.advance(steps - second.state.tick)
        reference.advance(steps - expected.tick)
        assert second.state == expected, steps
    assert second.native_ticks > 500


def test_code_that_looks_into_textures() -> None:
    """It is kept for these alone, and finds them wherever they are in the second run."""
    language, store = registry.get("webfunge"), MemoryStore()

    def begun_with(content: bytes) -> State:
        options = {"texture": [(3, 2, content), (1, 1, b"abc")]}
        return language.start(b"17/+:0y+:1y*0T+++", language.read_options(options), 0)

    for content, is_there in ((range(18), False), (range(18), True), (range(9, 27), False)):
        engine = LLVMEngine(language, begun_with(bytes(content)), Limits(), store)
        assert bool(engine.units.at) == is_there
        engine.advance(15_000)
        expected = begun_with(bytes(content))
        ReferenceEngine(language, expected).advance(15_000)
        assert engine.state == expected and engine.native_ticks > 5_000


def test_code_is_kept_for_one_plane_and_its_options() -> None:
    language = registry.get("refunge")
    start = begun("squares.ref")
    names = {kept.name_of(language, start)}
    names.add(kept.name_of(language, begun("squares.ref", **{"clear-mode": True})))
    start.plane.put(3, 3, 7)  # type: ignore[attr-defined]
    names.add(kept.name_of(language, start))
    assert None not in names
    assert len(names) == 3


def test_code_on_other_cells_is_left_alone() -> None:
    """Whatever the name says: code is for the cells it was made from."""
    store = MemoryStore()
    first = engine_of(begun("squares.ref"), "squares.ref", store)
    first.advance(15_000)
    state = begun("squares.ref")
    at = min(next(iter(first.units.at.values())).touched)
    plane = state.plane
    plane.put(at % plane.width, at // plane.width, 99)  # type: ignore[attr-defined]
    language = registry.get("refunge")
    name, other = (kept.name_of(language, s) for s in (begun("squares.ref"), state))
    assert name is not None and other is not None
    store[other] = store[name]
    assert not engine_of(state, "squares.ref", store).units.at


@pytest.fixture(scope="module")
def collatz() -> tuple[LLVMEngine, MemoryStore]:
    """A run, and the code that it has kept."""
    store = MemoryStore()
    with following(SOON):
        engine = engine_of(begun("collatz.mf", b"30"), "collatz.mf", store)
        engine.advance(15_000)
    return engine, store


@pytest.mark.parametrize("damage", [
    lambda content: b"", lambda content: b"garbage" * 50,
    lambda content: content[: len(content) // 2], lambda content: content[:-1],
    lambda content: content + b"\0", lambda content: content[:40] + bytes(len(content) - 40),
])  # fmt: skip
@pytest.mark.parametrize("what", ["list", "objects"])
def test_damaged_code_is_made_again(
    what: str, damage: Callable[[bytes], bytes], collatz: tuple[LLVMEngine, MemoryStore]
) -> None:
    """Whatever a store gives back, the run is right."""
    first, store = collatz[0], MemoryStore(collatz[1])
    name = kept.name_of(registry.get("mirrorfunge"), begun("collatz.mf"))
    assert name in store and len(store) > 1
    for key in [key for key in store if (key == name) == (what == "list")]:
        store[key] = damage(store[key])
    second = engine_of(begun("collatz.mf", b"30"), "collatz.mf", store)
    assert not second.units.at
    second.advance(15_000)
    assert second.units.at and second.state == first.state


def test_a_mode_that_is_not_plain_only_costs_speed() -> None:
    """Such code runs, but nothing is kept of it that could come back as something else."""
    store = MemoryStore()

    def begun_with_mode() -> State:
        state = begun("collatz.mf", b"30")
        ((stance, hand),) = state.walkers
        state.walkers = [Walker(stance._replace(mode=Decimal(0)), hand)]  # as false as False
        return state

    first = engine_of(begun_with_mode(), "collatz.mf", store)
    first.advance(40_000)
    assert first.units.at and store, "objects are kept as ever"
    second = engine_of(begun_with_mode(), "collatz.mf", store)
    assert not second.units.at
    second.advance(40_000)
    assert bytes(second.state.output) == bytes(first.state.output) != b""


def test_code_for_a_window_is_for_the_numbers_that_it_was_made_for(monkeypatch) -> None:
    """And for the cells, and no list is kept of a plane with very many of those."""
    name, store, language = "grow.gemooy", MemoryStore(), registry.get("gemooy")
    engine_of(begun(name), name, store).advance(15_000)
    second = engine_of(begun(name), name, store)
    (native,) = set(second.units.at.values())
    assert native.window is not None and native.window.highest == 2
    state, other = begun(name), begun(name)
    other.plane.put(0, 3, 1)  # where another number is
    assert kept.name_of(language, state) != kept.name_of(language, other)
    assert second.backend.cells.prepare(native)
    native.facts = native.window._replace(highest=1)  # type: ignore[attr-defined]
    assert not second.backend.cells.prepare(native)
    monkeypatch.setattr(SparsePlane, "many", 3)
    assert kept.name_of(language, state) is None


def test_code_may_count_on_rows_that_a_plane_does_not_have_yet() -> None:
    """Found by fuzzing: where the plane had grown, a cursor went on below its end."""
    language = registry.get("refunge")
    source = (
        b"@!<~@*#@+-v-X|*!\n|+/#+>>\\/#\\@< # \n /v\\<>>?<+X<   /\n? ^>/ */? >/!+->\n"
        b"\\+|*v?>?X< ~/ @+\n -?|+#>>\\  < X+@\n\\-<^-< #-X>//*-^\n|\\v-/v @@</ -vv#"
    )

    def begun() -> State:
        return language.start(source, language.read_options({"clear-mode": True}), 5)

    store, soon = MemoryStore(), HASTY._replace(patience=0)
    LLVMEngine(language, begun(), Limits(memory=None), store, soon).advance(1_200)
    expected, state = begun(), begun()
    ReferenceEngine(language, expected, Limits(memory=None)).advance(540)
    LLVMEngine(language, state, Limits(memory=None), store, soon).advance(540)
    assert state == expected


def growing(store: MemoryStore) -> LLVMEngine:
    """A program whose hand goes down for ever."""
    language = registry.get("refunge")
    state = language.start(b" v~", language.read_options({}), 0)
    return LLVMEngine(language, state, Limits(memory=None), store, HASTY)


def test_code_of_a_plane_with_more_rows_waits_for_them() -> None:
    """It was kept by a run whose plane had grown by then."""
    store = MemoryStore()
    growing(store).advance(1_500)
    engine = growing(store)
    assert not engine.units.at
    later = engine.backend.maker.later
    assert later and min(unit.height for unit in later) > engine.state.plane.height  # type: ignore[attr-defined]
    engine.hot_spots._patience = 1 << 40  # nothing is made anew
    expected = engine.state.copy()
    engine.advance(2_500)
    assert engine.units.at and not engine.backend.maker.later
    ReferenceEngine(engine.language, expected, Limits()).advance(2_500)
    assert engine.state == expected


def test_code_of_other_heights_stays_kept() -> None:
    """A run that has made more does not forget it."""
    store = MemoryStore()
    growing(store).advance(1_500)
    engine = growing(store)
    later = {unit.kept_as for unit in engine.backend.maker.later}
    stance = engine.state.walkers[0].stance
    engine.hot_spots.order({stance._replace(x=x) for x in range(3)}, [Key(stance, 0)])
    engine.hot_spots.receive()
    name = engine.backend.maker.kept_as
    assert name is not None and engine.units.at
    assert later < {unit.kept_as for unit in kept.recall(store, name)}
