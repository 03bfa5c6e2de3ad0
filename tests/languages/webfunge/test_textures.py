"""The letter `T`: textures come as pixels, which a case file cannot give."""

import math
from array import array
from fractions import Fraction
from typing import Any

import pytest

import planewalk

# Two by two: red, green above blue, white. One by four: shades of grey.
CHECKS = (2, 2, bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]))
GREYS = (1, 4, bytes([0] * 3 + [51] * 3 + [102] * 3 + [255] * 3))

RED, GREEN, BLUE, WHITE = [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]
START = [0, 0, 64, 36, 0]


def run(program: str, *textures: Any, max_steps: int | None = None) -> planewalk.Run:
    return planewalk.run(source=program, language="webfunge", texture=textures, max_steps=max_steps)


def pushed(program: str, *textures: Any) -> list[Any]:
    shown: list[Any] = run(program, *textures).show()["stack"]
    assert shown[:5] == START
    return shown[5:]


PUSHED: dict[str, tuple[list[str], Any]] = {
    "the top left is the first pixel": (["0 0 0T@"], RED),
    "u goes right": (["34/ 0 0T@"], GREEN),
    "v goes down, and a half is the beginning of the second pixel": (["0 12/ 0T@"], BLUE),
    "both": (["34/ 34/ 0T@"], WHITE),
    "textures repeat, also on the negative side": (
        ["1 0 0T@", "5n 3 0T@", "2 9n 0T@", "54/ 34/n 0T@"], RED
    ),
    "-1e-20 wraps to 1 in rounding, which would be one pixel too far": (
        ["1n aaa+W / 0 0T@"], GREEN
    ),
    "bytes are divided by 255 and rounded to float32": (
        ["0 14/ 1T@"], pytest.approx([0.2] * 3)
    ),
    "up to 1": (["0 34/ 1T@"], WHITE),
    "any semantics or none may be loaded": (["'V( 000T@", ") 000T@"], RED),
    "where there is no place the first pixel counts": (["00/ 10/ 0T@"], RED),
}  # fmt: skip


@pytest.mark.parametrize(("programs", "colour"), PUSHED.values(), ids=PUSHED)
def test_what_is_pushed(programs: list[str], colour: list[float]) -> None:
    for program in programs:
        assert pushed(program, CHECKS, GREYS) == colour


def test_grey_is_shown_as_it_is() -> None:
    assert run("0 12/ 1T@", CHECKS, GREYS).show()["rgb"] == [102, 102, 102]


@pytest.mark.parametrize("i", ["2", "1n", "12/", "00/"])
def test_an_unknown_texture_pops_its_operands_and_reflects(i: str) -> None:
    program = f"12{i}T"
    result = run(program, CHECKS, GREYS, max_steps=len(program))
    assert result.show()["delta"] == [-1, 0]
    assert result.show()["stack"] == START


def test_without_textures_it_reflects_and_pops_nothing() -> None:
    result = run("#@12T")
    assert result.show()["stack"] == [*START, 1, 2, 2, 1]
    assert result.show()["delta"] == [-1, 0]


def test_missing_operands_are_zero() -> None:
    result = run("$$$$$T@", CHECKS)
    assert result.show()["stack"] == RED


TINY = 2.0**-149
SHARES = [
    0.0, -0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 0.19999999, 0.59999996, 0.99999994, -0.2, -0.8, -0.99999994,
    -1e-20, -TINY, TINY, 7.4, -7.4, 8388607.5, -8388607.5, 2.0**24, -(2.0**31), 2.0**63 + 2.0**40,
    1e30, -1e38, math.inf, -math.inf, math.nan,
]  # fmt: skip


@pytest.mark.parametrize("share", SHARES)
def test_the_nearest_pixel(share: float) -> None:
    """By the formula itself, with exact fractions; behind another texture, of five pixels."""
    (share,) = array("f", [share])
    place = 0
    if math.isfinite(share):
        place = min(int(float(Fraction(share) - math.floor(share)) * 5), 4)
    wide = (5, 1, bytes(range(15)))
    high = (1, 5, bytes(range(15)))
    for texture, program in ((wide, "4y01T@"), (high, "04y1T@")):
        options: Any = {"texture": (CHECKS, texture), "time": share}
        state = planewalk.run(source=program, language="webfunge", **options).state
        expected = array("f", [(3 * place + channel) / 255 for channel in range(3)])
        assert state.stack[-3:] == expected, program


@pytest.mark.parametrize("texture", [(2, 2, b"123"), (0, 1, b""), (1, -1, b"")])
def test_a_texture_needs_all_its_pixels(texture: Any) -> None:
    with pytest.raises(planewalk.OptionError):
        run("@", texture)
