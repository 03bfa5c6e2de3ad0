"""Letters: every one can be told from every other in every size, and stays in its box."""

from itertools import combinations

import pytest
from PIL import Image

from planewalk.view.drawing.letters import drawing, way
from planewalk.view.scene.film_layout import ADVANCE, LETTER, READABLE, TextLine
from planewalk.view.scene.letter_masks import LetterMasks

PRINTABLE = [chr(code) for code in range(33, 127)]
OTHERS = ["·", "▫", "…", "→", "←", "↑", "↓"]
SIZES = [(side, side) for side in (*range(READABLE, 33), 40, 64, 100)]
BOXES = [*SIZES, (ADVANCE, LETTER)]


def ink(text: str, width: int, height: int) -> int:
    """The pixels that are more ink than not, as the bits of a number."""
    mask = LetterMasks().get(text, width, height)
    return int("".join("1" if value > 127 else "0" for value in mask.tobytes()), 2)


@pytest.mark.exhaustive
@pytest.mark.parametrize("box", BOXES)
def test_all_letters_differ(box: tuple[int, int]) -> None:
    shapes = {letter: ink(letter, *box) for letter in PRINTABLE + OTHERS}
    least = 2 * drawing("A", *box).pen ** 2
    for one, other in combinations(shapes, 2):
        assert (shapes[one] ^ shapes[other]).bit_count() >= least, (one, other)


@pytest.mark.parametrize("box", BOXES)
def test_all_letters_stay_in_their_boxes(box: tuple[int, int]) -> None:
    for letter in [*PRINTABLE, *OTHERS, "é", "Ö", "ž", "\u0001", "日", "😀"]:
        lines, pen = drawing(letter, *box)
        for x, y in (place for line in lines for place in line):
            assert 0 <= x <= box[0] - pen and 0 <= y <= box[1] - pen, letter


def test_large_letters_leave_room_between_them() -> None:
    for side, _ in SIZES:
        for letter in PRINTABLE:
            lines, pen = drawing(letter, side, side)
            assert max(x for line in lines for x, _ in line) + pen < side, (letter, side)


def test_a_letter_is_as_large_as_its_cell_allows() -> None:
    heights = []
    for side, _ in SIZES:
        lines, pen = drawing("H", side, side)
        heights.append(max(y for line in lines for _, y in line) + pen - lines[0][0][1])
    assert heights == sorted(heights)
    assert all(height >= side * 0.6 for height, (side, _) in zip(heights, SIZES, strict=True))


@pytest.mark.exhaustive
@pytest.mark.parametrize("side", [6, 7, 8, 11, 12, 16, 28])
def test_characters_without_strokes_differ_too(side: int) -> None:
    letters = [chr(code) for code in (*range(0x100, 0x600), *range(0x4E00, 0x5300))]
    letters += PRINTABLE if side >= 8 else []
    shapes = {drawing(letter, side, side).lines for letter in letters}
    assert len(shapes) == len(letters)


def test_marks_make_letters() -> None:
    for letter, base in {"é": "e", "ü": "u", "ñ": "n", "Å": "A", "ç": "c", "Ö": "O"}.items():
        both = drawing(letter, 24, 24).lines
        assert len(both) > len(drawing(base, 24, 24).lines), letter
    assert drawing("Ö", 24, 24) != drawing("ö", 24, 24)
    assert drawing("í", 24, 24).lines[-1] != drawing("i", 24, 24).lines[0]  # its dot is gone


def test_codes_are_digits_where_there_is_room() -> None:
    assert drawing("07", 16, 16) == drawing("\u0007", 16, 16)
    assert drawing("日", 16, 16) == drawing("65E5", 16, 16)
    assert drawing("日", 8, 8) != drawing("月", 8, 8)


@pytest.mark.parametrize("text", ["MiM", "|.|", "ée", "日a日"])
def test_text_stands_in_columns(text: str) -> None:
    image = Image.new("L", (60, 30))
    LetterMasks().write(image, TextLine(10, 15, text), 255)  # type: ignore[arg-type]
    for at, letter in enumerate(text):
        left = 10 + at * ADVANCE
        box = image.crop((left, 15 - LETTER // 2, left + ADVANCE, 15 - LETTER // 2 + LETTER))
        assert box.tobytes() == LetterMasks().get(letter, ADVANCE, LETTER).tobytes()


def test_text_can_end_where_it_should() -> None:
    image = Image.new("L", (60, 30))
    LetterMasks().write(image, TextLine(50, 15, "HH", right=True), 255)  # type: ignore[arg-type]
    left, _, right, _ = image.getbbox() or (0, 0, 0, 0)
    assert left >= 50 - 2 * ADVANCE and right <= 50


@pytest.mark.parametrize("side", [6, 8, 14, 24])
def test_strokes_for_svg_are_those_of_pixels(side: int) -> None:
    """The path, followed point by point, comes to where the pen of a mask goes."""
    for letter in PRINTABLE:
        lines, pen = drawing(letter, side, side)
        strokes = way(letter, side, side)
        assert strokes.pen == pen
        assert _walk(strokes.at(100, 200)) == [
            [(100 + x + pen / 2, 200 + y + pen / 2) for x, y in line] for line in lines
        ]


def _walk(path: str) -> list[list[tuple[float, float]]]:
    import re

    lines: list[list[tuple[float, float]]] = []
    x = y = 0.0
    for command, numbers in re.findall(r"([Mmhvl])([^Mmhvl]*)", path):
        values = [float(number) for number in re.findall(r"-?[\d.]+", numbers)]
        dx, dy = {"h": (values[0], 0.0), "v": (0.0, values[0])}.get(
            command, (values[0], values[-1])
        )
        x, y = (dx, dy) if command == "M" else (x + dx, y + dy)
        if (dx, dy) == (0.01, 0.0):
            x = round(x, 1)
        if command in "Mm":
            lines.append([])
        lines[-1].append((x, y))
    return lines
