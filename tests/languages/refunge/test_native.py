"""Many cursors in machine code: the kernels as Python and as machine code, and the way to them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any
from unittest.mock import Mock

import pytest

from planewalk.core.barriers import Barriers
from planewalk.core.engine import Engine
from planewalk.core.geometry import CARDINALS, RIGHT, UP, Stance
from planewalk.core.limits import Limits
from planewalk.core.state import WALKER_MEMORY, LazyWalkers, State, Walker
from planewalk.core.step import Halted, Hungry, Spent, Stop
from planewalk.core.stream import InputStream
from planewalk.engines.base.policy import HASTY, following
from planewalk.engines.choose import choose_engine, compiled_ticks
from planewalk.engines.kernels.fenced import FencedBuffer, fence
from planewalk.engines.kernels.kernel import Kernel
from planewalk.engines.native.machine_code import why_not
from planewalk.engines.scheduling.scheduler import Scheduler
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.languages.refunge import native
from planewalk.languages.refunge.kernels import layout as words
from planewalk.languages.refunge.kernels import run as kernels
from planewalk.languages.refunge.kernels.groups import gather
from planewalk.languages.refunge.native import CursorCrowd
from planewalk.languages.refunge.rules import LANGUAGE
from tests.engines.stores import MemoryStore
from tests.marks import plainly

SYMBOLS = "~+-?!><v^X/\\|#@Y* "
CALM = "~+-><vX/\\|#@ "
needs_machine_code = pytest.mark.skipif(why_not() is not None, reason="there is none here")
ROOMY = Limits(memory=1 << 24)


@pytest.fixture(scope="module")
def hasty() -> Iterator[Kernel]:
    """Machine code that is quick to go by actions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "SHORTEST_STRETCH", 2)
        kernel = Kernel(kernels.run)
        kernel.assemble()
        yield kernel


@pytest.fixture(
    params=[
        pytest.param("python", marks=pytest.mark.exhaustive),
        pytest.param("machine code", marks=needs_machine_code),
    ]
)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same kernel in both forms."""
    monkeypatch.setattr(kernels, "SHORTEST_STRETCH", 2)
    given = request.getfixturevalue("hasty") if request.param != "python" else Kernel(kernels.run)
    monkeypatch.setattr(native, "KERNEL", given)
    form: str = request.param
    return form


def started(source: bytes, walkers: list[Walker] | None = None, **options: Any) -> State:
    state = LANGUAGE.start(source, LANGUAGE.read_options(options), 0)
    if walkers:
        state.walkers = walkers
    return state


def cursor(x: int, y: int, hand: tuple[int, int], mode: str = "none") -> Walker:
    return Walker(Stance(x, y, *RIGHT, mode), hand)


FORKING = rb"""
vvvv\/>>\  />>>>\  /vv\
    \Y  \#/Y    \#/Y  \#/#/+>v-^~<  Y
     \    /\      /\    / \ ~^<->+v~/

ahovcjqx
ltbjrzhp
wfoxgpyh
hrblvfpz"""[1:]
"""Eight cursors, each of which forks in each round; one of both leaves the field at the top."""


@pytest.mark.parametrize("forks", [True, False])
def test_cursors_that_fork_all_the_time_are_not_gathered(forks: bool) -> None:
    """That would take longer than going on together: less and less often it is tried."""
    state = started(FORKING if forks else FORKING.replace(b"  Y", b"  \\"))
    expected = state.copy()
    ReferenceEngine(LANGUAGE, state).advance(200)
    crowd = CursorCrowd(state, ROOMY)
    futile = []
    while state.tick < 4_000:
        assert crowd.advance(100) or ReferenceEngine(LANGUAGE, state).advance(1) is None
        futile.append(crowd.words[words.FUTILE])
    assert (max(futile) > 5) == forks
    ReferenceEngine(LANGUAGE, expected).advance(state.tick)
    assert state == expected


GROWING = rb"""
~vvvvvvv\ / +>v-^~<+>v-^~<          \
          \                      \# /
        \#/ ~>                   Y
          \                      /

ananananananananananananananananananan
bvpjdxrlfztnhbvpjdxrlfztnhbvpjdxrlfztn
cdefghijklmnopqrstuvwxyzabcdefghijklmn
dltbjrzhpxfnvdltbjrzhpxfnvdltbjrzhpxfn"""[1:]
"""A ring that sends a cursor to another ring in each round."""


@pytest.mark.parametrize("quiet", [False, True])
def test_a_crowd_that_grows_is_not_moved_tick_by_tick(quiet: bool, monkeypatch) -> None:
    """Forks are actions like others; twins come behind their cursors, as long as there is room."""
    monkeypatch.setattr(native, "KERNEL", Kernel(kernels.run))
    together = Mock(wraps=kernels.together)
    monkeypatch.setattr(kernels, "together", together)
    found = started(GROWING.replace(b"+>v-^~<", b" " * 7) if quiet else GROWING)
    expected, limits = found.copy(), Limits(memory=40 * WALKER_MEMORY)
    for steps, given in ((1_000, ROOMY), (3_000, limits)):
        stop = ReferenceEngine(LANGUAGE, expected, given).advance(steps)
        assert run(found, steps, given)[0] == stop
        assert found == expected
        assert list(found.walkers) == expected.walkers
    assert isinstance(stop, Spent)
    assert together.call_count < 100


def crowd_of(dice: random.Random) -> State:
    """Some cursors anywhere on a random field, from which some cannot leave."""
    width, height = dice.randint(1, 16), dice.randint(1, 8)
    symbols = dice.choice([SYMBOLS, CALM, CALM + 20 * " ", CALM + 9 * "/\\"])
    rows = ["".join(dice.choices(symbols, k=width)) for _ in range(height)]
    if dice.random() < 0.7:
        rows = ["|" * width, *rows, "|" * width]
    options = {"clear-mode": dice.random() < 0.5, "input-adds": dice.random() < 0.5}
    state = started("\n".join(rows).encode(), **options)
    plane: Any = state.plane
    plane.grow(plane.height + dice.randint(0, 5))
    modes = [*["none", "add", "subtract"] * 3, *(["input", "output", "clear"])]
    for _ in range(dice.randint(1, 9)):
        x, y = dice.randrange(plane.width), dice.randrange(plane.height)
        hand = dice.randrange(plane.width), dice.randrange(plane.height)
        heading = dice.choice(list(CARDINALS))
        state.walkers.append(Walker(Stance(x, y, *heading, dice.choice(modes)), hand))
    state.input = InputStream(dice.randbytes(dice.randint(0, 5)), closed=dice.random() < 0.7)
    return state


def round_goers(dice: random.Random) -> State:
    """Cursors that go round and round in rows, over cells that they may share."""
    width, rings, depth = dice.randint(3, 12), dice.randint(1, 3), 4
    moves = dice.choice(["><v^X~+-+-    ", "><v^X~+-+-@@# ", "><+- ", "><v^+-@?", "v^+-X!~ "])
    rows = []
    while len(rows) < rings:
        row = "".join(dice.choices(moves, k=width))
        if row.count("v") == row.count("^") <= depth:
            rows.append(row)
    state = started("\n".join(rows).encode())
    plane: Any = state.plane
    plane.grow(rings + 3 * depth)
    for cell in range(rings * plane.width, len(plane.data)):
        plane.data[cell] = dice.choice([0, 0, 1, 2, 255, dice.randrange(256)])
    state.walkers = [
        Walker(
            Stance(dice.randrange(plane.width), dice.randrange(rings), *RIGHT, "none"),
            (dice.randrange(plane.width), rings + depth + dice.randrange(depth)),
        )
        for _ in range(dice.randint(2, 12))
    ]
    state.input = InputStream(dice.randbytes(3), closed=True)
    return state


def run(state: State, ticks: int, limits: Limits) -> tuple[Stop | None, int]:
    """The crowd for as long as there is one; gives the stop, and the ticks that it made."""
    reference, crowd = ReferenceEngine(LANGUAGE, state, limits), CursorCrowd(state, limits)
    target, made, stop = state.tick + ticks, 0, None
    while stop is None and state.tick < target:
        before, going = state.tick, False
        if len(state.walkers) > 1:
            going = crowd.advance(target - before)
            made += state.tick - before
        if not going and state.tick < target:
            stop = reference.advance(1)
    return (reference.advance(0) if stop is None else stop), made


def test_crowds_go_where_the_reference_engine_goes(kernel: str) -> None:
    """Complete states and stops, the order of cursors too, at many limits."""
    dice = random.Random(kernel)
    made = ticks = 0
    for _ in range(15 if kernel == "python" else 30):
        start = crowd_of(dice)
        limits = Limits(memory=dice.choice([400 * 12, 400 * 60, 1 << 15]))
        for steps in (1, 2, 9, 40, dice.randint(1, 400)):
            expected, found = start.copy(), start.copy()
            stop = ReferenceEngine(LANGUAGE, expected, limits).advance(steps)
            here, by_crowd = run(found, steps, limits)
            assert (found, here) == (expected, stop), (start.to_json(), steps)
            assert list(found.walkers) == expected.walkers
            made, ticks = made + by_crowd, ticks + found.tick
    assert made > 0.5 * ticks


def test_crowds_that_go_round_do_what_they_did_before(kernel: str) -> None:
    """Their rounds are gone through again until one breaks, and begin anew."""
    dice = random.Random(8)
    replayed = 0
    for _ in range(20 if kernel == "python" else 60):
        start = round_goers(dice)
        expected, found = start.copy(), start.copy()
        whole, crowd = ReferenceEngine(LANGUAGE, expected), CursorCrowd(found, ROOMY)
        reference = ReferenceEngine(LANGUAGE, found)
        for steps in (dice.randint(200, 500), dice.randint(1, 300)):
            whole.advance(steps)
            while found.tick < expected.tick:
                if not crowd.advance(expected.tick - found.tick):
                    reference.advance(1)
                replayed += crowd.words[words.REPLAYED]
            assert found == expected, (start.to_json(), steps)
            assert list(found.walkers) == expected.walkers
    assert replayed > 1_000


def test_below_what_is_covered_all_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tags are kept for the cells of the first rows alone. In Python, since that would complain."""
    monkeypatch.setattr(native, "MOST_COVERED", 30)
    monkeypatch.setattr(native, "KERNEL", Kernel(kernels.run))
    dice = random.Random(3)
    across = started(b"+^v  ~v^  ", [cursor(0, 0, (4, 3)), cursor(3, 0, (4, 3))])
    across.plane.grow(5)  # type: ignore[attr-defined]
    for start in [across, *(make(dice) for make in [round_goers, crowd_of] * 4)]:
        expected, found = start.copy(), start.copy()
        stop = ReferenceEngine(LANGUAGE, expected, ROOMY).advance(60)
        assert run(found, 60, ROOMY)[0] == stop
        assert found == expected, start.to_json()


FIELD = b"ab\0\nc%cd\nef\0"
"""Around the instruction that is tried, cells that do nothing, all different but for two zeros."""


def tried(symbol: int, mode: str, heading: tuple[int, int], hand: tuple[int, int]) -> State:
    """A cursor that is about to perform an instruction, and one that has nothing to do with it."""
    state = started(FIELD % symbol, **{"clear-mode": True})
    state.walkers = [Walker(Stance(1, 1, *heading, mode), hand), cursor(0, 0, (0, 0))]
    state.input = InputStream(b"xyz")
    return state


@pytest.mark.parametrize("mode", plainly(["add", "output"], native.MODES))
def test_every_instruction_in_every_mode_from_every_heading(mode: str, monkeypatch) -> None:
    """In one tick of all, and from action to action."""
    monkeypatch.setattr(native, "MOST_LEAPS", 64)
    monkeypatch.setattr(kernels, "SHORTEST_STRETCH", 2)
    monkeypatch.setattr(native, "KERNEL", Kernel(kernels.run))
    hands = [(2, 0), (1, 1), (0, 2)]
    for symbol, heading, hand in product([*map(ord, SYMBOLS), 0, 200], CARDINALS, hands):
        for ticks in (1, 3):
            expected, found = (tried(symbol, mode, heading, hand) for _ in range(2))
            stop = ReferenceEngine(LANGUAGE, expected, ROOMY).advance(ticks)
            assert run(found, ticks, ROOMY)[0] == stop, (chr(symbol), heading, hand)
            assert found == expected, (chr(symbol), heading, hand)
            assert list(found.walkers) == expected.walkers, (chr(symbol), heading, hand)


RINGS = b"+>-<~ v + ^ - \n~-v+^ ><   @X \n" + 9 * b"abcabcabcabca\n"


def rings(count: int = 6) -> State:
    """Cursors that go round two rows for ever, each with cells of its own."""
    hands = [(2 * (i % 6), 2 + 2 * (i // 6)) for i in range(count)]
    return started(RINGS, [cursor(0, i % 2, hand) for i, hand in enumerate(hands)])


@pytest.mark.exhaustive
@pytest.mark.parametrize("last", b"+-?@#Y/ >^v")
def test_the_last_cell_before_the_edge_is_not_done_too_soon(kernel: str, last: int) -> None:
    """Upwards over a cell that sets a mode, to one from where the way leads out."""
    source = bytes([last]) + b" \n- " + 7 * b"\n  "
    for y, steps in product(range(1, 7), range(1, 9)):
        states = [started(source, [Walker(Stance(0, y, *UP, "none"), (1, 8))]) for _ in range(2)]
        for state in states:
            state.walkers.append(cursor(1, 8, (1, 8)))
        run(states[0], steps, ROOMY)
        ReferenceEngine(LANGUAGE, states[1]).advance(steps)
        assert states[0] == states[1], (y, steps)


@pytest.mark.parametrize("adds", [False, True])
def test_input_meets_additions(kernel: str, adds: bool) -> None:
    """One reads into the cell that the other adds to, in the same tick; then a third clears it."""
    walkers = [cursor(0, 0, (0, 1), "input"), cursor(0, 0, (0, 1), "add")]
    for options in ({"input-adds": adds}, {"input-adds": adds, "clear-mode": True}):
        states = []
        for engine in ("reference", "crowd"):
            state = started(b"X> \n\3\5\7", walkers[:], **options)
            if options.get("clear-mode"):
                state.walkers.append(cursor(1, 0, (2, 1), "clear"))
            state.input = InputStream(b"abc")
            if engine == "crowd":
                assert run(state, 7, ROOMY) == (None, 7)
            else:
                ReferenceEngine(LANGUAGE, state).advance(7)
            states.append(state)
        assert states[0] == states[1]


def test_rows_are_made_until_memory_ends(kernel: str) -> None:
    """One cursor's hand sinks for ever; far more rows than are ever held ready at once."""
    limits = Limits(memory=5_000 if kernel == "machine code" else 1_500)
    walkers = [cursor(0, 0, (0, 0)), cursor(2, 1, (1, 0))]
    states = [started(b"v  \n   ", walkers[:]) for _ in range(2)]
    stop, made = run(states[0], 100_000, limits)
    assert stop == ReferenceEngine(LANGUAGE, states[1], limits).advance(100_000) == Spent("memory")
    assert states[0] == states[1]
    assert made > 0.9 * states[0].tick


def test_output_goes_on_when_its_room_is_full(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "OUTPUT_ROOM", 100)
    source = b"!X\n  "
    for limits in (ROOMY, Limits(memory=800)):
        states = [started(source, [cursor(0, 0, (0, 0)), cursor(0, 1, (0, 0))]) for _ in range(2)]
        stop, _ = run(states[0], 3_000, limits)
        assert stop == ReferenceEngine(LANGUAGE, states[1], limits).advance(3_000)
        assert states[0] == states[1]
        assert len(states[0].output) == (1_500 if limits is ROOMY else 801)


def test_a_limit_of_output_holds_in_machine_code(kernel: str) -> None:
    """And crowds under one, as in the studio, are in machine code up to there."""
    states = [started(b"!X\n  ", [cursor(0, 0, (0, 0)), cursor(0, 1, (0, 0))]) for _ in range(2)]
    limits = Limits(memory=None, output=700)
    crowd = CursorCrowd(states[0], limits)
    assert not crowd.advance(3_000) and states[0].written == 700
    ReferenceEngine(LANGUAGE, states[1], limits).advance(states[0].tick)
    assert states[0] == states[1]


def test_input_is_read_once_a_tick_and_waited_for(kernel: str) -> None:
    source = b"?>>>>>\n?>>>>>\n\0\n\0"
    state = started(source, [cursor(0, 0, (0, 2)), cursor(0, 1, (0, 3))])
    state.input = InputStream(b"abc", closed=False)
    stop, made = run(state, 1_000, ROOMY)
    assert (stop, made, state.tick) == (Hungry(), 4, 4)
    state.input.feed(b"")
    assert run(state, 2, ROOMY) == (None, 2)
    plane: Any = state.plane
    assert plane.data[12:18] == plane.data[18:24] == b"\0abc\0\0"


def test_the_last_cursor_is_left_to_others(kernel: str) -> None:
    state = started(b"  \n^^^\n", [cursor(0, 0, (0, 0)), cursor(0, 1, (0, 1))])
    crowd = CursorCrowd(state, ROOMY)
    assert crowd.advance(1_000)
    assert (state.tick, len(state.walkers)) == (2, 1)
    state = started(b"^^^\n^^^\n", [cursor(0, 0, (0, 0)), cursor(0, 1, (0, 0))])
    assert run(state, 1_000, ROOMY) == (Halted(), 0)


def test_cursors_outside_the_field_are_not_for_machine_code(kernel: str) -> None:
    for stray in (cursor(0, 9, (0, 0)), cursor(0, 0, (0, 9)), cursor(-1, 0, (0, 0))):
        assert not CursorCrowd(started(b"  ", [cursor(0, 0, (0, 0)), stray]), ROOMY).advance(5)


def test_walkers_are_made_only_for_whoever_looks(kernel: str) -> None:
    state = rings()
    crowd = CursorCrowd(state, ROOMY)
    crowd.advance(50)
    seen: Any = state.walkers
    crowd.advance(50)
    assert isinstance(seen, LazyWalkers) and not seen.seen and len(seen) == 6
    expected = rings()
    ReferenceEngine(LANGUAGE, expected).advance(50)
    assert list(seen) == expected.walkers  # those of then, not of now
    ReferenceEngine(LANGUAGE, expected).advance(50)
    assert state == expected
    state.walkers[0] = expected.walkers[0] = cursor(4, 1, (3, 2), "subtract")
    crowd.advance(50)
    ReferenceEngine(LANGUAGE, expected).advance(50)
    assert state == expected


# In the engines -----------------------------------------------------------------------------------


def run_to(engine: Engine, tick: int, barriers: Barriers | None = None) -> Stop | None:
    """Up to a tick, in as many pieces as the engine likes."""
    stop = None
    while stop is None and engine.state.tick < tick:
        stop = engine.advance(tick - engine.state.tick, barriers)
    return stop


@pytest.fixture
def at_once() -> Iterator[None]:
    with following(HASTY):
        yield


@needs_machine_code
def test_the_llvm_engine_has_many_walkers_run_in_machine_code(at_once: None) -> None:
    state, expected = rings(), rings()
    engine = Scheduler(LANGUAGE, state, ROOMY, compiles=True)
    while state.tick < 9_000:
        assert engine.advance(9_000 - state.tick) is None
    assert engine.native_ticks > 8_900
    ReferenceEngine(LANGUAGE, expected).advance(9_000)
    assert state == expected


@needs_machine_code
@pytest.mark.parametrize("is_kept", [True, False])
def test_kept_machine_code_runs_from_the_first_tick(
    is_kept: bool, hasty: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code that has to be made is made once there was enough to do."""
    given = Kernel(kernels.run)

    def recall(store: MemoryStore) -> bool:
        given._native = hasty._native if is_kept else None
        return is_kept

    monkeypatch.setattr(given, "recall", recall)
    monkeypatch.setattr(native, "KERNEL", given)
    state, expected = rings(), rings()
    engine = Scheduler(LANGUAGE, state, ROOMY, MemoryStore(), compiles=True)
    assert run_to(engine, 100) is None and engine.native_ticks == (100 if is_kept else 0)
    ReferenceEngine(LANGUAGE, expected).advance(100)
    assert state == expected


@needs_machine_code
def test_auto_gathers_walkers_for_kept_machine_code(hasty: Kernel, monkeypatch) -> None:
    """Before anything else is made, and stops where it should."""
    monkeypatch.setattr(native, "KERNEL", hasty)
    state, expected = rings(), rings()
    engine = choose_engine("auto", LANGUAGE, state, ROOMY)
    assert isinstance(engine, Scheduler)
    reference = ReferenceEngine(LANGUAGE, expected)
    hit = Barriers(written=frozenset({(0, 2)}))
    for ticks, barriers in ((3_600, None), (400, None), (90, hit), (90, hit), (500, None)):
        stop = reference.advance(ticks, barriers)
        assert run_to(engine, expected.tick, barriers) == stop
        assert state == expected
    assert engine.name == "llvm" and engine.compiled is not None
    assert engine.compiled.engine is None
    assert compiled_ticks(engine).native > 500


@pytest.mark.parametrize("name", ["python", "llvm"])
def test_many_walkers_may_change_what_is_compiled_for_one(name: str, at_once: None) -> None:
    """A cursor goes round the first row; another one comes, puts a mirror there, and is gone."""
    for meeting in range(400, 412):
        states = []
        for engine in ("reference", name):
            state = started(b"            \n        +^^\\")
            running = choose_engine(engine, LANGUAGE, state, ROOMY)
            run_to(running, meeting)
            assert engine == "reference" or sum(compiled_ticks(running)) > 0
            state.walkers.append(cursor(0, 1, (11, 1)))
            run_to(running, meeting + 300)
            states.append(state)
        plane: Any = states[0].plane
        assert plane.data[11] == ord("|")
        assert states[0] == states[1]


@needs_machine_code
def test_auto_counts_the_steps_of_all_walkers(at_once: None) -> None:
    """Many walkers make a run long in few ticks."""
    state = rings(18)
    engine = choose_engine("auto", LANGUAGE, state, ROOMY._replace(output=1 << 20))
    engine.advance(3_000)
    assert engine.name == "llvm"


def test_no_kernel_leaves_its_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where cursors multiply, too: there are soon more than there was room made for."""
    fence(monkeypatch.setattr)
    monkeypatch.setattr(kernels, "SHORTEST_STRETCH", 2)
    dice, most = random.Random(5), 0
    for number in range(24):
        state = (crowd_of if number % 2 else round_goers)(dice)
        if number % 3 == 0:
            place = dice.randrange(state.plane.width)  # type: ignore[attr-defined]
            state.plane.data[place] = ord("Y")  # type: ignore[attr-defined]
        run(state, 150, Limits(memory=1 << 15))
        most = max(most, len(state.walkers))
    assert most > 30


@pytest.mark.parametrize("count", range(23, 45))
def test_there_is_room_for_parties_of_as_many_as_there_may_be(count: int) -> None:
    """Their table has a power of two of places."""
    crowd = CursorCrowd(started(b"    \n", [cursor(0, 0, (0, 0)) for _ in range(11)]), ROOMY)
    assert crowd._enter()
    assert crowd.words[words.ROOM] == 44
    crowd.words[words.COUNT] = count
    buffers = map(FencedBuffer, (crowd.words, crowd.cursors, crowd.groups, crowd.queue))
    assert gather(*buffers)  # type: ignore[arg-type]
