"""Shaders: what they draw is what the exact engines draw, within a level."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import planewalk
from planewalk.core.errors import EngineRefused
from planewalk.core.language import Shading
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.engines.gpu.expressions import numeral
from planewalk.engines.gpu.modules import glsl, wgsl
from planewalk.engines.gpu.painter import GpuPainter, make_shader
from planewalk.engines.gpu.wgsl import Shader
from planewalk.engines.picture import Painter, render_rows
from planewalk.engines.stepping.drive import drive
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.examples import gallery
from tests.graphics import lacking, need_adapter
from tests.marks import plainly
from tests.patience import PATIENCE

EXAMPLES = [example.file for example in gallery("webfunge")]
SOME = ["plasma.wf", "julia.wf"]
SIZE = (4, 3)


@pytest.fixture
def adapter() -> None:
    need_adapter()


def load(source: str, size: tuple[int, int] = SIZE, time: float = 0.25) -> Program:
    return planewalk.load(source=source, language="webfunge", size=size, time=time)


def drawn(program: Program, steps: int = 10_000, seed: int = 0) -> bytes:
    painter = GpuPainter(make_shader(program, Limits(steps=steps)), seed)
    picture = painter.paint()
    painter.close()
    return picture


def exact(program: Program, steps: int = 10_000, seed: int = 0) -> bytes:
    """Every pixel on the reference engine."""
    limits = Limits(steps=steps)
    language, (width, height) = program.language, program.options["size"]
    assert language.drawing.colour is not None
    picture = bytearray()
    for y in range(height):
        for x in range(width):
            options = {**program.options, "pixel": (x, y)}
            state = language.start(program.source, options, seed)
            drive(ReferenceEngine(language, state, limits), limits, lambda: 0.0)
            picture += bytes(language.drawing.colour(state))
    return bytes(picture)


def farthest(first: bytes, second: bytes) -> list[int]:
    """The largest difference of the three channels, for each pixel."""
    assert len(first) == len(second)
    away = [abs(a - b) for a, b in zip(first, second, strict=True)]
    return [max(away[i : i + 3]) for i in range(0, len(away), 3)]


# Pictures


@pytest.mark.parametrize("name", plainly(SOME, EXAMPLES))
def test_examples_are_drawn_as_they_should(adapter: None, name: str) -> None:
    example = next(one for one in gallery("webfunge") if one.file == name)
    program = load(example.read().decode(), (32, 18), 1.5)
    right = b"".join(render_rows(program, Limits(steps=10_000)))
    away = farthest(drawn(program), right)
    assert sum(levels > 1 for levels in away) <= len(away) / 1000
    assert len(set(away)) < 5


# Every instruction, on values that are known only when the program runs: x (0 to 3), y (0 to 2),
# and the time, which is a quarter.

PROGRAMS = [
    "4yf*0+f/ 12+f/4y* 34+f/4y* @", "567++f/4y* 89+af+/4y* bc+de++f3*/ @",
    'v\n>"A b"f8*/4y+\\f8*/\\f8*/@', "'Q'd/0y*4/'z'd/'~f9*/@", "0y1y+6/ 0y1y-A3/ 0y1y*6/ @",
    "1y0y1+/ 0y2%1y3%0y3/ @", "0y5-2%2/1y3-n3/0y4yn%4/A@", "0y! 1y4y!! 0y1y`@", "0y4/1y4/4y7$@",
    "0y4/:1y4/\\@", "0y8/t8/1yt9/@", "1y8/0yy4/0y5-yf/@", "789 0y1z 1y2z 1yy9/0yy9/3yy9/@",
    "45654 0y3p f/\\f/\\f/@", "1y2y3 40 2s 0yf/1yf/4y@", "0y4/2.1y4/3.2&3&4&@",
    "0y4/1y4/4y03o 1&03i +@", ">0y4/1y4/v\n@4y     <\n", "v        @\n>0y4/1y4/^",
    "0y4/v\n   @]<\n    1\n", "1[@\n@0y4/r 5/\n  ", "0y4/#91y4/#a4y@", "1y4/0y1`j4y@1y@ 2y@",
    "0y4/02x\n\n      @", "0y4/;9;1y4/4y@", "0y4/70=@@1y4/4y@", "0y4/v@4y\n4yu9>1y4/l\n@",
    "0y4/02{4y@\n\n1y4/}", "0y4/3k4y@", "0y4/1y1`k94y@", "4y0y1`_@", " 0y1`v\n @4y1|\n  2y  4y@ ",
    " @y1\n>1y0yw0y@\n @y04", "0y0gf8*/0y2+1yg'~/4yg@", "34'V(2L9/)0y1y'V(2L9/4y@", ")#@4yS",
    "0y4/,q1y4/4y@", " hm~0y4/1y4/4y@", "0y1-A0y3-C1y1-E9/@", "0y2/F4/0y1yI0y1yJ3/@",
    "0yL2/1y1+L0y1y4yM4/@", "P4/0yQ2/1y2-Q@", "R::*R@", "0yS1y9*S0y1+1yW9/@",
    "0y1y4y0y'V(2A)4/\\4/\\@", "0y1y34'V(2S)A5/\\A5/4y@", "0y1y34'V(2Y)9/\\9/4y@",
    "0y1y34'V(2V)\\4y@", "0y1y34'V(2O)4/\\4/4y@", "0y1y12'V(2I)3/\\3/4y@", "0y1y12'V(2J)3/\\3/4y@",
    "0y1y32'V(2D)f/4y0y4/@", "0y1y4y2'V(K)4y*0@", "0y1y2'V(L)4/4y0y4/@", "0y1y32 4y2'V(M)4/\\4/0@",
    "0y1y1+2'V(N)4y@", "0y4/1y4/2'V(W)@", "0y1y4y123'V(X)A9/\\A9/\\A9/@",
    "0y1y12 34 221'M(M)f/\\f/0@", "0y2'M(Z)++A4/4y1y4/@", "0y3'M(X)++A4/1y3'M(Y)++A4/4y@",
    "0yT4/@4y ", "0y?@ 1y@",
]  # fmt: skip

ODD = [
    "0yn1n0y*`! 0y0y/! 1y0y/@", "0y0y/0y0y/1I1y0y/1J@", "0y0yn/ 1y0yn/n 0y1y/n@",
    "0yn0yI1\\/ 0yn0yJ1\\/4y@", "0y1-L 0yLn 0y2-Q!@", "0y1nW 0yn1nW 0y2-3W@",
    "0y2-12/W! 0y0y/0W 10y0y/W@", "1y0y/S! 1y0y/C! 'c'c'c'c****0y+S@",
    "'c'c**E 1y'c'c**n0y*+E 1y0y/E@", "1y0y/4%! 0y1y0y/%! 0y1y%@", "0y1y0y/yf/ 0y2/y4/ 0y99*-y@",
    "0y2/1yg'~/ 0y0y/0g'~/ 1y0ng'~/@", "'c'c*0y+::**13/% 'c'c'c**:*0y+7% 0y1-'c'c*:*/4%4/@",
]  # fmt: skip


@pytest.mark.parametrize("source", plainly(PROGRAMS[::4] + ODD[::4], PROGRAMS + ODD))
def test_every_word_is_right(adapter: None, source: str) -> None:
    program = load(source)
    assert max(farthest(drawn(program), exact(program))) <= 1


def test_every_instruction_is_among_them() -> None:
    language = load("@").language
    written = "".join(PROGRAMS)
    for table in language.tables:
        assert {row.symbol for row in table} <= set(written), table.name


LOOPS = [
    "0y1+>1y+4yS:v\n    ^  *0<",
    "0.1>0&1+:0.0y3+%3/1y4/4y\\\\v\n   ^               <",
    "$R$0y?1y$ ",
]


@pytest.mark.parametrize("source", plainly(LOOPS[:1], LOOPS))
def test_a_limit_cuts_at_the_very_step(adapter: None, source: str) -> None:
    program = load(source, (3, 2))
    for steps in (*range(8), 23):
        assert max(farthest(drawn(program, steps), exact(program, steps))) <= 1, steps


def test_faults_are_black(adapter: None) -> None:
    program = load("0y!aaa***k1 111>r<", (2, 1))
    assert drawn(program) == bytes([0] * 3 + [255] * 3)


def test_chance_is_the_same(adapter: None) -> None:
    program = load("RRR@", (9, 7))
    for seed in (0, 1, (1 << 64) - 3):
        assert max(farthest(drawn(program, seed=seed), exact(program, seed=seed))) <= 1
    assert len(set(drawn(program))) > 40


def test_a_box_is_a_part_of_the_picture(adapter: None) -> None:
    program = load("0y9/1y9/4y@", (9, 8))
    painter = GpuPainter(make_shader(program, Limits(steps=100)))
    whole = painter.paint(0.5)
    rows = [whole[27 * y + 3 * 2 : 27 * y + 3 * 7] for y in range(3, 6)]
    assert painter.paint(0.5, (2, 3, 7, 6)) == b"".join(rows)
    assert painter.paint() != whole


def test_steps_are_counted_exactly(adapter: None) -> None:
    program, limits = load("0y_@", (3, 2)), Limits(steps=5)
    heat = GpuPainter(make_shader(program, limits)).heat()
    assert heat == Painter(program, limits).heat() and heat.limited == bytes([0, 1, 1] * 2)


def test_a_shader_begins_and_ends_as_the_language_says(adapter: None) -> None:
    """Another stack, other colours, another chance for each pixel."""
    program = load("R/@", (5, 4))
    language = program.language
    assert language.drawing.shading is not None

    def stack(x: Any, y: Any, width: Any, height: Any, time: Any) -> list[Any]:
        return [y * 0.25, 3.0, 4.0, 2.0, x + time]

    def channels(m: Any, stack: Sequence[Any]) -> list[Any]:
        steep = m.least(m.divide(stack[0], 0.0), 255.0)
        return [100.0, m.least(stack[-1] * 9.0, 255.0), steep]

    def seed(mix: Any, seed: Any, x: Any, y: Any) -> Any:
        return mix(seed, y)

    shading = Shading(stack, seed, channels)
    drawing = language.drawing._replace(shading=shading)
    changed = Program(language._replace(drawing=drawing), program.source, program.options)
    text = wgsl(make_shader(changed, Limits(steps=100)))
    assert "var s0: f32 = y * 0.25;" in text and "var s4: f32 = x + time;" in text
    assert "return mixed(seed, u32(y));" in text
    picture = drawn(changed)
    assert picture[::3] == bytes([100] * 20) and picture[2::3] == bytes([0] * 5 + [255] * 15)
    columns = [picture[3 * x + 1 :: 15] for x in range(5)]
    assert all(column[0] != column[1] for column in columns) and columns[0] != columns[1]


# Refusals


@pytest.mark.parametrize(("source", "words"), [
    ("4y0=@", r"at \(3, 0\) =: .*number that is only known"),
    ("0y1y{@", r"at \(4, 0\) {: .*number that is only known"),
    ("0y4yx@", r"at \(4, 0\) x: .*number that is only known"),
    (">1", r"at \(\d, 0\) .: the stack grows"),
    ("00{", r"at \(2, 0\) {: calls are nested"),
])  # fmt: skip
def test_what_has_no_shader_is_refused_with_the_place(source: str, words: str) -> None:
    with pytest.raises(EngineRefused, match=words):
        make_shader(load(source), Limits(steps=100))


def test_textures_are_refused_with_the_place() -> None:
    options: Any = {"texture": [(2, 1, bytes(range(6)))]}
    program = planewalk.load(source="0y2y/1y3y/0T@", language="webfunge", **options)
    with pytest.raises(EngineRefused, match=r"at \(11, 0\) T: .*texture"):
        make_shader(program, Limits(steps=100))
    make_shader(planewalk.load(source="000T@", language="webfunge", **options), Limits(steps=100))


def test_numbers_that_were_decided_before_are_no_obstacle() -> None:
    """A comparison gives 1 or 0, wherever it is kept until somebody jumps by it."""
    text = wgsl(make_shader(load("0y1y`3. 4y$ 3&j>4y@\n      "), Limits(steps=100)))
    assert re.search(r"if \([^)]*[<>]", text), "both ways are there"


# Text

GOLDEN = """\
// Red, green and blue of a pixel, from 0 to 255.
fn shade(x: f32, y: f32, width: f32, height: f32, time: f32, seed: vec2<u32>) -> vec3<f32> {
    var s0: f32 = x;
    var s2: f32 = width;
    var s4: f32 = time;
    var colour: vec3<f32> = vec3<f32>(0.0, 0.0, 0.0);
    // 0y2y/4ySv  from (0, 0) right
    // :  from (8, 1) down
    let t19: f32 = least(most(sine(s4) * 255.0, 0.0), 255.0);
    colour = vec3<f32>(least(most(divide(s0, s2) * 255.0, 0.0), 255.0), t19, t19);
    return colour;
}"""


def test_a_shader_reads_well() -> None:
    functions = make_shader(load("0y2y/4ySv\n        :\n        @"), Limits(steps=100)).functions
    assert functions[-1] == GOLDEN


def test_wgsl_and_glsl_have_all_they_use() -> None:
    shader = make_shader(load("0yS1yE4yW@"), Limits(steps=100))
    for text, keyword in ((wgsl(shader), "fn "), (glsl(shader), "float ")):
        for name in ("sine", "exponential", "power", "short_sine", "level"):
            assert f"{keyword}{name}(" in text
        assert "product64" in text and "modulo" not in text


@pytest.mark.parametrize("name", plainly(SOME, EXAMPLES))
def test_glsl_compiles(name: str, tmp_path: Path) -> None:
    validator = shutil.which("glslangValidator")
    if validator is None:
        lacking("glslangValidator (Debian: glslang-tools)")
    example = next(one for one in gallery("webfunge") if one.file == name)
    file = tmp_path / "shader.frag"
    file.write_text(glsl(Shader(load(example.read().decode()), 10_000)))
    done = subprocess.run([validator, str(file)], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout


def test_numerals_are_short_and_exact() -> None:
    assert [numeral(v) for v in (0.0, -0.0, 40.0, 0.1, 1 / 3)] == [
        "0.0", "-0.0", "40.0", "0.1", "0.33333334",
    ]  # fmt: skip
    assert re.fullmatch(r"3\.4028235e38", numeral(3.4028234663852886e38))
    assert numeral(1e-7) == "1e-07"


@pytest.mark.parametrize(("source", "certain"), [
    ("0y2y/1y3y/4yS@", True),
    ("0y!#v_111@\n    >222@", True),
    ("0y>1-:#v_@\n  ^   <", False),  # as many rounds as the column says
    (">", False),
    ("1" * 300 + "@", False),  # too much for the stack
])  # fmt: skip
def test_it_is_known_whether_all_pixels_end(source: str, certain: bool) -> None:
    assert make_shader(load(source), Limits(steps=10_000)).certain is certain


def test_where_the_limit_may_be_reached_nothing_is_certain() -> None:
    assert make_shader(load("0y1y4y@"), Limits(steps=8)).certain
    assert not make_shader(load("0y1y4y@"), Limits(steps=6)).certain


def test_pixels_of_which_nothing_is_known_are_counted_as_such(adapter: None) -> None:
    for source, untold in (("0y1y4y@", 0), ("0y>1-:#v_@\n  ^   <", 12)):
        painter = GpuPainter(make_shader(load(source), Limits(steps=1_000)))
        painter.paint()
        assert painter.take_tally()[:4] == (12, 0, 0, untold)
        painter.close()
