"""What a run stops at."""

import pytest

from planewalk.core.barriers import Barriers, Landing
from planewalk.core.geometry import DOWN, RIGHT, Stance

HERE = Stance(3, 4, *RIGHT, "string")


@pytest.mark.parametrize(
    ("landing", "caught"),
    [
        (Landing(3, 4), True),
        (Landing(3, 5), False),
        (Landing(2, 4), False),
        (Landing(3, 4, RIGHT), True),
        (Landing(3, 4, DOWN), False),
        (Landing(3, 4, mode="string"), True),
        (Landing(3, 4, mode=None), False),
        (Landing(3, 4, RIGHT, None), False),
    ],
)
def test_a_landing_may_be_of_one_heading_or_mode_alone(landing: Landing, caught: bool) -> None:
    assert landing.catches(HERE) is caught
    assert Barriers(frozenset({landing, Landing(9, 9)})).catch(HERE) is caught
