"""Panels: nothing is cut off, nothing jumps, and what has no room is counted."""

import re

import pytest

import planewalk
from planewalk.core.language import Language
from planewalk.languages import registry
from planewalk.view.drawing.heat import PAPER
from planewalk.view.scene.captions import HEIGHT, captions
from planewalk.view.scene.captions import told as told_times
from planewalk.view.scene.film_layout import ADVANCE, LABEL, LETTER, LINE, MARGIN
from planewalk.view.scene.panels import MOST_OUTPUT, MOST_ROWS, PanelText, broken, number
from planewalk.view.scene.scene import Line, Scene
from tests.view.test_film import LANGUAGES, film

MANY = "9" * 90
"""Mirrorfunge that fills the stack."""


def told(scene: Scene, label: str) -> list[str]:
    """The lines of a panel, those of panels without a label with the one before."""
    found: list[str] = []
    here = ""
    for panel in scene.panels:
        here = panel.label or here
        if here == label:
            found += [line.text for line in panel.lines]
    return found


def test_a_long_stack_is_told_in_several_lines() -> None:
    *_, last = film(f"{MANY[:40]}@", "mirrorfunge", scale=6).scenes()
    assert len(told(last, "stack")) == 2
    assert " ".join(told(last, "stack")).split() == ["9"] * 40


def test_panels_have_as_many_rows_in_all_frames() -> None:
    shown = list(film("12345v\n@,,,,<", "mirrorfunge", scale=6).scenes())
    rows = {tuple((panel.label, len(panel.lines)) for panel in scene.panels) for scene in shown}
    assert len(rows) == 1
    deep = list(film(f"{MANY}@", "mirrorfunge", scale=1).scenes())
    assert {len(told(scene, "stack")) for scene in deep} == {5}
    for pushed, scene in enumerate(deep[:-1]):
        assert " ".join(told(scene, "stack")).split() == ["9"] * pushed


def test_of_a_stack_without_room_the_top_is_shown_and_the_rest_counted() -> None:
    *_, last = film("1" * 1000 + "@", "mirrorfunge", every=500, crop=(0, 0, 9, 1)).scenes()
    first, *rest = told(last, "stack")
    assert len(rest) + 1 == MOST_ROWS
    more = int(re.fullmatch(r"… ([\d,]+) more", first)[1].replace(",", ""))  # type: ignore[index]
    assert more + len(" ".join(rest).split()) == 1000


def test_output_is_broken_and_its_end_is_shown() -> None:
    source = '"' + "abcdefghij" * 9 + '"' + "," * 90 + "@"
    *_, last = film(source, "mirrorfunge", every=50, scale=1).scenes()
    room = max(map(len, told(last, "output")))
    assert len(told(last, "output")) > 2
    assert all(len(row) == room for row in told(last, "output")[:-1])
    assert "".join(told(last, "output")) == "jihgfedcba" * 9


@pytest.mark.parametrize("lines", [40, 1500])
def test_long_output_scrolls(lines: int) -> None:
    source = "5.a," * lines + "7.@"
    *_, last = film(source, "mirrorfunge", steps=(0, None), every=1000, scale=1).scenes()
    first, *rest = told(last, "output")
    assert rest == ["5"] * (MOST_OUTPUT - 2) + ["7"]
    assert first == f"… {lines + 1 - len(rest):,} more"


def test_webfunge_shows_registers_for_as_long_as_the_film() -> None:
    source = "34/2.123413o02.@"  # registers 2 and 1, then 2 is 0 again
    shown = list(film(source, "webfunge").scenes())
    before, after = told(shown[5], "registers"), told(shown[-1], "registers")
    assert before == ["1: 0", "2: 0.75"]
    assert after == ["1: 2 3 4", "2: 0"]
    for scene in film("12+@", "webfunge").scenes():
        assert not told(scene, "registers")


def test_registers_of_any_language_are_told_by_name() -> None:
    language: Language = registry.get("mirrorfunge")
    state = language.start(b"@", {}, 0)
    state.registers = {"x": 3, "y": 0}
    assert language.looks.registers(state) == {"x": (3,), "y": (0,)}
    bmprog = registry.get("bmprog")
    source, _ = LANGUAGES["bmprog"]
    begun = bmprog.start(source, bmprog.read_options({}), 0)  # type: ignore[arg-type]
    assert bmprog.looks.registers(begun) == {}


@pytest.mark.parametrize("scale", [1, 6, 28])
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_words_are_inside_the_picture(language: str, scale: int) -> None:
    source, options = LANGUAGES[language]
    picture = planewalk.picture(source=source, language=language, scale=scale, at=2, **options)
    layout = picture.layout
    for words in (*layout.words(picture.scene), *layout.rulers()):
        width, height = words.box
        left = words.x - words.right * width * len(words.text)
        assert left >= 0 and left + width * len(words.text) <= layout.width
        assert words.y - height // 2 >= 0 and words.y + height // 2 <= layout.height


def test_text_panels_are_broken_at_their_own_width() -> None:
    picture = planewalk.picture(source=f"{MANY[:60]}@", language="mirrorfunge", at=60, scale=1)
    lines = picture.text().splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("stack"))
    values = " ".join(line[LABEL:] for line in lines[begin:]).split()
    assert values[:60] == ["9"] * 60
    assert max(map(len, lines)) <= 60 + LABEL


@pytest.mark.parametrize("room", [10, 13, 40])
def test_lines_are_broken_between_words(room: int) -> None:
    text = "one two three four five six seven eight nine ten"
    rows = broken(PanelText("stack", (Line(text, walker=1),)), room)
    assert " ".join(row.text for row in rows) == text
    assert all(len(row.text) <= room - 2 for row in rows)
    assert [row.walker for row in rows] == [1] + [None] * (len(rows) - 1)
    whole = broken(PanelText("output", (Line("x" * 45),), exact=True), room)
    assert "".join(row.text for row in whole) == "x" * 45


def test_numbers_take_little_room() -> None:
    assert number(10**29) == "1" + "0" * 29
    assert number(10**300) == "100000000000…000000000000"
    assert number(0.1) == "0.1"


def test_panels_end_above_the_edge() -> None:
    picture = planewalk.picture(source="12@", language="mirrorfunge", at=2)
    *_, last = picture.layout.words(picture.scene)
    assert 0 <= picture.layout.height - (last.y + LETTER // 2) <= MARGIN + LINE
    assert last.x == ADVANCE * LABEL + MARGIN


@pytest.mark.parametrize(("times", "words"), [
    ([0.0, 1.0, 2.0], ["0 s", "1 s", "2 s"]), ([0.5, 1.0], ["0.5 s", "1.0 s"]),
    ([0.0, 5.96 / 3, 5.96], ["0.00 s", "1.99 s", "5.96 s"]),
    ([1.0, 1.001, 1.0021], ["1.000 s", "1.001 s", "1.002 s"]), ([3.0, 3.0], ["3 s", "3 s"]),
])  # fmt: skip
def test_times_have_the_decimals_that_tell_them_apart(times: list[float], words: list[str]) -> None:
    assert told_times(times) == words


@pytest.mark.parametrize(("width", "written"), [(160, True), (40, True), (20, True), (3, False)])
def test_a_strip_is_as_wide_as_its_picture(width: int, written: bool) -> None:
    first, second = captions([0.25, 1.75], width)
    assert len(first) == len(second) == 3 * width * HEIGHT
    assert (first != bytes(PAPER) * (width * HEIGHT)) == written and (first != second) == written
