"""Numbers of columns and rows, and lines between cells: where there is room, and on request."""

from itertools import pairwise
from typing import Any

import pytest

import planewalk
from planewalk.apps.films import Moment
from planewalk.view.scene.film_layout import GRID_ROOM, READABLE, RULER, TextLine, digits, marks

WIDE = "." * 40 + "\n" + "\n".join("." for _ in range(24))


def draw(scale: int, **more: Any) -> Moment:
    return planewalk.picture(source=WIDE, language="mirrorfunge", scale=scale, trail=0, **more)


def numbers(picture: Moment) -> list[TextLine]:
    return list(picture.layout.rulers())


@pytest.mark.parametrize("scale", [READABLE, 8, 13, 20, 28, 50])
def test_numbers_stand_beside_their_columns_and_rows(scale: int) -> None:
    picture = draw(scale)
    layout, letter = picture.layout, RULER[0]
    above = [words for words in numbers(picture) if not words.right]
    beside = [words for words in numbers(picture) if words.right]
    assert above and beside
    for words in above:
        middle = words.x + letter * len(words.text) / 2
        assert abs(layout.corner(int(words.text), 0)[0] + scale / 2 - middle) <= 1
        assert words.y + RULER[1] // 2 <= layout.top
    for words in beside:
        assert abs(layout.corner(0, int(words.text))[1] + scale / 2 - words.y) <= 1
        assert words.x <= layout.left
        assert words.x - letter * len(words.text) >= 0
    ends = [words.x + letter * len(words.text) for words in above]
    assert all(end < words.x for end, words in zip(ends, above[1:], strict=False))
    assert all(a.y + RULER[1] <= b.y for a, b in pairwise(beside))


def test_numbers_are_there_by_default_where_there_are_letters() -> None:
    assert numbers(draw(READABLE)) and not numbers(draw(READABLE - 1))
    assert numbers(draw(1, coordinates=True)) and not numbers(draw(28, coordinates=False))


@pytest.mark.parametrize("place", [(-(10**12), 7), (-3, -120), (10**9, 10**6)])
def test_far_places_have_their_numbers(place: tuple[int, int]) -> None:
    picture = planewalk.picture(source="$@%#", language="gemooy", crop=(*place, 12, 9))
    shown = {int(words.text) for words in numbers(picture)}
    assert {place[0], place[1]} & shown
    for words in numbers(picture):
        left = words.x - words.right * RULER[0] * len(words.text)
        assert left >= 0 and left + RULER[0] * len(words.text) <= picture.layout.width


def test_numbers_keep_their_distance() -> None:
    assert list(marks(0, 9, 28, 12)) == list(range(10))
    assert list(marks(0, 29, 8, 18)) == list(range(0, 30, 5))
    assert list(marks(-7, 7, 8, 18)) == [-5, 0, 5]
    assert list(marks(3, 250, 1, 24)) == [50, 100, 150, 200, 250]
    assert digits(-10, 5) == 3


def test_lines_are_there_by_default_where_there_is_room() -> None:
    assert draw(GRID_ROOM).layout.grid and not draw(GRID_ROOM - 1).layout.grid
    assert draw(4, grid=True).layout.grid and not draw(40, grid=False).layout.grid
    assert list(draw(40, grid=False).layout.lines_between()) == []


@pytest.mark.parametrize("scale", [4, 10, 28])
def test_lines_lie_between_all_cells(scale: int) -> None:
    with_lines, without = draw(scale, grid=True), draw(scale, grid=False)
    drawn, plain = with_lines.image(), without.image()
    left, top = with_lines.layout.corner(0, 0)
    for x in range(40):
        for y in range(25):
            across, down = left + x * scale, top + y * scale
            changed = drawn.getpixel((across, down)) != plain.getpixel((across, down))
            assert changed == (x > 0 or y > 0) or (x, y) == (0, 0)
            inside = (across + 1, down + 1)
            assert drawn.getpixel(inside) == plain.getpixel(inside)
    assert with_lines.svg().count('opacity="0.4"') == 1 > without.svg().count('opacity="0.4"')


def test_films_have_them_too() -> None:
    film = planewalk.film(source="1@", language="mirrorfunge", coordinates=True, grid=True, scale=8)
    plain = planewalk.film(
        source="1@", language="mirrorfunge", coordinates=False, grid=False, scale=8
    )
    assert film.layout.height > plain.layout.height
    assert film.svg() != plain.svg()
