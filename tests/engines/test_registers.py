"""Registers that hold whole numbers, chance below a bound, and the tick: the same everywhere."""

from array import array
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planewalk.core.geometry import RIGHT, Stance, torus
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Language
from planewalk.core.plane import TextPlane
from planewalk.core.state import State, Walker
from planewalk.engines.base.policy import following, policy_in_force
from planewalk.engines.choose import compiled_ticks
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.machine.maker import write_native
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.engines.stepping.reference import ReferenceEngine
from tests.engines.abacus import HEIGHT, LANGUAGE, TABLE, WIDTH
from tests.engines.agreement import LIMITS, engines_agree
from tests.engines.stores import MemoryStore
from tests.marks import plainly

pytestmark = pytest.mark.usefixtures("compile_soon")

PLANES = ["text", "bytes", "sparse"]


def begin(source: str, plane: str = "text", **options: Any) -> State:
    return LANGUAGE.start(source.encode(), {"plane": plane, "hand": False, **options}, 3)


SYMBOLS = [row.symbol for row in TABLE if row.symbol not in "lkqW"] + list("  >v<^iab")
sheets = st.lists(
    st.text(st.sampled_from([*SYMBOLS, *SYMBOLS, *"lkqW"]), min_size=WIDTH, max_size=WIDTH),
    min_size=1,
    max_size=HEIGHT,
).map("\n".join)


@pytest.mark.parametrize("plane", plainly(PLANES[:1], PLANES))
@given(
    source=sheets, ticks=st.lists(st.integers(1, 400), min_size=1, max_size=3), hand=st.booleans()
)
@settings(max_examples=settings.default.max_examples // 20)
def test_engines_agree(plane: str, source: str, ticks: list[int], hand: bool) -> None:
    engines_agree(LANGUAGE, lambda: begin(source, plane, hand=hand), sorted(ticks))


@given(source=sheets, ticks=st.lists(st.integers(1, 400), min_size=1, max_size=3))
@example(source=">>AAG/*00HqH", ticks=[204])  # units linked later store registers of their own
@settings(max_examples=settings.default.max_examples // 12)
def test_engines_agree_on_programs_of_many_units(source: str, ticks: list[int]) -> None:
    small = policy_in_force()._replace(most_instructions=12, patience=0)
    with following(small):
        engines_agree(LANGUAGE, lambda: begin(source), sorted(ticks))


LOOPS = {
    "a counter": "i", "two that grow beyond 64 bits and come back": "i+-+-x",
    "products and quotients": "i*/x+", "from the stack and back": "aBcA$tC", "decisions": "i?-?x",
    "dice": "dAuB+DC", "bounds that are only known then": "irLArEAr", "chance decides": "iRi$",
    "the tick decides": "iTo-", "ends of 64 bits": "LAi-MAi-", "long numbers": "EA+iNA-x",
    "printed": "i.T.", "a register that comes later": "ilk", "no whole number": "iqx",
    "with a hand": "iGhPx", "a hand and chance": "dAPhuBHG",
}  # fmt: skip


@pytest.mark.parametrize("loop", ["iT$d$", "iRi$", "ix?"])
def test_on_a_stack_of_floats(loop: str) -> None:
    engines_agree(LANGUAGE, lambda: begin(loop, floats=True), [50, 333, 600])


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("source", ["i", "ix", "id$", "it$", "ir", "iRuA", "ihGx"])
def test_compiled_code_does_the_work(source: str, plane: str) -> None:
    for kind in (PythonEngine, LLVMEngine):
        engine = kind(LANGUAGE, begin(source, plane, hand="h" in source), LIMITS)
        engine.advance(3_000)
        assert sum(compiled_ticks(engine)) > 2_000, engine.name
    assert engine.native_ticks > 2_000 or "R" in source


def test_ways_that_only_single_steps_take_store_their_registers() -> None:
    """Behind `L` the sum overflows, where long ways end. A single step does not know that it does,
    and others go on from there to `-`, which changes another register."""
    engine = LLVMEngine(LANGUAGE, begin(LOOPS["ends of 64 bits"], "sparse"), LIMITS)
    task, entry = engine.survey.task(None), engine.run.here()
    _, writer = write_native(engine.finder, task, entry, 0)
    written = writer.written()
    assert [name for name, _ in written.stored] == ["a", "b"]
    assert [name for name, _ in written.registers] == ["a", "b", "c"]


def test_machine_code_is_left_before_a_register_overflows() -> None:
    """And entered again once its numbers have 64 bits."""
    engine = LLVMEngine(LANGUAGE, begin("i"), LIMITS)
    engine.advance(1_000)
    assert engine.units.at
    for value, runs in ((2**63 - 300, True), (2**63, False), (-(2**63), True), (2**70, False)):
        engine.state.registers["a"] = value
        before, tick = engine.native_ticks, engine.state.tick
        engine.advance(600)
        assert engine.state.tick == tick + 600
        assert engine.state.registers["a"] - value == 600 // WIDTH
        assert (engine.native_ticks > before) is runs, value


def test_registers_that_hold_anything_else_are_for_the_reference_engine() -> None:
    for other in (2.5, True, "text", None):
        for kind in (PythonEngine, LLVMEngine):
            engine, expected = kind(LANGUAGE, begin("xcC")), begin("xcC")
            engine.advance(500)
            ReferenceEngine(LANGUAGE, expected).advance(500)
            assert sum(compiled_ticks(engine)) > 200
            for state in (engine.state, expected):
                state.registers["b"] = other
            engine.advance(500)
            ReferenceEngine(LANGUAGE, expected).advance(500)
            assert repr(engine.state.registers) == repr(expected.registers)
            assert engine.state == expected


def test_another_state_may_have_its_registers_in_another_order() -> None:
    for kind in (PythonEngine, LLVMEngine):
        engine = kind(LANGUAGE, begin("i+x"))
        engine.advance(500)
        for names in ("cba", "abc", "acbz"):
            state = begin("i+x")
            state.registers = {name: 5 * at for at, name in enumerate(names)}
            expected = state.copy()
            engine.restart(state)
            engine.advance(500)
            ReferenceEngine(LANGUAGE, expected).advance(500)
            assert state == expected and list(state.registers) == list(names)


def test_code_is_kept_with_its_registers() -> None:
    store = MemoryStore()
    for kept in (False, True):
        engine, expected = LLVMEngine(LANGUAGE, begin("i+x"), LIMITS, store), begin("i+x")
        assert engine.backend.maker.kept_as is not None
        assert bool(engine.units.at) is kept
        engine.advance(1_000)
        ReferenceEngine(LANGUAGE, expected).advance(1_000)
        assert engine.state == expected and engine.native_ticks > 500
    other = begin("i+x")
    other.registers = {"b": 1, "a": 2, "c": 3}
    assert not LLVMEngine(LANGUAGE, other, LIMITS, store).units.at, "in other places now"


def test_floats_in_registers_beside_a_stack_of_whole_numbers() -> None:
    table = InstructionTable("mixed")

    @table.instruction("o")
    def halve(m: Any) -> None:
        m.set_register(1, m.register(1) * 0.5 + 3.0)
        m.poke(0, m.peek(0) + 1)

    @table.instruction("x")
    def look_beyond(m: Any) -> None:
        m.poke(0, m.register(-1) > 3)

    language = Language(
        name="mixed", title="Mixed", summary="", suffixes=(), table=table,
        start=lambda *_: State(TextPlane(["o"]), []), move=torus, show=lambda state: {},
        decode=lambda plane, stance: table[plane.cell(stance.x, stance.y)],
    )  # fmt: skip
    for row in ("o", "ox"):
        ends = []
        for kind in (ReferenceEngine, PythonEngine, LLVMEngine):
            walkers = [Walker(Stance(0, 0, *RIGHT))]
            registers = array("f", [0.0, 100.0])
            state = State(TextPlane([row]), walkers, stack=[0], registers=registers)
            engine = kind(language, state)
            engine.advance(300)
            assert kind is ReferenceEngine or row == "ox" or sum(compiled_ticks(engine)) > 200
            ends.append(state)
        assert ends[0] == ends[1] == ends[2]
