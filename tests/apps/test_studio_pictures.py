"""Pictures in the studio, the gallery, the tour and the reference."""

from __future__ import annotations

import base64
import io
import re
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from PIL import Image

import planewalk
from planewalk.apps.studio import pictures
from planewalk.apps.studio.conversation import Conversation
from planewalk.apps.studio.server import Tab
from planewalk.engines.picture import Painter, painter

from .browsing import Visit, expect, needs_browser, until
from .test_studio import Clock, opened, said

PROGRAM = "0y1y4y@"
PIXELS = """() => {
  const canvas = document.getElementById("picture"), copy = document.createElement("canvas");
  if (canvas.width > 64) return [canvas.width, canvas.height, []];
  copy.width = canvas.width; copy.height = canvas.height;
  const pen = copy.getContext("2d");
  pen.drawImage(canvas, 0, 0);
  return [copy.width, copy.height, [...pen.getImageData(0, 0, copy.width, copy.height).data]];
}"""


def test_every_kind_of_example_has_a_thumbnail() -> None:
    talk = Conversation(Clock())
    walked = said(talk, "thumbnail", file="duet.ref")["thumbnail"]
    assert len(walked["places"]) > 40 and walked["map"]["picture"]
    asked = said(talk, "thumbnail", file="sum.mf")["thumbnail"]
    assert len(asked["places"]) > 20, "it is given its input"
    drawn = said(talk, "thumbnail", file="gradient.wf")["thumbnail"]
    assert len(drawn["pictures"]) > 2
    assert "no example" in said(talk, "thumbnail", file="nope.ref")["error"]


def test_examples_open_with_their_input_and_options() -> None:
    talk = Conversation(Clock())
    said(talk, "example", file="sum.mf")
    assert talk.session is not None and talk.session.state.input.unread > 0
    assert said(talk, "example", file="hello.png")["opened"]["options"] == {"arg": 72}


def test_the_run_of_a_pixel_and_its_heat() -> None:
    talk = opened(PROGRAM, "webfunge")
    answer = said(talk, "pixel", at=[3, 2], size=[8, 6], time=0.5)
    assert answer["opened"]["options"] == {"pixel": "3,2", "size": "8x6", "time": 0.5}
    said(talk, "goto", tick=100)
    wanted = planewalk.render(source=PROGRAM, language="webfunge", size=(8, 6), time=0.5)
    assert talk.session is not None
    colour = talk.session.language.drawing.colour
    assert colour is not None and colour(talk.session.state) == wanted.pixel(3, 2)
    heat = base64.b64decode(said(talk, "render", size=[8, 6], heat=True)["picture"])
    assert Image.open(io.BytesIO(heat)).width >= 8


def test_quick_pictures_are_as_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = opened(PROGRAM, "webfunge")
    for time in (0.5, 1.5):  # the second one by the painter of the first
        pixels = planewalk.render(source=PROGRAM, language="webfunge", size=(9, 6), time=time)
        for quick in (True, False):
            answer = said(talk, "render", size=[9, 6], time=time, quick=quick)
            picture = Image.open(io.BytesIO(base64.b64decode(answer["picture"])))
            assert picture.tobytes() == pixels.pixels and not answer["sketch"]
    monkeypatch.setattr(pictures, "PATIENCE", 0)
    assert "not drawn within" in said(talk, "render", size=[9, 6])["error"]
    assert said(talk, "render", size=[9, 6], quick=True)["picture"], "a sketch, if need be"


def test_code_for_a_picture_is_made_once_for_all_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bool] = []
    make = Painter._made

    def counted(self: Painter, careful: bool) -> Any:
        made.append(careful)
        return make(self, careful)

    monkeypatch.setattr(Painter, "_made", counted)
    talk = opened(PROGRAM, "webfunge")
    for size in ([9, 6], [40, 20], [9, 6]):
        for heat in (False, True):
            assert said(talk, "render", size=size, heat=heat)["picture"]
    said(talk, "reload", text="5" + PROGRAM[1:])
    wanted = planewalk.render(source="5" + PROGRAM[1:], language="webfunge", size=(40, 20))
    picture = said(talk, "render", size=[40, 20], quick=True)["picture"]
    assert Image.open(io.BytesIO(base64.b64decode(picture))).tobytes() == wanted.pixels
    assert made == [False, False]


def test_pictures_are_broken_off_for_whatever_else_is_said() -> None:
    talk = opened(PROGRAM, "webfunge")
    talk.urged = lambda: True
    assert said(talk, "render", size=[9, 6], id="picture") == {"picture": None, "re": "picture"}
    assert said(talk, "render", size=[9, 6], heat=True)["picture"] is None
    assert said(talk, "render", size=[9, 6], quick=True)["picture"], "somebody types"


def test_only_what_is_answered_at_once_breaks_pictures_off() -> None:
    tab = Tab(cast("Any", None), Conversation(Clock()), cast("Any", None))
    urged = tab.conversation.urged
    assert not urged()
    tab.inbox.append('{"do": "render"}')
    assert not urged()
    tab.inbox.appendleft('{"do": "reload"}')
    assert urged()
    tab.inbox.clear()
    tab.gone = True
    assert urged()


def test_pixels_that_take_long_are_sketched_while_somebody_types(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wild = "0y1yc*+1x"  # every pixel goes its own way
    monkeypatch.setattr(painter, "SKETCH", 0.02)  # by a clock that goes when it is looked at
    talk = opened(wild, "webfunge")
    answer = said(talk, "render", size=[32, 16], quick=True)
    picture = Image.open(io.BytesIO(base64.b64decode(answer["picture"])))
    wanted = planewalk.render(source=wild, language="webfunge", size=(32, 16))
    assert answer["sketch"] and picture.getpixel((0, 0)) == wanted.pixel(0, 0)
    assert picture.getpixel((0, 0)) == picture.getpixel((1, 1)) == picture.getpixel((3, 3))
    monkeypatch.setattr(painter, "SKETCH", 100.0)
    answer = said(talk, "render", size=[8, 4], quick=True)
    picture = Image.open(io.BytesIO(base64.b64decode(answer["picture"])))
    wanted = planewalk.render(source=wild, language="webfunge", size=(8, 4))
    assert not answer["sketch"] and picture.tobytes() == wanted.pixels


def test_rows_that_come_too_late_for_a_sketch_are_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painter, "SKETCH", 0.004)  # by a clock that goes when it is looked at
    talk = opened("111@", "webfunge")
    answer = said(talk, "render", size=[64, 256], quick=True)
    picture = Image.open(io.BytesIO(base64.b64decode(answer["picture"])))
    assert answer["sketch"] and picture.getpixel((0, 0)) == (255, 255, 255)
    assert talk._easel._painter is not None and not talk._easel._painter._skipped
    monkeypatch.setattr(painter, "SKETCH", 100.0)
    assert not said(talk, "render", size=[64, 256], quick=True)["sketch"]


def test_films_of_pictures_are_files() -> None:
    talk = opened(PROGRAM, "webfunge")
    saved = said(talk, "animate", kind="gif", size=[8, 6], seconds=0.2, fps=10)["saved"]
    assert base64.b64decode(saved["data"])[:3] == b"GIF" and saved["name"] == "film.gif"
    assert "not 'exe'" in said(talk, "animate", kind="exe", size=[8, 6])["error"]
    assert "too" in said(talk, "animate", kind="gif", size=[800, 600], seconds=999)["error"]


def test_films_of_pictures_are_videos_where_there_is_an_encoder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = opened(PROGRAM, "webfunge")
    ask = {"kind": "mp4", "size": [16, 16], "seconds": 0.2, "fps": 10}
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "av", None)
        assert "planewalk[video]" in said(talk, "animate", **ask)["error"]
    av = pytest.importorskip("av", reason="PyAV is not installed")
    (tmp_path / "film.mp4").write_bytes(
        base64.b64decode(said(talk, "animate", **ask)["saved"]["data"])
    )
    with av.open(str(tmp_path / "film.mp4")) as film:
        frames = [frame.to_image() for frame in film.decode(video=0)]
    assert len(frames) == 2 and frames[0].size == (16, 16)
    wanted = planewalk.render(source=PROGRAM, language="webfunge", size=(16, 16)).pil()
    (seen,), (drawn,) = ((each.resize((1, 1)).getpixel((0, 0)),) for each in (frames[0], wanted))
    assert all(abs(a - b) < 24 for a, b in zip(seen, drawn, strict=True))


# In a browser -------------------------------------------------------------------------------------


def open_picture(visit: Visit) -> None:
    visit.open_file("p.wf", PROGRAM.encode())
    visit.page.wait_for_selector("#picture-panel:not([hidden])")


def seen(page: Any, size: tuple[int, int], wanted: bytes, off: int) -> None:
    """Wait until the picture is as it should be, but for so many levels."""

    def is_drawn() -> bool:
        width, height, data = page.evaluate(PIXELS)
        found = [value for at, value in enumerate(data) if at % 4 < 3]
        return (width, height) == size and all(
            abs(a - b) <= off for a, b in zip(found, wanted, strict=True)
        )

    until(page, is_drawn)


@pytest.mark.exhaustive
@needs_browser
def test_the_picture_is_that_of_render(visit: Visit) -> None:
    page = visit.page
    open_picture(visit)
    page.select_option("#resolution", "36")
    page.fill("#time", "2")
    wanted = planewalk.render(source=PROGRAM, language="webfunge", size=(64, 36), time=2.0)
    pixels = wanted.pil().tobytes()
    page.select_option("#exact", "exact")
    seen(page, (64, 36), pixels, 0)
    page.select_option("#exact", "gpu")
    seen(page, (64, 36), pixels, 2)
    edited = "5" + PROGRAM[1:]
    other = planewalk.render(source=edited, language="webfunge", size=(64, 36), time=2.0)
    page.focus("#grid")
    page.keyboard.press("5")
    seen(page, (64, 36), other.pil().tobytes(), 2)
    page.select_option("#exact", "exact")
    page.focus("#grid")
    page.keyboard.press("Control+z")
    seen(page, (64, 36), pixels, 0)


@pytest.mark.exhaustive
@needs_browser
def test_a_click_shows_the_run_of_a_pixel(visit: Visit) -> None:
    page = visit.page
    open_picture(visit)
    page.click("#picture")
    visit.shows("#pixel-words", re.compile("the run of pixel 1[56]\\d,[89]\\d of 320x180"))
    page.click("#step")
    visit.tick(1)


@pytest.mark.exhaustive
@needs_browser
def test_pictures_are_saved(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    open_picture(visit)
    page.select_option("#resolution", "36")
    with page.expect_download() as download:
        page.click("#save-png")
    download.value.save_as(tmp_path / "p.png")
    with Image.open(tmp_path / "p.png") as picture:
        assert picture.size == (64, 36)


@pytest.mark.exhaustive
@needs_browser
def test_the_gallery_shows_moving_pictures(visit: Visit) -> None:
    page = visit.page
    visit.choose("#gallery-open")
    page.fill("#filter", "heart")
    card = page.locator("#cards button:visible")
    expect(card).to_have_count(1)
    card.click()
    visit.shows("#language option:checked", "BMProg")


@pytest.mark.exhaustive
@needs_browser
def test_the_tour_can_be_reopened(visit: Visit) -> None:
    page = visit.page
    page.click("#help")
    page.click("#guide-start")
    expect(page.locator("#guide")).to_be_visible()
    while page.text_content("#guide-next") == "Next":
        page.click("#guide-next")
    page.click("#guide-next")
    expect(page.locator("#guide")).to_be_hidden()


@pytest.mark.exhaustive
@needs_browser
def test_the_reference_opens_at_the_cursor(visit: Visit) -> None:
    page = visit.page
    page.keyboard.press("Control+Space")
    visit.shows("#reference .here b", "v")
    page.keyboard.press("Escape")
    expect(page.locator("#reference")).to_be_hidden()
