"""Pictures in lanes: the same bytes as single pixels, however they are drawn."""

import math
from array import array
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.language import PictureOptions
from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.core.state import State
from planewalk.core.step import Fault, Spent
from planewalk.engines.native.machine_code import LONG_TEXT, NAMED, why_not
from planewalk.engines.picture import Box, Heat, Painter, PixelTally, painter
from planewalk.engines.picture.lane_tracer import LaneNumbers
from planewalk.engines.picture.single import SinglePixels
from planewalk.engines.stepping.reference import ReferenceEngine
from planewalk.examples import gallery
from planewalk.languages import registry
from tests.engines.stores import MemoryStore
from tests.marks import plainly

from ..laws.programs import soups

WEBFUNGE = registry.get("webfunge")
STEPS = 4_000
EXAMPLES = {example.name: example.read() for example in gallery("webfunge")}
SOME = ["julia", "spheres", "planet"]

if why_not() is not None:
    pytest.skip("no machine code here", allow_module_level=True)


STORE = MemoryStore()
"""What one test has compiled, others find."""


@pytest.fixture(autouse=True)
def lanes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small pictures are worth lanes too, and few pixels at the limit are worth care. Code is made
    quickly: `test_examples` and those about numbers have all that can be done about it."""
    monkeypatch.setattr(painter, "WORTH_LANES", 0)
    monkeypatch.setattr(painter, "WORTH_CARE", 0)
    monkeypatch.setattr(painter, "LONG_TEXT", 0)


@pytest.fixture
def optimised(monkeypatch: pytest.MonkeyPatch) -> None:
    """As pictures are usually drawn."""
    monkeypatch.setattr(painter, "LONG_TEXT", LONG_TEXT)


def program(source: bytes | str, size: tuple[int, int] = (7, 5), **options: Any) -> Program:
    source = source.encode() if isinstance(source, str) else source
    return Program(WEBFUNGE, source, {"size": size, "time": 1.3, **options})


def in_lanes(program: Program, lanes: int = 16, **arguments: Any) -> Painter:
    arguments = {"limits": Limits(steps=STEPS), "store": STORE, **arguments}
    painter = Painter(program, **arguments)
    painter.lanes = lanes
    return painter


def pixel_by_pixel(program: Program, steps: int = STEPS, seed: int = 0) -> tuple[bytes, Heat]:
    """The picture on the reference engine."""
    return reference(program, steps, seed)[:2]


def assert_drawn(painter: Painter, steps: int = STEPS, seed: int = 0) -> None:
    """The painter draws what the reference engine does, and counts how pixels end."""
    pixels, heat, faults = reference(painter.program, steps, seed)
    counts = (len(heat.limited), len(faults), sum(heat.limited), 0)
    painter.take_tally()
    for _ in range(2):
        assert painter.paint() == pixels
        tally = painter.take_tally()
        assert tally[:4] == counts and set(tally.faults) <= set(faults)
        assert len(tally.faults) == min(len(set(faults)), 2)
        assert painter.heat() == heat
        assert painter.take_tally()[:4] == counts
    assert painter.take_tally() == PixelTally()


def reference(program: Program, steps: int, seed: int) -> tuple[bytes, Heat, list[Fault]]:
    """The same, with the faults; each picture is drawn once."""
    name = repr((program.source, program.options, steps, seed))
    if name not in DRAWN:
        DRAWN[name] = drawn_singly(program, steps, seed)
    return DRAWN[name]


DRAWN: dict[str, tuple[bytes, Heat, list[Fault]]] = {}


def drawn_singly(program: Program, steps: int, seed: int) -> tuple[bytes, Heat, list[Fault]]:
    assert WEBFUNGE.drawing.colour is not None
    width, height = program.options["size"]
    pixels, taken, limited, faults = bytearray(), array("L"), bytearray(), []
    for y in range(height):
        for x in range(width):
            options = {**program.options, "pixel": (x, y)}
            state = WEBFUNGE.start(program.source, options, seed)
            engine = ReferenceEngine(WEBFUNGE, state)
            while state.tick < steps and engine.advance(steps - state.tick) is None:
                pass
            pixels += bytes(WEBFUNGE.drawing.colour(state))
            taken.append(state.tick)
            limited.append(state.stop is None or isinstance(state.stop, Spent))
            faults += [state.stop] if isinstance(state.stop, Fault) else []
    return bytes(pixels), Heat(taken, bytes(limited)), faults


def cut(pixels: bytes, size: tuple[int, int], box: Box) -> bytes:
    left, top, right, bottom = box
    width = size[0]
    rows = (pixels[3 * (y * width + left) : 3 * (y * width + right)] for y in range(top, bottom))
    return b"".join(rows)


@pytest.mark.parametrize("name", plainly(SOME, EXAMPLES))
def test_examples(name: str, optimised: None) -> None:
    drawn = program(EXAMPLES[name])
    pixels, heat = pixel_by_pixel(drawn)
    painter = in_lanes(drawn)
    assert painter.paint() == pixels
    assert painter.heat() == heat
    assert painter.code is not None and painter.drawn_again == 0


@pytest.mark.parametrize("box", [(0, 0, 1, 1), (3, 2, 9, 7), (12, 0, 13, 7), (5, 5, 5, 6)])
def test_a_box_is_a_part_of_the_whole(box: Box) -> None:
    drawn = program(EXAMPLES["kaleidoscope"], (13, 7))
    painter = in_lanes(drawn)
    whole = painter.paint()
    assert painter.paint(box=box) == cut(whole, (13, 7), box)
    left, top, right, bottom = box
    assert len(painter.heat(box=box).steps) == (right - left) * (bottom - top)


LEAVING = "0y2%#v_1y3y/::@\n     >0y1y4y*=1@   8@ 9@     "
"""The even columns jump to where the program cannot tell, the others go straight on."""


def test_threads_and_strips(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many strips, some with lanes that have to be done again, in any number of threads."""
    monkeypatch.setattr(painter, "STRIP", 32)
    for text in (LEAVING, "0y1y*>:*1+:9`!*<"):
        drawn = program(text, size=(9, 4))
        for threads in (1, 4):
            several = in_lanes(drawn, threads=threads, limits=Limits(steps=100))
            assert_drawn(several, 100)
            several.close()


@pytest.mark.parametrize("source", [
    "0y1y+>:*1+:9`!*<",  # for ever
    "0y>1-:#v_2y3y/::@\n  ^   <",  # as many rounds as the column says
    "0y1y12/@",  # straight on
    ">v\n^<",
    "0yk1@",  # a loop in one instruction
])  # fmt: skip
def test_limits(source: str) -> None:
    """A pixel at its limit has the colour of that very moment."""
    for steps in (0, 1, 2, 7, 20, 41, 100):
        assert_drawn(in_lanes(program(source), limits=Limits(steps=steps)), steps)


def test_lanes_that_leave_are_done_again() -> None:
    assert_drawn(in_lanes(program(LEAVING), limits=Limits(steps=99)), steps=99)


def test_lanes_that_leave_behind_the_limit_are_counted_once() -> None:
    """Found by random programs: they were drawn with care, and then again."""
    assert_drawn(in_lanes(program("N;s?", (5, 3)), 4, limits=Limits(steps=0)), 0)


def test_faults_are_black() -> None:
    drawn = program("0y!#v_111@\n    >aaa***k1@")
    painter = in_lanes(drawn)
    pixels, _ = pixel_by_pixel(drawn)
    assert_drawn(painter)
    state = WEBFUNGE.start(drawn.source, drawn.options, 0)
    ReferenceEngine(WEBFUNGE, state).advance(10_000)
    assert isinstance(state.stop, Fault) and pixels[:3] == bytes(3)


@pytest.mark.parametrize("source", ["RRR@", "R?R@\nR@\n", "0yR*1yR+RR*@", "R0.?@\n   @"])
def test_chance(source: str) -> None:
    drawn = program(source)
    for seed in (0, 5, (1 << 64) - 1):
        painter = in_lanes(drawn, seed=seed)
        assert painter.paint() == pixel_by_pixel(drawn, seed=seed)[0]
        assert painter.code is not None and painter.drawn_again == 0


TEXTURES = [(3, 2, bytes(range(0, 180, 10))), (7, 5, bytes(range(3, 213, 2))), (1, 1, b"abc")]
TEXTURED = [
    "0y2y/1y3y/0T@",
    "0y2y/1y3y/1T@",
    "4y1y3y/1T@",
    "0y2y/4y1T@",
    "4y4y2T@",
    "0y6-3/1y3-n7/1T@",  # beyond all sides
    "0y4y*1y4y/1T+0y4y-1y4y+0T@",  # one texture tells how another is changed
    "0y0/1y0/1T@",
    "0y5`0y2y/1y3y/1T@",
    "0y2y/1y3y/0y5`T@",  # another texture on each side
    "0y2y/1y3y/0y2-T@",  # of which some are unknown, so that it turns round
    "0y2y/1y3y/3T@",
    ">0y2y/1y3y/1T++:1`_@\n^       4y+     $1<",
]


@pytest.mark.parametrize(
    "time", [0.0, -0.0, 0.6, -0.4, -1e-20, 0.99999994, 8388607.5, 1e30, math.inf, math.nan]
)
def test_textures_in_lanes_go_round_as_elsewhere(time: float) -> None:
    for source in TEXTURED[2:5]:
        drawn = program(source, (9, 4), texture=TEXTURES, time=time)
        painter = in_lanes(drawn)
        assert painter.paint() == pixel_by_pixel(drawn)[0], source
        assert painter.code is not None and painter.drawn_again == 0


def test_the_same_code_serves_other_textures_of_that_size() -> None:
    """What is kept between runs knows where the bytes are, not which."""
    shelf = MemoryStore()
    for content in (bytes(range(18)), bytes(range(100, 118))):
        drawn = program("0y2y/1y3y/0T@", texture=[(3, 2, content)])
        assert in_lanes(drawn, store=shelf).paint() == pixel_by_pixel(drawn)[0]
    assert sum(not content.startswith(NAMED) for content in shelf.values()) == 1


@settings(max_examples=settings.default.max_examples // 8)
@given(soups("webfunge"))
def test_random_programs_with_textures(source: bytes) -> None:
    drawn = program(b"0y2y/1y3y/1T" + source, (5, 3), texture=TEXTURES)
    assert in_lanes(drawn, limits=Limits(steps=200)).paint() == pixel_by_pixel(drawn, 200)[0]


@pytest.mark.parametrize("source", plainly(["<wt0"], ["R_[;|_", "  T"]))
def test_programs_that_come_by_their_start_again(source: str) -> None:
    """Found by fuzzing: the way into a loop ended where nothing was known yet."""
    drawn = program(source, (4, 3), texture=TEXTURES)
    assert in_lanes(drawn).paint() == pixel_by_pixel(drawn)[0]


def test_a_small_picture_is_not_worth_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    painter = in_lanes(program("0y1y0@", size=(4, 4)))
    painter.paint()
    assert painter.code is None


def test_lanes_are_made_for_the_frames_of_a_small_film(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painter, "WORTH_LANES", 5_000)
    monkeypatch.setattr(painter, "TRIAL", 50)
    frames = in_lanes(program("0y1y4y@", size=(5, 5)))
    pictures = [frames.paint(time) for time in range(50)]
    assert frames.code is not None and frames.drawn_again == 0
    assert pictures == [pixel_by_pixel(program("0y1y4y@", (5, 5), time=t))[0] for t in range(50)]


def test_lanes_that_are_no_use_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painter, "TRIAL", 50)
    drawn = program("0y1y4y*=1@ 8@", (9, 6))
    given_up = in_lanes(drawn, limits=Limits(steps=99))
    pixels, _ = pixel_by_pixel(drawn, steps=99)
    assert given_up.paint() == pixels
    assert given_up.code is None
    assert given_up.paint() == pixels


@settings(max_examples=settings.default.max_examples // 8)
@given(soups("webfunge"), st.sampled_from([4, 16]), st.integers(0, 300), st.integers(0, 3))
def test_random_programs(source: bytes, lanes: int, steps: int, seed: int) -> None:
    drawn = program(source, size=(5, 3))
    painter = in_lanes(drawn, lanes, limits=Limits(steps=steps), seed=seed)
    assert_drawn(painter, steps, seed)


def test_options_of_pictures_are_what_the_language_says() -> None:
    """Another language may have other words for size, time and pixel."""
    own = PictureOptions("extent", "moment", "dot")
    words = dict(zip(vars(PictureOptions()).values(), vars(own).values(), strict=True))

    def start(source: bytes, options: Mapping[str, Any], seed: int) -> State:
        usual = {plain: options[word] for plain, word in words.items()}
        return WEBFUNGE.start(source, {**options, **usual}, seed)

    shading = WEBFUNGE.drawing.shading
    assert shading is not None
    language = WEBFUNGE._replace(
        start=start,
        options=tuple(
            option._replace(name=words.get(option.name, option.name)) for option in WEBFUNGE.options
        ),
        drawing=WEBFUNGE.drawing._replace(shading=shading._replace(options=own)),
    )
    source = b"@"
    other = Program(language, source, {"extent": (5, 3), "moment": 0.25})
    assert other.size == (5, 3) and other.time == 0.25
    usual = in_lanes(program(source, (5, 3), time=0.25))
    for lanes in (True, False):
        painter = in_lanes(other)
        painter._tried = not lanes  # else pixel by pixel
        assert painter.paint() == usual.paint()
        assert painter.paint(time=0.75) == usual.paint(time=0.75) != usual.paint()


def test_each_pixel_is_watched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For plain and careful code together, also where pixels are few."""
    watched: list[tuple[int, int]] = []

    def start(single: SinglePixels, x: int, y: int, time: float | None = None) -> State:
        watched.append((x, y))
        return begin(single, x, y, time)

    begin = SinglePixels.start
    monkeypatch.setattr(SinglePixels, "start", start)
    watching = in_lanes(program("0y2-j1>1+v\n      ^  <", (4, 3)))
    watching.watch()
    watching.watch()
    assert len(watched) == len(set(watched)) == 12


def test_each_value_is_asked_once_what_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a program that doubles what it has, there are a million million ways to the first."""
    asked: list[int] = []
    find = LaneNumbers._find_choices

    def counted(numbers: LaneNumbers, value: Any) -> list[Any] | None:
        asked.append(value.id)
        assert len(asked) < 1_000
        return find(numbers, value)

    monkeypatch.setattr(LaneNumbers, "_find_choices", counted)
    assert_drawn(in_lanes(program("0y" + ":+" * 40 + "0*j@")))
    assert len(asked) > 40


def test_quick_code_draws_the_same() -> None:
    assert_drawn(in_lanes(program("0y:*1yS+1y:E0y@"), quick=True))
