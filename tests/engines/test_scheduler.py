"""`auto`: which tiers are made and when, and that runs are what the reference engine makes."""

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from planewalk.apps.cli import bench
from planewalk.apps.cli.main import main
from planewalk.core.barriers import Barriers, Landing
from planewalk.core.geometry import RIGHT, Stance, torus
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Language
from planewalk.core.limits import Limits
from planewalk.core.plane import TextPlane
from planewalk.core.state import State, Walker
from planewalk.core.step import Hit
from planewalk.engines.base.policy import HASTY, PATIENT, Policy, following
from planewalk.engines.choose import choose_engine, compiled_ticks, detour
from planewalk.engines.interpreter import engine as interpreters
from planewalk.engines.interpreter import loader
from planewalk.engines.interpreter.abi import NoInterpreter
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.native import machine_code
from planewalk.engines.scheduling import scheduler
from planewalk.engines.scheduling.race import TierPace
from planewalk.engines.scheduling.scheduler import Scheduler
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.examples import find_example
from planewalk.languages import registry
from tests.engines import ledger
from tests.engines.held import CODE, INTERPRETER, HeldQueue
from tests.engines.stores import MemoryStore
from tests.marks import plainly

SOON = PATIENT._replace(short=100, interpreter_price=0.0)
"""Nothing is worth code of its own, but there is an interpreter."""
STORM = b"|||||||||\n/X>+v@ \\\n\\ -^ X#/\n+v<>@ ^ \n|||||||||"


def begin(name: str) -> tuple[Language, State]:
    if name == "storm":
        language = registry.get("refunge")
        return language, language.start(STORM, language.read_options({}), 0)
    example = find_example(name)
    language = registry.get(example.language)
    return language, language.start(example.read(), language.read_options({}), 0)


def endless() -> tuple[Language, State]:
    """On a plane that no program can write: the interpreter does not leave there."""
    language = registry.get("mirrorfunge")
    return language, language.start(b">12+$v\n^    <", language.read_options({}), 0)


def engine_for(
    what: tuple[Language, State], policy: Policy = HASTY, queue: Any = None, **more: Any
) -> Scheduler:
    with following(policy):
        return Scheduler(*what, Limits(), None, queue, **more)


def go(engine: Scheduler, tick: int) -> None:
    while engine.state.tick < tick and engine.advance(tick - engine.state.tick) is None:
        pass


def tier(engine: Scheduler, name: str) -> Any:
    return next(tier for tier in engine.tiers if tier.name == name)


@pytest.fixture
def by_chance(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whose turn it is does not depend on which is faster."""
    dice = random.Random(7)

    def any_of(paces: list[TierPace]) -> tuple[TierPace, float]:
        return dice.choice(paces), dice.uniform(0, 1e-6)

    monkeypatch.setattr(scheduler, "next_turn", any_of)
    yield


@pytest.fixture
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run costs nothing but what a test says."""
    monkeypatch.setattr(scheduler, "thread_time", lambda: 0.0)


@pytest.mark.usefixtures("by_chance")
@pytest.mark.parametrize("what", plainly(["sierpinski.ref", "storm"], ["squares.ref"]))
def test_turns_make_no_difference(what: str) -> None:
    """Also where the interpreter writes cells that code was made from, and makes the field grow."""
    language, state = begin(what)
    engine, expected = engine_for((language, state)), state.copy()
    reference = ReferenceEngine(language, expected, Limits())
    for steps in (90, 150, 333, 1_200, 5_000):
        stop = None
        while state.tick < steps and stop is None:
            stop = engine.advance(steps - state.tick)
        assert stop == reference.advance(steps - expected.tick)
        assert state == expected, steps
        if not tier(engine, "python").is_ready():
            tier(engine, "python").make()
    assert all(tier(engine, name).ticks > 0 for name in ("python", "interpreter", "llvm"))


@pytest.mark.usefixtures("no_time_passes")
def test_a_tier_is_made_once_the_run_has_cost_as_much() -> None:
    engine = engine_for(begin("squares.ref"), SOON._replace(loading_price=0.2))
    go(engine, 5_000)
    compiled = engine.compiled
    assert compiled is not None and compiled.engine is None
    assert engine.name == "interpreter", "it comes along"
    engine.tiers[1].pace.rate = 1e8
    price = compiled.price(0.0)
    engine.spent = 0.9 * price
    engine._invest(100, None)
    assert compiled.engine is None
    engine.spent = 10.0
    engine._invest(100, None)
    assert compiled.engine is not None


@pytest.mark.usefixtures("no_time_passes")
def test_no_tier_is_made_that_cannot_be_faster() -> None:
    """Superinstructions make more ticks a second than compiled code ever does."""
    engine = engine_for(begin("squares.ref"), SOON)
    for ticks in count(0, 100):
        go(engine, ticks)
        if engine.tiers and tier(engine, "interpreter").is_ready():
            break
    tier(engine, "interpreter").pace.rate = 5e10
    engine.spent = 100.0
    engine._invest(100, None)
    assert engine.compiled is not None and engine.compiled.engine is None


def test_a_short_run_has_no_tiers() -> None:
    engine = engine_for(begin("squares.ref"), PATIENT)
    go(engine, 5_000)
    assert engine.tiers == [] and engine.name == "reference"


def test_code_of_an_earlier_run_is_there_from_the_start() -> None:
    store = MemoryStore()
    for kept in (False, True):
        language, state = endless()
        with following(HASTY):
            engine = Scheduler(language, state, Limits(), store)
            engine.advance(1)
        assert engine.compiled is not None
        assert engine.compiled.has_code() is kept
        go(engine, 5_000)


def test_code_of_an_earlier_run_needs_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """To import LLVM takes longer than many a run that finds its code."""

    def imported() -> None:
        raise AssertionError("LLVM was asked for")

    store = MemoryStore()
    for kept in (False, True):
        language, state = endless()
        if kept:
            monkeypatch.setattr(machine_code, "why_not", imported)
        with following(HASTY._replace(interpreter=False)):
            engine = Scheduler(language, state, Limits(), store)
            engine.advance(1)
        assert engine.compiled is not None and engine.compiled.is_ready()
        if not kept:
            go(engine, 5_000)


@pytest.mark.usefixtures("no_time_passes")
def test_a_run_waits_for_no_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was never made before is made beside the run, once that is worth it."""
    monkeypatch.setattr(loader, "is_at_hand", lambda *_: False)
    queue = HeldQueue(INTERPRETER)
    what = begin("squares.ref")
    engine = engine_for(what, PATIENT._replace(short=100, tracing_price=1e6), queue)
    go(engine, 1_000)
    assert not queue.jobs and engine.name == "reference", "not worth it yet"
    engine.spent = 1.0
    go(engine, 2_000)
    assert engine.name == "reference"
    queue.only().hand_over()
    go(engine, 9_000)
    assert engine.name == "interpreter" and tier(engine, "interpreter").ticks > 5_000


def test_an_interpreter_that_cannot_be_made_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise NoInterpreter("for a reason")

    for module in (loader, interpreters):
        monkeypatch.setattr(module, "interpreter_for", fail)
    language, state = begin("squares.ref")
    expected = state.copy()
    engine = engine_for((language, state))
    go(engine, 1_000)
    assert tier(engine, "interpreter").engine is None
    ReferenceEngine(language, expected, Limits()).advance(1_000)
    assert state == expected


def test_barriers_are_for_compiled_code() -> None:
    language, state = endless()
    engine = engine_for((language, state))
    go(engine, 60)
    interpreted = tier(engine, "interpreter").ticks
    stop = None
    while stop is None:
        stop = engine.advance(5_000, Barriers(landings=frozenset({Landing(3, 0)})))
    assert isinstance(stop, Hit) and state.walkers[0].stance[:2] == (3, 0)
    assert tier(engine, "interpreter").ticks == interpreted


def test_a_turn_with_many_walkers_has_as_many_steps_as_any_other() -> None:
    """Four thousand ticks of a crowd on the reference engine would take minutes."""
    language = registry.get("refunge")
    start = language.start(b"\\>>>>>>>>>>>>>>>>\n" * 4, language.read_options({}), 0)
    start.walkers[:] = [it._replace(stance=it.stance._replace(x=1)) for it in start.walkers] * 2_000
    policy = PATIENT._replace(crowds=False, short=10, machine_code=False)
    engine = engine_for((language, start), policy)
    advance = engine.reference.advance

    def told(ticks: int, barriers: Barriers | None = None) -> Any:
        assert ticks * len(start.walkers) < 1_000_000
        return advance(ticks, barriers)

    engine.reference.advance = told  # type: ignore[method-assign]
    engine.advance(1)
    engine.advance(1 << 20)
    assert engine.tiers and start.tick > 1


def test_languages_without_an_interpreter_have_compiled_code() -> None:
    language = registry.get("webfunge")
    engine = engine_for((language, language.start(b"12+", language.read_options({}), 0)))
    for ticks in count(500, 500):
        go(engine, ticks)
        if engine.native_ticks > 100:
            break
    assert tier(engine, "interpreter").engine is None and engine.name == "llvm"


def test_what_machine_code_has_no_words_for_runs_in_generated_python() -> None:
    table = InstructionTable("shares")

    @table.instruction("s")
    def share(m: Any) -> None:
        m.poke(0, 1 + 100 // (1 + m.peek(0)))

    language = Language(
        name="shares", title="Shares", summary="for tests", suffixes=(), table=table,
        start=lambda *_: State(TextPlane(["s"]), []), move=torus, show=lambda state: {},
        decode=lambda plane, stance: table[ord("s")],
    )  # fmt: skip
    state = State(TextPlane(["s"]), [Walker(Stance(0, 0, *RIGHT))], stack=[7])
    expected = state.copy()
    engine = engine_for((language, state))
    go(engine, 20_000)
    ReferenceEngine(language, expected).advance(20_000)
    assert state == expected and compiled_ticks(engine).python > 500


@pytest.mark.usefixtures("no_time_passes")
def test_numbers_of_any_length_run_in_generated_python() -> None:
    """Where faster tiers turn out to be slow."""
    engine = engine_for(endless(), SOON)
    go(engine, 1_000)
    python = tier(engine, "python")
    engine.spent = 10.0
    for rate, made in ((1e8, False), (3e6, True)):
        for each in engine.tiers:
            each.pace.rate = rate
        engine._invest(100, None)
        assert python.is_ready() is made


@pytest.mark.parametrize("plane", ["bytes", "sparse"])
@pytest.mark.parametrize("changes", [False, True])
def test_code_that_another_engine_wrote_over_is_dropped(changes: bool, plane: str) -> None:
    """Machine code of an interpreter does not tell what it writes."""
    state = ledger.start(b">  v\n^  <", {"plane": plane, "hand": False}, 0)
    with following(HASTY):
        engine = LLVMEngine(ledger.LANGUAGE, state, Limits())
    engine.advance(400)
    assert engine.units.at
    with engine.set_aside():
        if changes:
            state.plane.put(2, 0, ord("2"))  # type: ignore[attr-defined]
    assert bool(engine.units.at) is not changes
    expected = state.copy()
    ReferenceEngine(ledger.LANGUAGE, expected, Limits()).advance(200)
    engine.advance(200)
    assert state == expected


@pytest.mark.parametrize("by_itself", [True, False])
@pytest.mark.parametrize("writes", [True, False])
def test_the_interpreter_tells_whether_it_wrote_over_code(writes: bool, by_itself: bool) -> None:
    """Or its reference engine has, which performs single ticks."""
    language = registry.get("refunge")
    state = language.start(b"~  X   ", language.read_options({}), 0)
    engine = engine_for((language, state))
    go(engine, 100)
    compiled, interpreter = engine.compiled, tier(engine, "interpreter")
    assert compiled is not None and compiled.engine is not None
    while not compiled.engine.units.at:
        compiled.advance(50, None)
    walker = state.walkers[0]
    if writes:  # X doubles the second cell from now on
        state.walkers[0] = Walker(walker.stance._replace(x=2, mode="add"), (1, 0))
    if not by_itself:
        interpreter.engine._run = lambda fuel: False
    engine._run(interpreter, [interpreter, compiled], 3, None)
    assert bool(compiled.engine.units.at) is not writes


def test_a_search_for_tiers_needs_no_tracer() -> None:
    """Importing it takes as long as finding kept code."""
    heavy = "inspect ast planewalk.engines.tracing.tracer planewalk.engines.native.code"
    script = f"""
import sys
import planewalk.engines.scheduling.tiers
sys.exit(" ".join(name for name in {heavy.split()} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr.strip() == ""


def test_compiled_code_knows_where_the_interpreter_walked() -> None:
    """What a look at some ticks would miss is compiled at once."""
    language = registry.get("refunge")
    state = language.start(b"~ @    \n       ", language.read_options({}), 0)
    engine = engine_for((language, state))
    go(engine, 60)
    tier(engine, "interpreter").engine.advance(60)
    compiled = engine.compiled
    assert compiled is not None and compiled.suits(1, None) and compiled.engine is not None
    walked = compiled.engine.survey.walked()
    right = state.walkers[0].stance
    assert all(right._replace(x=x) in walked for x in range(7))
    assert right._replace(y=1) not in walked


def test_a_tier_that_is_having_code_made_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """If there is a faster one meanwhile."""
    queue = HeldQueue(CODE)
    engine = engine_for(begin("squares.ref"), HASTY, queue)
    ticks = count(0, 100)
    while not queue.waiting:
        go(engine, next(ticks))
    compiled, interpreter = engine.compiled, tier(engine, "interpreter")
    assert compiled is not None and compiled.waits()
    interpreter.pace.rate, compiled.pace.rate, compiled.pace.rest = 1e8, 1e6, 0.0
    before = compiled.ticks
    go(engine, engine.state.tick + 2_000)
    assert compiled.ticks == before
    queue.only().hand_over()
    assert not compiled.waits()


def test_llvm_by_name_gives_way_to_the_interpreter() -> None:
    """Where machine code of the program takes long, or is of no use, it does not run in Python."""
    language, state = begin("sierpinski.ref")
    expected, queue = state.copy(), HeldQueue(CODE)
    engine = engine_for((language, state), PATIENT, queue, compiles=True)
    go(engine, 1_000)
    assert tier(engine, "interpreter").engine is None
    engine.spent = 10.0
    go(engine, 60_000)
    assert "interpreter" in (detour("llvm", engine) or "")
    assert detour("auto", engine) is None
    ReferenceEngine(language, expected, Limits()).advance(60_000)
    assert state == expected


def test_llvm_by_name_tells_nothing_if_it_did_the_work() -> None:
    language, state = endless()
    with following(HASTY._replace(background=True)):
        engine = choose_engine("llvm", language, state, Limits())
    engine.advance(500)
    assert detour("llvm", engine) is None


@pytest.mark.usefixtures("no_time_passes")
def test_it_tells_what_became_of_each_tier() -> None:
    engine = engine_for(begin("squares.ref"), SOON)
    go(engine, 5_000)
    told = dict(engine.told()[1:])
    assert engine.told()[0] == ("reference", f"the first {engine._begun:,} steps")
    assert told["interpreter"].endswith("s of CPU time") and told["reference"].startswith("there")
    assert told["crowd"] == "not possible here"
    assert told["machine code"].startswith("not made: that takes 0.")
    tier(engine, "interpreter").pace.in_vain = 3
    assert dict(engine.told())["interpreter"].endswith("left 3 times as slower than others")
    assert sum(each.ticks for each in engine.tiers) + engine._begun == 5_000


def test_bench_tells_why(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    looks = count(step=0.001)  # a busy machine gets as far as an idle one
    monkeypatch.setattr(bench, "time", SimpleNamespace(perf_counter=looks.__next__))
    words = ["bench", "loop.gemooy", "--max-steps", "30000", "--seconds", "0.1", "--why"]
    assert main([*words, "--engines", "reference,auto"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if ": auto: " in line]
    assert re.fullmatch(r"loop.gemooy: auto: reference: the first [\d,]+ steps", lines[0])
    assert len(lines) == 6 and "reference: reference" not in "".join(lines)
    assert main([*words, "--engines", "auto", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["tiers"]
    names = ["reference", "generated Python", "interpreter", "machine code", "crowd"]
    assert [it["tier"] for it in told][1:] == names
