"""Light pictures, which machine code for columns draws: the same bytes as single pixels."""

from __future__ import annotations

import ctypes
import math
from array import array
from functools import cache, reduce
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core import chance
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.engines.native.llvm import recall_named, why_not
from planewalk.engines.picture import Painter, column_recorder, light, painter
from planewalk.engines.picture.column_bytecode import Bytecode
from planewalk.engines.picture.column_recorder import ColumnMachine, ColumnRecorder
from planewalk.engines.picture.column_slots import FLOATS, LENGTH, TRUTHS, WORDS, ColumnSlot
from planewalk.engines.picture.columns import Column, NotForColumns, Sheet, TruthAsked
from planewalk.engines.picture.light import LightCode
from planewalk.engines.picture.single import SinglePixels
from planewalk.engines.tracing.ops import ON_FLOATS
from planewalk.examples import gallery
from planewalk.languages import registry
from tests.engines.missing import without_llvm
from tests.engines.operations import FLOATS as EDGES
from tests.engines.operations import NARROW, alike
from tests.engines.stores import MemoryStore
from tests.laws.programs import soups

if why_not() is not None:
    pytest.skip("no machine code here", allow_module_level=True)

WEBFUNGE = registry.get("webfunge")
STEPS = 700
SIZE = (19, 8)
"""No whole number of what is computed at once."""
APART = "0y9/1 0y5`#@_1y9/2/@"
PROGRAMS = {
    "a gradient": "0y2y/ 1y3y/ 4yS1+2/ @",
    "columns that are used later": "0y1y*:9+:0y-@",
    "a channel that others are made from": "0y9/:1+4/:1y*9/@",
    "values that differ, zeros and no numbers": "0y1y*1y0y/1y0y-@",
    "numbers that decide what a number is": "0y5`1y3`!+2/0y!1y0y`@",
    "what was decided before, for others": "0y5`0y5`0y5`!@",
    "ways that end apart": APART,
    "three ways": "0y4w1y9/0y1@\n   >2/1y1@\n   >0y9/3@",
    "calls": "02{0y9/@\n\n1y9/0y5`k2}",
    "as many rounds as a comparison says": "0y5`k1 1y9/@",
    "loops that all go round as often": "30.v\n   >0&1-0.1y9/0&!#@_",
    "what is rounded": "1yQ:*1y-'~:*:**A0y3/:*0y:*9/-'~:*:**A1y7/7*1y-'~:*:**A@",
    "registers": "0y1.1y2.1&2&+9/0y5`2&1&-n9/@",
    "a log that nobody sees": ",,q1 0y9/2/:@",
    "chance": "RRR1y9/*@",
    "the same chance again": "3kR-1yR9/@",
    "its own text": "90g0y*3/:@",
    "no colour at all": "0y$$$$$$@",
    "all are the same": "123@",
    "all the maths": "0yS1yCA0y9/E2/1yLA0y1y9/W9/+Q0y1yI1yJ9%3M3/F@",
    "vectors": "'V(0y1y1 3N0y1y12y 2D9/@",
}
REFUSED = {
    "loops that pixels end": "0y3%>:!#@_1-",
    "directions by chance": "?1@\n2@\n3@",
    "looking where a pixel says": "0y0g9/@",
    "standing where a pixel says": "0y1=@",
    "registers that a pixel names": "10y.1@",
    "faults": "0y5`#@_7777777",
    "steps that are spent": "$",
}


@cache
def store() -> MemoryStore:
    """One that has the machine code for columns."""
    made = MemoryStore()
    light.assemble(made)
    return made


def program(text: str | bytes, size: tuple[int, int] = SIZE, **options: Any) -> Program:
    source = text.encode() if isinstance(text, str) else text
    return Program(WEBFUNGE, source, {"size": size, "time": 1.3, **options})


def easel(program: Program, steps: int = STEPS, **more: Any) -> Painter:
    return Painter(program, Limits(steps), store=MemoryStore(store()), **more)


def one_by_one(program: Program, steps: int = STEPS, seed: int = 0) -> bytes:
    single, (width, height) = SinglePixels(program, Limits(steps), seed, None), program.size
    places = product(range(height), range(width))
    return b"".join([single.run(x, y).colour for y, x in places])


@pytest.fixture
def no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody draws in any other way."""
    monkeypatch.setattr(Painter, "_made", None)
    monkeypatch.setattr(Painter, "_draw_singly", None)


# Pictures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_light_pictures_have_the_same_bytes(name: str, no_other: None) -> None:
    drawn = program(PROGRAMS[name])
    painter = easel(drawn)
    assert painter.paint() == one_by_one(drawn)
    assert painter.take_tally().pixels == SIZE[0] * SIZE[1]


@pytest.mark.parametrize(
    "name", ["plasma", "kaleidoscope", "floor", "clock", "cube", "ribbons", "planet"]
)
def test_light_examples_have_the_same_bytes(name: str, no_other: None) -> None:
    (source,) = [example.read() for example in gallery("webfunge") if example.name == name]
    drawn = program(source, (21, 9))
    assert easel(drawn, 10_000).paint() == one_by_one(drawn, 10_000)


def test_the_last_step_counts() -> None:
    drawn = program(PROGRAMS["a gradient"])
    for steps in (20, 21):
        painter = easel(drawn, steps)
        assert (painter.light.code(None, 1) is None) is (steps == 20)
        assert painter.paint() == one_by_one(drawn, steps)


@pytest.mark.parametrize("name", REFUSED)
def test_others_are_left_to_others(name: str) -> None:
    drawn = program(REFUSED[name])
    painter = easel(drawn)
    assert painter.light.code(None, 1) is None and painter.light.left == 0
    assert painter.paint() == one_by_one(drawn)


SHADES = """
    0y 1y 2y/ 3y/ 4y 1 2 9 3/ + - * / % n ! ` : \\ $ t A C E F I J L M P Q S W 0. 0& 1. 1&
    k1 kn 3k+ 5`k2 !k: #9 #@_ `#@_ l R q 'V( ) 3A 2D 3N 2K
"""
"""What programs consist of that do much the same in every pixel."""
straight = st.lists(st.sampled_from(SHADES.split()), max_size=40).map(
    lambda shades: "".join(shades) + "@"
)


@given(st.one_of(straight.map("{}@".format), soups("webfunge")), st.integers(40, 90))
@settings(max_examples=settings.default.max_examples // 2)
def test_any_program_has_the_same_bytes_or_is_refused(source: bytes | str, steps: int) -> None:
    drawn = program(source, (11, 3))
    single = SinglePixels(drawn, Limits(steps), 0, None)
    code = light.LightPictures(single, store()).code(None, 33)
    if code is not None:
        assert painted(code, drawn) == one_by_one(drawn, steps)


def painted(code: LightCode, drawn: Program) -> bytes:
    """What that code draws of the whole picture."""
    painter = Painter(drawn, Limits(STEPS))
    painter._code_for = lambda *_: code  # type: ignore[method-assign]
    return painter.paint()


def test_parts_threads_and_long_rows(no_other: None) -> None:
    width = 2 * LENGTH + 9
    drawn = program("0y2y/1y3y/0y1y*2y/@", (width, 5))
    alone, several = easel(drawn), easel(drawn, threads=3)
    whole = alone.paint()
    assert whole == several.paint() == one_by_one(drawn)
    rows = [whole[3 * (y * width + 3) : 3 * (y * width + LENGTH)] for y in range(1, 4)]
    assert alone.paint(box=(3, 1, LENGTH, 4)) == b"".join(rows)
    several.close()


def test_every_time_is_drawn_anew(no_other: None) -> None:
    drawn = program("4y0y2y/+S1y3y/4yC@")
    painter = easel(drawn)
    frames = [painter.paint(time) for time in (0.0, 0.5, None, 0.5)]
    expected = [one_by_one(program(drawn.source, time=time)) for time in (0.0, 0.5, 1.3, 0.5)]
    assert frames == expected
    painter.resize(program(drawn.source, (20, 3)))
    assert painter.paint() == one_by_one(program(drawn.source, (20, 3)))


def test_light_pictures_need_no_llvm(no_other: None) -> None:
    drawn = program(PROGRAMS["a gradient"])
    kept = store()
    with without_llvm():
        assert Painter(drawn, Limits(STEPS), store=kept).paint() == one_by_one(drawn)


def test_what_draws_much_gets_code_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painter, "WORTH_LANES", 0)
    drawn = program(PROGRAMS["a gradient"])
    pixels = SIZE[0] * SIZE[1]
    cost = Bytecode(*recorded(drawn)).cost
    monkeypatch.setattr(light, "WORTH_LANES", 2 * cost * pixels)
    several = easel(drawn)
    frames = []
    for lanes in (False, False, True):
        frames.append(several.paint())
        assert (several.code is not None) is lanes
    assert frames == [one_by_one(drawn)] * 3
    monkeypatch.setattr(light, "WORTH_LANES", cost * pixels - 1)
    large = easel(drawn)
    assert large.paint(box=(0, 0, 3, 3)) and large.code is not None


def test_films_get_code_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painter, "WORTH_LANES", 0)
    drawn = program(PROGRAMS["a gradient"])
    for pictures, lanes in ((3, False), (1e6, True), (math.inf, True)):
        several = easel(drawn, pictures=pictures)
        assert several.paint() == one_by_one(drawn)
        assert (several.code is not None) is lanes


def test_heat_is_not_for_columns() -> None:
    painter = easel(program(PROGRAMS["a gradient"]))
    assert set(painter.heat().steps) == {21}
    assert painter.light.left == light.WORTH_LANES


def test_nothing_is_drawn_where_no_code_came_along() -> None:
    painter = Painter(program("123@"), Limits(STEPS), store=MemoryStore())
    assert painter.light.code(None, 1) is None
    assert Painter(program("123@"), Limits(STEPS)).light.code(None, 1) is None


def test_channels_may_be_made_from_each_other() -> None:
    drawn = program("@", (4, 1))
    code = light.LightPictures(SinglePixels(drawn, Limits(STEPS), 0, None), store()).code(None, 4)
    assert code is not None
    sheet = Sheet()
    red = sheet.x + 1.0
    green = red * 2.0
    code.bytecode = Bytecode(sheet, [red, green, green - sheet.x])
    assert painted(code, drawn) == bytes([1, 2, 2, 2, 4, 3, 3, 6, 4, 4, 8, 5])


# Recording ---------------------------------------------------------------------------------------


def recorded(drawn: Program) -> tuple[Sheet, Any]:
    recorder = ColumnRecorder(SinglePixels(drawn, Limits(STEPS), 0, None), None)
    return recorder.sheet, recorder.colour()


def test_what_is_the_same_for_all_is_computed_once() -> None:
    sheet, colour = recorded(program("4yS:*1+2y3y*@"))
    assert not any(isinstance(channel, Column) for channel in colour)
    assert len(sheet.columns) == 2


def test_truths_are_no_floats() -> None:
    """Python takes them for whole numbers, of which 0 has no sign."""
    sheet = Sheet()
    truth = sheet.x > 3.0
    for use in (lambda: -truth, lambda: truth * -1.0, lambda: sheet.rounded(truth),
                lambda: sheet.chosen(truth, truth, 1.0), lambda: truth == truth):  # fmt: skip
        with pytest.raises(NotForColumns):
            use()
    with pytest.raises(TruthAsked):
        bool(truth)
    sheet.facts[id(truth)] = True
    assert truth and sheet.x > 3.0


def test_whole_numbers_become_shorter_until_they_are_floats() -> None:
    sheet = Sheet()
    drawn = sheet.mixed(7, sheet.x)
    assert sheet.mixed(7, sheet.x) is drawn and sheet.mixed(7, 3) == chance.mix(7, 3)
    for whole in (drawn >> 40, drawn & 255, 255 & drawn, (drawn >> 3) & 0xFF00):
        found = computed(sheet, whole / 512, 9)
        bits = [chance.mix(7, x) for x in range(9)]
        few = {">>": [b >> 40 for b in bits], "&": [b & 255 for b in bits]}[whole.op]
        few = [b >> 3 & 0xFF00 for b in bits] if whole.args[0] is not drawn else few
        assert found == [number / 512 for number in few]
    for use in (lambda: drawn / 2, lambda: drawn >> 64, lambda: drawn & -1, lambda: drawn & 1.0,
                lambda: (drawn & 3) / 0, lambda: (drawn & 3) / 2.5, lambda: -drawn,
                lambda: drawn + 1, lambda: drawn == 1, lambda: bool(drawn),
                lambda: sheet.rounded(drawn), lambda: sheet.mixed(sheet.x + 1.0, 3)):  # fmt: skip
        with pytest.raises((NotForColumns, TypeError)):
            use()


def test_every_seed_has_a_chance_of_its_own(no_other: None) -> None:
    drawn = program("RRR@")
    pictures = {seed: easel(drawn, seed=seed).paint() for seed in (0, 5, -1, 1 << 80)}
    assert pictures == {seed: one_by_one(drawn, seed=seed) for seed in pictures}


@pytest.mark.parametrize("use", [str, repr, hash, "{}".format, lambda c: c.real, lambda c: {c}])
def test_nothing_else_can_be_made_of_a_column(use: Any) -> None:
    with pytest.raises(NotForColumns):
        use(Sheet().x)


def test_what_is_not_the_same_for_all_is_not_to_be_known() -> None:
    recorder = ColumnRecorder(SinglePixels(program("1@"), Limits(STEPS), 0, None), None)
    x, machine = recorder.sheet.x, recorder._machine
    assert isinstance(machine, ColumnMachine)
    assert machine.known(2.0) == 2.0 and machine.option("size") == SIZE
    for ask in (lambda: machine.option("pixel"), lambda: machine.known(x),
                lambda: machine.known(machine.draw()),
                lambda: machine.below(3), lambda: machine.sample(x),
                lambda: machine.look(0.0, x)):  # fmt: skip
        with pytest.raises(NotForColumns):
            ask()


def test_programs_that_take_long_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, less in (("MOST_TICKS", 21), ("MOST_WAYS", 1), ("MOST_FACTS", 0)):
        drawn = program(APART)
        recorded(drawn)
        with monkeypatch.context() as patch, pytest.raises(NotForColumns):
            patch.setattr(column_recorder, name, less)
            recorded(drawn)


# Operations --------------------------------------------------------------------------------------


def test_every_operation_on_floats_is_there() -> None:
    rows = {name for name, row in ON_FLOATS.items() if isinstance(row.llvm, (str, tuple))}
    assert {*FLOATS, *TRUTHS} == rows - {"same"}  # which nobody asks of columns


@pytest.mark.parametrize("op", [*FLOATS, *TRUTHS])
def test_operations_have_the_same_bits(op: str) -> None:
    """With numbers at all edges, in columns and plain."""
    row, numbers = ON_FLOATS[op], EDGES + NARROW
    for other in numbers if len(row.takes) == 2 else [0.0]:
        sheet = Sheet()
        each = reduce(
            lambda rest, at: sheet.chosen(sheet.x == float(at), numbers[at], rest),
            range(1, len(numbers)),
            numbers[0],
        )
        all_alike = sheet.chosen(sheet.y >= 0.0, other, 7.0)
        several = [sheet.make(op, *pair[: len(row.takes)]) for pair in
                   ((each, other), (other, each), (each, all_alike))]  # fmt: skip
        for column, turned in zip(several, (False, True, False), strict=True):
            found = computed(sheet, column, len(numbers))
            for number, result in zip(numbers, found, strict=True):
                pair = (other, number) if turned and len(row.takes) == 2 else (number, other)
                expected = row.meaning(*pair[: len(row.takes)])
                assert alike(expected, result), (op, pair, expected, result)
            if len(row.takes) == 1:
                break


def computed(sheet: Sheet, column: Column, many: int) -> list[Any]:
    """The first numbers or truths of a column."""
    code = Bytecode(sheet, [column, 0.0, 0.0])
    name = light._name()
    assert name is not None
    _, machine = recall_named(store(), name, light.PROTOTYPE) or (None, None)
    buffer, columns = code.room()
    words, pixels = (ctypes.c_int64 * len(ColumnSlot))(), bytearray(3 * LENGTH)
    address = ctypes.addressof(ctypes.c_char.from_buffer(pixels))
    for slot, value in {
        "CODE": code.words.buffer_info()[0], "COUNT": len(code.words) // WORDS - 1,
        "COLUMNS": columns, "PIXELS": address, "RIGHT": many, "BOTTOM": 1,
    }.items():  # fmt: skip
        words[ColumnSlot[slot]] = value
    assert machine is not None
    machine(ctypes.addressof(words))
    place = columns + code.words[-WORDS + 2]
    found = ctypes.string_at(place, 8 * many)
    assert len(buffer) > 0
    if column.op in TRUTHS:
        return [{0: False, -1: True}[word] for word in array("q", found)]
    return list(array("d", found))
