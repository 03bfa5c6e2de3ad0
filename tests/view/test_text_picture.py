"""Pictures of letters: walkers and hands are seen on any cell, with colours and without."""

import re
from itertools import pairwise

import pytest

import planewalk
from planewalk.core.errors import OptionError
from planewalk.core.instruction import Group
from planewalk.view.drawing.theme import THEMES, Colour
from planewalk.view.scene.scene import Hand, Look, Mark, Scene
from planewalk.view.scene.text_painter import TextPainter
from tests.view.test_film import LANGUAGES

BOX = (-1, 5, 2, 6)
LETTER, BLANK, BYTE = Look("a", Group.MOTION), Look("", Group.NOTHING), Look("07", Group.NOTHING)
ROWS = ((LETTER, BLANK, BYTE, BLANK), (BLANK, LETTER, LETTER, LETTER))
PLACES = [(x, y) for y in (5, 6) for x in range(-1, 3)]


def scene(marks: tuple[Mark, ...] = (), hands: tuple[Hand, ...] = ()) -> Scene:
    return Scene("title", "step 1", BOX, ROWS, marks=marks, hands=hands)


def plain(shown: Scene, coordinates: bool | None = None) -> list[str]:
    return list(TextPainter(shown, None, coordinates).lines(shown))[1:]


def test_without_anybody_there_are_only_cells() -> None:
    assert plain(scene()) == ["   0", "5│a ▫", "6│ aaa"]
    assert plain(scene(), False) == ["│a ▫", "│ aaa"]


@pytest.mark.parametrize("place", PLACES)
def test_a_walker_is_seen_on_any_cell(place: tuple[int, int]) -> None:
    x, y = place
    shown = plain(scene((Mark(x, y, 0, -1, 0),)))
    row = next(at for at, line in enumerate(shown) if line.startswith(f"{y}│"))
    assert shown[row + 1] == " " * (2 + x + 1) + "↑"
    assert [line for line in shown if "│" in line] == plain(scene())[1:]


@pytest.mark.parametrize("place", PLACES)
def test_walker_and_hand_are_seen_on_one_cell(place: tuple[int, int]) -> None:
    x, y = place
    for coordinates in (True, False):
        shown = plain(scene((Mark(x, y, 1, 0, 0),), (Hand(x, y, 0),)), coordinates)
        indent = " " * (1 + coordinates + x + 1)
        assert (f"{indent}→", f"{indent}^") in pairwise(shown)


def test_all_walkers_and_hands_of_a_row_are_seen() -> None:
    marks = (Mark(-1, 6, 0, 0, 0), Mark(1, 6, -1, 1, 1))
    shown = plain(scene(marks, (Hand(0, 6, 0), Hand(2, 5, 1))))
    assert shown[1:] == ["5│a ▫", "     ^", "6│ aaa", "  ◆ ↙", "   ^"]


def grounds(shown: Scene) -> dict[tuple[int, int], tuple[Colour, bool]]:
    """What each cell stands on in a picture with colours, and whether it is underlined."""
    found = {}
    lines = list(TextPainter(shown, THEMES["light"], False).lines(shown))[1:]
    for y, line in enumerate(lines, BOX[1]):
        x = BOX[0]
        for codes, text in re.findall(r"\x1b\[([\d;]+)m([^\x1b]*)", line):
            numbers = codes.split(";")
            for _ in text:
                red, green, blue = map(int, numbers[-3:])
                found[x, y] = ((red, green, blue), "4" in numbers[:3])
                x += 1
    return found


@pytest.mark.parametrize("place", PLACES)
def test_with_colours_they_have_grounds_of_their_own(place: tuple[int, int]) -> None:
    x, y = place
    empty = grounds(scene())
    walker = grounds(scene((Mark(x, y, 1, 0, 0),)))
    hand = grounds(scene((), (Hand(x, y, 0),)))
    both = grounds(scene((Mark(x, y, 1, 0, 0),), (Hand(x, y, 0),)))
    looks = [seen.get(place) for seen in (empty, walker, hand, both)]
    assert len({*looks}) == 4
    assert walker[place] == (THEMES["light"].walker(0), False)
    assert both[place] == (THEMES["light"].walker(0), True)


def test_numbers_stand_above_their_columns() -> None:
    picture = planewalk.picture(source="." * 30, language="mirrorfunge", panels=False)
    _, ruler, row, *_ = picture.text().splitlines()
    for number in range(0, 30, 5):
        assert ruler[row.index("│") + 1 + number :].startswith(str(number))


def test_wide_planes_have_numbers_only_on_request() -> None:
    source = "." * 100
    wide = planewalk.picture(source=source, language="mirrorfunge").text()
    assert f"│{source}\n" in wide and "0│" not in wide
    asked = planewalk.picture(source=source, language="mirrorfunge", coordinates=True).text()
    assert f"0│{source}\n" in asked
    refused = planewalk.picture(source="..", language="mirrorfunge", coordinates=False).text()
    assert "\n│..\n" in refused


def test_there_are_no_lines_between_letters() -> None:
    with pytest.raises(OptionError, match="no lines between letters"):
        planewalk.picture(source="@", language="mirrorfunge", grid=True).text()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_words_can_be_read(language: str, theme: str) -> None:
    source, options = LANGUAGES[language]
    picture = planewalk.picture(source=source, language=language, theme=theme, at=1, **options)
    lines = picture.text(colour=True).splitlines()
    for line in (lines[0], *lines[-len(picture.scene.panels) :]):
        for codes, text in re.findall(r"\x1b\[([\d;]+)m([^\x1b]+)", line):
            numbers = [int(code) for code in codes.split(";")]
            ink, ground = numbers[-8:-5], numbers[-3:]
            assert not text.strip() or sum(map(abs, map(int.__sub__, ink, ground))) > 200, text
