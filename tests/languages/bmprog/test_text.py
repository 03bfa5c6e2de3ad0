"""Text boards: letters to pictures and back."""

from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planewalk.core.errors import SourceError
from planewalk.core.images.reading import BYTES_PER_PIXEL
from planewalk.examples import Example, gallery
from planewalk.languages.bmprog.picture import read_picture
from planewalk.languages.bmprog.rules import CONVERSIONS, LANGUAGE
from planewalk.languages.bmprog.text import FORMATS, picture_to_text, text_to_picture

SUFFIXES = [".png", ".bmp", ".gif"]


def cells(text: bytes, suffix: str = ".png") -> list[bytes]:
    """The rows of cells that the board has once it is a picture."""
    board, notes = read_picture(text_to_picture(text, suffix))
    assert notes == ()
    return [board.data[y * board.width : (y + 1) * board.width] for y in range(board.height)]


def error(text: bytes) -> SourceError:
    with pytest.raises(SourceError) as caught:
        text_to_picture(text, ".png")
    return caught.value


def boards(widest: int = 12, tallest: int = 12) -> st.SearchStrategy[bytes]:
    """Boards in the spelling that pictures are turned into."""
    return st.integers(1, widest).flatmap(
        lambda width: st.lists(
            st.text("^<>v*#.:?", min_size=width, max_size=width), min_size=1, max_size=tallest
        ).map(lambda rows: "".join(row + "\n" for row in rows).encode())
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=settings.default.max_examples // 2)
@given(board=boards())
def test_there_and_back(suffix: str, board: bytes) -> None:
    assert picture_to_text(text_to_picture(board, suffix), suffix) == board


@settings(max_examples=100, deadline=None)
@given(text=st.text("^<>v*#.:? \r\n\tVxé", max_size=60).map(str.encode))
def test_any_text_is_a_board_or_an_error_with_a_place(text: bytes) -> None:
    try:
        rows = cells(text)
    except SourceError as wrong:
        assert wrong.place is not None or "empty" in str(wrong)
    else:
        assert len({len(row) for row in rows}) == 1


@settings(max_examples=100, deadline=None)
@given(source=st.binary(max_size=40))
def test_any_bytes_are_a_board_or_an_error(source: bytes) -> None:
    try:
        text_to_picture(source, ".gif")
    except SourceError as wrong:
        assert len(str(wrong)) > 10


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_letter(suffix: str) -> None:
    assert cells(b"^<>v\n*#:.\n?...", suffix) == [b"^<>v", b"*#:.", b"?..."]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_one_cell(suffix: str) -> None:
    for letter in "^<>v*#:.?":
        assert cells(letter.encode(), suffix) == [letter.encode()]


BOARDS: dict[str, tuple[bytes, list[bytes]]] = {
    "blanks are empty cells": (b" v \n  #\n", [b".v.", b"..#"]),
    "short lines are filled up": (b"v\n\n>.^\n#", [b"v..", b"...", b">.^", b"#.."]),
    "blanks at the end of a line count for the width": (b"v  \n>\n", [b"v..", b">.."]),
    "blank lines at the end do not count": (b"v\n>\n\n   \n\n", [b"v", b">"]),
    "blank lines at the top are rows": (b"\n\nv\n", [b".", b".", b"v"]),
    "a row of dots at the end is a row": (b"v\n.\n", [b"v", b"."]),
    "line ends of other systems": (b"v.\r\n>.\r\n", [b"v.", b">."]),
    "a byte order mark is no cell": (b"\xef\xbb\xbfv.", [b"v."]),
}


@pytest.mark.parametrize(("text", "rows"), BOARDS.values(), ids=BOARDS)
def test_how_letters_become_rows(text: bytes, rows: list[bytes]) -> None:
    assert cells(text) == rows


@pytest.mark.parametrize("text", [b"", b"\n", b"\r\n\r\n", b"   ", b"  \n \n", b"\xef\xbb\xbf"])
def test_empty_boards(text: bytes) -> None:
    assert str(error(text)) == "the board is empty; write at least one cell"


@pytest.mark.parametrize(("text", "letter", "place"), [
    (b"x", "'x'", (0, 0)), (b"v.\n.V\n", "'V'", (1, 1)), (b"...\n\n..\t", r"'\t'", (2, 2)),
    (b"v\r>", r"'\r'", (1, 0)), (b"..\xff", "'\N{REPLACEMENT CHARACTER}'", (2, 0)),
    ("..é".encode(), "'é'", (2, 0)), (b"v\n\t\n", r"'\t'", (0, 1)), (b".\0", r"'\x00'", (1, 0)),
])  # fmt: skip
def test_unknown_letters(text: bytes, letter: str, place: tuple[int, int]) -> None:
    found = error(text)
    assert found.place == place
    assert str(found) == (
        f"{letter} is no cell; use ^ < > v * # : . ? or a blank at ({place[0]}, {place[1]})"
    )


def test_a_ragged_board_that_would_be_too_large() -> None:
    found = error(b"." * 100_000 + b"\n." * 100_000)
    assert str(found) == (
        "a board of 100,000 x 100,001 cells is too large: that takes up to 139.7 GiB, "
        "and 1 GiB is allowed (max_memory=...)"
    )


def test_a_large_board_is_converted() -> None:
    text = (b"..v>" * 250 + b"\n") * 1_000
    assert picture_to_text(text_to_picture(text, ".png"), ".png") == text
    assert BYTES_PER_PIXEL[True] >= 9


def test_what_is_no_picture_has_no_text() -> None:
    with pytest.raises(SourceError):
        picture_to_text(b"v.\n>.\n", ".png")


def test_the_language_offers_both_conversions() -> None:
    there, back = LANGUAGE.sources.conversions
    assert LANGUAGE.sources.conversions == CONVERSIONS
    assert {*FORMATS, ".png"} == set(SUFFIXES)
    for suffix in SUFFIXES:
        picture = there.perform(b"v. \n>", suffix).data
        assert back.perform(picture, ".txt").data == b"v..\n>..\n"


@settings(max_examples=60, deadline=None)
@given(board=boards())
def test_a_board_runs_as_its_picture_does(board: bytes) -> None:
    options = LANGUAGE.read_options({"arg": 5})
    assert LANGUAGE.start(board, options, 0) == LANGUAGE.start(
        text_to_picture(board, ".png"), options, 0
    )


def test_blanks_of_a_board_that_runs_are_empty_cells() -> None:
    state = LANGUAGE.start(b"> v\r\n ^\n\n", LANGUAGE.read_options({}), 0)
    assert (state.plane.width, state.plane.data) == (3, b">.v.^.")


@pytest.mark.parametrize(("text", "meant"), [
    (b"v..>\n", True), (b"v..>\n...q", True), (b"> >\t>", True), (b"", False), (b" \n\n", False),
    (b"Dear all,\nwhat a nice day. vv\n", False), (b'"iH",,@', False), (b"v1.@\n>2.@", False),
])  # fmt: skip
def test_what_is_meant_as_a_board(text: bytes, meant: bool) -> None:
    assert LANGUAGE.sources.recognises is not None
    assert LANGUAGE.sources.recognises(".txt", text) is meant
    assert LANGUAGE.sources.recognises(".dat", text) is False


@pytest.mark.parametrize("example", gallery("bmprog"), ids=lambda example: example.name)
def test_examples_are_their_text_boards(example: Example) -> None:
    folder = files("planewalk.examples") / "bmprog"
    text = (folder / f"{example.name}.txt").read_bytes()
    picture = (folder / f"{example.name}.png").read_bytes()
    assert read_picture(text_to_picture(text, ".png")) == read_picture(picture)
