"""Times below the pictures of a contact sheet."""

import pytest

from planewalk.view.drawing.heat import PAPER
from planewalk.view.scene.captions import HEIGHT, captions, told


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ([0.0, 1.0, 2.0], ["0 s", "1 s", "2 s"]),
        ([0.5, 1.0], ["0.5 s", "1.0 s"]),
        ([0.0, 5.96 / 3, 5.96], ["0.00 s", "1.99 s", "5.96 s"]),
        ([1.0, 1.001, 1.0021], ["1.000 s", "1.001 s", "1.002 s"]),
        ([3.0, 3.0], ["3 s", "3 s"]),
    ],
)
def test_times_have_the_decimals_that_tell_them_apart(times: list[float], words: list[str]) -> None:
    assert told(times) == words


@pytest.mark.parametrize(("width", "written"), [(160, True), (40, True), (20, True), (3, False)])
def test_a_strip_is_as_wide_as_its_picture(width: int, written: bool) -> None:
    first, second = captions([0.25, 1.75], width)
    assert len(first) == len(second) == 3 * width * HEIGHT
    assert (first != bytes(PAPER) * (width * HEIGHT)) == written and (first != second) == written
