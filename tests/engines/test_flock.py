"""Pixels that are run together end exactly as they do one by one."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.limits import Limits
from planewalk.core.program import Program
from planewalk.engines.picture import Painter, flock
from planewalk.engines.picture.flock import Flocks, Many, Unfit
from planewalk.engines.picture.single import Pixel, SinglePixels
from planewalk.languages import registry
from tests.laws.programs import soups

SIZE = (12, 8)
PLACES = [(x, y) for y in range(SIZE[1]) for x in range(SIZE[0])]
STEPS = 700

PROGRAMS = {
    "all overflow": "7",
    "all are spent": "$",
    "what is shown of values that differ": "0y1y*1y0y/1y0y-@",
    "part overflow, part end": "0y5`#@_7777777",
    "they part and meet": "0y5`1y3`+0y1y+:*v\n@00\\              <",
    "they part by many values": "0y4%1+:2%w3#@4@\n        5\n        @",
    "loops of different lengths": "0y3%>:!#@_1-",
    "a log that nobody sees": ",,q1",
    "chance": "?1@\n2@\n3@",
    "random numbers": "RRR@",
    "registers": "0y1.1y2.1&2&+0y5`|\n@1&2&*2&         <",
    "zeros of two signs": "0y5`|\n    >0 v\n    >0n>1\\/::@\n.",
    "not a number": "0y3-0/0*:1+@",
    "calls": "02{@\n\n1y0y5`|}\n       2}",
    "reading its own text": "0y0g91y0g+f/@",
    "rounds": "0y4%k1@",
    "what was computed is never asked for": "0yS1yC*111111",
    "sine and power": "0ySA1yCA0y2P@",
}


def single_pixels(text: str, seed: int = 0, **limits: Any) -> SinglePixels:
    width, height = SIZE
    language = registry.get("webfunge")
    program = Program(language, text.encode(), {"size": f"{width}x{height}", "time": 1.5})
    return SinglePixels(program, Limits(STEPS, **limits), seed, None)


def in_flocks(single: SinglePixels, places: list[tuple[int, int]] = PLACES) -> dict[int, Pixel]:
    flocks = Flocks(single, places)
    found: dict[int, Pixel] = {}
    for end in flocks.ended():
        for at, colour in zip(end.pixels, end.colours, strict=True):
            assert at not in found
            found[at] = Pixel(colour, end.steps, end.limited, end.fault)
    assert sorted([*found, *flocks.left]) == list(range(len(places)))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_pixel_ends_as_it_does_alone(name: str) -> None:
    single = single_pixels(PROGRAMS[name], seed=3)
    found = in_flocks(single)
    assert len(found) > len(PLACES) // 2
    assert found == {at: single.run(*PLACES[at]) for at in found}


SHADES = """
    0y 1y 2y/ 3y/ 4y 1 2 9 3/ + - * / % n ! ` : \\ $ t A C E F I J L M P Q S W 0. 0& 1. 1&
    k1 kn 3k+ 5`k2 !k: #9 #@_ `#@_ l R q 'V( ) 3A 2D 3N 2K
"""
"""What programs consist of that do much the same in every pixel."""
straight = st.lists(st.sampled_from(SHADES.split()), max_size=40).map("".join)


@given(
    st.one_of(straight.map("{}@".format), soups("webfunge").map(bytes.decode)), st.integers(0, 9)
)
@settings(max_examples=settings.default.max_examples // 2)
def test_pixels_of_any_program_end_as_they_do_alone(text: str, seed: int) -> None:
    single = single_pixels(text, seed)
    found = in_flocks(single, PLACES[::5])
    assert found == {at: single.run(*PLACES[::5][at]) for at in found}


def test_pixels_that_all_go_their_own_ways_are_left_alone() -> None:
    assert not in_flocks(single_pixels("0y1yc*+1x"))
    wild = Flocks(single_pixels("7"), PLACES)
    wild._tries = 10
    assert not list(wild.ended()) and len(wild.left) == len(PLACES)


def test_what_is_never_asked_for_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def values(self: Many) -> Any:
        raise AssertionError("somebody asked")

    monkeypatch.setattr(Many, "values", values)
    found = in_flocks(single_pixels(PROGRAMS["what was computed is never asked for"]))
    assert {pixel.colour for pixel in found.values()} == {b"\0\0\0"}


def test_painters_draw_what_lanes_cannot_in_flocks(monkeypatch: pytest.MonkeyPatch) -> None:
    single = single_pixels("0y5`#@_7777777")
    painter = Painter(single.program, Limits(STEPS), quick=True)
    monkeypatch.setattr(painter, "_made", lambda careful: None)
    wanted = [single.run(*place) for place in PLACES]
    monkeypatch.setattr(SinglePixels, "run", None)  # nobody needs it
    assert painter.paint() == b"".join(pixel.colour for pixel in wanted)
    tally = painter.take_tally()
    faulted = sum(pixel.fault is not None for pixel in wanted)
    assert 0 < faulted < len(PLACES)
    assert (tally.pixels, tally.faulted, len(tally.faults)) == (len(PLACES), faulted, 1)
    assert list(painter.heat().steps) == [pixel.steps for pixel in wanted]


def test_runs_without_end_are_not_for_flocks(monkeypatch: pytest.MonkeyPatch) -> None:
    painter = Painter(single_pixels("1@").program, Limits(None), quick=True)
    monkeypatch.setattr(flock, "Flocks", None)
    monkeypatch.setattr(painter, "_made", lambda careful: None)
    assert len(painter.paint()) == 3 * len(PLACES)


def test_logs_that_are_too_long_for_memory_are_left_to_single_pixels(monkeypatch) -> None:
    monkeypatch.setattr(flock, "NOTED", 100)
    assert not in_flocks(single_pixels("q"))


def test_chance_that_is_counted_is_not_for_flocks() -> None:
    with pytest.raises(Unfit):
        Flocks(single_pixels("1"), PLACES)._machine.below(3)


@pytest.mark.parametrize("change", ["names", "numbers", "hand"])
def test_what_flocks_do_not_know_is_not_for_them(change: str, monkeypatch) -> None:
    """Languages of others may name registers, count in whole numbers, or have hands."""
    single = single_pixels("1")
    start = single.start

    def changed(*given: Any) -> Any:
        state = start(*given)
        if change == "names":
            state.registers = dict(enumerate(state.registers))
        elif change == "numbers":
            state.stack = [1, 2]
        else:
            state.walkers = [walker._replace(hand=(0, 0)) for walker in state.walkers]
        return state

    Flocks(single, PLACES)
    monkeypatch.setattr(single, "start", changed)
    with pytest.raises(Unfit):
        Flocks(single, PLACES)
