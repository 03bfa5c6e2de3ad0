"""What the studio learns of a plane by trying: edges, ways through cells, heat, who is who."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from PIL import Image

from planewalk.apps.studio.conversation import Conversation
from planewalk.core.sparse.tiles import Tiles

from .test_studio import Clock, opened, said


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("mirrorfunge", "12\n3@", ["joined", "joined", "joined", "joined"]),
        ("refunge", "!X\n^A", ["joined", "out", "joined", "out"]),
        ("gemooy", "@#\n$%", ["on", "on", "on", "on"]),
        ("bmprog", "v.\n>.", ["out", "out", "out", "out"]),
    ],
)
def test_edges_are_found_by_walking_over_them(language: str, text: str, wanted: list[str]) -> None:
    talk = Conversation(Clock())
    edges = said(talk, "open", language=language, text=text)["opened"]["edges"]
    assert [edges[side] for side in ("right", "down", "left", "up")] == wanted


def ways(text: str, x: int, y: int, language: str = "mirrorfunge") -> dict[str, object]:
    found = said(opened(text, language), "cell", at=[x, y])["cell"]["ways"]
    return {way["name"]: way["to"] for way in found}


def test_ways_through_mirrors_splitters_and_ends() -> None:
    assert ways("/@", 0, 0)["right"] == [[[0, -1]]]
    assert ways(">@", 0, 0)["left"] == [[[0, 1]], [[0, -1]]], "for 0, and for anything else"
    assert ways("1@", 1, 0)["right"] == ["ends"]
    assert ways("Y \n  ", 0, 0, "refunge")["down"] == [[[-1, 0], [1, 0]]]


def test_trying_changes_nothing() -> None:
    talk = opened("+X!^", "refunge")
    said(talk, "step", ticks=2)
    assert talk.session is not None
    before = talk.session.state.copy()
    said(talk, "cell", at=[1, 0])
    assert talk.session.state.walkers == before.walkers
    assert talk.session.state.plane == before.plane


def test_heat_counts_headings_and_goes_on_counting() -> None:
    talk = opened(">v\n^<")
    said(talk, "step", ticks=8)
    first = said(talk, "heat")["heat"]
    assert first["tick"] == 8 and sum(cell[-1] for cell in first["cells"]) == 8
    said(talk, "step", ticks=2)
    assert sum(cell[-1] for cell in said(talk, "heat")["heat"]["cells"]) == 10
    said(talk, "goto", tick=3)
    assert sum(cell[-1] for cell in said(talk, "heat")["heat"]["cells"]) == 3


def test_the_map_has_a_pixel_for_each_cell_or_for_some() -> None:
    talk = opened("v.>\n>.<", "bmprog")
    found = said(talk, "map")["map"]
    picture = Image.open(io.BytesIO(base64.b64decode(found["picture"])))
    assert picture.size == (3, 2) and found["every"] == 1 and len(picture.getcolors()) > 2
    said(talk, "open", language="mirrorfunge", text="1" * 3000)
    assert said(talk, "map")["map"]["every"] == 3


def test_the_map_shows_thin_lines_on_large_planes() -> None:
    talk = opened("#\n$", "gemooy")
    assert talk.session is not None
    plane: Any = talk.session.state.plane
    for at in range(5, 5_000, 7):
        plane.put(at, at, 2)
    for in_tiles in (False, True):
        if in_tiles:
            plane.keep_tiles(Tiles(dict(plane.cells)))
        answer = said(talk, "map")["map"]
        picture = Image.open(io.BytesIO(base64.b64decode(answer["picture"])))
        ground = picture.getpixel((0, picture.height - 1))
        assert answer["every"] == 5
        assert all(picture.getpixel((at, at)) != ground for at in range(1, picture.width - 1, 7))
        assert picture.getpixel((9, 700)) == ground


def test_a_coarse_look_has_walkers_but_no_cells() -> None:
    talk = opened("12+.@")
    frame = said(talk, "look", box=[-100, -100, 100, 100], coarse=True)["frame"]
    assert len(frame["rows"]) == 1 and len(frame["walkers"]) == 1


def numbers(talk: Conversation, left: int) -> dict[int, int]:
    """The number of the walker in each row; another box each time, so that all are told."""
    frame = said(talk, "look", box=[left, -2, 8, 5])["frame"]
    return {y: number for number, _, y, *_ in frame["walkers"]}


def test_walkers_keep_their_numbers() -> None:
    """A signal that leaves does not hand its number to the next one, forwards and backwards."""
    talk = opened("^.....\n......\n......", "bmprog", options={"arg": "3"})
    assert sorted(numbers(talk, -1).values()) == [0, 1, 2]
    known = numbers(talk, -2)
    said(talk, "step")
    said(talk, "step")
    after = numbers(talk, -3)
    assert after == {y: known[y] for y in (1, 2)}
    said(talk, "back", ticks=2)
    assert numbers(talk, -4) == known


def test_what_takes_long_to_show_is_shown_less_often() -> None:
    talk = opened(">v\n^<")
    said(talk, "run")
    talk._cost = 1e9
    (answer,) = talk.work()
    assert talk.session is not None and answer == {"at": talk.session.tick}
    talk._cost = 0.0
    assert "frame" in talk.work()[0]
