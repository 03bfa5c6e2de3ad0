"""Signs in space: what becomes of each when its block is turned, and where each leads."""

import pytest

from planewalk.languages import registry
from planewalk.view.language.turning import TURNS, blank_of, counterparts, ways


def signs(language: str, how: str) -> dict[str, str]:
    return {sign: other.sign for sign, other in counterparts(registry.get(language), how).items()}


def lost(language: str, how: str) -> str:
    found = counterparts(registry.get(language), how)
    return "".join(sorted(sign for sign, other in found.items() if not other.exact))


def test_arrows_and_mirrors_turn() -> None:
    arrows = {">": "v", "v": "<", "<": "^", "^": ">"}
    assert signs("refunge", "clockwise") == {**arrows, "/": "\\", "\\": "/"}
    assert signs("bmprog", "clockwise") == arrows
    assert signs("bmprog", "across") == {">": "<", "<": ">"}
    assert signs("refunge", "down") == {"v": "^", "^": "v", "/": "\\", "\\": "/"}


def test_turning_left_becomes_turning_right_in_a_mirror() -> None:
    assert signs("webfunge", "across").items() >= {"[": "]", "]": "["}.items()
    assert "[" not in signs("webfunge", "clockwise")


def test_what_nothing_can_replace_is_said() -> None:
    assert lost("mirrorfunge", "clockwise") == "<>", "whoever meets them at the point goes down"
    assert signs("mirrorfunge", "clockwise")[">"] == "v", "the nearest is taken all the same"
    assert lost("gemooy", "across") == "@" and lost("gemooy", "clockwise") == "#"
    assert lost("refunge", "clockwise") == ""
    assert "?" not in counterparts(registry.get("webfunge"), "clockwise"), "chance has no direction"
    assert {"x", "{"} <= set(lost("webfunge", "half")), "they say where to go, in plain numbers"


def test_turned_twice_is_turned_round() -> None:
    for name in ("refunge", "bmprog"):
        once, half = signs(name, "clockwise"), signs(name, "half")
        for sign, other in once.items():
            assert once.get(other, other) == half.get(sign, sign)


def test_ways_of_mirrors_and_jumps() -> None:
    found = ways(registry.get("mirrorfunge"))
    assert found["/"][1, 0][:4] == (0, -1, 0, -1)
    assert found["#"][0, 1][:4] == (0, 2, 0, 1)
    assert (-1, 0) not in found[">"], "that depends on the stack"
    assert "@" not in found and "+" not in found
    assert ways(registry.get("gemooy"))["@"][1, 0][:4] == (1, 1, 1, 1)


@pytest.mark.parametrize("name", registry.names())
def test_every_language_can_be_turned(name: str) -> None:
    language = registry.get(name)
    known = {row.symbol for row in language.table}
    assert blank_of(language) in known
    for how in ("clockwise", "across"):
        assert how in TURNS and set(signs(name, how).values()) <= known
