"""Cells of any size: every engine has the same numbers, however a run is cut into pieces."""

from functools import partial
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.errors import LanguageError
from planewalk.core.geometry import RIGHT, Stance
from planewalk.core.instruction import InstructionTable
from planewalk.core.language import Language
from planewalk.core.limits import Limits
from planewalk.core.plane import BytePlane, SparsePlane
from planewalk.core.state import State, Walker
from planewalk.engines.choose import choose_engine, compiled_ticks
from planewalk.engines.machine.llvm_engine import LLVMEngine
from planewalk.engines.python.python_engine import PythonEngine
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.engines.stepping.scales import Scales
from planewalk.engines.tracing.ir import NodeGraph
from tests.engines.agreement import LIMITS, engines_agree
from tests.engines.ledger import HEIGHT, LANGUAGE, TABLE, WIDTH
from tests.marks import plainly

pytestmark = pytest.mark.usefixtures("compile_soon")


def assert_agree(source: str, options: dict[str, Any], ticks: list[int]) -> None:
    engines_agree(LANGUAGE, lambda: LANGUAGE.start(source.encode(), options, 3), ticks)


PLANES = ["sparse", "narrow", "bytes"]
SYMBOLS = [row.symbol for row in TABLE if row.symbol != "@"] + list("  >v<^lhg")
sheets = st.lists(
    st.text(st.sampled_from(SYMBOLS), min_size=WIDTH, max_size=WIDTH), min_size=1, max_size=HEIGHT
).map("\n".join)


@pytest.mark.parametrize(
    ("plane", "hand"),
    plainly([("sparse", True), ("narrow", False)], product(PLANES, [True, False])),
)
@given(source=sheets, ticks=st.lists(st.integers(1, 400), min_size=1, max_size=3))
@settings(max_examples=settings.default.max_examples // 15)
def test_engines_agree_on_sheets(plane: str, hand: bool, source: str, ticks: list[int]) -> None:
    assert_agree(source, {"plane": plane, "hand": hand}, sorted(ticks))


@pytest.mark.parametrize("hand", [True, False], ids=["hand", "no hand"])
@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("source", ["ics$", "ig$!", "cig"])
def test_compiled_code_does_the_work(source: str, plane: str, hand: bool) -> None:
    """An engine that always left would be right about everything."""
    options = {"plane": plane, "hand": hand}
    for kind in (PythonEngine, LLVMEngine):
        engine = kind(LANGUAGE, LANGUAGE.start(source.encode(), options, 0), LIMITS)
        engine.advance(3_000)
        assert sum(compiled_ticks(engine)) > 2_000, engine.name
    assert engine.native_ticks > 1_500


def test_a_place_far_from_the_origin_stays_out_of_the_window() -> None:
    """There would have to be a window around all places that code looks at."""
    for far in (10**6, 2**70):
        table = InstructionTable("far")

        @table.instruction("o")
        def count(m: Any, far: int = far) -> None:
            m.put(far, -far, m.cell(far, -far) + 1)

        plane = SparsePlane({(0, 0): ord("o")})
        start = partial(State, plane, [Walker(Stance(0, 0, *RIGHT))])
        engine = choose_engine("auto", ring(table), start(), Limits())
        while engine.state.tick < 20_000:
            engine.advance(20_000 - engine.state.tick)
        assert engine.state.plane.cell(far, -far) == 20_000  # type: ignore[attr-defined]
        assert compiled_ticks(engine).python > 300 > compiled_ticks(engine).native


def test_numbers_that_are_no_characters_can_be_shown() -> None:
    for number in (-1, 0xD800, 0x110000, 2**80, -(2**80)):
        assert LANGUAGE.looks.glyph(number) == "\ufffd"
    assert LANGUAGE.looks.glyph(0x1F40C) == "\U0001f40c"


def test_long_numbers_in_cells_are_weighed() -> None:
    state = LANGUAGE.start(b"B", {"plane": "sparse", "hand": False}, 0)
    state.plane.put(3, 3, 1 << 80_000)  # type: ignore[attr-defined]
    state.registers["long"] = 1 << 160_000
    scales = Scales(ReferenceEngine(LANGUAGE, state), Limits(memory=state.memory() + 30_000), float)
    assert scales.too_heavy(0.0)
    assert 30_000 < scales.numbers < 33_000 and 160_000 <= scales.longest < 180_000
    state.registers["long"] = 0
    scales = Scales(ReferenceEngine(LANGUAGE, state), Limits(memory=state.memory() + 30_000), float)
    assert not scales.too_heavy(0.0)


# What an instruction must not do, it must not do in any engine --------------------------------


def ring(table: InstructionTable) -> Language:
    """One place that is walked over again and again."""

    def stay(plane: Any, stance: Stance) -> Stance:
        return stance

    return Language(
        name="ring", title="Ring", summary="", suffixes=(), table=table,
        start=lambda *_: State(BytePlane(1, bytearray(b"o")), []),
        decode=lambda plane, stance: table[ord("o")], move=stay, show=lambda state: {},
    )  # fmt: skip


FORBIDDEN = {
    "division by zero": lambda m: m.poke(0, 7 // (50 - m.peek(0)) * 0 + m.peek(0) + 1),
    "rest of a division by zero": lambda m: m.poke(0, 7 % (50 - m.peek(0)) * 0 + m.peek(0) + 1),
    "quotient by zero": lambda m: m.poke(0, m.quotient(7, 50 - m.peek(0)) * 0 + m.peek(0) + 1),
    "shift by less than nothing": lambda m: m.poke(0, (7 >> (50 - m.peek(0))) * 0 + m.peek(0) + 1),
    "no byte to write": lambda m: (m.write_byte(m.peek(0) + 200), m.poke(0, m.peek(0) + 1)),
    "no byte to put": lambda m: (m.put(0, 1, m.peek(0) + 200), m.poke(0, m.peek(0) + 1)),
    "below zero": lambda m: (m.put(0, 1, 50 - m.peek(0)), m.poke(0, m.peek(0) + 1)),
    "a column that is not there": lambda m: (m.put(m.peek(0), 2, 1), m.poke(0, m.peek(0) + 1)),
    "a row that is not there": lambda m: (m.put(0, m.peek(0), 9), m.poke(0, m.peek(0) + 1)),
    "a fixed row that is not there": lambda m: (
        m.put(0, 90 if m.peek(0) > 60 else 2, 9),
        m.poke(0, m.peek(0) + 1),
    ),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_errors_are_those_of_the_reference_engine(what: str) -> None:
    table = InstructionTable("ring")
    table.instruction("o")(FORBIDDEN[what])
    ends = []
    for kind in (ReferenceEngine, PythonEngine, LLVMEngine):
        plane = BytePlane(4, bytearray(b"o" + bytes(4 * 70 - 1)))
        state = State(plane, [Walker(Stance(0, 0, *RIGHT))], stack=[0])
        engine = kind(ring(table), state)
        with pytest.raises(LanguageError) as error:
            engine.advance(1_000)
        ends.append((repr(error.value), state))
        few = "column" in what or kind is LLVMEngine  # which leaves from the fifth on, or sooner
        assert kind is ReferenceEngine or few or sum(compiled_ticks(engine)) > 10
    assert ends[0] == ends[1] == ends[2]


READS = {
    "beyond the last column": lambda m: m.cell(m.peek(0), 3),
    "left of the first": lambda m: m.cell(40 - m.peek(0), 3),
    "below the last row": lambda m: m.cell(1, m.peek(0)),
    "above the first row": lambda m: m.cell(1, 40 - m.peek(0)),
    "a fixed place": lambda m: m.cell(3, 2),
    "a fixed place that is not there": lambda m: m.cell(3, 2_000),
    "a fixed place in no column": lambda m: m.cell(9, 3),
}


@pytest.mark.parametrize("what", READS)
def test_places_outside_a_field_of_bytes_are_those_of_the_reference_engine(what: str) -> None:
    table = InstructionTable("ring")

    @table.instruction("o")
    def look(m: Any) -> None:
        m.poke(1, (m.peek(1) * 31 + READS[what](m)) % 1_000_003)
        m.poke(0, m.peek(0) + 1)

    ends = []
    for kind in (ReferenceEngine, PythonEngine, LLVMEngine):
        plane = BytePlane(4, bytearray(b"o" + bytes(range(1, 4 * 50))))
        state = State(plane, [Walker(Stance(0, 0, *RIGHT))], stack=[0, 0])
        engine = kind(ring(table), state)
        engine.advance(90)
        ends.append(state)
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.parametrize("step", [(-1, 0), (0, -1), (7, 0), (0, 10**9), (3, 2**59), (0, 2**61)])
def test_a_hand_may_leave_a_field_of_bytes(step: tuple[int, int]) -> None:
    """Code counts on a hand that is on the field; one that is elsewhere is not let in."""
    table = InstructionTable("ring")

    @table.instruction("o")
    def stray(m: Any) -> None:
        x, y, turn = m.hand_x, m.hand_y, m.peek(0)
        where = 1 if x < 0 or y < 0 else 2 if x > 3 or y > 2**60 else 3
        m.poke(1, (m.peek(1) * 5 + where) % 1_000_003)
        m.poke(0, (turn + 1) % 100)
        if turn > 90:
            m.reach(x + step[0], y + step[1])
        elif turn == 80:
            m.reach(1, 5)

    ends = []
    for kind in (ReferenceEngine, PythonEngine, LLVMEngine):
        walkers = [Walker(Stance(0, 0, *RIGHT), (1, 1))]
        state = State(BytePlane(4, bytearray(b"o" + bytes(39))), walkers, stack=[0, 0])
        engine = kind(ring(table), state)
        for tick in (50, 88, 97, 120, 391, 398, 401, 900):
            engine.advance(tick - state.tick)
            ends.append((tick, state.copy()))
        assert kind is ReferenceEngine or sum(compiled_ticks(engine)) > 100
    for at, (tick, expected) in enumerate(ends[: len(ends) // 3]):
        for other in ends[at :: len(ends) // 3]:
            assert other == (tick, expected)


def test_ranges_of_numbers_that_are_too_long_for_floats() -> None:
    graph = NodeGraph()
    slot, long = graph.make("slot", (0,), "int"), 10**400
    for value in (slot + long, slot - long, long - slot, slot * long, (slot % long) + slot):
        assert value.spread == float("inf")
    bounded = (slot % long) * long + long
    assert (bounded.low, bounded.high) == (long, (long - 1) * long + long)
    assert bounded.spread == (long - 1) * long
    assert graph.settled(slot) is slot
