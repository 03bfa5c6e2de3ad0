"""Pictures: every pixel runs the program for itself."""

from pathlib import Path

import pytest

import planewalk
from planewalk.core.limits import Limits
from planewalk.engines.picture import render_rows


def picture(
    program: str, size: tuple[int, int], time: float = 0, steps: int = 10_000
) -> list[bytes]:
    loaded = planewalk.load(source=program, language="webfunge", size=size, time=time)
    return list(render_rows(loaded, Limits(steps=steps)))


def test_rows_go_down_and_pixels_go_right() -> None:
    """Red is x, green is y, in steps of one: 0 and 1 are dark and bright."""
    rows = picture("0y1y0@", (2, 2))
    assert rows == [bytes([0, 0, 0, 255, 0, 0]), bytes([0, 255, 0, 255, 255, 0])]


def test_time_reaches_every_pixel() -> None:
    assert picture("4y::@", (2, 1), time=0.5) == [bytes([127] * 6)]


def test_registers_start_at_zero_for_every_pixel() -> None:
    """A counter in a register would brighten from pixel to pixel if it were kept."""
    rows = picture("0&14/+:0.::@", (4, 2))
    assert set(b"".join(rows)) == {63}


def test_faults_are_black_and_limits_are_coloured() -> None:
    """The left pixel overflows its stack, the right one goes round for ever on white."""
    assert picture("0y!aaa***k1 111>r<", (2, 1)) == [bytes([0] * 3 + [255] * 3)]


def test_a_picture_is_its_pixels() -> None:
    """Chance included: a pixel drawn alone has the colour it has in the picture."""
    program, size = "RRR@", (5, 3)
    rows = picture(program, size)
    for y in range(size[1]):
        for x in range(size[0]):
            pixel = planewalk.run(source=program, language="webfunge", size=size, pixel=(x, y))
            assert list(rows[y][3 * x : 3 * x + 3]) == pixel.show()["rgb"]
    assert len({row[i : i + 3] for row in rows for i in range(0, 15, 3)}) > 10


def test_the_log_changes_nothing() -> None:
    assert picture("1,q12/::@", (3, 1)) == picture("12/::@", (3, 1))


@pytest.mark.parametrize("pixel", ["3,0", "0,2"])
def test_pixels_outside_are_refused(pixel: str) -> None:
    with pytest.raises(planewalk.OptionError, match="outside"):
        planewalk.run(source="@", language="webfunge", size=(3, 2), pixel=pixel)


def test_a_picture_of_one_file(tmp_path: Path) -> None:
    file = tmp_path / "half.wf"
    file.write_text("12/::@\n")
    loaded = planewalk.load(file, size=(1, 1))
    assert list(render_rows(loaded, Limits(steps=10))) == [bytes([127] * 3)]
