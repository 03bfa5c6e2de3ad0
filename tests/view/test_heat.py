"""Heat: colours by steps, and legends."""

from array import array
from typing import Any

import pytest

import planewalk
from planewalk.apps.pictures.picture_scene import make_scene, with_scale
from planewalk.core.limits import Limits
from planewalk.view.drawing import heat


def light(colour: bytes) -> float:
    red, green, blue = colour
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_more_steps_are_lighter() -> None:
    """Lightness alone tells them apart, whatever hues one can see."""
    pixels = heat.paint_steps(array("L", range(0, 101, 5)), 100)
    lights = [light(pixels[at : at + 3]) for at in range(0, len(pixels), 3)]
    assert lights == sorted(lights) and len(set(lights)) == len(lights)
    assert lights[-1] - lights[0] > 150


def test_the_ends_of_the_ladder() -> None:
    assert heat.paint_steps(array("L", [0, 7, 8, 99]), 8)[:3] == bytes(heat.LADDER[0])
    assert heat.paint_steps(array("L", [8, 99]), 8) == bytes(heat.LADDER[-1]) * 2


def test_pixels_at_the_limit_stand_out() -> None:
    pixels = heat.paint_limited(bytes([0, 1, 0]))
    assert pixels == bytes(heat.ENDED + heat.LIMITED + heat.ENDED)
    assert light(bytes(heat.LIMITED)) > 3 * light(bytes(heat.ENDED))


@pytest.mark.parametrize("width", [1, 2, 20, 64, 300, 2000])
@pytest.mark.parametrize("scale", [1, 3, 17, 10_000, 123_456_789])
def test_legends_fit_every_width(width: int, scale: int) -> None:
    for more in (False, True):
        strip = heat.steps_legend(width, scale, more=more)
        assert len(strip) == 3 * width * heat.LEGEND
    assert len(heat.limit_legend(width, scale)) == 3 * width * heat.LEGEND


def test_legends_say_their_numbers() -> None:
    """Other numbers, other pixels; below the bar, where the numbers stand."""
    one, other = (heat.steps_legend(300, scale, more=False) for scale in (1000, 2000))
    bar = 3 * 300 * (4 + heat.BAR)
    assert one[:bar] == other[:bar] and one[bar:] != other[bar:]
    assert heat.limit_legend(300, 10) != heat.limit_legend(300, 20)


def test_round_numbers_for_the_legend() -> None:
    wanted = {1: 1, 4: 1, 9: 2, 40: 10, 99: 20, 100: 20, 2814: 500, 10_000: 2000}
    assert {scale: heat._round_step(scale) for scale in wanted} == wanted


def test_the_scale_is_that_of_the_whole_picture() -> None:
    """However it is drawn in pieces: the longest pixel may be in any of them."""

    class Pieces:
        piece_size = 4

        def each(self, work: Any, scene: Any, pieces: Any) -> Any:
            return iter([3, 9, 5][: len(list(pieces))])

        def close(self) -> None: ...

    program = planewalk.load(source="@", language="webfunge", size=(4, 3))
    scene = make_scene(program, Limits(10), None, heat="steps")
    assert with_scale(scene, Pieces(), 0.0).hottest == 9
