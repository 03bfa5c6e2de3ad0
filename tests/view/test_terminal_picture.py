"""Pictures in a terminal: blocks, letters and image protocols, taken apart again."""

import base64
import re
from itertools import product

import pytest
from PIL import Image

from planewalk.apps.cli import terminal
from planewalk.view.terminal.images import (
    KITTY_PIECE,
    MANY,
    MILLIONS,
    NONE,
    iterm,
    kitty,
    one_of_256,
    paint_blocks,
    sixel,
)

RED, GREEN, BLUE, WHITE, BLACK = (
    bytes(c) for c in ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0))
)


def test_two_rows_are_one_line_of_half_blocks() -> None:
    lines = list(paint_blocks([RED + GREEN, BLUE + GREEN], MILLIONS))
    assert lines == [
        "\x1b[38;2;255;0;0m\x1b[48;2;0;0;255m▀\x1b[38;2;0;255;0m\x1b[48;2;0;255;0m▀\x1b[0m"
    ]


def test_colours_are_said_when_they_change_and_an_odd_row_has_nothing_below() -> None:
    lines = list(paint_blocks([RED + RED, RED + RED, BLUE + BLUE], MILLIONS))
    assert lines[0] == "\x1b[38;2;255;0;0m\x1b[48;2;255;0;0m▀▀\x1b[0m"
    assert lines[1] == "\x1b[38;2;0;0;255m▀▀\x1b[0m"


def test_256_colours() -> None:
    assert [one_of_256(*c) for c in (BLACK, WHITE, RED, GREEN, BLUE)] == [16, 231, 196, 46, 21]
    assert one_of_256(128, 128, 128) == 244 and one_of_256(95, 135, 175) == 67
    assert list(paint_blocks([RED, BLUE], MANY)) == ["\x1b[38;5;196m\x1b[48;5;21m▀\x1b[0m"]


def test_colours_between_the_256_are_woven() -> None:
    """Red lies half way between two levels, so half of the pixels have each."""
    rows = [bytes([115, 0, 0]) * 4] * 4
    seen = re.findall(r"\x1b\[[34]8;5;(\d+)m|▀", "".join(paint_blocks(rows, MANY)))
    assert set(seen) - {""} == {"52", "88"}
    numbers = [one_of_256(115, 0, 0, part) for part in range(16)]
    assert numbers.count(52) == numbers.count(88) == 8


def test_letters_where_there_are_no_colours() -> None:
    assert list(paint_blocks([BLACK + WHITE, BLACK + WHITE, WHITE + BLACK], NONE)) == [" @", "@ "]


@pytest.mark.parametrize("length", [1, 3 * KITTY_PIECE // 4, 3 * KITTY_PIECE // 4 + 1, 9999])
def test_kitty_gets_png_in_pieces(length: int) -> None:
    png = bytes(range(256)) * 40
    found = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", kitty(png[:length]))
    assert base64.b64decode("".join(data for _, data in found)) == png[:length]
    assert all(len(data) <= KITTY_PIECE for _, data in found)
    assert found[0][0].startswith("f=100,a=T,m=")
    assert [keys[-1] for keys, _ in found] == ["1"] * (len(found) - 1) + ["0"]


def test_iterm_gets_png_whole() -> None:
    assert iterm(b"abc") == "\x1b]1337;File=inline=1;size=3:YWJj\x07"


def decode_sixel(text: str, width: int, height: int) -> list[tuple[int, ...]]:
    """The pixels that a terminal would show, in percents of each channel."""
    body = text.removeprefix(f'\x1bPq"1;1;{width};{height}').removesuffix("\x1b\\")
    colours: dict[str, tuple[int, ...]] = {}
    pixels: dict[tuple[int, int], tuple[int, ...]] = {}
    x = y = 0
    current = ""
    for word in re.findall(r"#\d+;2;\d+;\d+;\d+|#\d+|!\d+.|\$|-|[?-~]", body):
        if word.startswith("#"):
            current, *rest = word[1:].split(";")
            if rest:
                colours[current] = tuple(map(int, rest[1:]))
        elif word == "$":
            x = 0
        elif word == "-":
            x, y = 0, y + 6
        else:
            end = x + (int(word[1:-1]) if word.startswith("!") else 1)
            for at, bit in product(range(x, end), range(6)):
                if (ord(word[-1]) - 63) >> bit & 1:
                    pixels[at, y + bit] = colours[current]
            x = end
    return [pixels[x, y] for y in range(height) for x in range(width)]


def test_sixels_are_the_picture() -> None:
    rows = [RED * 5 + BLUE, GREEN * 6, WHITE * 6] * 3
    image = Image.frombytes("RGB", (6, 9), b"".join(rows))
    wanted = [
        tuple(v * 100 // 255 for v in image.getpixel((x, y))) for y in range(9) for x in range(6)
    ]
    assert decode_sixel(sixel(image), 6, 9) == wanted


@pytest.mark.parametrize(("answer", "protocol"), [
    (b"", None),
    (b"\x1b[?62;22c", None),
    (b"\x1b[?4;6c", None),  # a VT132 has no sixels
    (b"\x1b[?62;4;22c", "sixel"),
    (b"\x1b_Gi=31;OK\x1b\\\x1b[?62c", "kitty"),
    (b"\x1b_Gi=31;EINVAL\x1b\\\x1b[?62;4c", "sixel"),
])  # fmt: skip
def test_what_a_terminal_answers(answer: bytes, protocol: str | None) -> None:
    assert terminal.protocol_said(answer) == protocol


@pytest.mark.parametrize(("environment", "wanted"), [
    ({"TERM": "xterm-256color"}, MANY),
    ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, MILLIONS),
    ({"TERM": "xterm-kitty"}, MILLIONS),
    ({"TERM": "dumb", "COLORTERM": "truecolor"}, NONE),
    ({"TERM": "xterm", "NO_COLOR": "1"}, NONE),
])  # fmt: skip
def test_how_many_colours_a_terminal_has(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], wanted: int
) -> None:
    for name in ("TERM", "COLORTERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert terminal.colours() == wanted
